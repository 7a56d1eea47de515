//! Rows about links.

use archive::LinkRecord;
use serde_json::json;

use super::columns::columns;
use super::values::decimal;

/// A link, with the page that it stands on.
pub(super) struct LinkRow<'r> {
    pub(super) from: &'r str,
    pub(super) link: &'r LinkRecord,
}

columns! {
    /// Links found on pages, page by page, each as often as a page was fetched that has it.
    "links": LINKS, link(row: &LinkRow<'_>);
    /// The page that it stands on.
    from: Text = json!(row.from),
    /// Where it leads.
    to: Text = json!(row.link.url),
    /// Its text.
    anchor: Text = json!(row.link.anchor),
    /// How the page names the relation: `nofollow`, `next`, `redirect`, …
    rel: Text = json!(row.link.rel),
    /// What it promised when it was found, 0 to 1: the expected worth of the page behind it.
    promise: Float = decimal(row.link.promise),
    /// What became of it: `new`, `seen`, or the rule that left it out.
    fate: Text = json!(row.link.fate),
    /// The host of the page that it stands on.
    host: Text = json!(weburl::host_of(row.from)),
}

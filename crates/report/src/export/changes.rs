//! Rows about pages that are not what they were.

use serde_json::json;

use super::columns::columns;
use super::filter::{Facets, instant_of};
use crate::changes::ChangeRow;

columns! {
    /// Pages that were new, or not what they had been, when the crawl came back; all rounds.
    "changes": CHANGES, change(row: &ChangeRow);
    /// The page.
    url: Text = json!(row.url),
    /// `new`, `touched` (another date, counter or word), `changed`, `moved`, `gone`, `back` or `unclear`.
    change: Text = json!(row.change),
    /// When it was seen.
    at: Time = json!(row.at),
    /// Lines of its main text that are there no longer, or not as they were; null where no text is archived.
    before: Text = json!(row.before),
    /// Lines that are new, or as they are now.
    after: Text = json!(row.after),
    /// The share of words that both texts have, 0 to 1; null where they were not compared.
    similarity: Float = json!(row.similarity),
    /// Whether it was kept before.
    was_kept: Bool = json!(row.was_kept),
    /// Whether it is kept now.
    is_kept: Bool = json!(row.is_kept),
    /// Why, in words: where it moved, the status, the reason for which it is not kept.
    why: Text = json!(row.why),
    /// The page's host.
    host: Text = json!(weburl::host_of(&row.url)),
}

/// What a filter may ask of a change.
pub(super) fn facets(row: &ChangeRow) -> Facets<'_> {
    Facets {
        host: weburl::host_of(&row.url),
        at_ms: instant_of(&row.at).unwrap_or(0),
        ..Facets::default()
    }
}

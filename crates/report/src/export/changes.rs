//! Rows about pages that are not what they were.

use serde_json::json;

use super::columns::columns;
use crate::changes::ChangeRow;

columns! {
    /// Pages that were new, or not what they had been, when the crawl came back; all rounds.
    "changes": CHANGES, change(row: &ChangeRow);
    /// The page.
    url = json!(row.url),
    /// `new`, `touched` (another date, counter or word), `changed`, `moved`, `gone`, `back` or `unclear`.
    change = json!(row.change),
    /// When it was seen.
    at = json!(row.at),
    /// Lines of its main text that are there no longer, or not as they were; null where no text is archived.
    before = json!(row.before),
    /// Lines that are new, or as they are now.
    after = json!(row.after),
    /// The share of words that both texts have, 0 to 1; null where they were not compared.
    similarity = json!(row.similarity),
    /// Whether it was kept before.
    was_kept = json!(row.was_kept),
    /// Whether it is kept now.
    is_kept = json!(row.is_kept),
    /// Why, in words: where it moved, the status, the reason for which it is not kept.
    why = json!(row.why),
}

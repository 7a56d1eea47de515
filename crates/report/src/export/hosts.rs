//! Rows about hosts: those of the report.

use serde_json::json;

use super::columns::columns;
use super::values::text_or_null;
use crate::hosts::HostRow;

columns! {
    /// Hosts as in the report; beyond 10,000 the rest share a row named `(others)`.
    "hosts": HOSTS, host(row: &HostRow);
    /// The host, with its port unless that is the scheme's own.
    host: Text = json!(row.host),
    /// URLs of the host that were finished.
    pages: Int = json!(row.counts.finished),
    /// Pages that are kept.
    indexed: Int = json!(row.counts.indexed),
    /// Near and exact duplicates among the dropped pages.
    duplicates: Int = json!(row.duplicates),
    /// Off-topic pages among the dropped pages.
    off_topic: Int = json!(row.off_topic),
    /// Fetches that brought no usable answer, attempts that were repeated included.
    errors: Int = json!(row.errors),
    /// Bytes of bodies received, those of robots.txt and sitemaps included.
    bytes: Int = json!(row.bytes),
    /// How robots.txt was answered: `parsed`, `allow_all`, `disallow_all` or `outage`; null before.
    robots: Text = text_or_null(row.robots.name()),
    /// The delay between requests that was in force, seconds.
    delay_s: Float = json!(row.delay_s),
    /// Mean time of a fetch, milliseconds.
    avg_ms: Float = json!(row.avg_ms),
    /// `done`, `pending` (URLs left), `failing` (nothing but errors), `gone` (given up) or `closed`
    /// (robots.txt).
    state: Text = json!(row.state),
    /// URLs that wait.
    pending: Int = json!(row.counts.pending),
    /// URLs that were let in: those that wait and those that are finished.
    admitted: Int = json!(row.counts.admitted),
    /// URLs that were refused because the host was given up.
    gone: Int = json!(row.gone),
}

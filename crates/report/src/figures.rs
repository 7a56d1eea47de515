//! The report as data: what the JSON form prints, and where the other forms take every number.

use std::collections::BTreeMap;

use outcome::{RuleLoss, StopReason, WallKind};
use serde::{Deserialize, Serialize};

use crate::audit::Audit;
use crate::changes::RoundCounts;
use crate::clusters::Duplicates;
use crate::dead_forms::DeadForm;
use crate::errors::ErrorGroup;
use crate::export::BrokenFigures;
use crate::fates::Counts;
use crate::found::Found;
use crate::harvest::Harvest;
use crate::histogram::Distribution;
use crate::hosts::{HostRow, SeedRow};
use crate::rights::Rights;
use crate::why_slow::Slowness;

/// A whole crawl in figures, over all its starts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CrawlReport {
    /// The crawl's name, as the caller gave it: its directory, most often.
    pub name: String,
    /// When the first record was written, ISO 8601; empty for an empty journal.
    pub started_at: String,
    /// When the last record was written, ISO 8601.
    pub ended_at: String,
    /// Times a process began to work on it.
    pub starts: u64,
    /// Seconds in which a process worked on it.
    pub duration_s: f64,
    /// Why the last process stopped; absent while one runs, or when one was killed.
    pub stop_reason: Option<StopReason>,
    /// The same in words.
    pub stop_detail: Option<String>,
    /// Where all URLs are.
    pub totals: Counts,
    /// Why URLs are junk, refused or failed; each group sums to its total.
    pub reasons: Reasons,
    /// By host, those with most URLs first; sums to the totals.
    pub hosts: Vec<HostRow>,
    /// By seed, in the order given; sums to the totals.
    pub seeds: Vec<SeedRow>,
    /// What was asked of the network.
    pub fetches: Fetches,
    /// Fetches of pages by HTTP status, `0` for none; sums to `fetches.pages`.
    pub statuses: BTreeMap<String, u64>,
    /// Finished URLs that were fetched, by content type.
    pub content_types: BTreeMap<String, u64>,
    /// Bytes of body by fetch of a page.
    pub sizes: Distribution,
    /// Milliseconds by fetch of a page.
    pub response_times: Distribution,
    /// Judged pages by language, `unknown` where it is; sums to the judged pages.
    pub languages: BTreeMap<String, LanguageCount>,
    /// Duplicates.
    pub duplicates: Duplicates,
    /// What was wanted among what was read.
    pub harvest: Harvest,
    /// Links as found on pages, and what was decided about them.
    pub links: Links,
    /// Endless parts of the web that were left alone.
    pub traps: Traps,
    /// Walls that stood in the place of pages.
    pub walls: Walls,
    /// URLs refused unread by learnt rules, and what that may have lost.
    pub learnt: LearntRefusals,
    /// What went wrong, grouped.
    pub errors: Vec<ErrorGroup>,
    /// Forms of URLs that are mostly dead, those with most dead URLs first; up to 50.
    pub dead_forms: Vec<DeadForm>,
    /// How robots.txt was answered.
    pub robots: RobotsFigures,
    /// What the crawl waited for, the longest first.
    pub why_slow: Vec<Slowness>,
    /// URLs put back into the queue by hand.
    pub retried: u64,
    /// Rounds of visits to what was read, the first one first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<RoundCounts>,
    /// What pages say of the use of their texts.
    pub rights: Rights,
    /// Pages as the HTML form lists them; the JSON form leaves them to the exports.
    #[serde(skip)]
    pub found: Found,
    /// Broken links; null where nobody has counted them, which takes a pass of its own.
    pub broken: Option<BrokenFigures>,
    /// What people said of its decisions; null where nobody has marked any.
    pub audit: Option<Audit>,
    /// How the copies of archive files stand, in words, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copies: Option<String>,
    /// The settings of the last start.
    #[serde(skip)]
    pub settings: serde_json::Value,
}

/// Reasons by fate.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Reasons {
    /// Sums to `totals.junk`.
    pub junk: BTreeMap<String, u64>,
    /// Sums to `totals.refused`.
    pub refused: BTreeMap<String, u64>,
    /// Sums to `totals.failed`.
    pub failed: BTreeMap<String, u64>,
}

/// What was asked of the network.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Fetches {
    /// Fetches of pages, repeated ones included.
    pub pages: u64,
    /// Of these, attempts after which the URL was to be tried again.
    pub attempts_repeated: u64,
    /// Fetches of robots.txt.
    pub robots: u64,
    /// Fetches of sitemaps.
    pub sitemaps: u64,
    /// Bytes of all bodies received: the sum over the hosts.
    pub bytes: u64,
    /// Bodies that were cut: `bytes`, `time`, `disconnect`.
    pub truncated: BTreeMap<String, u64>,
    /// Fetches of pages per second of the crawl's duration.
    pub per_second: f64,
}

/// Judged pages of one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LanguageCount {
    /// Judged.
    pub pages: u64,
    /// Of these, kept when they were judged.
    pub indexed: u64,
}

/// Links as found, each URL once a page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Links {
    /// All links; `new + seen + refused`.
    pub found: u64,
    /// They brought a URL into the queue.
    pub new: u64,
    /// Their URL was known.
    pub seen: u64,
    /// They were left out, by reason.
    pub refused: BTreeMap<String, u64>,
    /// URLs that sitemaps brought into the queue.
    pub in_sitemaps: u64,
}

/// Traps: calendars without an end, session ids, paths that repeat themselves.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Traps {
    /// Links and URLs left alone as traps.
    pub count: u64,
    /// By the trap's name: `trap_calendar`, `trap_same_content`, ... Each is a fetch saved.
    #[serde(default)]
    pub kinds: BTreeMap<String, u64>,
    /// By host, up to 200.
    pub hosts: BTreeMap<String, u64>,
    /// Some of the URLs.
    pub samples: Vec<String>,
}

/// Walls: bot walls, captchas, requests for consent or a login, parked domains.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Walls {
    /// Pages that were walls.
    pub pages: u64,
    /// By kind: `bot`, `human`, `rate_limit`, `consent`, `login`, `parked`, `coming_soon`.
    pub kinds: BTreeMap<String, u64>,
    /// The hosts that answered with them, those with most walls first; up to 50.
    pub hosts: Vec<WalledHost>,
}

/// A host that answered with walls.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WalledHost {
    /// Host.
    pub host: String,
    /// Pages of it that were walls.
    pub walls: u64,
    /// Its pages that were judged from the first wall on.
    pub judged: u64,
    /// How many of each kind.
    pub kinds: BTreeMap<String, u64>,
    /// The most frequent kind.
    pub kind: WallKind,
    /// Whose wall it is, where its marks tell.
    pub vendor: Option<String>,
    /// How often its last answers were reason to let it rest.
    pub rests: u64,
    /// URLs that were refused since it was asked no more.
    pub refused: u64,
    /// What to do about it.
    pub mend: String,
}

/// What learnt rules refused unread, and how many unique pages that may have lost.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LearntRefusals {
    /// URLs that stay refused.
    pub refused: u64,
    /// URLs that rules would have refused, and that were fetched and could be judged.
    pub probed: u64,
    /// Those of them that were pages of their own.
    pub unique: u64,
    /// Unique pages lost, if what is refused is like what was probed.
    pub lost: f64,
    /// As many at most: the sum of the rules' bounds, rounded up.
    pub lost_at_most: u64,
    /// By rule, those that may have lost most first; up to 200.
    pub rules: Vec<LearntRow>,
}

/// A learnt rule.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LearntRow {
    /// In words.
    pub rule: String,
    /// What it refused, and what its probes found.
    #[serde(flatten)]
    pub loss: RuleLoss,
    /// Unique pages lost, as its probes say.
    pub lost: f64,
    /// As many at most, with a confidence of 95 % (Clopper and Pearson).
    pub lost_at_most: f64,
}

/// How robots.txt was answered, by host.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RobotsFigures {
    /// Hosts asked.
    pub hosts: u64,
    /// Hosts by answer: `parsed`, `allow_all`, `disallow_all`.
    pub rules: BTreeMap<String, u64>,
    /// URLs it refused us.
    pub refused: u64,
    /// Hosts that ask for a delay, seconds, the longest first; up to 50.
    pub crawl_delays: Vec<CrawlDelay>,
    /// Hosts whose robots.txt could not be had, so nothing was fetched; up to 50.
    pub closed: Vec<String>,
}

/// A host that asks for a delay.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CrawlDelay {
    /// Host.
    pub host: String,
    /// Seconds.
    pub delay_s: f64,
}

impl CrawlReport {
    /// The JSON form: one value on one line, without the line's end.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a report is plain data")
    }

    /// Pages that were read and judged.
    pub fn judged(&self) -> u64 {
        self.totals.indexed + self.totals.junk
    }

    /// Record numbers of the pages whose texts the HTML form shows side by side.
    pub fn sample_pages(&self) -> std::collections::BTreeSet<u64> {
        let samples = self.duplicates.samples.iter();
        samples.flat_map(|s| [s.page, s.dup_of_page]).collect()
    }
}

//! Links to files: what looks like one by its ending, and what came of such links.
//!
//! `/photo.jpg` is an image nearly everywhere, and a page about one in a wiki (`/wiki/File:Photo.jpg`) and
//! in some galleries. So an ending is no verdict, but a reason to look twice: the first links to files of a
//! host are asked for like any, and what they bring decides about the rest.
//!
//! ```text
//!   part of the host  three answers or more: pages, if most of them were
//!        │ fewer
//!   host              three answers or more and no page among them: no pages
//!        │ fewer, or both
//!   all hosts         fewer than one in twenty had a page, surely: no pages; else the link is tried
//! ```
//!
//! A part is what lies under one first segment of the path. *Surely* is with a confidence of 95 %: 59 answers
//! without a page say it ([`share_bound`]).
//!
//! Some kB for each host with such links, at most [`GROUPS_MAX`] hosts and as many parts.

use archive::PageRecord;
use frontier::{CanonicalUrl, HostKey};
use outcome::{JunkKind, JunkReason, Outcome, share_bound};
use recent::RecentMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Hosts that are remembered, and parts of hosts. Of more, those heard of longest ago are forgotten.
const GROUPS_MAX: usize = 1 << 16;

/// Answers from which a host, or a part of it, is known.
const KNOWN_FROM: u32 = 3;

/// The share of pages below which links are not worth a request each.
const SHARE_MAX: f64 = 0.05;

/// Endings of files that no crawl reads, in order. An ending stands here for a registered type that is
/// neither a page nor a text nor XML.
const ENDINGS: [&str; 64] = [
    "7z", "aac", "apk", "avi", "avif", "bmp", "bz2", "deb", "djvu", "dmg", "doc", "docx", "eot",
    "epub", "exe", "flac", "flv", "gif", "gz", "heic", "ico", "iso", "jar", "jpeg", "jpg", "m4a",
    "m4v", "mkv", "mobi", "mov", "mp3", "mp4", "mpeg", "mpg", "msi", "odp", "ods", "odt", "ogg",
    "ogv", "otf", "pdf", "png", "ppt", "pptx", "psd", "rar", "rpm", "svg", "swf", "tar", "tgz",
    "tif", "tiff", "ttf", "wav", "webm", "webp", "wmv", "woff", "woff2", "xls", "xlsx", "zip",
];

/// What came of links to files.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Answers {
    pages: u32,
    all: u32,
}

impl Answers {
    fn count(&mut self, is_page: bool) {
        self.all = self.all.saturating_add(1);
        self.pages = self.pages.saturating_add(u32::from(is_page));
    }

    fn are_known(self) -> bool {
        self.all >= KNOWN_FROM
    }

    /// Whether hardly any was a page, with a confidence of 95 %.
    fn are_surely_none(self) -> bool {
        share_bound(self.pages.into(), self.all.into()) < SHARE_MAX
    }
}

/// What is said of a link to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileLink {
    /// Its host is little known, and so is what such links are worth elsewhere: it is tried.
    Unknown,
    /// Such links lead to pages there.
    Page,
    /// They lead to files.
    File {
        /// With a confidence of 95 %, fewer than one in twenty is a page.
        is_sure: bool,
        /// Nothing says so on its own host yet.
        by_others: bool,
    },
}

/// What links to files led to.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FileLinks {
    /// By host.
    hosts: RecentMap<u64, Answers>,
    /// By host and first segment of the path.
    parts: RecentMap<u64, Answers>,
    /// Hosts whose first links were tried, and those of them with a page among these.
    tried: Answers,
}

impl Default for FileLinks {
    fn default() -> Self {
        Self {
            hosts: RecentMap::with_max(GROUPS_MAX),
            parts: RecentMap::with_max(GROUPS_MAX),
            tried: Answers::default(),
        }
    }
}

impl FileLinks {
    /// Learns from a finished URL.
    pub(crate) fn observe(&mut self, url: &CanonicalUrl, record: &PageRecord) {
        let came = came_as_page(record).filter(|_| is_file_name(url));
        let Some(is_page) = came else {
            return;
        };
        let part = self.parts.entry(part_key(url), |_, _| {});
        part.count(is_page);
        let host = self.hosts.entry(host_key(&url.host()), |_, _| {});
        host.count(is_page);
        if host.all == KNOWN_FROM {
            self.tried.count(host.pages > 0);
        }
    }

    /// What is said of a link; none where it does not look like one to a file.
    pub(crate) fn of(&self, url: &CanonicalUrl) -> Option<FileLink> {
        if !is_file_name(url) {
            return None;
        }
        let part = self.parts.get(&part_key(url)).copied().unwrap_or_default();
        let host = self.hosts.get(&host_key(&url.host())).copied();
        let host = host.unwrap_or_default();
        let is_sure =
            |own: Answers| own.are_surely_none() || own.pages == 0 && self.tried.are_surely_none();
        Some(if part.are_known() {
            match 2 * part.pages > part.all {
                true => FileLink::Page,
                false => FileLink::File {
                    is_sure: is_sure(part) || host.are_surely_none(),
                    by_others: false,
                },
            }
        } else if host.are_known() && host.pages == 0 {
            FileLink::File {
                is_sure: is_sure(host),
                by_others: false,
            }
        } else if host.pages == 0 && self.tried.are_surely_none() {
            FileLink::File {
                is_sure: true,
                by_others: true,
            }
        } else {
            FileLink::Unknown
        })
    }
}

/// Whether a URL looks like a file that is not read, by the ending of its path.
fn is_file_name(url: &CanonicalUrl) -> bool {
    let name = url.path().rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
    ending.is_some_and(|(_, ending)| {
        let ending = ending.to_ascii_lowercase();
        ENDINGS.binary_search(&ending.as_str()).is_ok()
    })
}

/// Whether a page came of a URL; none where nothing came.
fn came_as_page(record: &PageRecord) -> Option<bool> {
    match &record.outcome {
        Outcome::Judged(_) if record.is_blocked() => None,
        Outcome::Judged(_) => {
            let is_error = record.junk().map(JunkReason::kind) == Some(JunkKind::Error);
            Some(record.page.is_some() && !is_error)
        }
        // Where it leads to is another URL, which is asked about by itself; the same file under another
        // scheme or host says nothing by itself.
        Outcome::Redirected => {
            let last = |url: &str| url.rsplit('/').next().map(str::to_owned);
            let target = record.redirect_target().and_then(last);
            (target != last(&record.url)).then_some(false)
        }
        Outcome::NotModified | Outcome::Refused(_) | Outcome::Failed(_) | Outcome::Unknown(_) => {
            None
        }
    }
}

fn host_key(host: &HostKey) -> u64 {
    xxh3_64(host.as_str().as_bytes())
}

/// The key of the part of a host that a URL lies in: that of its first segment, where any number stands
/// for all.
fn part_key(url: &CanonicalUrl) -> u64 {
    let segments = url.path().trim_start_matches('/').split_once('/');
    let first = segments.map_or("", |(first, _)| first);
    let is_number = first.bytes().all(|byte| byte.is_ascii_digit());
    let first = match is_number && !first.is_empty() {
        true => "#",
        false => first,
    };
    xxh3_64(format!("{}/{first}", url.host()).as_bytes())
}

#[cfg(test)]
mod tests {
    use archive::{FetchRecord, PageSummary};
    use outcome::{FailureKind, Verdict};

    use super::*;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).unwrap()
    }

    fn record(outcome: Outcome, is_page: bool) -> PageRecord {
        PageRecord {
            outcome,
            fetch: Some(FetchRecord {
                status: 200,
                ..FetchRecord::default()
            }),
            page: is_page.then(PageSummary::default),
            ..PageRecord::default()
        }
    }

    fn page() -> PageRecord {
        record(Outcome::Judged(Verdict::Index), true)
    }

    fn image() -> PageRecord {
        let junk = Verdict::Junk(JunkReason::UnsupportedType);
        record(Outcome::Judged(junk), false)
    }

    fn observe(files: &mut FileLinks, form: &str, times: u32, record: &PageRecord) {
        for number in 0..times {
            files.observe(&url(&form.replace('#', &number.to_string())), record);
        }
    }

    fn file(is_sure: bool, by_others: bool) -> Option<FileLink> {
        Some(FileLink::File { is_sure, by_others })
    }

    #[test]
    fn the_endings_are_in_order() {
        assert!(ENDINGS.is_sorted());
    }

    #[test]
    fn a_file_is_known_by_the_ending_of_its_path() {
        for file in [
            "/a.jpg",
            "/a/b.tar.gz",
            "/A.PDF",
            "/a.png?v=3",
            "/wiki/File:A.png",
        ] {
            assert!(
                is_file_name(&url(&format!("http://a.example{file}"))),
                "{file}"
            );
        }
        for page in [
            "/",
            "/jpg",
            "/.jpg",
            "/a.html",
            "/a.jpg/",
            "/see?file=a.jpg",
            "/a.x",
        ] {
            assert!(
                !is_file_name(&url(&format!("http://a.example{page}"))),
                "{page}"
            );
        }
    }

    #[test]
    fn the_first_links_to_files_of_a_host_are_tried_and_decide() {
        let mut files = FileLinks::default();
        let next = url("http://a.example/f/next.jpg");
        assert_eq!(files.of(&next), Some(FileLink::Unknown));
        observe(&mut files, "http://a.example/f/#.jpg", 2, &image());
        assert_eq!(files.of(&next), Some(FileLink::Unknown));
        observe(&mut files, "http://a.example/f/#.zip", 1, &image());
        assert_eq!(files.of(&next), file(false, false));
        assert_eq!(
            files.of(&url("http://a.example/other/x.png")),
            file(false, false)
        );
        assert_eq!(
            files.of(&url("http://b.example/f/next.jpg")),
            Some(FileLink::Unknown)
        );
        assert_eq!(files.of(&url("http://a.example/f/next.html")), None);
        observe(&mut files, "http://a.example/f/#.gif", 55, &image());
        assert_eq!(files.of(&next), file(false, false));
        observe(&mut files, "http://a.example/f/#.gif", 1, &image());
        assert_eq!(files.of(&next), file(true, false));
    }

    #[test]
    fn pages_about_files_are_pages_and_the_files_beside_them_are_not() {
        // A wiki: `File:` pages under one part, the images under another.
        let mut files = FileLinks::default();
        observe(&mut files, "http://w.example/wiki/File:#.jpg", 3, &page());
        assert_eq!(
            files.of(&url("http://w.example/wiki/File:Next.png")),
            Some(FileLink::Page)
        );
        let image_url = url("http://w.example/images/a/ab/Next.png");
        assert_eq!(files.of(&image_url), Some(FileLink::Unknown));
        observe(
            &mut files,
            "http://w.example/images/a/0#/A.png",
            3,
            &image(),
        );
        assert_eq!(files.of(&image_url), file(false, false));
        assert_eq!(
            files.of(&url("http://w.example/wiki/File:Next.png")),
            Some(FileLink::Page)
        );
    }

    #[test]
    fn a_host_that_nobody_knows_is_judged_by_all_others_once_these_are_many() {
        let mut files = FileLinks::default();
        for host in 0..58 {
            observe(
                &mut files,
                &format!("http://h{host}.example/#.jpg"),
                3,
                &image(),
            );
        }
        let new = url("http://new.example/a.jpg");
        assert_eq!(files.of(&new), Some(FileLink::Unknown));
        observe(&mut files, "http://h58.example/#.jpg", 3, &image());
        assert_eq!(files.of(&new), file(true, true));
        // One page on a host, and it is looked at for itself.
        files.observe(&url("http://new.example/b.jpg"), &page());
        assert_eq!(files.of(&new), Some(FileLink::Unknown));
    }

    #[test]
    fn what_failed_or_was_refused_says_nothing_of_what_is_there() {
        let mut files = FileLinks::default();
        let failed = record(Outcome::Failed(FailureKind::Dns), false);
        observe(&mut files, "http://a.example/#.jpg", 9, &failed);
        assert_eq!(
            files.of(&url("http://a.example/x.jpg")),
            Some(FileLink::Unknown)
        );
        observe(
            &mut files,
            "http://a.example/#.jpg",
            3,
            &record(Outcome::Redirected, false),
        );
        assert_eq!(files.of(&url("http://a.example/x.jpg")), file(false, false));
    }
}

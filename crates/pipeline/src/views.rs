//! The archive and its views, opened and brought up to date.
//!
//! Every view keeps, with its data, the journal position it has applied. On start the journal is
//! replayed: each record goes to the views that do not have it yet. Replay applies what was
//! recorded and computes nothing anew, so a view that was lost, damaged or of an older form is
//! simply one that has applied nothing. There is no recovery mode: resume is start.

use std::sync::Arc;
use std::time::Instant;

use archive::{
    Archive, ArchiveConfig, Bodies, Event, PageRecord, Position, Record, Replayed, SeedRecord,
};
use frontier::{CanonicalUrl, Frontier, FrontierUrl, HostKey, Scope};
use index::PageIndex;
use simhash::{IndexConfig, Memory, TableIndex, Tables};

use crate::config::{BodiesName, CrawlConfig, MemoryName};
use crate::context::{Kind, UrlContext};
use crate::convert;
use crate::counts::Counts;
use crate::dir::CrawlDir;
use crate::error::CrawlError;
use crate::examples::Examples;
use crate::focus_view::FocusView;
use crate::foresight::Foresight;
use crate::kept::{KeptPage, KeptPages};
use crate::publish::Publication;
use crate::setup;
use crate::template_view::TemplateView;

/// Documents added to the search index between two commits while it is rebuilt.
const REBUILD_COMMIT: usize = 5_000;

/// Records after which the frontier's and the tables' progress is stored while they are rebuilt.
const REBUILD_APPLY: usize = 2_000;

/// The archive and its views.
pub struct Views {
    /// The truth.
    pub archive: Archive,
    /// Which URL next.
    pub frontier: Frontier,
    /// What was seen before.
    pub fingerprints: TableIndex,
    /// Full-text search.
    pub index: PageIndex,
    /// Where to go.
    pub scope: Scope,
    /// Kept pages.
    pub kept: KeptPages,
    /// What hosts repeat on their pages.
    pub templates: TemplateView,
    /// Topic and link model; `None` for a crawl without a topic.
    pub focus: Option<FocusView>,
    /// What is not worth a request.
    pub foresight: Foresight,
    /// Counters over all starts.
    pub counts: Counts,
    /// Number of the last record.
    pub seq: u64,
    /// Seeds of all starts.
    pub seeds: Vec<SeedRecord>,
    /// Example pages of the topic.
    pub examples: Examples,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// The tables' settings.
pub fn index_config(config: &CrawlConfig) -> IndexConfig {
    IndexConfig {
        k: config.dedup.k,
        reach: config.dedup.reach,
        overlap: config.dedup.overlap,
        tables: match config.dedup.tables {
            10 => Tables::Ten,
            16 => Tables::Sixteen,
            _ => Tables::Four,
        },
        memory: match config.dedup.memory {
            MemoryName::Ram => Memory::Ram,
            MemoryName::Disk => Memory::Disk,
        },
        ..IndexConfig::default()
    }
}

impl Views {
    /// Opens a crawl's archive and views, and brings the views up to the archive.
    ///
    /// # Errors
    /// When the archive cannot be read, or a view cannot be written.
    pub fn open(dir: &CrawlDir, config: &Arc<CrawlConfig>) -> Result<Self, CrawlError> {
        let mut notes = Vec::new();
        let (archive, recovery) = Archive::open(
            &dir.archive(),
            ArchiveConfig {
                bodies: match config.archive.bodies {
                    BodiesName::All => Bodies::All,
                    BodiesName::Kept => Bodies::Kept,
                    BodiesName::None => Bodies::None,
                },
                file_bytes_max: config.archive.file_size.0,
                ..ArchiveConfig::default()
            },
        )?;
        notes.extend(recovery.cut.iter().map(|cut| format!("archive: {cut}")));
        let fresh = archive.last_seq() == 0;
        let end = archive::end(&dir.archive())?.0;
        let open_frontier = || {
            let config = setup::frontier_config(config);
            Frontier::open(&dir.frontier(), config, Instant::now())
        };
        let (mut frontier, mut frontier_opened) = open_frontier()?;
        if frontier_opened.position > end {
            drop(frontier);
            set_aside(&dir.frontier(), "frontier", &mut notes)?;
            (frontier, frontier_opened) = open_frontier()?;
        }
        let open_tables = || TableIndex::open(&dir.fingerprints(), &index_config(config));
        let (mut fingerprints, mut tables_opened) = open_tables()?;
        if tables_opened.position > end {
            drop(fingerprints);
            set_aside(&dir.fingerprints(), "fingerprints", &mut notes)?;
            (fingerprints, tables_opened) = open_tables()?;
        }
        let (mut index, mut index_opened) = PageIndex::open(&dir.index())?;
        if index_opened.position > end {
            drop(index);
            set_aside(&dir.index(), "search index", &mut notes)?;
            (index, index_opened) = PageIndex::open(&dir.index())?;
        }
        let reached = Reached {
            frontier: frontier_opened.position,
            tables: tables_opened.position,
            index: index_opened.position,
        };
        for (view, why) in [
            ("frontier", frontier_opened.rebuilt_because),
            ("fingerprints", tables_opened.rebuilt_because),
            ("search index", index_opened.rebuilt_because),
        ] {
            if let Some(why) = why {
                notes.push(format!("{view}: rebuilt from the archive, because {why}"));
            }
        }
        for (view, position) in [
            ("frontier", reached.frontier),
            ("fingerprints", reached.tables),
            ("search index", reached.index),
        ] {
            let told = notes.iter().any(|note: &String| note.starts_with(view));
            if position == 0 && !fresh && !told {
                notes.push(format!("{view}: rebuilt from the archive"));
            }
        }
        let mut views = Self {
            archive,
            frontier,
            fingerprints,
            index,
            scope: Scope::new(&setup::scope_config(config))
                .map_err(|error| CrawlError::Setup(error.to_string()))?,
            kept: KeptPages::default(),
            templates: TemplateView::default(),
            focus: setup::focus_config(config)?
                .as_ref()
                .map(FocusView::new)
                .transpose()?,
            foresight: Foresight::new(config.crawl.random_seed, config.topic.is_some()),
            counts: Counts::default(),
            seq: 0,
            seeds: Vec::new(),
            examples: Examples::default(),
            notes,
        };
        views.replay(dir, config, &reached)?;
        if let Some(focus) = &mut views.focus {
            focus.rescore(&mut views.frontier);
        }
        Ok(views)
    }

    fn replay(
        &mut self,
        dir: &CrawlDir,
        config: &CrawlConfig,
        reached: &Reached,
    ) -> Result<(), CrawlError> {
        let (mut unstored, mut unindexed, mut position) = (0, 0, 0);
        for replayed in archive::replay(&dir.archive(), Position::START)? {
            let (record, next) = match replayed? {
                Replayed::Record { record, position } => (record, position.0),
                Replayed::Damage(damage) => {
                    self.notes.push(format!("archive: {damage}"));
                    continue;
                }
            };
            position = next;
            self.seq = self.seq.max(record.seq);
            self.counts.replay(&record);
            self.apply(&record, next, reached, config, dir)?;
            unstored += usize::from(next > reached.frontier || next > reached.tables);
            if unstored >= REBUILD_APPLY {
                self.frontier.apply(next.max(reached.frontier))?;
                self.fingerprints.apply(next.max(reached.tables))?;
                unstored = 0;
            }
            unindexed += usize::from(next > reached.index);
            if unindexed >= REBUILD_COMMIT {
                self.index.commit(next)?;
                unindexed = 0;
            }
        }
        if unstored > 0 {
            self.frontier.apply(position.max(reached.frontier))?;
            self.fingerprints.apply(position.max(reached.tables))?;
        }
        if unindexed > 0 {
            self.index.commit(position)?;
        }
        Ok(())
    }

    /// Gives a record to the views that do not have it.
    fn apply(
        &mut self,
        record: &Record,
        position: u64,
        reached: &Reached,
        config: &CrawlConfig,
        dir: &CrawlDir,
    ) -> Result<(), CrawlError> {
        let for_frontier = position > reached.frontier;
        match &record.event {
            Event::Seed(seed) => {
                self.foresight.on_seed(&seed.url);
                match seed.example {
                    Some(on_topic) => {
                        self.scope.add_example();
                        self.examples.add(&seed.url, on_topic);
                    }
                    None => self.scope.add_seed(&setup::seed_url(seed)?),
                }
                if let Some(pages) = seed.pages {
                    self.frontier.set_seed_budget(seed.seed, pages);
                }
                if let Ok(url) = CanonicalUrl::parse(&seed.url) {
                    self.kept.note_host(&url.host(), seed.seed);
                    if for_frontier && seed.fate.is_empty() {
                        let context = if seed.sitemap {
                            UrlContext::sitemap()
                        } else {
                            UrlContext::page()
                        };
                        self.admit(url, 0, seed.seed, None, seed.priority, &context);
                    }
                }
                self.seeds.push(seed.clone());
            }
            Event::Robots(robots) => {
                let host = HostKey::from_record(&robots.host);
                self.replay_sitemaps(&host, &robots.sitemaps, config, for_frontier);
            }
            Event::Sitemap(sitemap) => {
                let is_index = sitemap.kind == "index";
                for url in &sitemap.urls {
                    let Ok(url) = CanonicalUrl::parse(url) else {
                        continue;
                    };
                    let mut context = UrlContext::page();
                    let mut priority = convert::priority_of_seed(&self.seeds, sitemap.seed);
                    if is_index {
                        context = UrlContext::sitemap();
                    } else if let Some(focus) = &mut self.focus {
                        (context.features, priority) = focus.promise_of_url(&url);
                    }
                    self.kept.note_host(&url.host(), sitemap.seed);
                    if is_index {
                        self.kept.count_sitemap(&url);
                    }
                    if for_frontier {
                        let depth = u32::from(!is_index);
                        self.admit(url, depth, sitemap.seed, None, priority, &context);
                    }
                }
                if for_frontier {
                    self.finish(&sitemap.url);
                }
            }
            Event::Page(page) => {
                if config.dedup.host_templates {
                    self.templates.replay(page);
                }
                self.apply_page(record, page, position, reached, dir)?;
            }
            Event::Retry(retry) => {
                self.foresight.on_put_back(retry);
                if for_frontier {
                    for url in crate::retry::queued(retry) {
                        self.frontier.reopen(url);
                    }
                }
            }
            Event::Attempt(attempt) => {
                if for_frontier && let Ok(url) = CanonicalUrl::parse(&attempt.url) {
                    self.frontier
                        .replay_attempt(&url, attempt.attempt, attempt.retry_at_ms);
                }
            }
            Event::Stop(stop) => {
                if let Some(focus) = &mut self.focus {
                    focus.on_stopped(&stop.reason);
                }
            }
            Event::Start(_) => {}
        }
        Ok(())
    }

    fn apply_page(
        &mut self,
        record: &Record,
        page: &PageRecord,
        position: u64,
        reached: &Reached,
        dir: &CrawlDir,
    ) -> Result<(), CrawlError> {
        let for_frontier = position > reached.frontier;
        if page.outcome == "redirected" && page.depth == 0 {
            for link in &page.links {
                if let Ok(target) = CanonicalUrl::parse(&link.url) {
                    self.scope.extend(page.seed, &target);
                }
            }
        }
        if let (Ok(url), Some(_)) = (CanonicalUrl::parse(&page.url), &page.page) {
            // What the trap rules have learnt is not stored: they see every record again.
            if let Some(gave) = crate::convert::gave(page) {
                let original = crate::convert::original_of(page);
                self.frontier
                    .observe(&url, record.seq, gave, original.as_ref());
            }
        }
        for link in page.links.iter().filter(|link| link.fate == "new") {
            let Ok(url) = CanonicalUrl::parse(&link.url) else {
                continue;
            };
            self.kept.note_host(&url.host(), page.seed);
            let is_redirect = link.rel == "redirect";
            let via = if is_redirect {
                page.via
            } else {
                Some(record.seq)
            };
            self.frontier.observe_link(&url, via);
            if for_frontier {
                let context = UrlContext {
                    kind: Kind::Page,
                    hops: page.hops + u8::from(is_redirect),
                    features: crate::focus_view::decode(&link.context),
                };
                let context = if is_redirect {
                    context
                } else {
                    UrlContext { hops: 0, ..context }
                };
                let depth = page.depth + u32::from(!is_redirect);
                self.admit(url, depth, page.seed, via, link.promise, &context);
            }
        }
        if for_frontier {
            self.finish(&page.url);
        }
        let text = || -> Option<String> {
            page.text
                .as_ref()
                .and_then(|text| archive::read_text(&dir.archive(), text).ok())
        };
        self.examples.follow(page);
        if let Some(focus) = &mut self.focus {
            focus.replay(record.seq, page, &self.examples, text);
        }
        self.replay_links(record.seq, page);
        self.foresight.on_page(page, &self.frontier.spelling());
        if let Some(focus) = &self.focus {
            self.foresight
                .set_stopped(&page.host, focus.stop_host(&page.host));
        }
        let Some(summary) = page
            .page
            .as_ref()
            .filter(|_| page.verdict.as_deref() == Some("indexed"))
        else {
            return Ok(());
        };
        let replaced = page.replaces.and_then(|old| self.kept.remove(old));
        if position > reached.tables {
            if let Some(old) = page.replaces
                && let Some(print) = self.fingerprints.get(old)
            {
                self.fingerprints.remove(old, &print);
            }
            match convert::print_of(summary) {
                Some(print) => self.fingerprints.insert(record.seq, &print),
                None => self.notes.push(format!(
                    "record {}: its fingerprint cannot be read",
                    record.seq
                )),
            }
        }
        if position > reached.index {
            if let Some(old) = &replaced {
                self.index.delete(&old.url);
            }
            let text = text().unwrap_or_default();
            let words = segment::Segmenter::shared().words(&text);
            if let Publication::Add(mut document) =
                Publication::add(record.seq, record.at_ms, page, words)
            {
                document.text = text;
                self.index.add(&document.document())?;
            }
        }
        self.kept
            .insert(record.seq, KeptPage::of(&page.url, summary));
        Ok(())
    }

    /// Tells the focus model and the frontier again what links add to URLs known already: the
    /// frontier stores a pending URL as its first link had it.
    fn replay_links(&mut self, seq: u64, page: &PageRecord) {
        let Some(focus) = &mut self.focus else { return };
        let mut promises = Vec::new();
        for link in page.links.iter().filter(|link| link.rel != "redirect") {
            let Ok(target) = CanonicalUrl::parse(&link.url) else {
                continue;
            };
            match link.fate.as_str() {
                "new" => promises.push(link.promise),
                "seen" if link.url == page.url => {}
                "seen" if !self.frontier.takes_more(&target) => focus.observe_link(seq, &target),
                "seen" => {
                    let again = focus.replay_link(seq, link, &target);
                    self.frontier.merge(&target, |url| {
                        if let Some((context, _)) = focus.merged(&url.context, &again) {
                            url.context = context;
                        }
                    });
                }
                _ => {}
            }
        }
        focus.on_links(seq, &promises);
    }

    /// Offers a host's sitemaps as the writer did.
    fn replay_sitemaps(
        &mut self,
        host: &HostKey,
        sitemaps: &[String],
        config: &CrawlConfig,
        admit: bool,
    ) {
        if config.scope.sitemaps == Some(false) {
            return;
        }
        let Some(seed) = self.kept.seed_of_host(host) else {
            return;
        };
        let priority = convert::priority_of_seed(&self.seeds, seed);
        for url in sitemaps
            .iter()
            .filter_map(|url| CanonicalUrl::parse(url).ok())
        {
            if self.kept.sitemaps_of_host(&url.host()) >= config.limits.sitemaps_per_host
                || self.scope.check(&url, 0, seed).is_err()
            {
                continue;
            }
            self.kept.count_sitemap(&url);
            if admit {
                self.admit(url, 0, seed, None, priority, &UrlContext::sitemap());
            }
        }
    }

    fn admit(
        &mut self,
        url: CanonicalUrl,
        depth: u32,
        seed: u32,
        via: Option<u64>,
        priority: f32,
        context: &UrlContext,
    ) {
        let context = context.to_bytes();
        self.frontier.replay_admitted(FrontierUrl {
            url,
            depth,
            seed,
            via,
            priority,
            context,
        });
    }

    fn finish(&mut self, url: &str) {
        if let Ok(url) = CanonicalUrl::parse(url) {
            self.frontier.replay_finished(&url);
        }
    }
}

/// Throws a view away that knows more than the archive: it follows from records that are gone, as
/// when the archive was restored from a backup.
fn set_aside(
    view: &std::path::Path,
    name: &str,
    notes: &mut Vec<String>,
) -> Result<(), CrawlError> {
    std::fs::remove_dir_all(view).map_err(|source| CrawlError::Directory {
        what: format!("remove {}", view.display()),
        source,
    })?;
    notes.push(format!(
        "{name}: rebuilt from the archive, because it was ahead of it (was the archive restored from a backup?)"
    ));
    Ok(())
}

/// How far each view had come when it was opened.
struct Reached {
    frontier: u64,
    tables: u64,
    index: u64,
}

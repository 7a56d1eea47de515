//! The crawls that are served, and the thread that follows them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant};

use index::{IndexError, Searcher};
use pipeline::{CrawlDir, Onlooker};
use report::CrawlReport;
use tokio::sync::watch;

use crate::audit::Book;
use crate::follow::Follower;
use crate::live::{self, Asked, Status};

/// How old figures may be that a request is answered with.
pub(crate) const AGE_MAX: Duration = Duration::from_millis(300);

/// How often watched crawls are looked at.
const LOOK: Duration = Duration::from_secs(1);

/// How often crawls are looked at that nobody watches, so that a visit finds them read.
const LOOK_IDLE: Duration = Duration::from_secs(10);

/// Crawls that one server shows.
pub const CRAWLS_MAX: usize = 64;

/// One crawl.
#[derive(Debug)]
pub(crate) struct Served {
    /// Its name in URLs.
    pub(crate) id: String,
    pub(crate) follower: Follower,
    pub(crate) audit: Book,
    asked: RwLock<Asked>,
    searcher: Mutex<Option<(u64, Arc<Searcher>)>>,
    /// What watchers are told, as JSON.
    told: watch::Sender<Arc<str>>,
    /// Watchers of this crawl.
    pub(crate) watchers: Arc<AtomicUsize>,
    /// Only one story is told at a time: it reads the journal from its beginning.
    pub(crate) telling: Mutex<()>,
    /// Somebody has just come to watch, and is to be told what the crawl does now.
    pub(crate) is_awaited: AtomicBool,
    idle_look: Mutex<Option<Instant>>,
}

/// All crawls of a server.
#[derive(Debug)]
pub(crate) struct Crawls {
    pub(crate) all: Vec<Arc<Served>>,
    by_id: HashMap<String, usize>,
}

impl Served {
    fn new(id: String, dir: CrawlDir, onlooker: Option<Onlooker>) -> Self {
        Self {
            id,
            audit: Book::new(dir.audit()),
            follower: Follower::new(dir, onlooker),
            asked: RwLock::default(),
            searcher: Mutex::default(),
            told: watch::Sender::new(Arc::from("")),
            watchers: Arc::default(),
            telling: Mutex::default(),
            is_awaited: AtomicBool::new(false),
            idle_look: Mutex::default(),
        }
    }

    /// The directory's last name, for people.
    pub(crate) fn name(&self) -> String {
        let root = self.follower.dir().root();
        let name = root.file_name().map(|name| name.to_string_lossy());
        name.map_or_else(|| root.display().to_string(), std::borrow::Cow::into_owned)
    }

    /// What the crawl does, no older than [`AGE_MAX`].
    pub(crate) fn status(&self) -> Status {
        self.look(AGE_MAX);
        let asked = self
            .asked
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        live::status(&self.follower, &asked)
    }

    /// Whether a crawl answers for the directory.
    pub(crate) fn is_running(&self) -> bool {
        self.look(AGE_MAX);
        let asked = self.asked.read().unwrap_or_else(PoisonError::into_inner);
        asked.is_running()
    }

    /// The report, with what people said of its decisions.
    pub(crate) fn report(&self) -> CrawlReport {
        // Marks that cannot be read are told where they are asked for.
        let audit = self.audit.read().ok().and_then(|(_, audit)| audit.told());
        CrawlReport {
            audit,
            ..self.follower.report_whole()
        }
    }

    fn look(&self, age_max: Duration) {
        self.follower.catch_up(age_max);
        let asked = self
            .asked
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let asked = asked.again(&self.follower, age_max);
        *self.asked.write().unwrap_or_else(PoisonError::into_inner) = asked;
    }

    /// Forgets what the crawl answered last: it has been told something since.
    pub(crate) fn was_told(&self) {
        *self.asked.write().unwrap_or_else(PoisonError::into_inner) = Asked::default();
    }

    /// What watchers are told from now on.
    pub(crate) fn subscribe(&self) -> watch::Receiver<Arc<str>> {
        self.told.subscribe()
    }

    /// Tells watchers, if anything is new.
    pub(crate) fn tell(&self) {
        self.look(AGE_MAX);
        let asked = self
            .asked
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let status = live::status(&self.follower, &asked);
        let status = serde_json::to_string(&status).expect("a status is plain data");
        self.told.send_if_modified(|told| {
            let is_new = **told != *status;
            if is_new {
                *told = Arc::from(status);
            }
            is_new
        });
    }

    /// Tells watchers how the crawl ended, now that it has.
    pub(crate) fn tell_last(&self) {
        self.was_told();
        if self.watchers.load(Ordering::SeqCst) > 0 {
            self.look(Duration::ZERO);
            self.tell();
        }
    }

    /// Tells watchers; where nobody watches, reads on now and then.
    fn look_at(&self) {
        let idle_look = self.idle_look.lock();
        let mut idle_look = idle_look.unwrap_or_else(PoisonError::into_inner);
        if self.watchers.load(Ordering::SeqCst) > 0 {
            self.tell();
        } else if idle_look.is_none_or(|at| at.elapsed() >= LOOK_IDLE) {
            self.follower.catch_up(AGE_MAX);
            *idle_look = Some(Instant::now());
        } else {
            self.follower.keep_up();
        }
    }

    /// The search index as of its writer's last commit.
    pub(crate) fn searcher(&self) -> Result<Arc<Searcher>, IndexError> {
        let dir = self.follower.dir().index();
        let inode = std::fs::metadata(&dir).map_or(0, |about| {
            use std::os::unix::fs::MetadataExt;
            about.ino()
        });
        let mut known = self.searcher.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, searcher)) = known.as_ref()
            && *of == inode
            && searcher.reload().is_ok()
        {
            return Ok(Arc::clone(searcher));
        }
        let searcher = Arc::new(Searcher::open(&dir)?);
        *known = Some((inode, Arc::clone(&searcher)));
        Ok(searcher)
    }
}

impl Crawls {
    /// The crawls in these directories, each under its directory's name. A crawl in the first of them hands
    /// its records to the onlooker.
    pub(crate) fn new(dirs: Vec<CrawlDir>, mut onlooker: Option<Onlooker>) -> Self {
        let mut by_id = HashMap::new();
        let mut all = Vec::new();
        for (at, dir) in dirs.into_iter().take(CRAWLS_MAX).enumerate() {
            let name: PathBuf = dir.root().components().collect();
            let name = name
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            let mut id: String = name
                .unwrap_or_default()
                .chars()
                .map(|c| {
                    if c.is_alphanumeric() || matches!(c, '-' | '_') {
                        c
                    } else {
                        '-'
                    }
                })
                .take(40)
                .collect();
            if id.is_empty() {
                id.push_str("crawl");
            }
            let mut number = at + 1;
            let first = id.clone();
            while by_id.contains_key(&id) {
                id = format!("{first}-{number}");
                number += 1;
            }
            by_id.insert(id.clone(), all.len());
            all.push(Arc::new(Served::new(id, dir, onlooker.take())));
        }
        Self { all, by_id }
    }

    /// Tells all watchers how things stand before nobody is there to tell.
    pub(crate) fn tell_last(&self) {
        self.all.iter().for_each(|crawl| crawl.tell_last());
    }

    /// A crawl by its name in URLs.
    pub(crate) fn get(&self, id: &str) -> Option<&Arc<Served>> {
        self.by_id.get(id).and_then(|at| self.all.get(*at))
    }

    /// Whether every crawl was read to its end once.
    pub(crate) fn are_ready(&self) -> bool {
        self.all.iter().all(|crawl| crawl.follower.is_ready())
    }
}

/// Follows the crawls until they are dropped or `ended` is set. Crawls that somebody watches are
/// looked at each second. In between it is woken to take what a crawl hands over.
pub(crate) fn follow(crawls: &Weak<Crawls>, ended: &AtomicBool) {
    let mut next_look = Instant::now();
    while !ended.load(Ordering::SeqCst) {
        let Some(crawls) = crawls.upgrade() else {
            return;
        };
        let is_look = Instant::now() >= next_look;
        if is_look {
            next_look = Instant::now() + LOOK;
        }
        for crawl in &crawls.all {
            if ended.load(Ordering::SeqCst) {
                return;
            }
            let is_awaited = crawl.is_awaited.swap(false, Ordering::SeqCst);
            match is_look || is_awaited {
                true => crawl.look_at(),
                false => crawl.follower.keep_up(),
            }
        }
        drop(crawls);
        std::thread::park_timeout(next_look.saturating_duration_since(Instant::now()));
    }
}

/// Counts broken links until the crawls are dropped or `ended` is set: apart from the thread that
/// follows, since a pass over a long journal takes a while.
pub(crate) fn count(crawls: &Weak<Crawls>, ended: &AtomicBool) {
    while !ended.load(Ordering::SeqCst) {
        let Some(crawls) = crawls.upgrade() else {
            return;
        };
        for crawl in &crawls.all {
            if crawl.follower.is_ready() && !ended.load(Ordering::SeqCst) {
                crawl.follower.count_broken();
            }
        }
        drop(crawls);
        std::thread::park_timeout(LOOK);
    }
}

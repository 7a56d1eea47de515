//! The running crawl's end of the control socket.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use archive::SeedRecord;
use state::reach::seed_url;

use crate::control::{REQUEST_BYTES_MAX, Reply, Request, SEEDS_MAX, SeedsTaken, address};
use crate::dir::CrawlDir;
use crate::error::CrawlError;
use crate::messages::ToWriter;
use crate::node;
use crate::progress::{Progress, Snapshot};
use crate::retry::{self, RetryFilter};
use crate::setup;
use crate::stop::StopHandle;

/// Conversations at once; a further one waits until one of them is over.
const TALKS_MAX: usize = 8;

/// How long a request may take to come in whole.
const REQUEST_TIME_MAX: Duration = Duration::from_secs(2);

/// Between two looks for somebody who calls.
const NAP: Duration = Duration::from_millis(50);

/// The state of a crawl that waits for its next run.
const WAITING: &str = "waiting";

/// The crawl's listener; it ends, and its name goes, when this is dropped.
#[derive(Debug)]
pub(crate) struct Control {
    desk: Arc<Desk>,
    path: PathBuf,
    /// Which file it bound: another process may have taken the name since.
    bound: FileId,
    thread: Option<JoinHandle<()>>,
}

/// Device and inode. No other file has them for as long as somebody listens.
type FileId = (u64, u64);

/// What conversations share.
#[derive(Debug)]
struct Desk {
    dir: CrawlDir,
    stop: StopHandle,
    progress: Mutex<Progress>,
    writer: Mutex<Option<SyncSender<ToWriter>>>,
    /// The crawl waits for its next run.
    is_between_runs: AtomicBool,
    talks: AtomicUsize,
    ended: AtomicBool,
}

impl Control {
    /// Listens in a directory that the caller has locked.
    ///
    /// # Errors
    /// When no socket can be made there: some file systems have none. The crawl can do without.
    pub(crate) fn open(dir: &CrawlDir, stop: StopHandle, progress: Progress) -> io::Result<Self> {
        // The lock is ours: whoever made it is gone.
        match std::fs::remove_file(dir.control()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let (path, _root) = address(dir)?;
        let listener = UnixListener::bind(&path)?;
        std::fs::set_permissions(dir.control(), std::fs::Permissions::from_mode(0o600))?;
        let bound = id(&std::fs::symlink_metadata(dir.control())?);
        listener.set_nonblocking(true)?;
        let desk = Arc::new(Desk {
            dir: dir.clone(),
            stop,
            progress: Mutex::new(progress),
            writer: Mutex::new(None),
            is_between_runs: AtomicBool::new(false),
            talks: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
        });
        let shared = Arc::clone(&desk);
        let thread = std::thread::Builder::new()
            .name("control".into())
            .spawn(move || listen(&listener, &shared))?;
        Ok(Self {
            desk,
            path: dir.control(),
            bound,
            thread: Some(thread),
        })
    }

    /// From now on there is a writer to put URLs back, or, with `None`, no longer.
    pub(crate) fn connect(&self, writer: Option<SyncSender<ToWriter>>) {
        *lock(&self.desk.writer) = writer;
    }

    /// The run is over: what it showed last is shown until the next one begins.
    pub(crate) fn rest(&self, mut last: Snapshot) {
        let state = match (self.desk.stop.is_stopping(), self.desk.stop.is_paused()) {
            (true, _) => "stopping",
            (false, true) => "paused",
            (false, false) => WAITING,
        };
        last.set_state(state);
        last.running_ms = self.desk.stop.running().as_millis() as u64;
        let progress = Progress::default();
        progress.update(|shown| *shown = last);
        self.desk.is_between_runs.store(true, Ordering::SeqCst);
        *lock(&self.desk.progress) = progress;
    }

    /// The next run begins in the same directory.
    pub(crate) fn go_on(&self, progress: Progress) {
        *lock(&self.desk.progress) = progress;
        self.desk.is_between_runs.store(false, Ordering::SeqCst);
    }

    /// Whether it is still this one whom callers reach: another process may have had the directory.
    pub(crate) fn is_reached(&self) -> bool {
        std::fs::symlink_metadata(&self.path).is_ok_and(|file| id(&file) == self.bound)
    }
}

fn id(file: &std::fs::Metadata) -> FileId {
    (file.dev(), file.ino())
}

fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Control {
    fn drop(&mut self) {
        // A name that stays behind is removed by the next start.
        if self.is_reached() {
            let _ = std::fs::remove_file(&self.path);
        }
        self.desk.ended.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            // It only listens: if it panicked, the crawl's result still counts.
            let _ = thread.join();
        }
    }
}

/// A conversation, counted until it is over, however it ends.
struct Talk<'a>(&'a AtomicUsize);

impl Drop for Talk<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn listen(listener: &UnixListener, desk: &Arc<Desk>) {
    while !desk.ended.load(Ordering::SeqCst) {
        // One caller too many waits outside until another one is done.
        let is_full = desk.talks.load(Ordering::SeqCst) >= TALKS_MAX;
        let Some((stream, _)) = (!is_full).then(|| listener.accept().ok()).flatten() else {
            std::thread::park_timeout(NAP);
            continue;
        };
        desk.talks.fetch_add(1, Ordering::SeqCst);
        let shared = Arc::clone(desk);
        let talk = std::thread::Builder::new()
            .name("talk".into())
            .spawn(move || {
                let _talk = Talk(&shared.talks);
                // Who hangs up early misses the answer.
                let _ = shared.talk(stream);
            });
        if talk.is_err() {
            desk.talks.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

impl Desk {
    fn talk(&self, mut stream: UnixStream) -> io::Result<()> {
        stream.set_nonblocking(false)?;
        stream.set_write_timeout(Some(REQUEST_TIME_MAX))?;
        let reply = match hear(&stream) {
            Ok(request) => self.answer(request),
            Err(why) => self.refuse(why),
        };
        let mut line = serde_json::to_vec(&reply)?;
        line.push(b'\n');
        stream.write_all(&line)
    }

    fn answer(&self, request: Request) -> Reply {
        let mut reply = Reply::default();
        match request {
            Request::Status => {}
            Request::Pause => {
                self.stop.set_paused(true);
                self.show_from(self.at_work(), "paused");
            }
            Request::Resume => {
                self.stop.set_paused(false);
                self.show_from("paused", self.at_work());
            }
            Request::Stop => {
                self.stop.stop();
                self.show_from(self.at_work(), "stopping");
                self.show_from("paused", "stopping");
            }
            Request::Retry(filter) => match self.retry(filter) {
                Ok(urls) => reply.urls = urls as u64,
                Err(why) => return self.refuse(why),
            },
            Request::AddSeeds { seeds } => match self.add_seeds(&seeds) {
                Ok(taken) => reply.seeds = taken,
                Err(why) => return self.refuse(why),
            },
            Request::Reload => match self.reload() {
                Ok(Ok(changes)) => reply.changes = changes,
                Ok(Err(mistakes)) => reply.mistakes = Some(mistakes),
                Err(why) => return self.refuse(why.to_owned()),
            },
        }
        reply.snapshot = self.snapshot();
        reply
    }

    fn snapshot(&self) -> Snapshot {
        lock(&self.progress).snapshot()
    }

    fn is_between_runs(&self) -> bool {
        self.is_between_runs.load(Ordering::SeqCst)
    }

    /// Shows a state at once that the dispatcher shows at its next look.
    fn show_from(&self, was: &str, is: &str) {
        lock(&self.progress).update(|shown| {
            if shown.state == was {
                shown.set_state(is);
            }
        });
    }

    /// The state of a crawl that was not asked for anything.
    fn at_work(&self) -> &'static str {
        if self.is_between_runs() {
            WAITING
        } else {
            "running"
        }
    }

    fn refuse(&self, why: String) -> Reply {
        Reply {
            error: Some(why),
            snapshot: self.snapshot(),
            ..Reply::default()
        }
    }

    fn retry(&self, filter: RetryFilter) -> Result<usize, String> {
        if self.is_between_runs() {
            return retry::retry_stopped(&self.dir, &filter).map_err(|error| match error {
                CrawlError::InUse(_) => away(),
                other => other.to_string(),
            });
        }
        let found = retry::candidates(&self.dir, &filter).map_err(|error| error.to_string())?;
        self.ask_writer(|answer| ToWriter::Reopen {
            found,
            filter,
            answer,
        })
    }

    /// Has seeds recorded that the crawl may have: it keeps the promises that it began with.
    fn add_seeds(&self, seeds: &[SeedRecord]) -> Result<SeedsTaken, String> {
        if self.is_between_runs() {
            return Err("the crawl waits for its next round: add the seeds once that runs".into());
        }
        if node::is_node(&self.dir) {
            return Err(
                "it is a node of a crawl on many machines, which goes on with the seeds \
                        that it was begun with"
                    .into(),
            );
        }
        if seeds.len() > SEEDS_MAX {
            return Err(format!("{SEEDS_MAX} seeds at a time at most"));
        }
        let config = config::file::kept(&self.dir.config()).map_err(|error| error.to_string())?;
        let urls = seeds.iter().map(|seed| seed.url.as_str());
        setup::check_contact(&config, urls).map_err(|error| error.to_string())?;
        let read = |seed: &SeedRecord| {
            seed_url(seed).map_err(|error| format!("seed {}: {error}", seed.url))
        };
        let seeds = seeds.iter().map(read).collect::<Result<_, _>>()?;
        self.ask_writer(|answer| ToWriter::AddSeeds { seeds, answer })
    }

    /// Has the settings read anew: how they differ, or what is wrong with them.
    fn reload(&self) -> Result<Result<Vec<String>, String>, &'static str> {
        if node::is_node(&self.dir) {
            return Err(
                "it is a node of a crawl on many machines: stop it, and start it with other settings",
            );
        }
        self.stop.reload().ok_or(
            "it was not started from a configuration: stop it, and start it with other settings",
        )
    }

    /// Has something done by the writer, and waits until it is recorded.
    fn ask_writer<T>(&self, message: impl FnOnce(SyncSender<T>) -> ToWriter) -> Result<T, String> {
        let writer = lock(&self.writer).clone();
        let (answer, answered) = sync_channel(1);
        let writer = writer.ok_or_else(away)?;
        writer.send(message(answer)).map_err(|_| away())?;
        answered.recv().map_err(|_| away())
    }
}

fn away() -> String {
    "the crawl is starting or stopping: ask again in a moment".to_owned()
}

/// Reads one line, within bounds of size and time.
fn hear(stream: &UnixStream) -> Result<Request, String> {
    let until = Instant::now() + REQUEST_TIME_MAX;
    let mut reader = BufReader::new(stream.take(REQUEST_BYTES_MAX));
    let mut line = Vec::new();
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let timed = stream.set_read_timeout(Some(left.max(Duration::from_millis(1))));
        let heard = timed
            .and_then(|()| reader.fill_buf())
            .map_err(|error| error.to_string())?;
        if heard.is_empty() {
            break;
        }
        let end = heard.iter().position(|&byte| byte == b'\n');
        let taken = end.map_or(heard.len(), |at| at + 1);
        line.extend_from_slice(&heard[..taken]);
        reader.consume(taken);
        if end.is_some() || left.is_zero() {
            break;
        }
    }
    serde_json::from_slice(&line)
        .map_err(|error| format!("no request that this version knows: {error}"))
}

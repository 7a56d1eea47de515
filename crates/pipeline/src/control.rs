//! How a running crawl is asked what it does, and told to pause, to go on, to stop, to try failed
//! URLs again, to take further seeds, or to read its settings anew: a Unix socket in its directory.
//!
//! A crawl of several runs, such as one that comes back all the time, keeps a [`Line`]: so it listens
//! between them as well, where no process has the lock. There `retry` is done as for a crawl that is
//! stopped.
//!
//! A conversation is one line of JSON each way, both bounded, within a few seconds. The lock on
//! the directory, not the socket, says who writes to the crawl: so a socket that a killed process
//! left behind is only a name that nobody answers to, and the next start removes it. Whoever may
//! write to the directory may talk to the crawl, nobody else: the socket is the owner's alone.
//!
//! A socket's path has 108 bytes at most on Linux, 104 elsewhere. For a longer one the directory
//! is opened and the socket is reached through its descriptor, by `/proc/self/fd/N/control.sock`.

pub(crate) mod server;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use archive::SeedRecord;
use frontier::SeedUrl;
use outcome::LinkFate;
use serde::{Deserialize, Serialize};

use crate::control::server::Control;
use crate::dir::CrawlDir;
use crate::onlooker::Onlooker;
use crate::progress::Snapshot;
use crate::retry::RetryFilter;
use crate::setup::seed_record;

/// Bytes of a socket's path that every system takes.
const PATH_BYTES_MAX: usize = 100;

/// Longest request: seeds, as many as [`SEEDS_MAX`], of which none is longer than a line of a list.
pub(crate) const REQUEST_BYTES_MAX: u64 = 1 << 20;

/// Seeds in one request at most.
pub const SEEDS_MAX: usize = 100;

/// Longest answer: a snapshot has at most 20 hosts and some 20 reasons.
const REPLY_BYTES_MAX: u64 = 1 << 20;

/// How long an answer may take. `retry` reads the journal first: a million records a minute.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(120);

/// By what a crawl that one process runs several times is reached all that time, between its runs too.
#[derive(Debug, Default)]
pub struct Line {
    control: Mutex<Option<Control>>,
    onlooker: Onlooker,
}

impl Line {
    /// Who is handed the records of all runs.
    pub fn onlooker(&self) -> &Onlooker {
        &self.onlooker
    }

    /// From now on nobody is answered, until a further run.
    pub fn close(&self) {
        *self.hold() = None;
    }

    /// Has it for one run.
    pub(crate) fn hold(&self) -> MutexGuard<'_, Option<Control>> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a running crawl can be asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Request {
    /// What are you doing?
    Status,
    /// Begin no new fetch until `Resume`.
    Pause,
    /// Go on.
    Resume,
    /// Finish what is under way and end.
    Stop,
    /// Put failed URLs back into the queue.
    Retry(RetryFilter),
    /// Take further seeds, at most [`SEEDS_MAX`].
    AddSeeds {
        /// The seeds, without numbers: the crawl numbers those that it does not know.
        seeds: Vec<SeedRecord>,
    },
    /// Read the settings that you were started with anew, and go on with them.
    Reload,
}

/// What became of the seeds of an `AddSeeds`; the four add up to those that were given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SeedsTaken {
    /// New, and in the queue.
    pub queued: u64,
    /// Seeds now, or seeds of which something else is said now; the crawl had their URLs already.
    pub seen: u64,
    /// Seeds before, of which the same is said.
    pub known: u64,
    /// Left out, by a budget of the crawl.
    pub left_out: u64,
}

impl SeedsTaken {
    /// Counts a seed that was recorded, by its fate.
    pub(crate) fn count(&mut self, fate: Option<&LinkFate>) {
        match fate {
            None => self.queued += 1,
            Some(fate) if *fate == LinkFate::Seen => self.seen += 1,
            Some(_) => self.left_out += 1,
        }
    }

    /// Counts one more answer in.
    pub fn add(&mut self, other: SeedsTaken) {
        self.queued += other.queued;
        self.seen += other.seen;
        self.known += other.known;
        self.left_out += other.left_out;
    }
}

/// Seeds as requests for [`ask`].
pub fn requests_for_seeds(seeds: &[SeedUrl]) -> impl Iterator<Item = Request> {
    seeds.chunks(SEEDS_MAX).map(|seeds| Request::AddSeeds {
        seeds: seeds.iter().map(|seed| seed_record(seed, 0)).collect(),
    })
}

/// The same for the lines of a seed list, named for whoever reads its problems.
///
/// # Errors
/// When a line is bad, with each bad line and its mend: none of the list is asked for.
pub fn requests_for_lines(name: &str, text: &str) -> Result<Vec<Request>, String> {
    let (seeds, problems) = frontier::parse_seeds(name, text.as_bytes());
    if problems.is_empty() {
        return Ok(requests_for_seeds(&seeds).collect());
    }
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    Err(problems.join("\n"))
}

/// What it answers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reply {
    /// Why it cannot do that.
    pub error: Option<String>,
    /// URLs put back, for `Retry`.
    pub urls: u64,
    /// What became of the seeds, for `AddSeeds`.
    pub seeds: SeedsTaken,
    /// How the settings differ, for `Reload`; none: the crawl goes on as it is.
    pub changes: Vec<String>,
    /// What is wrong with the settings, for `Reload`: the crawl goes on with those it has.
    pub mistakes: Option<String>,
    /// What it is doing now.
    pub snapshot: Snapshot,
}

/// A path by which the socket can be bound or reached; the file keeps a descriptor open.
pub(crate) fn address(dir: &CrawlDir) -> io::Result<(PathBuf, Option<File>)> {
    let path = dir.control();
    if path.as_os_str().as_bytes().len() <= PATH_BYTES_MAX {
        return Ok((path, None));
    }
    let root = File::open(dir.root())?;
    let name = path.file_name().expect("a socket has a name");
    let short = PathBuf::from(format!("/proc/self/fd/{}", root.as_raw_fd())).join(name);
    Ok((short, Some(root)))
}

/// Asks the crawl that runs in a directory; `None` when none listens there.
///
/// # Errors
/// When one listens and does not answer, or answers something else.
pub fn ask(dir: &CrawlDir, request: &Request) -> io::Result<Option<Reply>> {
    let (path, _root) = address(dir)?;
    let mut stream = match UnixStream::connect(&path) {
        Ok(stream) => stream,
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused
            ) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    stream.set_read_timeout(Some(ANSWER_TIME_MAX))?;
    stream.set_write_timeout(Some(ANSWER_TIME_MAX))?;
    let mut line = serde_json::to_vec(request)?;
    line.push(b'\n');
    let mut answer = Vec::new();
    let talk = stream
        .write_all(&line)
        .and_then(|()| BufReader::new(stream.take(REPLY_BYTES_MAX)).read_until(b'\n', &mut answer));
    match talk {
        // It ended between our question and its answer.
        Ok(0) => Ok(None),
        Ok(_) => Ok(Some(serde_json::from_slice(&answer)?)),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset
            ) =>
        {
            Ok(None)
        }
        // A socket's time-out is called "resource temporarily unavailable".
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
            ) =>
        {
            Err(late())
        }
        Err(error) => Err(error),
    }
}

/// What is said of a crawl that has a request, and no answer to it yet.
fn late() -> io::Error {
    let seconds = ANSWER_TIME_MAX.as_secs();
    let message = format!(
        "no answer within {seconds} s: the crawl has the request and may be busy with it still; look with `tamis status` before you ask again"
    );
    io::Error::new(io::ErrorKind::TimedOut, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;
    use crate::stop::StopHandle;

    fn begin(dir: &CrawlDir) -> (Control, StopHandle) {
        let stop = StopHandle::default();
        let progress = Progress::default();
        progress.update(|shown| shown.state = "running".into());
        let control = Control::open(dir, stop.clone(), progress).expect("it listens");
        (control, stop)
    }

    #[track_caller]
    fn state(dir: &CrawlDir) -> Option<String> {
        let reply = ask(dir, &Request::Status).expect("asked");
        reply.map(|reply| reply.snapshot.state)
    }

    #[test]
    fn nobody_answers_before_it_begins_and_after_it_ends() {
        let temp = tempfile::tempdir().expect("a directory");
        let dir = CrawlDir::new(temp.path());
        assert_eq!(state(&dir), None);
        let (control, _) = begin(&dir);
        assert_eq!(state(&dir).as_deref(), Some("running"));
        drop(control);
        assert_eq!(state(&dir), None);
        assert!(!dir.control().exists(), "the name is gone as well");
    }

    #[test]
    fn what_is_asked_for_is_done() {
        let temp = tempfile::tempdir().expect("a directory");
        let dir = CrawlDir::new(temp.path());
        let (_control, stop) = begin(&dir);
        for (request, paused, stopping) in [
            (Request::Pause, true, false),
            (Request::Resume, false, false),
            (Request::Stop, false, true),
        ] {
            let reply = ask(&dir, &request).expect("asked").expect("answered");
            assert_eq!(reply.error, None);
            assert_eq!((stop.is_paused(), stop.is_stopping()), (paused, stopping));
        }
        let retry = Request::Retry(RetryFilter::default());
        let reply = ask(&dir, &retry).expect("asked").expect("answered");
        let error = reply.error.expect("no writer is there yet");
        assert!(error.contains("starting or stopping"), "{error}");
    }

    #[test]
    fn seeds_are_taken_by_a_crawl_that_can_take_them_alone() {
        let temp = tempfile::tempdir().expect("a directory");
        let dir = CrawlDir::new(temp.path());
        let (_control, _) = begin(&dir);
        let asked = |list: &str| {
            let (seeds, _) = frontier::parse_seeds("list", list.as_bytes());
            let request = requests_for_seeds(&seeds).next().expect("seeds");
            let reply = ask(&dir, &request).expect("asked").expect("answered");
            reply.error.expect("there is no writer")
        };
        let error = asked("http://127.0.0.1/");
        assert!(error.contains("crawl.toml"), "{error}");
        let config = crate::CrawlConfig::default();
        crate::setup::write_config(&dir, &config).expect("written");
        // A crawl of one's own machine names nobody who can be asked, and so stays there.
        let error = asked("https://www.example.org/");
        assert!(error.contains("crawl needs a contact"), "{error}");
        let error = asked("http://127.0.0.1/");
        assert!(error.contains("starting or stopping"), "{error}");
    }

    #[test]
    fn as_many_seeds_as_one_request_may_have_fit_into_it_however_long() {
        let long = format!("http://a.test/{}", "%22".repeat(600));
        let lines: String = (0..=SEEDS_MAX).map(|n| format!("{long}{n}\n")).collect();
        let (seeds, problems) = frontier::parse_seeds("list", lines.as_bytes());
        assert_eq!((seeds.len(), problems.len()), (SEEDS_MAX + 1, 0));
        let requests: Vec<Request> = requests_for_seeds(&seeds).collect();
        assert_eq!(requests.len(), 2);
        assert_eq!(requests_for_lines("list", &lines), Ok(requests.clone()));
        let bad = requests_for_lines("list", &format!("{lines}nonsense\n"));
        assert!(bad.is_err_and(|why| why.contains("list:102")));
        for request in requests {
            let line = serde_json::to_vec(&request).expect("JSON");
            assert!((line.len() as u64) < REQUEST_BYTES_MAX, "{}", line.len());
        }
    }

    #[test]
    fn a_crawl_that_waits_for_its_next_run_is_asked_and_steered_as_one_that_runs() {
        // Nobody answered between two rounds: it could not be stopped, and looked as if it had ended.
        let temp = tempfile::tempdir().expect("a directory");
        let dir = CrawlDir::new(temp.path());
        drop(dir.lock().expect("the lock"));
        let (control, stop) = begin(&dir);
        control.rest(Snapshot {
            pages: 7,
            ..Snapshot::default()
        });
        let asked = |request: Request| ask(&dir, &request).expect("asked").expect("answered");
        let shown = asked(Request::Status).snapshot;
        assert_eq!((shown.state.as_str(), shown.pages), ("waiting", 7));
        assert_eq!(asked(Request::Pause).snapshot.state, "paused");
        assert_eq!(asked(Request::Resume).snapshot.state, "waiting");
        let retry = || Request::Retry(RetryFilter::default());
        assert_eq!(asked(retry()).urls, 0);
        let lock = dir.lock().expect("the lock");
        let error = asked(retry()).error.expect("a round begins");
        assert!(error.contains("ask again"), "{error}");
        let next = Progress::default();
        next.update(|shown| shown.state = "running".into());
        control.go_on(next);
        drop(lock);
        assert_eq!(state(&dir).as_deref(), Some("running"));
        control.rest(Snapshot::default());
        assert_eq!(asked(Request::Stop).snapshot.state, "stopping");
        assert!(stop.is_stopping());
        control.rest(Snapshot::default());
        assert_eq!(state(&dir).as_deref(), Some("stopping"));
        drop(control);
        assert_eq!(state(&dir), None);
    }

    #[test]
    fn a_name_that_another_process_has_taken_since_is_left_to_it() {
        let temp = tempfile::tempdir().expect("a directory");
        let dir = CrawlDir::new(temp.path());
        let (first, _) = begin(&dir);
        assert!(first.is_reached());
        let (second, _) = begin(&dir);
        assert!(!first.is_reached() && second.is_reached());
        drop(first);
        assert_eq!(state(&dir).as_deref(), Some("running"));
    }

    #[test]
    fn a_name_left_behind_is_taken_over() {
        let temp = tempfile::tempdir().expect("a directory");
        let dir = CrawlDir::new(temp.path());
        let left = std::os::unix::net::UnixListener::bind(dir.control()).expect("bound");
        drop(left);
        assert!(dir.control().exists());
        assert_eq!(state(&dir), None);
        let (_control, _) = begin(&dir);
        assert_eq!(state(&dir).as_deref(), Some("running"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_directory_with_a_long_path_is_reached_as_well() {
        let temp = tempfile::tempdir().expect("a directory");
        let deep = temp.path().join("d".repeat(90)).join("e".repeat(90));
        std::fs::create_dir_all(&deep).expect("made");
        let dir = CrawlDir::new(&deep);
        let (control, _) = begin(&dir);
        assert_eq!(state(&dir).as_deref(), Some("running"));
        drop(control);
        assert!(!dir.control().exists());
    }

    #[test]
    fn noise_and_endless_requests_are_answered_with_an_error_and_the_next_one_as_ever() {
        let temp = tempfile::tempdir().expect("a directory");
        let dir = CrawlDir::new(temp.path());
        let (_control, _) = begin(&dir);
        for noise in [
            &b"\xff\x00 nonsense\n"[..],
            &[b'a'; 20_000],
            b"{\"do\":\"dance\"}\n",
        ] {
            let mut stream = UnixStream::connect(dir.control()).expect("connected");
            // It may hang up before it has heard everything.
            let _ = stream.write_all(noise);
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let mut answer = String::new();
            if stream.read_to_string(&mut answer).is_ok() && !answer.is_empty() {
                assert!(answer.contains("\"error\":\""), "{answer}");
            }
        }
        assert_eq!(state(&dir).as_deref(), Some("running"));
    }
}

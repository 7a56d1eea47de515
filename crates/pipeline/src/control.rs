//! How a running crawl is asked what it does, and told to pause, to go on, to stop, or to try
//! failed URLs again: a Unix socket in its directory.
//!
//! A crawl that comes back all the time listens between its rounds as well, where no process has the
//! lock: there `retry` is done as for a crawl that is stopped.
//!
//! A conversation is one line of JSON each way, both bounded, within a few seconds. The lock on
//! the directory, not the socket, says who writes to the crawl: so a socket that a killed process
//! left behind is only a name that nobody answers to, and the next start removes it. Whoever may
//! write to the directory may talk to the crawl, nobody else: the socket is the owner's alone.
//!
//! A socket's path has 108 bytes at most on Linux, 104 elsewhere. For a longer one the directory
//! is opened and the socket is reached through its descriptor, by `/proc/self/fd/N/control.sock`.

pub(crate) mod server;

pub use server::BetweenRounds;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::dir::CrawlDir;
use crate::progress::Snapshot;
use crate::retry::RetryFilter;

/// Bytes of a socket's path that every system takes.
const PATH_BYTES_MAX: usize = 100;

/// Longest request: a filter with a host name.
pub(crate) const REQUEST_BYTES_MAX: u64 = 4 << 10;

/// Longest answer: a snapshot has at most 20 hosts and some 20 reasons.
const REPLY_BYTES_MAX: u64 = 1 << 20;

/// How long an answer may take. `retry` reads the journal first: a million records a minute.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(120);

/// What a running crawl can be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
}

/// What it answers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reply {
    /// Why it cannot do that.
    pub error: Option<String>,
    /// URLs put back, for `Retry`.
    pub urls: u64,
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
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::server::Control;
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
    fn a_crawl_that_waits_for_its_next_round_is_asked_and_steered_as_one_that_runs() {
        // Nobody answered between two rounds: it could not be stopped, and looked as if it had ended.
        let temp = tempfile::tempdir().expect("a directory");
        let dir = CrawlDir::new(temp.path());
        drop(dir.lock().expect("the lock"));
        let stop = StopHandle::default();
        let last = Snapshot {
            pages: 7,
            ..Snapshot::default()
        };
        let waits = BetweenRounds::open(&dir, &stop, last).expect("it listens");
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
        assert!(BetweenRounds::open(&dir, &stop, Snapshot::default()).is_err());
        drop(lock);
        assert_eq!(asked(Request::Stop).snapshot.state, "stopping");
        assert!(stop.is_stopping());
        drop(waits);
        assert_eq!(state(&dir), None);
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

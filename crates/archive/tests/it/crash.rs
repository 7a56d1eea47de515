//! A real `kill -9` while a child process appends.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{append, check_bodies, everything, open};

/// Run by the next test in a process of its own, which is then killed.
#[test]
fn child_that_appends_until_it_is_killed() {
    let Ok(dir) = std::env::var("ARCHIVE_TEST_CHILD_DIR") else {
        return;
    };
    let dir = Path::new(&dir);
    let (mut archive, _) = open(dir);
    let acknowledged = dir.join("../acknowledged");
    for seq in archive.last_seq() + 1.. {
        append(&mut archive, seq);
        if seq % 11 == 0 {
            archive.sync().unwrap();
            fs::write(dir.join("../next"), seq.to_string()).unwrap();
            fs::rename(dir.join("../next"), &acknowledged).unwrap();
        }
    }
}

#[test]
fn what_was_acknowledged_before_a_kill_is_there_after_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("archive");
    fs::create_dir(&path).unwrap();
    let reached = || -> u64 {
        let text = fs::read_to_string(dir.path().join("acknowledged")).unwrap_or_default();
        text.parse().unwrap_or(0)
    };
    for round in 0..8 {
        let before = reached();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash::child_that_appends_until_it_is_killed"])
            .env("ARCHIVE_TEST_CHILD_DIR", &path)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        while reached() < before + 30 * (round + 1) {
            assert_eq!(child.try_wait().unwrap(), None, "the child ended by itself");
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let acknowledged = reached();
        let (archive, recovery) = open(&path);
        assert!(archive.last_seq() >= acknowledged);
        assert!(recovery.damaged.is_empty(), "{:?}", recovery.damaged);
        let (records, damage) = everything(&path);
        assert_eq!(records, (1..=archive.last_seq()).collect::<Vec<u64>>());
        assert!(damage.is_empty());
        check_bodies(&path);
    }
}

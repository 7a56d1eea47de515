//! What a kill, a fault of the disk or an older version leaves.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use index::{Opened, PageIndex};

use crate::{page, search, written};

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.to_string_lossy().ends_with(".lock"))
        .collect();
    files.sort();
    files
}

#[test]
fn an_index_opens_at_its_last_commit() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index");
    let (mut index, opened) = PageIndex::open(&path).unwrap();
    assert_eq!(opened, Opened::default());
    index.add(&page("http://a.example/", "x", "kept")).unwrap();
    index.commit(41).unwrap();
    index.add(&page("http://b.example/", "x", "lost")).unwrap();
    drop(index);
    let (index, opened) = PageIndex::open(&path).unwrap();
    assert_eq!((opened.position, opened.rebuilt_because), (41, None));
    assert_eq!(index.doc_count().unwrap(), 1);
}

#[test]
fn an_index_has_one_writer() {
    let dir = tempfile::tempdir().unwrap();
    let _index = written(dir.path(), &[]);
    assert!(PageIndex::open(dir.path()).is_err());
}

#[test]
fn damage_to_any_file_is_noticed_and_the_index_begun_anew() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index");
    written(&path, &[page("http://a.example/", "x", "some words")])
        .close()
        .unwrap();
    let count = files(&path).len();
    assert!(count > 3);
    for number in 0..count {
        for kind in ["noise", "cut", "gone", "one bit"] {
            let _ = fs::remove_dir_all(&path);
            written(&path, &[page("http://a.example/", "x", "some words")])
                .close()
                .unwrap();
            let file = &files(&path)[number];
            let mut bytes = fs::read(file).unwrap();
            match kind {
                "noise" => bytes.iter_mut().enumerate().for_each(|(at, byte)| {
                    *byte = (at * 151 + 7) as u8;
                }),
                "cut" => bytes.truncate(bytes.len() / 2),
                "one bit" => {
                    let middle = bytes.len() / 2;
                    bytes[middle] ^= 4;
                }
                _ => bytes.clear(),
            }
            match kind {
                "gone" => fs::remove_file(file).unwrap(),
                _ => fs::write(file, &bytes).unwrap(),
            }
            let (index, opened) = PageIndex::open(&path).unwrap();
            let what = format!("{kind}: {}", file.display());
            if opened.rebuilt_because.is_some() {
                assert_eq!(
                    (opened.position, index.doc_count().unwrap()),
                    (0, 0),
                    "{what}"
                );
            } else {
                // A flipped bit in a file's footer or in meta.json may change nothing that counts,
                // and the list of managed files is only for clearing up.
                let managed = file.ends_with(".managed.json");
                assert!(kind == "one bit" || managed, "{what}");
                assert_eq!(
                    (opened.position, index.doc_count().unwrap()),
                    (7, 1),
                    "{what}"
                );
                assert_eq!(search(&path, "words").len(), 1, "{what}");
            }
        }
    }
}

#[test]
fn a_search_that_meets_noise_names_the_file_and_does_not_panic() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index");
    let texts: Vec<String> = (0..600)
        .map(|number| {
            format!(
                "some words of page {number}, {}",
                "words ".repeat(number % 7)
            )
        })
        .collect();
    let pages: Vec<_> = texts
        .iter()
        .map(|text| page("http://a.example/", "x", text))
        .collect();
    written(&path, &pages).close().unwrap();
    let is_postings = |file: &&PathBuf| file.extension().is_some_and(|end| end == "idx");
    let file = files(&path).iter().find(is_postings).unwrap().clone();
    let whole = fs::read(&file).unwrap();
    let mut named = 0;
    for noise in 0..64_usize {
        let mut bytes = whole.clone();
        // Its footer stays: the file is opened.
        let end = bytes.len() - 200;
        for (at, byte) in bytes[..end].iter_mut().enumerate() {
            *byte = (at * 151 + noise * 37 + at / 251) as u8;
        }
        fs::write(&file, &bytes).unwrap();
        let found = index::search(&path, "some words", 10, &index::Filters::default());
        let told = found
            .err()
            .map_or_else(String::new, |error| error.to_string());
        named += usize::from(told.contains(&*file.to_string_lossy()));
    }
    assert!(named > 0);
}

#[test]
fn an_index_of_another_form_is_set_aside() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index");
    written(&path, &[page("http://a.example/", "x", "words")])
        .close()
        .unwrap();
    let meta = path.join("meta.json");
    let text = fs::read_to_string(&meta).unwrap();
    fs::write(&meta, text.replace("scheme\\\":4", "scheme\\\":0")).unwrap();
    let (index, opened) = PageIndex::open(&path).unwrap();
    assert_eq!(opened.position, 0);
    let why = opened.rebuilt_because.unwrap();
    assert!(why.starts_with("the index was built by another version's words; "));
    assert_eq!(index.doc_count().unwrap(), 0);
    assert!(dir.path().join("index.set-aside-1/meta.json").exists());
}

#[test]
fn files_that_the_system_does_not_give_are_no_damage() {
    // A sound index was set aside and built again, which failed alike.
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index");
    written(&path, &[page("http://a.example/", "x", "some words")])
        .close()
        .unwrap();
    for file in files(&path) {
        let aside = dir.path().join("aside");
        fs::rename(&file, &aside).unwrap();
        // Whoever opens it gets ELOOP, also where no permission is missing to anybody.
        std::os::unix::fs::symlink(&file, &file).unwrap();
        let refused = PageIndex::open(&path).map(|_| ()).unwrap_err().to_string();
        assert!(
            refused.starts_with("open "),
            "{}: {refused}",
            file.display()
        );
        fs::remove_file(&file).unwrap();
        fs::rename(&aside, &file).unwrap();
    }
    let (index, opened) = PageIndex::open(&path).unwrap();
    assert_eq!((opened.position, opened.rebuilt_because), (7, None));
    assert_eq!(index.doc_count().unwrap(), 1);
}

/// Run by the next test in a process of its own, which is then killed.
#[test]
fn child_that_indexes_until_it_is_killed() {
    let Ok(dir) = std::env::var("INDEX_TEST_CHILD_DIR") else {
        return;
    };
    let dir = Path::new(&dir);
    let (mut index, opened) = PageIndex::open(dir).unwrap();
    for number in opened.position + 1.. {
        let url = format!("http://a.example/{number}");
        index
            .add(&page(&url, "number", "text of this page"))
            .unwrap();
        if number % 7 == 0 {
            index.commit(number).unwrap();
            fs::write(dir.join("../acknowledged"), number.to_string()).unwrap();
        }
    }
}

#[test]
fn after_a_kill_the_index_holds_what_its_position_says() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index");
    fs::create_dir(&path).unwrap();
    let acknowledged = dir.path().join("acknowledged");
    let mut before = 0;
    for _ in 0..3 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "damage::child_that_indexes_until_it_is_killed"])
            .env("INDEX_TEST_CHILD_DIR", &path)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let reached = || -> u64 {
            let text = fs::read_to_string(&acknowledged).unwrap_or_default();
            text.parse().unwrap_or(0)
        };
        while reached() < before + 14 {
            assert_eq!(child.try_wait().unwrap(), None, "the child ended by itself");
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let reached = reached();
        let (index, opened) = PageIndex::open(&path).unwrap();
        assert_eq!(opened.rebuilt_because, None);
        assert!(opened.position >= reached);
        assert_eq!(index.doc_count().unwrap(), opened.position);
        assert_eq!(search(&path, "number").len(), 10);
        before = opened.position;
    }
}

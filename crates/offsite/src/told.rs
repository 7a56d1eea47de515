//! What is said of the copies, for whoever looks: a small file in the crawl's directory.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

/// How the copies stand.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Told {
    /// Where they go.
    pub place: String,
    /// Files that are there.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Closed files that are not there yet.
    pub waiting: u64,
    /// Journal files up to this one are there with all bodies that they point at: nothing of them can be
    /// lost with this machine. 0 for none.
    pub safe_journal: u32,
    /// What is wrong, as long as something is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing: Option<String>,
    /// Since when, in milliseconds since the Unix epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing_since_ms: Option<u64>,
    /// Tries in vain since then.
    pub tries: u64,
}

impl Told {
    /// What a file says; none where there is none, or it is damaged.
    pub fn read(path: &Path) -> Option<Told> {
        let text = std::fs::read(path).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// The same in a sentence.
    pub fn words(&self) -> String {
        let there = match self.files {
            1 => "1 archive file is".to_owned(),
            files => format!("{files} archive files are"),
        };
        let mut words = format!("{there} copied to {}", self.place);
        if self.waiting > 0 {
            words.push_str(&format!(", {} waiting", self.waiting));
        }
        if self.safe_journal > 0 {
            words.push_str(&format!(
                "; nothing is lost with this machine up to {:05}.meta.warc.gz",
                self.safe_journal
            ));
        }
        if let Some(why) = &self.failing {
            words.push_str(&format!("; it fails, tries in vain {}: {why}", self.tries));
        }
        // The file could be anybody's, and this goes to a terminal.
        words.retain(|c| !c.is_control());
        words + "."
    }

    /// Takes the place of the file before.
    ///
    /// # Errors
    /// When the disk is full or fails.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let partial = path.with_extension("json.part");
        let mut file = File::create(&partial)?;
        file.write_all(&serde_json::to_vec_pretty(self).unwrap_or_default())?;
        drop(file);
        std::fs::rename(&partial, path)
    }
}

/// Up to which journal file nothing can be lost: it and those before it are stored, and so are all bodies
/// that were written until it was closed. `needs` gives for each closed journal file the last bodies file
/// of its time.
pub fn safe_journals(
    needs: &BTreeMap<u32, u32>,
    journals: &BTreeSet<u32>,
    bodies_missing: Option<u32>,
) -> u32 {
    let mut safe = 0;
    for (&journal, &bodies) in needs {
        let has_bodies = bodies_missing.is_none_or(|missing| missing > bodies);
        if journal != safe + 1 || !journals.contains(&journal) || !has_bodies {
            break;
        }
        safe = journal;
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_file_is_safe_with_all_before_it_and_its_bodies() {
        let needs = BTreeMap::from([(1, 2), (2, 2), (3, 5)]);
        let all = BTreeSet::from([1, 2, 3]);
        assert_eq!(safe_journals(&needs, &all, None), 3);
        assert_eq!(safe_journals(&needs, &all, Some(5)), 2);
        assert_eq!(safe_journals(&needs, &all, Some(3)), 2);
        assert_eq!(safe_journals(&needs, &all, Some(2)), 0);
        assert_eq!(safe_journals(&needs, &BTreeSet::from([1, 3]), None), 1);
        assert_eq!(safe_journals(&BTreeMap::new(), &all, None), 0);
    }

    #[test]
    fn what_is_told_is_read_again_and_damage_is_nothing() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("uploads.json");
        assert_eq!(Told::read(&path), None);
        let told = Told {
            place: "s3://b/p".into(),
            files: 3,
            failing: Some("no answer".into()),
            ..Told::default()
        };
        told.write(&path).expect("is written");
        assert_eq!(Told::read(&path), Some(told));
        std::fs::write(&path, "{\"files\": ").expect("is written");
        assert_eq!(Told::read(&path), None);
    }
}

//! `[cluster]`: the ledger that the nodes of one crawl share.

use std::path::Path;

use crate::key::Fault;
use crate::rule::{any, between, tested};
use crate::section::{Looked, Section, keys};
use crate::units::Span;

keys! {
    /// The ledger that the nodes of one crawl share; leave out for a crawl on one machine.
    pub struct ClusterSection {
        /// Where the ledger is: a PostgreSQL database, without a password.
        store: String = String::new(), tested("postgres://USER@HOST/DATABASE", store)
            .zero("no ledger")
            .shown(without_password);

        /// The crawl's name in the store.
        crawl: String = String::new(), tested("letters, digits and _, at most 40", crawl)
            .zero("the configuration file's name");

        /// This node's name.
        node: String = String::new(), tested("plain ASCII, at most 128 characters", node)
            .zero("the host's name and the directory");

        /// A node that is silent this long is taken for dead.
        ttl: Span = Span::seconds(15), between(Span::seconds(5), Span::seconds(600));

        /// A file whose first line is the store's password, or with lines as PGPASSFILE has them; only
        /// its owner may read it. Without it PGPASSWORD and PGPASSFILE count.
        password_file: String = String::new(), any().zero("none");
    }
}

impl Section for ClusterSection {
    fn contradictions(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if without_password(&self.store) != self.store {
            // It points at the section: the line itself is not to be shown.
            faults.push(Fault::new(
                &[],
                "cluster.store holds a password".into(),
                "take it out, and set cluster.password_file, PGPASSWORD or PGPASSFILE",
            ));
        }
        faults
    }

    fn look(&self, base: &Path) -> Looked {
        let file = base.join(&self.password_file);
        let is_missing = !self.password_file.is_empty() && !file.is_file();
        let fault = || {
            Fault::new(
                &["password_file"],
                format!("there is no file {}", file.display()),
                "check the path, or leave it out and set PGPASSWORD or PGPASSFILE",
            )
        };
        Looked {
            faults: is_missing.then(fault).into_iter().collect(),
            ..Looked::default()
        }
    }

    fn paths(&mut self) -> Vec<&mut String> {
        match self.password_file.is_empty() {
            true => Vec::new(),
            false => vec![&mut self.password_file],
        }
    }
}

fn store(store: &str) -> Result<(), (String, String)> {
    let rest = ["postgres://", "postgresql://"]
        .iter()
        .find_map(|scheme| store.strip_prefix(scheme));
    let has_user = rest.is_some_and(|rest| rest.contains('@') && rest.contains('/'));
    if store.is_empty() || has_user {
        return Ok(());
    }
    Err((
        "is no URL of a store".into(),
        "write it as postgres://USER@HOST/DATABASE".into(),
    ))
}

fn crawl(name: &str) -> Result<(), (String, String)> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if name.len() <= 40 && name.bytes().all(is_part) {
        return Ok(());
    }
    Err((
        "is no name of a crawl".into(),
        "use letters, digits and '_' only, at most 40".into(),
    ))
}

fn node(name: &str) -> Result<(), (String, String)> {
    if name.len() <= 128 && name.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return Ok(());
    }
    Err((
        "is no name of a node".into(),
        "use plain ASCII, at most 128 characters".into(),
    ))
}

#[expect(clippy::ptr_arg, reason = "the key's type is String")]
fn without_password(store: &String) -> String {
    let mut text = store.clone();
    if let Some((scheme, rest)) = text.split_once("://") {
        let (before, query) = rest.split_once('?').unwrap_or((rest, ""));
        // As careful as it can be: everything up to the last @ is user and password.
        let plain = match before.rsplit_once('@') {
            Some((account, place)) => {
                let user = account.split(':').next().unwrap_or_default();
                format!("{scheme}://{user}@{place}")
            }
            None => format!("{scheme}://{before}"),
        };
        let mut pairs = query.split('&').filter(|pair| !pair.is_empty());
        let kept: Vec<&str> = pairs
            .by_ref()
            .filter(|pair| !pair.to_ascii_lowercase().starts_with("password"))
            .collect();
        text = match kept.is_empty() {
            true => plain,
            false => format!("{plain}?{}", kept.join("&")),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(store: &str) -> Vec<Fault> {
        let section = ClusterSection {
            store: store.into(),
            ..ClusterSection::default()
        };
        section.contradictions()
    }

    #[test]
    fn a_password_is_found_wherever_it_stands_and_not_shown() {
        for url in [
            "postgres://a:sesame@db.example/x",
            "postgres://a:se@same@db.example/x",
            "postgres://a@db.example/x?password=sesame",
            "postgres://a@db.example/x?sslmode=disable&PASSWORD=sesame",
        ] {
            let found = faults(url);
            assert_eq!(found.len(), 1, "{url}");
            assert!(found[0].message.contains("holds a password"), "{url}");
            assert!(found[0].keys.is_empty(), "the line would be shown");
            assert!(
                !without_password(&url.to_owned()).contains("sesame"),
                "{url}"
            );
        }
    }

    #[test]
    fn no_password_file_is_no_path() {
        // It was joined to the configuration's folder, and the folder was read as the file.
        assert!(ClusterSection::default().paths().is_empty());
        let mut section = ClusterSection {
            password_file: "secret".into(),
            ..ClusterSection::default()
        };
        assert_eq!(section.paths(), ["secret"]);
    }

    #[test]
    fn a_store_without_a_password_is_as_it_was_written() {
        for url in [
            "postgres://a@db.example/x",
            "postgresql://a@h1:5432,h2:5433/x?sslmode=verify-full&sslrootcert=ca.pem",
            "postgres://a@%2Frun%2Fpg/x",
        ] {
            assert_eq!(faults(url), [], "{url}");
            assert_eq!(store(url), Ok(()), "{url}");
        }
        assert_eq!(faults(""), []);
        assert!(store("mysql://a@b/c").is_err());
    }
}

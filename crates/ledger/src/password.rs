//! The store's password: from `PGPASSWORD`, `PGPASSFILE` or a file of its own, and nowhere else.
//!
//! The client knows one password for all hosts of a URL. A file with lines for several hosts must
//! therefore give all of them the same: where it does not, no host is sent another's.
//!
//! It is never printed: [`Password`] shows itself as dots, and no error holds what a file says.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::store_url::StoreUrl;

/// A longer file is none with passwords.
const FILE_MAX: u64 = 1 << 20;

/// Fields of a line of a `PGPASSFILE`.
const FIELDS: usize = 5;

/// A password.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

/// Why a password could not be read.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// The file cannot be read.
    #[error("cannot read the password from {path:?}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is too long, or no text.
    #[error("{0:?} is no file with a password")]
    NotOne(PathBuf),
    /// Others can read the file.
    #[error("{0:?} can be read by others: chmod 600")]
    Open(PathBuf),
    /// The file has a password for one host of the store, and another or none for another host.
    #[error(
        "{path:?} does not give {one} and {other} the same password: all hosts of a store are sent one; give it to both, or name one of them in the store's URL"
    )]
    Differ {
        /// The file.
        path: PathBuf,
        /// A host and its port.
        one: String,
        /// A host and its port, with another password or none.
        other: String,
    },
}

impl Password {
    /// The password itself.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// A password as it is, from a place that the caller answers for.
    pub fn new(text: impl Into<String>) -> Password {
        Password(text.into())
    }

    /// The first that is there: a file of its own, `PGPASSWORD`, `PGPASSFILE`. None is right
    /// where the server asks for none. A file of its own holds the password in its first line, or
    /// lines as `PGPASSFILE` has them.
    ///
    /// # Errors
    /// When a file that is named cannot be read, or others can read it; [`PasswordError::Differ`]
    /// when its lines give the hosts of the store different passwords.
    pub fn find(
        url: &StoreUrl,
        file: Option<&Path>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Password>, PasswordError> {
        if let Some(path) = file {
            let text = read(path)?;
            if has_passfile_lines(&text) {
                return in_passfile(path, &text, url);
            }
            let line = text.lines().next().unwrap_or_default();
            return Ok(Some(Password(line.to_owned())));
        }
        if let Some(password) = variable("PGPASSWORD").filter(|text| !text.is_empty()) {
            return Ok(Some(Password(password)));
        }
        match variable("PGPASSFILE").filter(|text| !text.is_empty()) {
            Some(path) => {
                let path = Path::new(&path);
                in_passfile(path, &read(path)?, url)
            }
            None => Ok(None),
        }
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(...)")
    }
}

fn read(path: &Path) -> Result<String, PasswordError> {
    let failed = |source| PasswordError::Read {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(failed)?;
    let facts = file.metadata().map_err(failed)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if facts.permissions().mode() & 0o077 != 0 {
            return Err(PasswordError::Open(path.to_owned()));
        }
    }
    if facts.len() > FILE_MAX {
        return Err(PasswordError::NotOne(path.to_owned()));
    }
    let mut text = String::new();
    match file.take(FILE_MAX).read_to_string(&mut text) {
        Ok(_) => Ok(text),
        Err(_) => Err(PasswordError::NotOne(path.to_owned())),
    }
}

/// Whether the first line is one of a `PGPASSFILE`: five fields, the second a port.
fn has_passfile_lines(text: &str) -> bool {
    let first = lines(text).next();
    first.is_some_and(|line| {
        let fields = fields(line);
        let is_port = |port: &str| port == "*" || port.parse::<u16>().is_ok();
        fields.len() == FIELDS && is_port(&fields[1])
    })
}

/// The password that a `PGPASSFILE` gives to all hosts of a store.
fn in_passfile(path: &Path, text: &str, url: &StoreUrl) -> Result<Option<Password>, PasswordError> {
    let places = url.places();
    let mut found = places
        .iter()
        .map(|place| (place, of_place(text, place, url)));
    let Some((first, password)) = found.next() else {
        return Ok(None);
    };
    match found.find(|(_, other)| *other != password) {
        None => Ok(password),
        Some((other, _)) => Err(PasswordError::Differ {
            path: path.to_owned(),
            one: format!("{}:{}", first.0, first.1),
            other: format!("{}:{}", other.0, other.1),
        }),
    }
}

/// The first line `host:port:database:user:password` that fits a host; `*` fits all, `\` stands
/// before a `:` or `\` that is meant as such.
fn of_place(text: &str, (host, port): &(String, u16), url: &StoreUrl) -> Option<Password> {
    let config = url.config();
    let port = port.to_string();
    let wanted = [
        host.as_str(),
        &port,
        config.get_dbname().unwrap_or_default(),
        config.get_user().unwrap_or_default(),
    ];
    lines(text).map(fields).find_map(|fields| {
        let [said @ .., password] = <[String; FIELDS]>::try_from(fields).ok()?;
        let fits = |(said, wanted): (&String, &&str)| said == "*" || said == wanted;
        let fitting = said.iter().zip(&wanted).all(fits);
        fitting.then_some(Password(password))
    })
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        let count = fields.len();
        let last = fields.last_mut().expect("there is always a field");
        match c {
            '\\' => last.extend(chars.next()),
            ':' if count < FIELDS => fields.push(String::new()),
            c => last.push(c),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url() -> StoreUrl {
        StoreUrl::parse("postgres://node@db.example:6000/crawls").unwrap()
    }

    #[cfg(unix)]
    fn file(text: &str, mode: u32) -> tempfile::NamedTempFile {
        use std::os::unix::fs::PermissionsExt;
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
        file
    }

    #[test]
    fn the_first_line_of_a_passfile_that_fits_counts() {
        let text =
            "# a comment\nother:6000:crawls:node:no\n*:6000:*:node:se\\:sa\\\\me\n*:*:*:*:late\n";
        let password = |text| in_passfile(Path::new("pass"), text, &url()).unwrap();
        assert_eq!(password(text), Some(Password::new("se:sa\\me")));
        assert_eq!(password("x:*:*:*:y\nshort"), None);
    }

    #[test]
    fn no_host_is_given_the_password_of_another() {
        let url = StoreUrl::parse("postgres://node@one:6000,two:6001/crawls").unwrap();
        let find = |text| in_passfile(Path::new("pass"), text, &url);
        let same = "one:6000:*:node:sesame\ntwo:6001:*:node:sesame\n";
        assert_eq!(find(same).unwrap(), Some(Password::new("sesame")));
        let any = "*:*:*:node:sesame\ntwo:*:*:*:late\n";
        assert_eq!(find(any).unwrap(), Some(Password::new("sesame")));
        assert_eq!(find("three:*:*:*:sesame\n").unwrap(), None);
        for differing in [
            "one:*:*:*:sesame\ntwo:*:*:*:other\n",
            "two:*:*:*:other\n*:*:*:*:sesame\n",
            // The port counts, too, and a host without a line has no password.
            "one:6000:*:*:sesame\ntwo:6000:*:*:sesame\n",
            "two:*:*:*:sesame\n",
        ] {
            let error = find(differing).unwrap_err();
            assert!(matches!(error, PasswordError::Differ { .. }), "{differing}");
            let said = format!("{error} {error:?}");
            assert!(
                said.contains("one:6000") && said.contains("two:6001"),
                "{said}"
            );
            assert!(
                !said.contains("sesame") && !said.contains("other\""),
                "{said}"
            );
        }
        let one_port = StoreUrl::parse("postgres://node@one,two:6000/crawls");
        // The client itself asks for as many ports as hosts, or one.
        assert!(one_port.is_ok_and(|url| url.places().len() == 2));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_of_its_own_may_have_lines_for_hosts() {
        let url = StoreUrl::parse("postgres://node@one,two/crawls").unwrap();
        let read = |text: &str| Password::find(&url, Some(file(text, 0o600).path()), |_| None);
        let found = read("one:*:*:*:sesame\ntwo:5432:*:*:sesame\n").unwrap();
        assert_eq!(found, Some(Password::new("sesame")));
        let error = read("one:*:*:*:sesame\ntwo:*:*:*:other\n").unwrap_err();
        assert!(matches!(error, PasswordError::Differ { .. }));
        // A password with colons in it is one all the same.
        let found = read("a:b:c:d:e\n").unwrap();
        assert_eq!(found, Some(Password::new("a:b:c:d:e")));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_of_its_own_comes_before_the_environment() {
        let file = file("sesame\n", 0o600);
        let variable = |name: &str| (name == "PGPASSWORD").then(|| "other".to_owned());
        let found = Password::find(&url(), Some(file.path()), variable).unwrap();
        assert_eq!(found, Some(Password::new("sesame")));
        let found = Password::find(&url(), None, variable).unwrap();
        assert_eq!(found, Some(Password::new("other")));
        assert_eq!(Password::find(&url(), None, |_| None).unwrap(), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_read_is_refused() {
        let file = file("sesame\n", 0o644);
        let error = Password::find(&url(), Some(file.path()), |_| None).unwrap_err();
        assert!(matches!(error, PasswordError::Open(_)));
        assert!(!format!("{error} {error:?}").contains("sesame"));
    }

    #[test]
    fn a_password_is_not_shown() {
        assert_eq!(format!("{:?}", Password::new("sesame")), "Password(...)");
    }
}

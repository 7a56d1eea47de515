//! The store's password: from `PGPASSWORD`, `PGPASSFILE` or a file of its own, and nowhere else.
//!
//! It is never printed: [`Password`] shows itself as dots, and no error holds what a file says.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::store_url::StoreUrl;

/// A longer file is none with passwords.
const FILE_MAX: u64 = 1 << 20;

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
    /// where the server asks for none.
    ///
    /// # Errors
    /// When a file that is named cannot be read, or others can read it.
    pub fn find(
        url: &StoreUrl,
        file: Option<&Path>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Password>, PasswordError> {
        if let Some(path) = file {
            let text = read(path)?;
            let line = text.lines().next().unwrap_or_default();
            return Ok(Some(Password(line.to_owned())));
        }
        if let Some(password) = variable("PGPASSWORD").filter(|text| !text.is_empty()) {
            return Ok(Some(Password(password)));
        }
        match variable("PGPASSFILE").filter(|text| !text.is_empty()) {
            Some(path) => Ok(in_passfile(&read(Path::new(&path))?, url)),
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

/// The first line `host:port:database:user:password` that fits; `*` fits all, `\` stands before a
/// `:` or `\` that is meant as such.
fn in_passfile(text: &str, url: &StoreUrl) -> Option<Password> {
    let config = url.config();
    let hosts = url.hosts();
    let port = url.port().to_string();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(fields).find_map(|fields| {
        let [host, at, database, user, password] = fields.try_into().ok()?;
        let fits = |field: &str, value: &str| field == "*" || field == value;
        let fitting = hosts.iter().any(|name| fits(&host, name))
            && fits(&at, &port)
            && fits(&database, config.get_dbname().unwrap_or_default())
            && fits(&user, config.get_user().unwrap_or_default());
        fitting.then_some(Password(password))
    })
}

fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        let count = fields.len();
        let last = fields.last_mut().expect("there is always a field");
        match c {
            '\\' => last.extend(chars.next()),
            ':' if count < 5 => fields.push(String::new()),
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
        assert_eq!(in_passfile(text, &url()), Some(Password::new("se:sa\\me")));
        assert_eq!(in_passfile("x:*:*:*:y\nshort", &url()), None);
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

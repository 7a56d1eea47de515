//! Where copies go: a bucket with a prefix, or a directory.

use std::fmt;
use std::sync::Arc;

use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use url::Url;

/// Why a place cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// It is none.
    #[error("{0:?} is no place for archive files: s3://BUCKET/PREFIX or file:///DIRECTORY is")]
    NoPlace(String),
    /// It names a user or a password.
    #[error(
        "a place for archive files names no user and no password: they come from AWS_ACCESS_KEY_ID and \
         AWS_SECRET_ACCESS_KEY"
    )]
    HasCredentials,
    /// There are no credentials.
    #[error("{0} needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment")]
    NoCredentials(String),
    /// A credential holds what none does: a blank, a line's end.
    #[error(
        "{0} holds a blank, a line's end or another sign that no credential has: set it anew without"
    )]
    OddCredentials(&'static str),
    /// The store cannot be set up.
    #[error("set {place} up: {why}")]
    Store {
        /// Which.
        place: String,
        /// What is wrong.
        why: String,
    },
}

/// Where copies go.
#[derive(Clone)]
pub struct Place {
    text: String,
    pub(crate) store: Arc<dyn ObjectStore>,
    prefix: Path,
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.text)
    }
}

/// Whether a text is meant to name a place, and no file.
pub fn is_meant(text: &str) -> bool {
    ["s3://", "file://"]
        .iter()
        .any(|scheme| text.starts_with(scheme))
}

/// Whether a text names a place.
///
/// # Errors
/// [`PlaceError::NoPlace`] and [`PlaceError::HasCredentials`].
pub fn check(text: &str) -> Result<(), PlaceError> {
    parse(text).map(drop)
}

fn parse(text: &str) -> Result<Url, PlaceError> {
    let no_place = || PlaceError::NoPlace(text.to_owned());
    let url = Url::parse(text).map_err(|_| no_place())?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(PlaceError::HasCredentials);
    }
    let is_place = match url.scheme() {
        "s3" => url.host_str().is_some_and(|bucket| !bucket.is_empty()) && url.port().is_none(),
        "file" => url.to_file_path().is_ok(),
        _ => false,
    };
    match is_place && url.query().is_none() && url.fragment().is_none() {
        true => Ok(url),
        false => Err(no_place()),
    }
}

impl Place {
    /// The place of a text, with credentials and endpoint from the environment. Nothing is asked yet.
    ///
    /// # Errors
    /// When it is none, or the environment has no credentials for it.
    pub fn open(text: &str) -> Result<Place, PlaceError> {
        let url = parse(text)?;
        if let Ok(dir) = url.to_file_path() {
            std::fs::create_dir_all(&dir).map_err(|error| PlaceError::Store {
                place: text.to_owned(),
                why: error.to_string(),
            })?;
        }
        Place::of(&url, text)
    }

    /// The same of a place to be read: a directory that is not there is not made.
    ///
    /// # Errors
    /// As [`Place::open`].
    pub fn existing(text: &str) -> Result<Place, PlaceError> {
        Place::of(&parse(text)?, text)
    }

    fn of(url: &Url, text: &str) -> Result<Place, PlaceError> {
        let broken = |error: &dyn fmt::Display| PlaceError::Store {
            place: text.to_owned(),
            why: error.to_string(),
        };
        let (store, prefix): (Arc<dyn ObjectStore>, Path) = match url.scheme() {
            "s3" => {
                let prefix = Path::from_url_path(url.path()).map_err(|error| broken(&error))?;
                (bucket(url, text)?, prefix)
            }
            _ => {
                let no_place = || PlaceError::NoPlace(text.to_owned());
                let dir = url.to_file_path().map_err(|()| no_place())?;
                let store =
                    LocalFileSystem::new_with_prefix(&dir).map_err(|error| broken(&error))?;
                (Arc::new(store.with_fsync(true)), Path::default())
            }
        };
        Ok(Place {
            text: text.to_owned(),
            store,
            prefix,
        })
    }

    /// The same place below a name: of a node, for files of several nodes have the same names.
    #[must_use]
    pub fn below(self, name: &str) -> Place {
        Place {
            text: format!("{}/{name}", self.text.trim_end_matches('/')),
            prefix: self.prefix.join(name),
            ..self
        }
    }

    /// As it is told to people.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn prefix(&self) -> &Path {
        &self.prefix
    }

    pub(crate) fn path(&self, name: &str) -> Path {
        self.prefix.clone().join(name)
    }
}

#[cfg(feature = "s3")]
use crate::bucket::bucket;

#[cfg(not(feature = "s3"))]
fn bucket(_: &Url, text: &str) -> Result<Arc<dyn ObjectStore>, PlaceError> {
    Err(PlaceError::Store {
        place: text.to_owned(),
        why: "this program was built without the feature upload".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_buckets_and_directories() {
        for good in ["s3://bucket", "s3://bucket/a/b", "file:///srv/copies"] {
            assert!(check(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "bucket",
            "http://a.example/",
            "s3:///x",
            "s3://b/p?x=1",
            "/srv/copies",
        ] {
            assert!(matches!(check(bad), Err(PlaceError::NoPlace(_))), "{bad}");
        }
        let secret = check("s3://key:secret@bucket/p").expect_err("it is refused");
        assert!(matches!(secret, PlaceError::HasCredentials));
        assert!(!secret.to_string().contains("secret@"));
    }

    #[test]
    fn a_node_has_its_own_place_below() {
        let dir = tempfile::tempdir().expect("a directory");
        let text = format!("file://{}", dir.path().display());
        let place = Place::open(&text).expect("opens").below("node-3");
        assert_eq!(place.as_str(), format!("{text}/node-3"));
        assert_eq!(place.path("00001.warc.gz").as_ref(), "node-3/00001.warc.gz");
    }
}

//! One file to the store, part after part.

use std::collections::BTreeMap;
use std::path::Path;

use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use tokio::fs::File;
use tokio::io::AsyncReadExt;

use crate::place::Place;

/// Bytes of a part. Stores want at least 5 MB, and take 10,000 parts.
const PART: u64 = 8 << 20;
const PARTS_MAX: u64 = 9_000;

/// What the place holds: names and lengths.
pub(crate) async fn held(place: &Place) -> Result<BTreeMap<String, u64>, String> {
    // This level alone: a bucket may hold millions of other things.
    let found = place.store.list_with_delimiter(Some(place.prefix())).await;
    let found = found.map_err(words)?.objects.into_iter();
    let named = found.filter_map(|meta| {
        let name = meta
            .location
            .filename()
            .filter(|name| name.ends_with(ARCHIVE))?;
        Some((name.to_owned(), meta.size))
    });
    Ok(named.collect())
}

/// The object that says whose copies a place holds.
pub(crate) const OWNER: &str = "crawl-id";

/// Names of archive files end so.
pub(crate) const ARCHIVE: &str = ".warc.gz";

/// Takes a place, that has so many archive files already, for a crawl; or finds that it has been this crawl's
/// before. Gives why it is not: files of two crawls have the same names, and one's would take the place of
/// the other's.
pub(crate) async fn own(
    place: &Place,
    crawl: &str,
    held: usize,
) -> Result<Option<&'static str>, String> {
    let to = place.path(OWNER);
    match place.store.get(&to).await {
        Ok(found) => {
            let is_own = found.bytes().await.map_err(words)? == crawl.as_bytes();
            Ok((!is_own).then_some("it holds the copies of another crawl"))
        }
        Err(object_store::Error::NotFound { .. }) if held == 0 => {
            let bytes = PutPayload::from(crawl.as_bytes().to_vec());
            place.store.put(&to, bytes).await.map_err(words)?;
            Ok(None)
        }
        Err(object_store::Error::NotFound { .. }) => {
            Ok(Some("it holds archive files, and no crawl is named there"))
        }
        Err(error) => Err(words(error)),
    }
}

/// Copies a file; gives its length.
pub(crate) async fn copy(place: &Place, dir: &Path, name: &str) -> Result<u64, String> {
    let path = dir.join(name);
    let unread = |error: std::io::Error| format!("read {}: {error}", path.display());
    let mut file = File::open(&path).await.map_err(unread)?;
    let length = file.metadata().await.map_err(unread)?.len();
    let to = place.path(name);
    let part = PART.max(length.div_ceil(PARTS_MAX));
    if length <= part {
        let bytes = read(&mut file, length).await.map_err(unread)?;
        place
            .store
            .put(&to, PutPayload::from(bytes))
            .await
            .map_err(words)?;
    } else {
        let mut upload = place.store.put_multipart(&to).await.map_err(words)?;
        let mut left = length;
        while left > 0 {
            let size = left.min(part);
            let sent = match read(&mut file, size).await.map_err(unread) {
                Ok(bytes) => upload
                    .put_part(PutPayload::from(bytes))
                    .await
                    .map_err(words),
                Err(error) => Err(error),
            };
            if let Err(error) = sent {
                // What was sent is thrown away where that can be said; else the store's own rule does it.
                let _ = upload.abort().await;
                return Err(error);
            }
            left -= size;
        }
        upload.complete().await.map_err(words)?;
    }
    let there = place.store.head(&to).await.map_err(words)?.size;
    match there == length {
        true => Ok(length),
        false => Err(format!("{to} has {there} bytes there, and {length} here")),
    }
}

async fn read(file: &mut File, bytes: u64) -> std::io::Result<Vec<u8>> {
    let mut buffer = vec![0; usize::try_from(bytes).map_err(std::io::Error::other)?];
    file.read_exact(&mut buffer).await?;
    Ok(buffer)
}

/// An error with its causes, shortened: a store may answer with a page.
pub(crate) fn words(error: object_store::Error) -> String {
    let mut words = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        let more = error.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        cause = error.source();
    }
    let plain = words.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(300).collect()
}

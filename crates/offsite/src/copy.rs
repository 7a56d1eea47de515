//! One file to the store, part after part.

use std::collections::BTreeMap;
use std::path::Path;

use futures_util::TryStreamExt;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use tokio::fs::File;
use tokio::io::AsyncReadExt;

use crate::place::Place;

/// Bytes of a part. Stores want at least 5 MB, and take 10,000 parts.
const PART: u64 = 8 << 20;
const PARTS_MAX: u64 = 9_000;

/// What the place holds: names and lengths.
pub(crate) async fn held(place: &Place) -> Result<BTreeMap<String, u64>, String> {
    let prefix = place.prefix();
    let list = place.store.list(Some(prefix));
    let found = list.try_filter_map(|meta| async move {
        let mut below = meta.location.prefix_match(prefix).into_iter().flatten();
        let (name, more) = (below.next(), below.next());
        let name = name.filter(|_| more.is_none());
        Ok(name.map(|name| (name.as_ref().to_owned(), meta.size)))
    });
    found.try_collect().await.map_err(words)
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
fn words(error: object_store::Error) -> String {
    let mut words = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        let more = error.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        cause = error.source();
    }
    words.replace('\n', " ").chars().take(300).collect()
}

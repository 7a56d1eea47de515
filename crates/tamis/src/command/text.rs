//! `tamis text`: a file's bytes as text, with the encoding and how it was known.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::exit::{Exit, usage};
use crate::output::Output;

/// Bytes of a page that a command reads; the fetcher's own limit is lower.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// Decode a file to UTF-8 and tell its encoding
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis text page.html\n  \
    curl -s https://example.org/ | tamis text --json --content-type 'text/html; charset=gbk' -")]
pub struct Args {
    /// The Content-Type header the file came with
    #[arg(long, value_name = "TYPE")]
    content_type: Option<String>,
    /// Last label of the host name, a hint where no encoding is declared
    #[arg(long, value_name = "LABEL")]
    tld: Option<String>,
    /// The file; - is standard input
    file: PathBuf,
}

/// Decodes the file.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let bytes = read(&args.file)?;
    let decoded = extractor::decode(&bytes, args.content_type.as_deref(), args.tld.as_deref());
    if output.json {
        output.value(&json!({
            "encoding": decoded.encoding,
            "source": decoded.source,
            "replaced": decoded.replaced,
            "text": decoded.text,
        }))?;
    } else {
        output.say(format!(
            "{} ({}), {} malformed sequences replaced",
            decoded.encoding,
            decoded.source.as_str(),
            decoded.replaced
        ));
        std::io::Write::write_all(&mut *output.stream(), decoded.text.as_bytes())?;
    }
    Ok(Exit::Done)
}

/// A file's bytes, or those of standard input for `-`.
///
/// # Errors
/// Wrong use: the file is not there, cannot be read, or is no page by its size.
pub fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    let told = |error: std::io::Error| {
        let name = file.display();
        usage(format!("cannot read {name}: {error}; check the path"))
    };
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        let stdin = std::io::stdin().lock();
        stdin.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)
    } else {
        let opened = std::fs::File::open(file).map_err(told)?;
        opened.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)
    }
    .map_err(told)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(usage(format!(
            "cannot read {}: more than {} MB",
            file.display(),
            FILE_BYTES_MAX >> 20
        )));
    }
    Ok(bytes)
}

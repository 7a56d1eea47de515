//! `tamis text`: a file's bytes as text, with the encoding and how it was known.

use std::path::{Path, PathBuf};

use documents::FileError;
use serde_json::json;

use crate::exit::{Exit, usage};
use crate::output::Output;

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
            "overruled": decoded.overruled,
            "text": decoded.text,
        }))?;
    } else {
        output.say(format!(
            "{} ({}), {} malformed sequences replaced",
            decoded.encoding,
            decoded.source.as_str(),
            decoded.replaced
        ));
        if let Some(declared) = decoded.overruled {
            output.say(format!("the page declares {declared}, which it is not"));
        }
        std::io::Write::write_all(&mut *output.stream(), decoded.text.as_bytes())?;
    }
    Ok(Exit::Done)
}

/// A file's bytes, or those of standard input for `-`.
///
/// # Errors
/// Wrong use: the file is not there, cannot be read, or is no page by its size.
pub fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    documents::file::read(file).map_err(|error| cannot_read(file, &error))
}

/// The bytes of a file that is a page or a text; `-` is standard input.
///
/// # Errors
/// Wrong use: the file cannot be read, or is no text in any encoding.
pub fn read_page(file: &Path) -> anyhow::Result<Vec<u8>> {
    documents::file::read_text(file).map_err(|error| cannot_read(file, &error))
}

/// The type of a file whose name says that it is Markdown; of others the content tells.
pub fn type_by_name(file: &Path) -> Option<&'static str> {
    let name = file.file_name()?.to_str()?;
    fetcher::is_markdown_name(name).then_some("text/markdown")
}

fn cannot_read(file: &Path, error: &FileError) -> anyhow::Error {
    let name = file.display().to_string();
    if name.starts_with("http://") || name.starts_with("https://") {
        return usage(format!(
            "{name} is a URL; save it first, as with: curl -sLo page.html {name}"
        ));
    }
    let mend = match error {
        FileError::Read(_) => "; check the path",
        FileError::TooLarge | FileError::NoText(_) => "",
    };
    usage(format!("cannot read {}: {error}{mend}", file.display()))
}

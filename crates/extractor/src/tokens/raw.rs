//! The scanner: walks the markup in step with the tokenizer and cuts tags short that have too
//! many attributes, before the tokenizer compares each of them with all others.
//!
//! To stay in step it must know where tags, comments and raw text begin and end, exactly as the
//! tokenizer does; what only the tree builder knows (is this `<title>` raw text, is this CDATA?)
//! it asks the [`Gate`] after feeding everything so far. A scan that merely guessed could be led
//! astray by a quote in a script, and the bomb would pass behind it.

use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{TokenSink, Tokenizer, TokenizerOpts};

use super::DomLimits;
use super::gate::{Gate, Raw};

/// Markup is fed in pieces of about this size, so that a page that is stopped is not tokenized to
/// its end.
const CHUNK_BYTES: usize = 16 * 1024;

/// Feeds markup to a tokenizer, tags cut to size.
pub(crate) struct Scanner<'h> {
    html: &'h str,
    limits: DomLimits,
    tokenizer: Tokenizer<Gate>,
    input: BufferQueue,
    /// Everything before this has been fed or dropped.
    fed: usize,
    attribute_work: u64,
    cut_tags: u64,
}

/// Where a tag ends and what it has.
struct TagExtent {
    end: usize,
    attributes: usize,
    /// Where the first attribute above the cap begins.
    cut: Option<usize>,
    /// The `>` was there.
    closed: bool,
}

impl<'h> Scanner<'h> {
    pub fn new(html: &'h str, gate: Gate, limits: DomLimits) -> Scanner<'h> {
        let options = TokenizerOpts {
            // The tokenizer would drop one at the start of every piece it is fed.
            discard_bom: false,
            ..TokenizerOpts::default()
        };
        Scanner {
            html,
            limits,
            tokenizer: Tokenizer::new(gate, options),
            input: BufferQueue::default(),
            fed: 0,
            attribute_work: 0,
            cut_tags: 0,
        }
    }

    /// Feeds the whole page, or as much as its limits allow; then the gate and how many tags were
    /// cut.
    pub fn run(mut self) -> (Gate, u64) {
        let mut at = 0;
        while let Some(offset) = self.html[at..].find('<') {
            at += offset;
            if at - self.fed > CHUNK_BYTES {
                self.feed_to(at);
                if self.gate().stopped().is_some() {
                    break;
                }
            }
            at = self.markup(at);
        }
        if self.gate().stopped().is_none() {
            self.feed_to(self.html.len());
        }
        self.tokenizer.end();
        (self.tokenizer.sink, self.cut_tags)
    }

    /// From a `<` in the data state to where the data state begins again.
    fn markup(&mut self, at: usize) -> usize {
        let rest = &self.html.as_bytes()[at..];
        match rest {
            [_, b'!', b'-', b'-', ..] => comment_end(self.html, at + 4),
            [_, b'!', ..] if rest.starts_with(b"<![CDATA[") => {
                self.feed_to(at);
                let foreign = self
                    .gate()
                    .adjusted_current_node_present_but_not_in_html_namespace();
                self.after(at, if foreign { "]]>" } else { ">" })
            }
            [_, b'/', b'>', ..] => at + 3,
            [_, b'/', letter, ..] if letter.is_ascii_alphabetic() => self.tag(at, at + 2),
            [_, b'!' | b'?' | b'/', ..] => self.after(at, ">"),
            [_, letter, ..] if letter.is_ascii_alphabetic() => self.tag(at, at + 1),
            _ => at + 1,
        }
    }

    /// A tag whose name begins at `name`, and the raw text behind it if there is any.
    fn tag(&mut self, at: usize, name: usize) -> usize {
        let bytes = self.html.as_bytes();
        let name_end = bytes[name..]
            .iter()
            .position(|&byte| ends_name(byte))
            .map_or(bytes.len(), |length| name + length);
        let attributes_max = if self.attribute_work > self.limits.attribute_work_max {
            self.limits.attributes_max_late
        } else {
            self.limits.attributes_max
        };
        let tag = tag_extent(bytes, name_end, attributes_max);
        let kept = tag.attributes.min(attributes_max) as u64;
        self.attribute_work += kept * kept / 2;
        if let Some(cut) = tag.cut {
            self.cut_tags += 1;
            self.feed_to(cut);
            // The tokenizer waits for an attribute; give it the end of the tag instead. A tag
            // that is never closed is dropped by the tokenizer, so what stands in it is of no use.
            self.fed = if tag.closed { tag.end - 1 } else { tag.end };
        }
        let is_start = name == at + 1;
        if !is_start || !may_be_raw(&self.html[name..name_end]) {
            return tag.end;
        }
        self.feed_to(at);
        let _ = self.gate().take_raw();
        self.feed_to(tag.end);
        match self.gate().take_raw() {
            None => tag.end,
            Some(Raw::Plaintext) => self.html.len(),
            Some(Raw::Script) => script_end(bytes, tag.end),
            Some(Raw::Text) => raw_text_end(self.html, tag.end, &self.html[name..name_end]),
        }
    }

    fn after(&self, at: usize, end: &str) -> usize {
        match self.html[at..].find(end) {
            Some(offset) => at + offset + end.len(),
            None => self.html.len(),
        }
    }

    fn gate(&self) -> &Gate {
        &self.tokenizer.sink
    }

    /// Feeds everything up to `end`, which is a character boundary.
    fn feed_to(&mut self, end: usize) {
        if end <= self.fed {
            return;
        }
        self.input
            .push_back(StrTendril::from_slice(&self.html[self.fed..end]));
        self.fed = end;
        // The tokenizer pauses after each script, for a browser to run it.
        loop {
            match self.tokenizer.feed(&self.input) {
                TokenizerResult::Done => break,
                TokenizerResult::Script(_) | TokenizerResult::EncodingIndicator(_) => {}
            }
        }
    }
}

/// Walks a tag's attributes from the end of its name.
fn tag_extent(bytes: &[u8], name_end: usize, attributes_max: usize) -> TagExtent {
    let mut at = name_end;
    let mut attributes = 0;
    let mut cut = None;
    let skip = |at: &mut usize, while_true: &dyn Fn(u8) -> bool| {
        while *at < bytes.len() && while_true(bytes[*at]) {
            *at += 1;
        }
    };
    loop {
        skip(&mut at, &|byte| is_space(byte) || byte == b'/');
        if at >= bytes.len() || bytes[at] == b'>' {
            break;
        }
        attributes += 1;
        if attributes == attributes_max + 1 {
            cut = Some(at);
        }
        // An equals sign in first place is part of the name.
        at += 1;
        skip(&mut at, &|byte| !ends_name(byte) && byte != b'=');
        skip(&mut at, &is_space);
        if at >= bytes.len() || bytes[at] != b'=' {
            continue;
        }
        at += 1;
        skip(&mut at, &is_space);
        match bytes.get(at) {
            Some(&quote @ (b'"' | b'\'')) => {
                at += 1;
                skip(&mut at, &|byte| byte != quote);
                at += 1;
            }
            _ => skip(&mut at, &|byte| !is_space(byte) && byte != b'>'),
        }
    }
    let closed = at < bytes.len();
    TagExtent {
        end: if closed { at + 1 } else { bytes.len() },
        attributes,
        cut,
        closed,
    }
}

/// Where a comment ends whose text begins at `start`.
fn comment_end(html: &str, start: usize) -> usize {
    let text = &html[start..];
    if text.starts_with('>') {
        return start + 1;
    }
    if text.starts_with("->") {
        return start + 2;
    }
    let mut at = 0;
    while let Some(offset) = text[at..].find("--") {
        at += offset;
        let after = &text[at + 2..];
        if after.starts_with('>') {
            return start + at + 3;
        }
        if after.starts_with("!>") {
            return start + at + 4;
        }
        at += 1;
    }
    html.len()
}

/// Where the end tag of a raw text element begins.
fn raw_text_end(html: &str, start: usize, name: &str) -> usize {
    let bytes = html.as_bytes();
    let mut at = start;
    while let Some(offset) = html[at..].find("</") {
        at += offset;
        if closes(&bytes[at..], name.as_bytes()) {
            return at;
        }
        at += 2;
    }
    html.len()
}

/// Where a script's end tag begins. Within `<!--` a nested `<script>` hides its own end tag.
fn script_end(bytes: &[u8], start: usize) -> usize {
    #[derive(Clone, Copy, PartialEq)]
    enum Escape {
        None,
        Comment,
        ScriptInComment,
    }
    let mut escape = Escape::None;
    let mut dashes = 0;
    let mut at = start;
    while at < bytes.len() {
        let rest = &bytes[at..];
        match rest[0] {
            b'<' if escape == Escape::None && rest.starts_with(b"<!--") => {
                escape = Escape::Comment;
                dashes = 2;
                at += 4;
                continue;
            }
            b'<' if closes(rest, b"script") => {
                if escape != Escape::ScriptInComment {
                    return at;
                }
                escape = Escape::Comment;
                dashes = 0;
                at += b"</script>".len();
                continue;
            }
            b'<' if escape == Escape::Comment && opens_script(rest) => {
                escape = Escape::ScriptInComment;
                dashes = 0;
                at += b"<script>".len();
                continue;
            }
            b'>' if dashes >= 2 => {
                escape = Escape::None;
                dashes = 0;
            }
            b'-' if escape != Escape::None => dashes += 1,
            _ => dashes = 0,
        }
        at += 1;
    }
    bytes.len()
}

fn opens_script(rest: &[u8]) -> bool {
    rest.len() > 7 && rest[1..7].eq_ignore_ascii_case(b"script") && ends_name(rest[7])
}

fn closes(rest: &[u8], name: &[u8]) -> bool {
    rest.len() > name.len() + 2
        && rest[1] == b'/'
        && rest[2..name.len() + 2].eq_ignore_ascii_case(name)
        && ends_name(rest[name.len() + 2])
}

/// The elements after whose start tag the tree builder may switch the tokenizer to raw text.
fn may_be_raw(name: &str) -> bool {
    const NAMES: [&str; 10] = [
        "script",
        "style",
        "title",
        "textarea",
        "iframe",
        "noframes",
        "noembed",
        "noscript",
        "xmp",
        "plaintext",
    ];
    NAMES.iter().any(|raw| raw.eq_ignore_ascii_case(name))
}

fn ends_name(byte: u8) -> bool {
    is_space(byte) || byte == b'/' || byte == b'>'
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

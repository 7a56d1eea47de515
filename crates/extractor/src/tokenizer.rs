//! Markup to tokens, for the tree builder behind the [`TokenGate`].
//!
//! The standard describes a state machine that takes one character at a time. Here the whole page is
//! in memory, so the end of each tag, text and comment is found by a byte search. A short text that
//! needs no change is not copied: it is a slice that shares a buffer with its neighbours (see
//! `BUFFER_BYTES`).
//!
//! The tokenizer drops the attributes of a tag beyond [`DomLimits::attributes_max`], before the
//! parser compares each of them with all others.
//!
//! Some states depend on the tree (whether a `<title>` is raw text, whether `<![CDATA[` is allowed);
//! for these the tree builder is asked.
//!
//! Source: WHATWG HTML, §13.2.5. Tests compare the trees with those of html5ever's own tokenizer,
//! which takes four times as long.

mod attributes;
mod char_references;
mod name_cache;
mod raw_text;

use std::cell::RefCell;

use html5ever::Attribute;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Doctype, EndTag, StartTag, Tag, Token, TokenSink, TokenSinkResult};

use crate::dom::Syntax;
use crate::parse_limits::DomLimits;
use crate::parse_limits::token_gate::TokenGate;

use attributes::ends_name;
use char_references::ReferenceContext;
use name_cache::NameCache;

/// Bytes of each buffer that the page's texts are slices of. One copy of the whole page would do,
/// too, but allocating and freeing megabytes for each page among smaller allocations that stay would
/// fragment the heap. A buffer lives as long as one of its slices, at most as long as the tree.
const BUFFER_BYTES: usize = 32 * 1024;

/// Passes the tokens of a page to a tree builder.
pub(crate) struct Tokenizer<'h> {
    html: &'h str,
    /// A copy of some of the page, of which texts are slices.
    buffer: StrTendril,
    /// Where in the page the buffer begins.
    buffer_start: usize,
    has_nul: bool,
    gate: TokenGate,
    limits: &'h DomLimits,
    /// Comparisons of attributes so far; see [`DomLimits::attribute_work_max`].
    attribute_work: u64,
    /// Tags of which attributes were dropped.
    cut_tags: u64,
    /// The first `>` ends a comment that nothing else ends.
    ends_open_comments: bool,
    syntax: Syntax,
    /// Where the first comment begins that nothing ends: no later one has an end either.
    open_from: Option<usize>,
    names: NameCache,
    /// Reused for the attributes of each tag.
    attributes: Vec<Attribute>,
    /// Reused for each text with character references.
    text: String,
}

impl<'h> Tokenizer<'h> {
    /// A tokenizer for a page whose line ends are line feeds.
    pub(crate) fn new(html: &'h str, gate: TokenGate, limits: &'h DomLimits) -> Tokenizer<'h> {
        Tokenizer {
            html,
            buffer: StrTendril::new(),
            buffer_start: 0,
            has_nul: memchr::memchr(0, html.as_bytes()).is_some(),
            gate,
            limits,
            attribute_work: 0,
            cut_tags: 0,
            ends_open_comments: false,
            syntax: Syntax::Html,
            open_from: None,
            names: NameCache::new(),
            attributes: Vec::new(),
            text: String::new(),
        }
    }

    /// Comments without an end are ended by the first `>`.
    pub(crate) fn ending_open_comments(mut self) -> Self {
        self.ends_open_comments = true;
        self
    }

    pub(crate) fn of_syntax(mut self, syntax: Syntax) -> Self {
        self.syntax = syntax;
        self
    }

    /// Reads the page as far as its limits allow. Returns the gate and the number of tags of which
    /// attributes were dropped.
    pub(crate) fn run(mut self) -> (TokenGate, u64) {
        let mut text = 0;
        let mut at = 0;
        while let Some(offset) = memchr::memchr(b'<', &self.html.as_bytes()[at..]) {
            at += offset;
            if !self.is_markup(at) {
                at += 1;
                continue;
            }
            self.text(text, at);
            at = self.markup(at);
            text = at;
            if self.gate.stopped().is_some() {
                break;
            }
        }
        self.text(text, self.html.len());
        let _ = self.gate.process_token(Token::EOFToken, 1);
        self.gate.end();
        (self.gate, self.cut_tags)
    }

    /// Whether the `<` at `at` begins markup and is not text.
    fn is_markup(&self, at: usize) -> bool {
        match self.html.as_bytes()[at + 1..] {
            [b'/', _, ..] | [b'!' | b'?', ..] => true,
            [letter, ..] => letter.is_ascii_alphabetic(),
            [] => false,
        }
    }

    /// Reads the markup that begins at `at`; returns where text begins again.
    fn markup(&mut self, at: usize) -> usize {
        let rest = &self.html.as_bytes()[at..];
        match rest {
            [_, b'/', b'>', ..] => at + 3,
            [_, b'/', letter, ..] if letter.is_ascii_alphabetic() => self.end_tag(at + 2),
            [_, b'/', ..] => self.bogus_comment(at + 2),
            [_, b'?', ..] => self.bogus_comment(at + 1),
            [_, b'!', b'-', b'-', ..] => {
                let end = match self.open_from {
                    Some(open) if open <= at => None,
                    Some(_) | None => raw_text::comment_end(self.html, at + 4),
                };
                let Some((text_end, end)) = end else {
                    return self.open_comment(at);
                };
                self.comment(at + 4, text_end);
                end
            }
            [_, b'!', ..] if rest.starts_with(b"<![CDATA[") && self.is_foreign() => {
                let start = at + b"<![CDATA[".len();
                let length = memchr::memmem::find(&self.html.as_bytes()[start..], b"]]>");
                let end = length.map_or(self.html.len(), |length| start + length);
                self.characters(start, end);
                (end + 3).min(self.html.len())
            }
            [_, b'!', word @ ..]
                if word.len() >= 7 && word[..7].eq_ignore_ascii_case(b"doctype") =>
            {
                self.doctype(at)
            }
            [_, b'!', ..] => self.bogus_comment(at + 2),
            _ => self.start_tag(at + 1),
        }
    }

    fn is_foreign(&self) -> bool {
        self.gate
            .adjusted_current_node_present_but_not_in_html_namespace()
    }

    /// Reads a start tag whose name begins at `name`, with the raw text behind it if its element has
    /// any; returns where that ends.
    fn start_tag(&mut self, name: usize) -> usize {
        let name_end = self.name_end(name);
        let attributes_max = if self.attribute_work > self.limits.attribute_work_max {
            self.limits.attributes_max_late
        } else {
            self.limits.attributes_max
        };
        let tag = self.attributes(name_end, attributes_max);
        // A tag without its `>` is dropped, as the standard does at the end of the file.
        let Some(end) = tag.end else {
            return self.html.len();
        };
        let is_whole = tag.is_self_closing && self.closes(&self.html[name..name_end]);
        let token = Tag {
            kind: StartTag,
            name: self.names.atom(&self.html[name..name_end]),
            self_closing: tag.is_self_closing,
            attrs: tag.attributes,
            had_duplicate_attributes: tag.had_duplicates,
        };
        if is_whole {
            let _ = self.gate.process_token(Token::TagToken(token), 1);
            self.give_end_tag(name, name_end);
            return end;
        }
        let is_rcdata = match self.gate.process_token(Token::TagToken(token), 1) {
            TokenSinkResult::RawData(RawKind::Rcdata) => true,
            TokenSinkResult::RawData(_) | TokenSinkResult::Plaintext => false,
            TokenSinkResult::Continue
            | TokenSinkResult::Script(_)
            | TokenSinkResult::EncodingIndicator(_) => return end,
        };
        let name = &self.html[name..name_end];
        let text_end = if name.eq_ignore_ascii_case("script") {
            raw_text::script_end(self.html.as_bytes(), end)
        } else if name.eq_ignore_ascii_case("plaintext") {
            self.html.len()
        } else {
            raw_text::raw_text_end(self.html, end, name)
        };
        let text = if is_rcdata {
            self.resolved(end, text_end, ReferenceContext::Text)
        } else {
            self.without_nul(end, text_end)
        };
        self.give_text(text);
        text_end
    }

    /// Counts the work and the losses of a tag with `count` attributes.
    fn note_attributes(&mut self, count: usize, attributes_max: usize) {
        let kept = count.min(attributes_max) as u64;
        self.attribute_work += kept * kept / 2;
        self.cut_tags += u64::from(count > attributes_max);
    }

    fn end_tag(&mut self, name: usize) -> usize {
        let name_end = self.name_end(name);
        let Some(end) = self.end_tag_end(name_end) else {
            return self.html.len();
        };
        self.give_end_tag(name, name_end);
        end
    }

    fn give_end_tag(&mut self, name: usize, name_end: usize) {
        let token = Tag {
            kind: EndTag,
            name: self.names.atom(&self.html[name..name_end]),
            self_closing: false,
            attrs: Vec::new(),
            had_duplicate_attributes: false,
        };
        let _ = self.gate.process_token(Token::TagToken(token), 1);
    }

    /// Whether `/>` ends an element of this name that stands here, and the tree builder does not do so itself, as it
    /// does with those that have no content and with pictures and formulas.
    fn closes(&self, name: &str) -> bool {
        const WITHOUT_CONTENT: [&str; 18] = [
            "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img",
            "input", "keygen", "link", "meta", "param", "source", "track", "wbr",
        ];
        const FOREIGN: [&str; 2] = ["svg", "math"];
        let mut others = WITHOUT_CONTENT.iter().chain(&FOREIGN);
        self.syntax == Syntax::Xhtml
            && !others.any(|other| name.eq_ignore_ascii_case(other))
            && !self.is_foreign()
    }

    fn name_end(&self, name: usize) -> usize {
        let bytes = &self.html.as_bytes()[name..];
        let length = bytes.iter().position(|&byte| ends_name(byte));
        name + length.unwrap_or(bytes.len())
    }

    /// Anything else that begins with `<!`, `<?` or `</` is a comment up to the next `>`.
    fn bogus_comment(&mut self, start: usize) -> usize {
        let rest = &self.html.as_bytes()[start..];
        let length = memchr::memchr(b'>', rest);
        self.comment(start, start + length.unwrap_or(rest.len()));
        start + length.map_or(rest.len(), |length| length + 1)
    }

    /// A comment that nothing ends, which begins at `at`. By the standard all that follows is its text. A whole page
    /// that somebody wrote goes on behind the first `>`: `<!-- a note >`.
    fn open_comment(&mut self, at: usize) -> usize {
        self.open_from.get_or_insert(at);
        if self.ends_open_comments {
            return self.bogus_comment(at + 2);
        }
        let text_end = raw_text::open_comment_end(&self.html[at + 4..]);
        self.comment(at + 4, at + 4 + text_end);
        self.html.len()
    }

    fn comment(&mut self, start: usize, end: usize) {
        let text = self.without_nul(start, end);
        let _ = self.gate.process_token(Token::CommentToken(text), 1);
    }

    /// Reads a doctype with html5ever's own tokenizer: there is one a page, so speed does not matter.
    fn doctype(&mut self, at: usize) -> usize {
        let rest = &self.html.as_bytes()[at..];
        let length = memchr::memchr(b'>', rest);
        let end = at + length.map_or(rest.len(), |length| length + 1);
        if let Some(doctype) = read_doctype(self.slice(at, end)) {
            let _ = self.gate.process_token(Token::DoctypeToken(doctype), 1);
        }
        end
    }

    /// Text between tags, with references resolved and NULs told apart.
    fn text(&mut self, start: usize, end: usize) {
        if !self.has_nul {
            let text = self.resolved(start, end, ReferenceContext::Text);
            return self.give_text(text);
        }
        self.each_without_nul(start, end, |this, start, end| {
            let text = this.resolved(start, end, ReferenceContext::Text);
            this.give_text(text);
        });
    }

    /// The text of a CDATA section: its references are not resolved, its NULs are told apart.
    fn characters(&mut self, start: usize, end: usize) {
        self.each_without_nul(start, end, |this, start, end| {
            let text = this.slice(start, end);
            this.give_text(text);
        });
    }

    fn each_without_nul(
        &mut self,
        start: usize,
        end: usize,
        give: impl Fn(&mut Self, usize, usize),
    ) {
        let mut from = start;
        for at in memchr::memchr_iter(0, &self.html.as_bytes()[start..end]) {
            give(self, from, start + at);
            let _ = self.gate.process_token(Token::NullCharacterToken, 1);
            from = start + at + 1;
        }
        give(self, from, end);
    }

    fn give_text(&mut self, text: StrTendril) {
        if !text.is_empty() {
            let _ = self.gate.process_token(Token::CharacterTokens(text), 1);
        }
    }

    /// A stretch of the page. A short one is a slice of the buffer; if the buffer does not hold it,
    /// a new buffer begins with it. A stretch longer than a quarter of a buffer is copied by itself,
    /// since a buffer that began with it would hold little else.
    fn slice(&mut self, start: usize, end: usize) -> StrTendril {
        if end - start > BUFFER_BYTES / 4 {
            return StrTendril::from_slice(&self.html[start..end]);
        }
        if start < self.buffer_start || end > self.buffer_start + self.buffer.len() {
            let head = crate::bounded::byte_prefix(&self.html[start..], BUFFER_BYTES);
            self.buffer = StrTendril::from_slice(head);
            self.buffer_start = start;
        }
        let offset = start - self.buffer_start;
        self.buffer.subtendril(offset as u32, (end - start) as u32)
    }

    /// A stretch of the page with NULs as U+FFFD.
    fn without_nul(&mut self, start: usize, end: usize) -> StrTendril {
        let text = &self.html[start..end];
        if self.has_nul && text.contains('\0') {
            return StrTendril::from(text.replace('\0', "\u{fffd}"));
        }
        self.slice(start, end)
    }

    /// As [`Tokenizer::without_nul`], with character references resolved.
    fn resolved(&mut self, start: usize, end: usize, place: ReferenceContext) -> StrTendril {
        let text = &self.html[start..end];
        if memchr::memchr(b'&', text.as_bytes()).is_none() {
            return self.without_nul(start, end);
        }
        self.text.clear();
        char_references::resolve(text, place, &mut self.text);
        if self.has_nul {
            self.text = self.text.replace('\0', "\u{fffd}");
        }
        StrTendril::from_slice(&self.text)
    }
}

fn read_doctype(markup: StrTendril) -> Option<Doctype> {
    #[derive(Default)]
    struct Reader(RefCell<Option<Doctype>>);
    impl TokenSink for Reader {
        type Handle = ();
        fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
            if let Token::DoctypeToken(doctype) = token {
                *self.0.borrow_mut() = Some(doctype);
            }
            TokenSinkResult::Continue
        }
    }
    let tokenizer = html5ever::tokenizer::Tokenizer::new(Reader::default(), Default::default());
    let input = BufferQueue::default();
    input.push_back(markup);
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

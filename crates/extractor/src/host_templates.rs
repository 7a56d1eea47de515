//! Template blocks of a host, learnt while crawling: text that most of its pages repeat.
//!
//! On one page a slogan looks like any sentence, but on twenty pages of a host it is repeated. Each
//! page adds the keys of its blocks, each key once. A block that was on most of the pages counted
//! is template, and is cut from later pages. Boilerplate stands at the edges of the content, so only
//! the first and last blocks of a page are counted; this bounds what a page can add.
//!
//! **Two texts.** What stands between two blocks of a page's own belongs to its text, however many pages have
//! it: the heads of a notice ("1. Buyer"), the formula of a ruling ("it is held that"). It stays in the text
//! that is stored and searched. Pages are compared by less: what nearly all pages have is cut there from between
//! blocks of their own as well, but for a heading right above one. "The appeal is dismissed" stands in most
//! rulings, and stays in both.
//!
//! **Order.** The set of blocks that are cut changes only at checkpoints: after 8, 16, 32 and 64 pages,
//! then after every 64 more. Counting starts again after 64 pages, so that a redesign is learnt. It
//! matters which pages came before a checkpoint, but not in which order. The counts are plain data
//! (`serde`), so a crawl can save and restore them.
//!
//! ```text
//!   pages seen   1 ······ 8 ······ 16 ········ 32 ················ 64 ······ 128
//!   cut          nothing  │ set 1  │ set 2     │ set 3             │ set 4   │ set 5
//! ```
//!
//! Cost: at worst about 40 kB for each host, usually under 2 kB; at most [`HostTemplates::HOSTS_MAX`]
//! hosts, of which the one with the fewest pages is forgotten first. A page counts half for each time
//! that as many hosts were forgotten since: so a host that is read no more makes room for new ones.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::blocks::{self, Block};
use crate::char_counts::CharCounts;
use crate::metadata::short;
use crate::own_text::Line;
use crate::page::{Page, WallDoubt};

/// Pages before anything is cut. With fewer, a text that two articles of a series share would look
/// like template.
const PAGES_MIN: u32 = 8;
/// Pages after which counting starts again.
const PAGES_MAX: u32 = 64;
/// A longer block may be what a page is about (a poem, an article under many addresses): it is cut only
/// where the rest is a page of its own.
const LINE_BYTES_MAX: usize = 600;
/// The blocks at either end of a page that are counted.
const EDGE_BLOCKS: usize = 24;
/// A page of which less than this part would be left may be a copy of others.
const SHARE_LEFT_MIN: usize = 8;
/// Text of its own that no copy has: some twenty words, in [`CharCounts`]' weight.
const OWN_WEIGHT_MIN: u32 = 100;

/// The template blocks of all hosts.
///
/// ```
/// use extractor::{BlockKeys, HostTemplates, PageContext, extract};
/// let url = url::Url::parse("https://news.example/1").unwrap();
/// let mut page = extract("<p>A sentence, and another one.", &PageContext::new(&url));
/// let mut templates = HostTemplates::new();
/// let keys = BlockKeys::of(&page);
/// let cut = templates.trim("news.example", &keys, &mut page);
/// templates.observe("news.example", &keys);
/// assert_eq!(cut, 0, "no page of the host was observed before");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostTemplates {
    hosts: BTreeMap<String, HostCounts>,
    /// Hosts forgotten so far.
    #[serde(default)]
    forgotten: u64,
    /// Pages observed, of all hosts.
    #[serde(default)]
    pages: u64,
}

/// What was cut from a page as its host's template.
#[derive(Debug)]
pub struct Cut {
    /// The number of blocks that pages are not compared by.
    pub blocks: usize,
    /// The page's text as it was before.
    pub text: String,
    /// The text that pages are compared by: lines of the page's own, all of which its text has as well.
    pub compared: String,
}

/// Counts and template of one host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct HostCounts {
    /// Pages observed in all.
    pages: u64,
    /// The same, of which older ones count less: what the host is kept for.
    #[serde(default)]
    weight: u32,
    /// The number of its last page among those of all hosts.
    #[serde(default)]
    last: u64,
    /// Pages observed since counting began.
    counted: u32,
    /// The number of these pages that have each block.
    counts: BTreeMap<u32, u32>,
    /// The keys of the blocks that are cut, sorted.
    template: Vec<u32>,
    /// Those among them that nearly all pages have, sorted.
    #[serde(default)]
    everywhere: Vec<u32>,
}

/// The keys of a page's blocks before trimming: small, and all that [`HostTemplates`] needs of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BlockKeys {
    /// One for each block; `None` for a block amid the page or without text.
    keys: Vec<Option<u32>>,
    /// Those of the texts at the edges that are no blocks of the page.
    left_out: Vec<u32>,
    /// Those of places and lines in the margins.
    margins: Vec<u32>,
    /// That of the title: copies of one page share it, as they share their blocks.
    title: Option<u32>,
}

impl BlockKeys {
    /// The keys of a page's blocks. They do not depend on the host, so any thread can compute them.
    pub fn of(page: &Page) -> BlockKeys {
        let count = page.blocks.len();
        let at_edge = |index: usize| index < EDGE_BLOCKS || index + EDGE_BLOCKS >= count;
        BlockKeys {
            keys: page
                .blocks
                .iter()
                .enumerate()
                .map(|(index, block)| at_edge(index).then(|| key(block)).flatten())
                .collect(),
            left_out: page.left_out.clone(),
            margins: page.surroundings.margins.clone(),
            title: page.title.as_deref().and_then(key_of_title),
        }
    }

    /// The distinct keys in order, four bytes each, for a journal: those that
    /// [`HostTemplates::observe`] counts.
    pub fn to_bytes(&self) -> Vec<u8> {
        let keys = self.distinct().into_iter();
        keys.flat_map(u32::to_le_bytes).collect()
    }

    /// Keys as written by [`BlockKeys::to_bytes`]; a remainder of less than four bytes is ignored.
    pub fn from_bytes(bytes: &[u8]) -> BlockKeys {
        let (keys, _) = bytes.as_chunks();
        BlockKeys {
            keys: keys
                .iter()
                .map(|key| Some(u32::from_le_bytes(*key)))
                .collect(),
            left_out: Vec::new(),
            margins: Vec::new(),
            title: None,
        }
    }

    fn distinct(&self) -> Vec<u32> {
        let kept = self.keys.iter().chain([&self.title]).copied().flatten();
        let others = self.left_out.iter().chain(&self.margins).copied();
        let mut keys: Vec<u32> = kept.chain(others).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}

/// A block's key, if it has text. With 32 bits another block has one of a host's few template keys by
/// chance once in some 10^8 blocks.
fn key(block: &Block) -> Option<u32> {
    key_of_text(&blocks::plain(std::slice::from_ref(block)))
}

fn is_long(block: &Block) -> bool {
    blocks::plain(std::slice::from_ref(block)).len() > LINE_BYTES_MAX
}

/// The key of a title, if it has text.
pub(crate) fn keys_of_title(title: &str) -> Vec<u32> {
    key_of_title(title).into_iter().collect()
}

/// The key of a text as that of a block.
pub(crate) fn key_of_text(text: &str) -> Option<u32> {
    let text = text.trim_end_matches('\n');
    (!text.is_empty()).then(|| xxh3_64(text.as_bytes()) as u32)
}

/// A title's key is not that of a block of the same words.
fn key_of_title(title: &str) -> Option<u32> {
    key_of_text(&format!("\u{0}{}", title.trim()))
}

/// The keys of the texts amid and around the content that were not taken for content: from a few before
/// it to some after it, the last ones where there are many.
pub(crate) fn left_out(texts: &[String], main: &[bool]) -> Vec<u32> {
    const BEFORE: usize = 4;
    const AFTER: usize = 12;
    let (Some(first), Some(last)) = (
        main.iter().position(|&kept| kept),
        main.iter().rposition(|&kept| kept),
    ) else {
        return Vec::new();
    };
    let range = first.saturating_sub(BEFORE)..(last + 1 + AFTER).min(texts.len());
    let out = range.rev().filter(|&run| !main[run]);
    out.filter_map(|run| key_of_text(&texts[run]))
        .take(EDGE_BLOCKS)
        .collect()
}

impl HostTemplates {
    /// The most hosts that are remembered.
    pub const HOSTS_MAX: usize = 2048;

    /// No hosts yet.
    pub fn new() -> HostTemplates {
        HostTemplates::default()
    }

    /// Counts a page's blocks. Call it once for each kept page, but not for near-duplicates: copies
    /// would make their text look like template.
    pub fn observe(&mut self, host: &str, keys: &BlockKeys) {
        self.observe_within(host, keys, Self::HOSTS_MAX);
    }

    fn observe_within(&mut self, host: &str, keys: &BlockKeys, hosts_max: usize) {
        if !self.hosts.contains_key(host) && self.hosts.len() >= hosts_max {
            let hosts = self.hosts.iter();
            let least = hosts.min_by_key(|(_, memory)| (memory.weight, memory.last));
            if let Some(least) = least.map(|(name, _)| name.clone()) {
                self.hosts.remove(&least);
                self.forgotten += 1;
            }
            if self.forgotten.is_multiple_of(hosts_max as u64) {
                let hosts = self.hosts.values_mut();
                hosts.for_each(|memory| memory.weight /= 2);
            }
        }
        self.pages += 1;
        let memory = self.hosts.entry(host.to_owned()).or_default();
        memory.last = self.pages;
        memory.weight = memory.weight.saturating_add(1);
        memory.count(keys);
    }

    /// Cuts the template blocks from a page and updates its text; `keys` are those of this page.
    /// Returns the number of blocks that pages are not compared by, of which the page keeps those amid its own.
    ///
    /// What a copy shares with other pages is not cut, since the near-duplicate detection must see it. A
    /// page is no copy if some twenty words are left and the title, too, is its own. From any other page
    /// no long block is cut, and nothing at all where less than an eighth of the text would be left, or too
    /// little of a page that has some twenty words: it is compared whole.
    ///
    /// Where all pages of a host bear its name for a title, a page's own title is the heading that its own text
    /// begins with, and it becomes that.
    pub fn trim(&self, host: &str, keys: &BlockKeys, page: &mut Page) -> usize {
        Self::trim_by(&[(self, host)], keys, page).map_or(0, |cut| cut.blocks)
    }

    /// The same by what several memories know: that of the host and that of its part, each by its name. `None`
    /// where nothing is cut.
    pub fn trim_by(known: &[(&Self, &str)], keys: &BlockKeys, page: &mut Page) -> Option<Cut> {
        let known = Known::of(known);
        if known.0.is_empty() || keys.keys.len() != page.blocks.len() {
            return None;
        }
        let is_own: Vec<bool> = keys.keys.iter().map(|key| !known.cuts(*key)).collect();
        if is_own.iter().all(|&own| own) {
            return None;
        }
        let mut is_kept = known.kept(&is_own, &keys.keys, &page.blocks);
        let is_title_known = known.cuts(keys.title);
        let heading = is_title_known.then(|| leading_heading(&page.blocks, &is_own));
        let heading = heading.flatten().map(str::to_owned);
        let has_own_title = heading.is_some() || (keys.title.is_some() && !is_title_known);
        let has_own_words = has_enough(&blocks::plain(&only(&page.blocks, &is_own)));
        let is_no_copy = has_own_title && has_own_words;
        if !is_no_copy {
            for (kept, block) in is_kept.iter_mut().zip(&page.blocks) {
                *kept |= is_long(block);
            }
        }
        page.title = heading.map(|heading| short(&heading)).or(page.title.take());
        let compared = blocks::plain(&only(&page.blocks, &is_kept));
        let count = is_kept.iter().filter(|kept| !**kept).count();
        let leaves_little = || {
            compared.len() * SHARE_LEFT_MIN < page.text.len()
                || (!has_own_words && has_enough(&page.text))
        };
        if count == 0 || (!is_no_copy && leaves_little()) {
            return None;
        }
        keep_amid(&mut is_kept, &is_own, &page.blocks);
        page.blocks = only(&page.blocks, &is_kept);
        let text = blocks::plain(&page.blocks);
        Some(Cut {
            blocks: count,
            text: std::mem::replace(&mut page.text, text),
            compared,
        })
    }

    /// What a short page says itself, beside what stands in the margins of most pages of its host or of its part;
    /// `None` where nothing does, of a page that is not short, and while little is known.
    pub fn own_text(known: &[(&Self, &str)], page: &Page) -> Option<String> {
        let known = Known::of(known);
        let is_own = |line: &&Line| !known.cuts(line.place.or(line.frame));
        let lines = &page.surroundings.lines;
        let own: Vec<&str> = lines
            .iter()
            .filter(is_own)
            .map(|line| line.text.as_str())
            .collect();
        (own.len() < lines.len()).then(|| own.join("\n"))
    }

    /// Whether all that a page says as walls do stands on most pages of its host or of its part.
    pub fn say_of_most(known: &[(&Self, &str)], doubt: &WallDoubt) -> bool {
        let known = Known::of(known);
        let is_known = |keys: &Vec<u32>| keys.iter().any(|key| known.cuts(Some(*key)));
        !doubt.lines.is_empty() && doubt.lines.iter().all(is_known)
    }

    /// Whether most pages of a host or of its part bear this title.
    pub fn is_title_of_most(known: &[(&Self, &str)], title: &str) -> bool {
        Known::of(known).cuts(key_of_title(title))
    }

    /// Pages of a host that it has learnt from.
    pub fn pages_of(&self, host: &str) -> u64 {
        self.hosts.get(host).map_or(0, |memory| memory.pages)
    }
}

/// The text of the first block of a page's own, where that is a heading.
fn leading_heading<'b>(blocks: &'b [Block], is_own: &[bool]) -> Option<&'b str> {
    match &blocks[is_own.iter().position(|&own| own)?] {
        Block::Heading { text, .. } => Some(text.trim()).filter(|text| !text.is_empty()),
        _ => None,
    }
}

/// Keeps in a page's text what stands between two texts of its own, and a line that leads to the first.
fn keep_amid(kept: &mut [bool], is_own: &[bool], blocks: &[Block]) {
    let is_own_text = |&at: &usize| is_own[at] && key(&blocks[at]).is_some();
    let Some(first) = (0..blocks.len()).find(is_own_text) else {
        return;
    };
    let last = (0..blocks.len()).rfind(is_own_text).unwrap_or(first);
    kept[first..=last].fill(true);
    if let Some(before) = first.checked_sub(1) {
        kept[before] |= leads_on(&blocks[before]);
    }
}

/// Whether a line says by its form that it leads to the block behind it: it ends with a colon, or begins with
/// the number of a section ("1. Buyer", "二、", "（三）").
fn leads_on(block: &Block) -> bool {
    let Block::Paragraph { text } = block else {
        return false;
    };
    let text = text.trim();
    let is_digit = |c: char| c.is_ascii_digit() || "一二三四五六七八九十".contains(c);
    let number = text.trim_start_matches(['(', '（']);
    let behind = number.trim_start_matches(is_digit);
    let has_number = behind.len() < number.len()
        && behind.starts_with(['.', '、', ')', '）', '．'])
        && behind.chars().any(char::is_alphabetic);
    text.len() <= LINE_BYTES_MAX && (text.ends_with([':', '：']) || has_number)
}

fn only(blocks: &[Block], wanted: &[bool]) -> Vec<Block> {
    let wanted = blocks.iter().zip(wanted).filter(|(_, wanted)| **wanted);
    wanted.map(|(block, _)| block.clone()).collect()
}

/// Whether a text has some twenty words.
fn has_enough(text: &str) -> bool {
    CharCounts::of(text).weight >= OWN_WEIGHT_MIN
}

/// What is known of a page's host and of its part.
struct Known<'a>(Vec<&'a HostCounts>);

impl<'a> Known<'a> {
    fn of(known: &[(&'a HostTemplates, &str)]) -> Known<'a> {
        let known = known.iter().filter_map(|(of, name)| of.hosts.get(*name));
        Known(known.filter(|part| !part.template.is_empty()).collect())
    }

    fn cuts(&self, key: Option<u32>) -> bool {
        let has = |part: &&HostCounts, key| part.template.binary_search(&key).is_ok();
        key.is_some_and(|key| self.0.iter().any(|part| has(part, key)))
    }

    fn is_everywhere(&self, key: Option<u32>) -> bool {
        let has = |part: &&HostCounts, key| part.everywhere.binary_search(&key).is_ok();
        key.is_some_and(|key| self.0.iter().any(|part| has(part, key)))
    }

    /// By which blocks of a page it is compared, by which of them are its own.
    fn kept(&self, is_own: &[bool], keys: &[Option<u32>], blocks: &[Block]) -> Vec<bool> {
        let mut kept = is_own.to_vec();
        let (Some(first), Some(last)) = (
            is_own.iter().position(|&own| own),
            is_own.iter().rposition(|&own| own),
        ) else {
            return kept;
        };
        for at in (first..last).rev() {
            let heads_kept = matches!(blocks[at], Block::Heading { .. }) && kept[at + 1];
            kept[at] |= heads_kept || !self.is_everywhere(keys[at]);
        }
        kept
    }
}

impl HostCounts {
    fn count(&mut self, keys: &BlockKeys) {
        self.pages += 1;
        self.counted += 1;
        for key in keys.distinct() {
            *self.counts.entry(key).or_default() += 1;
        }
        if self.counted >= PAGES_MIN && self.counted.is_power_of_two() {
            self.checkpoint();
        }
    }

    /// Sets the template to the blocks on more than half of the pages counted, of which those on more than
    /// nine in ten are everywhere, and forgets the blocks on less than a quarter.
    fn checkpoint(&mut self) {
        let counted = self.counted;
        // The first template may come from few pages. A later one replaces it only if counted over as
        // many pages: those of the whole period, or all pages so far.
        if counted == PAGES_MAX || self.pages == u64::from(counted) {
            let on_more_than = |share: u32, of: u32| {
                let counts = self.counts.iter();
                let many = counts.filter(|&(_, &count)| count * of > counted * share);
                many.map(|(&key, _)| key).collect()
            };
            self.template = on_more_than(1, 2);
            self.everywhere = on_more_than(9, 10);
        }
        if counted == PAGES_MAX {
            self.counted = 0;
            self.counts.clear();
        } else {
            self.counts.retain(|_, count| *count * 4 >= counted);
        }
    }
}

#[cfg(test)]
mod tests;

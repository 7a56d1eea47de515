//! Bounds for the HTML parser, so that no page of a few hundred kilobytes takes minutes.
//!
//! The standard's algorithm, which html5ever follows, takes quadratic time on some input: each
//! attribute is compared with all earlier ones of its tag, each tag walks the stack of open
//! elements, and open formatting elements are created anew in every block. So there are bounds in
//! three places on the way:
//!
//! ```text
//!   Tokenizer ─────────► TokenGate ──────► TreeBuilder ─────► WorkMeter ─────► Html
//!   limits the           limits the        (html5ever)        counts looks at
//!   attributes           depth; stops                         elements and
//!   of a tag             at a limit                           new nodes
//! ```
//!
//! No bound depends on a clock. Work is counted in units that take about the same time each (looks
//! at an element, comparisons, nodes), and parsing stops where the budget is used up. So a page
//! gives the same tree on every machine.
//!
//! The depth is limited as browsers do it: an element that is too deep is closed as soon as it is
//! opened. It keeps its attributes, so a link is still a link; its content becomes its sibling.

pub(crate) mod token_gate;
pub(crate) mod work_meter;

/// The bounds on parsing one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomLimits {
    /// Bytes of markup that are read. The fetcher's limit on bodies comes first; decoding may triple
    /// their size.
    pub html_bytes_max: usize,
    /// The markup was cut before it came here: what is open at its end may have ended in what is missing.
    pub is_part: bool,
    /// Attributes of one tag; further ones are dropped. Real pages stay below 100. The parser
    /// compares each with all before it: 1,024 take half a million comparisons, 200,000 a minute.
    pub attributes_max: usize,
    /// Comparisons of attributes on the whole page; once they are used up,
    /// [`Self::attributes_max_late`] applies. Each takes about 1 ns.
    pub attribute_work_max: u64,
    /// Attributes of one tag after [`Self::attribute_work_max`] is used up.
    pub attributes_max_late: usize,
    /// Attributes of all tags together; parsing stops there. Each takes 40 bytes of memory, and with
    /// names of one letter ten megabytes of markup could hold five million.
    pub page_attributes_max: u64,
    /// Elements open at a time, with the formatting elements that wait to be reopened; a quarter of
    /// this for formatting elements alone. Browsers stop at 512, too.
    pub depth_max: usize,
    /// Nodes created, including those that are dropped again. Half a million take some 100 MB and
    /// 120 ms; a normal page of 5 MB has 100,000 to 400,000.
    pub nodes_max: u64,
    /// Units of work, of about 3 ns each: a look at an open element is one unit. A normal page needs
    /// about one unit a byte or less.
    pub work_max: u64,
}

impl DomLimits {
    /// The default limits.
    pub const DEFAULT: DomLimits = DomLimits {
        html_bytes_max: 32 << 20,
        is_part: false,
        attributes_max: 1024,
        attribute_work_max: 16_000_000,
        attributes_max_late: 64,
        page_attributes_max: 1_000_000,
        depth_max: 512,
        nodes_max: 500_000,
        work_max: 30_000_000,
    };
}

impl Default for DomLimits {
    fn default() -> Self {
        DomLimits::DEFAULT
    }
}

//! Bounds for the HTML parser: a page of a few hundred kilobytes must not cost minutes.
//!
//! html5ever follows the standard, and the standard has costs that grow with the square of the
//! input: each attribute is compared with the tag's earlier ones, each tag walks the open
//! elements, and open formatting elements are made anew in every block. So there are bounds in
//! three places on the way:
//!
//! ```text
//!   Tokenizer ──────────────► TokenGate ────────► TreeBuilder ────────► WorkMeter ─► Html
//!   drops attributes          flattens       (html5ever)           counts
//!   above so many a tag       at depth,                            every look
//!   (`tokens`)                stops                                and node
//! ```
//!
//! Nothing here looks at a clock. Work is counted in the units that cost the time (looks at an
//! element, comparisons, nodes), and a page is cut where its budget ends, so the same page gives
//! the same tree on every machine.
//!
//! Flattening is what browsers do: beyond the depth an element is closed as soon as it is opened.
//! Its attributes stay (a link is still a link), its content becomes its following sibling.

pub(crate) mod token_gate;
pub(crate) mod work_meter;

/// How much of a page the parser may build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomLimits {
    /// Bytes of markup read. The body limit of the fetcher comes first; decoding may triple it.
    pub html_bytes_max: usize,
    /// Attributes of one tag; the rest of the tag is dropped. Real pages stay below 100. The
    /// parser compares each with all before it: 1,024 cost half a million comparisons, 200,000 a
    /// minute.
    pub attributes_max: usize,
    /// Comparisons of attributes over the whole page, after which [`Self::attributes_max_late`]
    /// holds. At about 1 ns each.
    pub attribute_work_max: u64,
    /// Attributes of one tag once the page has used up its comparisons.
    pub attributes_max_late: usize,
    /// Attributes kept of all tags together, after which parsing stops. At 40 bytes each; the names
    /// may be single letters, so ten megabytes of markup could hold five million.
    pub page_attributes_max: u64,
    /// Elements open at a time, formatting elements waiting to be reopened included; a quarter of
    /// it for formatting elements. Browsers stop at 512 too.
    pub depth_max: usize,
    /// Nodes made, dropped ones included. Half a million take some 100 MB and 120 ms; an honest
    /// page of 5 MB has 100,000 to 400,000.
    pub nodes_max: u64,
    /// Units of work, where a look at an open element is one, at some 3 ns each. An honest page
    /// needs about 1 unit a byte or less.
    pub work_max: u64,
}

impl DomLimits {
    /// The limits that hold where nothing else is said.
    pub const DEFAULT: DomLimits = DomLimits {
        html_bytes_max: 32 << 20,
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

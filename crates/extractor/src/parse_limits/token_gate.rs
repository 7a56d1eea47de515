//! The gate between tokenizer and tree builder: it flattens elements that are too deep, and passes no
//! more tokens once a limit on nodes, attributes or work is met.

use std::cell::Cell;

use ego_tree::NodeId;
use html5ever::local_name;
use html5ever::tokenizer::{EndTag, StartTag, Tag, TagToken, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{Tracer, TreeBuilder};

use super::DomLimits;
use super::work_meter::{WorkCounts, WorkMeter};

/// Units of work for copying and sorting one attribute of a formatting element; measured.
const SORTED_ATTRIBUTE_UNITS: u64 = 12;

/// A tree builder behind bounds.
pub(crate) struct TokenGate {
    pub builder: TreeBuilder<NodeId, WorkMeter>,
    limits: DomLimits,
    /// Start tags that may pass before the open elements are counted again.
    until_count: Cell<usize>,
    stopped: Cell<Option<&'static str>>,
    flattened: Cell<bool>,
}

impl TokenGate {
    pub fn new(builder: TreeBuilder<NodeId, WorkMeter>, limits: DomLimits) -> TokenGate {
        TokenGate {
            builder,
            limits,
            until_count: Cell::new(0),
            stopped: Cell::new(None),
            flattened: Cell::new(false),
        }
    }

    /// The limit that ended parsing, if one did.
    pub fn stopped(&self) -> Option<&'static str> {
        self.stopped.get()
    }

    /// Whether elements were closed early because they stood too deep.
    pub fn flattened(&self) -> bool {
        self.flattened.get()
    }

    fn counts(&self) -> &WorkCounts {
        &self.builder.sink.counts
    }

    fn start_tag(&self, tag: Tag, line: u64) -> TokenSinkResult<NodeId> {
        if is_formatting(&tag) {
            self.charge_comparisons(&tag);
        }
        let until_count = self.until_count.get();
        if until_count > 0 {
            self.until_count.set(until_count - 1);
            return self.pass(TagToken(tag), line);
        }
        let before = self.count_open();
        // All formatting elements that are left open are created anew in every later block. Links are
        // not, since the next link closes them.
        let open_max = if is_formatting(&tag) && tag.name != local_name!("a") {
            self.limits.depth_max / 4
        } else {
            self.limits.depth_max
        };
        if before < open_max {
            // Each start tag adds at most one open element and one formatting element, and one start
            // tag may reopen all formatting elements.
            let room = (self.limits.depth_max / 4).saturating_sub(2 * before) / 2;
            self.until_count.set(room);
            return self.pass(TagToken(tag), line);
        }
        self.flatten(tag, before, line)
    }

    /// Charges the work of the tree builder for a formatting element: it is compared with each open
    /// one of its name, and the attributes of both are copied and sorted each time.
    fn charge_comparisons(&self, tag: &Tag) {
        struct Compare<'g> {
            meter: &'g WorkMeter,
            tag: &'g Tag,
            units: Cell<u64>,
        }
        impl Tracer for Compare<'_> {
            type Handle = NodeId;
            fn trace_handle(&self, node: &NodeId) {
                let own = self.tag.attrs.len();
                let units = match self.meter.attributes_if_named(*node, &self.tag.name) {
                    Some(attributes) => (1 + own + attributes) as u64 * SORTED_ATTRIBUTE_UNITS,
                    None => 1,
                };
                self.units.set(self.units.get() + units);
            }
        }
        let compare = Compare {
            meter: &self.builder.sink,
            tag,
            units: Cell::new(0),
        };
        self.builder.trace_handles(&compare);
        self.counts().charge(compare.units.get());
    }

    /// Opens an element and closes it at once, unless the tree builder did not leave it open.
    fn flatten(&self, tag: Tag, before: usize, line: u64) -> TokenSinkResult<NodeId> {
        let closing = Tag {
            kind: EndTag,
            name: tag.name.clone(),
            self_closing: false,
            attrs: Vec::new(),
            had_duplicate_attributes: false,
        };
        let result = self.pass(TagToken(tag), line);
        // An element with raw text needs no closing: nothing can be nested in it.
        if result == TokenSinkResult::Continue && self.count_open() > before {
            self.flattened.set(true);
            let _ = self.pass(TagToken(closing), line);
            if self.count_open() > 2 * self.limits.depth_max {
                self.stopped.set(Some("dom_depth"));
            }
        }
        result
    }

    fn pass(&self, token: Token, line: u64) -> TokenSinkResult<NodeId> {
        let result = self.builder.process_token(token, line);
        let counts = self.counts();
        if counts.work.get() > self.limits.work_max {
            self.stopped.set(Some("dom_work"));
        } else if counts.nodes.get() > self.limits.nodes_max {
            self.stopped.set(Some("dom_nodes"));
        } else if counts.attributes.get() > self.limits.page_attributes_max {
            self.stopped.set(Some("dom_attributes"));
        }
        result
    }

    fn count_open(&self) -> usize {
        struct Count(Cell<usize>);
        impl Tracer for Count {
            type Handle = NodeId;
            fn trace_handle(&self, _node: &NodeId) {
                self.0.set(self.0.get() + 1);
            }
        }
        let count = Count(Cell::new(0));
        self.builder.trace_handles(&count);
        let open = count.0.get();
        self.counts().charge(open as u64 / 4);
        open
    }
}

impl TokenSink for TokenGate {
    type Handle = NodeId;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<NodeId> {
        match token {
            Token::EOFToken => self.builder.process_token(token, line),
            _ if self.stopped.get().is_some() => TokenSinkResult::Continue,
            Token::ParseError(_) => TokenSinkResult::Continue,
            TagToken(tag) if tag.kind == StartTag => self.start_tag(tag, line),
            TagToken(_)
            | Token::DoctypeToken(_)
            | Token::CommentToken(_)
            | Token::CharacterTokens(_)
            | Token::NullCharacterToken => self.pass(token, line),
        }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

fn is_formatting(tag: &Tag) -> bool {
    matches!(
        tag.name,
        local_name!("a")
            | local_name!("b")
            | local_name!("big")
            | local_name!("code")
            | local_name!("em")
            | local_name!("font")
            | local_name!("i")
            | local_name!("nobr")
            | local_name!("s")
            | local_name!("small")
            | local_name!("strike")
            | local_name!("strong")
            | local_name!("tt")
            | local_name!("u")
    )
}

//! The work meter: a tree sink that counts the calls of the tree builder and passes them on.
//!
//! The tree builder asks the sink for the name of every open element that it looks at. Counting
//! these calls measures its quadratic work exactly, whatever rule of the standard causes it.

use std::borrow::Cow;
use std::cell::{Cell, Ref};

use ego_tree::NodeId;
use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, LocalName, QualName};
use scraper::{Html, HtmlTreeSink, Node};

/// Units of work for a node: it is allocated, and every later pass over the tree visits it.
const NODE_UNITS: u64 = 8;

/// The most attributes of an `<html>` or `<body>` element to which repeated tags add theirs. Each is
/// inserted into a sorted list, so half a million of them would move terabytes.
const MERGED_ATTRIBUTES_MAX: usize = 256;

/// Counts of what has been built so far.
#[derive(Debug, Default)]
pub(crate) struct WorkCounts {
    /// Units of work.
    pub work: Cell<u64>,
    /// Nodes made.
    pub nodes: Cell<u64>,
    /// Attributes kept.
    pub attributes: Cell<u64>,
}

impl WorkCounts {
    /// Adds units of work.
    pub fn charge(&self, units: u64) {
        self.work.set(self.work.get() + units);
    }

    fn node(&self, attributes: usize) {
        self.nodes.set(self.nodes.get() + 1);
        self.attributes
            .set(self.attributes.get() + attributes as u64);
        self.charge(NODE_UNITS + 4 * attributes as u64);
    }
}

/// An [`HtmlTreeSink`] whose calls are counted.
#[derive(Debug)]
pub(crate) struct WorkMeter {
    sink: HtmlTreeSink,
    pub counts: WorkCounts,
}

impl WorkMeter {
    pub fn new() -> WorkMeter {
        WorkMeter {
            sink: HtmlTreeSink::new(Html::new_document()),
            counts: WorkCounts::default(),
        }
    }
}

impl TreeSink for WorkMeter {
    type Handle = NodeId;
    type Output = (Html, WorkCounts);
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> (Html, WorkCounts) {
        (self.sink.finish(), self.counts)
    }

    // Parse errors are ignored: a page can have one for every byte.
    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        self.sink.get_document()
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Ref<'a, QualName> {
        self.counts.charge(1);
        self.sink.elem_name(target)
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> NodeId {
        self.counts.node(attributes.len());
        self.sink.create_element(name, attributes, flags)
    }

    fn create_comment(&self, text: StrTendril) -> NodeId {
        self.counts.node(0);
        self.sink.create_comment(text)
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> NodeId {
        self.counts.node(0);
        self.sink.create_pi(target, data)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.text(&child);
        self.sink.append(parent, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &NodeId,
        previous: &NodeId,
        child: NodeOrText<NodeId>,
    ) {
        self.text(&child);
        self.sink
            .append_based_on_parent_node(element, previous, child);
    }

    fn append_doctype_to_document(
        &self,
        name: StrTendril,
        public_id: StrTendril,
        system_id: StrTendril,
    ) {
        self.sink
            .append_doctype_to_document(name, public_id, system_id);
    }

    fn mark_script_already_started(&self, node: &NodeId) {
        self.sink.mark_script_already_started(node);
    }

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        self.sink.get_template_contents(target)
    }

    fn same_node(&self, one: &NodeId, other: &NodeId) -> bool {
        self.counts.charge(1);
        self.sink.same_node(one, other)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.sink.set_quirks_mode(mode);
    }

    fn append_before_sibling(&self, sibling: &NodeId, new_node: NodeOrText<NodeId>) {
        self.text(&new_node);
        self.sink.append_before_sibling(sibling, new_node);
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attributes: Vec<Attribute>) {
        let present = match self
            .sink
            .0
            .borrow()
            .tree
            .get(*target)
            .map(|node| node.value())
        {
            Some(Node::Element(element)) => element.attrs.len(),
            _ => return,
        };
        let room = MERGED_ATTRIBUTES_MAX.saturating_sub(present);
        let added: Vec<Attribute> = attributes.into_iter().take(room).collect();
        self.counts
            .charge((added.len() * MERGED_ATTRIBUTES_MAX / 16) as u64);
        self.sink.add_attrs_if_missing(target, added);
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.counts.charge(1);
        self.sink.remove_from_parent(target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        let moved = match self.sink.0.borrow().tree.get(*node) {
            Some(node) => node.children().count(),
            None => 0,
        };
        self.counts.charge(moved as u64);
        self.sink.reparent_children(node, new_parent);
    }
}

impl WorkMeter {
    /// The number of attributes of an element, if it has that name.
    pub fn attributes_if_named(&self, node: NodeId, name: &LocalName) -> Option<usize> {
        match self.sink.0.borrow().tree.get(node)?.value() {
            Node::Element(element) if element.name.local == *name => Some(element.attrs.len()),
            _ => None,
        }
    }

    /// Charges for an appended child. Text may be merged with the text before it, but is charged as a
    /// node.
    fn text(&self, child: &NodeOrText<NodeId>) {
        match child {
            NodeOrText::AppendText(_) => self.counts.node(0),
            NodeOrText::AppendNode(_) => self.counts.charge(1),
        }
    }
}

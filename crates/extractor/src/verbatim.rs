//! Code to the character, read from the tree: runs drop blank lines and the blanks before a line's
//! first word where markup colours them.

use ego_tree::{NodeId, NodeRef};
use html5ever::{LocalName, local_name};
use scraper::{Html, Node, node::Element};

use crate::dom::Attributes;
use crate::line_numbers;
use crate::tag::Tag;

/// Bytes of one listing that are kept.
const BYTES_MAX: usize = 1 << 20;

/// The text of a `<pre>` as a browser shows it: its line breaks and blanks, a line for each block
/// inside, without line numbers and buttons. Empty lines at both ends and blanks at the end are cut.
pub(crate) fn text_of(html: &Html, pre: NodeId) -> String {
    let mut out = String::new();
    let Some(root) = html.tree.get(pre) else {
        return out;
    };
    let mut node = root;
    loop {
        let goes_in = enter(node, &mut out);
        if let (true, Some(child)) = (goes_in, node.first_child()) {
            node = child;
            continue;
        }
        loop {
            if node.id() == root.id() || out.len() > BYTES_MAX {
                return cut(&out);
            }
            leave(node, &mut out);
            if let Some(next) = node.next_sibling() {
                node = next;
                break;
            }
            node = node.parent().unwrap_or(root);
        }
    }
}

fn cut(text: &str) -> String {
    text.trim_end().trim_start_matches(['\n', '\r']).to_owned()
}

/// Reads a node; returns whether to go into it.
fn enter(node: NodeRef<'_, Node>, out: &mut String) -> bool {
    match node.value() {
        Node::Text(text) => {
            out.push_str(&text.replace('\u{200b}', ""));
            false
        }
        Node::Element(element) => match element.name.local {
            local_name!("br") => {
                out.push('\n');
                false
            }
            local_name!("script")
            | local_name!("style")
            | local_name!("button")
            | local_name!("svg") => false,
            _ if is_no_code(node, element) || line_numbers::is_anchor(node) => false,
            _ => {
                if is_line(element) {
                    begin_line(out);
                }
                true
            }
        },
        Node::Document | Node::Fragment => true,
        Node::Doctype(_) | Node::Comment(_) | Node::ProcessingInstruction(_) => false,
    }
}

fn leave(node: NodeRef<'_, Node>, out: &mut String) {
    if let Node::Element(element) = node.value()
        && is_line(element)
    {
        // An empty block is an empty line in most listings.
        let is_empty = node.first_child().is_none();
        if is_empty || !out.ends_with('\n') {
            out.push('\n');
        }
    }
}

fn begin_line(out: &mut String) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}

/// Whether an element is a line of its own.
fn is_line(element: &Element) -> bool {
    let tag = Tag::of(&element.name.local);
    tag.is_block()
        && !matches!(
            tag,
            Tag::Pre | Tag::Td | Tag::Th | Tag::Table | Tag::Tbody | Tag::Custom
        )
}

/// Line numbers, and what a script put beside the code.
fn is_no_code(node: NodeRef<'_, Node>, element: &Element) -> bool {
    const NAMES: [&str; 14] = [
        "lineno",
        "line-number",
        "linenumber",
        "line-numbers-rows",
        "gutter",
        "linenos",
        "lnt",
        "ln-num",
        "hljs-ln-n",
        "blob-num",
        "copy",
        "toolbar",
        "pre-numbering",
        "sr-only",
    ];
    let class = element.attribute(&local_name!("class")).unwrap_or("");
    let is_named = NAMES.iter().any(|name| class.contains(name));
    let mut names = class.split_ascii_whitespace();
    if !is_named && !names.any(|name| matches!(name, "ln" | "lnum" | "lno" | "hl-ln")) {
        return false;
    }
    let is_aside = ["copy", "toolbar", "sr-only"]
        .iter()
        .any(|name| class.contains(name));
    line_numbers::has_only_numbers(node) || is_aside && Tag::of(&element.name.local) != Tag::Code
}

/// The programming language that a listing's markup names: in the classes or attributes of the `<pre>`,
/// of its first child and of the elements around it.
pub(crate) fn language_of(html: &Html, pre: NodeId) -> String {
    let Some(pre) = html.tree.get(pre) else {
        return String::new();
    };
    let inside = pre
        .children()
        .filter(|child| child.value().is_element())
        .take(1);
    // A listing in a table with its numbers is far from what names its language; beyond a section the
    // names are the page's.
    let is_inside = |node: &NodeRef<'_, Node>| {
        let tag = node
            .value()
            .as_element()
            .map(|element| Tag::of(&element.name.local));
        !matches!(
            tag,
            Some(Tag::Body | Tag::Html | Tag::Main | Tag::Article | Tag::Section)
        )
    };
    let around = pre.ancestors().take(9).take_while(is_inside);
    let mut named = std::iter::once(pre).chain(inside).chain(around);
    let found = named.find_map(|node| node.value().as_element().and_then(named_language));
    found.unwrap_or_default()
}

fn named_language(element: &Element) -> Option<String> {
    for name in ["data-lang", "data-language", "data-code-language"] {
        let value = element.attribute(&LocalName::from(name));
        if let Some(language) = value.and_then(plausible) {
            return Some(language);
        }
    }
    let class = element.attribute(&local_name!("class"))?;
    let names: Vec<&str> = class.split_ascii_whitespace().take(12).collect();
    for name in &names {
        for prefix in ["language-", "lang-", "highlight-source-", "sourceCode-"] {
            if let Some(language) = name.strip_prefix(prefix).and_then(plausible) {
                return Some(language);
            }
        }
    }
    let after = |brush: &str| class.split(brush).nth(1).map(|rest| rest.trim_start());
    if let Some(rest) = after("brush:") {
        let end = rest.find([';', ' ']).unwrap_or(rest.len());
        return plausible(&rest[..end]);
    }
    // Beside the highlighter's own name stands the language: `highlight java`, `hljs python`.
    let is_highlighter = names.iter().any(|name| {
        matches!(
            *name,
            "highlight" | "hljs" | "sourceCode" | "prettyprint" | "codehilite" | "prism" | "shiki"
        )
    });
    let mut others = names
        .iter()
        .filter(|name| is_highlighter && KNOWN.contains(name));
    let known = others.next().copied();
    known
        .or_else(|| {
            let is_code = element.name.local == local_name!("code")
                || element.name.local == local_name!("pre");
            names
                .iter()
                .find(|name| is_code && KNOWN.contains(name))
                .copied()
        })
        .map(str::to_owned)
        .or_else(|| {
            let of_highlight = names
                .iter()
                .find_map(|name| name.strip_prefix("highlight-"));
            of_highlight
                .filter(|name| KNOWN.contains(name))
                .map(str::to_owned)
        })
}

fn plausible(name: &str) -> Option<String> {
    let name = name.trim();
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"+-#_.".contains(&byte);
    let fits = !name.is_empty() && name.len() <= 20 && name.bytes().all(is_name);
    let says = !matches!(name, "none" | "plaintext" | "default" | "highlight");
    (fits && says).then(|| name.to_ascii_lowercase())
}

/// Names of languages that stand as a class by themselves.
const KNOWN: [&str; 60] = [
    "bash",
    "shell",
    "sh",
    "zsh",
    "console",
    "powershell",
    "c",
    "cpp",
    "c++",
    "csharp",
    "cs",
    "objectivec",
    "swift",
    "java",
    "kotlin",
    "scala",
    "groovy",
    "clojure",
    "go",
    "golang",
    "rust",
    "zig",
    "python",
    "py",
    "ruby",
    "perl",
    "php",
    "lua",
    "r",
    "julia",
    "matlab",
    "javascript",
    "js",
    "typescript",
    "ts",
    "jsx",
    "tsx",
    "html",
    "xml",
    "css",
    "scss",
    "less",
    "json",
    "yaml",
    "yml",
    "toml",
    "ini",
    "sql",
    "plsql",
    "haskell",
    "elixir",
    "erlang",
    "ocaml",
    "fsharp",
    "dart",
    "diff",
    "makefile",
    "dockerfile",
    "nginx",
    "vim",
];

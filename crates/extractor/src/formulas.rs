//! Formulas: MathML and what KaTeX, MathJax, LaTeXML and MediaWiki make of TeX, as TeX again.
//!
//! Such a formula stands on a page as a tree of its signs, often with its source beside it, so that its
//! text reads "E = m c 2 E=mc^2". Here the source stands for all of it; MathML without one is written
//! as TeX.

use std::ops::Range;
use std::sync::LazyLock;

use ego_tree::NodeRef;
use html5ever::local_name;
use regex::Regex;
use scraper::{Html, Node, node::Element};

use crate::dom::Attributes;
use crate::flat_dom::{ElementIndex, FlatDom, NO_ELEMENT, Run, Traits};
use crate::tag::Tag;

/// Formulas of a page that are read.
const FORMULAS_MAX: usize = 4_000;
/// Elements that look like formulas and are none, until no more are looked for: each is read whole, and
/// they may stand in each other.
const FAILURES_MAX: usize = 100;
/// Bytes of one formula.
const TEX_BYTES_MAX: usize = 8 << 10;
/// Depth of MathML that is written as TeX.
const DEPTH_MAX: u32 = 40;

/// The formulas of a page.
pub(crate) struct Formulas {
    /// Elements and their TeX, in document order.
    found: Vec<Formula>,
}

pub(crate) struct Formula {
    at: ElementIndex,
    end: ElementIndex,
    pub tex: String,
    /// It stands on a line of its own.
    pub display: bool,
}

impl Formulas {
    /// Finds the formulas of a page; on most pages there is none.
    pub(crate) fn of(html: &Html, flat: &FlatDom<'_>) -> Formulas {
        let mut found: Vec<Formula> = Vec::new();
        let (mut after, mut failures) = (0, 0);
        for (index, element) in flat.elements.iter().enumerate() {
            let is_enough = found.len() >= FORMULAS_MAX || failures >= FAILURES_MAX;
            if index < after || is_enough || !element.traits.has(Traits::FORMULA) {
                continue;
            }
            let Some(tex) = tex_of(html, flat, index) else {
                failures += 1;
                continue;
            };
            after = element.end as usize;
            found.push(Formula {
                at: index as ElementIndex,
                end: element.end,
                tex,
                display: is_display(flat, index as ElementIndex),
            });
        }
        Formulas { found }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The TeX of all of them.
    pub(crate) fn into_tex(self) -> impl Iterator<Item = String> {
        self.found.into_iter().map(|formula| formula.tex)
    }

    fn around(&self, element: ElementIndex) -> Option<&Formula> {
        let after = self.found.partition_point(|formula| formula.at <= element);
        let formula = self.found.get(after.checked_sub(1)?)?;
        (element < formula.end).then_some(formula)
    }

    /// The text of a run with each formula as `$TeX$`; the formula itself where the run is nothing else.
    pub(crate) fn text(&self, flat: &FlatDom<'_>, run: &Run) -> Option<Result<&Formula, String>> {
        let pieces = &flat.pieces[run.pieces.start as usize..run.pieces.end as usize];
        if !pieces
            .iter()
            .any(|piece| self.around(piece.element).is_some())
        {
            return None;
        }
        let mut out = String::new();
        let mut last = NO_ELEMENT;
        let mut alone = true;
        for piece in pieces {
            match self.around(piece.element) {
                Some(formula) if formula.at == last => {}
                Some(formula) => {
                    alone &= last == NO_ELEMENT;
                    last = formula.at;
                    out.push('$');
                    out.push_str(&formula.tex);
                    out.push('$');
                }
                None if piece.text.is_empty() => out.push('\n'),
                None => {
                    let is_sign = piece.text.trim().chars().all(|c| c.is_ascii_punctuation());
                    alone &= is_sign && piece.text.trim().len() <= 1;
                    crate::whitespace::push_collapsed(&mut out, piece.text);
                }
            }
        }
        let only = self.found.iter().find(|formula| formula.at == last);
        match only.filter(|formula| alone && formula.display) {
            Some(formula) => Some(Ok(formula)),
            None => Some(Err(out.trim_end().to_owned())),
        }
    }
}

/// What stands between each dollar of a text and the next one, with its place, dollars included.
pub(crate) fn between_dollars(text: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    let mut dollars = text.match_indices('$').map(|(at, _)| at).peekable();
    std::iter::from_fn(move || {
        let start = dollars.next()?;
        let end = *dollars.peek()?;
        Some((&text[start + 1..end], start..end + 1))
    })
}

/// What a text has between two dollars, if it may be TeX that a script will set: without blanks inside of them, and with
/// a sign that TeX has and prices have not.
pub(crate) fn unset(text: &str) -> impl Iterator<Item = &str> {
    let is_tight = |tex: &str| tex.trim() == tex && !tex.is_empty();
    let found = between_dollars(text).map(|(tex, _)| tex);
    found.filter(move |tex| is_tight(tex) && tex.contains(['\\', '^', '_']))
}

/// What tells of a program that sets the TeX in a page's text, in its script's file name or words, or in its styles'.
static SETS_TEX: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)mathjax|katex|rendermathinelement").expect("a constant pattern")
});

/// A script's file that is named for mathematics, as builders bundle those programs.
static MATH_FILE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:^|/)math(?:[.-][\w.-]*)?\.m?js(?:[?#]|$)").expect("a constant pattern")
});

/// Whether a page loads a program that sets the TeX in its text.
pub(crate) fn sets_tex(html: &Html) -> bool {
    html.tree.nodes().any(|node| {
        let Some(element) = node.value().as_element() else {
            return false;
        };
        let value = |name| element.attribute(&name).unwrap_or("");
        if element.name.local == local_name!("link") {
            return SETS_TEX.is_match(value(local_name!("href")));
        }
        if element.name.local != local_name!("script") {
            return false;
        }
        let source = value(local_name!("src"));
        let is_data = value(local_name!("type")).contains("json");
        let words = || node.children().filter_map(|child| child.value().as_text());
        SETS_TEX.is_match(source)
            || MATH_FILE.is_match(source)
            || !is_data && words().any(|text| SETS_TEX.is_match(text))
    })
}

/// Whether an element stands for a formula, with all that is in it: see [`Traits::FORMULA`].
pub(crate) fn is_formula(element: &Element) -> bool {
    let class = element.attribute(&local_name!("class")).unwrap_or("");
    is_tex_script(element) || is_formula_name(element.name()) || is_formula_class(class)
}

pub(crate) fn is_formula_name(name: &str) -> bool {
    name == "math" || name == "mjx-container"
}

/// Whether a class list has the class of a formula.
pub(crate) fn is_formula_class(class: &str) -> bool {
    // Few pages have any: most classes are passed by at a glance.
    if !(class.contains("ath") || class.contains("katex")) {
        return false;
    }
    class.split_ascii_whitespace().any(|class| {
        matches!(
            class,
            "katex"
                | "katex-display"
                | "mwe-math-element"
                | "MathJax"
                | "MathJax_Display"
                | "mathjax"
                | "ztext-math"
        )
    })
}

/// Whether an element is a formula on a line of its own.
pub(crate) fn is_displayed(flat: &FlatDom<'_>, at: ElementIndex) -> bool {
    flat.elements[at as usize].traits.has(Traits::FORMULA) && is_display(flat, at)
}

/// Whether an element is a script with the source of a formula, as MathJax 2 reads and leaves it:
/// `<script type="math/tex; mode=display">`.
pub(crate) fn is_tex_script(element: &Element) -> bool {
    element.name.local == local_name!("script") && tex_script_type(element).is_some()
}

/// What follows `math/tex` in a script's type.
fn tex_script_type(element: &Element) -> Option<&str> {
    let kind = element.attribute(&local_name!("type"))?.trim();
    let start = kind.get(..8)?;
    start.eq_ignore_ascii_case("math/tex").then(|| &kind[8..])
}

fn is_display(flat: &FlatDom<'_>, at: ElementIndex) -> bool {
    let element = &flat.elements[at as usize];
    let is_block = |index: ElementIndex| {
        let element = flat.elements[index as usize].element;
        let class = element.attribute(&local_name!("class")).unwrap_or("");
        let display = element.attribute(&local_name!("display"));
        class.contains("display")
            || tex_script_type(element).is_some_and(|rest| rest.contains("display"))
            || class.contains("mwe-math-element-block")
            || display.is_some_and(|d| d == "block" || d == "true")
    };
    let mut inside = at..element.end.min(at + 12);
    let mut around = flat.ancestors(at).take(3);
    inside.any(is_block) || around.any(is_block)
}

/// The TeX of a formula: from its annotation, its attributes or its picture, else from its MathML.
fn tex_of(html: &Html, flat: &FlatDom<'_>, at: usize) -> Option<String> {
    let whole = &flat.elements[at];
    let mut math = None;
    for index in at..whole.end as usize {
        let element = flat.elements[index].element;
        match element.name() {
            "annotation" => {
                let encoding = element.attribute(&local_name!("encoding")).unwrap_or("");
                let text = text_below(html.tree.get(flat.elements[index].id)?);
                if encoding.contains("tex") && !text.trim().is_empty() {
                    return Some(cleaned(&text));
                }
            }
            "script" => {
                let text = text_below(html.tree.get(flat.elements[index].id)?);
                return Some(cleaned(&text)).filter(|tex| !tex.is_empty());
            }
            "math" => {
                let alt = element.attrs().find(|(name, _)| *name == "alttext");
                if let Some((_, alt)) = alt.filter(|(_, alt)| !alt.trim().is_empty()) {
                    return Some(cleaned(alt));
                }
                math = math.or(Some(index));
            }
            _ => {}
        }
        for (name, value) in element.attrs() {
            let is_source = matches!(
                name,
                "data-tex" | "data-latex" | "data-math" | "data-formula"
            );
            let is_picture = flat.elements[index].tag == Tag::Img && name == "alt";
            if (is_source || is_picture) && !value.trim().is_empty() {
                return Some(cleaned(value));
            }
        }
    }
    let node = html.tree.get(flat.elements[math?].id)?;
    let mut out = String::new();
    write_tex(node, &mut out, 0);
    let out = cleaned(&out);
    (!out.is_empty()).then_some(out)
}

fn text_below(node: NodeRef<'_, Node>) -> String {
    let mut out = String::new();
    for below in node.descendants() {
        if let Node::Text(text) = below.value()
            && out.len() < TEX_BYTES_MAX
        {
            out.push_str(text);
        }
    }
    out
}

/// TeX on one line, without the wrapper that sets its size.
fn cleaned(tex: &str) -> String {
    let tex = crate::whitespace::collapsed(crate::bounded::byte_prefix(tex, TEX_BYTES_MAX));
    let tex = tex.trim().trim_matches('$').trim();
    for size in ["{\\displaystyle", "{\\textstyle", "{\\scriptstyle"] {
        if let Some(inner) = tex.strip_prefix(size).and_then(|tex| tex.strip_suffix('}')) {
            return inner.trim().to_owned();
        }
    }
    tex.to_owned()
}

/// Writes presentation MathML as TeX.
fn write_tex(node: NodeRef<'_, Node>, out: &mut String, depth: u32) {
    if depth > DEPTH_MAX || out.len() > TEX_BYTES_MAX {
        return;
    }
    let element = match node.value() {
        Node::Text(text) => return out.push_str(text.trim()),
        Node::Element(element) => element,
        _ => return,
    };
    let parts: Vec<NodeRef<'_, Node>> = node
        .children()
        .filter(|child| child.value().is_element())
        .collect();
    let part = |number: usize, out: &mut String| {
        if let Some(part) = parts.get(number) {
            out.push('{');
            write_tex(*part, out, depth + 1);
            out.push('}');
        }
    };
    match element.name() {
        "annotation" | "annotation-xml" => {}
        "mfrac" => {
            out.push_str("\\frac");
            part(0, out);
            part(1, out);
        }
        "msqrt" => {
            out.push_str("\\sqrt{");
            each(node, out, depth);
            out.push('}');
        }
        "mroot" => {
            out.push_str("\\sqrt[");
            if let Some(degree) = parts.get(1) {
                write_tex(*degree, out, depth + 1);
            }
            out.push(']');
            part(0, out);
        }
        name @ ("msup" | "msub" | "msubsup" | "munder" | "mover" | "munderover") => {
            if let Some(base) = parts.first() {
                write_tex(*base, out, depth + 1);
            }
            for (number, sign) in places(name).chars().enumerate() {
                out.push(sign);
                part(number + 1, out);
            }
        }
        "mtable" => {
            out.push_str("\\begin{matrix}");
            each(node, out, depth);
            out.push_str("\\end{matrix}");
        }
        "mtr" => {
            for (number, cell) in parts.iter().enumerate() {
                out.push_str(if number > 0 { " & " } else { "" });
                write_tex(*cell, out, depth + 1);
            }
            out.push_str(" \\\\ ");
        }
        "mtext" => {
            out.push_str("\\text{");
            out.push_str(text_below(node).trim());
            out.push('}');
        }
        "mspace" => out.push(' '),
        "mo" | "mi" | "mn" => push_sign(text_below(node).trim(), out),
        _ => each(node, out, depth),
    }
}

/// Where the second and third part of an element stand beside the first.
fn places(name: &str) -> &'static str {
    match name {
        "msup" | "mover" => "^",
        "msub" | "munder" => "_",
        _ => "_^",
    }
}

fn each(node: NodeRef<'_, Node>, out: &mut String, depth: u32) {
    for child in node.children() {
        write_tex(child, out, depth + 1);
    }
}

/// A sign, number or name; signs beyond ASCII by their TeX names.
fn push_sign(sign: &str, out: &mut String) {
    const NAMES: [(&str, &str); 50] = [
        ("α", "\\alpha"),
        ("β", "\\beta"),
        ("γ", "\\gamma"),
        ("δ", "\\delta"),
        ("ε", "\\epsilon"),
        ("θ", "\\theta"),
        ("λ", "\\lambda"),
        ("μ", "\\mu"),
        ("π", "\\pi"),
        ("ρ", "\\rho"),
        ("σ", "\\sigma"),
        ("τ", "\\tau"),
        ("φ", "\\phi"),
        ("ϕ", "\\phi"),
        ("χ", "\\chi"),
        ("ψ", "\\psi"),
        ("ω", "\\omega"),
        ("Γ", "\\Gamma"),
        ("Δ", "\\Delta"),
        ("Θ", "\\Theta"),
        ("Λ", "\\Lambda"),
        ("Σ", "\\Sigma"),
        ("Φ", "\\Phi"),
        ("Ψ", "\\Psi"),
        ("Ω", "\\Omega"),
        ("∑", "\\sum"),
        ("∏", "\\prod"),
        ("∫", "\\int"),
        ("∞", "\\infty"),
        ("∂", "\\partial"),
        ("∇", "\\nabla"),
        ("√", "\\sqrt"),
        ("≤", "\\le"),
        ("≥", "\\ge"),
        ("≠", "\\ne"),
        ("≈", "\\approx"),
        ("×", "\\times"),
        ("·", "\\cdot"),
        ("⋅", "\\cdot"),
        ("±", "\\pm"),
        ("→", "\\to"),
        ("⇒", "\\Rightarrow"),
        ("∈", "\\in"),
        ("∉", "\\notin"),
        ("⊂", "\\subset"),
        ("∪", "\\cup"),
        ("∩", "\\cap"),
        ("…", "\\dots"),
        ("−", "-"),
        ("\u{2061}", ""),
    ];
    match NAMES.iter().find(|(known, _)| *known == sign) {
        Some((_, name)) => {
            out.push_str(name);
            if name.starts_with('\\') {
                out.push(' ');
            }
        }
        None if sign.len() > 1 && sign.bytes().all(|byte| byte.is_ascii_alphabetic()) => {
            const FUNCTIONS: [&str; 12] = [
                "sin", "cos", "tan", "log", "ln", "exp", "lim", "max", "min", "det", "gcd", "mod",
            ];
            match FUNCTIONS.contains(&sign) {
                true => out.push_str(&format!("\\{sign} ")),
                false => out.push_str(&format!("\\mathrm{{{sign}}}")),
            }
        }
        None => out.push_str(sign),
    }
}

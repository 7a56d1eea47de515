//! Lists, tables and quotations at the end of an article, and the last items of those amid it.
//!
//! A short item is content by what stands around it, and the last ones of a page have nothing behind them.
//! So the forests drop the ingredients, the table or the motto that an article ends with, or some cells of
//! it. Two laws mend that. What is one for the reader stays one: of a list or table most of whose runs are
//! chosen the others are chosen, too. And what follows the chosen text in the innermost element around it,
//! with nothing but a heading or a short line between, belongs to it, unless it is made of links, bears the
//! marks of boilerplate, or stands in a part of its own.

use crate::assemble::is_data;
use crate::class_hints::Hint;
use crate::flat_dom::{ElementIndex, FlatDom, FlatElement, Traits};
use crate::line_markers::Marker;
use crate::page::PageType;
use crate::prefix_sums::{is_prose, share};
use crate::survey::Survey;
use crate::tag::Tag;

use super::listings::{
    LEADING_MAX, NO_LEAD, closes_box, container, is_other_part, is_running_text, leads,
};

/// The largest share of a block's text in links. With more it leads to other pages.
const LINKS_MAX: f32 = 0.3;
/// The most weight of a block that ends an article. A longer one has features of its own.
const WEIGHT_MAX: u32 = 1_500;
/// The most weight of a line that is told from text by its first word.
const LABEL_WEIGHT_MAX: u32 = 30;
/// The most runs of a list that is completed.
const RUNS_MAX: usize = 1_000;

/// What a list under an article is named that is not the article's, beside other parts of the page.
pub(super) const LABELS: [Hint; 6] = [
    Hint::Share,
    Hint::Tags,
    Hint::User,
    Hint::Byline,
    Hint::Control,
    Hint::Crumbs,
];

/// What both laws ask.
struct Chooser<'c, 'a> {
    flat: &'c FlatDom<'a>,
    survey: &'c Survey,
    /// For each run, the hash of its path of tags and classes.
    paths: &'c [u64],
    probability: &'c [f32],
}

/// Keeps the rest of lists and tables that are chosen for the most part, and the blocks behind the text.
/// Runs that a rule has dropped stay so.
pub(super) fn keep(
    flat: &FlatDom<'_>,
    survey: &Survey,
    paths: &[u64],
    page_type: &PageType,
    probability: &[f32],
    main: &mut [bool],
) {
    if !is_running_text(page_type) {
        return;
    }
    let chooser = Chooser {
        flat,
        survey,
        paths,
        probability,
    };
    chooser.complete(main);
    chooser.follow(main);
}

impl Chooser<'_, '_> {
    /// Chooses the rest of each list and table with at least half of its runs chosen, or a quarter of a list of names and
    /// values with prose of the text before it and behind it: an entry's facts.
    fn complete(&self, main: &mut [bool]) {
        let container = container(self.flat, main);
        let is_chosen_prose = |run: &usize| main[*run] && is_prose(&self.flat.runs[*run]);
        let first = (0..main.len()).find(is_chosen_prose);
        let last = (0..main.len()).rfind(is_chosen_prose);
        let (first, last) = (first.unwrap_or(main.len()), last.unwrap_or(0));
        let is_amid = |at: ElementIndex| {
            let element = &self.flat.elements[at as usize];
            let is_of_facts = element.tag == Tag::Dl;
            let is_within = first < element.first_run as usize && element.end_run as usize <= last;
            is_of_facts && is_within && container.is_some_and(|of| self.flat.contains(of, at))
        };
        for (at, element) in self.flat.elements.iter().enumerate() {
            let runs = element.first_run as usize..(element.end_run as usize).min(main.len());
            let kept = main[runs.clone()].iter().filter(|&&kept| kept).count();
            let is_whole = self.is_whole(at as ElementIndex);
            if !is_whole || kept == 0 || runs.len() > RUNS_MAX {
                continue;
            }
            let least = if is_amid(at as ElementIndex) { 4 } else { 2 };
            if kept * least >= runs.len() {
                self.complete_one(at as ElementIndex, runs, main);
            }
        }
    }

    fn complete_one(&self, at: ElementIndex, runs: std::ops::Range<usize>, main: &mut [bool]) {
        let is_list = matches!(self.flat.elements[at as usize].tag, Tag::Ul | Tag::Ol);
        // All cells may be named after the facts that they are ("basicInfo-item"), as the line below a title is.
        let is_no_cell = |&at: &ElementIndex| {
            let element = &self.flat.elements[at as usize];
            let is_cell = matches!(element.tag, Tag::Dt | Tag::Dd | Tag::Td | Tag::Th | Tag::Tr);
            !is_cell || is_other_part(element)
        };
        let chosen: Vec<u64> = runs
            .clone()
            .filter(|&run| main[run])
            .map(|run| self.paths[run])
            .collect();
        for run in runs {
            // The posts of a thread may be the items of a list, and names and buttons are beside them.
            let is_item = !is_list || chosen.contains(&self.paths[run]);
            let owner = self.flat.runs[run].owner;
            let up = self.flat.ancestors(owner).take_while(|&up| up != at);
            main[run] |= is_item && self.is_plain(run) && !self.is_label(up.filter(is_no_cell));
        }
    }

    /// Chooses blocks right behind chosen runs, with the lines that lead to them.
    fn follow(&self, main: &mut [bool]) {
        let Some(container) = container(self.flat, main) else {
            return;
        };
        // Where what follows the chosen text begins.
        let mut begin = None;
        let mut run = 0;
        while run < main.len() {
            let Some(from) = begin.filter(|_| !main[run]) else {
                begin = main[run].then_some(run + 1);
                run += 1;
                continue;
            };
            if closes_box(self.flat, container, run, main) {
                run += 1;
                begin = Some(run);
                continue;
            }
            let next = self.after_ending(container, from, run);
            if let Some(end) = next {
                let is_own = |&at: &usize| at < run || self.is_plain(at);
                (from..end).filter(is_own).for_each(|at| main[at] = true);
            }
            let is_lead = run - from < LEADING_MAX && leads(self.flat, self.survey, container, run);
            begin = next.or(begin.filter(|_| is_lead));
            run = next.unwrap_or(run + 1);
        }
    }

    /// Where the block ends that a run stands in, if that belongs to the text up to `from`.
    fn after_ending(&self, container: ElementIndex, from: usize, run: usize) -> Option<usize> {
        if !self.flat.contains(container, self.flat.runs[run].owner) {
            return None;
        }
        let at = self.block(container, run)?;
        let end = self.flat.elements[at as usize].end_run as usize;
        (end > run && self.is_ending(container, at, from)).then_some(end)
    }

    /// The outermost list, table, quotation or folded part around a run within the container.
    fn block(&self, container: ElementIndex, run: usize) -> Option<ElementIndex> {
        let owner = self.flat.runs[run].owner;
        let within = self.flat.ancestors(owner).take_while(|&up| up != container);
        let is_block = |&at: &ElementIndex| {
            let tag = self.flat.elements[at as usize].tag;
            self.is_whole(at) || tag == Tag::Blockquote
        };
        within.filter(is_block).last()
    }

    /// Whether an element is one for the reader.
    fn is_whole(&self, at: ElementIndex) -> bool {
        match self.flat.elements[at as usize].tag {
            Tag::Ul | Tag::Ol | Tag::Dl | Tag::Details => true,
            Tag::Table => is_data(self.flat, at),
            // A table, a listing or a quotation with its caption.
            Tag::Figure => self.flat.elements[at as usize]
                .traits
                .has(Traits::HOLDS_EXHIBIT),
            _ => false,
        }
    }

    /// Whether a block belongs to the text up to `from`.
    fn is_ending(&self, container: ElementIndex, at: ElementIndex, from: usize) -> bool {
        let element = &self.flat.elements[at as usize];
        let runs = element.first_run as usize..element.end_run as usize;
        let marks: usize = runs.clone().map(|run| self.marks(run)).sum();
        element.counts.weight <= WEIGHT_MAX
            && share(element.link_weight, element.counts.weight, 1.0) <= LINKS_MAX
            && marks < runs.len()
            && self.is_in_reach(at, from)
            && !runs.into_iter().any(|run| {
                let around = self.flat.ancestors(self.flat.runs[run].owner);
                self.is_label(around.take_while(|&up| up != container))
            })
    }

    /// Whether nothing but the lines before it stands with a block in the elements that part it from the
    /// text before. A box with more in it is a part of its own.
    fn is_in_reach(&self, at: ElementIndex, from: usize) -> bool {
        let last = self.flat.runs[from.saturating_sub(1)].owner;
        let end = self.flat.elements[at as usize].end_run;
        let mut around = self.flat.ancestors(at).skip(1);
        let between = around
            .by_ref()
            .take_while(|&up| !self.flat.contains(up, last));
        let mut between = between.filter(|&up| self.flat.elements[up as usize].tag != Tag::Section);
        between.all(|up| self.flat.elements[up as usize].end_run <= end)
    }

    /// How much the words of a run say that its block is boilerplate: 2 for what is no text, 1 for what may
    /// be ("Save the file" is a step, a register is a book), 0 for what is.
    fn marks(&self, run: usize) -> usize {
        let markers = self.survey.markers[run];
        let is_label = self.flat.runs[run].counts.weight <= LABEL_WEIGHT_MAX;
        match self.is_plain(run) && !markers.has(Marker::Related) {
            false => 2,
            true => usize::from(is_label && NO_LEAD.iter().any(|&marker| markers.has(marker))),
        }
    }

    /// Whether a run of a list or table is its text: no rule has dropped it, and it is no line of credits.
    fn is_plain(&self, run: usize) -> bool {
        const NO_TEXT: [Marker; 3] = [Marker::Copyright, Marker::Credit, Marker::Advert];
        let markers = self.survey.markers[run];
        self.probability[run] > 0.0 && !NO_TEXT.iter().any(|&marker| markers.has(marker))
    }

    fn is_label(&self, mut elements: impl Iterator<Item = ElementIndex>) -> bool {
        elements.any(|at| is_named_otherwise(&self.flat.elements[at as usize]))
    }
}

/// Whether an element is named as something else than text, or is not seen.
pub(super) fn is_named_otherwise(element: &FlatElement<'_>) -> bool {
    is_other_part(element)
        || element.traits.has(Traits::LANDMARK_ROLE)
        || LABELS.iter().any(|&hint| element.hints.has(hint))
}

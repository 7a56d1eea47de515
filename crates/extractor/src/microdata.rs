//! Items that the page's markup declares: microdata (`itemscope`, `itemprop`) and RDFa (`typeof`,
//! `property`).
//!
//! They say of elements what JSON-LD says beside them: this is a product, these are the ingredients. An
//! item is the page's own where it stands in no other part of the page and is the only one of its kind
//! there, or holds the title; several alike are a list, each about another page.

use html5ever::{LocalName, local_name};
use rustc_hash::FxHashMap;

use crate::class_hints::{Hint, Hints, OTHER_PARTS};
use crate::dom::Attributes;
use crate::flat_dom::{ElementIndex, FlatDom, FlatElement, NO_ELEMENT, Run};
use crate::structured::{Kinds, is_marked_list};
use crate::survey::Survey;
use crate::tag::Tag;
use crate::titles;

/// Names of elements whose items are not the page's. What a shop sells may stand in a column or a form.
const OTHERS: Hints = OTHER_PARTS.without(&[
    Hint::Nav,
    Hint::Footer,
    Hint::Side,
    Hint::Consent,
    Hint::Form,
]);

/// Tells the page's own parts from those about other pages and from what readers wrote.
pub(crate) struct OwnParts<'f, 'd> {
    flat: &'f FlatDom<'d>,
    /// The heading that the page's title repeats, else the first one.
    heading: ElementIndex,
}

impl<'f, 'd> OwnParts<'f, 'd> {
    pub(crate) fn of(flat: &'f FlatDom<'d>, survey: &Survey) -> Self {
        let is_first_level = |at: &ElementIndex| flat.elements[*at as usize].tag == Tag::H1;
        let mut headings =
            (0..flat.runs.len()).filter_map(|run| titles::heading(flat, survey, run));
        let heading = headings.find(is_first_level);
        let heading = heading.unwrap_or(survey.semantic.h1);
        OwnParts { flat, heading }
    }

    /// Whether an element holds the title. Such a one is about the page, whatever it is named.
    fn is_titled(&self, at: ElementIndex) -> bool {
        self.heading != NO_ELEMENT && self.flat.contains(at, self.heading)
    }

    /// Whether an element stands in none of the other parts.
    pub(crate) fn have(&self, at: ElementIndex) -> bool {
        let around = self.flat.ancestors(at);
        let mut around = around.take_while(|&at| !self.is_titled(at));
        !around.any(|at| {
            let element = &self.flat.elements[at as usize];
            let is_root = matches!(element.tag, Tag::Body | Tag::Html);
            let is_named = || element.hints.has_any(OTHERS);
            matches!(element.tag, Tag::Nav | Tag::Footer) || !is_root && is_named()
        })
    }
}

/// Whether the page is about one product: an item that holds the title, is no property of another, and has
/// none beside it that is alike.
pub(crate) fn is_product(flat: &FlatDom<'_>, survey: &Survey) -> bool {
    let mut items: Vec<ElementIndex> = Vec::new();
    let own = OwnParts::of(flat, survey);
    for (at, element) in flat.elements.iter().enumerate() {
        let at = at as ElementIndex;
        let is_inside = items.last().is_some_and(|&last| flat.contains(last, at));
        if !is_inside && is_product_item(element) && own.have(at) {
            items.push(at);
        }
    }
    let shape = |at: ElementIndex| flat.elements[at as usize].shape;
    let mut alike: FxHashMap<u32, usize> = FxHashMap::default();
    for &item in &items {
        *alike.entry(shape(item)).or_default() += 1;
    }
    let mut items_alone = items.iter().filter(|&&item| alike[&shape(item)] == 1);
    items_alone.any(|&item| own.is_titled(item) || has_titles_name(flat, survey, item))
}

fn is_product_item(element: &FlatElement<'_>) -> bool {
    let is_product = |names: &str| {
        let mut names = names.split_ascii_whitespace();
        names.any(|name| Kinds::of(name).has(Kinds::PRODUCT))
    };
    // The main thing of the page is no part of another.
    let is_whole = matches!(property(element), "" | "mainEntity");
    type_of(element).is_some_and(is_product) && is_whole
}

fn type_of<'d>(element: &FlatElement<'d>) -> Option<&'d str> {
    let element = element.element;
    let microdata = element.attribute(&local_name!("itemtype"));
    microdata.or_else(|| element.attribute(&LocalName::from("typeof")))
}

/// Whether the name of an item is in the page's title.
fn has_titles_name(flat: &FlatDom<'_>, survey: &Survey, item: ElementIndex) -> bool {
    const BYTES_MIN: usize = 4;
    let end = flat.elements[item as usize].end;
    let mut names = (item..end).filter(|&at| property(&flat.elements[at as usize]) == "name");
    names.any(|name| {
        let run = flat.elements[name as usize].first_run as usize;
        let text = survey.texts.get(run).filter(|text| text.len() >= BYTES_MIN);
        text.is_some_and(|text| titles::has(flat, text))
    })
}

fn property<'d>(element: &FlatElement<'d>) -> &'d str {
    let element = element.element;
    let microdata = element.attribute(&local_name!("itemprop"));
    let property = microdata.or_else(|| element.attribute(&local_name!("property")));
    property.unwrap_or("").trim()
}

/// The lines of the lists that are the page's content, as JSON-LD names them: the runs of each list.
pub(crate) fn lists(flat: &FlatDom<'_>, survey: &Survey) -> Vec<Vec<usize>> {
    let marked = marked(flat);
    if marked.iter().all(Option::is_none) {
        return Vec::new();
    }
    let own = OwnParts::of(flat, survey);
    let mut lists: FxHashMap<(ElementIndex, &str), Vec<usize>> = FxHashMap::default();
    for (index, run) in flat.runs.iter().enumerate() {
        let line = list_of(flat, &marked, run).filter(|_| own.have(run.owner));
        if let Some(line) = line {
            let list = lists.entry((line.item, line.property)).or_default();
            list.push(index);
        }
    }
    let mut items: Vec<ElementIndex> = lists.keys().map(|&(item, _)| item).collect();
    items.sort_unstable();
    items.dedup();
    let holds_title =
        |item| item != NO_ELEMENT && (own.is_titled(item) || has_titles_name(flat, survey, item));
    let is_own = |item| items.len() == 1 || holds_title(item);
    let lists = lists.into_iter().filter(|((item, _), _)| is_own(*item));
    let mut lists: Vec<Vec<usize>> = lists.map(|(_, runs)| runs).collect();
    lists.sort_unstable();
    lists
}

/// An element that is marked as a list or as a line of one.
#[derive(Clone, Copy)]
struct Marked<'d> {
    /// The item that has the list; none where the page itself is meant.
    item: ElementIndex,
    property: &'d str,
}

/// For each element, the outermost marked one around it.
fn marked<'d>(flat: &FlatDom<'d>) -> Vec<Option<Marked<'d>>> {
    let mut marked: Vec<Option<Marked<'d>>> = Vec::with_capacity(flat.elements.len());
    for element in &flat.elements {
        let around = marked.get(element.parent as usize).copied().flatten();
        let mut properties = property(element).split_ascii_whitespace();
        let own = || {
            let property = properties.find(|name| is_marked_list(name))?;
            Some(Marked {
                item: item_around(flat, element.parent),
                property,
            })
        };
        marked.push(around.or_else(own));
    }
    marked
}

/// The list that most of a run's text stands in.
fn list_of<'d>(flat: &FlatDom<'_>, marked: &[Option<Marked<'d>>], run: &Run) -> Option<Marked<'d>> {
    let (mut inside, mut all, mut found) = (0, 0, None);
    for piece in &flat.pieces[run.pieces.start as usize..run.pieces.end as usize] {
        let bytes = piece.text.trim().len();
        let list = marked[piece.element as usize];
        all += bytes;
        inside += if list.is_some() { bytes } else { 0 };
        found = found.or(list);
    }
    found.filter(|_| inside * 2 > all)
}

fn item_around(flat: &FlatDom<'_>, at: ElementIndex) -> ElementIndex {
    let is_item = |at: &ElementIndex| type_of(&flat.elements[*at as usize]).is_some();
    flat.ancestors(at).find(is_item).unwrap_or(NO_ELEMENT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_product(page: &str, is_one: bool) {
        let html = scraper::Html::parse_document(page);
        let flat = FlatDom::of(&html);
        assert_eq!(is_product(&flat, &Survey::of(&flat)), is_one, "{page}");
    }

    fn item(attributes: &str, name: &str) -> String {
        format!("<div {attributes}><span itemprop=name>{name}</span><p>$ 3</div>")
    }

    const MICRODATA: &str = "itemscope itemtype=http://schema.org/Product";

    #[test]
    fn an_item_with_the_title_is_the_page() {
        let title = "<title>Oak desk | Shop</title>";
        let others: String = (0..3)
            .map(|_| item(&format!("class=card {MICRODATA}"), "Oak desk"))
            .collect();
        let main = format!("itemprop=mainEntity {MICRODATA}");
        for attributes in [
            MICRODATA,
            "typeof=Product",
            "typeof='schema:Product'",
            &main,
        ] {
            let own = item(attributes, "Oak desk");
            check_product(&format!("{title}{own}"), true);
            check_product(&format!("{title}{own}<div>{others}</div>"), true);
            check_product(&format!("{title}<div class=related>{own}</div>"), false);
            check_product(&format!("{title}{}", item(attributes, "Ash chair")), false);
        }
        check_product(&format!("{title}{others}"), false);
        check_product(
            &format!("{title}<body {MICRODATA}><h1>A desk of oak</h1>{others}"),
            true,
        );
        let reviewed = item(&format!("itemprop=itemReviewed {MICRODATA}"), "Oak desk");
        check_product(&format!("{title}{reviewed}"), false);
    }

    #[track_caller]
    fn check_lists(page: &str, expected: &[&[usize]]) {
        let html = scraper::Html::parse_document(page);
        let flat = FlatDom::of(&html);
        assert_eq!(lists(&flat, &Survey::of(&flat)), expected, "{page}");
    }

    #[test]
    fn the_lines_of_the_pages_item_are_its_list() {
        let recipe = |name: &str| {
            format!(
                "<div itemscope itemtype=http://schema.org/Recipe><h2 itemprop=name>{name}</h2><ul>\
                 <li>2 <b itemprop=recipeIngredient>big lemons</b><li itemprop=recipeIngredient>salt</ul>\
                 <div itemprop=recipeInstructions><p>Squeeze.<p>Stir.</div></div>"
            )
        };
        check_lists(&recipe("Tart"), &[&[1, 2], &[3, 4]]);
        let two = format!(
            "<title>Tart - Kitchen</title>{}{}",
            recipe("Soup"),
            recipe("Tart")
        );
        check_lists(&two, &[&[6, 7], &[8, 9]]);
        check_lists(&format!("<div class=related>{}</div>", recipe("Tart")), &[]);
        check_lists("<ul><li itemprop=recipeIngredient>salt</ul>", &[&[0]]);
    }
}

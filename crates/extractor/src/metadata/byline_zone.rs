//! Where the by-line of a page can stand.
//!
//! A page is full of dates and names that nobody declares: those of the items of a list, of posts in a sidebar, of
//! readers who answer, of the newest member. What a page says of itself stands in its text, or between its title
//! and its text:
//!
//! ```text
//!   name, date       above the title, in an article or a thread, unless a part beside the text holds it
//!   title            ┐
//!   name, date       │ on all pages but lists
//!   text             ┘
//!   name, date       at the end, as above
//! ```
//!
//! A list has neither date nor author of its own: what it shows are those of its items. An article may have a list
//! near its title as well; whatever is an item of one leads to a page of its own.

use std::ops::Range;

use crate::class_hints::Hint;
use crate::classifier::Classified;
use crate::flat_dom::{ElementIndex, FlatDom, NO_ELEMENT, Traits};
use crate::page::PageType;
use crate::prefix_sums::is_prose;
use crate::survey::Survey;
use crate::tag::Tag;

/// Where by-lines stand: the runs near the title, and those at the end of the content.
pub(crate) struct BylineZone<'z, 'd> {
    flat: &'z FlatDom<'d>,
    survey: &'z Survey,
    main: &'z [bool],
    /// Runs from a little before the title to a little after the first paragraph.
    pub range: Range<usize>,
    /// The first run of the text, most often a paragraph.
    pub text: usize,
    /// The last runs of the content and a few after it.
    pub tail: Range<usize>,
    /// The runs that say the title; the nearest to the text.
    titles: Vec<usize>,
    heading: Option<usize>,
    /// The language of the text.
    pub lang: Option<&'z str>,
    /// The first run of the content that is not the title.
    begin: usize,
    /// The last run of the content.
    last: usize,
    reach: Reach,
}

/// How far from the text a line may stand that is the page's own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Nowhere: the page is a list.
    Nowhere,
    /// In the text, or between the title and the text.
    Text,
    /// Around an article as well: above its title, beside it, at its end.
    Article,
    /// Around the posts of a thread, which are items of a list themselves.
    Thread,
}

impl Reach {
    fn of(page: &Classified<'_, '_>) -> Reach {
        match page.page_type {
            _ if page.leads_on => Reach::Nowhere,
            PageType::Listing | PageType::FrontPage | PageType::Collection => Reach::Text,
            PageType::Forum => Reach::Thread,
            PageType::Article | PageType::Documentation => Reach::Article,
            PageType::Product
            | PageType::Service
            | PageType::Other
            | PageType::Wall
            | PageType::Unknown(_) => Reach::Text,
        }
    }
}

/// The least words of a link that is the title of a page.
const TITLE_WORDS_MIN: u32 = 3;

impl<'z, 'd> BylineZone<'z, 'd> {
    pub(super) fn of(
        page: &Classified<'z, 'd>,
        title: Option<&str>,
        lang: Option<&'z str>,
    ) -> BylineZone<'z, 'd> {
        let &Classified {
            flat, survey, main, ..
        } = page;
        let count = flat.runs.len();
        let prose = |run: usize| main[run] && is_prose(&flat.runs[run]);
        let first = (0..main.len())
            .find(|&run| prose(run))
            .or_else(|| main.iter().position(|&kept| kept))
            .unwrap_or(0);
        let last = main.iter().rposition(|&kept| kept).unwrap_or(0);
        let says_title =
            |run: &usize| title.is_some_and(|title| says_title(flat, survey, *run, title));
        let titles: Vec<usize> = (0..count).filter(says_title).collect();
        let nearest = |run: &&usize| run.abs_diff(first);
        let heading = titles.iter().min_by_key(nearest).copied();
        let from = heading.map_or(first, |heading| heading.min(first));
        let to = heading.map_or(first, |heading| heading.max(first));
        // A title far from the content belongs to the header of the page, not to the text.
        let (from, to) = if to - from > 60 {
            (first, first)
        } else {
            (from, to)
        };
        BylineZone {
            flat,
            survey,
            main,
            text: first,
            range: from.saturating_sub(8)..(to + 8).min(count),
            tail: last.saturating_sub(4)..(last + 6).min(count),
            begin: (0..count)
                .find(|run| main[*run] && titles.binary_search(run).is_err())
                .unwrap_or(first),
            last,
            titles,
            heading,
            lang,
            reach: Reach::of(page),
        }
    }

    /// The runs between a title and the text below it; where that has no prose, up to the first of the content.
    pub(super) fn below_title(&self) -> Range<usize> {
        let above = self.heading.filter(|&heading| heading <= self.text);
        let from = above.map_or(self.text, |heading| heading + 1);
        from..self.text.max(self.begin + 1)
    }

    /// Whether the page is a list, and has no date and no author but declared ones.
    pub(super) fn is_of_list(&self) -> bool {
        self.reach == Reach::Nowhere
    }

    /// Whether the page is an article, which lines around its text are about as well.
    pub(super) fn is_of_article(&self) -> bool {
        self.reach == Reach::Article
    }

    /// Whether a date or a name in a line can be that of the page.
    pub(super) fn may_hold(&self, run: usize) -> bool {
        match self.reach {
            Reach::Nowhere => false,
            Reach::Text => {
                let is_above =
                    self.titles.binary_search(&(run + 1)).is_ok() && !self.is_beside(run);
                (is_above || self.is_in_text(run)) && !self.is_of_item(run)
            }
            Reach::Article => {
                !self.is_of_item(run) && (self.is_in_text(run) || !self.is_beside(run))
            }
            Reach::Thread => !self.is_of_item(run),
        }
    }

    /// Whether a line that says what it is can be the page's own: the date of a change, an author by microdata.
    pub(super) fn may_say(&self, run: usize) -> bool {
        match self.reach {
            Reach::Nowhere => false,
            Reach::Text | Reach::Article => !self.is_of_item(run) && !self.is_beside(run),
            Reach::Thread => !self.is_of_item(run),
        }
    }

    fn is_in_text(&self, run: usize) -> bool {
        let is_between = self.heading.is_some_and(|heading| {
            let end = self.text.max(self.begin);
            heading.min(end) <= run && run <= heading.max(end)
        });
        is_between || self.main.get(run) == Some(&true)
    }

    /// Whether a line stands in a part of the page beside its text: a menu, other articles, comments.
    fn is_beside(&self, run: usize) -> bool {
        let flat = self.flat;
        let Some(line) = flat.runs.get(run) else {
            return false;
        };
        let around = flat.ancestors(line.owner);
        let mut apart = around.take_while(|&at| !self.is_around(at));
        apart.any(|at| {
            let element = &flat.elements[at as usize];
            let has = |hint| element.hints.has(hint);
            let is_menu = has(Hint::Nav) && element.link_weight * 2 > element.counts.weight;
            let is_other = has(Hint::Related) && !has(Hint::User);
            let is_comment = has(Hint::Comment) && run > self.last;
            element.tag == Tag::Nav || is_menu || is_other || is_comment
        })
    }

    /// Whether an element holds the title or the beginning of the text.
    fn is_around(&self, at: ElementIndex) -> bool {
        let element = &self.flat.elements[at as usize];
        let runs = element.first_run as usize..element.end_run as usize;
        let next = self.titles.partition_point(|title| *title < runs.start);
        let holds = |run: &usize| runs.contains(run);
        holds(&self.text) || self.titles.get(next).is_some_and(holds)
    }

    /// Whether a line belongs to an item of a list: a unit among others like it, apart from title and text, that
    /// leads to a page of its own as another of them does.
    fn is_of_item(&self, run: usize) -> bool {
        let units = [self.survey.units.get(run), self.survey.inner_units.get(run)];
        units.into_iter().flatten().any(|unit| {
            let at = unit.element;
            at != NO_ELEMENT && !self.is_around(at) && self.leads_on(at, run) && {
                let mut others = self.alike(at).filter(|&other| other != at);
                others.any(|other| self.leads_on(other, run))
            }
        })
    }

    /// Whether an element stands in one of several that are alike and lead to pages of their own, though the text begins
    /// in it: a list with little more may be taken for an article.
    pub(super) fn is_in_item(&self, at: ElementIndex) -> bool {
        const LEVELS: usize = 4;
        let beside = self.flat.elements[at as usize].first_run as usize;
        let mut around = self.flat.ancestors(at).take(LEVELS);
        around.any(|unit| {
            let is_untitled = !self.titles.iter().any(|&title| self.holds(unit, title));
            is_untitled
                && self.leads_on(unit, beside)
                && self
                    .alike(unit)
                    .any(|other| other != unit && self.leads_on(other, beside))
        })
    }

    fn holds(&self, at: ElementIndex, run: usize) -> bool {
        let element = &self.flat.elements[at as usize];
        (element.first_run as usize..element.end_run as usize).contains(&run)
    }

    /// The elements beside a unit that are like it.
    fn alike(&self, unit: ElementIndex) -> impl Iterator<Item = ElementIndex> {
        const ALIKE_MAX: usize = 8;
        let elements = &self.flat.elements;
        let kind = |at: ElementIndex| (elements[at as usize].tag, elements[at as usize].shape);
        let beside = self.flat.children(elements[unit as usize].parent);
        beside
            .take(super::SIBLINGS_MAX)
            .filter(move |&at| kind(at) == kind(unit))
            .take(ALIKE_MAX)
    }

    /// Whether an element is a link or holds, beside a line, a link in the words of a title.
    fn leads_on(&self, at: ElementIndex, beside: usize) -> bool {
        const LINES_MAX: usize = 32;
        let flat = self.flat;
        let is_link = |at: &ElementIndex| flat.elements[*at as usize].traits.has(Traits::LINK);
        let element = &flat.elements[at as usize];
        let runs = element.first_run as usize..element.end_run as usize;
        is_link(&at)
            || runs.take(LINES_MAX).any(|run| {
                let line = &flat.runs[run];
                let piece = &flat.pieces[line.pieces.start as usize];
                let link = flat.ancestors(piece.element).find(is_link);
                let Some(link) = link.map(|link| &flat.elements[link as usize]) else {
                    return false;
                };
                // A card may be one link around all of its lines.
                let is_card = link.end_run > link.first_run + 1;
                let is_title = run != beside
                    && line.link_weight * 5 > line.counts.weight * 4
                    && link.counts.words >= TITLE_WORDS_MIN
                    && !link.hints.has(Hint::User);
                let href = link.element.attr("href").unwrap_or("#");
                (is_card || is_title) && !href.contains('#')
            })
    }
}

/// Whether a line says the title; in a heading a label may stand beside it.
fn says_title(flat: &FlatDom<'_>, survey: &Survey, run: usize, title: &str) -> bool {
    const LABEL_BYTES_MAX: usize = 48;
    let text = survey.texts[run].as_str();
    let has_label = || {
        let is_near = text.len() <= title.len() + LABEL_BYTES_MAX;
        let mut around = flat.ancestors(flat.runs[run].owner).take(2);
        is_near
            && (text.ends_with(title) || text.starts_with(title))
            && around.any(|at| matches!(flat.elements[at as usize].tag, Tag::H1 | Tag::H2))
    };
    text == title || !title.is_empty() && has_label()
}

#[cfg(test)]
mod tests {
    use url::Url;

    use crate::{Page, PageContext, PageType, extract};

    fn read(path: &str, body: &str) -> Page {
        let html = format!("<html lang=en><title>The lock</title><body>{body}");
        let url = Url::parse(&format!("https://canal.example/{path}")).unwrap();
        extract(&html, &PageContext::new(&url))
    }

    #[track_caller]
    fn check(path: &str, body: &str, published: Option<&str>, author: Option<&str>) {
        let page = read(path, body);
        let found = (page.published.as_deref(), page.author.as_deref());
        assert_eq!(found, (published, author), "{:?} {body}", page.page_type);
    }

    fn text() -> String {
        "<p>The river rose again on Thursday night, and took the old stone bridge with it, which had \
         stood there for two hundred years.</p>"
            .repeat(4)
    }

    fn items(item: impl Fn(u32) -> String) -> String {
        (11..23)
            .map(|at| format!("<li class=item>{}</li>", item(at)))
            .collect()
    }

    fn teaser(at: u32) -> String {
        format!(
            "<a href=/n{at}>The bridge number {at} is closed</a><p class=date>March {at}, 2020</p>\
             <p class=author>By Ann Lane</p>"
        )
    }

    #[test]
    fn a_list_has_neither_date_nor_author_but_declared_ones() {
        let list = format!("<main><h1>The lock</h1><ul>{}</ul></main>", items(teaser));
        for path in ["", "tag/locks"] {
            assert!(read(path, &list).page_type.is_link_list(), "{path}");
            check(path, &list, None, None);
        }
        let declared = format!(
            "<meta name=author content='Bo Reed'><meta name=date content=2020-01-02>{list}"
        );
        check("tag/locks", &declared, Some("2020-01-02"), Some("Bo Reed"));
    }

    #[test]
    fn a_board_shows_who_wrote_last_in_its_threads() {
        let row = |at: u32| {
            format!(
                "<tr class=row><td><a href=/viewtopic.php?t={at}>The bridge number {at} is closed</a><td>\
                 March {at}, 2020 by <a class=username href=/member.php?u={at}>hank{at}</a>"
            )
        };
        let rows: String = (11..23).map(row).collect();
        let board = format!("<h1>The lock</h1><table class=board>{rows}</table>");
        check("forum/viewforum.php?f=2", &board, None, None);
    }

    #[test]
    fn items_of_lists_near_the_title_have_dates_and_authors_of_their_own() {
        let article = |line: &str| format!("<article><h1>The lock</h1>{line}{}</article>", text());
        let aside = format!("<div><ul class=feed>{}</ul></div>", items(teaser));
        check("lock", &format!("{aside}{}", article("")), None, None);
        check("lock", &format!("{}{aside}", article("")), None, None);
        let line = "<p>May 4, 2021</p><p>By Bo Reed</p>";
        let own = (Some("2021-05-04"), Some("Bo Reed"));
        check("lock", &format!("{aside}{}", article(line)), own.0, own.1);
        // What is said of the text in a list leads nowhere.
        let facts = "<ul><li>May 4, 2021<li>By Bo Reed<li><a href=/c>2 comments</a></ul>";
        check("lock", &article(facts), own.0, own.1);
    }

    #[test]
    fn a_by_line_stands_above_the_title_of_an_article_or_at_its_end() {
        let line = "<div><p>May 4, 2021</p><p>By Bo Reed</p></div>";
        let own = (Some("2021-05-04"), Some("Bo Reed"));
        let above = format!("<main>{line}<h1>The lock</h1>{}</main>", text());
        check("lock", &above, own.0, own.1);
        let end = format!(
            "<meta property=og:type content=article><main><h1>The lock</h1>{}{line}</main>",
            text()
        );
        check("lock", &end, own.0, own.1);
    }

    #[test]
    fn a_page_that_is_no_text_is_signed_between_title_and_content() {
        let form =
            "<form><p>Name <input><p>Address <input><p>Town <input><button>Send</button></form>";
        let line = "<p>By Bo Reed</p><p>May 4, 2021</p>";
        let page = format!("<h1>The lock</h1><p>All fields have to be filled in.</p>{form}");
        assert_eq!(read("join", &page).page_type, PageType::Other);
        check(
            "join",
            &format!("{page}<footer>{line}</footer>"),
            None,
            None,
        );
        let below = page.replace("</h1>", &format!("</h1>{line}"));
        check("join", &below, Some("2021-05-04"), Some("Bo Reed"));
    }
}

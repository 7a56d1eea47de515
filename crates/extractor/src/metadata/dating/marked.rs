//! Times that a page marks: `<time>`, `itemprop=datePublished`, and what scripts read of a by-line.

use html5ever::{LocalName, local_name};

use crate::bounded::byte_suffix;
use crate::class_hints::Hint;
use crate::dates::{self, Role};
use crate::dom::Attributes;
use crate::flat_dom::{FlatElement, Piece};
use crate::metadata::author::text_of;
use crate::tag::Tag;

use super::Dating;

/// Marked times of a page that are looked at, at most.
const MARKED_TIMES_MAX: usize = 1_000;

/// Of what stands before a marked time so much is read at most: the words that say what it is are near it.
const BEFORE_BYTES_MAX: usize = 400;

/// The marked times of a page that may be when it was published.
#[derive(Default)]
pub(super) struct MarkedTimes {
    /// That near the title, or that which is marked as the publication, with its run.
    pub own: Option<(usize, String)>,
    /// The only one elsewhere. Of several each is of something else.
    pub only: Option<String>,
}

impl Dating<'_, '_> {
    pub(super) fn marked_times(&self) -> MarkedTimes {
        let (flat, zone) = (self.flat, self.zone);
        let mut best: Option<(u32, usize, String)> = None;
        let mut rest: Vec<String> = Vec::new();
        let marked = flat.elements.iter().enumerate();
        let marked = marked.filter(|(_, element)| Mark::of(element).is_any());
        for (index, element) in marked.take(MARKED_TIMES_MAX) {
            let Mark { is_published, .. } = Mark::of(element);
            let at = element.first_run as usize;
            let is_own = match is_published {
                true => zone.may_say(at),
                false => zone.may_hold(at),
            };
            let date = self.told_by(index, element).filter(|_| is_own);
            let Some(date) = date.filter(|date| self.has_been(date)) else {
                continue;
            };
            if !is_published && self.is_of_something_else(index, element) {
                continue;
            }
            let class = element.element.attribute(&local_name!("class"));
            let class = class.unwrap_or("");
            let distance = if zone.range.contains(&at) || zone.range.contains(&(at + 1)) {
                0
            } else {
                2
            };
            let updated = class.contains("updat") || class.contains("modif");
            let rank = distance
                + u32::from(!is_published && !class.contains("publish"))
                + u32::from(updated);
            if distance == 2 && !is_published {
                rest.push(date);
                continue;
            }
            if best.as_ref().is_none_or(|(known, ..)| rank < *known) {
                best = Some((rank, at, date));
            }
        }
        MarkedTimes {
            own: best.map(|(_, at, date)| (at, date)),
            only: match rest.as_slice() {
                [only] => Some(only.clone()),
                _ => None,
            },
        }
    }

    /// What a marked time says: to programs, else to readers.
    fn told_by(&self, index: usize, element: &FlatElement<'_>) -> Option<String> {
        let names = ["datetime", "content", "data-datetime", "ts", "title"].map(LocalName::from);
        let told = |name| {
            let value = element.element.attribute(name)?;
            dates::machine_in(value, self.usage)
        };
        let value = names.iter().find_map(told);
        let value = value.or_else(|| time_for_scripts(element));
        value.or_else(|| dates::written(&text_of(self.flat, self.survey, index), self.usage))
    }

    /// Whether the line of a marked time tells that it is not when the text was published.
    fn is_of_something_else(&self, element: usize, marked: &FlatElement<'_>) -> bool {
        let index = marked.first_run as usize;
        let Some(run) = self.flat.runs.get(index) else {
            return false;
        };
        let pieces = &self.flat.pieces[run.pieces.start as usize..run.pieces.end as usize];
        // Elements are numbered as they begin: what stands before this one is of earlier ones.
        let is_later = |piece: &Piece<'_>| piece.element as usize >= element;
        let end = pieces.iter().position(is_later).unwrap_or(pieces.len());
        let (mut from, mut bytes) = (end, 0);
        while from > 0 && bytes < BEFORE_BYTES_MAX {
            from -= 1;
            bytes += pieces[from].text.len();
        }
        let mut before = String::new();
        for piece in &pieces[from..end] {
            let near = byte_suffix(piece.text, BEFORE_BYTES_MAX);
            crate::whitespace::push_collapsed(&mut before, near);
        }
        let label = self.label_before(index, &before);
        let role = dates::role_of(&label.to_lowercase(), false, self.usage);
        matches!(role, Role::Modified | Role::Other)
    }
}

/// How an element is marked as a time.
struct Mark {
    is_published: bool,
    is_time: bool,
}

impl Mark {
    fn of(element: &FlatElement<'_>) -> Mark {
        let property = element.element.attribute(&local_name!("itemprop"));
        let is_published = property.is_some_and(|property| {
            let mut names = property.split_ascii_whitespace();
            names.any(|name| name.eq_ignore_ascii_case("datepublished"))
        });
        // `<abbr class="published" title="2021-03-05">`, the form in use before `<time>`.
        let class = element.element.attribute(&local_name!("class"));
        let is_old_form = element.element.name.local == local_name!("abbr")
            && class.is_some_and(|class| class.contains("published"));
        Mark {
            is_published,
            is_time: element.tag == Tag::Time
                || is_old_form
                || is_own_time(element)
                || time_for_scripts(element).is_some(),
        }
    }

    fn is_any(&self) -> bool {
        self.is_published || self.is_time
    }
}

/// Whether an element of the site's own is a time for scripts: `<relative-time datetime="…">`, `<faceplate-timeago ts="…">`.
fn is_own_time(element: &FlatElement<'_>) -> bool {
    let name = &element.element.name.local;
    let is_named = || name.split('-').skip(1).any(|word| word.starts_with("time"));
    element.tag == Tag::Custom && is_named()
}

/// When something was as scripts read it of a by-line: the text beside may say when something else was.
fn time_for_scripts(element: &FlatElement<'_>) -> Option<String> {
    let data_time = element.element.attribute(&LocalName::from("data-time"));
    let data_time = data_time.filter(|_| element.hints.has(Hint::Byline));
    data_time.and_then(dates::machine)
}

//! Dates in the lines near a page's title and at the end of its content.

use crate::bounded::char_prefix;
use crate::dates;
use crate::flat_dom::FlatDom;
use crate::line_markers::Marker;
use crate::metadata::{split_dates, titled_times};

use super::{Dating, Reader};

/// The lines of a page in which a date is looked for.
pub(super) struct Lines<'l, 'd, 'a> {
    pub dating: &'l Dating<'d, 'a>,
    /// Finds a date in a line of its own.
    pub read: &'l Reader,
    /// Finds one only in a line that says what it is.
    pub read_said: &'l Reader,
    pub may_hold: &'l dyn Fn(usize) -> bool,
}

impl Lines<'_, '_, '_> {
    /// The first date near the title, in a line or in pieces.
    pub(super) fn near_title(&self) -> Option<String> {
        let &Dating {
            flat, zone, usage, ..
        } = self.dating;
        let boxes = split_dates::near_title(flat, zone, usage);
        let reader = |index: usize| match self.dating.is_of_a_fact(index) {
            false => self.read,
            true => self.read_said,
        };
        let near = self.dating.post.clone().chain(zone.range.clone());
        let mut near = near.filter(|&index| (self.may_hold)(index));
        near.find_map(|index| {
            let in_box = || self.in_line(index, boxes.get(&index)?, reader(index));
            // Behind the text such a line may be a row of links to other pages.
            let parts = || apart(flat, index).filter(|_| index < zone.text);
            let in_parts = || self.in_line(index, &parts()?, reader(index));
            let found = self.in_run(index, reader(index));
            found.or_else(in_box).or_else(in_parts)
        })
    }

    /// The first date at the end of the content, in a line that is little but a date or says what it is.
    pub(super) fn at_the_end(&self) -> Option<String> {
        let reader = |index: usize| {
            let is_own =
                self.dating.is_little_but_a_date(index) && !self.dating.is_of_a_fact(index);
            if is_own { self.read } else { self.read_said }
        };
        let mut tail = self.dating.zone.tail.clone();
        tail.find_map(|index| match (self.may_hold)(index) {
            true => self.in_run(index, reader(index)),
            false => None,
        })
    }

    pub(super) fn in_run(&self, index: usize, read: &Reader) -> Option<String> {
        let &Dating {
            flat,
            survey,
            usage,
            ..
        } = self.dating;
        let text = &survey.texts[index];
        // A relative time may have its day in a title.
        if !dates::may_stand_in(text, usage) && !survey.markers[index].has(Marker::Date) {
            return None;
        }
        let told = titled_times::with_day(flat, index, text, usage);
        let text = told.as_ref().unwrap_or(text);
        self.in_line(index, text, read)
    }

    fn in_line(&self, index: usize, text: &str, read: &Reader) -> Option<String> {
        const BEGINNING_CHARS: usize = 40;
        let unnamed = self.dating.without_name(index, text);
        let text = unnamed.as_deref().unwrap_or(text);
        let label = self.dating.label_before(index, "");
        // A long paragraph may mention any day; it counts only if it begins with a date.
        let line = match self.dating.flat.runs[index].counts.weight > 300 {
            true => format!("{label}{}…", char_prefix(text, BEGINNING_CHARS)),
            false => format!("{label}{text}"),
        };
        let date = read(&line, self.dating.usage);
        date.filter(|date| self.dating.has_been(date))
    }
}

/// A short line with a blank where an element ends or begins between two words: `<b>Ann Lane</b><i>5 May 2021</i>`. Nothing
/// where no words touch so.
fn apart(flat: &FlatDom<'_>, index: usize) -> Option<String> {
    const LINE_WEIGHT_MAX: u32 = 200;
    let run = &flat.runs[index];
    if run.counts.weight > LINE_WEIGHT_MAX {
        return None;
    }
    let (mut line, mut are_apart) = (String::new(), false);
    let mut before = None;
    for piece in &flat.pieces[run.pieces.start as usize..run.pieces.end as usize] {
        let touches =
            line.ends_with(dates::is_of_word) && piece.text.starts_with(dates::is_of_word);
        if touches && before.is_some_and(|before| before != piece.element) {
            line.push(' ');
            are_apart = true;
        }
        match piece.text.is_empty() {
            true => line.push('\n'),
            false => crate::whitespace::push_collapsed(&mut line, piece.text),
        }
        before = Some(piece.element);
    }
    are_apart.then_some(line)
}

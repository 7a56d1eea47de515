//! Dates that stand where few pages have them: since when terms are in force, the link at the end of a
//! post, and whatever is named as a date.

use crate::class_hints::Hint;
use crate::dates;
use crate::metadata::author::inline_text;
use crate::tag::Tag;

use super::{Dating, is_date_alone};

impl Dating<'_, '_> {
    /// The date in a line below the title that says no more than since when the text is in force, as terms have it.
    pub(super) fn in_force(&self) -> Option<String> {
        const WEIGHT_MAX: u32 = 60;
        const LABELS: [&str; 10] = [
            "effective date",
            "effective as of",
            "effective from",
            "in effect since",
            "in force since",
            "gültig ab",
            "in kraft seit",
            "en vigueur depuis",
            "vigente desde",
            "in vigore dal",
        ];
        let lines = self.zone.below_title();
        let mut lines = lines.filter(|&run| {
            self.zone.may_hold(run) && self.flat.runs[run].counts.weight <= WEIGHT_MAX
        });
        lines.find_map(|run| {
            let text = &self.survey.texts[run];
            let lower = text.to_lowercase();
            let is_said = LABELS.iter().any(|label| lower.starts_with(label));
            is_said.then(|| dates::written(text, self.usage)).flatten()
        })
    }

    /// The date that a link at the end of an article is, named as its date: it leads to the article itself.
    pub(super) fn in_link_at_end(&self) -> Option<String> {
        const CHARS_MAX: u32 = 40;
        if !self.zone.is_of_article() {
            return None;
        }
        let links = self.flat.elements.iter().enumerate().filter(|(_, link)| {
            let is_dated = link.tag == Tag::A && link.hints.has(Hint::Byline);
            is_dated && (1..=CHARS_MAX).contains(&link.counts.chars)
        });
        let mut dates = links.filter_map(|(index, link)| {
            let run = link
                .first_run
                .saturating_sub(u32::from(!link.tag.is_block())) as usize;
            let is_near = self.zone.tail.start <= run + 1 && run < self.zone.tail.end;
            let text = inline_text(self.flat, index);
            let is_own = is_near && self.zone.may_hold(run) && is_date_alone(&text);
            dates::published_in(&text, self.usage).filter(|date| is_own && self.has_been(date))
        });
        // Of several each is of another article.
        let date = dates.next()?;
        dates.all(|other| other == date).then_some(date)
    }

    /// A date in an element whose class names a by-line or date.
    pub(super) fn in_byline_class(&self) -> Option<String> {
        let flat = self.flat;
        flat.runs.iter().enumerate().find_map(|(index, run)| {
            let called = flat
                .ancestors(run.owner)
                .take(2)
                .any(|at| flat.elements[at as usize].hints.has(Hint::Byline));
            if called && run.counts.weight < 200 && self.zone.may_hold(index) {
                dates::published_in(&self.survey.texts[index], self.usage)
                    .filter(|date| self.has_been(date))
            } else {
                None
            }
        })
    }
}

#[cfg(test)]
mod tests {
    fn published(above: &str, below: &str) -> Option<String> {
        let text = "<p>The river rose again on Thursday night, and took the old stone bridge with it, which had stood \
            there for two hundred years.</p>"
            .repeat(4);
        let html = format!(
            "<html lang=en><title>The lock</title><article><h1>The lock</h1>{above}{text}{below}</article>"
        );
        let url = url::Url::parse("https://canal.example/post/7").unwrap();
        crate::extract(&html, &crate::PageContext::new(&url)).published
    }

    #[test]
    fn terms_are_as_old_as_they_are_in_force() {
        let found = published("<p>Effective date: March 5, 2021</p>", "");
        assert_eq!(found.as_deref(), Some("2021-03-05"));
        let told =
            "<p>Effective March 5, 2021, the lock is closed to all boats longer than a house.</p>";
        assert_eq!(published(told, ""), None);
    }

    #[test]
    fn the_link_at_the_end_of_a_post_is_its_date() {
        let link = |day: u32| {
            format!(
                "<footer class=post-meta><a class=post-date href=/p/{day}>3/{day}/2021</a><a href=/n>12 notes</a></footer>"
            )
        };
        let found = published("", &link(25));
        assert_eq!(found.as_deref(), Some("2021-03-25"));
        assert_eq!(published("", &(link(25) + &link(26))), None);
    }
}

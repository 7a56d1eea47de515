//! How a page writes its dates, where a line alone does not tell: in which order and calendar, and in which language.

use segment::Language;

use super::{MonthFirst, jalali};

/// What a page's other lines and its language tell of its dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Whether "3/4/2020" is March 4.
    pub(super) month_first: MonthFirst,
    /// Whether "1403/01/12" is of the solar calendar of Iran.
    pub(super) is_solar: bool,
    lang: Option<Language>,
}

impl From<bool> for Usage {
    /// As the order is in a language of which no more is known.
    fn from(month_first: bool) -> Usage {
        Usage {
            month_first: month_first.into(),
            is_solar: false,
            lang: None,
        }
    }
}

impl Usage {
    pub(crate) fn on_page(month_first: MonthFirst, lang: Option<&str>) -> Usage {
        Usage {
            month_first,
            is_solar: lang.is_some_and(|lang| matches!(lang, "fa" | "ps" | "prs")),
            lang: lang.and_then(Language::parse),
        }
    }

    /// Whether the page is in one of some languages, or in one that is not known.
    pub(super) fn may_be<'l>(&self, languages: impl IntoIterator<Item = &'l str>) -> bool {
        self.lang.is_none_or(|lang| {
            languages
                .into_iter()
                .any(|language| language == lang.as_str())
        })
    }

    /// Whether the page is known to be in one of some languages.
    pub(super) fn is_known_to_be<'l>(&self, languages: impl IntoIterator<Item = &'l str>) -> bool {
        self.lang.is_some() && self.may_be(languages)
    }

    /// Whether the day stands before the month in a date of numbers, with dots or other signs between them.
    pub(crate) fn is_day_first(&self, is_dotted: bool) -> bool {
        !self.month_first.with(if is_dotted { '.' } else { '/' })
    }

    /// The same for a line, which may tell more.
    pub(super) fn on_line(self, line: &str) -> Usage {
        Usage {
            is_solar: jalali::told_by_script(line).unwrap_or(self.is_solar),
            ..self
        }
    }
}

//! Which rows are wanted: by host, page type, language, time and relevance.
//!
//! A filter looks at what a row is about before the row is made, so that no text is read for rows
//! that nobody wants. Not every kind of row has a language: what a filter asks of rows that cannot
//! answer is an error, never an empty file.

use std::fmt;

use super::What;
use outcome::PageType;
use time::macros::format_description;
use time::{Date, Time, UtcOffset};

/// Which rows are wanted; an empty filter wants all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    /// Hosts, of which one is enough: `a.example`, or `*.example` for it and all below it.
    pub hosts: Vec<String>,
    /// Page types, of which one is enough.
    pub types: Vec<PageType>,
    /// Languages, of which one is enough; `zh` is also `zh-TW`.
    pub langs: Vec<String>,
    /// Not older than this, milliseconds since the Unix epoch.
    pub since_ms: Option<u64>,
    /// At least this relevant, 0 to 1; rows without a relevance are left out.
    pub relevance: Option<f32>,
}

/// What can be asked of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Facet {
    /// `--host`
    Host,
    /// `--type`
    Type,
    /// `--lang`
    Lang,
    /// `--since`
    Since,
    /// `--relevance`
    Relevance,
}

impl Facet {
    /// The option of the command line.
    pub fn option(self) -> &'static str {
        match self {
            Facet::Host => "--host",
            Facet::Type => "--type",
            Facet::Lang => "--lang",
            Facet::Since => "--since",
            Facet::Relevance => "--relevance",
        }
    }
}

/// What a filter asks of rows that do not have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meaningless {
    option: &'static str,
    what: &'static str,
    with: Vec<&'static str>,
}

impl fmt::Display for Meaningless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (option, what) = (self.option, self.what);
        let with = self.with.join(", ");
        write!(
            f,
            "{option} says nothing about rows of {what}; it is for {with}"
        )
    }
}

impl std::error::Error for Meaningless {}

/// What a row can be asked.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Facets<'r> {
    pub(super) host: &'r str,
    pub(super) page_type: Option<&'r PageType>,
    pub(super) lang: &'r str,
    pub(super) at_ms: u64,
    pub(super) relevance: Option<f32>,
}

impl Filter {
    /// Checks that every part of it can be asked of these rows.
    ///
    /// # Errors
    /// Names the first part that cannot, and the rows that it is for.
    pub fn check(&self, what: What) -> Result<(), Meaningless> {
        let known = what.facets();
        let wrong = self.asks().into_iter().find(|facet| !known.contains(facet));
        wrong.map_or(Ok(()), |facet| {
            let with = What::ALL
                .into_iter()
                .filter(|what| what.facets().contains(&facet));
            Err(Meaningless {
                option: facet.option(),
                what: what.table().name,
                with: with.map(|what| what.table().name).collect(),
            })
        })
    }

    fn asks(&self) -> Vec<Facet> {
        let asked = [
            (Facet::Host, !self.hosts.is_empty()),
            (Facet::Type, !self.types.is_empty()),
            (Facet::Lang, !self.langs.is_empty()),
            (Facet::Since, self.since_ms.is_some()),
            (Facet::Relevance, self.relevance.is_some()),
        ];
        asked
            .into_iter()
            .filter_map(|(facet, is_asked)| is_asked.then_some(facet))
            .collect()
    }

    /// Whether a row is wanted.
    pub(super) fn wants(&self, row: &Facets<'_>) -> bool {
        let any = |list: &[String], is: &dyn Fn(&str) -> bool| {
            list.is_empty() || list.iter().any(|wanted| is(wanted))
        };
        any(&self.hosts, &|wanted| is_host(wanted, row.host))
            && any(&self.langs, &|wanted| is_lang(wanted, row.lang))
            && (self.types.is_empty() || row.page_type.is_some_and(|t| self.types.contains(t)))
            && self.since_ms.is_none_or(|since| row.at_ms >= since)
            && self
                .relevance
                .is_none_or(|least| row.relevance.is_some_and(|r| r >= least))
    }
}

fn is_host(wanted: &str, host: &str) -> bool {
    match wanted.strip_prefix("*.") {
        None => host.eq_ignore_ascii_case(wanted),
        Some(domain) => {
            let bare = host.rsplit_once(':').map_or(host, |(name, _)| name);
            // With a port it is of that port alone.
            let name = if domain.contains(':') { host } else { bare };
            let tail = name.len().checked_sub(domain.len());
            let tail = tail.filter(|&at| name.is_char_boundary(at));
            tail.is_some_and(|at| {
                name[at..].eq_ignore_ascii_case(domain) && (at == 0 || name[..at].ends_with('.'))
            })
        }
    }
}

fn is_lang(wanted: &str, lang: &str) -> bool {
    let begins = lang.get(..wanted.len());
    begins.is_some_and(|begin| begin.eq_ignore_ascii_case(wanted))
        && matches!(lang.as_bytes().get(wanted.len()), None | Some(b'-' | b'_'))
}

/// Reads a date (`2026-11-21`, midnight UTC) or a time (`2026-11-21T10:00:00Z`; without an offset it is UTC, and
/// seconds may be left out) as milliseconds since the Unix epoch: what `--since` takes.
///
/// # Errors
/// In words, for a text that is neither to its last character, or lies before 1970.
pub fn instant_of(text: &str) -> Result<u64, String> {
    parse_instant(text).ok_or_else(|| {
        format!(
            "{text:?} is no date since 1970: write 2026-11-21, or 2026-11-21T10:00:00Z (UTC where no offset is given)"
        )
    })
}

fn parse_instant(text: &str) -> Option<u64> {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let day = Date::parse(date, format_description!("[year]-[month]-[day]")).ok()?;
    let at = match time {
        None => day.midnight().assume_utc(),
        Some(time) => {
            let offset_at = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
            let (clock, offset) = time.split_at(offset_at);
            let clock = match clock.len() {
                5 => Time::parse(clock, format_description!("[hour]:[minute]")),
                8 => Time::parse(clock, format_description!("[hour]:[minute]:[second]")),
                _ => Time::parse(
                    clock,
                    format_description!("[hour]:[minute]:[second].[subsecond]"),
                ),
            };
            let offset = match offset {
                "" | "Z" | "z" => UtcOffset::UTC,
                _ => UtcOffset::parse(
                    offset,
                    format_description!("[offset_hour sign:mandatory]:[offset_minute]"),
                )
                .ok()?,
            };
            day.with_time(clock.ok()?).assume_offset(offset)
        }
    };
    u64::try_from(at.unix_timestamp_nanos() / 1_000_000)
        .ok()
        .filter(|_| at.unix_timestamp_nanos() >= 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_wants_what_has_all_that_it_asks_for() {
        let article = PageType::Article;
        let row = Facets {
            host: "blog.a.example:8080",
            page_type: Some(&article),
            lang: "zh-TW",
            at_ms: 1_000,
            relevance: Some(0.5),
        };
        let wants = |filter: Filter| filter.wants(&row);
        let hosts = |host: &str| Filter {
            hosts: vec!["other.example".into(), host.into()],
            ..Filter::default()
        };
        assert!(wants(Filter::default()) && wants(hosts("blog.a.example:8080")));
        assert!(wants(hosts("*.a.example")) && wants(hosts("*.blog.a.example")));
        assert!(!wants(hosts("a.example")) && !wants(hosts("*.g.a.example")));
        // It matched nothing.
        assert!(wants(hosts("*.a.example:8080")) && !wants(hosts("*.a.example:80")));
        let langs = |lang: &str| Filter {
            langs: vec![lang.into()],
            ..Filter::default()
        };
        assert!(wants(langs("zh")) && wants(langs("ZH-tw")));
        assert!(!wants(langs("z")) && !wants(langs("zh-TW-x")) && !wants(langs("en")));
        let at_least = |relevance| Filter {
            relevance: Some(relevance),
            ..Filter::default()
        };
        assert!(wants(at_least(0.5)) && !wants(at_least(0.51)));
        assert!(!at_least(0.0).wants(&Facets {
            relevance: None,
            ..row
        }));
        let since = |ms| Filter {
            since_ms: Some(ms),
            ..Filter::default()
        };
        assert!(wants(since(1_000)) && !wants(since(1_001)));
        let types = Filter {
            types: vec![PageType::Forum],
            ..Filter::default()
        };
        assert!(!wants(types));
    }

    #[test]
    fn what_rows_cannot_answer_is_an_error_that_names_those_that_can() {
        let filter = Filter {
            langs: vec!["zh".into()],
            ..Filter::default()
        };
        assert_eq!(filter.check(What::Indexed), Ok(()));
        assert_eq!(
            filter.check(What::Hosts).unwrap_err().to_string(),
            "--lang says nothing about rows of hosts; it is for pages, indexed, junk"
        );
    }

    #[test]
    fn dates_and_times_are_read_and_nothing_else() {
        assert_eq!(instant_of("1970-01-02"), Ok(86_400_000));
        assert_eq!(instant_of("1970-01-01T09:00:00.5+08:00"), Ok(3_600_500));
        assert_eq!(instant_of("1970-01-01t00:00:01z"), Ok(1_000));
        // A time without an offset lost its time of day.
        for text in [
            "1970-01-02T23:00",
            "1970-01-02T23:00:00",
            "1970-01-02 23:00",
        ] {
            assert_eq!(instant_of(text), Ok(169_200_000), "{text}");
        }
        assert_eq!(instant_of("1970-01-02T23:00+01:00"), Ok(165_600_000));
        for bad in [
            "",
            "yesterday",
            "1969-12-31",
            "1969-12-31T23:59:59.9999",
            "2026-13-01",
            "2026",
            "2026-11-27T",
            "2026-11-27T23",
            "2026-11-27T23:00 ",
            "2026-11-27T23:00:00Zulu",
            "2026-11-27T23:00+8",
            "2026-11-27T25:00",
            "2026-11-27x",
            "2026-W48-5",
        ] {
            assert!(instant_of(bad).is_err(), "{bad}");
        }
    }
}

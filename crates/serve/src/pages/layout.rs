//! What all pages share: head, navigation, the crawl's state and what can be done to it.

use maud::{DOCTYPE, Markup, html};

use super::assets_version;
use super::words::Words;
use crate::app::App;
use crate::shown::line;

/// Which view is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tab {
    /// None of them.
    None,
    /// What the crawl does.
    Overview,
    /// Its pages.
    Pages,
    /// Full-text search.
    Search,
    /// One URL's story.
    Explain,
    /// Clusters of duplicates.
    Duplicates,
    /// What was found on coming back.
    Changes,
    /// Two crawls.
    Compare,
    /// People's judgement.
    Audit,
}

/// The frame around a view.
pub(super) struct Shell<'a> {
    words: &'static Words,
    csrf: &'a str,
    /// The crawl's name in URLs and for people, where the page is of one.
    crawl: Option<(&'a str, String)>,
    has_others: bool,
    has_come_back: bool,
    tab: Tab,
}

impl<'a> Shell<'a> {
    pub(super) fn new(app: &'a App, words: &'static Words, id: Option<&'a str>, tab: Tab) -> Self {
        let crawl = id.and_then(|id| app.crawls.get(id));
        Self {
            words,
            csrf: app.guard.csrf(),
            crawl: id.zip(crawl.map(|crawl| crawl.name())),
            has_others: app.crawls.all.len() > 1,
            has_come_back: crawl.is_some_and(|crawl| crawl.follower.has_come_back()),
            tab,
        }
    }

    /// The whole page.
    pub(super) fn whole(&self, title: &str, body: &Markup) -> Markup {
        let words = self.words;
        let name = self.crawl.as_ref().map(|(_, name)| line(name, 60));
        let title = match &name {
            Some(name) => format!("{} · {name} · Tamis", line(title, 80)),
            None => format!("{} · Tamis", line(title, 80)),
        };
        let id = self.crawl.as_ref().map(|(id, _)| *id);
        html! {
            (DOCTYPE)
            html lang=(words.code) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (title) }
                    link rel="icon" type="image/svg+xml" href={ "/favicon.ico?v=" (assets_version()) };
                    link rel="stylesheet" href={ "/assets/style.css?v=" (assets_version()) };
                    script src={ "/assets/script.js?v=" (assets_version()) } defer {}
                }
                body data-csrf=(self.csrf) data-crawl=[id] data-words=(words.for_scripts()) {
                    a class="skip" href="#main" { (words.skip) }
                    (self.header(name.as_deref()))
                    main id="main" tabindex="-1" { (body) }
                    p class="toast" id="toast" role="status" aria-live="polite" {}
                }
            }
        }
    }

    fn header(&self, name: Option<&str>) -> Markup {
        let words = self.words;
        html! {
            header class="bar" {
                div class="inner" {
                    a class="brand" href="/" aria-label="Tamis" { (mark()) span { "Tamis" } }
                    @if let (Some((id, _)), Some(name)) = (&self.crawl, name) {
                        span class="name" { bdi { (name) } }
                        span class="chip" id="state" data-state="" role="status" aria-live="polite" {}
                        div class="acts" {
                            button type="button" data-do="pause" hidden { (words.pause) }
                            button type="button" data-do="resume" hidden { (words.resume) }
                            button type="button" data-do="stop" hidden { (words.stop) }
                        }
                        (self.tabs(id))
                    }
                }
            }
        }
    }

    fn tabs(&self, id: &str) -> Markup {
        let words = self.words;
        let tabs = [
            (Tab::Overview, "", words.overview),
            (Tab::Pages, "/pages", words.pages),
            (Tab::Search, "/search", words.search),
            (Tab::Explain, "/explain", words.explain),
            (Tab::Duplicates, "/clusters", words.duplicates),
            (Tab::Changes, "/changes", words.changes),
            (Tab::Audit, "/audit", words.audit),
            (Tab::Compare, "/compare", words.compare),
        ];
        html! {
            nav aria-label="Tamis" {
                ul {
                    @if self.has_others { li { a href="/" { (words.crawls) } } }
                    @for (tab, path, label) in tabs {
                        @if tab != Tab::Changes || self.has_come_back || self.tab == tab { li {
                            a href={ "/c/" (id) (path) } aria-current=[(tab == self.tab).then_some("page")] { (label) }
                        } }
                    }
                    li { a href={ "/c/" (id) "/report" } { (words.report) } }
                }
            }
        }
    }
}

/// A drum sieve, seen from above.
fn mark() -> Markup {
    html! {
        svg viewBox="0 0 48 48" fill="none" stroke="currentColor" aria-hidden="true" {
            circle cx="24" cy="24" r="21" stroke-width="4" {}
            path stroke-width="1.6" d="M12 9.5V38.5M18 6.5V41.5M24 5V43M30 6.5V41.5M36 9.5V38.5M9.5 12H38.5M6.5 18H41.5M5 24H43M6.5 30H41.5M9.5 36H38.5" {}
        }
    }
}

/// Why there is nothing else to see.
pub(super) fn problem(words: &Words, why: &str) -> Markup {
    html! {
        section class="card" {
            h1 { (words.problem) }
            p { (why) }
        }
    }
}

/// A link to a page of the web; what is not of the web stays text.
pub(super) fn outside(url: &str, label: &Markup) -> Markup {
    match url.starts_with("http://") || url.starts_with("https://") {
        true => {
            html! { a href=(url) rel="noreferrer noopener nofollow" target="_blank" { (label) } }
        }
        false => html! { span { (label) } },
    }
}

/// A share as a small bar with its number.
pub(super) fn relevance(value: Option<f64>) -> Markup {
    html! {
        @if let Some(value) = value {
            span class="rel" {
                svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" {
                    rect class="track" width="100" height="8" {}
                    rect class="fill" width=(format!("{:.0}", value.clamp(0.0, 1.0) * 100.0)) height="8" {}
                }
                span class="n" { (format!("{:.2}", (value * 100.0).round() / 100.0)) }
            }
        } @else { span class="soft" { "–" } }
    }
}

/// A verdict with its colour.
pub(super) fn verdict(words: &Words, verdict: &str) -> Markup {
    html! { span class={ "tag v-" (verdict) } { (words.verdict(verdict)) } }
}

/// A query of the pairs that hold something.
pub(super) fn query(pairs: &[(&str, Option<&str>)]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in pairs {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            query.append_pair(name, value);
        }
    }
    query.finish()
}

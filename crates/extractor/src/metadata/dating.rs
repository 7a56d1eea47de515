//! When a page was published and changed, as it says.
//!
//! Declared times come first, then marked ones, then what is written near the title, in short lines. A date
//! amid a sentence is what the sentence is about, and a line may say that its date is of something else
//! ("Valid until", "Joined"): see [`dates::role_of`]. A row of a table of facts, code and the name of another
//! page have dates of their own, unless a word says that it is the text's; so has, at the end of the content, a
//! line that is more than a date. Nothing was published after the page was sent.

mod elsewhere;
mod lines;
mod marked;

use std::ops::Range;

use url::Url;

use crate::dates::{self, MonthFirst, Usage};
use crate::flat_dom::{ElementIndex, FlatDom};
use crate::line_markers::Marker;
use crate::structured::Structured;
use crate::survey::Survey;
use crate::tag::Tag;

use super::byline_zone::BylineZone;
use super::{SIBLINGS_MAX, assigned, declared_dates, events, named_labels};

use lines::Lines;

/// What the dates of a page are read from.
pub(super) struct Dating<'d, 'a> {
    flat: &'d FlatDom<'a>,
    survey: &'d Survey,
    structured: &'d Structured,
    zone: &'d BylineZone<'d, 'a>,
    /// The day on which the page was sent.
    fetched: Option<String>,
    /// How this page writes its dates.
    usage: Usage,
    /// The runs of a thread's first post that stand before its text.
    post: Range<usize>,
    is_thread: bool,
}

/// The runs of a thread from its first post to its text. The posts are the largest elements around the text that
/// have others of their kind beside them; the first need not be the one with the text.
fn first_post(flat: &FlatDom<'_>, text: usize) -> Range<usize> {
    let Some(run) = flat.runs.get(text) else {
        return text..text;
    };
    let kind = |at: ElementIndex| {
        let element = &flat.elements[at as usize];
        (element.parent, element.tag, element.shape)
    };
    let first_alike = |at: ElementIndex| -> Option<ElementIndex> {
        let element = &flat.elements[at as usize];
        if !element.tag.is_block() || element.end_run < element.first_run + 2 {
            return None;
        }
        let beside = flat.children(element.parent).take(SIBLINGS_MAX);
        let mut beside = beside.filter(|&other| kind(other) == kind(at));
        let first = beside.next()?;
        (first != at || beside.next().is_some()).then_some(first)
    };
    let posts = flat.ancestors(run.owner).filter_map(first_alike);
    let from = posts.last().map_or(text, |first| {
        flat.elements[first as usize].first_run as usize
    });
    from..text
}

/// Finds a date in a line, given how its page writes dates.
type Reader = dyn Fn(&str, Usage) -> Option<String>;

/// Whether a line has no word but that of a month.
fn is_date_alone(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let named = words.filter(|word| word.starts_with(char::is_alphabetic));
    named.count() <= 1
}

/// Whether a row of a table is a name and what goes by it: two cells with little text.
fn is_named_row(flat: &FlatDom<'_>, row: ElementIndex) -> bool {
    const CELL_WEIGHT_MAX: u32 = 90;
    let inside = (row + 1..flat.elements[row as usize].end).map(|at| &flat.elements[at as usize]);
    let cells = inside.filter(|element| {
        element.parent == row
            && matches!(element.tag, Tag::Td | Tag::Th)
            && element.counts.weight > 0
    });
    let weights: Vec<u32> = cells.map(|cell| cell.counts.weight).take(3).collect();
    weights.len() == 2 && weights.iter().all(|&weight| weight <= CELL_WEIGHT_MAX)
}

/// Whether a day is another one with its month in the place of the day: "09.10.2024" is either.
fn is_swapped(one: &str, other: &str) -> bool {
    let parts =
        |day: &'_ str| Some([day.get(..4)?, day.get(5..7)?, day.get(8..10)?].map(str::to_owned));
    let (Some(one), Some(other)) = (parts(one), parts(other)) else {
        return false;
    };
    one[0] == other[0] && one[1] == other[2] && one[2] == other[1]
}

/// The day on which the server sent the page, as it says.
fn fetched(headers: &[(String, Vec<u8>)]) -> Option<String> {
    let (_, value) = headers.iter().find(|(name, _)| name == "date")?;
    dates::machine(std::str::from_utf8(value).ok()?)
}

impl<'d, 'a> Dating<'d, 'a> {
    pub(super) fn of(
        flat: &'d FlatDom<'a>,
        survey: &'d Survey,
        structured: &'d Structured,
        zone: &'d BylineZone<'d, 'a>,
        headers: &[(String, Vec<u8>)],
        is_thread: bool,
    ) -> Dating<'d, 'a> {
        let dated = survey.texts.iter().zip(&survey.markers);
        let dated = dated.filter(|(_, markers)| markers.has(Marker::Date));
        let dated = dated.map(|(text, _)| text.as_str());
        let is_english = |lang: &str| lang.to_ascii_lowercase().starts_with("en");
        Dating {
            flat,
            survey,
            structured,
            zone,
            fetched: fetched(headers),
            usage: Usage::on_page(
                MonthFirst::on_page(dated, flat.lang.is_none_or(is_english)),
                zone.lang,
            ),
            post: match is_thread {
                true => first_post(flat, zone.text),
                false => zone.text..zone.text,
            },
            is_thread,
        }
    }

    pub(super) fn published(&self, url: &Url) -> Option<String> {
        let in_url = dates::in_path(url.path());
        let read =
            |value: &str| dates::machine_in(value, self.usage).filter(|date| self.has_been(date));
        let declared = self
            .structured
            .published
            .as_deref()
            .and_then(read)
            .or_else(|| declared_dates::published(self.flat, read))
            .or_else(|| in_url.clone());
        if self.zone.is_of_list() {
            return declared;
        }
        let day = |line: &str| dates::written(line, self.usage);
        let events = events::days(self.survey, self.zone.range.clone(), day);
        let is_free = |date: &String| !events.contains(date);
        let has_been = |date: &String| self.has_been(date);
        let marked = self.marked_times();
        let own = marked.own.filter(|(_, date)| is_free(date));
        let own = own.map(|(at, date)| self.before_text(at).filter(is_free).unwrap_or(date));
        let declared = declared.or_else(|| own.clone());
        let near_before = |end: usize| {
            let may_hold =
                |run| run < end && self.zone.may_hold(run) && !events::is_in(self.survey, run);
            let lines = self.published_lines(&may_hold);
            let near = lines.near_title().filter(is_free);
            // A date at the end is later than one that stands right below the title.
            near.or_else(|| marked.only.clone().filter(is_free))
                .or_else(|| lines.at_the_end().filter(is_free))
        };
        let near = || near_before(usize::MAX);
        let Some(declared) = declared else {
            let found = near().or_else(|| self.in_byline_class().filter(is_free));
            let found = found.or_else(|| self.in_link_at_end().filter(is_free));
            let found = found.or_else(|| self.in_force().filter(has_been));
            return found.or_else(|| assigned::date(self.flat).filter(has_been));
        };
        // Declared times are often in UTC. Where the URL or the by-line has the day before or after, that
        // is the day in the publisher's own time zone.
        let is_same = |day: &String| dates::days_from(day, &declared) == Some(0);
        if in_url.as_ref().is_some_and(is_same) {
            return Some(declared);
        }
        // Behind the first text of a thread stand the days of its answers.
        let shown = match self.is_thread {
            true => near_before(self.zone.text),
            false => near(),
        };
        let mut days = [in_url, shown].into_iter().flatten();
        let neighbour = days.find(|day| dates::are_neighbours(day, &declared));
        // A time that is marked as the declared day is the same as readers see, whatever its text says.
        let is_marked = || own.is_some_and(|own| dates::days_from(&own, &declared) == Some(0));
        let shown = || self.shown_instead_of(&declared).filter(is_free);
        let day = neighbour.or_else(|| shown().filter(|_| !is_marked()));
        Some(day.unwrap_or(declared))
    }

    /// The date that stands near the title before the text, where a marked time stands behind the text's beginning: that may be
    /// the time of the site, of a change or of an answer.
    fn before_text(&self, marked: usize) -> Option<String> {
        let text = self.zone.text;
        let may_hold =
            |run| run < text && self.zone.may_hold(run) && !events::is_in(self.survey, run);
        (marked > text)
            .then(|| self.published_lines(&may_hold).near_title())
            .flatten()
    }

    /// The only day in the lines between an article's title and its text, where it is an earlier one than the declared: what
    /// programs declare is often when a page was built or moved.
    fn shown_instead_of(&self, declared: &str) -> Option<String> {
        if !self.zone.is_of_article() {
            return None;
        }
        let may_hold = |run| self.zone.may_hold(run);
        let lines = self.published_lines(&may_hold);
        let below = self.zone.below_title().filter(|&run| may_hold(run));
        let mut days = below.filter_map(|run| {
            let is_own = self.is_little_but_a_date(run) && !self.is_of_a_fact(run);
            lines.in_run(run, lines.read).filter(|_| is_own)
        });
        let day = days.next()?;
        let is_earlier = dates::days_from(declared, &day).is_some_and(|days| days < -1);
        (days.all(|other| other == day) && is_earlier && !is_swapped(declared, &day)).then_some(day)
    }

    pub(super) fn modified(&self) -> Option<String> {
        let declared = self.structured.modified.as_deref().and_then(dates::machine);
        let in_meta = || declared_dates::modified(self.flat);
        declared.or_else(in_meta).or_else(|| {
            let read = |text: &str, usage| dates::modified_in(text, usage);
            let lines = Lines {
                dating: self,
                read: &read,
                read_said: &read,
                may_hold: &|run| self.zone.may_say(run),
            };
            lines.near_title().or_else(|| lines.at_the_end())
        })
    }

    /// Whether a day had come when the page was sent; it may be a day ahead, in another time zone.
    fn has_been(&self, date: &str) -> bool {
        self.fetched
            .as_deref()
            .and_then(|fetched| dates::days_from(fetched, date))
            .is_none_or(|days| days <= 1)
    }

    /// What stands before a date in its line; before one that begins a line, the line above if that is a label.
    fn label_before<'t>(&'t self, index: usize, before: &'t str) -> &'t str {
        const LABEL_BYTES_MAX: usize = 60;
        if !before.trim().is_empty() {
            return before;
        }
        let above = index
            .checked_sub(1)
            .map_or("", |above| &self.survey.texts[above]);
        let is_label = above.len() <= LABEL_BYTES_MAX && above.ends_with([':', '：']);
        let is_name = || {
            let label = above.trim_end_matches([':', '：']).trim_end();
            named_labels::is_name(self.flat, self.survey, label, self.zone.lang)
        };
        if is_label && !is_name() { above } else { "" }
    }

    /// A short line without the colon behind the name that it begins with.
    fn without_name(&self, index: usize, text: &str) -> Option<String> {
        const LINE_WEIGHT_MAX: u32 = 120;
        let is_short = self.flat.runs[index].counts.weight <= LINE_WEIGHT_MAX;
        let lang = self.zone.lang;
        let without = || named_labels::without_label(self.flat, self.survey, text, lang);
        is_short.then(without).flatten()
    }

    /// The lines that may say when the text was published.
    fn published_lines<'l>(&'l self, may_hold: &'l dyn Fn(usize) -> bool) -> Lines<'l, 'd, 'a> {
        Lines {
            dating: self,
            read: &|text, usage| dates::published_in(text, usage),
            read_said: &|text, usage| dates::said_published_in(text, usage),
            may_hold,
        }
    }

    /// Whether a line stands in code, below a picture, in a row of a table beside its name, or in a list and leads to
    /// another page whose name it is.
    fn is_of_a_fact(&self, index: usize) -> bool {
        let flat = self.flat;
        let run = &flat.runs[index];
        let is_link = run.link_weight * 5 > run.counts.weight * 4;
        flat.ancestors(run.owner).any(|at| {
            let element = &flat.elements[at as usize];
            match element.tag {
                Tag::Pre | Tag::Figcaption => true,
                Tag::Li => is_link && !is_date_alone(&self.survey.texts[index]),
                Tag::Tr => is_named_row(flat, at),
                _ => false,
            }
        })
    }

    /// Whether a line has a date and hardly more: a weekday, a time, a place, who signs.
    fn is_little_but_a_date(&self, index: usize) -> bool {
        const WEIGHT_MAX: u32 = 60;
        let run = &self.flat.runs[index];
        run.link_weight == 0 && run.counts.weight <= WEIGHT_MAX
    }
}

#[cfg(test)]
mod tests {
    use crate::{Page, PageContext, extract};

    fn read(line: &str, date: Option<&str>) -> Page {
        let text = "<p>The river rose again on Thursday night, and took the old stone bridge with it, which had \
            stood there for two hundred years.</p>";
        let page = format!(
            "<html lang=en><title>The lock</title><body><article><h1>The lock</h1>{line}{text}{text}"
        );
        let url = url::Url::parse("https://canal.example/lock").unwrap();
        let header = date.map(|date| ("date".to_owned(), date.as_bytes().to_vec()));
        let headers: Vec<_> = header.into_iter().collect();
        extract(
            &page,
            &PageContext {
                headers: &headers,
                ..PageContext::new(&url)
            },
        )
    }

    #[track_caller]
    fn check(line: &str, published: Option<&str>, modified: Option<&str>) {
        let page = read(line, None);
        assert_eq!(page.published.as_deref(), published, "{line}");
        assert_eq!(page.modified.as_deref(), modified, "{line}");
    }

    #[test]
    fn a_thread_is_as_old_as_its_first_post() {
        let post = |name: &str, date: &str, text: &str| {
            format!(
                "<li class=post><div class=head>{date}, 10:32 PM</div><div>#1</div><div>{name}</div>\
                 <div>Member</div><div>Join Date</div><div>Jul 2008</div><div>Posts</div><div>12</div>\
                 <div>Likes</div><div>3</div><div>Place</div><div>Ely</div><h2>The lock</h2><p>{text}</p></li>"
            )
        };
        let text = "The river rose again on Thursday night, and took the old stone bridge with it, I hear. ";
        let posts = [
            ("ann", "02-06-2017"),
            ("bo", "02-09-2017"),
            ("cy", "02-12-2017"),
        ];
        let posts = posts.map(|(name, date)| post(name, date, &text.repeat(3)));
        let page = format!(
            "<html lang=en><title>The lock</title><h1>Thread: The lock</h1><ol id=posts>{}</ol>",
            posts.concat()
        );
        let url = url::Url::parse("https://canal.example/showthread.php?t=3").unwrap();
        let page = extract(&page, &PageContext::new(&url));
        assert_eq!(page.published.as_deref(), Some("2017-02-06"));
    }

    #[test]
    fn a_job_was_published_when_it_was_posted() {
        check(
            "<script type='application/ld+json'>{\"@type\": \"JobPosting\", \"datePosted\": \"2021-03-05\"}</script>",
            Some("2021-03-05"),
            None,
        );
    }

    #[test]
    fn a_date_of_something_else_is_not_when_a_page_was_published() {
        for line in [
            "<p>Valid until 31 December 2031.</p>",
            "<p>It is currently Sat Dec 06, 2014 12:55 am</p>",
            "<p>The deadline is January 5, 2030.</p>",
            "<p>Version 2.1 was released on May 3, 2019.</p>",
            "<p>截止日期：2030年1月1日。</p>",
            "<p>本合同有效期至2031年12月31日。</p>",
            "<dl><dt>Joined:<dd>Mon Mar 01, 2010 3:05 pm</dl>",
            "<p>Deadline: <time datetime=2030-01-05>5 January</time></p>",
        ] {
            check(line, None, None);
        }
    }

    #[test]
    fn facts_code_and_names_of_other_pages_have_dates_of_their_own() {
        for line in [
            "<table><tr><th>Formed<td>August 9, 2004</table>",
            "<table><tr><td><b>Assumed office</b><td>January 20, 2001</table>",
            "<ul><li><a href=/attacks>September 11, 2001 attacks</a></ul>",
            "<pre>VALUES ('San Francisco', 46, '1994-11-27');</pre>",
        ] {
            check(line, None, None);
        }
        let day = Some("2021-03-05");
        check(
            "<table><tr><td>Published<td>Published on March 5, 2021</table>",
            day,
            None,
        );
        check("<table><tr><td>March 5, 2021</table>", day, None);
        check("<a href=/lock>March 5, 2021</a>", day, None);
        check(
            "<ul><li><a href=/2021>March 5, 2021</a><li>by Ivo</ul>",
            day,
            None,
        );
    }

    #[test]
    fn a_line_at_the_end_is_a_date_and_hardly_more_or_says_what_it_is() {
        let text = "<p>The river rose again on Thursday night, and took the old stone bridge with it, which had \
            stood there for two hundred years.</p>";
        let published = |line: &str| {
            let texts = text.repeat(14);
            let html =
                format!("<html lang=en><body><article><h1>The lock</h1>{texts}{line}</article>");
            let url = url::Url::parse("https://canal.example/lock").unwrap();
            extract(&html, &PageContext::new(&url)).published
        };
        let day = Some("2021-03-05".to_owned());
        assert_eq!(published("<p>London, 5 March 2021</p>"), day);
        assert_eq!(published("<p>市水务局<br>2021年3月5日</p>"), day);
        assert_eq!(
            published(
                "<p>This account of the lock and its keepers was published on March 5, 2021</p>"
            ),
            day
        );
        let other =
            "<p>The flood that began on March 5, 2021 and the long repair of the harbour wall</p>";
        assert_eq!(published(other), None);
    }

    #[test]
    fn a_time_for_scripts_goes_before_what_the_line_says_of_something_else() {
        let line = "<span class=blog-postTime data-time='2021-08-12 09:33:10'>最新推荐文章于 2024-01-05 发布</span>";
        check(line, Some("2021-08-12T09:33:10"), None);
        check(
            "<span data-time=120>5 May 2020</span>",
            Some("2020-05-05"),
            None,
        );
    }

    #[test]
    fn a_change_is_told_from_the_publication() {
        let created = "<meta itemprop=dateCreated content=2023-05-06>";
        check(
            &format!("{created}<p>编辑于 2024-01-02</p>"),
            Some("2023-05-06"),
            Some("2024-01-02"),
        );
        check(
            "<p>编辑于 2024-01-02 发布于 2023-05-06</p>",
            Some("2023-05-06"),
            Some("2024-01-02"),
        );
        check("<p>작성일: 2023년 5월 6일</p>", Some("2023-05-06"), None);
        let day = Some("2024-01-02");
        check("<p>Last updated on January 2, 2024</p>", None, day);
        check(
            "<p>Last updated on <time datetime=2024-01-02>Jan 2</time></p>",
            None,
            None,
        );
        check(
            "<p>更新时间：2024-01-02　发布时间：2023-05-06</p>",
            Some("2023-05-06"),
            day,
        );
        check(
            "<p>Published: 6 May 2023 | Updated: 2 January 2024</p>",
            Some("2023-05-06"),
            day,
        );
        check(
            "<span>Posted on May 6, 2023 by Ivo</span>",
            Some("2023-05-06"),
            None,
        );
        check("<p>2023年5月6日 来源：晨报</p>", Some("2023-05-06"), None);
    }

    #[test]
    fn a_date_beside_the_title_is_read_in_any_language() {
        let day = Some("2024-03-12");
        for line in [
            "12 de marzo de 2024",
            "Публикация: 12 марта 2024 г.",
            "12 มีนาคม 2567",
            "12 مارس 2024",
            "Đăng ngày 12 tháng 3 năm 2024",
            "פורסם: 12 במרץ 2024",
            "Dipublikasikan: 12 Maret 2024",
        ] {
            check(&format!("<p>{line}</p>"), day, None);
        }
    }

    #[test]
    fn a_change_is_told_in_any_language() {
        for line in [
            "Aktualizacja: 12.03.2024",
            "Обновлено: 12.03.2024",
            "Ενημέρωση: 12.03.2024",
            "آخر تحديث: 12.03.2024",
            "به‌روزرسانی: 12.03.2024",
            "עודכן: 12.03.2024",
            "Aktualizováno 12.03.2024",
            "Güncelleme: 12.03.2024",
            "Atualizado em 12.03.2024",
            "Cập nhật: 12.03.2024",
            "Diperbarui: 12.03.2024",
            "แก้ไขล่าสุด: 12.03.2024",
            "अपडेट किया गया: 12.03.2024",
        ] {
            check(&format!("<p>{line}</p>"), None, Some("2024-03-12"));
        }
        check("<p>действительно до 12 марта 2024 г.</p>", None, None);
    }

    #[test]
    fn edges_of_elements_part_words() {
        let day = Some("2024-03-12");
        for line in [
            "<div><span>Jan Kowalski</span><span>12.03.2024</span></div>",
            "<div><b>12 March 2024</b><i>Ann Lane</i></div>",
            "<div><span>Published</span><span>12 March 2024</span></div>",
            "<p>12<sup>th</sup> March 2024</p>",
        ] {
            check(line, day, None);
        }
        check("<div><b>Deadline</b><i>12 March 2024</i></div>", None, None);
    }

    #[test]
    fn a_date_in_pieces_is_read_in_its_place_and_language() {
        let day = Some("2024-03-12");
        for line in [
            "<div class=date><span>12</span><span>März</span><span>2024</span></div>",
            "<div class=date><div>12</div><div>mars 2024</div></div>",
            "<div><p>12</p><p>03/2024</p></div>",
            "<div><p>2024</p><p>03</p><p>12</p></div><p>Deadline: 5 May 2024</p>",
            "<div><p>12</p><p>2024年3月</p></div>",
        ] {
            check(line, day, None);
        }
        check(
            "<p>Deadline:</p><div><p>12</p><p>03/2024</p></div>",
            None,
            None,
        );
        check(
            "<div><span>Updated</span><p>12</p><p>03/2024</p></div>",
            None,
            day,
        );
    }

    #[test]
    fn a_date_below_the_title_goes_before_times_behind_the_text() {
        let text = "<p>The river rose again on Thursday night, and took the old stone bridge with it, which had stood \
            there for two hundred years.</p>"
            .repeat(6);
        let published = |below: &str, behind: &str| {
            let html = format!(
                "<html lang=en><title>The lock</title><article><h1>The lock</h1>{below}{text}</article>{behind}"
            );
            let url = url::Url::parse("https://canal.example/lock").unwrap();
            extract(&html, &PageContext::new(&url)).published
        };
        let behind = "<footer><time datetime=2025-02-03>3 February 2025</time></footer>";
        let day = Some("2024-03-12".to_owned());
        assert_eq!(published("<p>12 March 2024</p>", behind), day);
        let boxed = "<div><b>12</b><i>März</i><u>2024</u></div>";
        assert_eq!(published(boxed, behind), day);
    }

    #[test]
    fn a_caption_has_the_day_of_its_picture() {
        let picture =
            "<figure><img src=/i><figcaption>The lock on 5 May 2020</figcaption></figure>";
        check(picture, None, None);
        check(
            &format!("{picture}<p>12 March 2024</p>"),
            Some("2024-03-12"),
            None,
        );
        check("<p>图为老桥，摄于2020年5月5日</p>", None, None);
    }

    #[test]
    fn a_word_for_publishing_goes_before_the_place_in_a_line() {
        check(
            "<p>Stand: 3 May 2024 | Published: 12 March 2024</p>",
            Some("2024-03-12"),
            None,
        );
    }

    #[test]
    fn the_only_day_below_a_title_goes_before_a_later_one_that_is_declared() {
        let declared = "<meta property=article:published_time content=2025-06-01>";
        let day = Some("2024-03-12");
        check(&format!("{declared}<p>12 March 2024</p>"), day, None);
        let two = format!("{declared}<p>12 March 2024</p><p>5 May 2024</p>");
        check(&two, Some("2025-06-01"), None);
        let changed = format!("{declared}<p>Updated 12 March 2024</p>");
        check(&changed, Some("2025-06-01"), day);
    }

    #[test]
    fn nothing_was_published_after_the_page_was_sent() {
        let sent = Some("Sat, 06 May 2023 22:00:00 GMT");
        let line = "<p>May 7, 2023</p>";
        assert_eq!(
            read(line, sent).published.as_deref(),
            Some("2023-05-07"),
            "in another time zone"
        );
        for line in ["<p>May 9, 2023</p>", "<meta name=date content=2099-01-01>"] {
            assert_eq!(read(line, sent).published, None, "{line}");
            assert!(read(line, None).published.is_some(), "{line}");
        }
    }
}

//! Walls: pages that stand between a visitor and the page that was asked for.
//!
//! A firewall that takes the crawler for an attack, a captcha, a rate limit with status 200, a
//! request for consent or for a login, a parked domain, a placeholder: they are pages, often with
//! good sentences on them, and none is what its URL promises. They are told by two kinds of
//! evidence:
//!
//! - *marks* ([`marks`]): names of scripts, fields and paths that a vendor's wall has. Some stand on
//!   walls alone, others on any page of the vendor's customers;
//! - *words* ([`phrases`]): sentences that walls say, with points for how few other pages say them.
//!
//! Both count only where a page has little else to say ([`facts`]): an article about captchas has
//! the words, and a shop behind a firewall has the marks. Nothing is fetched, and nothing here
//! helps to pass a wall.

mod facts;
mod marks;
mod phrases;

use outcome::{Wall, WallKind};

use crate::flat_dom::FlatDom;
use crate::page::PageContext;

use facts::Facts;

/// A page with more visible characters is no wall. The longest walls are lists of cookie vendors and of
/// related searches; of the made-up and real ones at hand none has half of this.
const VISIBLE_MAX: usize = 6_000;

/// Whatever its words and marks, a page with text is no wall that has more prose than this (in weight)
/// beside what walls say,
const PROSE_MAX: u32 = 600;
/// and more text of any kind,
const TEXT_MAX: u32 = 400;
/// and more text that is not about cookies.
const BESIDE_CONSENT_MAX: u32 = 300;

/// A page without a sure mark is no wall that has more weight in whole sentences that no wall says: some
/// twenty-five words. Of 132 made-up walls that are told by words none has over 90; half of it would lose two.
const OWN_MAX: u32 = 150;

/// The same for words in other lines of the content: rows of a table, items, verses. Of the 169 made-up walls that are told by
/// words one has 93 and five have more than 50.
const OWN_LINES_MAX: u32 = 100;

/// Pieces of evidence that are named.
const BECAUSE_MAX: usize = 4;

/// A verdict with its sureness.
type Found = (WallKind, f32);

/// Whether a page is a wall, and of what kind; `main` says which runs are content, `visible` counts its visible
/// characters. Of a wall that is told by its words, the keys of the lines that say so come with it.
pub(crate) fn find(
    html: &scraper::Html,
    flat: &FlatDom<'_>,
    (texts, main): (&[String], &[bool]),
    visible: usize,
    context: &PageContext<'_>,
) -> Option<(Wall, Option<Vec<Vec<u32>>>)> {
    let of_headers = marks::of_headers(context.headers);
    if visible > VISIBLE_MAX && of_headers.is_none() {
        return None;
    }
    let mut facts = Facts::gather(
        html,
        flat,
        (texts, main),
        visible,
        context.url,
        of_headers.is_some(),
    )?;
    let of_marks = by_marks(&facts);
    let (kind, sureness) = match &of_headers {
        // The server says so itself.
        Some(mark) => (facts.kind_of(mark), 0.99),
        None => match &of_marks {
            Some(found) => found.clone(),
            None => by_any_words(&facts)?,
        },
    };
    let said_in = match of_headers.is_none() && of_marks.is_none() {
        true => Some(std::mem::take(&mut facts.said_in)),
        false => None,
    };
    let vendor = of_headers.map(|mark| mark.vendor);
    let vendor = vendor.or_else(|| facts.vendor_of(&kind));
    let mut because: Vec<String> = of_headers.iter().map(|mark| mark.text.to_owned()).collect();
    because.extend(facts.because(&kind));
    because.truncate(BECAUSE_MAX);
    let wall = Wall {
        kind,
        sureness,
        vendor: vendor.map(str::to_owned),
        because,
    };
    Some((wall, said_in))
}

/// Whether a title is no more than what walls say, beside signs.
pub fn is_said_by_walls(title: &str) -> bool {
    phrases::is_all_said(&segment::fold(title))
}

/// A wall of any kind by its words.
fn by_any_words(facts: &Facts) -> Option<Found> {
    by_words(facts)
        .or_else(|| consent(facts))
        .or_else(|| login(facts))
        .or_else(|| parked(facts))
        .or_else(|| coming_soon(facts))
}

/// A mark that only walls have. Some vendors' scripts stand on the pages behind the wall as well,
/// so the page must be empty, or say what walls say.
fn by_marks(facts: &Facts) -> Option<Found> {
    let mark = facts.sure_mark()?;
    let kind = facts.kind_of(mark);
    let said = facts.points_of(&kind) > 0 || facts.turned_away() > 0;
    let is_empty = facts.visible <= facts::EMPTY_MAX && facts.links <= 12;
    let says_so =
        said && facts.visible <= 3_000 && facts.other_prose <= PROSE_MAX && facts.links <= 60;
    (is_empty || says_so).then_some((kind, 0.99))
}

/// A bot wall, a check for people or a rate limit by its words, with or without a mark that the
/// vendor's customers have on all their pages.
fn by_words(facts: &Facts) -> Option<Found> {
    // A form with a captcha is a form.
    let points = facts.turned_away();
    let tells_of_its_own = tells_of_its_own(facts) && points < 8;
    if facts.is_form || facts.links > 12 || facts.other_prose > 300 || tells_of_its_own {
        return None;
    }
    let kind = facts.turned_away_kind();
    let has_mark = facts.doubtful_mark_of(&kind).is_some();
    let sureness = match (points, facts.visible) {
        (8.., ..=2_000) => 0.97,
        (5.., ..=1_000) => 0.95,
        (3.., ..=1_500) if has_mark => 0.96,
        (2.., ..=300) if has_mark => 0.95,
        (3.., ..=400) => 0.9,
        _ => return None,
    };
    Some((kind, sureness))
}

/// Whether a page has things to say that no wall would say, in sentences or in other lines.
fn tells_of_its_own(facts: &Facts) -> bool {
    facts.own_sentences > OWN_MAX || facts.own_lines > OWN_LINES_MAX
}

/// A consent wall: what it says is about cookies and partners, and there is next to nothing else.
fn consent(facts: &Facts) -> Option<Found> {
    let points = facts.points_of(&WallKind::Consent);
    let has_mark = facts.doubtful_mark_of(&WallKind::Consent).is_some();
    if facts.is_policy || facts.chars_beside_consent > BESIDE_CONSENT_MAX || facts.links > 40 {
        return None;
    }
    match (points, has_mark) {
        (6.., _) => Some((WallKind::Consent, 0.95)),
        (3.., true) => Some((WallKind::Consent, 0.95)),
        (4.., false) if facts.visible <= 1_500 => Some((WallKind::Consent, 0.9)),
        _ => None,
    }
}

/// A login wall: it says that what was asked for is for those who sign in. The page to sign in on
/// is none, under its own address.
fn login(facts: &Facts) -> Option<Found> {
    let points = facts.points_of(&WallKind::Login);
    if facts.is_login_url || facts.other_prose > 300 || facts.links > 80 || tells_of_its_own(facts)
    {
        return None;
    }
    match (points, facts.visible) {
        (3.., ..=1_500) if facts.has_password => Some((WallKind::Login, 0.95)),
        (5.., ..=1_500) => Some((WallKind::Login, 0.95)),
        (3.., ..=600) => Some((WallKind::Login, 0.9)),
        _ => None,
    }
}

/// A parked domain by its words. Lists of related searches make it long.
fn parked(facts: &Facts) -> Option<Found> {
    let points = facts.points_of(&WallKind::Parked);
    let has_mark = facts.doubtful_mark_of(&WallKind::Parked).is_some();
    if facts.other_prose > PROSE_MAX || facts.links > 60 || tells_of_its_own(facts) {
        return None;
    }
    match (points, facts.visible) {
        (6.., ..=3_000) => Some((WallKind::Parked, 0.95)),
        (2.., ..=3_000) if has_mark => Some((WallKind::Parked, 0.96)),
        (3.., ..=500) if facts.other_prose <= 200 => Some((WallKind::Parked, 0.9)),
        _ => None,
    }
}

/// A placeholder. Many real pages say of a part of them that it is coming soon, so there may be
/// nothing else.
fn coming_soon(facts: &Facts) -> Option<Found> {
    let points = facts.points_of(&WallKind::ComingSoon);
    let has_mark = facts.doubtful_mark_of(&WallKind::ComingSoon).is_some();
    let is_entitled = facts.is_entitled(&WallKind::ComingSoon);
    let beside_max = if has_mark || is_entitled {
        TEXT_MAX
    } else {
        90
    };
    if facts.other_text > beside_max || facts.links > 10 {
        return None;
    }
    match (points, facts.visible) {
        (2.., ..=700) if has_mark => Some((WallKind::ComingSoon, 0.95)),
        (5.., ..=500) => Some((WallKind::ComingSoon, 0.95)),
        (3.., ..=250) => Some((WallKind::ComingSoon, 0.9)),
        _ => None,
    }
}

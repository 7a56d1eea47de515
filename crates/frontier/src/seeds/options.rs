//! What a line says beside its URL: `key=value`, each once.

use crate::scope::ScopeMode;

/// Keys that a line may have.
pub(super) const KEYS: [&str; 5] = ["depth", "pages", "scope", "priority", "since"];

/// What a line says beside its URL.
#[derive(Default)]
pub(super) struct Options {
    pub(super) depth: Option<u32>,
    pub(super) pages: Option<u64>,
    pub(super) scope: Option<ScopeMode>,
    pub(super) priority: Option<f32>,
    pub(super) since: Option<String>,
}

impl Options {
    /// Sets `key=value`; an error is what is wrong and how to mend it.
    pub(super) fn set(&mut self, part: &str) -> Result<(), (String, String)> {
        let keys = || format!("keys: {}", KEYS.join(", "));
        if part.contains('＝') {
            let mend = format!("write {}", part.replace('＝', "="));
            return Err((format!("{part:?} has a full-width ＝"), mend));
        }
        let Some((key, value)) = part.split_once('=') else {
            return Err((format!("{part:?} is no key=value"), keys()));
        };
        let wrong = |mend: &str| (format!("{key} cannot be {value:?}"), mend.to_owned());
        match key {
            "depth" => {
                let depth = value.parse();
                self.depth = Some(depth.map_err(|_| wrong("write a number, such as depth=3"))?);
            }
            "pages" => {
                let pages = value.parse().ok().filter(|&pages: &u64| pages > 0);
                let mend = "write a number above 0, such as pages=500";
                self.pages = Some(pages.ok_or_else(|| wrong(mend))?);
            }
            "scope" => {
                let modes = ["host", "domain", "prefix", "any"];
                let hint = hint(nearest(value, &modes));
                let mend = format!("{hint}choose host, domain, prefix or any");
                self.scope = Some(ScopeMode::from_name(value).ok_or_else(|| wrong(&mend))?);
            }
            "priority" => {
                let priority = value
                    .parse()
                    .ok()
                    .filter(|priority| (0.0..=1.0).contains(priority));
                self.priority =
                    Some(priority.ok_or_else(|| wrong("write a number from 0.0 to 1.0"))?);
            }
            "since" => {
                if !is_date(value) {
                    return Err(wrong(
                        "write a date of the calendar, such as since=2025-01-01",
                    ));
                }
                self.since = Some(value.to_owned());
            }
            _ => {
                let mend = hint(nearest(key, &KEYS)) + &keys();
                return Err((format!("unknown key {key:?}"), mend));
            }
        }
        Ok(())
    }
}

/// An option that is written with blanks around its sign: its key, its value, and how many further words
/// it takes.
pub(super) fn spaced<'l>(
    part: &'l str,
    rest: &[(usize, &'l str)],
) -> Option<(&'l str, &'l str, usize)> {
    let word = |at: usize| rest.get(at).map(|(_, word)| *word);
    let is_value = |word: &&str| !word.contains('=');
    let (key, value, taken) = match (part.strip_suffix('='), word(0)?) {
        (Some(key), value) => (key, Some(value), 1),
        (None, "=") => (part, word(1), 2),
        (None, next) => (part, next.strip_prefix('='), 1),
    };
    let value = value.filter(is_value).filter(|value| !value.is_empty())?;
    KEYS.contains(&key).then_some((key, value, taken))
}

/// A year, a month or a day of the calendar.
pub(super) fn is_date(text: &str) -> bool {
    let shape: String = text
        .chars()
        .map(|c| if c.is_ascii_digit() { '9' } else { c })
        .collect();
    let part =
        |range: std::ops::Range<usize>| text.get(range).and_then(|part| part.parse::<u8>().ok());
    if !matches!(shape.as_str(), "9999" | "9999-99" | "9999-99-99") {
        return false;
    }
    let year: u32 = text[..4].parse().expect("four digits");
    let month = part(5..7).unwrap_or(1);
    let day = part(8..10).unwrap_or(1);
    (1..=days_of(year, month)).contains(&day)
}

/// The days of a month; none of one that there is not.
fn days_of(year: u32, month: u8) -> u8 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u8::from(is_leap),
        _ => 0,
    }
}

/// The name that was probably meant.
pub(super) fn nearest<'n>(name: &str, names: &[&'n str]) -> Option<&'n str> {
    if name.len() > 32 {
        return None;
    }
    let lower = name.to_lowercase();
    let distance = |other: &&&str| strsim::osa_distance(&lower, other);
    let nearest = names.iter().min_by_key(|other| distance(other))?;
    (distance(&nearest) <= 2).then_some(*nearest)
}

fn hint(name: Option<&str>) -> String {
    name.map_or(String::new(), |name| format!("did you mean {name}? "))
}

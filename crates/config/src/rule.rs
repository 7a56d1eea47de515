//! Which values of a key are allowed, beyond being of its type.

use serde_json::Value;

use crate::setting::Setting;

/// Which values of a key are allowed, and all else that is said of them.
pub(crate) struct Rule<T> {
    /// The allowed values in words.
    pub(crate) allowed: String,
    /// What to do about a value that is not allowed.
    pub(crate) mend: String,
    /// What is counted, where the type does not say it: `links from a seed`.
    pub(crate) unit: &'static str,
    /// What 0, or an empty text, stands for when it is no quantity.
    pub(crate) zero: &'static str,
    /// For what a changed value counts.
    pub(crate) counts_for: CountsFor,
    /// Least and greatest value.
    pub(crate) bounds: (Option<Value>, Option<Value>),
    /// What of the value may be shown and recorded, where it is not all.
    pub(crate) shown: Option<fn(&T) -> T>,
    test: Test<T>,
}

type Test<T> = Box<dyn Fn(&T) -> Vec<Refused>>;

/// For what a value counts that was changed between two starts of a crawl. Nothing that was done
/// under the old value is done again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountsFor {
    /// For everything from the next start on.
    NextStart,
    /// For links that are found from then on; what waits already stays.
    NewLinks,
    /// For pages that are read from then on; verdicts stay.
    NewPages,
}

impl CountsFor {
    /// A few words for a table.
    pub fn words(self) -> &'static str {
        match self {
            Self::NextStart => "the next start",
            Self::NewLinks => "links found later",
            Self::NewPages => "pages read later",
        }
    }
}

/// A value, or one entry of a list, that is not allowed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refused {
    /// Which entry of a list.
    pub(crate) entry: Option<usize>,
    /// What is wrong with it, as the end of a sentence: `is no URL`.
    pub(crate) what: String,
    /// What to do; empty for the rule's own words.
    pub(crate) mend: String,
}

/// Any value of the type.
pub(crate) fn any<T: Setting>() -> Rule<T> {
    Rule {
        allowed: "any".into(),
        mend: String::new(),
        unit: "",
        zero: "",
        counts_for: CountsFor::NextStart,
        bounds: (None, None),
        shown: None,
        test: Box::new(|_| Vec::new()),
    }
}

/// Values from `least` to `greatest`, both included.
pub(crate) fn between<T: Setting + PartialOrd>(least: T, greatest: T) -> Rule<T> {
    let words = format!("{} to {}", plain(&least), plain(&greatest));
    Rule {
        mend: format!("choose {words}"),
        allowed: words,
        bounds: (Some(least.write()), Some(greatest.write())),
        test: Box::new(move |value| unless(*value >= least && *value <= greatest)),
        ..any()
    }
}

/// Values from `least` on.
pub(crate) fn at_least<T: Setting + PartialOrd>(least: T) -> Rule<T> {
    let words = format!("at least {}", plain(&least));
    Rule {
        mend: format!("choose {words}"),
        allowed: words,
        bounds: (Some(least.write()), None),
        test: Box::new(move |value| unless(*value >= least)),
        ..any()
    }
}

/// One of a few values.
pub(crate) fn among<T: Setting>(values: &'static [T]) -> Rule<T> {
    let mut words: Vec<String> = values.iter().map(plain).collect();
    let last = words.pop().unwrap_or_default();
    let words = format!("{} or {last}", words.join(", "));
    Rule {
        mend: format!("choose {words}"),
        allowed: words,
        test: Box::new(move |value| unless(values.contains(value))),
        ..any()
    }
}

/// Texts that pass a test, which says what is wrong and what to do.
pub(crate) fn tested(
    allowed: &str,
    test: fn(&str) -> Result<(), (String, String)>,
) -> Rule<String> {
    Rule {
        allowed: allowed.into(),
        test: Box::new(move |text: &String| refused(None, test(text)).into_iter().collect()),
        ..any()
    }
}

/// Lists whose entries pass a test.
pub(crate) fn each(
    allowed: &str,
    test: fn(&str) -> Result<(), (String, String)>,
) -> Rule<Vec<String>> {
    Rule {
        allowed: allowed.into(),
        test: Box::new(move |list: &Vec<String>| {
            let entries = list.iter().enumerate();
            let refused = entries.filter_map(|(at, text)| refused(Some(at), test(text)));
            refused.collect()
        }),
        ..any()
    }
}

/// The same rule for a value that need not be set.
pub(crate) fn if_set<T: Setting>(rule: Rule<T>) -> Rule<Option<T>> {
    let test = rule.test;
    Rule {
        allowed: rule.allowed,
        mend: rule.mend,
        bounds: rule.bounds,
        unit: rule.unit,
        test: Box::new(move |value: &Option<T>| value.as_ref().map_or(Vec::new(), &test)),
        ..any()
    }
}

impl<T: Setting> Rule<T> {
    /// What is counted: `links from a seed`.
    pub(crate) fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    /// What 0, or an empty text, stands for.
    pub(crate) fn zero(self, zero: &'static str) -> Self {
        Self { zero, ..self }
    }

    /// What to do about a value that is not allowed.
    pub(crate) fn mend(self, mend: &str) -> Self {
        let mend = mend.into();
        Self { mend, ..self }
    }

    /// For what a changed value counts; the next start where nothing is said.
    pub(crate) fn counts_for(self, counts_for: CountsFor) -> Self {
        Self { counts_for, ..self }
    }

    /// What of the value may be shown and recorded.
    pub(crate) fn shown(self, shown: fn(&T) -> T) -> Self {
        let shown = Some(shown);
        Self { shown, ..self }
    }

    /// What is not allowed about a value.
    pub(crate) fn refused(&self, value: &T) -> Vec<Refused> {
        (self.test)(value)
    }
}

/// The value for a sentence.
pub(crate) fn plain<T: Setting>(value: &T) -> String {
    match value.write() {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// A refusal without words of its own: the message shows the value.
fn unless(is_allowed: bool) -> Vec<Refused> {
    let refused = Refused {
        entry: None,
        what: String::new(),
        mend: String::new(),
    };
    if is_allowed {
        Vec::new()
    } else {
        vec![refused]
    }
}

fn refused(entry: Option<usize>, found: Result<(), (String, String)>) -> Option<Refused> {
    let (what, mend) = found.err()?;
    Some(Refused { entry, what, mend })
}

//! A key of a section: all that reading, checking, showing and documenting it asks.

use serde_json::Value;

use crate::node::{Node, Written};
use crate::problem::Mistake;
use crate::rule::{CountsFor, Rule, plain};
use crate::setting::Setting;

/// A key of a section of type `S`, whatever the key's own type.
pub(crate) struct Key<S> {
    pub(crate) facts: KeyFacts,
    declared: Box<dyn AnyKey<S>>,
}

/// What a key of any type can do with its section.
trait AnyKey<S> {
    fn read(&self, section: &mut S, node: &Node, path: &str) -> Result<(), Vec<Mistake>>;
    fn faults(&self, section: &S, path: &str) -> Vec<Fault>;
    fn value(&self, section: &S) -> Value;
    fn hide(&self, section: &mut S);
}

/// A key of the type `T`.
struct Declared<S, T> {
    rule: Rule<T>,
    get: fn(&S) -> &T,
    get_mut: fn(&mut S) -> &mut T,
}

/// What there is to say of a key, for people and for editors.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyFacts {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub doc: &'static str,
    /// What its value is, with an article: `a duration`.
    pub kind: String,
    /// The value where nothing is set; null for none.
    pub default: Value,
    /// Which values are allowed, in words; `any` for all of the kind.
    pub allowed: String,
    /// The names that it may have, each with what it stands for; empty where it is no name.
    pub choices: &'static [(&'static str, &'static str)],
    /// What is counted; empty where the kind says it.
    pub unit: &'static str,
    /// What 0, or an empty text, stands for; empty where it is a value like any.
    pub zero: &'static str,
    /// For what a value counts that was changed between two starts.
    pub counts_for: CountsFor,
    /// The JSON Schema of its value.
    pub schema: Value,
}

/// Something that is not allowed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    /// The keys that it is about; the first of them that is set is pointed at.
    pub(crate) keys: Vec<String>,
    /// Which entry of that key's list.
    pub(crate) entry: Option<usize>,
    pub(crate) message: String,
    pub(crate) mend: String,
}

impl Fault {
    /// A fault of keys that do not go together. The names are those in their section; without any
    /// it is the section's own.
    pub(crate) fn new(keys: &[&str], message: String, mend: &str) -> Self {
        Self {
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            entry: None,
            message,
            mend: mend.into(),
        }
    }

    /// A fault of one entry of a list.
    pub(crate) fn of_entry(key: &str, entry: usize, message: String, mend: &str) -> Self {
        Self {
            entry: Some(entry),
            ..Self::new(&[key], message, mend)
        }
    }
}

impl<S: 'static> Key<S> {
    /// A key of what was declared of it.
    pub(crate) fn new<T: Setting>(
        (name, doc): (&'static str, &'static str),
        default: &S,
        rule: Rule<T>,
        get: fn(&S) -> &T,
        get_mut: fn(&mut S) -> &mut T,
    ) -> Self {
        Self {
            facts: facts((name, doc), get(default), &rule),
            declared: Box::new(Declared { rule, get, get_mut }),
        }
    }

    /// Reads the key's value into the section.
    pub(crate) fn read(
        &self,
        section: &mut S,
        node: &Node,
        path: &str,
    ) -> Result<(), Vec<Mistake>> {
        self.declared.read(section, node, path)
    }

    /// What is not allowed about the key's value.
    pub(crate) fn faults(&self, section: &S, path: &str) -> Vec<Fault> {
        self.declared.faults(section, path)
    }

    /// The key's value as JSON.
    pub(crate) fn value(&self, section: &S) -> Value {
        self.declared.value(section)
    }

    /// Removes from the key's value what only the user may know.
    pub(crate) fn hide(&self, section: &mut S) {
        self.declared.hide(section);
    }
}

impl<S, T: Setting> AnyKey<S> for Declared<S, T> {
    fn read(&self, section: &mut S, node: &Node, path: &str) -> Result<(), Vec<Mistake>> {
        match T::read(node, path) {
            Ok(value) => {
                *(self.get_mut)(section) = value;
                Ok(())
            }
            Err(mut mistakes) => {
                let unsaid = mistakes.iter_mut().filter(|one| one.mend.is_empty());
                unsaid.for_each(|one| one.mend = or_in_range(&self.rule.mend, node));
                Err(mistakes)
            }
        }
    }

    fn faults(&self, section: &S, path: &str) -> Vec<Fault> {
        faults(&self.rule, (self.get)(section), path)
    }

    fn value(&self, section: &S) -> Value {
        (self.get)(section).write()
    }

    fn hide(&self, section: &mut S) {
        if let Some(shown) = self.rule.shown {
            let value = (self.get_mut)(section);
            *value = shown(value);
        }
    }
}

/// The rule's mend; without one, what is wrong with a number that its type cannot hold.
fn or_in_range(mend: &str, node: &Node) -> String {
    match (mend, &node.value) {
        ("", Written::Whole(..0)) => "choose a number that is not negative".into(),
        ("", _) => "choose a smaller number".into(),
        (mend, _) => mend.into(),
    }
}

fn facts<T: Setting>(
    (name, doc): (&'static str, &'static str),
    default: &T,
    rule: &Rule<T>,
) -> KeyFacts {
    let mut schema = T::schema();
    let is_number = schema["type"] == "integer" || schema["type"] == "number";
    if is_number {
        let (least, greatest) = rule.bounds.clone();
        let bounds = [("minimum", least), ("maximum", greatest)];
        for (name, bound) in bounds {
            if let Some(bound) = bound {
                schema[name] = bound;
            }
        }
    }
    KeyFacts {
        name,
        doc: doc.trim(),
        kind: T::kind(),
        default: default.write(),
        allowed: rule.allowed.clone(),
        choices: T::choices(),
        unit: rule.unit,
        zero: rule.zero,
        counts_for: rule.counts_for,
        schema,
    }
}

fn faults<T: Setting>(rule: &Rule<T>, value: &T, path: &str) -> Vec<Fault> {
    let refused = rule.refused(value).into_iter().map(|refused| {
        let shown = match (rule.shown, refused.entry) {
            // A message is seen by others than the user.
            (Some(_), _) => String::new(),
            (None, Some(entry)) => format!(" {}", value.write()[entry]),
            (None, None) if refused.what.is_empty() => format!(" is {}", plain(value)),
            (None, None) => format!(" {}", value.write()),
        };
        let what = match refused.what.as_str() {
            "" => String::new(),
            what => format!(" {what}"),
        };
        Fault {
            keys: vec![path.to_owned()],
            entry: refused.entry,
            message: format!("{path}{shown}{what}"),
            mend: match refused.mend.is_empty() {
                true => rule.mend.clone(),
                false => refused.mend,
            },
        }
    });
    refused.collect()
}

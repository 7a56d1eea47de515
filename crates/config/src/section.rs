//! A section of the file: its keys, and what holds among them.
//!
//! [`keys!`] declares a section: each key once, with its doc line, type, default and [`Rule`]. From
//! it follow the section's struct, its defaults and the list of its [`Key`]s, and from that list
//! reading, checking, showing, the schema and the reference.
//!
//! [`Rule`]: crate::rule::Rule

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::key::{Fault, Key, KeyFacts};
use crate::node::{Entry, Written};
use crate::problem::ConfigProblem;
use crate::reading::{Reading, header};

/// Declares a section and its keys.
macro_rules! keys {
    (
        $(#[doc = $about:literal])+
        pub struct $section:ident {
            $(
                $(#[doc = $doc:literal])+
                $key:ident: $type:ty = $default:expr, $rule:expr;
            )+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq)]
        pub struct $section {
            $( $(#[doc = $doc])+ pub $key: $type, )+
        }

        impl Default for $section {
            fn default() -> Self {
                Self { $( $key: $default, )+ }
            }
        }

        impl $crate::section::Keys for $section {
            const ABOUT: &'static str = concat!($($about),+);

            fn keys() -> Vec<$crate::key::Key<Self>> {
                let default = Self::default();
                vec![ $(
                    $crate::key::Key::new(
                        (stringify!($key), concat!($($doc),+)),
                        &default,
                        $rule,
                        |section: &Self| &section.$key,
                        |section: &mut Self| &mut section.$key,
                    ),
                )+ ]
            }
        }

        impl $crate::section::Part for $section {
            fn read(
                &mut self,
                entry: &$crate::node::Entry,
                path: &str,
                reading: &mut $crate::reading::Reading,
            ) {
                $crate::reading::read_section(self, entry, path, reading);
            }
            fn present<'a>(&'a self, path: &str) -> $crate::section::Present<'a> {
                vec![(path.to_owned(), self)]
            }
            fn present_mut(&mut self) -> Vec<&mut dyn $crate::section::AnySection> {
                vec![self]
            }
            fn json(&self) -> serde_json::Value {
                $crate::section::AnySection::json(self)
            }
            fn facts(&self) -> $crate::section::SectionFacts {
                $crate::section::facts::<Self>($crate::section::Shape::Single)
            }
        }
    };
}

pub(crate) use keys;

/// The keys of a section, as declared by [`keys!`].
pub(crate) trait Keys: Default + Clone + 'static {
    /// What the section is for.
    const ABOUT: &'static str;

    /// Its keys, in their order.
    fn keys() -> Vec<Key<Self>>;
}

/// What a section says beyond its keys.
pub(crate) trait Section: Keys {
    /// Values that are each allowed, but not together.
    fn contradictions(&self) -> Vec<Fault> {
        Vec::new()
    }

    /// The paths among its values.
    fn paths(&mut self) -> Vec<&mut String> {
        Vec::new()
    }

    /// What it names in the file system and cannot be used; paths are relative to `base`.
    fn look(&self, _base: &Path) -> Looked {
        Looked::default()
    }

    /// Whether a table of this section may have a name, and if not, why and what to do.
    fn check_name(_name: &str) -> Result<(), (String, String)> {
        Ok(())
    }

    /// What a table's name means: two tables of one meaning are two for the same thing.
    fn meant_by(name: &str) -> String {
        name.to_owned()
    }
}

/// What was found wrong with the files that a section names.
#[derive(Default)]
pub(crate) struct Looked {
    /// With the names themselves.
    pub(crate) faults: Vec<Fault>,
    /// Inside the files.
    pub(crate) problems: Vec<ConfigProblem>,
}

/// A section whatever its type.
pub(crate) trait AnySection {
    fn key_faults(&self, path: &str) -> Vec<Fault>;
    fn contradictions(&self, path: &str) -> Vec<Fault>;
    fn values(&self, path: &str) -> Vec<(String, Value)>;
    fn json(&self) -> Value;
    fn hide(&mut self);
    fn paths(&mut self) -> Vec<&mut String>;
    fn look(&self, path: &str, base: &Path) -> Looked;
}

impl<S: Section> AnySection for S {
    fn key_faults(&self, path: &str) -> Vec<Fault> {
        let keys = S::keys();
        let faults = keys
            .iter()
            .map(|key| key.faults(self, &format!("{path}.{}", key.facts.name)));
        faults.flatten().collect()
    }

    fn contradictions(&self, path: &str) -> Vec<Fault> {
        let faults = Section::contradictions(self).into_iter();
        faults.map(|fault| below(path, fault)).collect()
    }

    fn values(&self, path: &str) -> Vec<(String, Value)> {
        let keys = S::keys();
        let value = |key: &Key<S>| (format!("{path}.{}", key.facts.name), key.value(self));
        keys.iter().map(value).collect()
    }

    fn json(&self) -> Value {
        let keys = S::keys();
        let entry = |key: &Key<S>| (key.facts.name.to_owned(), key.value(self));
        Value::Object(keys.iter().map(entry).collect())
    }

    fn hide(&mut self) {
        for key in S::keys() {
            key.hide(self);
        }
    }

    fn paths(&mut self) -> Vec<&mut String> {
        Section::paths(self)
    }

    fn look(&self, path: &str, base: &Path) -> Looked {
        let looked = Section::look(self, base);
        let faults = looked.faults.into_iter();
        Looked {
            faults: faults.map(|fault| below(path, fault)).collect(),
            ..looked
        }
    }
}

/// A fault with its keys' whole names.
fn below(path: &str, mut fault: Fault) -> Fault {
    for key in &mut fault.keys {
        *key = format!("{path}.{key}");
    }
    fault.keys.push(path.to_owned());
    fault
}

/// The sections that a part holds, each with its path.
pub(crate) type Present<'a> = Vec<(String, &'a dyn AnySection)>;

/// A part of the configuration: a section, one that may be missing, or one for each name.
pub(crate) trait Part {
    /// Reads what stands under the part's name.
    fn read(&mut self, entry: &Entry, path: &str, reading: &mut Reading);
    /// The sections that are there.
    fn present<'a>(&'a self, path: &str) -> Present<'a>;
    /// The same, to be changed.
    fn present_mut(&mut self) -> Vec<&mut dyn AnySection>;
    /// The part as JSON.
    fn json(&self) -> Value;
    /// What there is to say of it.
    fn facts(&self) -> SectionFacts;
}

/// A section without which a crawl works, too.
impl<S: Section + Part> Part for Option<S> {
    fn read(&mut self, entry: &Entry, path: &str, reading: &mut Reading) {
        match entry.node.value {
            Written::Nothing => *self = None,
            _ => self.get_or_insert_default().read(entry, path, reading),
        }
    }
    fn present<'a>(&'a self, path: &str) -> Present<'a> {
        self.as_ref().map_or(Vec::new(), |part| part.present(path))
    }
    fn present_mut(&mut self) -> Vec<&mut dyn AnySection> {
        self.as_mut().map_or(Vec::new(), Part::present_mut)
    }
    fn json(&self) -> Value {
        self.as_ref().map_or(Value::Null, Part::json)
    }
    fn facts(&self) -> SectionFacts {
        facts::<S>(Shape::Optional)
    }
}

/// A section for each name.
impl<S: Section + Part> Part for BTreeMap<String, S> {
    fn read(&mut self, entry: &Entry, path: &str, reading: &mut Reading) {
        let Some(entries) = reading.table(entry, path, &header(&format!("{path}.NAME"))) else {
            return;
        };
        let mut seen: BTreeMap<String, &str> = BTreeMap::new();
        for entry in entries {
            let name = &entry.key;
            if let Some(first) = seen.insert(S::meant_by(name), name) {
                let message = format!("{path} {name:?} is {path} {first:?} in another spelling");
                let mend = format!(
                    "write all of it below {}",
                    header(&format!("{path}.{first}"))
                );
                reading.refuse(entry.key_place.start, message, mend);
            }
            if let Err((what, mend)) = S::check_name(name) {
                reading.refuse(
                    entry.key_place.start,
                    format!("{path} {name:?} {what}"),
                    mend,
                );
            }
            let part = self.entry(name.clone()).or_default();
            part.read(entry, &format!("{path}.{name}"), reading);
        }
    }
    fn present<'a>(&'a self, path: &str) -> Present<'a> {
        let parts = self.iter();
        let present = parts.map(|(name, part)| part.present(&format!("{path}.{name}")));
        present.flatten().collect()
    }
    fn present_mut(&mut self) -> Vec<&mut dyn AnySection> {
        self.values_mut().flat_map(Part::present_mut).collect()
    }
    fn json(&self) -> Value {
        let parts = self.iter().map(|(name, part)| (name.clone(), part.json()));
        Value::Object(parts.collect())
    }
    fn facts(&self) -> SectionFacts {
        facts::<S>(Shape::Named)
    }
}

/// How often a section stands in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Once, and with its defaults where it is left out.
    Single,
    /// Once or not at all.
    Optional,
    /// Once for each name: `[host."example.org"]`.
    Named,
}

/// What there is to say of a section.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionFacts {
    /// What it is for.
    pub about: &'static str,
    /// How often it stands in a file.
    pub shape: Shape,
    /// Its keys.
    pub keys: Vec<KeyFacts>,
}

pub(crate) fn facts<S: Keys>(shape: Shape) -> SectionFacts {
    SectionFacts {
        about: S::ABOUT.trim(),
        shape,
        keys: S::keys().into_iter().map(|key| key.facts).collect(),
    }
}

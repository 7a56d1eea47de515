//! Keys whose value is one of a few names.

/// Makes a key's type of an enum: each variant with its name in the file and what it stands for.
///
/// An enum of a stage is listed (`impl frontier::ScopeMode { .. }`), one of the configuration's own
/// is defined here, too.
macro_rules! choice {
    (
        $(#[doc = $about:literal])+
        pub enum $type:ident {
            $( $(#[doc = $doc:literal])+ $variant:ident = $name:literal, )+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $type {
            $( $(#[doc = $doc])+ $variant, )+
        }
        $crate::choice::choice! {
            impl $type { $( $(#[doc = $doc])+ $variant = $name, )+ }
        }
    };
    (
        impl $type:ty {
            $( $(#[doc = $doc:literal])+ $variant:ident = $name:literal, )+
        }
    ) => {
        impl $crate::setting::Setting for $type {
            fn kind() -> String {
                "a name".into()
            }
            fn read(
                node: &$crate::node::Node,
                key: &str,
            ) -> Result<Self, Vec<$crate::problem::Mistake>> {
                match &node.value {
                    $crate::node::Written::Text(text) => match text.as_str() {
                        $( $name => Ok(<$type>::$variant), )+
                        _ => Err($crate::choice::unknown(node, key, text, Self::choices())),
                    },
                    _ => {
                        let (first, _) = Self::choices()[0];
                        let mend = format!("write one of the names allowed here, such as \"{first}\"");
                        Err($crate::setting::mismatch::<Self>(node, key, mend))
                    }
                }
            }
            fn write(&self) -> serde_json::Value {
                serde_json::Value::from(match self { $( <$type>::$variant => $name, )+ })
            }
            fn schema() -> serde_json::Value {
                serde_json::json!({ "type": "string", "enum": [$($name),+] })
            }
            fn choices() -> &'static [(&'static str, &'static str)] {
                &[ $( ($name, concat!($($doc),+)), )+ ]
            }
        }
    };
}

pub(crate) use choice;

use crate::node::Node;
use crate::problem::Mistake;

/// A name that is none of the choices.
pub(crate) fn unknown(
    node: &Node,
    key: &str,
    found: &str,
    choices: &[(&'static str, &'static str)],
) -> Vec<Mistake> {
    let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
    vec![Mistake::new(
        node.place.start,
        format!("unknown value \"{found}\" of {key}"),
        suggestion(found, &names),
    )]
}

/// Which of the allowed names was probably meant, and all that are allowed.
pub(crate) fn suggestion(found: &str, allowed: &[&str]) -> String {
    let near = allowed
        .iter()
        .map(|&known| (strsim::damerau_levenshtein(found, known), known))
        .filter(|&(distance, known)| distance <= 1 + known.len() / 4)
        .min();
    let list = format!("allowed here: {}", allowed.join(", "));
    match near {
        Some((_, known)) => format!("did you mean \"{known}\"? {list}"),
        None => list,
    }
}

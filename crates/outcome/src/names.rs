//! The macro behind the enums: a variant, its wire name, and facts about it, in one row.
//!
//! ```text
//! names! {
//!     /// Why ...
//!     pub enum Reason: Facts or UNKNOWN {   // may be left out: facts, and what holds for `Unknown`
//!         /// What the variant means.
//!         Variant = "wire_name" => Facts { .. },
//!     }
//! }
//! ```
//!
//! Each enum gets a last variant `Unknown` for names of a newer version, `KNOWN` (all others, in
//! the order of the rows), `name`, `From<&str>`, `Display`, and serde as a string. Values are
//! ordered by their names, so that a map keyed by them is printed in alphabetical order.

macro_rules! names {
    (
        $(#[$meta:meta])*
        pub enum $enum:ident: $facts:ident or $unknown:ident {
            $( $(#[$row_meta:meta])* $variant:ident = $wire:literal => $fact:expr ),+ $(,)?
        }
    ) => {
        names! {
            $(#[$meta])*
            pub enum $enum {
                $( $(#[$row_meta])* $variant = $wire, )+
            }
        }

        impl $enum {
            /// The facts of this value's row.
            pub(crate) fn facts(&self) -> $facts {
                match self {
                    $( $enum::$variant => $fact, )+
                    $enum::Unknown(_) => $unknown,
                }
            }
        }
    };
    (
        $(#[$meta:meta])*
        pub enum $enum:ident {
            $( $(#[$row_meta:meta])* $variant:ident = $wire:literal ),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum $enum {
            $( $(#[$row_meta])* $variant, )+
            /// A name that this version does not know, written by a newer one.
            Unknown(Box<str>),
        }

        impl $enum {
            /// All values that this version knows, in the order in which they are documented.
            pub const KNOWN: &'static [$enum] = &[$( $enum::$variant ),+];

            /// The wire name.
            pub fn name(&self) -> &str {
                match self {
                    $( $enum::$variant => $wire, )+
                    $enum::Unknown(name) => name,
                }
            }
        }

        impl From<&str> for $enum {
            fn from(name: &str) -> Self {
                match name {
                    $( $wire => $enum::$variant, )+
                    other => $enum::Unknown(other.into()),
                }
            }
        }

        $crate::names::wire_string!($enum);
    };
}

/// What follows from `name` and `From<&str>`: order, printing, serde.
macro_rules! wire_string {
    ($enum:ident) => {
        impl PartialOrd for $enum {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $enum {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                let (own, other) = (self.name(), other.name());
                let (own, other): (&str, &str) = (own.as_ref(), other.as_ref());
                own.cmp(other)
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let name = self.name();
                f.pad(name.as_ref())
            }
        }

        impl serde::Serialize for $enum {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name().as_ref())
            }
        }

        impl<'de> serde::Deserialize<'de> for $enum {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::names::read_name(deserializer, |name| $enum::from(name))
            }
        }
    };
}

pub(crate) use {names, wire_string};

/// Reads a name and makes a value of it, without a copy where the input can lend it.
pub(crate) fn read_name<'de, D: serde::Deserializer<'de>, T>(
    deserializer: D,
    value_of: impl Fn(&str) -> T,
) -> Result<T, D::Error> {
    struct Name<F>(F);

    impl<T, F: Fn(&str) -> T> serde::de::Visitor<'_> for Name<F> {
        type Value = T;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a name")
        }

        fn visit_str<E>(self, name: &str) -> Result<T, E> {
            Ok((self.0)(name))
        }
    }

    deserializer.deserialize_str(Name(value_of))
}

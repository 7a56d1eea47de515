//! What becomes of a link when its page is recorded.

use crate::names::wire_string;
use crate::refusal::Trap;

macro_rules! fates {
    ( $( $(#[$meta:meta])* $variant:ident = $wire:literal ),+ $(,)? ) => {
        /// What becomes of a link when its page is recorded: its URL is new, was seen, or is left
        /// out for a reason.
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum LinkFate {
            $( $(#[$meta])* $variant, )+
            /// It leads into an endless part of a host.
            Trap(Trap),
            /// A name that this version does not know, written by a newer one; empty where the
            /// record has none.
            Unknown(Box<str>),
        }

        impl LinkFate {
            /// All fates that this version knows but the traps, which [`Trap::KNOWN`] lists.
            pub const KNOWN: &'static [LinkFate] = &[$( LinkFate::$variant ),+];

            /// The wire name.
            pub fn name(&self) -> &str {
                match self {
                    $( Self::$variant => $wire, )+
                    Self::Trap(trap) => trap.name(),
                    Self::Unknown(name) => name,
                }
            }
        }

        impl From<&str> for LinkFate {
            fn from(name: &str) -> Self {
                match name {
                    $( $wire => Self::$variant, )+
                    name if name.starts_with("trap") => Self::Trap(Trap::from(name)),
                    other => Self::Unknown(other.into()),
                }
            }
        }

        wire_string!(LinkFate);
    };
}

fates! {
    /// Its URL is new and waits now.
    New = "new",
    /// Its URL was admitted before.
    Seen = "seen",
    /// The link or its page asks not to be followed.
    Nofollow = "nofollow",
    /// Its page is a duplicate, and links of duplicates are not followed.
    Duplicate = "duplicate",
    /// Its page is a wall: what it links to is not the site's.
    Wall = "wall",
    /// Its host is out of scope.
    Scope = "scope",
    /// It is further from its seed than allowed.
    Depth = "depth",
    /// No include pattern matches.
    NotIncluded = "not_included",
    /// An exclude pattern matches.
    Excluded = "excluded",
    /// The seed's page budget is used up.
    BudgetSeed = "budget_seed",
    /// The host's page budget is used up.
    BudgetHost = "budget_host",
    /// The crawl knows as many hosts as it can hold.
    BudgetHosts = "budget_hosts",
    /// It does not parse.
    BadUrl = "bad_url",
    /// It is neither http nor https.
    Scheme = "scheme",
    /// It has a user name or password in it.
    UserInfo = "userinfo",
    /// It is too long.
    UrlLength = "url_length",
}

impl LinkFate {
    /// Whether the link's URL was in the frontier or came into it: new or seen.
    pub fn is_known(&self) -> bool {
        matches!(self, Self::New | Self::Seen)
    }

    /// Whether a budget left the link out: with a larger one its URL may come in.
    pub fn is_budget(&self) -> bool {
        match self {
            Self::Depth | Self::BudgetSeed | Self::BudgetHost | Self::BudgetHosts => true,
            Self::Trap(trap) => *trap == Trap::HostPool,
            Self::New
            | Self::Seen
            | Self::Nofollow
            | Self::Duplicate
            | Self::Wall
            | Self::Scope
            | Self::NotIncluded
            | Self::Excluded
            | Self::BadUrl
            | Self::Scheme
            | Self::UserInfo
            | Self::UrlLength
            | Self::Unknown(_) => false,
        }
    }

    /// Whether the link has no URL that a crawl could ask for.
    pub fn is_bad_url(&self) -> bool {
        matches!(
            self,
            Self::BadUrl | Self::Scheme | Self::UserInfo | Self::UrlLength
        )
    }

    /// Whether the record names no fate.
    pub fn is_none(&self) -> bool {
        self.name().is_empty()
    }
}

impl Default for LinkFate {
    fn default() -> Self {
        Self::Unknown("".into())
    }
}

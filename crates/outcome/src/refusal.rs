//! Why a URL that was admitted was not fetched.
//!
//! Each refusal carries what the crawl must know of it later: the trap's name for the report, the
//! rules of a predicted duplicate so that its URLs can be put back when a rule is found wrong,
//! whether robots.txt said no or could not be had (which another day may change). People read
//! [`Refusal::detail`]; no code does.

use serde::{Deserialize, Serialize};

use crate::link::LinkFate;
use crate::names::names;

names! {
    /// An endless part of a host, by how it was recognised.
    pub enum Trap {
        /// Dates without an end.
        Calendar = "trap_calendar",
        /// Counted pages without an end.
        EndlessNumbers = "trap_endless_numbers",
        /// A parameter that changes nothing: the page was read under another URL. In archives of
        /// older versions only; now that is a predicted duplicate.
        SameContent = "trap_same_content",
        /// A path longer than sound sites have.
        LongPath = "trap_long_path",
        /// More path segments than sound sites have.
        DeepPath = "trap_deep_path",
        /// One path segment again and again.
        RepeatedSegment = "trap_repeated_segment",
        /// More parameters than sound sites have.
        LongQuery = "trap_long_query",
        /// A URL within itself: a link back to a link back.
        NestedUrl = "trap_nested_url",
        /// More hosts under one registrable domain than are admitted.
        HostPool = "trap_host_pool",
    }
}

/// Why a URL that was admitted was not fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// By its host's robots.txt, or because that could not be had.
    Robots(RobotsRefusal),
    /// By the address guard: a private, loopback or link-local address. With the error's words.
    Guard(String),
    /// It lies in an endless part of its host.
    Trap(Trap),
    /// A rule says that it repeats a page that was read.
    PredictedDuplicate(Box<PredictedDuplicate>),
    /// Its host, or URLs of its form, have yielded next to nothing for the topic.
    LowYield(LowYield),
    /// The scope or a budget that is in force now leaves it out; when it was admitted another one
    /// was. With the fate that a link to it has now.
    LeftOut(LinkFate),
    /// Its host was given up: it answered before, and then nothing for too long.
    HostGone(HostGone),
    /// Its host goes on answering with walls, after it was left to rest more than once.
    Walled(Walled),
    /// A refusal that this version does not know, written by a newer one: its wire name.
    Unknown(Box<str>),
}

/// What robots.txt, or its absence, said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RobotsRefusal {
    /// A rule disallows the URL.
    Rule {
        /// The rule as it stands in the file: `Disallow: /private`.
        rule: String,
        /// Its line in the file, 1 for the first; 0 when unknown.
        line: u32,
    },
    /// The file could not be had, which closes the host (RFC 9309 §2.3.1.4). Another try may open
    /// it.
    Unavailable {
        /// What came instead, in words.
        answered: String,
    },
}

/// A URL that a rule calls another name of a page that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PredictedDuplicate {
    /// URL of the page that was read.
    pub original: String,
    /// What says so.
    #[serde(flatten)]
    pub cause: PredictionCause,
}

/// What says that a URL repeats a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PredictionCause {
    /// The two differ in parameters that were found to change nothing.
    IgnoredParameters {
        /// The rules in words: one for each parameter. Older archives have none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rules: Vec<String>,
        /// This very page was compared under two values, and they are opaque: ids for the reader.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        compared: bool,
    },
    /// Rules learnt from confirmed pairs.
    Rules {
        /// The rules in words.
        rules: Vec<String>,
        /// How sure they are together, in percent.
        percent: u32,
    },
    /// No value in one place of the URL led to anything but the same page, or to nothing.
    IdleValues {
        /// The rule in words.
        rules: Vec<String>,
    },
}

/// What has yielded next to nothing for the topic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LowYield {
    /// The whole host.
    Host {
        /// Its key.
        host: String,
        /// The numbers, in words.
        why: String,
    },
    /// What looks like a file by its ending: hardly any such URL led to a page.
    Files {
        /// The host's key.
        host: String,
    },
    /// URLs of this form: nearly all were thin or duplicates.
    UrlForm {
        /// The host's key; older archives have none.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        host: String,
    },
}

/// A host that was given up.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HostGone {
    /// Failures in a row.
    pub failures: u32,
    /// From the first of them to the moment when the host was given up.
    pub seconds: u64,
}

/// A host that answers with walls.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Walled {
    /// Walls among its last answers.
    pub walls: u32,
    /// Those answers.
    pub answers: u32,
}

impl Refusal {
    /// The wire name of a refusal by robots.txt.
    pub const ROBOTS: &'static str = "robots";
    /// The wire name of a refusal because the host was given up.
    pub const HOST_GONE: &'static str = "host_gone";

    /// The wire name of a refusal because the host answers with walls.
    pub const WALLED: &'static str = "walled";

    /// The wire name of a refusal by the address guard.
    pub const GUARD: &'static str = "guard";

    /// The wire name of a refusal for want of yield.
    pub const LOW_YIELD: &'static str = "barren";

    /// The wire names that this version knows.
    pub const NAMES: [&'static str; 8] = [
        Self::ROBOTS,
        Self::GUARD,
        "trap",
        "duplicate_foreseen",
        Self::LOW_YIELD,
        Self::LEFT_OUT,
        Self::HOST_GONE,
        Self::WALLED,
    ];

    /// The wire name of a refusal by the scope or a budget in force.
    pub const LEFT_OUT: &'static str = "left_out";
    /// Those of them that a learnt rule may give, see [`Refusal::is_learnt`].
    pub const LEARNT_NAMES: [&'static str; 3] = ["trap", "duplicate_foreseen", Self::LOW_YIELD];

    /// The wire name.
    pub fn name(&self) -> &str {
        match self {
            Self::Robots(_) => Self::ROBOTS,
            Self::Guard(_) => Self::GUARD,
            Self::Trap(_) => "trap",
            Self::PredictedDuplicate(_) => "duplicate_foreseen",
            Self::LowYield(_) => Self::LOW_YIELD,
            Self::LeftOut(_) => Self::LEFT_OUT,
            Self::HostGone(_) => Self::HOST_GONE,
            Self::Walled(_) => Self::WALLED,
            Self::Unknown(name) => name,
        }
    }

    /// The rule, the address or the numbers behind the refusal, in words; `None` for a refusal
    /// whose words stand in its record only.
    pub fn detail(&self) -> Option<String> {
        match self {
            Self::Robots(refusal) => Some(refusal.to_string()),
            Self::Guard(words) => Some(words.clone()),
            Self::Trap(trap) => Some(trap.name().to_owned()),
            Self::PredictedDuplicate(prediction) => Some(prediction.to_string()),
            Self::LowYield(low_yield) => Some(low_yield.to_string()),
            Self::LeftOut(fate) => Some(fate.name().to_owned()),
            Self::HostGone(gone) => Some(gone.to_string()),
            Self::Walled(walled) => Some(walled.to_string()),
            Self::Unknown(_) => None,
        }
    }

    /// Whether the refusal rests on what was learnt of other pages, and so may be wrong.
    pub fn is_learnt(&self) -> bool {
        match self {
            Self::PredictedDuplicate(_) | Self::LowYield(_) => true,
            Self::Trap(trap) => *trap == Trap::SameContent,
            Self::Robots(_)
            | Self::Guard(_)
            | Self::LeftOut(_)
            | Self::HostGone(_)
            | Self::Walled(_)
            | Self::Unknown(_) => false,
        }
    }

    /// Whether the refused page was compared itself, under another value of an opaque parameter.
    pub fn is_compared(&self) -> bool {
        match self {
            Self::PredictedDuplicate(prediction) => matches!(
                prediction.cause,
                PredictionCause::IgnoredParameters { compared: true, .. }
            ),
            Self::Robots(_)
            | Self::Guard(_)
            | Self::Trap(_)
            | Self::LowYield(_)
            | Self::LeftOut(_)
            | Self::HostGone(_)
            | Self::Walled(_)
            | Self::Unknown(_) => false,
        }
    }

    /// Whether it rests on answers that were nothing of worth, so that one more bears it out.
    pub fn foresees_nothing(&self) -> bool {
        match self {
            Self::PredictedDuplicate(prediction) => {
                matches!(prediction.cause, PredictionCause::IdleValues { .. })
            }
            Self::Robots(_)
            | Self::Guard(_)
            | Self::Trap(_)
            | Self::LowYield(_)
            | Self::LeftOut(_)
            | Self::HostGone(_)
            | Self::Walled(_)
            | Self::Unknown(_) => false,
        }
    }

    /// Whether a later try may end otherwise though nothing was learnt in between: the host, or its
    /// robots.txt, could not be had.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Robots(RobotsRefusal::Unavailable { .. })
            | Self::HostGone(_)
            | Self::Walled(_)
            | Self::LeftOut(_) => true,
            Self::Robots(RobotsRefusal::Rule { .. })
            | Self::Guard(_)
            | Self::Trap(_)
            | Self::PredictedDuplicate(_)
            | Self::LowYield(_)
            | Self::Unknown(_) => false,
        }
    }

    /// The learnt rules for which the URL was refused, in words; none for any other cause. A
    /// refusal of an older archive may name none though it was learnt.
    pub fn rules(&self) -> Vec<String> {
        match self {
            Self::PredictedDuplicate(prediction) => prediction.rules().to_vec(),
            Self::LowYield(low_yield) => vec![low_yield.rule()],
            Self::Robots(_)
            | Self::Guard(_)
            | Self::Trap(_)
            | Self::LeftOut(_)
            | Self::HostGone(_)
            | Self::Walled(_)
            | Self::Unknown(_) => Vec::new(),
        }
    }
}

impl PredictedDuplicate {
    /// The rules that say so, in words.
    pub fn rules(&self) -> &[String] {
        match &self.cause {
            PredictionCause::IgnoredParameters { rules, .. }
            | PredictionCause::Rules { rules, .. }
            | PredictionCause::IdleValues { rules } => rules,
        }
    }

    /// What says so, in words; several rules are joined by `; `.
    pub fn cause(&self) -> String {
        match &self.cause {
            PredictionCause::IgnoredParameters { .. } => IGNORED_PARAMETERS.to_owned(),
            PredictionCause::Rules { rules, .. } | PredictionCause::IdleValues { rules } => {
                rules.join("; ")
            }
        }
    }
}

impl LowYield {
    /// The rule in words, without numbers that change from page to page.
    pub fn rule(&self) -> String {
        match self {
            Self::Host { host, .. } => format!("{host} yields next to nothing"),
            Self::Files { host } => format!("links to files on {host} lead to no pages"),
            Self::UrlForm { host } => format!("some forms of URLs on {host} yield next to nothing"),
        }
    }
}

const IGNORED_PARAMETERS: &str = "parameters that change nothing";
const READ_WITH: &str = ", read with ";
const LIKE: &str = " gives as much, since ";
const SINCE: &str = ", since ";
const SURE_TO: &str = " (sure to ";
const PERCENT: &str = " %)";
const ROBOTS_LINE: &str = " (robots.txt line ";
const ROBOTS_UNAVAILABLE: &str = "robots.txt could not be had: ";
const GONE: &str = "the host did not answer ";
const GONE_TIMES: &str = " times in a row, for ";
const GONE_SECONDS: &str = " s";
const WALLS_OF: &str = " of ";
const WALLS_OF_HOST: &str = " answers of its host were walls";
const FORM_YIELDS_NOTHING: &str = "nearly all URLs of its form were thin or duplicates";

const FILES_ARE_NO_PAGES: &str = "by its ending a file; hardly any such URL led to a page";

impl std::fmt::Display for RobotsRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rule { rule, line } => write!(f, "{rule}{ROBOTS_LINE}{line})"),
            Self::Unavailable { answered } => write!(f, "{ROBOTS_UNAVAILABLE}{answered}"),
        }
    }
}

impl std::fmt::Display for PredictedDuplicate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (original, cause) = (&self.original, self.cause());
        match &self.cause {
            PredictionCause::IgnoredParameters { .. } => write!(f, "{original}{READ_WITH}{cause}"),
            PredictionCause::IdleValues { .. } => write!(f, "{original}{LIKE}{cause}"),
            PredictionCause::Rules { percent, .. } => {
                write!(f, "{original}{SINCE}{cause}{SURE_TO}{percent}{PERCENT}")
            }
        }
    }
}

impl std::fmt::Display for LowYield {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Host { host, why } => write!(f, "{host}: {why}"),
            Self::Files { .. } => f.write_str(FILES_ARE_NO_PAGES),
            Self::UrlForm { .. } => f.write_str(FORM_YIELDS_NOTHING),
        }
    }
}

impl std::fmt::Display for HostGone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { failures, seconds } = self;
        write!(f, "{GONE}{failures}{GONE_TIMES}{seconds}{GONE_SECONDS}")
    }
}

impl std::fmt::Display for Walled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { walls, answers } = self;
        write!(f, "{walls}{WALLS_OF}{answers}{WALLS_OF_HOST}")
    }
}

/// A refusal as the journal has it beside its name and its words: what neither of them tells in a
/// form that code may read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Evidence {
    Robots(RobotsRefusal),
    Trap(Trap),
    PredictedDuplicate(PredictedDuplicate),
    LowYield(LowYield),
    LeftOut(LinkFate),
    HostGone(HostGone),
    Walled(Walled),
}

impl Refusal {
    /// What the journal needs beside name and detail to make this refusal again.
    pub(crate) fn evidence(&self) -> Option<Evidence> {
        match self {
            Self::Robots(refusal) => Some(Evidence::Robots(refusal.clone())),
            Self::Trap(trap) => Some(Evidence::Trap(trap.clone())),
            Self::PredictedDuplicate(prediction) => {
                Some(Evidence::PredictedDuplicate((**prediction).clone()))
            }
            Self::LowYield(low_yield) => Some(Evidence::LowYield(low_yield.clone())),
            Self::LeftOut(fate) => Some(Evidence::LeftOut(fate.clone())),
            Self::HostGone(gone) => Some(Evidence::HostGone(gone.clone())),
            Self::Walled(walled) => Some(Evidence::Walled(walled.clone())),
            Self::Guard(_) | Self::Unknown(_) => None,
        }
    }

    /// A refusal from its name, its words and its evidence.
    pub(crate) fn read(name: &str, detail: &str, evidence: Option<Evidence>) -> Refusal {
        match (name, evidence) {
            ("robots", Some(Evidence::Robots(refusal))) => Self::Robots(refusal),
            ("trap", Some(Evidence::Trap(trap))) => Self::Trap(trap),
            ("duplicate_foreseen", Some(Evidence::PredictedDuplicate(prediction))) => {
                Self::PredictedDuplicate(Box::new(prediction))
            }
            (Self::LOW_YIELD, Some(Evidence::LowYield(low_yield))) => Self::LowYield(low_yield),
            (Self::LEFT_OUT, Some(Evidence::LeftOut(fate))) => Self::LeftOut(fate),
            (Self::HOST_GONE, Some(Evidence::HostGone(gone))) => Self::HostGone(gone),
            (Self::WALLED, Some(Evidence::Walled(walled))) => Self::Walled(walled),
            (name, _) => Self::of_words(name, detail),
        }
    }

    /// A refusal of an archive that was written before evidence was: from its words, which had one
    /// form for each kind. This is the only place where words are read.
    fn of_words(name: &str, detail: &str) -> Refusal {
        match name {
            "robots" => Self::Robots(robots_of_words(detail)),
            "guard" => Self::Guard(detail.to_owned()),
            "trap" => Self::Trap(Trap::from(detail)),
            "duplicate_foreseen" => Self::PredictedDuplicate(Box::new(prediction_of_words(detail))),
            Self::LOW_YIELD if detail == FILES_ARE_NO_PAGES => Self::LowYield(LowYield::Files {
                host: String::new(),
            }),
            Self::LOW_YIELD if detail == FORM_YIELDS_NOTHING => Self::LowYield(LowYield::UrlForm {
                host: String::new(),
            }),
            Self::LOW_YIELD => {
                let (host, why) = detail.split_once(": ").unwrap_or(("", detail));
                Self::LowYield(LowYield::Host {
                    host: host.to_owned(),
                    why: why.to_owned(),
                })
            }
            Self::LEFT_OUT => Self::LeftOut(LinkFate::from(detail)),
            // No version wrote it without its evidence; a damaged record may have lost that.
            Self::HOST_GONE => Self::HostGone(gone_of_words(detail)),
            Self::WALLED => Self::Walled(walled_of_words(detail)),
            other => Self::Unknown(other.into()),
        }
    }
}

fn gone_of_words(words: &str) -> HostGone {
    let numbers = words.strip_prefix(GONE).and_then(|rest| {
        let (failures, seconds) = rest.strip_suffix(GONE_SECONDS)?.split_once(GONE_TIMES)?;
        Some((failures.parse().ok()?, seconds.parse().ok()?))
    });
    let (failures, seconds) = numbers.unwrap_or_default();
    HostGone { failures, seconds }
}

fn walled_of_words(words: &str) -> Walled {
    let numbers = words.strip_suffix(WALLS_OF_HOST).and_then(|rest| {
        let (walls, answers) = rest.split_once(WALLS_OF)?;
        Some((walls.parse().ok()?, answers.parse().ok()?))
    });
    let (walls, answers) = numbers.unwrap_or_default();
    Walled { walls, answers }
}

fn robots_of_words(words: &str) -> RobotsRefusal {
    if let Some(answered) = words.strip_prefix(ROBOTS_UNAVAILABLE) {
        return RobotsRefusal::Unavailable {
            answered: answered.to_owned(),
        };
    }
    let (rule, line) = words.rsplit_once(ROBOTS_LINE).unwrap_or((words, ""));
    RobotsRefusal::Rule {
        rule: rule.to_owned(),
        line: line.trim_end_matches(')').parse().unwrap_or(0),
    }
}

/// A URL holds no blanks, so what follows it is found whatever the rules say.
fn prediction_of_words(words: &str) -> PredictedDuplicate {
    if let Some((original, rules)) = words.split_once(LIKE) {
        return PredictedDuplicate {
            original: original.to_owned(),
            cause: PredictionCause::IdleValues {
                rules: rules.split("; ").map(str::to_owned).collect(),
            },
        };
    }
    if let Some((original, rest)) = words.split_once(SINCE)
        && let Some((rules, sure)) = rest.rsplit_once(SURE_TO)
        && let Some(Ok(percent)) = sure.strip_suffix(PERCENT).map(str::parse)
    {
        return PredictedDuplicate {
            original: original.to_owned(),
            cause: PredictionCause::Rules {
                rules: rules.split("; ").map(str::to_owned).collect(),
                percent,
            },
        };
    }
    let original = words.split_once(READ_WITH).map_or(words, |(url, _)| url);
    PredictedDuplicate {
        original: original.to_owned(),
        cause: PredictionCause::IgnoredParameters {
            rules: Vec::new(),
            compared: false,
        },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn refusals() -> impl Strategy<Value = Refusal> {
        let rules = proptest::collection::vec("[a-z(),%]{1,9}( since| read with)?", 1..3);
        let words = "[a-z0-9 ]{1,20}";
        prop_oneof![
            ("(Dis)?allow: /[!-~]{0,9}", 0u32..9999)
                .prop_map(|(rule, line)| { Refusal::Robots(RobotsRefusal::Rule { rule, line }) }),
            words.prop_map(|answered| { Refusal::Robots(RobotsRefusal::Unavailable { answered }) }),
            words.prop_map(Refusal::Guard),
            proptest::sample::select(Trap::KNOWN).prop_map(Refusal::Trap),
            ("http://[a-z]{1,8}/[!-~]{0,20}", rules, 0u32..=100).prop_map(
                |(original, rules, percent)| {
                    let cause = PredictionCause::Rules { rules, percent };
                    Refusal::PredictedDuplicate(Box::new(PredictedDuplicate { original, cause }))
                }
            ),
            ("http://[a-z]{1,8}/[!-~]{0,20}", "[a-z=.]{1,9}").prop_map(|(original, rule)| {
                let cause = PredictionCause::IdleValues { rules: vec![rule] };
                Refusal::PredictedDuplicate(Box::new(PredictedDuplicate { original, cause }))
            }),
            "http://[a-z]{1,8}/[!-~]{0,20}".prop_map(|original| {
                let cause = PredictionCause::IgnoredParameters {
                    rules: Vec::new(),
                    compared: false,
                };
                Refusal::PredictedDuplicate(Box::new(PredictedDuplicate { original, cause }))
            }),
            ("[a-z.]{1,9}", words)
                .prop_map(|(host, why)| { Refusal::LowYield(LowYield::Host { host, why }) }),
            Just(Refusal::LowYield(LowYield::Files {
                host: String::new()
            })),
            Just(Refusal::LowYield(LowYield::UrlForm {
                host: String::new()
            })),
            proptest::sample::select(LinkFate::KNOWN).prop_map(Refusal::LeftOut),
            (any::<u32>(), any::<u64>())
                .prop_map(|(failures, seconds)| Refusal::HostGone(HostGone { failures, seconds })),
            (any::<u32>(), any::<u32>())
                .prop_map(|(walls, answers)| Refusal::Walled(Walled { walls, answers })),
        ]
    }

    proptest! {
        #[test]
        fn a_refusal_is_read_from_its_evidence_and_in_older_archives_from_its_words(
            refusal in refusals(),
        ) {
            let words = refusal.detail().unwrap_or_default();
            prop_assert_eq!(&Refusal::of_words(refusal.name(), &words), &refusal);
            let evidence = serde_json::to_string(&refusal.evidence()).unwrap();
            let evidence = serde_json::from_str(&evidence).unwrap();
            prop_assert_eq!(Refusal::read(refusal.name(), &words, evidence), refusal);
        }
    }

    #[test]
    fn every_known_name_is_a_refusal_of_that_name() {
        for name in Refusal::NAMES {
            assert_eq!(Refusal::read(name, "", None).name(), name);
        }
        for refusal in [
            Refusal::Trap(Trap::SameContent),
            Refusal::read("duplicate_foreseen", "", None),
            Refusal::read("barren", "", None),
        ] {
            assert!(refusal.is_learnt() && Refusal::LEARNT_NAMES.contains(&refusal.name()));
        }
        assert!(!Refusal::Trap(Trap::Calendar).is_learnt());
        assert_eq!(
            Refusal::read("comet", "", None),
            Refusal::Unknown("comet".into())
        );
    }

    #[test]
    fn words_that_no_version_wrote_make_a_refusal_all_the_same() {
        for words in [
            "",
            "http://a/1",
            "http://a/1, since x",
            "a, read with glasses",
            ")",
        ] {
            for name in Refusal::NAMES {
                assert_eq!(Refusal::of_words(name, words).name(), name);
            }
        }
    }
}

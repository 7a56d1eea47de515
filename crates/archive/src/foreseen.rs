//! Why a URL was refused as a duplicate foreseen: the words in its record's `detail`.
//!
//! The crawl writes them, and reads them again when a rule is found wrong; the report counts the
//! rules. So they are made and read here, and nowhere else.

use std::fmt;

/// The words of a duplicate foreseen.
///
/// ```
/// use archive::Foreseen;
/// let words = "http://a.example/1, since its mirror (sure to 91 %)";
/// let foreseen = Foreseen::read(words).unwrap();
/// assert_eq!(foreseen.rules().collect::<Vec<_>>(), ["its mirror"]);
/// assert_eq!(foreseen.to_string(), words);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreseen<'a> {
    /// The page was read under a URL that differs in parameters that change nothing.
    Parameters {
        /// That URL.
        read: &'a str,
    },
    /// Rules learnt from confirmed pairs say so.
    Rules {
        /// The URL of the page that was read.
        read: &'a str,
        /// The rules in words; several are joined by `; `.
        rules: &'a str,
        /// How sure they are, in percent.
        percent: u32,
    },
}

const PARAMETERS: &str = "parameters that change nothing";
const READ_WITH: &str = ", read with ";
const SINCE: &str = ", since ";
const SURE_TO: &str = " (sure to ";
const PERCENT: &str = " %)";

impl<'a> Foreseen<'a> {
    /// Reads the words that [`Display`](fmt::Display) writes; `None` for any others. A URL holds
    /// no blanks, so what follows it is found whatever the rules say.
    pub fn read(words: &'a str) -> Option<Foreseen<'a>> {
        if let Some((read, rest)) = words.split_once(SINCE) {
            let (rules, sure) = rest.rsplit_once(SURE_TO)?;
            let percent = sure.strip_suffix(PERCENT)?.parse().ok()?;
            return Some(Foreseen::Rules {
                read,
                rules,
                percent,
            });
        }
        let (read, with) = words.split_once(READ_WITH)?;
        (with == PARAMETERS).then_some(Foreseen::Parameters { read })
    }

    /// What made it foreseen, in words.
    pub fn cause(&self) -> &'a str {
        match self {
            Foreseen::Parameters { .. } => PARAMETERS,
            Foreseen::Rules { rules, .. } => rules,
        }
    }

    /// The rules learnt from pairs, one by one; none for parameters.
    pub fn rules(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let rules = match self {
            Foreseen::Parameters { .. } => None,
            Foreseen::Rules { rules, .. } => Some(*rules),
        };
        rules.into_iter().flat_map(|rules| rules.split("; "))
    }
}

impl fmt::Display for Foreseen<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Foreseen::Parameters { read } => write!(f, "{read}{READ_WITH}{PARAMETERS}"),
            Foreseen::Rules {
                read,
                rules,
                percent,
            } => write!(f, "{read}{SINCE}{rules}{SURE_TO}{percent}{PERCENT}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(
            read in "http://[a-z]{1,8}/[!-~]{0,20}",
            rules in proptest::collection::vec("[a-z(),%]{1,9}( since| \\(sure to| read with)?", 1..3),
            percent in 0u32..=100,
        ) {
            let rules = rules.join("; ");
            for foreseen in [
                Foreseen::Parameters { read: &read },
                Foreseen::Rules { read: &read, rules: &rules, percent },
            ] {
                let words = foreseen.to_string();
                prop_assert_eq!(Foreseen::read(&words), Some(foreseen));
            }
        }
    }

    #[test]
    fn rules_are_told_apart() {
        let foreseen = Foreseen::read("http://a/1, since a mirror; a print version (sure to 90 %)");
        let rules: Vec<&str> = foreseen.expect("is read").rules().collect();
        assert_eq!(rules, ["a mirror", "a print version"]);
        let foreseen = Foreseen::read("http://a/1, read with parameters that change nothing");
        assert_eq!(foreseen.expect("is read").rules().count(), 0);
        for other in [
            "",
            "http://a/1",
            "http://a/1, since x",
            "a, read with glasses",
        ] {
            assert_eq!(Foreseen::read(other), None, "{other}");
        }
    }
}

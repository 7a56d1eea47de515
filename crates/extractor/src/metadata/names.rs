//! The names of several authors as one text.

use super::name;

/// The names of several authors: each once, and none that only says another with more words, as the link
/// to all of somebody's articles does.
#[derive(Default)]
pub(super) struct Names(pub Vec<String>);

impl Names {
    /// The names that some declared values are.
    pub(super) fn of(values: &[&str]) -> Names {
        let mut names = Names::default();
        for name in values.iter().filter_map(|value| name::declared(value)) {
            names.add_name(name);
        }
        names
    }

    /// Adds the name in a text; returns whether there is one, known or not.
    pub(super) fn add(&mut self, text: &str) -> bool {
        let name = name::clean(text);
        name.map(|name| self.add_name(name)).is_some()
    }

    fn add_name(&mut self, name: String) {
        match self.0.iter_mut().find(|known| says(&name, known)) {
            Some(known) if is_fuller(&name, known) => *known = name,
            Some(_) => {}
            None => self.0.push(name),
        }
    }

    pub(super) fn joined(self) -> Option<String> {
        (!self.0.is_empty()).then(|| self.0.join(", "))
    }
}

/// Whether a name goes on where another ends: "Ann Lane" where a link says "See more from Ann".
fn is_fuller(name: &str, known: &str) -> bool {
    let rest = name
        .strip_prefix(known)
        .and_then(|rest| rest.strip_prefix(' '));
    !known.contains(' ')
        && rest.is_some_and(|rest| {
            rest.split(' ')
                .all(|word| word.starts_with(char::is_uppercase))
        })
}

/// Whether a text says a name as words of its own, as the link to all of somebody's articles does.
fn says(text: &str, name: &str) -> bool {
    text == name
        || text.match_indices(name).any(|(at, _)| {
            let is_end = |c: Option<char>| c.is_none_or(|c| c.is_ascii() && !c.is_alphanumeric());
            is_end(text[..at].chars().next_back()) && is_end(text[at + name.len()..].chars().next())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_within_a_longer_one_is_another() {
        let joined = |names: &[&str]| Names::of(names).joined().unwrap();
        assert_eq!(joined(&["Wei Li", "Wei Lin", "Wei Li"]), "Wei Li, Wei Lin");
        assert_eq!(joined(&["王明", "王明华"]), "王明, 王明华");
        assert_eq!(joined(&["Stefan", "Stefan Berg"]), "Stefan Berg");
        assert_eq!(joined(&["Stefan", "Mehr Artikel von Stefan →"]), "Stefan");
    }
}

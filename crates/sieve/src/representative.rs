//! Who stands for a cluster of duplicates.
//!
//! A page is compared with kept pages only. So for A~B, B~C and A!~C, in this order: A is kept, B
//! is dropped for A, and C is kept, because nothing is dropped for a page that is not itself kept.

/// Which page of a cluster is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keep {
    /// The first seen.
    #[default]
    First,
    /// The one with the most words.
    Longest,
    /// The one published first.
    Oldest,
    /// The one that names itself canonical, where the other names another.
    Canonical,
}

/// What matters of a page when two stand for the same text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Member {
    /// Canonical URL of the page.
    pub url: String,
    /// Words of the main text.
    pub words: u32,
    /// Published date, ISO 8601.
    pub published: Option<String>,
    /// The URL the page names as canonical.
    pub canonical: Option<String>,
}

/// A text must be longer by this factor to take another's place: a few words of an advert are no
/// reason to change.
const LONGER: f32 = 1.1;

/// Tells why `new` should take the place of the kept page `old`; `None` when it should not.
pub fn better_representative(old: &Member, new: &Member, keep: Keep) -> Option<&'static str> {
    match keep {
        Keep::First => None,
        Keep::Longest => (new.words as f32 > old.words as f32 * LONGER).then_some("longer"),
        Keep::Oldest => match (&old.published, &new.published) {
            // ISO 8601 dates sort as text, down to the precision that both have.
            (Some(old), Some(new)) => {
                let len = old.len().min(new.len()).min(10);
                let both = old.get(..len).zip(new.get(..len));
                both.is_some_and(|(old, new)| new < old)
                    .then_some("published earlier")
            }
            (None, Some(_)) | (_, None) => None,
        },
        Keep::Canonical => {
            let old_names_new = old.canonical.as_deref() == Some(new.url.as_str());
            let new_names_old = new.canonical.as_deref() == Some(old.url.as_str());
            (old_names_new && !new_names_old).then_some("named as canonical")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(url: &str) -> Member {
        Member {
            url: url.into(),
            words: 100,
            ..Member::default()
        }
    }

    #[test]
    fn the_first_stays_by_default() {
        let long = Member {
            words: 900,
            ..member("http://b/")
        };
        assert_eq!(
            better_representative(&member("http://a/"), &long, Keep::First),
            None
        );
        assert!(better_representative(&member("http://a/"), &long, Keep::Longest).is_some());
    }

    #[test]
    fn the_older_page_wins_by_date_alone() {
        let old = Member {
            published: Some("2021-03-05T10:00:00Z".into()),
            ..member("http://a/")
        };
        let new = Member {
            published: Some("2021-03-04".into()),
            ..member("http://b/")
        };
        assert!(better_representative(&old, &new, Keep::Oldest).is_some());
        assert!(better_representative(&new, &old, Keep::Oldest).is_none());
        assert!(better_representative(&member("http://a/"), &new, Keep::Oldest).is_none());
    }

    #[test]
    fn a_page_that_the_kept_one_names_as_canonical_takes_its_place() {
        let copy = Member {
            canonical: Some("http://b/".into()),
            ..member("http://a/")
        };
        assert!(better_representative(&copy, &member("http://b/"), Keep::Canonical).is_some());
        assert!(better_representative(&member("http://b/"), &copy, Keep::Canonical).is_none());
    }
}

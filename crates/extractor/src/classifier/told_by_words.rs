//! Lines that are none of a text by their words alone: who made it, who pays for it, numbers that count up.

/// Whether a line tells that its writer is paid for links, as rules on advertising want it said.
pub(super) fn tells_of_payment(text: &str) -> bool {
    const WHO: [&str; 11] = [
        "this post",
        "this page",
        "this article",
        "this site",
        "as an amazon",
        "disclosure",
        "affiliate disclosure",
        "we may",
        "i may",
        "some of the links",
        "dieser artikel enthält",
    ];
    const WHAT: [&str; 7] = [
        "affiliate link",
        "affiliate-link",
        "affiliate commission",
        "affiliate partner",
        "earn a commission",
        "earn from qualifying",
        "earn a small commission",
    ];
    let lower = text.to_lowercase();
    let begins = WHO.iter().any(|who| lower.starts_with(who));
    begins && WHAT.iter().any(|what| lower.contains(what))
}

/// Whether a line names who made the text, whatever the share in it: "Written by", "Medically reviewed
/// by". Of 116 such lines on marked articles one is content.
pub(super) fn names_maker(text: &str) -> bool {
    const SHARES: [&str; 11] = [
        "written",
        "reviewed",
        "checked",
        "verified",
        "edited",
        "translated",
        "illustrated",
        "photographed",
        "narrated",
        "compiled",
        "curated",
    ];
    // What was written by somebody is told of in a sentence.
    const IS: [&str; 6] = ["is", "are", "was", "were", "been", "be"];
    let is_told = |word: &str| IS.iter().any(|is| word.eq_ignore_ascii_case(is));
    // "Written by hand, such notes were rare." A line that names somebody has no verb but its own.
    let first = text.split('.').next().unwrap_or_default();
    if text.ends_with('.') && first.split_ascii_whitespace().any(is_told) {
        return false;
    }
    let mut words = text
        .split_ascii_whitespace()
        .take(4)
        .take_while(|word| !is_told(word));
    let is_share = |word: &str| {
        let last = word.rsplit('-').next().unwrap_or(word);
        SHARES.iter().any(|share| last.eq_ignore_ascii_case(share))
    };
    let share = words.position(is_share);
    share.is_some()
        && words
            .next()
            .is_some_and(|word| word.eq_ignore_ascii_case("by"))
}

/// Whether a text is three or more numbers, each one more than the number before: the line numbers of a
/// code listing, or the pages of a pager.
pub(super) fn counts_up(text: &str) -> bool {
    const COUNT_MIN: usize = 3;
    let mut numbers = text.split_whitespace().map(str::parse::<u32>);
    let Some(Ok(mut last)) = numbers.next() else {
        return false;
    };
    let mut count = 1;
    for number in numbers {
        if number != Ok(last.saturating_add(1)) {
            return false;
        }
        last = last.saturating_add(1);
        count += 1;
    }
    count >= COUNT_MIN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_names_a_maker_is_known_by_the_share() {
        for line in [
            "Written by Ann Lee",
            "Medically reviewed by B. Chan, MD",
            "Fact-checked by the desk",
            "EDITED BY C. DIAZ",
        ] {
            assert!(names_maker(line), "{line}");
        }
        for line in [
            "By 1990 the town had a bridge.",
            "The code reviewed last week by two people was fine.",
            "It was written in one night.",
            "It was written by Ann Lee in one night.",
            "Written by hand, such notes were rare.",
            "Tools are checked by two people.",
            "written",
            "",
        ] {
            assert!(!names_maker(line), "{line}");
        }
    }

    #[test]
    fn a_line_that_tells_who_pays_is_known() {
        for line in [
            "This post may contain affiliate links. Please read my disclosure policy.",
            "As an Amazon Associate I earn from qualifying purchases.",
            "Disclosure: if you buy by these links, we may earn a commission.",
        ] {
            assert!(tells_of_payment(line), "{line}");
        }
        for line in [
            "This post is about the old mill.",
            "Affiliate links pay for many blogs.",
            "We may go there in the spring.",
        ] {
            assert!(!tells_of_payment(line), "{line}");
        }
    }

    #[test]
    fn line_numbers_count_up() {
        assert!(counts_up("1\n2\n3"));
        assert!(counts_up("98 99 100 101"));
        for text in [
            "",
            "1 2",
            "1 2 4",
            "1 2 3 more",
            "3 2 1",
            "4294967295 4294967295",
        ] {
            assert!(!counts_up(text), "{text}");
        }
    }
}

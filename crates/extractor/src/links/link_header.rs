//! The `Link` header: `<https://example.org/a>; rel="canonical"`.
//!
//! Source: RFC 8288 §3 and its appendix B.2, read leniently: what does not parse is skipped.

/// One link of a header.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HeaderLink<'h> {
    /// The reference as written.
    pub target: &'h str,
    /// Its relation types, as written.
    pub rel: String,
    /// It is a link of another page than the one it came with (`anchor=`).
    pub of_other_page: bool,
    /// It names the language of its target (`hreflang=`).
    pub has_language: bool,
}

/// The most links of one header value that are read.
const LINKS_MAX: usize = 100;

/// The links of one header value.
pub(super) fn parse(value: &str) -> Vec<HeaderLink<'_>> {
    let mut links = Vec::new();
    let mut rest = value;
    while links.len() < LINKS_MAX {
        let Some((_, after_open)) = rest.split_once('<') else {
            break;
        };
        let Some((target, parameters)) = after_open.split_once('>') else {
            break;
        };
        let mut link = HeaderLink {
            target: target.trim(),
            rel: String::new(),
            of_other_page: false,
            has_language: false,
        };
        rest = read_parameters(parameters, &mut link);
        links.push(link);
    }
    links
}

/// Reads `; name=value` pairs up to the comma that ends the link; returns what follows it.
fn read_parameters<'h>(mut rest: &'h str, link: &mut HeaderLink<'_>) -> &'h str {
    loop {
        rest = rest.trim_start();
        if let Some(next) = rest.strip_prefix(',') {
            return next;
        }
        let Some(parameter) = rest.strip_prefix(';') else {
            // Anything else is ignored up to the next "<", where the next link begins.
            return rest;
        };
        let parameter = parameter.trim_start();
        let name_end = parameter.find(['=', ';', ',']).unwrap_or(parameter.len());
        let name = parameter[..name_end].trim_end();
        rest = &parameter[name_end..];
        let mut value = String::new();
        if let Some(after) = rest.strip_prefix('=') {
            (value, rest) = parameter_value(after.trim_start());
        }
        // RFC 8288 §3.3: only the first "rel" counts.
        if name.eq_ignore_ascii_case("rel") && link.rel.is_empty() {
            link.rel = value;
        } else if name.eq_ignore_ascii_case("anchor") {
            link.of_other_page = true;
        } else if name.eq_ignore_ascii_case("hreflang") {
            link.has_language = true;
        }
    }
}

fn parameter_value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([';', ',']).unwrap_or(text.len());
        return (text[..end].trim_end().to_owned(), &text[end..]);
    };
    let mut value = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => return (value, &quoted[at + 1..]),
            '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
            other => value.push(other),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> Vec<(&str, String)> {
        let links = parse(value).into_iter();
        links.map(|link| (link.target, link.rel)).collect()
    }

    #[test]
    fn several_links_stand_in_one_header() {
        assert_eq!(
            read("<a>; rel=\"canonical\", <b,c>;title=\"x, <y>; rel=z\"; rel=next,<d>"),
            [
                ("a", "canonical".into()),
                ("b,c", "next".into()),
                ("d", String::new())
            ]
        );
    }

    #[test]
    fn the_first_rel_counts_and_names_have_no_case() {
        assert_eq!(
            read("<a>; REL=canonical; rel=next"),
            [("a", "canonical".to_owned())]
        );
    }

    #[test]
    fn an_anchor_makes_it_a_link_of_another_page() {
        assert!(parse("<a>; rel=canonical; anchor=\"/x\"")[0].of_other_page);
    }

    #[test]
    fn what_does_not_parse_is_passed_over() {
        assert_eq!(read("nonsense"), []);
        assert_eq!(read("<a"), []);
        assert_eq!(read("<a>; rel=\"x"), [("a", "x".to_owned())]);
        assert_eq!(
            read("<a> ; ; =, <b>; rel=y"),
            [("a", String::new()), ("b", "y".to_owned())]
        );
    }
}

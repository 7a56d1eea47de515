//! Two crawls side by side, as a file of the report's kind.

use super::{begun, ended, escape, heading, section};
use crate::compare::Comparison;

/// The whole file. Figures that are zero in both crawls are left out.
pub fn render(comparison: &Comparison) -> String {
    let (first, second) = (&comparison.first, &comparison.second);
    let title = format!("{first} and {second}");
    let mut out = begun(&format!("Crawls compared: {title}"));
    let note = "What changes from the first crawl to the second.".to_owned();
    heading(&mut out, &title, &[note]);
    let heads = ["figure", first, second, "change", ""];
    let rows: Vec<_> = comparison.shown().map(|delta| delta.cells()).collect();
    out.push_str(&section("figures", "Figures", &table(heads, &rows)));
    if !comparison.hosts.is_empty() {
        let heads = ["host", "finished", "then", "kept", "then"];
        let rows: Vec<_> = comparison.hosts.iter().map(|host| host.cells()).collect();
        out.push_str(&section("hosts", "Hosts that differ", &table(heads, &rows)));
    }
    ended(
        &mut out,
        "Every number here is also in <code>tamis report --compare --format json</code>.",
    );
    out
}

/// A table whose first column names the row; the others hold numbers.
fn table(heads: [&str; 5], rows: &[[String; 5]]) -> String {
    let [name, numbers @ ..] = heads;
    let mut out = format!(
        "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">{}</th>",
        escape(name)
    );
    for head in numbers {
        out += &match head {
            "" => "<td></td>".to_owned(),
            head => format!("<th scope=\"col\" class=\"n\">{}</th>", escape(head)),
        };
    }
    out += "</tr></thead><tbody>\n";
    for [name, numbers @ ..] in rows {
        out += &format!("<tr><th scope=\"row\" class=\"u\">{}</th>", escape(name));
        for number in numbers {
            out += &format!("<td class=\"n\">{}</td>", escape(number));
        }
        out += "</tr>\n";
    }
    out + "</tbody></table></div>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::CrawlReport;

    #[test]
    fn a_comparison_is_a_whole_file_and_names_are_text() {
        let report = |name: &str, admitted| {
            let mut report = CrawlReport {
                name: name.into(),
                ..CrawlReport::default()
            };
            report.totals.admitted = admitted;
            report
        };
        let both = Comparison::of(&report("a<b>", 1000), &report("c", 1500));
        let page = render(&both);
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
        assert!(
            page.contains("a&lt;b&gt;") && !page.contains("a<b>"),
            "{page}"
        );
        for cell in ["1,000", "1,500", "+500", "+50.0 %"] {
            assert!(
                page.contains(&format!("<td class=\"n\">{cell}</td>")),
                "{page}"
            );
        }
        assert!(!page.contains("totals › pending"), "zero in both: {page}");
    }
}

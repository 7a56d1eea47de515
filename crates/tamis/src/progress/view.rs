//! What a crawl is doing, in a few lines: for the live block, plain lines and `tamis status`.

use pipeline::progress::{HostProgress, Snapshot};
use report::Tongue;
use report::table::{Align, Table, wrap};
use report::words::{count, duration, name, plural};

/// Reasons named one by one; the rest is summed up.
const REASONS_SHOWN: usize = 5;

/// One line about a crawl.
pub fn line(shown: &Snapshot) -> String {
    let pages = match shown.max_pages {
        0 => plural(shown.pages, "page", "pages"),
        // The budget is not this node's alone.
        _ if shown.pages_of_all.is_some() => plural(shown.pages, "page", "pages"),
        budget => format!(
            "{} of {}",
            count(shown.pages),
            plural(budget, "page", "pages")
        ),
    };
    let redirected = match shown.redirected {
        0 => String::new(),
        urls => format!(", {} redirected", count(urls)),
    };
    // A round counts what it visits; what the pages were before stands behind it.
    let visited = match shown.visits_this_start {
        0 => String::new(),
        visits => format!("{} visited again; ", count(visits)),
    };
    format!(
        "{visited}{pages}, {:.1}/s, {} kept, {} dropped{}, {} failed, {} refused{redirected}, {} in the queue, {}",
        shown.rate,
        count(shown.indexed),
        count(shown.dropped()),
        in_brackets(&reasons(shown, Tongue::English)),
        count(shown.failed),
        count(shown.refused),
        count(shown.pending),
        duration(shown.running_ms as f64 / 1_000.0),
    ) + &waiting(shown)
}

/// Some lines about a crawl, none wider than `columns`, with so many of its hosts.
pub fn block(shown: &Snapshot, columns: usize, hosts: usize) -> Vec<String> {
    block_in(Tongue::English, shown, columns, hosts)
}

/// The same in a language.
pub fn block_in(tongue: Tongue, shown: &Snapshot, columns: usize, hosts: usize) -> Vec<String> {
    if let Some(line) = before_first_fetch(shown) {
        return wrap(&tongue.say(&line), columns);
    }
    let mut lines = vec![format!(
        "{}: {}, {:.1}/s, {} under way",
        state(shown),
        plural(shown.pages, "page", "pages"),
        shown.rate,
        shown.in_flight,
    )];
    if shown.visits_this_start > 0 {
        let visits = plural(shown.visits_this_start, "page", "pages");
        lines.push(format!("  {visits} visited again"));
    }
    lines.push(format!(
        "  {} kept, {} dropped{}",
        count(shown.indexed),
        count(shown.dropped()),
        in_brackets(&reasons(shown, tongue)),
    ));
    lines.push(format!(
        "  {} in the queue, {} failed, {} refused, {} redirected",
        count(shown.pending),
        count(shown.failed),
        count(shown.refused),
        count(shown.redirected),
    ));
    lines.extend(left(shown).map(|left| format!("  {left}")));
    // Of an empty queue there is nothing to expect, and nothing was when the queue was empty.
    let outlook = shown.outlook.as_ref();
    let outlook = outlook.filter(|outlook| shown.pending > 0 && outlook.waiting > 0);
    lines.extend(outlook.map(|outlook| format!("  {}", outlook.words())));
    let mut table = Table::new(&[
        ("host", Align::Left),
        ("queued", Align::Right),
        ("next", Align::Right),
        ("why", Align::Left),
    ]);
    for host in shown.hosts.iter().take(hosts) {
        table.row([
            host.host.clone(),
            count(host.pending),
            next(host),
            why(&host.why).to_string(),
        ]);
    }
    let lines = lines.iter().map(|line| tongue.say(line));
    let mut lines: Vec<String> = lines.flat_map(|line| wrap(&line, columns)).collect();
    if !table.is_empty() {
        let table = match tongue {
            Tongue::English => table,
            Tongue::Chinese => table.with_texts(|text| tongue.say(text)),
        };
        let rows = table.lines(columns.saturating_sub(2));
        lines.extend(rows.iter().map(|row| format!("  {row}")));
    }
    lines
}

/// What a start does before its first fetch; `None` once that is done.
pub fn before_first_fetch(shown: &Snapshot) -> Option<String> {
    match shown.state.as_str() {
        "loading" => Some("loading what is known of the crawl".into()),
        "replaying" => Some(format!(
            "replaying the journal: {} of {} records",
            count(shown.replayed),
            count(shown.to_replay)
        )),
        _ => None,
    }
}

/// The state, with how long this start has run.
fn state(shown: &Snapshot) -> String {
    match shown.state.as_str() {
        state if shown.running_ms == 0 => state.into(),
        state => {
            let ran = duration(shown.running_ms as f64 / 1_000.0);
            match state {
                "running" => format!("running for {ran}"),
                "waiting" => format!("waiting for the next round, {ran} of work in the last one"),
                _ => format!("{state}, {ran} of work"),
            }
        }
    }
}

/// What is left of the budgets.
fn left(shown: &Snapshot) -> Option<String> {
    let mut parts = Vec::new();
    if shown.max_pages > 0 {
        let pages = shown.pages_of_all.unwrap_or(shown.pages);
        let pages = count(shown.max_pages.saturating_sub(pages));
        let all = plural(shown.max_pages, "page", "pages");
        parts.push(match shown.pages_of_all {
            Some(_) => format!("{pages} of {all} for all nodes"),
            None => format!("{pages} of {all}"),
        });
    }
    // The time is one start's: a crawl that is stopped has all of it again.
    if shown.max_time_ms > 0 && shown.state != "stopped" {
        let ms = shown.max_time_ms.saturating_sub(shown.running_ms);
        parts.push(duration(ms as f64 / 1_000.0));
    }
    (!parts.is_empty()).then(|| format!("budget left: {}", parts.join(", ")))
}

/// `near duplicate 12, thin 3`, the most frequent first.
fn reasons(shown: &Snapshot, tongue: Tongue) -> String {
    let mut junk: Vec<_> = shown.junk.iter().filter(|(_, n)| **n > 0).collect();
    junk.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let rest: u64 = junk.iter().skip(REASONS_SHOWN).map(|(_, n)| **n).sum();
    let mut parts: Vec<String> = junk
        .iter()
        .take(REASONS_SHOWN)
        .map(|(reason, n)| format!("{} {}", tongue.say(&name(reason)), count(**n)))
        .collect();
    if rest > 0 {
        parts.push(format!("{} {}", tongue.say("others"), count(rest)));
    }
    parts.join(match tongue {
        Tongue::English => ", ",
        Tongue::Chinese => "，",
    })
}

fn in_brackets(text: &str) -> String {
    match text {
        "" => String::new(),
        text => format!(" ({text})"),
    }
}

/// Why nothing goes out at this moment, when nothing does: the host that may be asked first.
fn waiting(shown: &Snapshot) -> String {
    if shown.in_flight > 0 || shown.state != "running" {
        return String::new();
    }
    // A host whose turn it is waits for nothing.
    let waits = shown.hosts.iter().filter(|host| host.why != "ready");
    let first = waits.min_by(|a, b| a.next_in_s.total_cmp(&b.next_in_s));
    first.map_or_else(String::new, |host| {
        format!("; waits for {}: {}", host.host, why(&host.why))
    })
}

fn next(host: &HostProgress) -> String {
    if matches!(host.why.as_str(), "paused" | "stopping" | "stopped") {
        return "-".into();
    }
    if host.next_in_s < 0.05 {
        return "now".into();
    }
    format!("in {}", duration(host.next_in_s))
}

/// Why a host waits, in words.
pub fn why(name: &str) -> &str {
    match name {
        "delay" => "the pause between requests to one host",
        "slowed down" => "it said that it is asked too often, so it is asked less often",
        "crawl-delay" => "its robots.txt asks for this pause",
        "retry-after" => "it asked us to come back later",
        "back-off" => "left alone for a while after errors",
        "slow" => "it answers slowly, so it is asked less often",
        "robots outage" => "its robots.txt cannot be had for now",
        "walls" => "it answers with walls, so it is left alone for a while",
        "in flight" => "a request is under way",
        "robots" => "its robots.txt is being asked for",
        "retry" => "what failed waits to be tried again",
        "ready" => "its turn comes next",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_says_what_it_does_and_how_far_it_is() {
        let mut shown = Snapshot {
            state: "loading".into(),
            ..Snapshot::default()
        };
        assert_eq!(block(&shown, 80, 5), ["loading what is known of the crawl"]);
        shown.state = "replaying".into();
        (shown.replayed, shown.to_replay) = (412_000, 1_000_000);
        let line = "replaying the journal: 412,000 of 1,000,000 records";
        assert_eq!(block(&shown, 80, 5), [line]);
        assert_eq!(before_first_fetch(&running()), None);
    }

    #[test]
    fn one_page_is_one() {
        let one = |max_pages| Snapshot {
            pages: 1,
            max_pages,
            ..Snapshot::default()
        };
        assert!(line(&one(0)).starts_with("1 page, "), "{}", line(&one(0)));
        assert!(line(&one(1)).starts_with("1 of 1 page, "));
        assert!(line(&one(9)).starts_with("1 of 9 pages, "));
    }

    fn running() -> Snapshot {
        Snapshot {
            state: "running".into(),
            pages: 1_200,
            max_pages: 5_000,
            max_time_ms: 3_600_000,
            running_ms: 65_000,
            rate: 18.46,
            indexed: 700,
            pending: 4_321,
            junk: [("near_duplicate", 300), ("thin", 4)]
                .map(|(reason, n)| (reason.to_string(), n))
                .into(),
            hosts: vec![
                HostProgress {
                    host: "数据库.example".into(),
                    pending: 12,
                    next_in_s: 2.0,
                    why: "crawl-delay".into(),
                },
                HostProgress {
                    host: "a.example".into(),
                    pending: 4_000,
                    next_in_s: 0.0,
                    why: "in flight".into(),
                },
            ],
            ..Snapshot::default()
        }
    }

    #[test]
    fn of_a_node_the_budget_of_all_nodes_is_told_and_not_its_own() {
        // A node that had fetched 1,200 of 5,000 pages had 3,800 left, whatever the others had fetched.
        let shown = Snapshot {
            pages_of_all: Some(4_000),
            ..running()
        };
        assert!(
            line(&shown).starts_with("1,200 pages, "),
            "{}",
            line(&shown)
        );
        let said = block(&shown, 100, 5).join("\n");
        let left = "budget left: 1,000 of 5,000 pages for all nodes";
        assert!(said.contains(left), "{said}");
    }

    #[test]
    fn a_block_says_what_is_kept_dropped_left_and_waited_for() {
        let said = block(&running(), 100, 5).join("\n");
        for part in [
            "running for 1 min 05 s: 1,200 pages, 18.5/s",
            "budget left: 3,800 of 5,000 pages, 58 min 55 s",
            "700 kept, 304 dropped (near duplicate 300, thin 4)",
            "4,321 in the queue",
            "in 2.0 s",
            "its robots.txt asks for this pause",
        ] {
            assert!(said.contains(part), "{part:?} is not in:\n{said}");
        }
    }

    #[test]
    fn a_round_tells_what_it_has_visited() {
        let mut shown = running();
        assert!(
            !line(&shown).contains("visited")
                && !block(&shown, 200, 5).concat().contains("visited")
        );
        shown.visits_this_start = 1_234;
        assert!(
            line(&shown).starts_with("1,234 visited again; "),
            "{}",
            line(&shown)
        );
        assert_eq!(block(&shown, 200, 5)[1], "  1,234 pages visited again");
    }

    #[test]
    fn what_a_topic_expects_to_find_is_told_with_its_bounds() {
        let mut shown = running();
        assert!(!block(&shown, 200, 5).join("\n").contains("expected"));
        let pages = |mean, low, high| outcome::ExpectedPages { mean, low, high };
        shown.outlook = Some(outcome::Outlook {
            found: 40.0,
            waiting: 500,
            left: pages(9.0, 2.5, 30.0),
            soon_fetches: 100,
            soon: pages(5.0, 1.0, 12.0),
        });
        let said = block(&shown, 200, 5).join("\n");
        let words = "  expected to be left, as last estimated: about 9 (2 to 30) relevant pages among 500 URLs that waited";
        assert!(said.contains(words), "{said}");
        let json = serde_json::to_value(&shown).expect("plain data");
        assert_eq!(json["outlook"]["left"]["high"], 30.0);
    }

    #[test]
    fn a_paused_crawl_waits_for_nothing_but_to_go_on() {
        let mut shown = running();
        shown.set_state("paused");
        let said = block(&shown, 100, 5).join("\n");
        assert!(said.contains("  -  paused"), "{said}");
        assert!(
            !said.contains("in 2.0 s") && !said.contains("robots.txt"),
            "{said}"
        );
        assert!(said.contains("a request is under way"), "{said}");
    }

    #[test]
    fn hosts_line_up_whatever_their_width_and_no_line_is_too_wide() {
        for columns in [40, 60, 100] {
            let lines = block(&running(), columns, 5);
            for line in &lines {
                assert!(report::table::width(line) <= columns, "{columns}: {line:?}");
            }
        }
        let lines = block(&running(), 100, 5);
        let column = |line: &str, word: &str| {
            report::table::width(&line[..line.find(word).expect("the word is there")])
        };
        let why = column(&lines[4], "why");
        assert_eq!(column(&lines[5], "its robots"), why);
        assert_eq!(column(&lines[6], "a request"), why);
    }

    #[test]
    fn a_line_says_what_is_waited_for_when_nothing_is_under_way() {
        let mut shown = running();
        shown.hosts.truncate(1);
        let said = line(&shown);
        assert!(
            said.ends_with("waits for 数据库.example: its robots.txt asks for this pause"),
            "{said}"
        );
        shown.hosts[0].why = "ready".into();
        assert!(!line(&shown).contains("waits"));
        shown.hosts[0].why = "delay".into();
        shown.in_flight = 1;
        assert!(!line(&shown).contains("waits"));
    }
}

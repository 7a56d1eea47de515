//! What becomes of each link of a page, and what its URL is promised.

use archive::LinkRecord;
use focus::PageAhead;
use frontier::{CanonicalUrl, FrontierError, FrontierUrl, LinkTarget, PageWorth};
use outcome::LinkFate;

use crate::context::encode;
use crate::decided::fate_of;
use crate::examples::Examples;
use crate::finding::{FoundLink, PageReading};
use crate::focus_view::FocusView;
use crate::policy::{DuplicateLinks, Policy};
use crate::queue::SharedQueue;
use crate::reach::Reach;

/// What a link from a duplicate is promised, beside one from another page.
const DUPLICATES_SHARE: f32 = 0.5;

/// The page whose links are decided about.
pub(super) struct LinksOf<'a> {
    /// The page's URL, as it waited.
    pub(super) page: &'a FrontierUrl,
    /// How far from the seed its links lead.
    pub(super) depth: u32,
    /// The number of its record.
    pub(super) seq: u64,
    /// What it is worth, for the trap rules.
    pub(super) worth: Option<PageWorth>,
    /// It repeats a kept page and is not kept itself.
    pub(super) is_duplicate: bool,
    /// It is a wall, and its links are not the site's.
    pub(super) is_wall: bool,
    /// That is not sure, so that those to its own host may be the site's after all.
    pub(super) is_doubtful: bool,
    /// It lets its links be followed.
    pub(super) may_follow: bool,
}

/// What fates follow from.
pub(super) struct Knowledge<'a> {
    pub(super) policy: &'a Policy,
    pub(super) queue: &'a SharedQueue,
    pub(super) reach: &'a Reach,
    pub(super) examples: &'a Examples,
}

/// The fate of a link, and what is needed to promise its URL anything.
enum Offered {
    /// It is settled.
    Fate(LinkFate),
    /// The URL waits already, with these bytes.
    Waits(Vec<u8>),
}

/// The records of a page's links, in order. First all fates are found, in one go under the queue's
/// lock; then what the URLs are promised, which may take a while in a crawl with a topic.
pub(super) fn decide(
    of: &LinksOf<'_>,
    reading: &PageReading,
    known: &Knowledge<'_>,
    mut focus: Option<(&mut FocusView, &PageAhead)>,
) -> Result<Vec<LinkRecord>, FrontierError> {
    let offered = offer(of, reading, known, focus.is_some())?;
    let links = reading.links.iter().zip(offered);
    let records = links
        .map(|(link, offered)| {
            let mut record = LinkRecord {
                anchor: link.anchor().to_string(),
                rel: link.rel.clone(),
                ..LinkRecord::default()
            };
            match &link.target {
                Err((text, _)) => record.url = text.clone(),
                Ok(target) => record.url = target.as_str().into(),
            }
            let focus = focus.as_mut().map(|(view, ahead)| (&mut **view, *ahead));
            promise(of, link, offered, known, focus, &mut record);
            record
        })
        .collect();
    Ok(records)
}

fn offer(
    of: &LinksOf<'_>,
    reading: &PageReading,
    known: &Knowledge<'_>,
    has_topic: bool,
) -> Result<Vec<Offered>, FrontierError> {
    let (depth, seed) = (of.depth, of.page.seed);
    let left_out: Vec<Option<LinkFate>> = reading
        .links
        .iter()
        .map(|link| left_out(of, link, known))
        .collect();
    let queue = known.queue.lock();
    let page = of.worth.map(|worth| (&of.page.url, worth));
    let mut offers = queue.frontier.offers(page);
    let fates = reading.links.iter().zip(left_out);
    fates
        .map(|(link, left_out)| match (&link.target, left_out) {
            (_, Some(fate)) => Ok(Offered::Fate(fate)),
            (Err((_, fate)), None) => Ok(Offered::Fate(fate.clone())),
            (Ok(target), None) => {
                let known = has_topic.then(|| queue.frontier.link_target(target));
                match known {
                    Some(LinkTarget::Pending(waiting)) => {
                        offers.note_seen(target);
                        Ok(Offered::Waits(waiting.context))
                    }
                    Some(LinkTarget::New | LinkTarget::Closed) | None => {
                        let admission = offers.offer(target, depth, seed)?;
                        Ok(Offered::Fate(fate_of(admission)))
                    }
                }
            }
        })
        .collect()
}

/// Why a link is left out whatever the frontier says of its URL.
fn left_out(of: &LinksOf<'_>, link: &FoundLink, known: &Knowledge<'_>) -> Option<LinkFate> {
    let target = match &link.target {
        Ok(target) => target,
        Err((_, fate)) => return Some(fate.clone()),
    };
    let may_be_the_sites = || of.is_doubtful && target.host() == of.page.url.host();
    if of.is_wall && !may_be_the_sites() {
        return Some(LinkFate::Wall);
    }
    let may_follow = of.may_follow && !link.nofollow;
    if !may_follow && !known.policy.follow_nofollow {
        return Some(LinkFate::Nofollow);
    }
    if of.is_duplicate && known.policy.links_of_duplicates == DuplicateLinks::Ignore {
        return Some(LinkFate::Duplicate);
    }
    if known.examples.get(target.as_str()).is_some() {
        return None;
    }
    let in_scope = known.reach.check(target, of.depth, of.page.seed);
    in_scope.err().map(|refusal| refusal.fate())
}

fn promise(
    of: &LinksOf<'_>,
    link: &FoundLink,
    offered: Offered,
    known: &Knowledge<'_>,
    focus: Option<(&mut FocusView, &PageAhead)>,
    record: &mut LinkRecord,
) {
    let target = link.target.as_ref().ok();
    match (offered, focus, target) {
        (Offered::Fate(LinkFate::New), Some((focus, ahead)), Some(target)) => {
            let (features, promise) = focus.promise(of.seq, link, target, ahead);
            record.context = encode(&features);
            record.promise = of.share(promise, known.policy);
            record.fate = LinkFate::New;
        }
        (Offered::Fate(fate @ (LinkFate::New | LinkFate::Seen)), None, Some(_)) => {
            record.promise = of.share(of.page.priority, known.policy);
            record.fate = fate;
        }
        (Offered::Waits(context), Some((focus, ahead)), Some(target)) => {
            record.fate = LinkFate::Seen;
            if let Some((added, promise)) = again(of, focus, link, target, &context, ahead) {
                record.context = added;
                record.promise = promise;
            }
        }
        (Offered::Fate(LinkFate::Seen), Some((focus, _)), Some(target))
            if *target != of.page.url && known.examples.get(target.as_str()) == Some(true) =>
        {
            record.context = focus.example_link(of.seq, link, target);
            record.fate = LinkFate::Seen;
        }
        // Nothing comes of the link: it promises nothing.
        (Offered::Fate(fate), ..) => record.fate = fate,
        (Offered::Waits(_), ..) => record.fate = LinkFate::Seen,
    }
}

/// What a page's link adds to a URL that waits. A page's link to itself says nothing.
fn again(
    of: &LinksOf<'_>,
    focus: &mut FocusView,
    link: &FoundLink,
    target: &CanonicalUrl,
    context: &[u8],
    ahead: &PageAhead,
) -> Option<(String, f32)> {
    if *target == of.page.url {
        return None;
    }
    let (added, promise) = focus.promise_again(of.seq, link, target, context, ahead)?;
    // Without a promise the link is recorded as one that nothing came of.
    (promise > 0.0).then_some((added, promise))
}

impl LinksOf<'_> {
    fn share(&self, promise: f32, policy: &Policy) -> f32 {
        let is_shared =
            self.is_duplicate && policy.links_of_duplicates == DuplicateLinks::FollowNew;
        if is_shared {
            promise * DUPLICATES_SHARE
        } else {
            promise
        }
    }
}

#[cfg(test)]
mod tests {
    use archive::{Event, PageRecord};
    use frontier::FrontierConfig;

    use crate::Policy;
    use crate::finding::Reading;
    use crate::testing::{NOW_MS, apply, found, lease, policy, read, state};

    const SEED: &str = "http://a.example/";

    fn fates(policy: Policy, frontier: FrontierConfig, html: &str) -> Vec<(String, String)> {
        let mut state = state(policy, frontier, SEED);
        let reading = read(html, &url::Url::parse(SEED).unwrap());
        let reading = Reading::Page(Box::new(reading));
        let lease = lease(&state, 0);
        let decided = state.decide(found(lease, reading, 200), NOW_MS).unwrap();
        let Event::Page(page) = decided.record.event else {
            panic!("a page");
        };
        let PageRecord { links, .. } = *page;
        let fates = links.into_iter();
        fates
            .map(|link| (link.url, link.fate.to_string()))
            .collect()
    }

    #[track_caller]
    fn check(policy: Policy, frontier: FrontierConfig, html: &str, expected: &[(&str, &str)]) {
        let fates = fates(policy, frontier, html);
        let fates: Vec<(&str, &str)> = fates
            .iter()
            .map(|(url, fate)| (url.as_str(), fate.as_str()))
            .collect();
        assert_eq!(fates, expected);
    }

    #[test]
    fn each_link_has_a_fate_and_its_own_page_was_seen() {
        let html = "<a href='/x'>x</a> <a href='/'>me</a> <a href='/y' rel=nofollow>y</a> \
            <a href='http://elsewhere.test/'>out</a> <a href='mailto:a@b.c'>mail</a>";
        check(
            policy(),
            FrontierConfig::default(),
            html,
            &[
                ("http://a.example/x", "new"),
                ("http://a.example/", "seen"),
                ("http://a.example/y", "nofollow"),
                ("http://elsewhere.test/", "scope"),
            ],
        );
    }

    #[test]
    fn links_use_up_a_budget_one_after_the_other() {
        let config = FrontierConfig {
            urls_per_host: 3,
            ..FrontierConfig::default()
        };
        let html = "<a href='/1'>1</a> <a href='/2'>2</a> <a href='/3'>3</a>";
        check(
            policy(),
            config,
            html,
            &[
                ("http://a.example/1", "new"),
                ("http://a.example/2", "new"),
                ("http://a.example/3", "budget_host"),
            ],
        );
    }

    #[test]
    fn a_page_that_asks_for_it_is_not_followed_unless_the_user_insists() {
        let html = "<head><meta name=robots content=nofollow></head><a href='/x'>x</a>";
        let links = |fate| [("http://a.example/x", fate)];
        let config = FrontierConfig::default;
        check(policy(), config(), html, &links("nofollow"));
        let insists = Policy {
            follow_nofollow: true,
            ..policy()
        };
        check(insists, config(), html, &links("new"));
    }

    #[test]
    fn a_link_to_an_example_that_was_read_is_recorded_with_its_place() {
        let mut focus = focus::FocusConfig::default();
        focus.topic.keywords = vec!["railway".into()];
        let policy = Policy {
            focus: Some(focus),
            ..policy()
        };
        let mut state = state(policy, FrontierConfig::default(), SEED);
        state.examples.add(SEED, true);
        let mut links_of = |turn, html: &str| {
            let lease = lease(&state, turn);
            let reading = read(html, &lease.url().url.to_url());
            let reading = Reading::Page(Box::new(reading));
            let decided = state.decide(found(lease, reading, 200), NOW_MS).unwrap();
            apply(&mut state, &decided.record);
            let Event::Page(page) = decided.record.event else {
                panic!("a page");
            };
            page.links
        };
        links_of(0, "<a href='/x'>x</a>");
        let links = links_of(1, "<a href='/'>the railway</a> <a href='/x'>me</a>");
        let of_example = &links[0];
        assert_eq!((of_example.url.as_str(), of_example.promise), (SEED, 0.0));
        assert!(!of_example.context.is_empty());
        // No other link to what was read is.
        assert_eq!(links[1].context, "");
    }
}

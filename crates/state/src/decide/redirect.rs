//! What becomes of a URL that redirects.
//!
//! A redirect is a link like any other, and waits in the queue of its own host. A redirect back to a
//! URL that was asked for is a loop, unless something has changed in between:
//!
//! - It set a cookie, and cookies are kept: the same URL may give its page now. That is so for a
//!   redirect to the URL itself; and for one at the end of a chain that leads back to its beginning, whichever
//!   of its answers set the cookie.
//! - It differs from what was asked in parameters that our canonical form, or what was learnt of the
//!   host, leaves out: then it is the spelling that the server wants.
//!
//! In both cases the URL is asked for once more, by the URL that the server named, after its host's
//! delay. A second redirect back is a loop.

use archive::{LinkRecord, PageRecord, ReturnRecord};
use fetcher::Fetched;
use frontier::{CanonicalUrl, Lease};
use outcome::{FailureKind, LinkFate, Outcome};

use crate::context::UrlContext;
use crate::decided::fate_of;
use crate::state::{State, StoreError};

impl State {
    /// The record of a URL that redirects to `target`, which belongs to the crawl whatever its host where the
    /// redirect `opens` the scope of its seed.
    pub(super) fn decide_redirect(
        &self,
        lease: &Lease,
        mut record: PageRecord,
        target: &CanonicalUrl,
        answer: Option<&Fetched>,
        opens: bool,
    ) -> Result<PageRecord, StoreError> {
        let url = lease.url();
        if u32::from(record.hops) >= self.policy.redirects_max {
            let words = format!("after {} redirects to {target}", record.hops);
            record.outcome = Outcome::Failed(FailureKind::TooManyRedirects);
            record.detail = Some(words);
            return Ok(record);
        }
        record.returns = answer.and_then(|answer| self.led_back(lease, target, answer));
        if *target == url.url && record.returns.is_none() {
            record.outcome = Outcome::Failed(FailureKind::RedirectLoop);
            record.detail = Some("the URL redirects to itself".to_owned());
            return Ok(record);
        }
        let fate = match &record.returns {
            Some(_) => LinkFate::Seen,
            None => self.fate_of_target(&record, lease, target, opens)?,
        };
        record.links.push(LinkRecord {
            url: target.as_str().into(),
            rel: "redirect".into(),
            promise: record.priority,
            fate,
            ..LinkRecord::default()
        });
        record.outcome = Outcome::Redirected;
        Ok(record)
    }

    fn fate_of_target(
        &self,
        record: &PageRecord,
        lease: &Lease,
        target: &CanonicalUrl,
        opens: bool,
    ) -> Result<LinkFate, StoreError> {
        let url = lease.url();
        // Like an example itself, the page that it leads to is asked for wherever it is.
        let examples = [record.url.as_str(), target.as_str()];
        let is_example = examples.iter().any(|url| self.examples.get(url).is_some());
        match self
            .reach
            .check_redirect(target, record.depth, url.seed, opens)
        {
            Err(refusal) if !is_example => Ok(refusal.fate()),
            Ok(()) | Err(_) => {
                let queue = self.queue.lock();
                let mut offers = queue.frontier.offers(None);
                Ok(fate_of(offers.offer(target, record.depth, url.seed)?))
            }
        }
    }

    /// The URL to be asked for once more because a redirect leads back to it, if it is.
    fn led_back(
        &self,
        lease: &Lease,
        target: &CanonicalUrl,
        answer: &Fetched,
    ) -> Option<ReturnRecord> {
        let url = &lease.url().url;
        let context = UrlContext::from_bytes(&lease.url().context);
        if context.returned {
            return None;
        }
        let normalizer = self.queue.lock().frontier.url_normalizer();
        let sets_cookie = self.policy.cookies && answer.header("set-cookie").is_some();
        let is_itself =
            target == url || normalizer.normalized(target) == normalizer.normalized(url);
        let mut named = answer.location()?;
        named.set_fragment(None);
        let is_other_spelling = named != answer.url;
        let back = match context.began {
            _ if is_itself && (sets_cookie || is_other_spelling) => url.as_str().to_owned(),
            Some(began) if self.policy.cookies && began == target.as_str() => began,
            Some(_) | None => return None,
        };
        let ask = (named.as_str() != back).then(|| named.into());
        Some(ReturnRecord { url: back, ask })
    }
}

#[cfg(test)]
mod tests {
    use archive::Event;
    use frontier::FrontierConfig;

    use super::*;
    use crate::testing::{NOW_MS, answer, apply, lease, policy, state};
    use crate::{Decided, Finding, Reading, UrlFinding};

    const SEED: &str = "http://a.example/";

    /// An answer that redirects to where it says, with a cookie or without.
    fn finding(lease: Lease, to: &str, cookie: bool) -> Finding {
        let asked = UrlContext::from_bytes(&lease.url().context).ask;
        let asked = asked.map_or_else(|| lease.url().url.to_url(), |ask| ask.parse().unwrap());
        let mut answer = answer(asked, 302);
        if let Ok(fetched) = &mut answer.fetched {
            fetched.headers.push(("location".into(), to.into()));
            if cookie {
                fetched.headers.push(("set-cookie".into(), b"c=1".to_vec()));
            }
        }
        let canonicaliser = frontier::Canonicaliser {
            drop_tracking: true,
            ..frontier::Canonicaliser::default()
        };
        let target = canonicaliser.canonical(&to.parse().unwrap()).unwrap();
        Finding::Url(Box::new(UrlFinding {
            lease,
            reading: Reading::Redirect(Ok(target)),
            answer: Some(answer),
            content_type: String::new(),
            before: None,
        }))
    }

    /// Takes a redirect in as a crawl does; gives its record.
    fn redirect(crawl: &mut State, turn: u64, to: &str, cookie: bool) -> PageRecord {
        let lease = lease(crawl, turn);
        let decided = crawl.decide(finding(lease, to, cookie), NOW_MS).unwrap();
        apply(crawl, &decided.record);
        let Decided { record, lease, .. } = decided;
        let settled = Decided::settled(lease.unwrap(), &record);
        crawl.queue().lock().frontier.settle(settled).unwrap();
        for event in crawl.decide_returns().unwrap() {
            let record = crawl.record(event, NOW_MS);
            apply(crawl, &record);
        }
        match record.event {
            Event::Page(page) => *page,
            other => panic!("{other:?}"),
        }
    }

    fn crawl(cookies: bool) -> State {
        let policy = crate::Policy {
            cookies,
            ..policy()
        };
        state(policy, FrontierConfig::default(), SEED)
    }

    fn waiting(crawl: &State) -> u64 {
        crawl.queue().lock().frontier.counts().pending
    }

    #[test]
    fn a_redirect_is_a_link_unless_it_leads_to_itself() {
        let mut state = crawl(true);
        let record = redirect(&mut state, 0, "http://www.b.test/", false);
        assert_eq!(record.outcome, Outcome::Redirected);
        // A seed takes the host that it redirects to into scope.
        assert_eq!(record.links[0].fate, LinkFate::New);
        let record = redirect(&mut crawl(true), 0, "http://a.example/#top", false);
        assert_eq!(record.outcome, Outcome::Failed(FailureKind::RedirectLoop));
        assert!(record.links.is_empty());
    }

    #[test]
    fn a_redirect_to_itself_that_sets_a_cookie_is_followed_once() {
        let mut state = crawl(true);
        let record = redirect(&mut state, 0, SEED, true);
        assert_eq!(record.outcome, Outcome::Redirected);
        assert_eq!((waiting(&state), state.counts().finished), (1, 0));
        assert_eq!(state.counts().redirected, 0);
        let record = redirect(&mut state, 1, SEED, true);
        assert_eq!(record.outcome, Outcome::Failed(FailureKind::RedirectLoop));
        assert_eq!(waiting(&state), 0);
        // Where cookies are not kept the second answer would be the first again.
        let record = redirect(&mut crawl(false), 0, SEED, true);
        assert_eq!(record.outcome, Outcome::Failed(FailureKind::RedirectLoop));
    }

    #[test]
    fn a_chain_that_ends_where_it_began_with_a_cookie_is_followed_once() {
        // The site was lost where the first answer set the cookie, not the last one.
        for at in 0..2 {
            let mut state = crawl(true);
            redirect(&mut state, 0, "http://a.example/check", at == 0);
            let record = redirect(&mut state, 1, SEED, at == 1);
            let back = record.returns.expect("it leads back");
            assert_eq!((back.url.as_str(), back.ask), (SEED, None));
            assert_eq!(waiting(&state), 1);
            let record = redirect(&mut state, 2, "http://a.example/check", true);
            assert_eq!((record.returns, waiting(&state)), (None, 0));
        }
        // Where cookies are not kept it is seen, and that is the end.
        let mut state = crawl(false);
        redirect(&mut state, 0, "http://a.example/check", true);
        let record = redirect(&mut state, 1, SEED, true);
        assert_eq!((record.returns, waiting(&state)), (None, 0));
    }

    #[test]
    fn a_redirect_to_another_spelling_of_the_url_asks_for_that() {
        // It was called a loop.
        let mut state = crawl(false);
        let spelt = "http://a.example/?utm_source=x";
        let record = redirect(&mut state, 0, spelt, false);
        let back = record.returns.expect("it leads back");
        assert_eq!(
            (back.url.as_str(), back.ask.as_deref()),
            (SEED, Some(spelt))
        );
        let lease = lease(&state, 1);
        let context = UrlContext::from_bytes(&lease.url().context);
        assert_eq!(
            (context.ask.as_deref(), context.returned),
            (Some(spelt), true)
        );
    }
}

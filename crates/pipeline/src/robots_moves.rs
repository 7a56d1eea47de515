//! Where robots.txt files have moved to, and who waits for them.
//!
//! A redirect of a robots.txt is followed as soon as the manners of the host that it leads to allow it.
//! Sixty hosts may all name one file of one host: it is asked for once, for all that wait for it then.

use std::collections::HashMap;

use url::Url;

use crate::messages::RobotsOwner;

/// Moved files that wait to be asked for, by number.
#[derive(Debug, Default)]
pub(crate) struct RobotsMoves {
    numbers: HashMap<Url, u64>,
    waiting: HashMap<u64, (Url, Vec<RobotsOwner>)>,
    next: u64,
}

impl RobotsMoves {
    /// Adds those whose file is at a URL now. Gives the number of the request to be made, unless one
    /// waits already.
    pub(crate) fn add(&mut self, url: Url, owners: Vec<RobotsOwner>) -> Option<u64> {
        if let Some(number) = self.numbers.get(&url)
            && let Some((_, waiting)) = self.waiting.get_mut(number)
        {
            waiting.extend(owners);
            return None;
        }
        let number = self.next;
        self.next += 1;
        self.numbers.insert(url.clone(), number);
        self.waiting.insert(number, (url, owners));
        Some(number)
    }

    /// Takes a request that is made now.
    pub(crate) fn take(&mut self, number: u64) -> Option<(Url, Vec<RobotsOwner>)> {
        let (url, owners) = self.waiting.remove(&number)?;
        self.numbers.remove(&url);
        Some((url, owners))
    }
}

#[cfg(test)]
mod tests {
    use frontier::HostKey;

    use super::*;

    #[test]
    fn one_request_is_made_for_all_that_wait_for_a_file() {
        let owner = |name: &str| RobotsOwner {
            host: HostKey::from_record(name),
            origin: format!("http://{name}"),
            hops: 1,
        };
        let url = Url::parse("http://central.test/robots.txt").expect("a URL");
        let mut moves = RobotsMoves::default();
        let number = moves.add(url.clone(), vec![owner("a.test")]);
        assert_eq!(moves.add(url.clone(), vec![owner("b.test")]), None);
        let (asked, owners) = moves.take(number.expect("a request")).expect("it waits");
        assert_eq!((&asked, owners.len()), (&url, 2));
        // Who comes later asks again.
        assert!(moves.add(url, vec![owner("c.test")]).is_some());
    }
}

//! What follows from an answer to a request for robots.txt (RFC 9309 §2.3.1).
//!
//! One reading for all who ask: the crawl, a single fetch, and whoever only knows a status. It is stricter than
//! the RFC where that would be read against the server's wish: a 429 asks for less haste and says nothing of
//! what may be fetched, and a file that broke off may lack the line that closes the door.

use super::Robots;
use crate::error::FetchError;
use crate::fetch::{Fetched, Purpose, Truncated};
use crate::limits::FetchLimits;

/// What follows from an answer to robots.txt by itself, whatever is known of the host besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RobotsRuling {
    /// The file is there; its rules hold.
    Parsed,
    /// There is no file: everything may be fetched.
    AllowAll,
    /// It cannot be had, and that does not pass by itself: nothing may be fetched.
    DisallowAll,
    /// It cannot be had for now: nothing may be fetched until it can.
    Outage,
}

impl RobotsRuling {
    /// What follows from the status of an answer, after redirects; `Parsed` for a 2xx, whose body says what holds.
    pub fn of_status(status: u16) -> Self {
        match status {
            200..300 => Self::Parsed,
            // It asks for less haste, and says nothing of what may be fetched.
            429 => Self::Outage,
            // Nobody asked whether it has changed: a broken cache, behind which there are rules.
            304 => Self::Outage,
            // More redirects than are followed: unavailable, as §2.3.1.2 has it.
            300..500 => Self::AllowAll,
            _ => Self::Outage,
        }
    }

    /// The rules that hold where no file was read.
    pub fn rules(self) -> Robots {
        match self {
            Self::Parsed | Self::AllowAll => Robots::allow_all(),
            Self::DisallowAll | Self::Outage => Robots::disallow_all(),
        }
    }
}

impl Robots {
    /// Reads an answer to robots.txt: the rules and what follows from it. Of a file that broke off the rules are those
    /// of its whole lines, beside [`RobotsRuling::Outage`].
    ///
    /// A body is decoded within the limits, which takes some milliseconds: do not call it on the threads of an
    /// async runtime.
    pub fn of_answer(
        answer: &Result<Fetched, FetchError>,
        limits: &FetchLimits,
    ) -> (Self, RobotsRuling) {
        let ruling = match answer {
            Ok(fetched) => RobotsRuling::of_status(fetched.status),
            Err(error) if error.is_transient() => RobotsRuling::Outage,
            Err(_) => RobotsRuling::DisallowAll,
        };
        match (answer, ruling) {
            (Ok(fetched), RobotsRuling::Parsed) => read(fetched, limits),
            _ => (ruling.rules(), ruling),
        }
    }
}

/// Reads the body of a 2xx.
fn read(fetched: &Fetched, limits: &FetchLimits) -> (Robots, RobotsRuling) {
    let decoding = fetched.decoded(&limits.decoding_for(Purpose::Robots));
    let robots = match (fetched.truncated, &decoding.stopped) {
        (None, None) => Robots::parse(&decoding.bytes),
        _ => Robots::parse_beginning(&decoding.bytes),
    };
    let broke_off = match fetched.truncated {
        Some(Truncated::Time | Truncated::Disconnect) => true,
        Some(Truncated::Bytes) => false,
        None => decoding.is_cut || fetched.is_part(),
    };
    let ruling = match broke_off {
        true => RobotsRuling::Outage,
        false => RobotsRuling::Parsed,
    };
    (robots.at(&fetched.url), ruling)
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    const FILE: &[u8] = b"User-agent: *\nDisallow: /x\nSitemap: /s.xml\nDisall";

    fn answered(status: u16) -> Fetched {
        let url = Url::parse("http://a.example/robots.txt").unwrap();
        Fetched::new(url, status, Vec::new(), FILE)
    }

    fn ruling(fetched: Fetched) -> RobotsRuling {
        Robots::of_answer(&Ok(fetched), &FetchLimits::default()).1
    }

    #[test]
    fn a_status_says_what_holds() {
        for (status, says) in [
            (200, RobotsRuling::Parsed),
            (206, RobotsRuling::Parsed),
            (301, RobotsRuling::AllowAll),
            (304, RobotsRuling::Outage),
            (403, RobotsRuling::AllowAll),
            (404, RobotsRuling::AllowAll),
            (429, RobotsRuling::Outage),
            (503, RobotsRuling::Outage),
            (999, RobotsRuling::Outage),
        ] {
            assert_eq!(ruling(answered(status)), says, "{status}");
        }
    }

    #[test]
    fn a_file_that_broke_off_is_an_outage_and_one_that_is_too_long_is_not() {
        for (truncated, says) in [
            (Truncated::Bytes, RobotsRuling::Parsed),
            (Truncated::Disconnect, RobotsRuling::Outage),
            (Truncated::Time, RobotsRuling::Outage),
        ] {
            let truncated = Some(truncated);
            let fetched = Fetched {
                truncated,
                ..answered(200)
            };
            assert_eq!(ruling(fetched), says, "{truncated:?}");
        }
    }

    #[test]
    fn a_206_is_a_part_where_it_says_which() {
        // One that names no part was taken for one, and the host was held up.
        let mut fetched = answered(206);
        let range = ("content-range".to_owned(), b"bytes 0-32/100".to_vec());
        fetched.headers.push(range);
        assert_eq!(ruling(fetched), RobotsRuling::Outage);
    }

    #[test]
    fn an_error_closes_the_host_where_it_does_not_pass() {
        let limits = FetchLimits::default();
        let message = || "so".to_owned();
        let lost = Err(FetchError::Reset { message: message() });
        assert_eq!(Robots::of_answer(&lost, &limits).1, RobotsRuling::Outage);
        let bad = Err(FetchError::BadUrl { message: message() });
        assert_eq!(
            Robots::of_answer(&bad, &limits).1,
            RobotsRuling::DisallowAll
        );
    }

    #[test]
    fn the_rules_are_those_of_the_body_within_the_limits_and_of_its_place() {
        let mut limits = FetchLimits::default();
        let x = Url::parse("http://a.example/x").unwrap();
        let (robots, _) = Robots::of_answer(&Ok(answered(200)), &limits);
        assert!(!robots.check("tamis", &x).allowed);
        assert_eq!(robots.sitemaps(), ["http://a.example/s.xml"]);
        // The decoded file had the bound of the defaults, whatever was configured.
        limits.robots_bytes_max = 20;
        let coded = vec![("content-encoding".to_owned(), b"gzip".to_vec())];
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut gzip, FILE).unwrap();
        let body = gzip.finish().unwrap();
        let fetched = Fetched::new(answered(200).url, 200, coded, body);
        let (robots, _) = Robots::of_answer(&Ok(fetched), &limits);
        assert!(robots.check("tamis", &x).allowed);
    }
}

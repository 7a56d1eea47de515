//! What a crawl with a topic still expects to find.
//!
//! Pages cannot be counted before they are read. So the number is an estimate, from what links that
//! wait promise and how far promises were kept of late, and it has bounds that are meant to hold the
//! truth nine times in ten.

use serde::{Deserialize, Serialize};

/// A number of relevant pages that is expected, with its bounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExpectedPages {
    /// The expected number.
    pub mean: f32,
    /// The lower bound.
    pub low: f32,
    /// The upper bound.
    pub high: f32,
}

/// What is left to find among the URLs that wait.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Outlook {
    /// Relevant and new pages found, as the topic's model judges them now.
    pub found: f32,
    /// URLs that wait.
    pub waiting: u64,
    /// Relevant pages among them.
    pub left: ExpectedPages,
    /// The next fetches that are looked at: 100, or as many as wait.
    pub soon_fetches: u64,
    /// Relevant pages that these would bring.
    pub soon: ExpectedPages,
}

impl Outlook {
    /// The estimate in a sentence without its full stop.
    pub fn words(&self) -> String {
        format!(
            "expected to be left, as last estimated: about {} relevant pages among {} URLs that waited, beside \
             {:.0} found, as the model judges all pages now; the next {} fetches would bring about {}",
            self.left,
            self.waiting,
            self.found + 0.0,
            self.soon_fetches,
            self.soon
        )
    }
}

impl std::fmt::Display for ExpectedPages {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // A sum of nothing is -0.0, which 0.0 makes 0.
        let (low, high) = (self.low.floor() + 0.0, self.high.ceil() + 0.0);
        write!(out, "{:.0} ({low:.0} to {high:.0})", self.mean + 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_told_with_its_bounds_and_read_as_written() {
        let pages = |mean, low, high| ExpectedPages { mean, low, high };
        let outlook = Outlook {
            found: 61.2,
            waiting: 900,
            left: pages(12.4, 2.9, 40.1),
            soon_fetches: 100,
            soon: pages(6.6, 2.0, 14.0),
        };
        assert_eq!(
            outlook.words(),
            "expected to be left, as last estimated: about 12 (2 to 41) relevant pages among 900 URLs that \
             waited, beside 61 found, as the model judges all pages now; the next 100 fetches would bring about \
             7 (2 to 14)"
        );
        let nothing = pages(-0.0, -0.0, -0.0);
        assert_eq!(nothing.to_string(), "0 (0 to 0)");
        let text = serde_json::to_string(&outlook).expect("plain numbers");
        assert_eq!(serde_json::from_str::<Outlook>(&text).ok(), Some(outlook));
        assert!(serde_json::from_str::<Outlook>("{}").is_ok());
    }
}

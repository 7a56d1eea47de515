//! Pages that stand between a visitor and the page that was asked for.

use serde::{Deserialize, Serialize};

use crate::names::names;

/// A row of [`WallKind`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    english: &'static str,
    chinese: &'static str,
    mend: &'static str,
}

const fn wall(english: &'static str, chinese: &'static str, mend: &'static str) -> Facts {
    Facts {
        english,
        chinese,
        mend,
    }
}

/// What is said of a kind that a newer version wrote.
const UNKNOWN: Facts = wall(
    "a wall of a kind that this version does not know",
    "本版本不认识的拦截页",
    "open the page in a browser and read what it asks for",
);

names! {
    /// What kind of wall a page is.
    pub enum WallKind: Facts or UNKNOWN {
        /// A firewall took the visitor for a program, or blocked the request.
        Bot = "bot" => wall(
            "a bot wall: a firewall turned the crawler away",
            "防火墙把爬虫挡在门外",
            "say who you are ([agent] contact), raise [politeness] delay, or ask the site's owner \
             to let the crawler in",
        ),
        /// It asks the visitor to show that it is a person.
        Human = "human" => wall(
            "a check for people: a captcha or a slider",
            "人机验证（验证码、滑块）",
            "raise [politeness] delay, or ask the site's owner to let the crawler in",
        ),
        /// It says that there were too many requests, with a status that says all is well.
        RateLimit = "rate_limit" => wall(
            "a rate limit that was answered with status 200",
            "以状态码 200 返回的访问频率限制",
            "raise [politeness] delay and lower connections_per_host",
        ),
        /// It asks for consent to cookies before it shows anything.
        Consent = "consent" => wall(
            "a consent wall: nothing is shown before cookies are agreed to",
            "要求先同意使用 Cookie 的页面",
            "ask the site's owner for access without the consent page, or leave the host out",
        ),
        /// It asks the visitor to sign in.
        Login = "login" => wall(
            "a login wall: nothing is shown before one signs in",
            "要求先登录的页面",
            "leave these pages out ([scope] exclude), or ask the site's owner for access",
        ),
        /// The domain has no site: it is for sale or shows adverts alone.
        Parked = "parked" => wall(
            "a parked domain: it is for sale, or shows adverts alone",
            "停放或出售中的域名",
            "take the host off the seeds: there is no site",
        ),
        /// The site is not there yet, or not for now.
        ComingSoon = "coming_soon" => wall(
            "a placeholder: the site is not there yet",
            "尚未上线的占位页",
            "come back when the site is there",
        ),
    }
}

impl WallKind {
    /// The kind in English.
    pub fn english(&self) -> &'static str {
        self.facts().english
    }

    /// The kind in Chinese.
    pub fn chinese(&self) -> &'static str {
        self.facts().chinese
    }

    /// Whether it stands in the place of one page, and the host may show others: it asks for a login, as a
    /// forum does of who wants to reply, or is not there yet.
    pub fn is_of_one_page(&self) -> bool {
        match self {
            Self::Login | Self::ComingSoon => true,
            Self::Bot
            | Self::Human
            | Self::RateLimit
            | Self::Consent
            | Self::Parked
            | Self::Unknown(_) => false,
        }
    }

    /// What whoever runs the crawl can do about it. A wall is never gone around.
    pub fn mend(&self) -> &'static str {
        self.facts().mend
    }
}

impl Default for WallKind {
    fn default() -> Self {
        Self::Unknown("".into())
    }
}

/// A page found to be a wall, and what says so.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Wall {
    /// What kind.
    pub kind: WallKind,
    /// How sure that is, 0.0 to 1.0.
    pub sureness: f32,
    /// Whose it is, where its marks tell: `cloudflare`, `datadome`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vendor: Option<String>,
    /// The marks and words that say so, some of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<String>,
}

impl std::fmt::Display for Wall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.kind.english())?;
        if let Some(vendor) = &self.vendor {
            write!(f, " ({vendor})")?;
        }
        write!(f, ", sure to {:.0} %", self.sureness * 100.0)?;
        if !self.because.is_empty() {
            write!(f, ", by {}", self.because.join("; "))?;
        }
        Ok(())
    }
}

/// The last answers of a host that answered with a wall, and how often it was left to rest for that.
/// Walls of one page ([`WallKind::is_of_one_page`]) count as pages.
///
/// A host that answers with walls does not want what the crawl does, or cannot tell it from an
/// attack. Asking on makes neither better, so it is left to rest: each time twice as long, and in the
/// end it is asked no more. Counted from the first wall on; a host without one needs no window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WallWindow {
    /// One bit for each answer, the newest lowest: whether it was a wall.
    last: u32,
    answers: u8,
    rests: u8,
    walled: bool,
}

/// What follows from an answer for its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WallRest {
    /// The host is left to rest; how often it was so before, without a good answer between.
    Again(u8),
    /// It is asked no more: so many of so many answers were walls.
    GivenUp {
        /// Walls among its last answers.
        walls: u32,
        /// Those answers.
        answers: u32,
    },
}

impl WallWindow {
    /// Answers that are remembered.
    pub const ANSWERS: u32 = 20;
    /// Answers before anything is said.
    pub const ANSWERS_MIN: u32 = 10;
    /// Of a hundred answers as many walls let a host rest.
    pub const PERCENT: u32 = 30;
    /// Rests in a row before a host is asked no more.
    pub const RESTS: u8 = 3;

    /// Takes in an answer: a page, or a wall in its place.
    pub fn add(&mut self, is_wall: bool) -> Option<WallRest> {
        if self.walled {
            return None;
        }
        self.last = (self.last << 1 | u32::from(is_wall)) & ((1 << Self::ANSWERS) - 1);
        self.answers = (self.answers + 1).min(Self::ANSWERS as u8);
        let (walls, answers) = (self.walls(), u32::from(self.answers));
        if answers < Self::ANSWERS_MIN {
            return None;
        }
        if walls * 100 < answers * Self::PERCENT {
            if answers == Self::ANSWERS {
                self.rests = 0;
            }
            return None;
        }
        if self.rests == Self::RESTS {
            self.walled = true;
            return Some(WallRest::GivenUp { walls, answers });
        }
        let before = self.rests;
        (self.last, self.answers) = (0, 0);
        self.rests += 1;
        Some(WallRest::Again(before))
    }

    /// Walls among the last answers.
    pub fn walls(&self) -> u32 {
        self.last.count_ones()
    }

    /// Rests in a row so far.
    pub fn rests(&self) -> u8 {
        self.rests
    }

    /// Walls and answers of a host that is asked no more.
    pub fn walled(&self) -> Option<(u32, u32)> {
        self.walled.then(|| (self.walls(), u32::from(self.answers)))
    }

    /// Whether there is nothing left to remember.
    pub fn is_quiet(&self) -> bool {
        self.walls() == 0 && self.rests == 0 && !self.walled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes in answers, `w` for a wall, and tells after which something followed.
    fn rests(window: &mut WallWindow, answers: &str) -> Vec<(usize, WallRest)> {
        let answers = answers.chars().enumerate();
        answers
            .filter_map(|(at, answer)| Some((at + 1, window.add(answer == 'w')?)))
            .collect()
    }

    #[test]
    fn three_walls_of_ten_answers_let_a_host_rest_and_two_do_not() {
        let mut window = WallWindow::default();
        assert_eq!(rests(&mut window, "wpppwppppw"), [(10, WallRest::Again(0))]);
        let mut window = WallWindow::default();
        assert_eq!(rests(&mut window, "wpppwppppp"), []);
        assert!(!window.is_quiet());
        assert_eq!(rests(&mut window, &"p".repeat(20)), []);
        assert!(window.is_quiet());
    }

    #[test]
    fn a_host_that_goes_on_is_asked_no_more_after_three_rests() {
        let mut window = WallWindow::default();
        let found = rests(&mut window, &"w".repeat(60));
        let gone = WallRest::GivenUp {
            walls: 10,
            answers: 10,
        };
        let expected = [
            (10, WallRest::Again(0)),
            (20, WallRest::Again(1)),
            (30, WallRest::Again(2)),
            (40, gone),
        ];
        assert_eq!(found, expected);
        assert_eq!(window.walled(), Some((10, 10)));
    }

    #[test]
    fn twenty_good_answers_make_good_for_earlier_rests() {
        let mut window = WallWindow::default();
        rests(&mut window, &"w".repeat(10));
        assert_eq!(window.rests(), 1);
        rests(&mut window, &"p".repeat(20));
        assert_eq!(window.rests(), 0);
    }

    #[test]
    fn a_wall_is_told_with_what_says_so() {
        let wall = Wall {
            kind: WallKind::Bot,
            sureness: 0.99,
            vendor: Some("cloudflare".into()),
            because: vec!["_cf_chl_opt".into()],
        };
        assert_eq!(
            wall.to_string(),
            "a bot wall: a firewall turned the crawler away (cloudflare), sure to 99 %, by _cf_chl_opt"
        );
        let json = serde_json::to_string(&wall).expect("plain data");
        assert_eq!(serde_json::from_str::<Wall>(&json).expect("reads"), wall);
    }
}

//! Hints from the names of classes and ids about the role of an element.
//!
//! Authors name elements after their role: "sidebar", "comment-list", "articleBody". Names are split
//! into words at dashes, underscores, digits and camel case, and each word is looked up in a table. A
//! long word that is not in the table is searched for a few stems, so that "relatedposts" is still
//! related. A hint is a feature for the classifier; it decides nothing by itself.

use std::cell::RefCell;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use crate::formulas;

/// A role that a name can hint at; the number is its bit in [`Hints`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Hint {
    Nav,
    Footer,
    Header,
    Side,
    Share,
    Comment,
    Related,
    Advert,
    Consent,
    Byline,
    Tags,
    Form,
    Media,
    Article,
    Content,
    Title,
    Product,
    Control,
    Post,
    Hidden,
    Card,
    Crumbs,
    User,
    Review,
    Code,
    Intro,
    LineNumbers,
    /// A formula, by a whole class name; see [`formulas`].
    Formula,
    /// A platform that manages consent, or any component of a page: both are "cmp". To the forests it is as
    /// [`Hint::Consent`], to rules it says nothing.
    Component,
}

/// The roles that an element's names hint at, one bit each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Hints(pub u32);

/// Parts of a page beside its text, as elements are named. Who uses it says which of them he leaves out, and why.
pub(crate) const OTHER_PARTS: Hints = Hints::all(&[
    Hint::Nav,
    Hint::Footer,
    Hint::Side,
    Hint::Related,
    Hint::Comment,
    Hint::Review,
    Hint::Consent,
    Hint::Advert,
    Hint::Form,
]);

impl Hints {
    const fn all(hints: &[Hint]) -> Hints {
        let (mut all, mut at) = (0, 0);
        while at < hints.len() {
            all |= 1 << hints[at] as u32;
            at += 1;
        }
        Hints(all)
    }

    pub(crate) const fn without(self, hints: &[Hint]) -> Hints {
        Hints(self.0 & !Hints::all(hints).0)
    }

    pub(crate) fn has_any(self, others: Hints) -> bool {
        self.0 & others.0 != 0
    }

    pub(crate) fn has(self, hint: Hint) -> bool {
        self.0 & (1 << hint as u32) != 0
    }

    fn add(&mut self, hint: Hint) {
        self.0 |= 1 << hint as u32;
    }

    /// Reads a class, id, role or itemprop attribute.
    pub(crate) fn read(&mut self, names: &str) {
        // Generated names can be kilobytes long; their beginning is enough.
        let names = &names.as_bytes()[..names.len().min(400)];
        let mut word = [0u8; 24];
        let mut len = 0;
        let mut previous = b' ';
        let mut after_line = false;
        for &byte in names.iter().chain(b" ") {
            let cut = !byte.is_ascii_alphabetic()
                || (byte.is_ascii_uppercase() && previous.is_ascii_lowercase());
            if cut && len > 0 {
                if let Ok(word) = std::str::from_utf8(&word[..len]) {
                    self.word(word);
                    if after_line && matches!(word, "number" | "numbers" | "num" | "nums") {
                        self.add(Hint::LineNumbers);
                    }
                    after_line = word == "line";
                }
                len = 0;
            }
            if byte.is_ascii_alphabetic() && len < word.len() {
                word[len] = byte.to_ascii_lowercase();
                len += 1;
            }
            previous = byte;
        }
    }

    /// Adds what other names hint at.
    pub(crate) fn join(&mut self, other: Hints) {
        self.0 |= other.0;
    }

    /// Adds the hint of one word; of an unknown long word the hints of all stems in it.
    fn word(&mut self, word: &str) {
        if let Some(&hint) = HINT_OF_WORD.get(word) {
            self.add(hint);
        } else if word.len() >= STEM_SEARCH_BYTES_MIN {
            for &(stem, hint) in STEMS {
                if word.contains(stem) {
                    self.add(hint);
                }
            }
        }
    }
}

/// Shorter words are not searched for stems: they hold one by chance too often.
const STEM_SEARCH_BYTES_MIN: usize = 8;

/// The words of each hint, separated by blanks.
const WORDS: [(Hint, &str); 28] = [
    (
        Hint::Nav,
        "nav navbar navigation menu submenu pager pagination paginator paging topbar sitemap \
         skip toc navi gnb lnb menubar megamenu daohang subnav sitenav pages",
    ),
    (
        Hint::Crumbs,
        "breadcrumb breadcrumbs crumb crumbs bread mbx weizhi position topicpath pankuzu",
    ),
    (
        Hint::Footer,
        "footer foot bottom copyright colophon ft legal disclaimer banquan",
    ),
    (Hint::Header, "header masthead top hd head logo branding"),
    (
        Hint::Side,
        "sidebar side aside rail widget widgets secondary complementary right sidebars rside \
         tertiary sub",
    ),
    (
        Hint::Share,
        "share sharing social sns follow addthis bookmark bookmarks tweet facebook twitter \
         weibo weixin wechat qrcode erweima jiathis fenxiang sociable shares linkedin \
         whatsapp pinterest hatena bdsharebuttonbox sharedaddy",
    ),
    (
        Hint::Comment,
        "comment comments commentlist disqus respond pinglun gentie feedback pingback \
         trackback livefyre commenting reply replies discussion kommentar kommentare \
         comentarios commentaires pl",
    ),
    (
        Hint::Related,
        "related recommend recommended recommendation recommendations similar popular \
         trending more readmore latest recent hot also suggest suggested suggestions tuijian \
         xiangguan mostread upsell upsells crosssell cross outbrain taboola zergnet next prev \
         previous ranking rank paihang relate rel yarpp adjacent readnext trend most teaser \
         teasers likes kanguo jingcai",
    ),
    (
        Hint::Advert,
        "ad ads advert adverts advertisement advertising sponsor sponsored sponsors promo \
         promos promotion promoted banner banners gg guanggao dfp adsense adsbygoogle \
         commercial werbung anzeige publicidad affiliate campaign marketing adv pr",
    ),
    (
        Hint::Consent,
        "cookie cookies consent gdpr onetrust privacy paywall overlay modal popup pop dialog \
         lightbox notice alert toast interstitial gate regwall ccpa tooltip drawer \
         notification popover",
    ),
    (Hint::Component, "cmp"),
    (
        Hint::Byline,
        "byline date time timestamp published pubdate meta info source credit credits \
         dateline datetime laiyuan zuozhe editor postmeta updated views stats pubtime \
         postinfo attribution laiy",
    ),
    (
        Hint::User,
        "author authors bio avatar user username member profile contributor nickname writer \
         poster userinfo usercard signature sig badge badges",
    ),
    (
        Hint::Tags,
        "tag tags category categories cat keyword keywords label labels topics taxonomy \
         biaoqian tagcloud kicker eyebrow",
    ),
    (
        Hint::Form,
        "form search login signin signup subscribe newsletter subscription register \
         registration searchbox searchform mailing optin email donate denglu sousuo password \
         captcha",
    ),
    (
        Hint::Media,
        "caption figcaption photo photos image images img gallery slideshow video player \
         media carousel slider slide slides figure picture thumb thumbnail audio swiper",
    ),
    (
        Hint::Article,
        "article story hentry blog blogpost news wenzhang articlebody storybody newsarticle \
         arti artical",
    ),
    (
        Hint::Content,
        "content contents body text main maincontent entry detail details description \
         zhengwen nr neirong entrycontent prose markdown richtext copy rte wysiwyg paragraph \
         cont contenttext txt primary wikitext honbun rich con single postbody postcontent \
         column",
    ),
    (
        Hint::Title,
        "title headline heading biaoti headings midashi",
    ),
    (
        Hint::Intro,
        "subtitle dek standfirst lead lede summary intro excerpt abstract deck subhead \
         subheadline zhaiyao daodu introduction sapo teasertext",
    ),
    (
        Hint::Product,
        "product products price prices sku spec specs specification specifications cart buy \
         stock offer offers shipping seller variant variants swatch quantity qty checkout \
         delivery basket wishlist pdp addtocart",
    ),
    (
        Hint::Review,
        "review reviews rating ratings stars testimonial testimonials bazaarvoice yotpo \
         reviewer",
    ),
    (
        Hint::Control,
        "button buttons btn btns cta action actions tool tools toolbar control controls \
         toggle dropdown filter filters facet facets sort sorting print icon icons vote votes \
         voting like options refine refinement refinements expand load download edit \
         editsection report",
    ),
    (
        Hint::Post,
        "post posts message msg topic thread threads answer answers question questions floor \
         forum lou postlist cooked messages qa",
    ),
    (
        Hint::Hidden,
        "hidden hide invisible sr screenreader visuallyhidden offscreen none noscreen noprint \
         assistive hid noexcerpt noshow",
    ),
    (
        Hint::Card,
        "card cards item items tile tiles grid list listing listings result results row \
         feature features block archive feed stream loop collection",
    ),
    (
        Hint::Code,
        "code highlight highlighter codehilite sourcecode syntaxhighlighter snippet \
         listingblock hljs prettyprint",
    ),
    (
        Hint::LineNumbers,
        "gutter ln lnt lnum lineno linenos linenodiv linenumber linenumbers linenums",
    ),
];

/// The hint of each word.
static HINT_OF_WORD: LazyLock<FxHashMap<&str, Hint>> = LazyLock::new(|| {
    let of_one =
        |(hint, words): (Hint, &'static str)| words.split(' ').map(move |word| (word, hint));
    WORDS.into_iter().flat_map(of_one).collect()
});

/// Stems that are looked for in long words written together.
const STEMS: &[(&str, Hint)] = &[
    ("comment", Hint::Comment),
    ("related", Hint::Related),
    ("recommend", Hint::Related),
    ("sidebar", Hint::Side),
    ("footer", Hint::Footer),
    ("copyright", Hint::Footer),
    ("header", Hint::Header),
    ("share", Hint::Share),
    ("social", Hint::Share),
    ("cookie", Hint::Consent),
    ("consent", Hint::Consent),
    ("advert", Hint::Advert),
    ("promo", Hint::Advert),
    ("breadcrumb", Hint::Crumbs),
    ("newsletter", Hint::Form),
    ("subscri", Hint::Form),
    ("article", Hint::Article),
    ("content", Hint::Content),
    ("title", Hint::Title),
    ("author", Hint::User),
    ("product", Hint::Product),
    ("review", Hint::Review),
    ("menu", Hint::Nav),
    ("button", Hint::Control),
];

/// Slots of each thread's cache, 64 KiB. The cells of a table have the same class, and the pages of a
/// host have the same classes.
const CACHE_SLOTS: usize = 1 << 12;

thread_local! {
    /// The hints of attribute values by their hash; the latest value in each slot is kept.
    static CACHE: RefCell<Vec<(u64, Hints)>> =
        RefCell::new(vec![(xxh3_64(b""), Hints::default()); CACHE_SLOTS]);
}

impl Hints {
    /// As [`Hints::read`], with [`Hint::Formula`] for a class list that has the class of a formula.
    pub(crate) fn of(names: &str) -> Hints {
        let key = xxh3_64(names.as_bytes());
        CACHE.with_borrow_mut(|cache| {
            let slot = &mut cache[key as usize % CACHE_SLOTS];
            if slot.0 != key {
                let mut hints = Hints::default();
                hints.read(names);
                if formulas::is_formula_class(names) {
                    hints.add(Hint::Formula);
                }
                *slot = (key, hints);
            }
            slot.1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(names: &str, expected: &[Hint]) {
        let mut hints = Hints::default();
        hints.read(names);
        let mut wanted = Hints::default();
        for &hint in expected {
            wanted.add(hint);
        }
        assert_eq!(hints, wanted, "{names}");
    }

    #[test]
    fn names_are_cut_into_words() {
        check("post-content", &[Hint::Post, Hint::Content]);
        check("ArticleBody__main2", &[Hint::Article, Hint::Content]);
        check("relatedposts", &[Hint::Related]);
        check("cookie-alert", &[Hint::Consent]);
        check("cmp-tabs", &[Hint::Component]);
        check("adaptive shadow", &[]);
    }

    #[test]
    fn the_names_of_line_numbers_are_known_in_one_word_and_in_two() {
        check("gutter", &[Hint::LineNumbers]);
        check("line-numbers", &[Hint::LineNumbers]);
        check("lineNumber", &[Hint::LineNumbers]);
        check("line number-of-lines", &[Hint::LineNumbers]);
        check("number", &[]);
        check("line", &[]);
    }
}

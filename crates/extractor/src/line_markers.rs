//! Markers: what the words of a short line tell about its role on the page.
//!
//! Boilerplate uses the same few phrases on every site: "Related articles", "责任编辑：", "3 hours
//! ago", "Accept all cookies". Only the beginning of a line is matched, since a long paragraph that
//! mentions cookies is about cookies.

use std::cell::RefCell;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::automaton::OverlappingState;
use aho_corasick::{AhoCorasick, Anchored, Input, StartKind};
use regex::Regex;
use regex_syntax::hir::literal::{Extractor, Literal};
use xxhash_rust::xxh3::xxh3_64;

/// The number of markers.
pub(crate) const MARKER_COUNT: usize = 12;

/// A role that the words of a line can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Marker {
    /// An invitation to share or follow.
    Share,
    /// The head of a list of other pages.
    Related,
    /// Something about comments and replies.
    Comment,
    /// A cookie banner, privacy notice, login or subscription.
    Wall,
    /// A copyright line.
    Copyright,
    /// An editor's or agency's credit.
    Credit,
    /// A by-line.
    Byline,
    /// A date or a time.
    Date,
    /// The label of a button: "read more", "add to cart".
    More,
    /// A price.
    Price,
    /// Little but numbers.
    Count,
    /// The label of an advertisement.
    Advert,
}

/// The markers of a line, one bit each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Markers(pub u16);

impl Markers {
    pub(crate) fn has(self, marker: Marker) -> bool {
        self.0 & (1 << marker as u16) != 0
    }

    /// Reads a line; `lower` is a buffer.
    pub(crate) fn of(line: &str, lower: &mut String) -> Markers {
        if line.len() > LONG_BYTES {
            // Of a long paragraph only the first words are matched. It is not cached, since it stands
            // on one page only.
            return Markers::read(line, LONG_HEAD_CHARS, lower);
        }
        let key = xxh3_64(line.as_bytes());
        CACHE.with_borrow_mut(|cache| {
            let slot = &mut cache[key as usize % CACHE_SLOTS];
            if slot.0 != key {
                *slot = (key, Markers::read(line, HEAD_CHARS, lower));
            }
            slot.1
        })
    }

    fn read(line: &str, head: usize, lower: &mut String) -> Markers {
        lower.clear();
        for c in line.chars().take(head) {
            if c.is_ascii() {
                lower.push(c.to_ascii_lowercase());
            } else {
                lower.extend(c.to_lowercase());
            }
        }
        Markers(PATTERNS.matching(lower))
    }
}

/// Slots of each thread's cache of lines, 256 KiB. The pages of a host share most of their short
/// lines, and matching the patterns takes twenty times as long as a look-up.
const CACHE_SLOTS: usize = 1 << 14;

thread_local! {
    /// The markers of lines by the hash of their text; the latest line in each slot is kept.
    static CACHE: RefCell<Vec<(u64, Markers)>> = {
        let of_empty = Markers::read("", HEAD_CHARS, &mut String::new());
        RefCell::new(vec![(xxh3_64(b""), of_empty); CACHE_SLOTS])
    };
}

/// The beginning of a line that is matched, in characters.
const HEAD_CHARS: usize = 100;
/// A line with more bytes is a paragraph.
const LONG_BYTES: usize = 400;
/// The beginning of a paragraph that is matched, in characters.
const LONG_HEAD_CHARS: usize = 30;

/// The patterns of all markers. An automaton of all of them would need tens of millions of steps to
/// be built, state by state, as lines are met. But most patterns are lists of words, and to find out
/// which of the words a line has takes one scan.
struct Patterns {
    /// Those that a line begins with. After a few characters no word is left, and the scan ends.
    beginnings: Words,
    /// Those that stand anywhere.
    anywhere: Words,
}

/// What the patterns of one kind begin with.
struct Words {
    finder: AhoCorasick,
    anchored: Anchored,
    /// For each word of the finder its marker, and whether the word alone is a match.
    of_word: Vec<(u16, bool)>,
    /// Markers whose pattern may begin with anything.
    always: u16,
    /// The patterns themselves, compiled when a line first has a word that only begins a match.
    patterns: [OnceLock<Regex>; MARKER_COUNT],
    sources: [&'static str; MARKER_COUNT],
}

impl Patterns {
    fn matching(&self, line: &str) -> u16 {
        let count = u16::from(is_count(line)) << Marker::Count as u16;
        count | self.beginnings.matching(line) | self.anywhere.matching(line)
    }
}

impl Words {
    fn of(sources: [&'static str; MARKER_COUNT], anchored: Anchored) -> Words {
        let mut words: Vec<Literal> = Vec::new();
        let (mut of_word, mut always) = (Vec::new(), 0);
        for (marker, source) in sources.iter().enumerate() {
            if source.is_empty() {
                continue;
            }
            let words_alone = bare(source);
            let pattern =
                regex_syntax::parse(&words_alone).expect("the patterns are constant and tested");
            let has_boundary =
                words_alone != *source || !pattern.properties().look_set().is_empty();
            let mut extractor = Extractor::new();
            extractor.limit_class(16).limit_repeat(2).limit_total(2_000);
            let found = extractor.extract(&pattern);
            let Some(literals) = found.literals() else {
                always |= 1 << marker;
                continue;
            };
            for literal in literals {
                of_word.push((1 << marker, literal.is_exact() && !has_boundary));
                words.push(literal.clone());
            }
        }
        let start = match anchored.is_anchored() {
            true => StartKind::Anchored,
            false => StartKind::Unanchored,
        };
        let finder = AhoCorasick::builder().start_kind(start).build(words);
        Words {
            finder: finder.expect("a few thousand short words"),
            anchored,
            of_word,
            always,
            patterns: [const { OnceLock::new() }; MARKER_COUNT],
            sources,
        }
    }

    fn matching(&self, line: &str) -> u16 {
        let (mut found, mut doubtful) = (0, self.always);
        let input = Input::new(line).anchored(self.anchored);
        let mut at = OverlappingState::start();
        loop {
            self.finder.find_overlapping(input.clone(), &mut at);
            let Some(word) = at.get_match() else { break };
            let (marker, is_match) = self.of_word[word.pattern().as_usize()];
            match is_match {
                true => found |= marker,
                false => doubtful |= marker,
            }
        }
        doubtful &= !found;
        while doubtful != 0 {
            let marker = doubtful.trailing_zeros() as usize;
            doubtful &= doubtful - 1;
            found |= u16::from(self.pattern(marker).is_match(line)) << marker;
        }
        found
    }

    fn pattern(&self, marker: usize) -> &Regex {
        self.patterns[marker].get_or_init(|| {
            let source = written_out(self.sources[marker]);
            let pattern = match self.anchored.is_anchored() {
                true => Regex::new(&format!("^(?:{source})")),
                false => Regex::new(&source),
            };
            pattern.expect("the patterns are constant and tested")
        })
    }
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns {
    beginnings: Words::of(SOURCES.map(|(beginning, _)| beginning), Anchored::Yes),
    anywhere: Words::of(SOURCES.map(|(_, anywhere)| anywhere), Anchored::No),
});

/// Whether a line is little but numbers: digits and the signs between them, and perhaps one `k` or `m`.
fn is_count(line: &str) -> bool {
    let is_sign = |c: char| {
        c.is_whitespace()
            || c.is_ascii_digit()
            || matches!(
                c,
                '.' | ','
                    | ':'
                    | ';'
                    | '%'
                    | '+'
                    | '/'
                    | '('
                    | ')'
                    | '|'
                    | '#'
                    | '·'
                    | '•'
                    | '×'
                    | '–'
                    | '—'
                    | '-'
            )
    };
    let rest = line.trim_start_matches(|c| is_sign(c) || c == 'x');
    let rest = rest.strip_prefix(['k', 'm']).unwrap_or(rest);
    rest.chars().all(is_sign)
}

/// What the signs of [`SOURCES`] that are no regular expression stand for. Where a word ends no letter follows,
/// of whatever script, nor what is put on a letter: "prüfung" does not begin with "pr". Chinese and Japanese part no
/// words, so their letters may stand beside one. The classes take a character in place of looking for a boundary,
/// as Unicode's boundary keeps the engine from its fast way on all that is not ASCII.
const SIGNS: [(&str, &str); 3] = [
    // A word begins.
    ("<", r"(?:^|[\W\p{Han}\p{Hiragana}\p{Katakana}])"),
    // A word ends; nothing comes behind it in a pattern.
    (">", r"(?:$|[\W\p{Han}\p{Hiragana}\p{Katakana}])"),
    // Not within a sentence: the line begins, or a sign stands before.
    ("@", r"(?:^|[^\w\s]\s*)"),
];

/// A source as a regular expression.
fn written_out(source: &str) -> String {
    SIGNS
        .iter()
        .fold(source.to_owned(), |source, (sign, meaning)| {
            source.replace(sign, meaning)
        })
}

/// A source as a regular expression without what has to stand around its words.
fn bare(source: &str) -> String {
    source.replace(['<', '>', '@'], "")
}

/// In the order of [`Marker`], matched against a lower-cased head of the line: what a line begins
/// with, and what stands anywhere in it; with the signs of [`SIGNS`].
const SOURCES: [(&str, &str); MARKER_COUNT] = [
    // Share
    (
        r"(share|tweet|e?-?mail|print|pin( it)?|save|like|follow|copy link|copy url|bookmark|facebook|twitter|whatsapp|linkedin|reddit|telegram|分享|收藏|点赞|转发|打印|扫一扫|微信|微博|关注|シェア|ツイート|teilen|compartir|compartilh|partager|condividi|поделиться)",
        r"分享到|share (this|on|via)|follow us|扫描二维码|关注我们|微信公众号",
    ),
    // Related
    (
        r"(related|recommended|recommendations|more (from|stories|news|articles|on|in|about|posts|like)|read (more|next|also|this)|also (read|on|in|see)|see (also|more)|trending|(most )?popular|most (read|viewed|shared|recent|commented)|(latest|recent|breaking|top) (news|posts|stories|articles|comments|from|headlines|videos)|editor'?s'? (pick|choice)|up next|next (article|post|story|up)|prev(ious)? (article|post|story)|don'?t miss|customers|frequently bought|similar|you (may|might)|what to read|must read|further reading|keep reading|suggested|explore more|相关|推荐|延伸阅读|猜你喜欢|热门|热点|最新|更多|上一篇|下一篇|精彩|大家都在|関連|おすすめ|あわせて読みたい|人気|前の記事|次の記事|ランキング|mehr (zum|aus|von)|lesen sie|lire (aussi|la suite)|à lire|leer (más|también)|(le|te|os|les) puede|lea también|lee también|ver también|vea también|noticias? relacionad|más (noticias|leídas|sobre|información)|leia (também|mais)|veja (também|mais)|saiba mais|mais (lidas|sobre|notícias)|читайте|смотрите|похожие|еще по теме|zobacz|czytaj|dowiedz|przeczytaj|polecamy|leggi (anche|di più)|potrebbe|guarda anche|auch interessant|das könnte|weitere (artikel|meldungen|themen)|passend dazu|siehe auch|lees (ook|meer)|voir aussi|sur le même|à voir|articles? (liés|similaires)|les plus lus|ähnliche (artikel|beiträge|themen|meldungen)|verwandte (artikel|beiträge|themen)|weitere (beiträge|nachrichten)|mehr (artikel|beiträge)|gerelateerd|meer (nieuws|artikelen)|(artículos|entradas|artigos|posts) relacionad|articoli correlati|relaterade|relaterede|relaterte|läs (också|mer|även)|læs (også|mere)|les (også|mer)|lue myös|aiheeseen liittyv|powiązane|podobne (artykuły|wpisy)|související|podobné články|čtěte také|kapcsolódó|articole similare|citește și|ilgili (haberler|yazılar|konular)|benzer (haberler|yazılar)|(bài viết|tin) liên quan|xem thêm|đọc thêm|(artikel|berita) terkait|baca juga|σχετικά (άρθρα|νέα)|διαβάστε (επίσης|ακόμα)|схожі|пов.язані|свързани|вижте още|مقالات ذات صلة|أخبار ذات صلة|مواضيع ذات صلة|اقرأ أيضا|مطالب مرتبط|اخبار مرتبط|بیشتر بخوانید|מאמרים קשורים|כתבות נוספות|עוד בנושא|संबंधित (खबरें|लेख)|यह भी पढ़ें|관련 ?(기사|글|뉴스)|(ข่าว|บทความ|เรื่อง)(ที่)?(เกี่ยวข้อง|อื่น|แนะนำ|ล่าสุด)|อ่านเพิ่มเติม|(អត្ថបទ|ព័ត៌មាន)(ពាក់ព័ន្ធ|ទាក់ទង)|អានបន្ថែម|(\[|\()?(also|more|related|watch|listen|video|photos|gallery|see also)\s*:)",
        r"you (may|might) also like|customers (also|who)|相关阅读|相关新闻|相关文章|推荐阅读",
    ),
    // Comment
    (
        r"([0-9]+ )?(comments?|repl(y|ies)|responses?|kommentare?|commentaires?|comentarios?|coment[aá]rios?|commenti)>|([0-9]+ ?)?(评论|网友|跟帖|コメント|返信|回复)",
        r"(leave|post|write|add) (a|your) (reply|comment)|leave a reply|join the (discussion|conversation)|(log|sign)(ged)? in to (post|comment|reply)|email address will not be published|发表评论|条评论|我要评论|最新评论|コメントする|comments (are )?(closed|off)",
    ),
    // Wall
    (
        r"get (the latest|regular|our|breaking|daily|updates|more)|(log|sign) ?(in|up|out)|subscribe|register",
        r"cookie|consent|privacy (policy|notice)|terms (of|and|&)|by (continuing|clicking|signing|using)|ad ?blocker|enable javascript|your browser|newsletter|straight to your (inbox|phone)|we want to hear|submit a letter|write to (us|letters)|(download|get) (the|our) app|support our|become a member|already (a|have)|create an account|forgot (your )?password|free trial|inbox|boletín|suscr[ií]b|abonn(ez|ieren|ement)|inscreva|assine|подпи(ш|с)|zapisz się|iscriviti|aanmelden|关注公众号|扫码|下载app|客户端|登录|注册|隐私|用户协议|利用規約|プライバシー|ログイン|datenschutz|confidentialité|privacidad|iniciar sesión|connexion|jetzt anmelden",
    ),
    // Copyright
    (
        r"",
        r"©|\(c\) ?(19|20)[0-9][0-9]|copyright|all rights reserved|版权所有|版权归|备案|icp|不得转载|无断|無断転載|著作権|alle rechte|tous droits|todos los derechos|powered by|许可证",
    ),
    // Credit: forms of a notice, not the words it is about. A short sentence that speaks of a licence
    // (授权), a reprint (转载) or a credit card is content.
    (
        r"[(（\[【](编辑|责任|责编|完|記者)|(source|via|credit)s?\s*:|[【（※]?(免责|版权|特别|郑重|转载)声明(\s|$)|(photo(graph)?|image|picture|illustration)s? ?(by>|via>|courtesy|credits?>|source\s*[:/]|[:/])|((getty( images)?|shutterstock|afp|reuters|(the )?associated press)$)",
        r"责任编辑|责编|(编辑|来源|作者|记者|校对|审核|监制|编审|摄影|供稿|出品)\s*[:：丨|/]|原标题|本文来自|文章来源|违法和不良|(免责|版权|特别|郑重|转载)声明\s*[:：】）]|[转轉][载載](自|于|請|请|须|需|务必|时请|注明|本文|来源|出处|授权|\s*[:：])|(请勿|請勿|禁止|严禁|不得|谢绝|欢迎|如需|本文|授权)[转轉][载載]|未经.{0,8}(授权|[转轉][载載])|授权(发布|刊发|刊登|发表|声明)|如需授权|(原创|独家|本文|作者)首发|首发(于|自|平台|地址|链接|\s*[:：])|独家(稿件|授权|原创|专稿|供稿|出品)|(photo|image|picture|video)s? credits?( by)?\s*[:/]|@((featured?|main|cover|header|lead|hero|top|file|stock) )?(photo|image|picture|video)s?( by)?\s*:|<ap photo/|additional reporting by|@(reporting|editing|writing) by [^.]*$|[/|©]\s*(getty|shutterstock)|<(getty( images)?|shutterstock)\s*[/|)]|<via (getty|shutterstock)|<getty images (for|and|europe|via)|<(getty images|shutterstock(\.com)?)[)\]'”’]*$|@courtesy( of|\s*[:/])|(photo(graph)?|image|picture|video|logo|illustration|map|graphic|screenshot|footage)s? courtesy( of|\s*[:/])|/\s?afp>|<afp\s?/|<afp\s?\)$|<afp via|/\s?associated press|associated press\s?[/)]|contributed to this (report|story|article|post|piece)|この記事(を(書いた|シェア|読んだ|共有)|に関(する|連)|へ|の(著者|筆者|執筆|ライター|関連|タグ|カテゴリ))|@cr[ée]dits?( photos?)?\s*[:/]|@(fotos?\s*[:/]|(titel|beitrags)?bild\s*:|(bild|foto|text|daten)?quelle\s*:|fuente\s*:|fonte\s*:|źródło\s*:|источник\s*:|фото\s*[:/])|фото предоставлен",
    ),
    // Byline
    (
        r"(by|von|por|par|di|door|od|written by|posted by|published by|author|text|posted|published|updated|last (updated|modified|edited)|((medically|clinically|scientifically|technically|legally|expert) )?(reviewed|verified|translated|illustrated|photographed|narrated|compiled|curated) by|fact[- ]?checked by|created|modified|edited)>|(автор|文[:：/ ]|作者|撰文|记者|編集|著者|发布|发表|更新|投稿)",
        r"公開日|更新日|发布时间|发布于|min(ute)?s? read|阅读时间|浏览[:：次]|阅读[:：量]|点击[:：数]|人气[:：]|字体[:：]|字号",
    ),
    // Date
    (
        r"",
        r"(19|20)[0-9][0-9]\s?[-/.年]\s?[0-9]{1,2}\s?[-/.月]\s?[0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.](19|20)[0-9][0-9]|<(jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|january|february|march|april|june|july|august|september|october|november|december)\.? [0-9]{1,2}(st|nd|rd|th)?,? (19|20)[0-9][0-9]|[0-9]{1,2}(st|nd|rd|th|\.)? ?(of )?(jan|feb|mar|apr|may|jun|jul|aug|sep|okt|oct|nov|dec|dez|janv|févr|mars|avr|mai|juin|juil|août|enero|febrero|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)[a-zé]*\.?,? (de )?(19|20)[0-9][0-9]|<([0-9]+|an?) (sec(ond)?|min(ute)?|hour|hr|day|week|month|year|yr)s? ago|[0-9]+\s?(分钟|小时|天|秒|個月|个月|年)前|[0-9]+(分|時間|日)前|[0-9]{1,2}:[0-9][0-9]|vor [0-9]+ (stunden|minuten|tagen)|hace [0-9]+|il y a [0-9]+|yesterday|昨天",
    ),
    // More
    (
        r"(read|show|load|view|see|learn|find out|discover|explore|get|shop|buy|add|continue|click|start|try|book|contact|request|watch|download|back|go|close|skip|open|expand|hide|view all|see all|select|choose|sort|filter|compare|quick|sign|order|apply|join|mehr|weiter|ver|voir|en savoir|saiba)>|(查看|展开|点击|全文|收起|返回|立即|加入|下载|打开|もっと|続きを|詳しく|一覧)",
        r"",
    ),
    // Price
    (
        r"",
        r"[$€£¥￥₹]\s?[0-9]|[0-9]\s?(€|£|usd|eur|gbp|zł|kr|руб|元|円)|[0-9]+\s?% off|free (shipping|delivery|returns)|in stock|out of stock|sold out",
    ),
    // Count: see `is_count`
    (r"", r""),
    // Advert: the whole line is the label. Behind its word come signs, numbers and other words of such labels;
    // a line that says more is a sentence about adverts, or the name of a course.
    (
        r"(advertisements?|ads?|sponsored|promoted|anzeige|werbung|publicidad|publicidade|publicité|реклама|pr|promotion|paid (post|content)|(story|article) continues|continue reading below|scroll to continue)([^\p{L}\p{M}]+(ads?|adverts?|advertisements?|advertising|sponsored|promoted|paid|partner|content|posts?|links?|stor(y|ies)|articles?|features?|results?|listings?|messages?|choices?|feedback|google|by|from|continues?|reading|below|after|under|scroll|to|this|the|is|hidden|hide|close|skip|remove|report|loading|ends?|ende|weiter|weiterlesen|lesen|nach|der|unten|anzeigen?|werbung|publicidad|publicidade|publicité|pr))*[^\p{L}\p{M}]*$|(广告|廣告|広告|スポンサー)([^\p{L}\p{M}]|广告|廣告|広告|スポンサー|リンク|位|pr)*$",
        r"affiliate (link|commission)|may earn|earn a commission",
    ),
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::string::string_regex;
    use proptest::test_runner::TestRunner;

    use super::*;

    #[track_caller]
    fn check(line: &str, marker: Marker, expected: bool) {
        let mut lower = String::new();
        assert_eq!(
            Markers::of(line, &mut lower).has(marker),
            expected,
            "{line}"
        );
    }

    #[test]
    fn boilerplate_is_recognised_by_its_words() {
        check("Share this article", Marker::Share, true);
        check("相关阅读", Marker::Related, true);
        check("Related articles", Marker::Related, true);
        check("责任编辑：王某", Marker::Credit, true);
        check("3 hours ago", Marker::Date, true);
        check("12 Comments", Marker::Comment, true);
        check("We use cookies to improve", Marker::Wall, true);
        check("1 / 23", Marker::Count, true);
        check("$ 12.50", Marker::Price, true);
        check("2021年3月5日", Marker::Date, true);
        check("Advertisement", Marker::Advert, true);
    }

    #[test]
    fn a_notice_is_a_credit_and_a_sentence_about_its_subject_is_none() {
        for line in [
            "未经授权，不得转载。",
            "转载请注明出处",
            "本文转载自新华网",
            "版权声明：本文为博主原创文章",
            "本文首发于公众号",
            "独家稿件",
            "Photo by Ann Lee on Unsplash",
            "Image credit: NASA",
            "Photo courtesy of the museum",
            "Getty",
            "(AFP)",
            "この記事を書いた人",
            "Matt Lauer. Photo: Chance Yeh/Getty Images",
            "Kevin Winter / Getty Images for the fair",
            "Julian Assange (AFP)",
            "AP Photo/Ann Lee",
            "(Reporting by Will Dunham; Editing by Tom Brown)",
            "Featured image: Ann Lee",
            "Spieler. | Foto: Reuters",
            "Bildquelle: Archiv",
            "Courtesy of CBS",
        ] {
            check(line, Marker::Credit, true);
        }
        // These were taken for notices and dropped.
        for line in [
            "两家公司签订了专利授权协议。",
            "授权成功后会跳回原页面。",
            "这条微博被转载了上万次。",
            "他排在首发阵容里。",
            "法院认为免责声明无效。",
            "这是他们的独家秘方。",
            "この記事では、使い方を説明します。",
            "A $100 resort credit for each stay.",
            "Credit cards are accepted.",
            "The battle of Gettysburg took three days.",
            "He bowed out of courtesy.",
            "The camera stores images/videos on its card.",
            "Bring a recent photo: the office needs it.",
            "The Australian Federal Police (AFP) said it had no comment.",
            "Shutterstock was founded in 2003 by a programmer.",
            "Many people contributed to this success.",
            "As a courtesy of the house, coffee is free.",
            "They learn reporting by doing it.",
            "Passfoto: biometrisch, nicht älter als sechs Monate",
            "Źródło Wisły znajduje się na Baraniej Górze.",
        ] {
            check(line, Marker::Credit, false);
        }
    }

    #[test]
    fn a_word_ends_where_no_letter_of_any_script_follows() {
        for (line, marker) in [
            ("PR", Marker::Advert),
            ("Ad", Marker::Advert),
            ("By Ann Lee", Marker::Byline),
            ("by小编", Marker::Byline),
            ("Par Jean", Marker::Byline),
            ("Ver más", Marker::More),
            ("3 Kommentare", Marker::Comment),
            ("更新于May 5, 2021", Marker::Date),
        ] {
            check(line, marker, true);
        }
        for (line, marker) in [
            ("Prüfung", Marker::Advert),
            ("Préchauffer le four", Marker::Advert),
            ("Pr\u{308}o", Marker::Advert),
            ("Adéquat", Marker::Advert),
            ("Diät und Bewegung", Marker::Byline),
            ("Paré", Marker::Byline),
            ("Odörlos", Marker::Byline),
            ("Verändern", Marker::More),
            ("Backöfen", Marker::More),
            ("Gémar 12 2020", Marker::Date),
        ] {
            check(line, marker, false);
        }
    }

    #[test]
    fn the_label_of_an_advert_is_the_whole_line() {
        for line in [
            "Advertisement",
            "Advertisement – Continue Reading Below",
            "ADVERTISEMENT. Scroll to continue reading.",
            "Sponsored Links",
            "Sponsored by:",
            "Ads by Google",
            "Anzeige:",
            "- Anzeige -".trim_start_matches("- "),
            "Werbung 2",
            "Publicité",
            "Story continues below advertisement",
            "广告",
            "广告 3",
            "广告位",
            "スポンサーリンク",
        ] {
            check(line, Marker::Advert, true);
        }
        for line in [
            "Ads in the classroom changed how pupils read newspapers.",
            "Ad hoc reports",
            "PR work in small firms is done by the owner alone.",
            "Sponsored apprentices start in August.",
            "Anzeige gegen Unbekannt: Polizei sucht Zeugen",
            "Werbung für Tabak ist seit 1975 im Rundfunk verboten.",
            "Promotion zum Doktor der Philosophie",
            "广告设计与制作",
            "广告法的主要内容",
            "広告の歴史",
        ] {
            check(line, Marker::Advert, false);
        }
    }

    #[test]
    fn a_cached_line_has_the_markers_of_a_new_one() {
        let mut lower = String::new();
        for line in ["", "Share", "12", "plain words", "Share", ""] {
            let read = Markers::read(line, HEAD_CHARS, &mut lower);
            assert_eq!(Markers::of(line, &mut lower), read, "{line}");
        }
    }

    #[test]
    fn counts_are_digits_and_signs() {
        let pattern =
            Regex::new(r"^[\s0-9.,:;%+/()|#·•×x–—-]*[kKmM]?[\s0-9.,:;%+/()|#·•×–—-]*$").unwrap();
        for line in [
            "",
            "12",
            "1 / 23",
            "1.2k",
            "3 m",
            "10x",
            "x",
            "k12",
            "12kk",
            "4k x",
            "1x2m·",
            "no. 1",
            "１２",
            "1,000 – 2,000",
            "m",
            "12 km",
        ] {
            assert_eq!(is_count(line), pattern.is_match(line), "{line:?}");
        }
    }

    proptest! {
        /// Words decide as the patterns would.
        #[test]
        fn a_line_has_the_markers_whose_patterns_match(
            parts in prop::collection::vec(prop::sample::select(FRAGMENTS.to_vec()), 1..6)
        ) {
            let line = parts.concat();
            let mut expected = u16::from(is_count(&line)) << Marker::Count as u16;
            for (marker, (beginning, anywhere)) in SOURCES.iter().enumerate() {
                let matches = |pattern: &str| Regex::new(&written_out(pattern)).unwrap().is_match(&line);
                let begins = !beginning.is_empty() && matches(&format!("^(?:{beginning})"));
                let stands = !anywhere.is_empty() && matches(anywhere);
                expected |= u16::from(begins || stands) << marker;
            }
            prop_assert_eq!(PATTERNS.matching(&line), expected, "{:?}", line);
        }
    }

    /// Parts of patterns, whole and cut.
    const FRAGMENTS: [&str; 40] = [
        "share",
        "e-mail",
        "e",
        "mail",
        "follow",
        " ",
        " ",
        "12",
        "3",
        "comment",
        "comments",
        "s",
        "related",
        "read",
        " more",
        " next",
        "editor's",
        " pick",
        "log",
        " in",
        "cook",
        "cookie",
        "ies",
        "©",
        "(c) 2020",
        "责任",
        "编辑",
        "：",
        "by",
        "bye",
        "2021-03-",
        "05",
        "年",
        "march 5, 2021",
        "ago",
        "hours",
        "$",
        "sold out",
        "ad",
        "download the app",
    ];

    /// The words leave out no line that a pattern matches.
    #[test]
    fn a_line_that_a_pattern_makes_has_its_marker() {
        let mut runner = TestRunner::deterministic();
        for (marker, (beginning, anywhere)) in SOURCES.iter().enumerate() {
            for (pattern, before) in [(beginning, ""), (anywhere, ""), (anywhere, "so it was, ")] {
                if pattern.is_empty() {
                    continue;
                }
                // Generators know no word boundary and no end of a line.
                let pattern = bare(pattern).replace('$', "");
                let pattern = pattern.replace("[€£¥￥₹]", "[$€£¥￥₹]");
                // Letters newer than the engine's tables are none to it until they are lower-cased.
                let pattern = pattern.replace(r"[^\p{L}\p{M}]", "[ .:–0-9]");
                let lines = string_regex(&pattern).unwrap();
                for _ in 0..300 {
                    let line =
                        format!("{before}{}", lines.new_tree(&mut runner).unwrap().current());
                    let found = Markers::read(&line, line.chars().count(), &mut String::new());
                    assert!(found.0 & 1 << marker != 0, "{line:?} of {pattern}");
                }
            }
        }
    }

    #[test]
    fn a_sentence_has_no_marker() {
        let mut lower = String::new();
        let markers = Markers::of("The river rose again and took the bridge.", &mut lower);
        assert_eq!(markers, Markers::default());
    }
}

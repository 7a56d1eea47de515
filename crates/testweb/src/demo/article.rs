//! The demo's articles: data files with header lines, an empty line, and the text.

/// One article; its strings are borrowed from the data file.
#[derive(Debug, Clone)]
pub(super) struct Article {
    /// The data file's name without its extension, and the last part of its URL.
    pub slug: &'static str,
    pub title: &'static str,
    /// `2024-01-31`
    pub date: &'static str,
    pub author: &'static str,
    pub tags: Vec<&'static str>,
    pub blocks: Vec<Block>,
}

/// A heading or a paragraph.
#[derive(Debug, Clone)]
pub(super) enum Block {
    Heading(&'static str),
    /// Lines as in the file; a line break is a space in English and nothing in Chinese.
    Paragraph(&'static str),
}

macro_rules! files {
    ($($slug:literal),* $(,)?) => {
        &[$(($slug, include_str!(concat!("../../demo/", $slug, ".txt")))),*]
    };
}

/// The English database blog.
pub(super) const ENGLISH: &[(&str, &str)] = files![
    "btree-pages",
    "write-ahead-log",
    "mvcc-vacuum",
    "inverted-index",
    "bm25-ranking",
    "simhash-fingerprints",
    "minhash-shingles",
    "query-planner",
    "tokenizing-chinese",
    "polite-crawlers",
];

/// Two reports of the slow host.
pub(super) const SLOW: &[(&str, &str)] = files!["replication-lag", "restore-drill"];

/// The portal's own news.
pub(super) const NEWS: &[(&str, &str)] = files!["conference-report", "index-release"];

/// Kitchen.
pub(super) const RECIPES: &[(&str, &str)] =
    files!["tomato-soup", "sourdough", "lentil-stew", "apple-cake"];

/// Tea, in English and in Chinese.
pub(super) const TEA: &[(&str, &str)] = files!["oolong-roast", "water-temperature", "zh-yancha"];

/// The Chinese database blog.
pub(super) const SIMPLIFIED: &[(&str, &str)] = files![
    "zh-daopai-suoyin",
    "zh-bplus-shu",
    "zh-yuxie-rizhi",
    "zh-fenci",
    "zh-jinsi-chongfu",
    "zh-paixu",
    "zh-youhuaqi",
];

/// The old site in GBK.
pub(super) const GBK: &[(&str, &str)] = files!["zh-limao", "zh-gbk-bianma", "zh-geli-jibie"];

/// The site in traditional characters.
pub(super) const TRADITIONAL: &[(&str, &str)] = files!["zht-beifen", "zht-suoyin", "zht-longjing"];

/// Reads a set of data files.
pub(super) fn read(files: &[(&'static str, &'static str)]) -> Vec<Article> {
    files.iter().map(|(slug, text)| parse(slug, text)).collect()
}

fn parse(slug: &'static str, text: &'static str) -> Article {
    let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
    let field = |name: &str| {
        let lines = head.lines().filter_map(|line| line.split_once(':'));
        let mut found = lines
            .filter(|(key, _)| *key == name)
            .map(|(_, value)| value.trim());
        found.next().unwrap_or_default()
    };
    let blocks = body
        .split("\n\n")
        .map(str::trim)
        .filter(|text| !text.is_empty());
    Article {
        slug,
        title: field("title"),
        date: field("date"),
        author: field("author"),
        tags: field("tags")
            .split(',')
            .map(str::trim)
            .filter(|t| !t.is_empty())
            .collect(),
        blocks: blocks
            .map(|text| match text.strip_prefix("## ") {
                Some(heading) => Block::Heading(heading),
                None => Block::Paragraph(text),
            })
            .collect(),
    }
}

impl Article {
    /// The first sentence, for lists and descriptions.
    pub(super) fn teaser(&self) -> &'static str {
        let paragraph = self.blocks.iter().find_map(|block| match block {
            Block::Paragraph(text) => Some(*text),
            Block::Heading(_) => None,
        });
        let text = paragraph.unwrap_or_default();
        let end = text
            .char_indices()
            .find(|(at, c)| *c == '。' || (*c == '.' && text[at + 1..].starts_with(' ')))
            .map_or(text.len(), |(at, c)| at + c.len_utf8());
        &text[..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_article_has_its_header_and_three_paragraphs() {
        let all = [
            ENGLISH,
            SLOW,
            NEWS,
            RECIPES,
            TEA,
            SIMPLIFIED,
            GBK,
            TRADITIONAL,
        ];
        for article in all.iter().flat_map(|files| read(files)) {
            let slug = article.slug;
            assert!(!article.title.is_empty(), "{slug}");
            assert_eq!(article.date.len(), 10, "{slug}");
            assert!(
                !article.author.is_empty() && !article.tags.is_empty(),
                "{slug}"
            );
            assert!(article.blocks.len() >= 3, "{slug}");
            assert!(article.teaser().len() > 12, "{slug}");
        }
    }
}

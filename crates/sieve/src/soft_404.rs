//! Pages that say "not found" with status 200.
//!
//! A page is a soft 404 when it is short and its title or its whole text is the usual wording of
//! an error page. Long pages are never taken for one: an article about HTTP 404 is an article.

/// Pages with more words are not looked at: error pages are short.
const WORDS_MAX: u32 = 120;

/// Longest text, in characters, that counts as an error message alone.
const MESSAGE_CHARS_MAX: usize = 160;

/// Wordings of a title that is an error message, lower case.
const TITLES: &[&str] = &[
    "404",
    "not found",
    "page not found",
    "file not found",
    "error 404",
    "404 error",
    "404 not found",
    "404 - not found",
    "page cannot be found",
    "page can't be found",
    "page does not exist",
    "oops",
    "页面不存在",
    "页面未找到",
    "找不到页面",
    "找不到网页",
    "未找到页面",
    "頁面不存在",
    "找不到頁面",
    "找不到網頁",
    "ページが見つかりません",
    "페이지를 찾을 수 없습니다",
];

/// Wordings that make a short text an error message, lower case.
const PHRASES: &[&str] = &[
    "page not found",
    "page you requested could not be found",
    "page you are looking for",
    "page cannot be found",
    "page could not be found",
    "requested url was not found",
    "does not exist or has been",
    "no longer available",
    "404 not found",
    "error 404",
    "页面不存在",
    "页面未找到",
    "找不到页面",
    "找不到该页",
    "找不到网页",
    "您访问的页面",
    "内容已删除",
    "文章不存在",
    "該頁面不存在",
    "頁面不存在",
    "找不到頁面",
    "找不到您",
    "ページが見つかりません",
    "お探しのページ",
];

/// Tells whether a page of `words` words reads like an error page.
pub fn is_soft_404(title: &str, text: &str, words: u32) -> bool {
    if words > WORDS_MAX {
        return false;
    }
    let title = title.trim().to_lowercase();
    // A title may carry the site's name: "Not Found | Example".
    let head = title
        .split(['|', '_', '·', '–', '—'])
        .next()
        .unwrap_or("")
        .trim();
    let head = head.trim_end_matches(['!', '.', '。', '！', '…']);
    if TITLES.contains(&head) {
        return true;
    }
    if text.chars().take(MESSAGE_CHARS_MAX + 1).count() > MESSAGE_CHARS_MAX {
        return false;
    }
    let text = text.to_lowercase();
    PHRASES.iter().any(|phrase| text.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::is_soft_404;

    #[test]
    fn usual_error_pages_are_known_in_several_languages() {
        assert!(is_soft_404("404 Not Found", "nginx", 1));
        assert!(is_soft_404(
            "Page not found | Example",
            "Try the search.",
            3
        ));
        assert!(is_soft_404("示例网站", "抱歉，您访问的页面不存在。", 8));
        assert!(is_soft_404(
            "お知らせ",
            "お探しのページは見つかりませんでした。",
            12
        ));
    }

    #[test]
    fn an_article_about_404_is_an_article() {
        assert!(!is_soft_404(
            "How 404 pages work",
            &"A page not found is a message. ".repeat(40),
            240
        ));
        assert!(!is_soft_404(
            "Lost and found",
            "A poem about things that were lost.",
            7
        ));
    }
}

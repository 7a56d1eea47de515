//! Tables for terminals, lined up by the width that characters have on screen.
//!
//! A Chinese character is two columns wide, a combining accent none. Padding by `char` count, as
//! `format!` does, would tear every table with a Chinese title in it.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Where the text of a column stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// Rows of cells under a line of headings.
#[derive(Debug, Clone)]
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
    spare: Vec<String>,
}

/// A column is never made narrower than this to fit the screen.
const NARROWEST: usize = 8;

/// Rather than make a text column narrower than this, a spare column is left out.
const READABLE: usize = 24;

/// Columns on screen that a text takes. Control characters count as none.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The text without control characters and line breaks, no wider than `columns`; what is cut off
/// is replaced by `…`.
pub fn fit(text: &str, columns: usize) -> String {
    let clean = crate::words::flat(text).into_owned();
    if width(&clean) <= columns {
        return clean;
    }
    let mut end = 0;
    let mut used = 0;
    for (at, c) in clean.char_indices() {
        let wide = c.width().unwrap_or(0);
        if used + wide + 1 > columns {
            break;
        }
        end = at + c.len_utf8();
        used += wide;
    }
    let mut out = clean[..outside_escape(&clean, end)].to_owned();
    if columns > 0 {
        out.push('…');
    }
    out
}

/// The end of `text[..end]`, or where an escape begins that `end` would cut: half of `%E6` says
/// nothing.
fn outside_escape(text: &str, end: usize) -> usize {
    let is_hex = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_hexdigit);
    let starts = [end.wrapping_sub(1), end.wrapping_sub(2)];
    let cut = starts.into_iter().find(|&start| {
        text.as_bytes().get(start) == Some(&b'%') && is_hex(start + 1) && is_hex(start + 2)
    });
    cut.unwrap_or(end)
}

/// As [`fit`], but a URL is cut in its middle: what tells it from others stands at its end.
pub fn fit_url(text: &str, columns: usize) -> String {
    if !text.contains("://") || width(text) <= columns || columns < NARROWEST {
        return fit(text, columns);
    }
    let head = fit(text, columns / 2 + 1);
    let room = columns - width(&head);
    let mut used = 0;
    let mut start = text.len();
    for (at, c) in text.char_indices().rev() {
        used += c.width().unwrap_or(0);
        if used > room {
            break;
        }
        start = at;
    }
    // Not within an escape: where one would be cut, its beginning is left out as well.
    let begun = outside_escape(text, start);
    let start = if begun < start { begun + 3 } else { start };
    fit(&format!("{head}{}", &text[start..]), columns)
}

/// The text in lines of at most `columns`, broken at spaces; further lines are indented as the
/// first. A word that is wider than a line is cut.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let indent = text.len() - text.trim_start_matches(' ').len();
    let indent = &text[..indent];
    let mut lines = Vec::new();
    let mut line = indent.to_owned();
    for word in text.split_whitespace() {
        let begun = line.len() > indent.len();
        if begun && width(&line) + 1 + width(word) > columns {
            lines.push(std::mem::replace(&mut line, indent.to_owned()));
        } else if begun {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
        .iter()
        .map(|line| fit(line, columns).trim_end().to_owned())
        .collect()
}

/// The text with spaces up to a width.
pub fn pad(text: &str, columns: usize, align: Align) -> String {
    let spaces = " ".repeat(columns.saturating_sub(width(text)));
    match align {
        Align::Left => format!("{text}{spaces}"),
        Align::Right => format!("{spaces}{text}"),
    }
}

impl Table {
    /// A table with these columns.
    pub fn new(columns: &[(&str, Align)]) -> Table {
        let columns = columns
            .iter()
            .map(|(name, align)| ((*name).to_owned(), *align));
        Table {
            columns: columns.collect(),
            rows: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Names the columns that are left out, the first one first, where the screen is too narrow.
    pub fn spare(mut self, names: &[&str]) -> Table {
        self.spare = names.iter().map(|name| (*name).to_owned()).collect();
        self
    }

    /// The table with each heading and each cell put into other words.
    pub fn with_texts(mut self, word: impl Fn(&str) -> String) -> Table {
        for (name, _) in &mut self.columns {
            *name = word(name);
        }
        self.spare
            .iter_mut()
            .chain(self.rows.iter_mut().flatten())
            .for_each(|text| {
                *text = word(text);
            });
        self
    }

    /// Adds a row; missing cells are empty, further ones are left out.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let mut row: Vec<String> = cells.into_iter().take(self.columns.len()).collect();
        row.resize(self.columns.len(), String::new());
        self.rows.push(row);
    }

    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The lines of the table, headings first, none wider than `columns` where that can be had
    /// by shortening its text columns and leaving out the spare ones.
    pub fn lines(&self, columns: usize) -> Vec<String> {
        let (shown, widths) = self.layout(columns);
        let head = self.columns.iter().map(|(name, _)| name.clone()).collect();
        std::iter::once(&head)
            .chain(&self.rows)
            .map(|cells| {
                let padded = shown
                    .iter()
                    .zip(&widths)
                    .map(|(&at, &wide)| pad(&fit_url(&cells[at], wide), wide, self.columns[at].1));
                padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
            })
            .collect()
    }

    /// Which columns are shown, and their widths: what they need, less what the widest text
    /// columns must give up.
    fn layout(&self, columns: usize) -> (Vec<usize>, Vec<usize>) {
        let mut needs: Vec<usize> = self.columns.iter().map(|(name, _)| width(name)).collect();
        for row in &self.rows {
            for (cell, wide) in row.iter().zip(&mut needs) {
                *wide = (*wide).max(width(cell));
            }
        }
        let mut shown: Vec<usize> = (0..needs.len()).collect();
        let is_text = |at: usize| self.columns[at].1 == Align::Left;
        let gaps = |shown: &[usize]| 2 * shown.len().saturating_sub(1);
        for name in &self.spare {
            let least = |&at: &usize| {
                if is_text(at) {
                    needs[at].min(READABLE)
                } else {
                    needs[at]
                }
            };
            if shown.iter().map(least).sum::<usize>() + gaps(&shown) <= columns {
                break;
            }
            shown.retain(|&at| self.columns[at].0 != *name);
        }
        let mut widths: Vec<usize> = shown.iter().map(|&at| needs[at]).collect();
        let mut over = (widths.iter().sum::<usize>() + gaps(&shown)).saturating_sub(columns);
        while over > 0 {
            let texts = (0..shown.len()).filter(|&at| is_text(shown[at]));
            let Some(widest) = texts.max_by_key(|&at| widths[at]) else {
                break;
            };
            if widths[widest] <= NARROWEST {
                break;
            }
            widths[widest] -= 1;
            over -= 1;
        }
        (shown, widths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_line_up() {
        let mut table = Table::new(&[("title", Align::Left), ("pages", Align::Right)]);
        table.row(["倒排索引".into(), "12".into()]);
        table.row(["B-tree".into(), "3".into()]);
        table.row(["cafe\u{301} 数据".into(), "1,204".into()]);
        let lines = table.lines(80);
        let ends: Vec<usize> = lines.iter().map(|line| width(line)).collect();
        assert!(ends.iter().all(|end| *end == ends[0]), "{lines:#?}");
    }

    #[test]
    fn a_narrow_screen_shortens_text_and_never_numbers() {
        let mut table = Table::new(&[("url", Align::Left), ("n", Align::Right)]);
        table.row([
            "http://数据库.example/索引/一二三四五六七八".into(),
            "123,456".into(),
        ]);
        let lines = table.lines(30);
        assert!(lines.iter().all(|line| width(line) <= 30), "{lines:#?}");
        assert!(
            lines[1].ends_with("123,456") && lines[1].contains('…'),
            "{lines:#?}"
        );
        assert!(table.lines(0)[1].ends_with("123,456"));
        let spared = table.clone().spare(&["url"]);
        assert_eq!(spared.lines(8), ["      n", "123,456"]);
    }

    #[test]
    fn a_long_url_keeps_its_end() {
        assert_eq!(
            fit_url("http://a.example/one/two/three.html", 24),
            "http://a.exa…/three.html"
        );
        assert_eq!(fit_url("http://a.example/", 24), "http://a.example/");
        for columns in 0..30 {
            let cut = fit_url("http://数据库.example/索引/一二三四五六七八", columns);
            assert!(width(&cut) <= columns, "{columns}: {cut}");
        }
    }

    #[test]
    fn an_escape_is_never_cut_in_its_middle() {
        let url = "http://a.example/%E6%95%B0%E6%8D%AE%E5%BA%93/%E7%B4%A2%E5%BC%95";
        for columns in 8..url.len() {
            let cut = fit_url(url, columns);
            assert!(width(&cut) <= columns, "{columns}: {cut}");
            for part in cut.split('…').chain(fit(url, columns).split('…')) {
                let escapes = part
                    .trim_start_matches("http://a.example")
                    .split('%')
                    .skip(1);
                let whole = escapes
                    .filter(|e| e.len() >= 2 && e.is_char_boundary(2))
                    .count();
                assert_eq!(whole, part.matches('%').count(), "{columns}: {cut}");
                let rest = part.trim_start_matches(|c: char| c.is_ascii_hexdigit());
                let begins_inside = part.len() - rest.len() > 0 && !part.starts_with("http");
                assert!(!begins_inside, "{columns}: {cut}");
            }
        }
    }

    #[test]
    fn sentences_are_broken_at_spaces_and_keep_their_indent() {
        assert_eq!(wrap("  one two three", 9), ["  one two", "  three"]);
        assert_eq!(wrap("数据库 与 索引", 9), ["数据库 与", "索引"]);
        assert_eq!(wrap("", 9), [""]);
        assert_eq!(wrap("http://a.example/long", 9), ["http://a…"]);
    }

    #[test]
    fn a_cut_text_is_as_wide_as_asked_or_one_less() {
        for columns in 0..12 {
            let wide = width(&fit("数据库与索引", columns));
            assert!(
                wide <= columns && wide + 2 > columns.min(12),
                "{columns}: {wide}"
            );
        }
        assert_eq!(fit("a\nb\u{1b}[31m", 20), "a b [31m");
    }
}

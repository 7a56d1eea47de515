//! Changed or not, over made-up edits whose label is known: beside the rules of others.
//!
//! Texts are made of sentences of an English and a Chinese vocabulary, with a line of date and counter.
//! Half of the edits leave the meaning alone (another date, another counter, a corrected word, lines in
//! another order, other spaces), half change it (a sentence more, less or other, a paragraph more, another
//! text). The labels are those of the edits, so this shows that the rule does what it says, not that it is
//! right on the web.

use again::compare;
use again::random::Random;
use outcome::Change;

const PAIRS: usize = 1_000;

const ENGLISH: &[&str] = &[
    "river", "stone", "lantern", "harbour", "meadow", "copper", "violin", "thunder", "garden",
    "window", "marble", "feather", "winter", "bridge", "pepper", "saddle", "canvas", "orchard",
    "mirror", "candle", "forest", "anchor",
];
const CHINESE: &[&str] = &[
    "数据",
    "索引",
    "查询",
    "优化",
    "事务",
    "日志",
    "备份",
    "恢复",
    "集群",
    "缓存",
    "磁盘",
    "内存",
    "网络",
    "协议",
    "表空间",
    "锁",
];

/// A text in lines: a title, a line of date and counter, paragraphs.
fn text(random: &mut Random, is_chinese: bool) -> Vec<String> {
    let mut lines = vec![sentence(random, is_chinese), dated(random, is_chinese)];
    for _ in 0..3 + random.below(8) {
        let sentences: Vec<String> = (0..1 + random.below(5))
            .map(|_| sentence(random, is_chinese))
            .collect();
        lines.push(sentences.join(" "));
    }
    lines
}

fn sentence(random: &mut Random, is_chinese: bool) -> String {
    let (vocabulary, between, end) = if is_chinese {
        (CHINESE, "", "。")
    } else {
        (ENGLISH, " ", ".")
    };
    let words: Vec<&str> = (0..7 + random.below(9))
        .map(|_| vocabulary[random.below(vocabulary.len())])
        .collect();
    format!("{}{end}", words.join(between))
}

fn dated(random: &mut Random, is_chinese: bool) -> String {
    let (year, month, day) = (
        2000 + random.below(27),
        1 + random.below(12),
        1 + random.below(28),
    );
    let reads = random.below(90_000);
    match (is_chinese, random.below(2)) {
        (true, 0) => format!("{year}年{month}月{day}日 阅读 {reads} 次"),
        (true, _) => format!("更新于 {day} 天前，{reads} 人浏览"),
        (false, 0) => format!("{year}-{month:02}-{day:02}, {reads} views"),
        (false, _) => format!("Updated {day} days ago, {reads} comments"),
    }
}

/// An edit that leaves the meaning alone.
fn touch(lines: &mut [String], random: &mut Random, is_chinese: bool) {
    match random.below(5) {
        0 | 1 => {
            // The same form, other numbers.
            let digits = |c: char| {
                if c.is_ascii_digit() {
                    char::from(b'0' + random.below(10) as u8)
                } else {
                    c
                }
            };
            lines[1] = lines[1].chars().map(digits).collect();
        }
        2 => {
            let (from, to) = if is_chinese {
                ("索引", "锁引")
            } else {
                ("river", "rivers")
            };
            let at = 2 + random.below(lines.len() - 2);
            lines[at] = lines[at].replacen(from, to, 1);
        }
        3 => {
            let last = lines.len() - 1;
            lines.swap(2, last);
        }
        _ => lines[2] = lines[2].replace(' ', "  ").replace('.', " ."),
    }
}

/// An edit that changes what a text says.
fn change(lines: &mut Vec<String>, random: &mut Random, is_chinese: bool) {
    let at = 2 + random.below(lines.len() - 2);
    match random.below(5) {
        0 => lines[at] = format!("{} {}", lines[at], sentence(random, is_chinese)),
        1 => lines[at] = sentence(random, is_chinese),
        2 => lines.insert(at, sentence(random, is_chinese)),
        3 => drop(lines.remove(at)),
        _ => *lines = text(random, is_chinese),
    }
}

#[derive(Default)]
struct Score {
    right: usize,
    told: usize,
}

impl Score {
    fn see(&mut self, told: bool, is_change: bool) {
        self.told += usize::from(told);
        self.right += usize::from(told && is_change);
    }

    fn show(&self, name: &str, changes: usize) -> (f64, f64) {
        let precision = self.right as f64 / self.told.max(1) as f64;
        let recall = self.right as f64 / changes as f64;
        println!("{name:<28} precision {precision:.3}, recall {recall:.3}");
        (precision, recall)
    }
}

#[test]
fn changes_are_told_from_touches() {
    let mut random = Random::new(11);
    let (mut own, mut hash) = (Score::default(), Score::default());
    let mut changes = 0;
    for pair in 0..PAIRS {
        let is_chinese = pair % 2 == 0;
        let is_change = pair % 4 < 2;
        let before = text(&mut random, is_chinese);
        let mut after = before.clone();
        match is_change {
            true => change(&mut after, &mut random, is_chinese),
            false => touch(&mut after, &mut random, is_chinese),
        }
        let (before, after) = (before.join("\n"), after.join("\n"));
        changes += usize::from(is_change);
        let compared = compare(&before, &after);
        own.see(compared.change == Change::Changed, is_change);
        hash.see(before != after, is_change);
    }
    let (precision, recall) = own.show("phrase rule", changes);
    hash.show("hash of the main text", changes);
    assert!(precision >= 0.98 && recall >= 0.98, "{precision} {recall}");
}

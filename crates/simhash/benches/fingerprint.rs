//! Text to print: words, fingerprint and sketch, in MB of text a second, Latin and Chinese apart.
//!
//! `cargo bench -p simhash --bench fingerprint`. The texts are invented sentences with the word
//! lengths and the repetition of prose.

use divan::counter::BytesCount;
use segment::{Segmenter, Words};
use simhash::hash::mix;

fn main() {
    check();
    divan::main();
}

/// A bench asserts its own answer before it times it.
fn check() {
    for text in [latin(), chinese()] {
        let words = Segmenter::shared().words(&text);
        let print = simhash::print(&words);
        assert!(words.len() > 1_000 && print.word_count as usize == words.len());
        assert!(print.fingerprint.0.count_ones() > 8);
    }
}

fn latin() -> String {
    let words = [
        "the",
        "of",
        "page",
        "crawler",
        "and",
        "fingerprint",
        "near",
        "duplicate",
        "in",
        "a",
        "search",
        "engine",
        "table",
        "index",
        "distance",
        "is",
        "to",
        "content",
        "template",
        "archive",
        "2026",
    ];
    sentence(&words, " ", ". ", 12_000)
}

fn chinese() -> String {
    let words = [
        "网页",
        "的",
        "搜索引擎",
        "去重",
        "指纹",
        "和",
        "距离",
        "我们",
        "在",
        "算法",
        "内容",
        "模板",
        "是",
        "索引",
        "抓取",
        "一个",
        "数据",
        "了",
        "系统",
        "2026",
    ];
    sentence(&words, "", "。", 12_000)
}

fn sentence(words: &[&str], space: &str, stop: &str, count: u64) -> String {
    let mut text = String::new();
    for at in 0..count {
        let pick = mix(at) % (words.len() * words.len()) as u64;
        // The square favours the first words, as prose does.
        let pick = (pick as f64).sqrt() as usize;
        text.push_str(words[words.len() - 1 - pick.min(words.len() - 1)]);
        text.push_str(if at % 15 == 14 { stop } else { space });
    }
    text
}

fn bench<'a>(bencher: divan::Bencher<'a, '_>, text: String, run: impl Fn(&Words) + Sync + 'a) {
    let words = Segmenter::shared().words(&text);
    bencher
        .counter(BytesCount::of_str(text.as_str()))
        .bench_local(move || run(&words));
}

#[divan::bench(args = ["latin", "chinese"])]
fn segment_words(bencher: divan::Bencher<'_, '_>, language: &str) {
    let text = if language == "latin" {
        latin()
    } else {
        chinese()
    };
    bencher
        .counter(BytesCount::of_str(text.as_str()))
        .bench_local(|| Segmenter::shared().words(divan::black_box(&text)));
}

#[divan::bench(args = ["latin", "chinese"])]
fn fingerprint_of_words(bencher: divan::Bencher<'_, '_>, language: &str) {
    let text = if language == "latin" {
        latin()
    } else {
        chinese()
    };
    bench(bencher, text, |words| {
        divan::black_box(simhash::Fingerprint::of(divan::black_box(words.hashes())));
    });
}

#[divan::bench(args = ["latin", "chinese"])]
fn print_of_words(bencher: divan::Bencher<'_, '_>, language: &str) {
    let text = if language == "latin" {
        latin()
    } else {
        chinese()
    };
    bench(bencher, text, |words| {
        divan::black_box(simhash::print(divan::black_box(words)));
    });
}

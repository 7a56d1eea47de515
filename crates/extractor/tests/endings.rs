//! An article ends with what it ends with: a listing, a formula or a figure behind the last long
//! paragraph is content, the part of the page that follows is not.

use extractor::{Block, Page, PageContext, extract};
use url::Url;

const PROSE: [&str; 4] = [
    "The old loader read every record twice, once to count them and once to store them, and nobody had \
     noticed, since the files of the first years were small enough to stay in the cache.",
    "When the files grew the second pass began to cost minutes, so we looked for a way to count while \
     storing, and found that the table can be told its size afterwards.",
    "It is worth measuring before and after, on a quiet machine, with files that are larger than the \
     memory, because the cache hides everything that a small file could show.",
    "With the change the loader reads each record once. All that is left to do is to call it with the \
     path of the file, and to print how many records it has stored.",
];

/// What stands around an article on sites of several kinds.
const AROUND: [(&str, &str); 5] = [
    ("<main><article class=post>", "</article></main>"),
    ("<div id=wrap><div class=left>", "</div></div>"),
    ("<div id=content><div class=entry>", "</div></div>"),
    (
        "<table><tr><td><a href=/menu>Menu</a></td><td>",
        "</td></tr></table>",
    ),
    ("", ""),
];

/// What follows an article.
const AFTER: [&str; 3] = [
    "<div class=nav><a href=/older>Older: Sorting in place</a> <a href=/newer>Newer: Hashing</a></div>\
     <div id=comments><h3>2 comments</h3><div class=comment><p>Nice one, thanks.</p>\
     <pre>print(42)</pre></div></div>",
    "<h3>Related posts</h3><ul><li><a href=/1>Sorting in place</a><li><a href=/2>Hashing</a></ul>",
    "",
];

/// A page whose article ends with this markup.
fn article(around: (&str, &str), ending: &str, after: &str) -> String {
    let prose: String = PROSE
        .iter()
        .map(|text| format!("<p>{text}</p>\n"))
        .collect();
    let (begin, end) = around;
    format!(
        "<html><head><title>Reading once | Loader notes</title></head><body><div id=top>\
         <a href=/>Loader notes</a> <a href=/archive>Archive</a> <a href=/about>About</a></div>\
         {begin}<h1>Reading once</h1>\n{prose}{ending}{end}{after}\
         <div id=foot><p>Copyright 2021 Loader notes.</p></div></body></html>"
    )
}

/// The page of a blog.
fn blog(ending: &str) -> String {
    article(AROUND[0], ending, AFTER[0])
}

fn read(html: &str) -> Page {
    let url = Url::parse("https://loader.example/2021/reading-once").expect("a URL");
    extract(html, &PageContext::new(&url))
}

const CODE: &str = "n = load('a.db')\nprint(n)";

#[test]
fn a_short_listing_ends_an_article() {
    let listings = [
        format!("<pre><code class=language-python>{CODE}\n</code></pre>"),
        format!("<pre>{CODE}</pre>"),
        format!("<div class=highlight><pre><span></span>{CODE}</pre></div>"),
        format!("<div class=highlight-source-python><div><pre><code>{CODE}</code></pre></div></div>"),
        format!("<h2>The call</h2><p>So we write:</p><pre>{CODE}</pre>"),
        format!("<h3>Result</h3><pre><code>{CODE}</code></pre>"),
        format!("<p>运行：</p><pre>{CODE}</pre>"),
        "<figure class=\"highlight python\"><table><tr><td class=gutter><pre><span>1</span>\n<span>2</span>\n\
         </pre></td><td class=code><pre>n = load('a.db')\nprint(n)\n</pre></td></tr></table></figure>"
            .to_owned(),
    ];
    for listing in &listings {
        for around in AROUND {
            for after in AFTER {
                check_listing(&article(around, listing, after));
            }
        }
    }
}

#[track_caller]
fn check_listing(html: &str) {
    let page = read(html);
    let codes = page.blocks.iter().filter_map(|block| match block {
        Block::Code { text, .. } => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(codes.collect::<Vec<_>>(), [CODE], "{html}");
    for other in ["Older", "Nice one", "Hashing", "Copyright", "Archive"] {
        assert!(!page.text.contains(other), "{other} of {html}");
    }
    let leads = html.contains("So we write");
    assert!(!leads || page.text.contains("So we write:"), "{html}");
}

/// Short blocks that an article may end with, and what of them has to be in its text.
const BLOCKS: [(&str, &[&str]); 8] = [
    (
        "<h2>What you need</h2><ul><li>200 g of oak</li><li>3 g of salt</li></ul>",
        &["200 g of oak", "3 g of salt"],
    ),
    (
        "<ol><li>Open the lid</li><li>Save the file</li><li>Wait</li></ol>",
        &["Open the lid", "Save the file", "Wait"],
    ),
    ("<ul><li>oak<li>elm<li>birch</ul>", &["oak", "elm", "birch"]),
    (
        "<dl><dt>Weight<dd>1.2 kg<dt>Height<dd>30 cm</dl>",
        &["1.2 kg", "30 cm"],
    ),
    (
        "<table><tr><th>Wood<th>Cloth<tr><td>iron 82<td>elm 86</table>",
        &["iron 82", "elm 86"],
    ),
    (
        "<blockquote><p>All bread is salt, she said in 1871.</p></blockquote>",
        &["All bread is salt"],
    ),
    (
        "<h2>Notes</h2><ol><li>Register of the toll house, folio 12, 1801.<li>Register of the toll house, folio 14, 1802.</ol>",
        &["folio 12", "folio 14"],
    ),
    (
        "<h2>材料</h2><ul><li>面粉二百克<li>鸡蛋三个</ul>",
        &["面粉二百克", "鸡蛋三个"],
    ),
];

#[test]
fn a_short_list_table_or_quotation_ends_an_article() {
    for (block, texts) in BLOCKS {
        for around in &AROUND[..4] {
            for after in AFTER {
                let page = read(&article(*around, block, after));
                for text in texts {
                    assert!(
                        page.text.contains(text),
                        "{text} of {around:?} {block} {after}"
                    );
                }
                for other in ["Older", "Nice one", "Hashing", "Copyright", "Archive"] {
                    assert!(
                        !page.text.contains(other),
                        "{other} of {around:?} {block} {after}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_table_is_kept_with_all_its_cells() {
    for rows in 1..6 {
        let cells: String = (0..rows)
            .map(|row| format!("<tr><td>salt {row}<td>{row}.50<td>left {row}"))
            .collect();
        let page = read(&blog(&format!("<table><tr><th>A<th>B<th>C{cells}</table>")));
        let table = page.blocks.iter().find_map(|block| match block {
            Block::Table { rows, .. } => Some(rows),
            _ => None,
        });
        let table = table.expect("a table");
        assert_eq!(table.len(), rows + 1);
        assert!(
            table.iter().flatten().all(|cell| !cell.is_empty()),
            "{table:?}"
        );
    }
}

#[test]
fn what_is_no_text_does_not_end_an_article() {
    for other in [
        "<h3>Related posts</h3><ul><li>Sorting in place<li>Sorting twice</ul>",
        "<ul class=tags><li>Sorting<li>Files</ul>",
        "<ul class=share><li>Sorting mail<li>Sorting chat</ul>",
        "<div class=author-box><ul><li>Ann Sorting<li>Writes on files</ul></div>",
        "<ul><li><a href=/a>Sorting in place</a><li><a href=/b>Sorting twice</a></ul>",
        "<ul><li>责任编辑：李四 Sorting<li>来源：Sorting</ul>",
        "<nav><ul><li>Sorting<li>Hashing</ul></nav>",
    ] {
        let page = read(&blog(other));
        assert!(!page.text.contains("Sorting"), "{other}: {}", page.text);
    }
}

#[test]
fn a_displayed_formula_ends_an_article() {
    for formula in [
        "<div class=math><math display=block><mi>n</mi><mo>=</mo><mn>2</mn></math></div>",
        "<p><script type=\"math/tex; mode=display\">n = 2</script></p>",
        "<div class=katex-display><span class=katex><span class=katex-mathml><math><semantics><mi>n</mi>\
         <annotation encoding=\"application/x-tex\">n = 2</annotation></semantics></math></span></span></div>",
    ] {
        for around in AROUND {
            let page = read(&article(around, formula, AFTER[1]));
            let found = page.blocks.iter().any(|block| match block {
                Block::Formula { tex } => tex.replace(' ', "") == "n=2",
                _ => false,
            });
            assert!(found, "{around:?} {formula}: {:?}", page.blocks.last());
        }
    }
}

#[test]
fn a_figure_ends_an_article() {
    let page = read(&blog(
        "<figure><img src=/curve.png alt=\"Seconds by size\" width=600></figure>",
    ));
    let last = page.blocks.last();
    assert!(
        matches!(last, Some(Block::Image { source, .. }) if source == "/curve.png"),
        "{last:?}"
    );
    let teaser = "</article><div class=related><figure><img src=/t.png width=300><figcaption>Sorting in \
                  place</figcaption></figure></div><article>";
    let page = read(&blog(teaser));
    assert!(
        !page
            .blocks
            .iter()
            .any(|block| matches!(block, Block::Image { .. }))
    );
}

#[test]
fn a_formula_that_only_a_script_holds_is_read() {
    let page = read(&blog(
        "<p>The time grows with the size as <script type=\"math/tex\">t = a n</script> and no faster, which \
         is what one would hope for in a loader that reads each of its records once.</p>",
    ));
    assert!(page.text.contains("size as $t = a n$ and"), "{}", page.text);
    // Where a program has written the formula out, its source beside it is not read again.
    let page = read(&blog(
        "<p>The time grows with the size as <span class=MathJax><math alttext=\"t = a n\"><mi>t</mi></math>\
         </span><script type=\"math/tex\">t = a n</script> and no faster, which is what one would hope for in \
         a loader that reads each of its records once.</p>",
    ));
    assert_eq!(page.text.matches("t = a n").count(), 1, "{}", page.text);
}

#[test]
fn the_text_of_a_table_inside_a_long_table_is_kept() {
    let mut rows: String = (0..900)
        .map(|row| format!("<tr><td>key number {row}</td><td>its value, {row}</td></tr>"))
        .collect();
    rows.push_str(
        "<tr><td>last key</td><td>outer <table><tr><td>inner left</td><td>inner right</td></tr></table>\
         </td></tr>",
    );
    let page = read(&blog(&format!("<table>{rows}</table>")));
    for text in ["key number 899", "outer", "inner left", "inner right"] {
        assert!(page.text.contains(text), "{text}");
    }
}

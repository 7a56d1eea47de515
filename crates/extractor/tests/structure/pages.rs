//! Articles with a table, a listing, a list or a formula in them, and what was put in.

/// A page with a table.
pub struct Table {
    pub html: String,
    pub rows: Vec<Vec<String>>,
    /// Row, cell, and the rows and columns that it takes.
    pub spans: Vec<(usize, usize, usize, usize)>,
    pub head_rows: usize,
}

/// A page with a listing.
pub struct Code {
    pub style: &'static str,
    pub html: String,
    pub text: String,
    pub language: &'static str,
}

/// A page with a list.
pub struct List {
    pub html: String,
    /// Depth, whether it is numbered, and text.
    pub items: Vec<(u8, bool, String)>,
}

/// A page with a formula.
pub struct Formula {
    pub html: String,
    pub tex: String,
}

const BEFORE: &str = "The bridge had stood for two hundred years when the river rose for the third time that winter. \
    On Thursday night the water reached the parapet, and by the morning the middle arch was gone.";
const AFTER: &str = "An engineer who looked at what is left was not surprised: the piers stand on wooden piles, and \
    the piles had been dry for a summer. The town will build a new bridge, he said, but not this year.";
const CHINESE: &str = "大桥建成二百年后，河水在那个冬天第三次上涨。星期四夜里，水位涨到了栏杆，到早晨中间的桥拱已经消失。工程师并不感到意外。";

/// A piece of markup amid an article, in a site's frame.
pub fn article(piece: &str) -> String {
    format!(
        "<!DOCTYPE html><html lang=en><head><title>The bridge | Example</title></head><body>\
         <header><a href=/>Example</a><nav><ul><li><a href=/a>News</a><li><a href=/b>Sport</a><li><a href=/c>Weather</a>\
         </ul></nav></header><main><article><h1>The bridge</h1><p>{BEFORE}</p>{piece}<p>{AFTER}</p><p>{CHINESE}</p>\
         </article></main><footer><p><a href=/about>About us</a> <a href=/terms>Terms</a> &copy; 2024 Example</p></footer>\
         </body></html>"
    )
}

/// Numbers that differ, without a clock.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.next(from.len())]
    }
}

const NAMES: [&str; 24] = [
    "name",
    "default",
    "type",
    "host",
    "port",
    "timeout",
    "retries",
    "Height",
    "Water",
    "Year",
    "价格",
    "型号",
    "版本",
    "说明",
    "x86_64",
    "max-age",
    "Content-Type",
    "north",
    "arch",
    "load (kN)",
    "0.25",
    "–",
    "yes",
    "no",
];
const PHRASES: [&str; 12] = [
    "the time after which a request is given up",
    "4.1 m above the mean",
    "optional, since version 2.3",
    "a list of hosts, one a line",
    "每秒请求的最大数量",
    "不填则使用默认值",
    "true",
    "1,024",
    "see below",
    "12 %",
    "of oak, with iron shoes",
    "built in 1787",
];

/// 200 tables in ten kinds of markup.
pub fn tables() -> Vec<Table> {
    (0..200)
        .map(|number| table(number, &mut Numbers(number as u64 + 11)))
        .collect()
}

fn table(number: usize, numbers: &mut Numbers) -> Table {
    let (rows, columns) = (3 + numbers.next(8), 2 + numbers.next(5));
    let style = number % 10;
    let mut texts: Vec<Vec<String>> = Vec::new();
    for row in 0..rows {
        let cells = (0..columns).map(|column| {
            let is_empty = row > 0 && column > 0 && numbers.next(8) == 0;
            match (is_empty, row == 0 || column == 0) {
                (true, _) => String::new(),
                (false, true) => format!("{} {}", numbers.pick(&NAMES), row * 10 + column),
                (false, false) => numbers.pick(&PHRASES).to_owned(),
            }
        });
        texts.push(cells.collect());
    }
    let mut spans = Vec::new();
    let head_rows = match style {
        3 | 7 => 0,
        5 => 2,
        _ => 1,
    };
    if style == 5 {
        // Two rows of heads, the first with cells over two columns.
        texts[0] = (0..columns.div_ceil(2))
            .map(|group| format!("group {group}"))
            .collect();
        for cell in 0..columns / 2 {
            spans.push((0, cell, 1, 2));
        }
    }
    if style == 6 && rows >= 4 {
        // The first cell of the second row stands for the third as well.
        spans.push((1, 0, 2, 1));
        texts[2].remove(0);
    }
    let html = rows_of(style, &texts, &spans, head_rows);
    let table = match style {
        0 => format!("<div class=table-wrapper><table>{html}</table></div>"),
        3 => format!("<table class=infobox><caption>Measures</caption>{html}</table>"),
        7 => format!("<table border=1 cellpadding=4 width='100%'>{html}</table>"),
        8 => format!(
            "<figure class=wp-block-table><table class=wikitable>{html}</table><figcaption>As measured</figcaption></figure>"
        ),
        _ => format!("<table class=docutils>{html}</table>"),
    };
    Table {
        html: article(&table),
        rows: texts,
        spans,
        head_rows,
    }
}

/// The rows as markup.
fn rows_of(
    style: usize,
    texts: &[Vec<String>],
    spans: &[(usize, usize, usize, usize)],
    head_rows: usize,
) -> String {
    let mut html = String::new();
    let tag = |row: usize, column: usize| match style {
        _ if row < head_rows => "th",
        2 if column == 0 => "th",
        _ => "td",
    };
    for (row, cells) in texts.iter().enumerate() {
        if row == 0 {
            html.push_str(match (head_rows > 0, style) {
                (_, 8 | 9) => "<tbody>",
                (true, _) => "<thead>",
                (false, _) => "<tbody>",
            });
        } else if row == head_rows && !matches!(style, 8 | 9) {
            html.push_str("</thead><tbody>");
        }
        html.push_str("<tr>");
        for (column, text) in cells.iter().enumerate() {
            let span = spans.iter().find(|span| (span.0, span.1) == (row, column));
            let span = span.map_or(String::new(), |span| match span.2 {
                1 => format!(" colspan={}", span.3),
                rows => format!(" rowspan=\"{rows}\""),
            });
            let name = tag(row, column);
            let inner = match style {
                1 => format!("<p>{text}</p>"),
                4 => format!("<code>{text}</code>"),
                9 => format!("\n      <span class=v>{text}</span>\n"),
                _ => text.clone(),
            };
            html.push_str(&format!(
                "<{name}{span} style=\"text-align:left\">{inner}</{name}>"
            ));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody>");
    html
}

const LINES: [&str; 16] = [
    "fn main() {",
    "    let total: u32 = lines.iter().map(|l| l.len() as u32).sum();",
    "\tif (a < b && c > d) {",
    "        return \"<b>&amp;</b>\";",
    "}",
    "",
    "# a comment with trailing words",
    "for i in range(10):",
    "    print(f\"{i:>3}  {i*i}\")",
    "SELECT id, name FROM users WHERE name LIKE '%x%';",
    "$ git commit -m 'fix: arch'",
    "const 变量 = `模板 ${x}`; // 注释",
    "  - key: value",
    "",
    "#include <stdio.h>",
    "        *p++ = 0;",
];

/// 300 listings in twelve kinds of markup.
pub fn codes() -> Vec<Code> {
    (0..300)
        .map(|number| code(number, &mut Numbers(number as u64 + 77)))
        .collect()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Words in spans, as highlighters write them.
fn coloured(line: &str) -> String {
    let mut out = String::new();
    for (at, word) in line.split(' ').enumerate() {
        if at > 0 {
            out.push(' ');
        }
        match at % 3 {
            0 if !word.is_empty() => {
                out.push_str(&format!("<span class=k>{}</span>", escape(word)))
            }
            1 if !word.is_empty() => {
                out.push_str(&format!("<span class=\"n s1\">{}</span>", escape(word)))
            }
            _ => out.push_str(&escape(word)),
        }
    }
    out
}

fn code(number: usize, numbers: &mut Numbers) -> Code {
    let mut lines: Vec<&str> = (0..3 + numbers.next(10))
        .map(|_| numbers.pick(&LINES))
        .collect();
    // What a listing begins and ends with is text.
    lines[0] = numbers.pick(&[
        "fn main() {",
        "for i in range(10):",
        "$ git commit -m 'fix: arch'",
        "#include <stdio.h>",
    ]);
    lines.push(numbers.pick(&["}", "        *p++ = 0;", "done"]));
    let text = lines.join("\n");
    let plain = escape(&text);
    let highlighted: Vec<String> = lines.iter().map(|line| coloured(line)).collect();
    let joined = highlighted.join("\n");
    let count = lines.len();
    let gutter: Vec<String> = (1..=count).map(|n| n.to_string()).collect();
    let listing = Listing {
        plain,
        joined,
        highlighted,
        gutter,
    };
    let (style, language, html) = match number % 12 {
        style @ 0..6 => listing.of_sites(style),
        style => listing.of_programs(style),
    };
    Code {
        style,
        html: article(&html),
        text,
        language,
    }
}

/// A listing's lines, as they are put into markup.
struct Listing {
    plain: String,
    joined: String,
    highlighted: Vec<String>,
    gutter: Vec<String>,
}

/// The name of a kind of markup, the language that it names, and the markup.
type MarkedUp = (&'static str, &'static str, String);

impl Listing {
    fn of_sites(&self, style: usize) -> MarkedUp {
        let Listing {
            plain,
            joined,
            highlighted,
            gutter,
        } = self;
        match style {
            0 => (
                "markdown",
                "rust",
                format!("<pre><code class=\"language-rust\">{plain}\n</code></pre>"),
            ),
            1 => (
                "github",
                "python",
                format!(
                    "<div class=\"highlight highlight-source-python\"><pre>{joined}</pre><div class=zeroclipboard-container><button>Copy</button></div></div>"
                ),
            ),
            2 => {
                let rows: String = highlighted
                    .iter()
                    .map(|line| format!("<span class=\"line\">{line}</span><br>"))
                    .collect();
                let numbers: String = gutter
                    .iter()
                    .map(|n| format!("<span class=\"line\">{n}</span><br>"))
                    .collect();
                (
                    "hexo",
                    "java",
                    format!(
                        "<figure class=\"highlight java\"><table><tr><td class=\"gutter\"><pre>{numbers}</pre></td><td class=\"code\"><pre>{rows}</pre></td></tr></table></figure>"
                    ),
                )
            }
            3 => (
                "sphinx",
                "python",
                format!(
                    "<div class=\"highlight-python notranslate\"><div class=\"highlight\"><pre><span></span>{joined}\n</pre></div></div>"
                ),
            ),
            4 => (
                "rouge",
                "ruby",
                format!(
                    "<div class=\"language-ruby highlighter-rouge\"><div class=\"highlight\"><pre class=\"highlight\"><code>{joined}\n</code></pre></div></div>"
                ),
            ),
            5 => {
                let numbers = gutter.join("\n");
                (
                    "rouge table",
                    "bash",
                    format!(
                        "<div class=\"language-bash highlighter-rouge\"><div class=highlight><pre class=highlight><code><table class=\"rouge-table\"><tbody><tr><td class=\"gutter gl\"><pre class=\"lineno\">{numbers}\n</pre></td><td class=\"code\"><pre>{joined}\n</pre></td></tr></tbody></table></code></pre></div></div>"
                    ),
                )
            }
            _ => unreachable!("six kinds"),
        }
    }

    fn of_programs(&self, style: usize) -> MarkedUp {
        let Listing {
            plain,
            joined,
            highlighted,
            ..
        } = self;
        match style {
            6 => {
                let rows: String = highlighted
                    .iter()
                    .map(|line| {
                        format!(
                            "<div class=\"token-line\" style=\"color:#fff\">{}</div>",
                            if line.is_empty() { "<br>" } else { line }
                        )
                    })
                    .collect();
                (
                    "docusaurus",
                    "jsx",
                    format!(
                        "<div class=\"language-jsx codeBlockContainer\"><pre tabindex=0 class=\"prism-code language-jsx\"><code class=codeBlockLines>{rows}</code></pre></div>"
                    ),
                )
            }
            7 => {
                let rows = highlighted
                    .iter()
                    .map(|line| format!("<span class=\"line\">{line}</span>"))
                    .collect::<Vec<_>>()
                    .join("\n");
                (
                    "shiki",
                    "ts",
                    format!(
                        "<pre class=\"shiki github-dark\" data-language=\"ts\" tabindex=0><code>{rows}</code></pre>"
                    ),
                )
            }
            8 => (
                "wordpress",
                "php",
                format!(
                    "<pre class=\"brush: php; title: ; notranslate\" title=\"\">\n{plain}\n</pre>"
                ),
            ),
            9 => {
                let rows: String = highlighted.iter().enumerate().map(|(n, line)| format!("<span class=\"line\"><span class=\"ln\">{}</span><span class=\"cl\">{line}\n</span></span>", n + 1)).collect();
                (
                    "hugo",
                    "go",
                    format!(
                        "<div class=\"highlight\"><pre tabindex=\"0\" class=\"chroma\"><code class=\"language-go\" data-lang=\"go\">{rows}</code></pre></div>"
                    ),
                )
            }
            10 => ("plain", "", format!("<pre>{plain}</pre>")),
            _ => (
                "hljs",
                "javascript",
                format!("<pre><code class=\"hljs javascript\">{joined}</code></pre>"),
            ),
        }
    }
}

const ITEMS: [&str; 10] = [
    "Close the road at the inn before dark",
    "Call the engineer of the county",
    "Measure the water at the north pier",
    "记下每个桥墩的水位",
    "通知镇上的居民",
    "Keep the lamps lit until the morning",
    "Write down who crossed and when",
    "Take the boats out of the river",
    "检查木桩的下端",
    "Send word to the mill",
];

/// 100 lists, up to four deep.
pub fn lists() -> Vec<List> {
    (0..100)
        .map(|number| list(number, &mut Numbers(number as u64 + 303)))
        .collect()
}

fn list(number: usize, numbers: &mut Numbers) -> List {
    let mut items = Vec::new();
    let mut html = String::new();
    write_list(number, 0, numbers, &mut items, &mut html);
    List {
        html: article(&html),
        items,
    }
}

fn write_list(
    number: usize,
    depth: u8,
    numbers: &mut Numbers,
    items: &mut Vec<(u8, bool, String)>,
    html: &mut String,
) {
    let ordered = (number + usize::from(depth)).is_multiple_of(2);
    let name = if ordered { "ol" } else { "ul" };
    html.push_str(&format!("<{name}>"));
    for _ in 0..2 + numbers.next(3) {
        let text = format!("{}, item {}", numbers.pick(&ITEMS), items.len());
        items.push((depth, ordered, text.clone()));
        html.push_str(&match number % 5 {
            0 => format!("<li><p>{text}</p>"),
            1 => format!("\n  <li class=item>{text}"),
            2 => format!(
                "<li><b>{}</b>{}",
                &text[..3.min(text.len())],
                &text[3.min(text.len())..]
            ),
            _ => format!("<li>{text}"),
        });
        if depth < 3 && numbers.next(3) == 0 {
            write_list(number, depth + 1, numbers, items, html);
        }
        html.push_str("</li>");
    }
    html.push_str(&format!("</{name}>"));
}

/// TeX, and the same as MathML.
const FORMULAS: [(&str, &str); 10] = [
    (
        "E=mc^{2}",
        "<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>",
    ),
    ("\\frac{a}{b}", "<mfrac><mi>a</mi><mi>b</mi></mfrac>"),
    (
        "\\sqrt{x+1}",
        "<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt>",
    ),
    (
        "\\sum _{i=1}^{n}x_{i}",
        "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><msub><mi>x</mi><mi>i</mi></msub>",
    ),
    (
        "\\int _{0}^{1}f(x)dx",
        "<msubsup><mo>∫</mo><mn>0</mn><mn>1</mn></msubsup><mi>f</mi><mo>(</mo><mi>x</mi><mo>)</mo><mi>d</mi><mi>x</mi>",
    ),
    ("a\\le b", "<mi>a</mi><mo>≤</mo><mi>b</mi>"),
    (
        "\\alpha +\\beta =\\pi",
        "<mi>α</mi><mo>+</mo><mi>β</mi><mo>=</mo><mi>π</mi>",
    ),
    ("\\sin x", "<mi>sin</mi><mo>\u{2061}</mo><mi>x</mi>"),
    (
        "\\frac{\\partial u}{\\partial t}",
        "<mfrac><mrow><mo>∂</mo><mi>u</mi></mrow><mrow><mo>∂</mo><mi>t</mi></mrow></mfrac>",
    ),
    (
        "x_{1}\\ne x_{2}",
        "<msub><mi>x</mi><mn>1</mn></msub><mo>≠</mo><msub><mi>x</mi><mn>2</mn></msub>",
    ),
];

/// 60 formulas in six kinds of markup.
pub fn formulas() -> Vec<Formula> {
    let mut out = Vec::new();
    for (tex, mathml) in FORMULAS {
        let pieces = [
            format!(
                "<p>The load of the arch is <span class=katex><span class=katex-mathml><math xmlns='http://www.w3.org/1998/Math/MathML'><semantics><mrow>{mathml}</mrow><annotation encoding='application/x-tex'>{tex}</annotation></semantics></math></span><span class=katex-html aria-hidden=true><span class=base>E=mc2</span></span></span> for each of the piers of the bridge.</p>"
            ),
            format!(
                "<p><span class=katex-display><span class=katex><span class=katex-mathml><math display=block><semantics><mrow>{mathml}</mrow><annotation encoding='application/x-tex'>{tex}</annotation></semantics></math></span><span class=katex-html aria-hidden=true>E=mc2</span></span></span></p>"
            ),
            format!(
                "<p>With <math id=m1 class=ltx_Math alttext=\"{tex}\" display=inline><semantics><mrow>{mathml}</mrow></semantics></math> the pier holds for as long as the piles are wet.</p>"
            ),
            format!(
                "<p>As <span class=mwe-math-element><span class=mwe-math-mathml-inline style='display: none;'><math alttext='{{\\displaystyle {tex}}}'><semantics><mrow>{mathml}</mrow></semantics></math></span><img src=/math/render/svg/1 class=mwe-math-fallback-image-inline aria-hidden=true alt='{{\\displaystyle {tex}}}'></span> says, the water wins in the end.</p>"
            ),
            format!(
                "<p>From <math><mrow>{mathml}</mrow></math> it follows that the arch cannot stand without its piers.</p>"
            ),
            format!("<div class=equation><math display=block><mrow>{mathml}</mrow></math></div>"),
        ];
        for piece in pieces {
            out.push(Formula {
                html: article(&piece),
                tex: tex.to_owned(),
            });
        }
    }
    out
}

//! Small pages and the expected result of reading each; see `golden/README.md`.

use std::fmt::Write;
use std::path::Path;

use extractor::{Page, PageContext, extract};

#[test]
fn golden_pages_read_as_expected() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut names: Vec<String> = std::fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".html").map(str::to_owned))
        .collect();
    names.sort();
    assert!(names.len() >= 8);
    let url = url::Url::parse("https://www.site.example/2021/a-page").unwrap();
    for name in names {
        let html = std::fs::read_to_string(directory.join(format!("{name}.html"))).unwrap();
        let page = extract(&html, &PageContext::new(&url));
        let found = show(&page);
        let path = directory.join(format!("{name}.expected"));
        if std::env::var_os("GOLDEN").is_some() {
            std::fs::write(&path, &found).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(found, expected, "{name}: is the new reading better?");
    }
}

fn show(page: &Page) -> String {
    let mut out = String::new();
    for (name, value) in [
        ("title", &page.title),
        ("author", &page.author),
        ("published", &page.published),
        ("site_name", &page.site_name),
        ("lang", &page.lang),
    ] {
        writeln!(out, "{name}: {}", value.as_deref().unwrap_or("-")).unwrap();
    }
    writeln!(out, "page_type: {}", page.page_type).unwrap();
    write!(out, "---\n{}", page.markdown()).unwrap();
    if !page.comments.is_empty() {
        write!(out, "--- comments\n{}\n", page.comments).unwrap();
    }
    out
}

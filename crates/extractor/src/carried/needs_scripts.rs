//! Whether a page is empty without its scripts, and what says so.

use html5ever::local_name;
use scraper::Html;

use crate::dom::Attributes;
use crate::flat_dom::FlatDom;
use crate::tag::Tag;

/// With fewer visible characters an element, or a page that has scripts, is empty.
const EMPTY_BELOW: u32 = 20;

/// Visible characters beside `<noscript>` with which a page is not empty.
const VISIBLE_MAX: u32 = 200;

/// With more characters in `<noscript>` a page has its content there.
const WITHOUT_SCRIPTS_MAX: u32 = 600;

/// Ids of the elements that frameworks put a page's content into.
const MOUNTS: [&str; 14] = [
    "root",
    "app",
    "__next",
    "__nuxt",
    "___gatsby",
    "main-app",
    "react-root",
    "app-root",
    "svelte",
    "q-app",
    "ember-application",
    "application",
    "app-container",
    "mount",
];

/// What says that a page is empty without its scripts; nothing for a page that is not.
pub(crate) fn evidence(html: &Html, flat: &FlatDom<'_>) -> Vec<String> {
    let (mut shown, mut without_scripts, mut in_noscript) = (0, String::new(), 0);
    for run in &flat.runs {
        let mut around = flat.ancestors(run.owner);
        if around.any(|at| flat.elements[at as usize].tag == Tag::Noscript) {
            in_noscript += run.counts.chars;
            if without_scripts.len() < 2_000 {
                without_scripts.push_str(&flat.run_text(run));
                without_scripts.push(' ');
            }
        } else {
            shown += run.counts.chars;
        }
        if shown >= VISIBLE_MAX || in_noscript > WITHOUT_SCRIPTS_MAX {
            return Vec::new();
        }
    }
    let mut evidence = Vec::new();
    if let Some(mount) = empty_mount(flat) {
        evidence.push(format!("{mount} is empty"));
    }
    if asks_for_scripts(&without_scripts) {
        let asked: String = without_scripts.trim().chars().take(120).collect();
        evidence.push(format!("<noscript> says {asked:?}"));
    }
    if evidence.is_empty() && shown + in_noscript < EMPTY_BELOW {
        evidence.extend(match programs(html) {
            0 => None,
            1 => Some("1 script is to fill it".to_owned()),
            programs => Some(format!("{programs} scripts are to fill it")),
        });
    }
    if !evidence.is_empty() {
        evidence.insert(0, format!("{shown} visible characters"));
    }
    evidence
}

/// The element that a framework fills, if it is there and has no text.
fn empty_mount(flat: &FlatDom<'_>) -> Option<String> {
    let empty = flat
        .elements
        .iter()
        .filter(|element| element.counts.chars < EMPTY_BELOW);
    let mut mounts = empty.filter_map(|element| {
        let id = element.element.attribute(&local_name!("id"));
        let id = id.filter(|id| MOUNTS.iter().any(|mount| mount.eq_ignore_ascii_case(id)));
        match (id, element.tag) {
            (Some(id), _) => Some(format!("#{id}")),
            (None, Tag::Custom) if element.element.name().ends_with("-root") => {
                Some(format!("<{}>", element.element.name()))
            }
            (None, _) => None,
        }
    });
    mounts.next()
}

/// How many scripts are programs: others hold data, JSON-LD or templates.
fn programs(html: &Html) -> usize {
    let elements = html
        .tree
        .nodes()
        .filter_map(|node| node.value().as_element());
    let programs = elements.filter(|element| {
        let is_script = element.name.local == local_name!("script");
        is_script && is_program(element.attribute(&local_name!("type")).unwrap_or(""))
    });
    programs.count()
}

/// Whether a script of this type is run, by a browser or by a script that loads it later.
fn is_program(kind: &str) -> bool {
    const LANGUAGES: [&str; 4] = ["javascript", "ecmascript", "jscript", "livescript"];
    let kind = crate::bounded::byte_prefix(kind.trim(), 100).to_ascii_lowercase();
    kind.is_empty() || kind == "module" || LANGUAGES.iter().any(|name| kind.contains(name))
}

fn asks_for_scripts(text: &str) -> bool {
    let text = text.to_lowercase();
    let names_scripts =
        text.contains("javascript") || text.contains("java script") || text.contains("脚本");
    const ASKS: [&str; 16] = [
        "enable",
        "turn on",
        "requires",
        "require",
        "need",
        "without",
        "aktivieren",
        "activer",
        "activez",
        "active",
        "habilit",
        "включ",
        "启用",
        "开启",
        "有効",
        "需要",
    ];
    names_scripts && ASKS.iter().any(|ask| text.contains(ask))
}

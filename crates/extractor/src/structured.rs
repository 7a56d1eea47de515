//! The page's structured data in JSON-LD.
//!
//! Publishers write it for search engines, so it is short and mostly right: types, names, dates, and
//! sometimes the whole text. It is read once; metadata uses the names and dates, the features use the
//! texts, the page type uses the types.

use serde_json::Value;

use crate::json;

/// The longest script that is read, in bytes. The largest useful ones hold the text of one article.
const BYTES_MAX: usize = 1 << 20;
/// The most JSON values that are visited in all scripts together.
const VALUES_MAX: usize = 20_000;
/// The most lists of a page, and the most lines of all of them.
const LISTS_MAX: usize = 8;
const LINES_MAX: usize = 400;

/// What the page's JSON-LD contains.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Structured {
    pub kinds: Kinds,
    pub headline: Option<String>,
    pub author: Option<String>,
    pub published: Option<String>,
    pub modified: Option<String>,
    pub site_name: Option<String>,
    pub image: Option<String>,
    pub language: Option<String>,
    pub licence: Option<String>,
    /// Texts of the page: `articleBody`, and `text` of a forum's posts; the longest first.
    pub bodies: Vec<String>,
    /// The description of the product that the page is about.
    pub product_description: Option<String>,
    /// Descriptions of articles and products.
    pub descriptions: Vec<String>,
    /// Lists that are the page's content, the lines of each: what a recipe takes and how it is made, the
    /// steps of a manual, frequent questions with their answers.
    pub lists: Vec<Vec<String>>,
}

/// Which types occur, one bit each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Kinds(pub u16);

impl Kinds {
    pub const ARTICLE: Kinds = Kinds(1);
    pub const FORUM: Kinds = Kinds(2);
    pub const PRODUCT: Kinds = Kinds(4);
    pub const COLLECTION: Kinds = Kinds(8);
    pub const ORGANISATION: Kinds = Kinds(16);
    pub const DOCUMENTATION: Kinds = Kinds(32);
    pub const SITE: Kinds = Kinds(64);

    pub(crate) fn has(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn add(&mut self, other: Kinds) {
        self.0 |= other.0;
    }

    pub(crate) fn of(name: &str) -> Kinds {
        let name = name.rsplit(['/', '#', ':']).next().unwrap_or(name);
        match name {
            "TechArticle" | "APIReference" | "HowTo" => Kinds::DOCUMENTATION,
            "Article"
            | "NewsArticle"
            | "BlogPosting"
            | "ReportageNewsArticle"
            | "Report"
            | "ScholarlyArticle"
            | "OpinionNewsArticle"
            | "AnalysisNewsArticle"
            | "BackgroundNewsArticle"
            | "LiveBlogPosting"
            | "Recipe"
            | "ReviewNewsArticle"
            | "AdvertiserContentArticle"
            | "SatiricalArticle" => Kinds::ARTICLE,
            "DiscussionForumPosting" | "QAPage" | "Question" | "SocialMediaPosting" => Kinds::FORUM,
            "Product"
            | "ProductGroup"
            | "IndividualProduct"
            | "SoftwareApplication"
            | "VideoGame"
            | "MobileApplication" => Kinds::PRODUCT,
            "CollectionPage" | "ItemList" | "SearchResultsPage" | "OfferCatalog" | "Blog" => {
                Kinds::COLLECTION
            }
            "Organization"
            | "LocalBusiness"
            | "Corporation"
            | "Service"
            | "NewsMediaOrganization" => Kinds::ORGANISATION,
            "WebSite" => Kinds::SITE,
            _ => Kinds(0),
        }
    }
}

impl Structured {
    /// Reads a page's JSON-LD scripts; those that do not parse are skipped.
    pub(crate) fn read(scripts: &[&str]) -> Structured {
        let mut found = Structured::default();
        let mut budget = VALUES_MAX;
        for script in scripts {
            if script.len() > BYTES_MAX {
                continue;
            }
            if let Some(value) = parse(script, budget) {
                found.take(&value, &mut budget);
            }
        }
        found
            .bodies
            .sort_by_key(|body| std::cmp::Reverse(body.len()));
        found
    }

    /// Visits all values. It keeps its own stack, since the page decides how deep they are nested.
    fn take(&mut self, root: &Value, budget: &mut usize) {
        let mut open = vec![(root, false)];
        while let Some((value, part)) = open.pop() {
            if *budget == 0 {
                return;
            }
            *budget -= 1;
            match value {
                Value::Array(items) => open.extend(items.iter().rev().map(|item| (item, part))),
                Value::Object(fields) => {
                    let kinds = kinds_of_object(fields);
                    self.object(fields, kinds, part);
                    for (key, inner) in fields.iter().rev() {
                        let inner_part = match key.as_str() {
                            "@graph" | "mainEntity" | "mainEntityOfPage" | "about" => part,
                            _ => true,
                        };
                        // Items of a list, comments and reviews do not describe the page.
                        let other = matches!(
                            key.as_str(),
                            "itemListElement"
                                | "comment"
                                | "review"
                                | "hasPart"
                                | "breadcrumb"
                                | "author"
                                | "publisher"
                                | "isRelatedTo"
                                | "isSimilarTo"
                        );
                        if !other && (inner.is_object() || inner.is_array()) {
                            open.push((inner, inner_part));
                        }
                    }
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
    }

    /// Reads the lists that are the content of what the page is about.
    fn state(&mut self, fields: &serde_json::Map<String, Value>) {
        for (key, types) in LISTS {
            let list = fields.get(key);
            let list = list.filter(|_| type_is(fields.get("@type"), types));
            let room = LINES_MAX.saturating_sub(self.lists.iter().map(Vec::len).sum());
            let lines = list.map(|list| lines_of(list, room)).unwrap_or_default();
            if !lines.is_empty() && self.lists.len() < LISTS_MAX {
                self.lists.push(lines);
            }
        }
    }

    /// Reads one object; `part` tells that it describes a part of the page and not the page.
    fn object(&mut self, fields: &serde_json::Map<String, Value>, kinds: Kinds, part: bool) {
        if !part {
            self.kinds.add(kinds);
            self.state(fields);
        }
        let text = |key: &str| fields.get(key).and_then(first_text);
        let is_work =
            kinds.has(Kinds::ARTICLE) || kinds.has(Kinds::FORUM) || kinds.has(Kinds::DOCUMENTATION);
        for key in ["articleBody", "text", "reviewBody"] {
            if key != "articleBody" && !kinds.has(Kinds::FORUM) {
                continue;
            }
            if let Some(body) = text(key)
                && body.len() > 40
                && self.bodies.len() < 200
            {
                self.bodies.push(strip_tags(&body));
            }
        }
        if (is_work || kinds.has(Kinds::PRODUCT))
            && let Some(description) = text("description")
            && self.descriptions.len() < 20
        {
            self.descriptions.push(strip_tags(&description));
        }
        let page = kinds_of(fields.get("@type")) == Kinds(0)
            && type_is(
                fields.get("@type"),
                &["WebPage", "ItemPage", "AboutPage", "FAQPage"],
            );
        if !part && type_is(fields.get("@type"), &["JobPosting"]) {
            set(&mut self.published, text("datePosted"));
        }
        if is_work || (page && !part) {
            set(
                &mut self.published,
                text("datePublished").or_else(|| text("dateCreated")),
            );
            set(&mut self.modified, text("dateModified"));
            set(&mut self.language, text("inLanguage"));
            set(&mut self.licence, text("license"));
        }
        if is_work {
            set(
                &mut self.headline,
                text("headline").or_else(|| text("name")),
            );
            set(
                &mut self.author,
                fields
                    .get("author")
                    .or_else(|| fields.get("creator"))
                    .and_then(names),
            );
            set(&mut self.image, fields.get("image").and_then(url_of));
            set(&mut self.site_name, fields.get("publisher").and_then(names));
        }
        if kinds.has(Kinds::PRODUCT) && !part {
            set(&mut self.headline, text("name"));
            set(&mut self.image, fields.get("image").and_then(url_of));
            let description = text("description").map(|text| strip_tags(&text));
            set(&mut self.product_description, description);
        }
        if kinds.has(Kinds::SITE) {
            set(&mut self.site_name, text("name"));
        }
    }
}

/// Properties whose values are lists that a page shows as its content, and the types that have them.
const LISTS: [(&str, &[&str]); 7] = [
    ("recipeIngredient", &["Recipe"]),
    ("ingredients", &["Recipe"]),
    ("recipeInstructions", &["Recipe"]),
    ("supply", &["HowTo", "Recipe"]),
    ("tool", &["HowTo", "Recipe"]),
    ("step", &["HowTo", "Recipe"]),
    ("mainEntity", &["FAQPage"]),
];

/// Whether markup with this property is a list that is content, of whatever item.
pub(crate) fn is_marked_list(property: &str) -> bool {
    property != "mainEntity" && LISTS.iter().any(|&(name, _)| name == property)
}

/// The lines of a list: its texts, and the names and texts of its objects, in order.
fn lines_of(list: &Value, lines_max: usize) -> Vec<String> {
    /// Those of an object, the last one first.
    const PARTS: [&str; 4] = ["acceptedAnswer", "itemListElement", "text", "name"];
    let mut lines = Vec::new();
    let mut open = vec![list];
    while let Some(value) = open.pop() {
        if lines.len() >= lines_max {
            break;
        }
        match value {
            Value::String(text) => lines.extend(strip_tags(text).lines().map(str::to_owned)),
            Value::Array(items) => open.extend(items.iter().rev()),
            Value::Object(fields) => open.extend(PARTS.iter().filter_map(|&part| fields.get(part))),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    lines
}

fn set(slot: &mut Option<String>, value: Option<String>) {
    if slot.is_none() {
        *slot = value.filter(|value| !value.is_empty());
    }
}

/// The types of an object. The questions of a FAQ have the type of those that people ask, but no thread:
/// each has its answer, and nobody who asked it.
fn kinds_of_object(fields: &serde_json::Map<String, Value>) -> Kinds {
    const ASKED: [&str; 5] = [
        "author",
        "answerCount",
        "suggestedAnswer",
        "dateCreated",
        "datePublished",
    ];
    let kinds = kinds_of(fields.get("@type"));
    let is_asked = || ASKED.iter().any(|&key| fields.contains_key(key));
    if type_is(fields.get("@type"), &["Question"]) && !is_asked() {
        return Kinds::default();
    }
    kinds
}

fn kinds_of(value: Option<&Value>) -> Kinds {
    let mut kinds = Kinds::default();
    match value {
        Some(Value::String(name)) => kinds.add(Kinds::of(name)),
        Some(Value::Array(names)) => {
            for name in names.iter().filter_map(Value::as_str).take(8) {
                kinds.add(Kinds::of(name));
            }
        }
        _ => {}
    }
    kinds
}

fn type_is(value: Option<&Value>, wanted: &[&str]) -> bool {
    match value {
        Some(Value::String(name)) => wanted.contains(&name.as_str()),
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(Value::as_str)
            .any(|name| wanted.contains(&name)),
        _ => false,
    }
}

fn first_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Array(items) => items.iter().find_map(|item| match item {
            Value::String(text) => Some(text.trim().to_owned()),
            _ => None,
        }),
        Value::Object(fields) => match fields.get("@id").or_else(|| fields.get("name")) {
            Some(Value::String(text)) => Some(text.trim().to_owned()),
            _ => None,
        },
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// The names of one or more people or organisations, joined.
fn names(value: &Value) -> Option<String> {
    let mut all: Vec<String> = Vec::new();
    let items = match value {
        Value::Array(items) => items.as_slice(),
        other => std::slice::from_ref(other),
    };
    for item in items.iter().take(10) {
        let name = match item {
            Value::String(name) => Some(name.as_str()),
            Value::Object(fields) => match fields.get("name") {
                Some(Value::String(name)) => Some(name.as_str()),
                Some(Value::Array(names)) => names.iter().find_map(Value::as_str),
                _ => None,
            },
            _ => None,
        };
        if let Some(name) = name.map(str::trim)
            && !name.is_empty()
            && !name.starts_with("http")
            && !all.iter().any(|known| known == name)
        {
            all.push(name.to_owned());
        }
    }
    (!all.is_empty()).then(|| all.join(", "))
}

fn url_of(value: &Value) -> Option<String> {
    match value {
        Value::String(url) => Some(url.clone()),
        Value::Array(items) => items.first().and_then(|item| match item {
            Value::String(url) => Some(url.clone()),
            Value::Object(fields) => fields.get("url").and_then(Value::as_str).map(str::to_owned),
            _ => None,
        }),
        Value::Object(fields) => fields.get("url").and_then(Value::as_str).map(str::to_owned),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// Parses a script, tolerating comment marks around it and raw line breaks inside strings.
/// At most so many lists and objects of it are made.
fn parse(script: &str, mut left: usize) -> Option<Value> {
    let trimmed = script
        .trim()
        .trim_start_matches("<!--")
        .trim_start_matches("//<![CDATA[")
        .trim_start_matches("<![CDATA[")
        .trim_end_matches("-->")
        .trim_end_matches("//]]>")
        .trim_end_matches("]]>")
        .trim_end_matches(';')
        .trim();
    if let Some(value) = json::whole(trimmed, &mut left) {
        return Some(value);
    }
    let mended: String = trimmed
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    json::whole(&mended, &mut left)
}

/// Removes the markup that a text may contain, escaped or not.
fn strip_tags(text: &str) -> String {
    let text = if text.contains("&lt;") {
        text.replace("&lt;", "<").replace("&gt;", ">")
    } else {
        text.to_owned()
    };
    let mut out = String::with_capacity(text.len());
    let mut in_tag = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '<' if chars
                .peek()
                .is_some_and(|&n| n.is_ascii_alphabetic() || n == '/') =>
            {
                in_tag = true;
            }
            '>' if in_tag => {
                in_tag = false;
                out.push(' ');
            }
            _ if in_tag => {}
            _ => out.push(c),
        }
    }
    out.replace("&nbsp;", " ")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_article_in_a_graph_is_read() {
        let found = Structured::read(&[r#"{"@graph":[{"@type":"WebSite","name":"The Site"},
            {"@type":["NewsArticle"],"headline":"Head","datePublished":"2021-03-05",
             "author":[{"@type":"Person","name":"A B"},{"name":"C D"}],
             "articleBody":"A long enough body of text, <p>with a tag</p> in it."}]}"#]);
        assert!(found.kinds.has(Kinds::ARTICLE));
        assert_eq!(found.author.as_deref(), Some("A B, C D"));
        assert_eq!(found.published.as_deref(), Some("2021-03-05"));
        assert_eq!(found.site_name.as_deref(), Some("The Site"));
        assert!(found.bodies[0].contains("with a tag"));
        assert!(!found.bodies[0].contains('<'));
    }

    #[test]
    fn the_questions_of_a_faq_are_no_thread() {
        // The page was taken for a thread, and its first question for the headline.
        let faq = r#"{"@type":"FAQPage","mainEntity":[{"@type":"Question","name":"Is it free?",
            "acceptedAnswer":{"@type":"Answer","text":"It is free for the first month."}}]}"#;
        let found = Structured::read(&[faq]);
        assert!(!found.kinds.has(Kinds::FORUM));
        assert_eq!(found.headline, None);
        let thread = r#"{"@type":"QAPage","mainEntity":{"@type":"Question","name":"Why is it slow?",
            "text":"It takes ten seconds to begin, on any machine.","answerCount":2}}"#;
        let found = Structured::read(&[thread]);
        assert!(found.kinds.has(Kinds::FORUM));
        assert_eq!(found.headline.as_deref(), Some("Why is it slow?"));
        assert_eq!(found.bodies.len(), 1);
    }

    #[test]
    fn the_lists_of_the_page_are_read_and_those_of_others_are_not() {
        let page = r#"{"@graph":[
            {"@type":"Recipe","recipeIngredient":["2 eggs","salt"],"recipeInstructions":[
                {"@type":"HowToSection","name":"Dough","itemListElement":[{"@type":"HowToStep","text":"Beat."}]},
                {"@type":"HowToStep","text":"<b>Bake</b> it."}],
             "isRelatedTo":{"@type":"Recipe","recipeIngredient":["flour"]},
             "review":{"@type":"Review","reviewBody":"I left out the salt."}},
            {"@type":"ItemList","itemListElement":[{"@type":"Recipe","recipeIngredient":["milk"]}]},
            {"@type":"Product","step":["one"]}]}"#;
        let faq = r#"{"@type":"FAQPage","mainEntity":[{"@type":"Question","name":"Is it free?",
            "acceptedAnswer":{"@type":"Answer","text":"It is."}}]}"#;
        let found = Structured::read(&[page, faq]);
        let lists: [&[&str]; 3] = [
            &["2 eggs", "salt"],
            &["Dough", "Beat.", " Bake  it."],
            &["Is it free?", "It is."],
        ];
        assert_eq!(found.lists, lists);
    }

    #[test]
    fn raw_line_breaks_inside_strings_are_forgiven() {
        let found = Structured::read(&["{\"@type\":\"Article\",\"headline\":\"A\nB\"}"]);
        assert_eq!(found.headline.as_deref(), Some("A B"));
    }

    #[test]
    fn what_is_no_json_says_nothing() {
        assert_eq!(Structured::read(&["{oops", ""]), Structured::default());
    }
}

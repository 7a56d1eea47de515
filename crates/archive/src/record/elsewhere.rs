//! What other nodes of the crawl kept and read.

use serde::{Deserialize, Serialize};

use super::is_false;

/// Texts that other nodes of the crawl kept, in the one order that all nodes have: verdicts after
/// this record are made with them in sight.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ElsewhereRecord {
    /// The position in that order up to which this node has seen.
    pub seen: u64,
    /// The texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<ElsewherePage>,
    /// Pages that are kept no more, by their numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withdrawn: Vec<u64>,
    /// Example pages of the topic that others read; the topic learns from them here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<ElsewhereExample>,
    /// Pages to which redirects of examples have led on other nodes: they are examples here as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub led_to: Vec<ExampleTarget>,
    /// What hosts are owed that came from other nodes, or came back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub manners: Vec<ElsewhereManners>,
}

/// What hosts of one part are owed: waits, paces, limits.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ElsewhereManners {
    /// The part.
    pub part: u16,
    /// The number of what its last node said of it; 0 where that was nothing new.
    #[serde(default)]
    pub number: u64,
    /// The hosts, in the words of the program that wrote it: times are this node's, milliseconds since the Unix epoch.
    pub hosts: serde_json::Value,
}

/// A page to which the redirect of an example leads.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ExampleTarget {
    /// Canonical URL.
    pub url: String,
    /// An example, or with `false` a counter-example.
    pub on_topic: bool,
}

/// An example page of the topic that another node read, as far as the topic learns from it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ElsewhereExample {
    /// Canonical URL.
    pub url: String,
    /// An example, or with `false` a counter-example.
    pub on_topic: bool,
    /// Its title.
    pub title: String,
    /// Its main text, shortened.
    pub text: String,
    /// The canonical URLs that it links to, the first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
    /// What it files itself under.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// It is a list of links.
    #[serde(default, skip_serializing_if = "is_false")]
    pub listing: bool,
    /// Its language, as a code; empty where it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub lang: String,
}

/// A page that another node kept, as far as verdicts need it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ElsewherePage {
    /// Its number: this node's own pages have those of their records, a page of node *n* has
    /// *n* x 2^40 and the number of its record there.
    pub page: u64,
    /// Canonical URL.
    pub url: String,
    /// Fingerprint of the main text, sixteen hexadecimal digits.
    pub fingerprint: String,
    /// Sketch of the main text, base64.
    pub sketch: String,
    /// Digest of the main text, sixteen hexadecimal digits.
    pub digest: String,
    /// Words of the main text.
    pub words: u32,
    /// Fingerprint of its layout, sixteen hexadecimal digits.
    pub layout: String,
    /// Published date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// The URL it names as canonical.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical: Option<String>,
    /// The page whose place it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<u64>,
    /// Its URL, where it is one of this node's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced: Option<String>,
}

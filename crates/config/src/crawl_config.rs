//! The whole configuration: its sections, in the order of the file.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::choice::suggestion;
use crate::key::Fault;
use crate::node::{Entry, Node, Written};
use crate::reading::Reading;
use crate::section::{AnySection, Part, Present, SectionFacts};
use crate::sections::{
    AgainSection, AgentSection, ArchiveSection, ClusterSection, CrawlSection, DedupSection,
    HostSection, KeepSection, LimitsSection, NetworkSection, PolitenessSection, ScopeSection,
    SeedsSection, TopicSection, UrlSection,
};

/// Makes the configuration of its sections.
macro_rules! sections {
    (
        $(#[doc = $about:literal])+
        pub struct $config:ident {
            $( $(#[doc = $doc:literal])+ pub $part:ident: $type:ty, )+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct $config {
            $( $(#[doc = $doc])+ pub $part: $type, )+
        }

        impl $config {
            /// The parts, each with its name in the file.
            fn parts(&self) -> Vec<(&'static str, &dyn Part)> {
                vec![ $( (stringify!($part), &self.$part as &dyn Part), )+ ]
            }

            fn parts_mut(&mut self) -> Vec<(&'static str, &mut dyn Part)> {
                vec![ $( (stringify!($part), &mut self.$part as &mut dyn Part), )+ ]
            }
        }
    };
}

sections! {
    /// The whole configuration of a crawl: what the user wrote, with defaults filled in. It is
    /// checked once and never changes while a crawl runs; stages get only their part of it.
    pub struct CrawlConfig {
        /// Budgets of the whole crawl.
        pub crawl: CrawlSection,
        /// Who asks.
        pub agent: AgentSection,
        /// Where to begin.
        pub seeds: SeedsSection,
        /// Where to go.
        pub scope: ScopeSection,
        /// How gently.
        pub politeness: PolitenessSection,
        /// What to look for; leave out for a crawl without focus.
        pub topic: Option<TopicSection>,
        /// What counts as seen before.
        pub dedup: DedupSection,
        /// Which pages to keep.
        pub keep: KeepSection,
        /// When to come back to what was read; leave out for a crawl that reads each page once.
        pub again: Option<AgainSection>,
        /// What is stored of bodies.
        pub archive: ArchiveSection,
        /// The ledger that the nodes of one crawl share; leave out for a crawl on one machine.
        pub cluster: Option<ClusterSection>,
        /// How to reach the network.
        pub network: NetworkSection,
        /// How URLs are written before they are compared.
        pub url: UrlSection,
        /// Bounds on everything a hostile server can choose.
        pub limits: LimitsSection,
        /// Overrides by host.
        pub host: BTreeMap<String, HostSection>,
    }
}

impl CrawlConfig {
    /// What there is to say of each section, by its name.
    pub fn facts() -> Vec<(&'static str, SectionFacts)> {
        let config = Self::default();
        let parts = config.parts().into_iter();
        parts.map(|(name, part)| (name, part.facts())).collect()
    }

    /// Reads a tree over the values that are there.
    pub(crate) fn read(&mut self, root: &Node, reading: &mut Reading) {
        let Written::Table(entries) = &root.value else {
            return;
        };
        for entry in entries {
            let mut parts = self.parts_mut().into_iter();
            match parts.find(|(name, _)| *name == entry.key) {
                Some((name, part)) => part.read(entry, name, reading),
                None => reading.unknown(entry, mend_of_unknown(entry)),
            }
        }
    }

    /// The sections that are there, each with its path.
    pub(crate) fn present(&self) -> Present<'_> {
        let parts = self.parts().into_iter();
        parts.flat_map(|(name, part)| part.present(name)).collect()
    }

    pub(crate) fn present_mut(&mut self) -> Vec<&mut dyn AnySection> {
        let parts = self.parts_mut().into_iter();
        parts.flat_map(|(_, part)| part.present_mut()).collect()
    }

    /// Everything that is not allowed.
    pub(crate) fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (path, section) in self.present() {
            let own = section.key_faults(&path);
            if own.is_empty() {
                faults.extend(section.contradictions(&path));
            }
            faults.extend(own);
        }
        faults
    }

    /// To which section a key belongs that stands in another one, or in none, in words.
    pub(crate) fn home_of(entry: &Entry) -> Option<String> {
        if matches!(entry.node.value, Written::Table(_)) {
            return None;
        }
        static HOMES: OnceLock<BTreeMap<&'static str, &'static str>> = OnceLock::new();
        let homes = HOMES.get_or_init(|| {
            let mut homes = BTreeMap::new();
            for (name, section) in Self::facts() {
                for key in &section.keys {
                    homes.entry(key.name).or_insert(name);
                }
            }
            homes
        });
        let home = homes.get(entry.key.as_str())?;
        Some(format!("it belongs below [{home}]"))
    }

    /// The configuration as JSON, as it stands in the journal.
    pub(crate) fn json(&self) -> Value {
        let parts = self.parts().into_iter();
        let parts = parts.map(|(name, part)| (name.to_owned(), part.json()));
        Value::Object(parts.collect())
    }
}

impl Serialize for CrawlConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json().serialize(serializer)
    }
}

/// For a key outside of all sections: the section it belongs to, or a similar name.
fn mend_of_unknown(entry: &Entry) -> String {
    CrawlConfig::home_of(entry).unwrap_or_else(|| {
        let facts = CrawlConfig::facts();
        let names: Vec<&str> = facts.iter().map(|(name, _)| *name).collect();
        suggestion(&entry.key, &names)
    })
}

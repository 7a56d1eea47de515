//! Short texts by their bands: which kept ones share most of their word pairs with this one?
//!
//! A word more or less moves the fingerprint of a ten-word text by ten bits, beyond any table's
//! reach. So short texts are also found by what their sketches' hash functions choose: eight bands
//! of two word pairs each. Strangers share a band only when they share two chosen pairs, so there
//! are few candidates. Long texts are not kept here.
//!
//! Texts of one form share the bands whose pairs the form has, by the thousand; of these the newest are
//! candidates. A copy of an older one shares the bands that hold a pair of its own, too, where few are.
//!
//! Cost: about 150 bytes for each short text.

use hashbrown::HashMap;

use crate::hash::{mix, pair};
use crate::links::{CHAIN_MAX, Links};
use crate::sketch::BANDS;

/// The short texts among the kept pages. A *node* is one band of one text: number of the text
/// times eight, plus the number of the band.
#[derive(Debug)]
pub(crate) struct Bands {
    links: Links,
    /// The bands, by node.
    values: Vec<u32>,
    /// Where the text is kept, by text.
    slots: Vec<u32>,
    /// The text, by where it is kept.
    texts: HashMap<u32, u32>,
    /// Texts that were removed.
    free: Vec<u32>,
}

impl Bands {
    pub(crate) fn new() -> Bands {
        Bands {
            links: Links::new(),
            values: Vec::new(),
            slots: Vec::new(),
            texts: HashMap::new(),
            free: Vec::new(),
        }
    }

    pub(crate) fn insert(&mut self, slot: u32, bands: &[u32; BANDS]) {
        let text = self.free.pop().unwrap_or_else(|| {
            self.slots.push(slot);
            self.values.extend([0; BANDS]);
            self.slots.len() as u32 - 1
        });
        self.slots[text as usize] = slot;
        self.texts.insert(slot, text);
        self.values[text as usize * BANDS..][..BANDS].copy_from_slice(bands);
        let values = &self.values;
        for node in nodes(text) {
            self.links.link(node, |node| {
                key(node as usize % BANDS, values[node as usize])
            });
        }
    }

    pub(crate) fn remove(&mut self, slot: u32) {
        let Some(text) = self.texts.remove(&slot) else {
            return;
        };
        for (band, node) in nodes(text).enumerate() {
            let key = key(band, self.values[node as usize]);
            self.links.unlink(node, key);
        }
        self.free.push(text);
    }

    /// Calls `found` with the slot of every short text that shares a band, of the newest where many share it; once
    /// for each band. False where some may be missing.
    pub(crate) fn candidates(&self, bands: &[u32; BANDS], mut found: impl FnMut(u32)) -> bool {
        let mut all = true;
        for (band, &value) in bands.iter().enumerate() {
            let mut walked = 0;
            for node in self.links.newest(key(band, value)) {
                walked += 1;
                if node as usize % BANDS == band && self.values[node as usize] == value {
                    found(self.slots[node as usize / BANDS]);
                }
            }
            all &= walked < CHAIN_MAX;
        }
        all
    }
}

fn nodes(text: u32) -> std::ops::Range<u32> {
    let bands = BANDS as u32;
    text * bands..(text + 1) * bands
}

fn key(band: usize, value: u32) -> u64 {
    pair(mix(band as u64), u64::from(value))
}

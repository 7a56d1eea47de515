//! Short texts by their bands: which kept ones share most of their word pairs with this one?
//!
//! A word more or less moves the fingerprint of a ten-word text by ten bits, beyond any table's
//! reach. So short texts are also found by what their sketches' hash functions choose: eight bands
//! of two word pairs each. Strangers share a band only when they share two chosen pairs, so there
//! are few candidates. Long texts are not kept here.
//!
//! Cost: about 100 bytes for each short text.

use crate::hash::{mix, pair};
use crate::sketch::BANDS;

/// The end of a chain.
const END: u32 = u32::MAX;

/// The short texts among the kept pages. A *node* is one band of one text: number of the text
/// times eight, plus the number of the band.
#[derive(Debug)]
pub(crate) struct Bands {
    /// The newest node of each chain; their number is a power of two.
    heads: Vec<u32>,
    /// The node before, by node.
    next: Vec<u32>,
    /// The bands, by node.
    values: Vec<u32>,
    /// Where the text is kept, by text.
    slots: Vec<u32>,
    /// Texts that were removed.
    free: Vec<u32>,
}

impl Bands {
    pub(crate) fn new() -> Bands {
        Bands {
            heads: vec![END; 1 << 10],
            next: Vec::new(),
            values: Vec::new(),
            slots: Vec::new(),
            free: Vec::new(),
        }
    }

    pub(crate) fn insert(&mut self, slot: u32, bands: &[u32; BANDS]) {
        let text = match self.free.pop() {
            Some(text) => text as usize,
            None => {
                self.slots.push(END);
                self.next.extend([END; BANDS]);
                self.values.extend([0; BANDS]);
                self.slots.len() - 1
            }
        };
        self.slots[text] = slot;
        self.values[text * BANDS..][..BANDS].copy_from_slice(bands);
        if self.next.len() > self.heads.len() * 2 {
            self.grow();
        }
        for band in 0..BANDS {
            self.link((text * BANDS + band) as u32);
        }
    }

    pub(crate) fn remove(&mut self, slot: u32, bands: &[u32; BANDS]) {
        let mut text = None;
        for (band, &value) in bands.iter().enumerate() {
            let place = self.place(band, value);
            let mut before = END;
            let mut node = self.heads[place];
            while node != END
                && (node as usize % BANDS != band || self.slots[node as usize / BANDS] != slot)
            {
                before = node;
                node = self.next[node as usize];
            }
            if node == END {
                continue;
            }
            let after = self.next[node as usize];
            match before {
                END => self.heads[place] = after,
                before => self.next[before as usize] = after,
            }
            text = Some(node / BANDS as u32);
        }
        if let Some(text) = text {
            self.slots[text as usize] = END;
            self.free.push(text);
        }
    }

    /// Calls `found` once with the slot of every short text that shares a band.
    pub(crate) fn candidates(&self, bands: &[u32; BANDS], mut found: impl FnMut(u32)) {
        for (band, &value) in bands.iter().enumerate() {
            let mut node = self.heads[self.place(band, value)];
            while node != END {
                let text = node as usize / BANDS;
                let kept = &self.values[text * BANDS..][..BANDS];
                let shared = kept.iter().zip(bands).position(|(a, b)| a == b);
                if node as usize % BANDS == band && shared == Some(band) {
                    found(self.slots[text]);
                }
                node = self.next[node as usize];
            }
        }
    }

    fn place(&self, band: usize, value: u32) -> usize {
        pair(mix(band as u64), u64::from(value)) as usize & (self.heads.len() - 1)
    }

    fn link(&mut self, node: u32) {
        let place = self.place(node as usize % BANDS, self.values[node as usize]);
        self.next[node as usize] = self.heads[place];
        self.heads[place] = node;
    }

    /// Four times as many chains; the newest text is not linked yet.
    fn grow(&mut self) {
        let linked: Vec<u32> = self
            .heads
            .iter()
            .flat_map(|&head| {
                std::iter::successors(Some(head), |&node| {
                    (node != END).then(|| self.next[node as usize])
                })
                .filter(|&node| node != END)
            })
            .collect();
        self.heads = vec![END; self.heads.len() * 4];
        for node in linked {
            self.link(node);
        }
    }
}

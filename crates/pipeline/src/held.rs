//! Memory for what was read and is not written yet.
//!
//! A page of 9 MB takes ten times as much when it is read: its text, and for each word where it stands and its hash.
//! Between a reader and the search index many pages may wait, and their number says nothing of what they take. So
//! each takes room for its bytes, and gives it back when it has been written, or lets go of it earlier.
//!
//! ```text
//!   reader ─ hold ─► writer's inbox ─► group ─ keep ─► publisher's inbox ─► index ─ drop
//! ```
//!
//! A page that alone is larger than all there is gets it when nothing else is held. Who waits is served in the order
//! of coming, so no large page waits for ever. Room is asked for by readers alone, with a page that is read; writer
//! and publisher never wait for any, and what they do gives it back. So nobody waits in a circle.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use segment::Words;
use state::Finding;
use state::finding::{FoundLink, LinkPlace, PageReading, Reading, SitemapReading};

/// What a word takes beside its letters: where it stands, in the text and folded, and its hash.
const BYTES_OF_WORD: usize = 32;

/// The room for what was read, shared by all readers.
#[derive(Debug, Clone)]
pub(crate) struct ReadMemory(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    bytes_max: u64,
    line: Mutex<Line>,
    moved: Condvar,
}

/// Who holds what, and who waits.
#[derive(Debug, Default)]
struct Line {
    held: u64,
    /// Those that came, and those of them that were served.
    came: u64,
    served: u64,
}

/// Room that is held, until this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Held(Option<(Arc<Shared>, u64)>);

impl ReadMemory {
    /// Room for so many bytes.
    pub(crate) fn new(bytes_max: u64) -> Self {
        Self(Arc::new(Shared {
            bytes_max,
            line: Mutex::default(),
            moved: Condvar::new(),
        }))
    }

    /// Takes room for so many bytes; waits until there is. What takes none, such as a redirect, waits for nobody.
    pub(crate) fn hold(&self, bytes: u64) -> Held {
        if bytes == 0 {
            return Held::default();
        }
        let shared = &self.0;
        let mut line = shared.line();
        let turn = line.came;
        line.came += 1;
        while turn != line.served || line.held > 0 && line.held + bytes > shared.bytes_max {
            line = shared
                .moved
                .wait(line)
                .unwrap_or_else(PoisonError::into_inner);
        }
        line.served += 1;
        line.held += bytes;
        let is_waited_for = line.served < line.came;
        drop(line);
        if is_waited_for {
            shared.moved.notify_all();
        }
        Held(Some((Arc::clone(shared), bytes)))
    }
}

impl Shared {
    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give_back(&self, bytes: u64) {
        let mut line = self.line();
        line.held -= bytes;
        let is_waited_for = line.served < line.came;
        drop(line);
        if is_waited_for {
            self.moved.notify_all();
        }
    }
}

impl Held {
    /// Gives back all but so many bytes.
    pub(crate) fn keep(&mut self, bytes: u64) {
        if let Some((shared, held)) = &mut self.0
            && *held > bytes
        {
            shared.give_back(*held - bytes);
            *held = bytes;
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some((shared, bytes)) = self.0.take() {
            shared.give_back(bytes);
        }
    }
}

/// What a finding takes in memory, roughly, beside the body that it came in, which has a bound of its own.
pub(crate) fn bytes_of(finding: &Finding) -> u64 {
    let bytes = match finding {
        Finding::Robots(found) => return found.answer.body_bytes(),
        Finding::Url(found) => {
            let before = found.before.as_ref();
            let before = before.map_or(0, |before| before.text.len());
            before
                + match &found.reading {
                    Reading::Page(page) => bytes_of_page(page),
                    Reading::Sitemap(sitemap) => bytes_of_sitemap(sitemap),
                    Reading::NoPage { .. }
                    | Reading::Redirect(_)
                    | Reading::NotModified
                    | Reading::Refused(_)
                    | Reading::Failed { .. } => 0,
                }
        }
    };
    bytes as u64
}

/// What a text takes with its words.
pub(crate) fn bytes_of_text(text: &str, words: &Words) -> usize {
    2 * text.len() + words.len() * BYTES_OF_WORD
}

fn bytes_of_page(reading: &PageReading) -> usize {
    let page = &reading.page;
    let in_blocks = match page.blocks.is_empty() {
        true => 0,
        false => page.text.len(),
    };
    let place = |place: &LinkPlace| {
        size_of::<LinkPlace>() + place.anchor.len() + place.context.len() + place.tag_path.len()
    };
    let link = |link: &FoundLink| {
        let url = link
            .target
            .as_ref()
            .map_or_else(|(url, _)| url.len(), |url| url.as_str().len());
        size_of::<FoundLink>() + url + link.places.iter().map(place).sum::<usize>()
    };
    bytes_of_text(&page.text, &reading.words)
        + in_blocks
        + page.comments.len()
        + reading.links.iter().map(link).sum::<usize>()
}

fn bytes_of_sitemap(reading: &SitemapReading) -> usize {
    let urls = reading.urls.iter();
    urls.map(|url| size_of_val(url) + url.0.as_str().len() + url.1.loc.len())
        .sum()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    /// What is held now.
    fn held(memory: &ReadMemory) -> u64 {
        memory.0.line().held
    }

    /// Waits until so many have come, served or not.
    fn until_came(memory: &ReadMemory, count: u64) {
        while memory.0.line().came < count {
            std::thread::yield_now();
        }
    }

    #[test]
    fn what_is_held_never_exceeds_the_bound_but_for_one_that_alone_is_larger() {
        let memory = ReadMemory::new(100);
        let most = Mutex::new((0, 0));
        std::thread::scope(|threads| {
            for thread in 0..8_u64 {
                let (memory, most) = (&memory, &most);
                threads.spawn(move || {
                    for step in 0..500_u64 {
                        let bytes = [7, 30, 99, 100, 450][((step * 13 + thread) % 5) as usize];
                        let mut held = memory.hold(bytes);
                        let now = memory.0.line().held;
                        let mut most = most.lock().expect("no panic");
                        most.0 = most.0.max(now);
                        // Nothing is beside one that is larger.
                        assert!(now <= 100 || now == 450, "{now}");
                        drop(most);
                        held.keep(bytes / 2 + 1);
                    }
                });
            }
        });
        assert_eq!(held(&memory), 0);
        assert_eq!(most.into_inner().expect("no panic").0, 450);
    }

    #[test]
    fn a_large_one_is_not_passed_by_small_ones_that_come_later() {
        let memory = ReadMemory::new(100);
        let first = memory.hold(60);
        let (said, order) = channel();
        std::thread::scope(|threads| {
            for (count, bytes) in [(2, 500), (3, 10)] {
                let (memory, said) = (&memory, said.clone());
                threads.spawn(move || {
                    let _held = memory.hold(bytes);
                    said.send(bytes).expect("it listens");
                });
                until_came(memory, count);
            }
            assert!(order.try_recv().is_err());
            drop(first);
            assert_eq!(order.recv(), Ok(500));
            assert_eq!(order.recv(), Ok(10));
        });
        assert_eq!(held(&memory), 0);
    }

    #[test]
    fn what_is_let_go_of_early_is_room_for_others() {
        let memory = ReadMemory::new(100);
        let mut large = memory.hold(900);
        std::thread::scope(|threads| {
            let waits = threads.spawn(|| drop(memory.hold(90)));
            until_came(&memory, 2);
            large.keep(2_000);
            assert_eq!(held(&memory), 900);
            large.keep(10);
            waits.join().expect("it was served");
        });
        assert_eq!(held(&memory), 10);
        drop(memory.hold(0));
        drop(large);
        assert_eq!(held(&memory), 0);
    }
}

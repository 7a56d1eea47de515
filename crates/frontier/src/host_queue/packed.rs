//! A place in the queue in 28 bytes, which compare as the places do.

use crate::store::QueueSlot;

/// Largest depth and number in the order of admissions that a queue tells apart.
pub(super) const DEPTH_MAX: u32 = (1 << 24) - 1;
pub(super) const ORDER_MAX: u64 = (1 << 40) - 1;

/// A slot in 28 bytes that sort as slots do: there are millions of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Packed([u32; 7]);

impl From<&QueueSlot> for Packed {
    fn from(slot: &QueueSlot) -> Packed {
        let (depth, order) = (slot.depth.min(DEPTH_MAX), slot.order.min(ORDER_MAX));
        let bits = slot.priority.to_bits();
        // The bits of numbers rise as the numbers do once those of negative ones are inverted and
        // the others lifted above them. The largest goes first.
        let rising = if bits >> 31 == 1 {
            !bits
        } else {
            bits | 1 << 31
        };
        let key = |shift: u32| (slot.key >> shift) as u32;
        Packed([
            !rising,
            depth << 8 | (order >> 32) as u32,
            order as u32,
            key(96),
            key(64),
            key(32),
            key(0),
        ])
    }
}

impl From<QueueSlot> for Packed {
    fn from(slot: QueueSlot) -> Packed {
        Packed::from(&slot)
    }
}

impl Packed {
    /// No place is before it.
    pub(super) const FIRST: Packed = Packed([0; 7]);
    /// All that is held back is behind it, and nothing else: priorities below zero.
    pub(super) const DEFERRED: Packed = Packed([1 << 31, 0, 0, 0, 0, 0, 0]);

    pub(super) fn slot(&self) -> QueueSlot {
        let [rank, depth_and_order, order, key @ ..] = self.0;
        let bits = match !rank {
            rising if rising >> 31 == 1 => rising & !(1 << 31),
            rising => !rising,
        };
        QueueSlot {
            priority: f32::from_bits(bits),
            depth: depth_and_order >> 8,
            order: u64::from(depth_and_order & 0xFF) << 32 | u64::from(order),
            key: key
                .iter()
                .fold(0, |key, word| key << 32 | u128::from(*word)),
        }
    }

    pub(super) fn is_deferred(&self) -> bool {
        self.slot().is_deferred()
    }
}

//! When to stop: the harvest has stayed low for long enough.

/// Settings of the stop rule.
#[derive(Debug, Clone)]
pub struct StopConfig {
    /// Stop when fewer than this share of the last pages was relevant and new.
    pub harvest_min: f32,
    /// The number of last pages that is looked at.
    pub window: u32,
}

impl Default for StopConfig {
    fn default() -> Self {
        StopConfig {
            harvest_min: 0.01,
            window: 400,
        }
    }
}

/// Why a crawl or a host stops.
#[derive(Debug, Clone, PartialEq)]
pub struct StopReason {
    /// The harvest over the window.
    pub harvest: f32,
    /// The window in pages.
    pub window: u32,
}

/// The harvest so far, of a crawl or of a host.
#[derive(Debug, Clone, Default)]
pub struct Harvest {
    /// Pages judged.
    pub pages: u64,
    /// Pages relevant and new.
    pub relevant: u64,
}

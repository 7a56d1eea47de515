//! What a number says of a page, in log-odds: learnt from what it is for pages on topic and for others.

/// Log-odds that one opinion can reach.
pub(crate) const OPINION_MAX: f32 = 4.0;

/// One opinion's scale: what it says of pages on topic and of pages in general.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    pub(crate) on: f32,
    pub(crate) off: f32,
    pub(crate) variance: f32,
}

impl Scale {
    /// What a value says, in log-odds.
    pub(crate) fn log_odds(&self, value: f32) -> f32 {
        let apart = (self.on - self.off).max(0.0);
        let middle = 0.5 * (self.on + self.off);
        (apart / self.variance * (value - middle)).clamp(-OPINION_MAX, OPINION_MAX)
    }
}

/// Weighted mean and variance.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Moments {
    weight: f32,
    sum: f32,
    squares: f32,
}

impl Moments {
    pub(crate) fn add(&mut self, value: f32, weight: f32) {
        self.weight += weight;
        self.sum += weight * value;
        self.squares += weight * value * value;
    }

    fn mean(&self) -> f32 {
        self.sum / self.weight.max(1e-3)
    }

    fn variance(&self) -> f32 {
        (self.squares / self.weight.max(1e-3) - self.mean() * self.mean()).max(0.0)
    }

    /// The scale on which values of pages on topic and of other pages lie apart.
    pub(crate) fn scale(on: &Moments, off: &Moments, variance_min: f32) -> Scale {
        Scale {
            on: on.mean(),
            off: off.mean(),
            variance: 0.5 * (on.variance() + off.variance()) + variance_min,
        }
    }
}

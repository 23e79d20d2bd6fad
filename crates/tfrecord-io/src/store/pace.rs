//! Read-ahead that readers of a store have learned.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::window::{Arrival, Window};

/// Bytes under way of the first reader of a store, which knows nothing of the way yet.
const FIRST: u64 = 16 << 20;

/// Number of bytes in flight that has proved worthwhile for a store. Readers that share one begin with the value of the
/// others.
#[derive(Clone, Debug, Default)]
pub struct Pace(Arc<AtomicU64>);

impl Pace {
    pub(super) fn window(&self, least: u64, most: u64) -> Window {
        let learned = self.0.load(Ordering::Relaxed);
        Window::new(if learned == 0 { FIRST } else { learned }, least, most)
    }

    /// Records an answer.
    pub(super) fn arrived(&self, window: &mut Window, arrival: &Arrival) {
        if arrival.refused {
            window.refused();
        } else {
            window.arrived(arrival);
        }
        self.0.store(window.bytes(), Ordering::Relaxed);
    }
}

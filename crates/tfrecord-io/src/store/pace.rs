//! What readers have learned of the way to a store.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::window::{Arrival, Window};

/// Bytes under way of the first reader of a store, which knows nothing of the way yet.
const FIRST: u64 = 16 << 20;

/// How many bytes under way a store has shown to be worth while: readers that share one begin with what the others have learned.
#[derive(Clone, Debug, Default)]
pub struct Pace(Arc<AtomicU64>);

impl Pace {
    pub(super) fn window(&self, least: u64, most: u64) -> Window {
        let learned = self.0.load(Ordering::Relaxed);
        Window::new(if learned == 0 { FIRST } else { learned }, least, most)
    }

    /// Notes an answer.
    pub(super) fn arrived(&self, window: &mut Window, arrival: &Arrival) {
        if arrival.refused {
            window.refused();
        } else {
            window.arrived(arrival);
        }
        self.0.store(window.bytes(), Ordering::Relaxed);
    }
}

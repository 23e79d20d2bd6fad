//! Records that were drawn, and are put together by whoever makes their batch.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::rows::{Pick, WindowRows, chunk_of};
use crate::Result;
use crate::error::outside;
use crate::item::{Item, Span};

/// Memory of windows that were given out.
#[derive(Clone, Debug, Default)]
pub(super) struct Spare(Arc<Mutex<Vec<WindowRows>>>);

impl Spare {
    pub(super) fn pop(&self) -> Option<WindowRows> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    /// Keeps the memory of a window, if nobody draws from it any more.
    pub(super) fn keep(&self, rows: Arc<WindowRows>) {
        if let Ok(rows) = Arc::try_unwrap(rows) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(rows);
        }
    }
}

/// Records of windows, in the order in which they were drawn.
pub(crate) struct Drawn {
    pub(super) windows: Vec<Arc<WindowRows>>,
    pub(super) picks: Vec<Pick>,
    spare: Spare,
}

impl Drawn {
    pub(super) fn new(spare: Spare) -> Self {
        Self { windows: Vec::new(), picks: Vec::new(), spare }
    }

    /// Returns how many records there are.
    pub(crate) fn len(&self) -> usize {
        self.picks.len()
    }

    /// Puts the records together: examples that are rows of one chunk.
    pub(crate) fn items(&self) -> Result<Vec<Item>> {
        if self.picks.is_empty() {
            return Ok(Vec::new());
        }
        let chunk = Arc::new(chunk_of(&self.windows, &self.picks).ok_or_else(outside)?);
        let rows = 0..u32::try_from(self.picks.len()).map_err(|_| outside())?;
        let span = |start| Span { chunk: Arc::clone(&chunk), start, len: 1 };
        Ok(rows.map(|row| Item { first: span(row), rest: None }).collect())
    }
}

impl Drop for Drawn {
    fn drop(&mut self) {
        self.windows.drain(..).for_each(|rows| self.spare.keep(rows));
    }
}

impl fmt::Debug for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drawn").field("records", &self.picks.len()).finish_non_exhaustive()
    }
}

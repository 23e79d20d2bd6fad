//! Windows in the shuffle buffer: of chunks from which little is needed, that is copied.

use super::Buffer;
use crate::item::Item;

impl Buffer {
    pub(super) fn push_window(&mut self, item: Item) {
        self.windows.add(&item);
        self.items.push(item);
        if self.windows.is_due() {
            // Windows of one record are counted as rows are: those of these chunks that had gone are let go.
            let gone = self.windows.compact(self.items.iter_mut().collect());
            self.dead = self.dead.saturating_sub(gone);
        }
    }
}

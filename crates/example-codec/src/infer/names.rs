//! Features by name.

use std::collections::HashMap;
use std::sync::Arc;

/// The features met, numbered in the order in which they were.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    names: Vec<Arc<str>>,
    numbers: HashMap<Arc<[u8]>, usize>,
    /// The name that followed each one last.
    next: Vec<usize>,
    /// For each name the record it was last met in, and where among what was found there.
    met: Vec<(u64, usize)>,
    record: u64,
}

impl Names {
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    pub(super) fn name(&self, number: usize) -> Arc<str> {
        self.names.get(number).cloned().unwrap_or_default()
    }

    pub(super) fn find(&self, name: &[u8]) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// The number of a name that most likely comes after another.
    #[inline]
    pub(super) fn find_after(&mut self, previous: Option<usize>, name: &[u8]) -> Option<usize> {
        let guess = previous.map_or(Some(0), |previous| self.next.get(previous).copied());
        if let Some(guess) = guess
            && self.names.get(guess).is_some_and(|known| known.as_bytes() == name)
        {
            return Some(guess);
        }
        let found = self.find(name)?;
        if let Some(next) = previous.and_then(|previous| self.next.get_mut(previous)) {
            *next = found;
        }
        Some(found)
    }

    /// The number of a name, which is new if it is that of all names before.
    pub(super) fn find_or_add(&mut self, bytes: &[u8], name: &str) -> usize {
        if let Some(number) = self.find(bytes) {
            return number;
        }
        let number = self.names.len();
        self.names.push(Arc::from(name));
        self.numbers.insert(Arc::from(bytes), number);
        self.next.push(number + 1);
        self.met.push((0, 0));
        number
    }

    /// To be called before each record.
    pub(super) fn start_record(&mut self) {
        self.record += 1;
    }

    /// Notes that a name is met in this record as entry `at`; returns the entry in which it was met
    /// before.
    #[inline]
    pub(super) fn meet(&mut self, number: usize, at: usize) -> Option<usize> {
        let (record, entry) = self.met.get_mut(number)?;
        if *record == self.record {
            return Some(*entry);
        }
        (*record, *entry) = (self.record, at);
        None
    }

    /// Forgets all but the first names.
    pub(super) fn truncate(&mut self, count: usize) {
        for name in self.names.drain(count.min(self.names.len())..) {
            self.numbers.remove(name.as_bytes());
        }
        self.next.truncate(count);
        self.met.truncate(count);
    }
}

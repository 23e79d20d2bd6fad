//! Steps whose entries were appended without staging, in records whose entries come in any order.

/// Steps whose entries of a record were appended instead of staged.
#[derive(Default)]
pub(super) struct Claims {
    /// The record in which each step was claimed last.
    records: Vec<u32>,
    record: u32,
    steps: Vec<u32>,
}

impl Claims {
    /// Begins a record.
    pub(super) fn begin(&mut self, steps: usize) {
        self.steps.clear();
        self.record = self.record.wrapping_add(1);
        if self.record == 0 || self.records.len() != steps {
            self.record = 1;
            self.records.clear();
            self.records.resize(steps, 0);
        }
    }

    /// Claims a step; returns whether nobody had in this record.
    pub(super) fn claim(&mut self, step: usize) -> bool {
        let Some(record) = self.records.get_mut(step) else { return false };
        self.steps.push(step as u32);
        std::mem::replace(record, self.record) != self.record
    }

    /// Returns the steps that were claimed.
    pub(super) fn steps(&self) -> impl ExactSizeIterator<Item = usize> {
        self.steps.iter().map(|step| *step as usize)
    }
}

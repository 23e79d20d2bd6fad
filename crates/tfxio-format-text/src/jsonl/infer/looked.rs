//! State while values are looked at.

use std::sync::Arc;

use tfxio_core::{Error, Limits};

/// Origin of a value: the record, and its file.
pub(super) type Met = (Option<Arc<str>>, u64);

/// State while values are looked at.
pub(in crate::jsonl) struct Looked<'a> {
    pub(in crate::jsonl) limits: &'a Limits,
    /// Whether a value and a list of one are the same.
    pub(in crate::jsonl) wraps: bool,
    pub(in crate::jsonl) columns: usize,
    /// The file and the number of the record that is looked at.
    pub(in crate::jsonl) at: (Option<&'a Arc<str>>, u64),
    /// Number of changes to what was seen before: new members and kinds.
    pub(in crate::jsonl) changes: usize,
    /// Whether a number of the value that is looked at is another as a float.
    pub(in crate::jsonl) is_rounded: bool,
    /// Conflicts of values with values before them, with the names of their columns.
    pub(in crate::jsonl) conflicts: Vec<(String, Error)>,
    pub(in crate::jsonl) unescaped: Vec<u8>,
    pub(in crate::jsonl) key: Vec<u8>,
}

impl<'a> Looked<'a> {
    pub(in crate::jsonl) fn new(limits: &'a Limits, wraps: bool) -> Self {
        Self {
            limits,
            wraps,
            columns: 0,
            at: (None, 0),
            changes: 0,
            is_rounded: false,
            conflicts: Vec::new(),
            unescaped: Vec::new(),
            key: Vec::new(),
        }
    }

    /// Returns where something is met now.
    pub(super) fn met(&self) -> Met {
        (self.at.0.cloned(), self.at.1)
    }

    /// Returns the name of another record in messages: with its file, if that is another.
    pub(super) fn record(&self, (file, record): &Met) -> String {
        match file {
            Some(file) if self.at.0 != Some(file) => format!("record {record} of {file}"),
            _ => format!("record {record}"),
        }
    }
}

//! A set of strings that stays small.

use std::collections::BTreeSet;

/// The different strings of a feature, as long as they are few and short.
#[derive(Clone, Debug)]
pub(super) struct SmallSet {
    /// `None` once there were too many.
    strings: Option<BTreeSet<String>>,
    most: usize,
    longest: usize,
}

impl SmallSet {
    /// Returns a set of at most `most` strings of at most `longest` bytes.
    pub(super) fn new(most: usize, longest: usize) -> Self {
        Self { strings: Some(BTreeSet::new()), most, longest }
    }

    /// Adds a string. One that is long or no UTF-8, or one more than the most, makes the set give up.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        let Some(strings) = &mut self.strings else { return };
        let text = std::str::from_utf8(bytes).ok().filter(|text| text.len() <= self.longest);
        match text {
            Some(text) if strings.contains(text) => {}
            Some(text) if strings.len() < self.most => {
                strings.insert(text.to_owned());
            }
            _ => self.strings = None,
        }
    }

    /// Returns whether strings are still gathered.
    pub(super) fn is_open(&self) -> bool {
        self.strings.is_some()
    }

    /// Returns the strings in order, unless there were too many.
    pub(super) fn strings(&self) -> Option<&BTreeSet<String>> {
        self.strings.as_ref()
    }
}

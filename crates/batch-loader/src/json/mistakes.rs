//! Several mistakes of one text, said together.

use std::cell::RefCell;

use crate::{Error, Kind, Result};

/// Mistakes that are listed; of more there is the number.
const LISTED: usize = 20;

/// Mistakes that were found, in the order in which they were.
#[derive(Default)]
pub(crate) struct Mistakes(RefCell<Vec<Error>>);

impl Mistakes {
    /// Returns a value, or keeps the mistake.
    pub(crate) fn take<T>(&self, read: Result<T>) -> Option<T> {
        read.map_err(|error| self.0.borrow_mut().push(error)).ok()
    }

    /// Returns a value that need not be there, or keeps the mistake.
    pub(crate) fn given<T>(&self, read: Result<Option<T>>) -> Option<T> {
        self.take(read).flatten()
    }

    /// Returns the first mistake with the others.
    pub(crate) fn finish(self) -> Result<()> {
        let mut found = self.0.into_inner().into_iter();
        let Some(first) = found.next() else { return Ok(()) };
        let others = found.by_ref().take(LISTED).collect::<Vec<_>>();
        let more = Some(found.count()).filter(|more| *more > 0);
        let more = more.map(|more| Error::new(Kind::InvalidValue, format!("{more} more")));
        Err(first.and_others(others).and_others(more))
    }
}

/// Returns what the items of a list mean, or all mistakes in them.
pub(crate) fn all<T>(items: impl IntoIterator<Item = Result<T>>) -> Result<Vec<T>> {
    let found = Mistakes::default();
    let all = items.into_iter().filter_map(|item| found.take(item)).collect();
    found.finish().map(|()| all)
}

//! Where the features of a record lie, field by field.

use crate::Error;
use crate::FeatureView;
use crate::decode::feature::FEATURE_DEPTH;
use crate::example::{Message, Parts};

/// The feature of a field in the record that is read.
#[derive(Debug, Default)]
pub struct Slot<'r> {
    /// The name as it stands in the record, and where the value lies.
    pub(super) found: Option<(&'r [u8], Parts)>,
}

impl<'r> Slot<'r> {
    /// Takes an entry of the record, which replaces one of the same name.
    #[inline]
    pub(super) fn set(&mut self, message: Message<'r>, name: &'r [u8], value: Parts) -> Result<(), Error> {
        match self.found.replace((name, value)) {
            None => Ok(()),
            // It must be well-formed all the same.
            Some((name, replaced)) => FeatureView::parse(message, name, &replaced, FEATURE_DEPTH).map(drop),
        }
    }
}

/// The slots of a struct's own fields, and those of the structs in it.
#[derive(Debug)]
pub struct Slots<'r, const N: usize, F> {
    /// One for each field that is not a struct in the struct.
    pub own: [Slot<'r>; N],
    /// Those of the structs in it.
    pub flattened: F,
    /// The field that is expected next.
    next: usize,
}

impl<const N: usize, F: Default> Default for Slots<'_, N, F> {
    fn default() -> Self {
        Self { own: std::array::from_fn(|_| Slot::default()), flattened: F::default(), next: 0 }
    }
}

/// The names of a struct's own fields.
#[derive(Debug)]
pub struct Names<const N: usize> {
    /// In the order of the fields.
    pub names: [&'static str; N],
    /// The numbers of the fields in the order of their names.
    pub sorted: [usize; N],
}

impl<'r, const N: usize, F> Slots<'r, N, F> {
    /// Returns the number of the field of a name. That it is the one after the field of the name before is tried first.
    #[inline]
    pub fn position(&mut self, known: &Names<N>, name: &[u8]) -> Option<usize> {
        let at = match known.names.get(self.next) {
            Some(next) if next.as_bytes() == name => self.next,
            _ => {
                let name_of = |at: &usize| known.names.get(*at).map_or(&[][..], |name| name.as_bytes());
                let found = known.sorted.binary_search_by(|at| name_of(at).cmp(name)).ok()?;
                *known.sorted.get(found)?
            }
        };
        self.next = at + 1;
        Some(at)
    }

    /// Returns the slot of a field, and leaves an empty one.
    #[inline]
    pub fn take(&mut self, at: usize) -> Slot<'r> {
        self.own.get_mut(at).map(std::mem::take).unwrap_or_default()
    }
}

/// Returns the numbers of names in the order of the names.
#[must_use]
pub const fn sorted<const N: usize>(names: &[&str; N]) -> [usize; N] {
    let mut order = [0; N];
    let mut count = 0;
    while count < N {
        // Moves those that come after it.
        let mut at = count;
        while at > 0 && is_before(names[count].as_bytes(), names[order[at - 1]].as_bytes()) {
            order[at] = order[at - 1];
            at -= 1;
        }
        order[at] = count;
        count += 1;
    }
    order
}

/// Returns whether a byte string sorts before another.
const fn is_before(left: &[u8], right: &[u8]) -> bool {
    let mut at = 0;
    while at < left.len() && at < right.len() {
        if left[at] != right[at] {
            return left[at] < right[at];
        }
        at += 1;
    }
    left.len() < right.len()
}

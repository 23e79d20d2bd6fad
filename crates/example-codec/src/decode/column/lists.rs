//! Rows of any number of values that a template found.

use super::{Column, Row, RowDivision};
use crate::FeatureKind;
use crate::decode::feature::Span;
use crate::decode::store::{Offset, Store, append_bytes, append_floats, append_ints};

impl<O: Offset> Column<O> {
    /// Appends a row of the values of a list message; returns the number of values, or `None` if the message is not in
    /// the usual form, or not of a list of that kind.
    #[inline(never)]
    pub(in crate::decode) fn append_list(
        &mut self,
        row: Row,
        kind: FeatureKind,
        bytes: &[u8],
        list: Span,
    ) -> Option<usize> {
        if self.store.kind() != Some(kind) || matches!(self.rows, RowDivision::Fixed(_)) {
            return None;
        }
        let before = self.store.len();
        let values = match append_values(&mut self.store, bytes, list) {
            Some(values) => self.end_row(row, values).ok(),
            None => None,
        };
        if values.is_none() {
            self.store.truncate(before);
        }
        values
    }
}

/// Appends the values of a list; returns their number. After `None` the store may hold some of them.
#[inline(always)]
fn append_values<O: Offset>(store: &mut Store<O>, bytes: &[u8], list: Span) -> Option<usize> {
    match (store, run(bytes, list)) {
        (Store::Ints(values), Some(run)) => append_ints(values, bytes, run).ok(),
        (Store::Floats(values), Some(run)) => append_floats(values, bytes, run).ok(),
        (Store::Bytes(ends, data), Some(run)) => append_bytes(ends, data, bytes, run).ok().map(|()| 1),
        (Store::Bytes(ends, data), None) => {
            let mut at = list.start;
            let mut count = 0;
            while at < list.end {
                let [0x0a, length @ ..0x80] = *bytes.get(at..)?.first_chunk()? else { return None };
                let end = at + 2 + usize::from(length);
                if end > list.end {
                    return None;
                }
                append_bytes(ends, data, bytes, Span { start: at + 2, end }).ok()?;
                count += 1;
                at = end;
            }
            Some(count)
        }
        (_, None) => (list.start == list.end).then_some(0),
        (Store::None, Some(_)) => None,
    }
}

/// Returns the packed run or the byte string that is all of a list of less than 128 bytes, if it is one.
#[inline(always)]
fn run(bytes: &[u8], list: Span) -> Option<Span> {
    let [0x0a, length @ ..0x80] = *bytes.get(list.start..)?.first_chunk()? else { return None };
    (list.start + 2 + usize::from(length) == list.end)
        .then_some(Span { start: list.start + 2, end: list.end })
}

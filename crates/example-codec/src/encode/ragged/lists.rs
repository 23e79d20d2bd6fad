//! One level of the lists of a ragged column.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use tfxio_core::Count;

use crate::error::Locate;
use crate::{Error, Kind};

/// Lists of one level, whatever their layout.
pub(super) struct Lists {
    /// Start offset of each list, and the end offset of the last one.
    offsets: Vec<usize>,
    nulls: Option<NullBuffer>,
    pub(super) items: ArrayRef,
}

impl Lists {
    pub(super) fn of(array: &ArrayRef) -> Self {
        let nulls = array.nulls().cloned();
        if let Some(list) = array.as_list_opt::<i32>() {
            let offsets = list.value_offsets().iter().map(|end| usize::try_from(*end).unwrap_or(0)).collect();
            return Self { offsets, nulls, items: Arc::clone(list.values()) };
        }
        if let Some(list) = array.as_list_opt::<i64>() {
            let offsets = list.value_offsets().iter().map(|end| usize::try_from(*end).unwrap_or(0)).collect();
            return Self { offsets, nulls, items: Arc::clone(list.values()) };
        }
        let list = array.as_fixed_size_list();
        let length = usize::try_from(list.value_length()).unwrap_or(0);
        let offsets = (0..=array.len()).map(|at| at * length).collect();
        Self { offsets, nulls, items: Arc::clone(list.values()) }
    }

    pub(super) fn count(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    pub(super) fn end(&self, list: usize) -> usize {
        self.offsets.get(list).copied().unwrap_or_default()
    }

    pub(super) fn length(&self, list: usize) -> usize {
        self.end(list + 1).saturating_sub(self.end(list))
    }

    /// Checks that the lists of a row can be expressed by their lengths.
    pub(super) fn check(
        &self,
        row: usize,
        ends: &[usize],
        uniform: usize,
        level: usize,
    ) -> Result<(), Error> {
        let end = |at: usize| ends.get(at).copied().unwrap_or_default();
        for list in end(row)..end(row + 1) {
            if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(list)) {
                let message = format!(
                    "list {} of level {level} is null, which row lengths cannot say",
                    list - end(row)
                );
                return Err(Error::new(Kind::NullValue, message).help("make it an empty list").in_row(row));
            }
            let length = self.length(list);
            if !length.is_multiple_of(uniform) {
                let kind = Kind::WrongLength {
                    expected: u32::try_from(uniform).unwrap_or(u32::MAX),
                    found: length as u64,
                };
                let message = format!(
                    "list {} of level {level} has {}, which cannot be divided into rows of {uniform}",
                    list - end(row),
                    Count::of(length, "item")
                );
                return Err(Error::new(kind, message)
                    .help("give a uniform row length that every list is a multiple of")
                    .in_row(row));
            }
        }
        Ok(())
    }
}

//! Rows that are written column by column.
//!
//! Small cells cost more to get to than to write: the column, its kind and its head have to be looked up first. So some
//! rows at once are written column by column, each into a buffer of its own, which is copied to the end of the output when
//! the row is complete.

use std::ops::Range;

use super::back::Back;
use super::cell::Column;

/// The rows of a group; as many as a word has bits.
pub(super) const GROUP: usize = 64;
/// A buffer for each row of a group.
pub(super) type Buffers = [Back; GROUP];
/// The groups of a block. More would read each column in longer strides, which the processor foresees better,
/// but the buffers must stay in its cache.
const GROUPS: usize = 4;
/// The rows of a block.
pub(super) const ROWS: usize = GROUPS * GROUP;
/// The longest row of a block, in bytes.
const LONGEST: usize = 1 << 16;

/// The rows that are being written.
#[derive(Debug)]
pub(super) struct Block {
    groups: [Buffers; GROUPS],
    /// The length of each row without the map that is being written.
    before: [usize; ROWS],
}

impl Default for Block {
    fn default() -> Self {
        let buffers = || std::array::from_fn(|_| Back::with_limit(LONGEST));
        Self { groups: std::array::from_fn(|_| buffers()), before: [0; ROWS] }
    }
}

impl Block {
    /// Writes some rows, at most [`ROWS`]; nothing if one of them is too long.
    pub(super) fn write(&mut self, rows: Range<usize>, maps: &[(u8, &[Column<'_>])]) -> Option<&[Back]> {
        let count = rows.len();
        self.rows(count).for_each(|(row, _)| row.clear());
        for (tag, columns) in maps.iter().rev() {
            self.rows(count).for_each(|(row, before)| *before = row.len());
            for column in columns.iter().rev() {
                for (first, group) in rows.clone().step_by(GROUP).zip(&mut self.groups) {
                    column.write_rows(first, GROUP.min(rows.end - first), group).ok()?;
                }
            }
            for (row, before) in self.rows(count) {
                if !row.reserve(32) {
                    return None;
                }
                row.varint((row.len() - *before) as u64);
                row.byte(*tag);
            }
        }
        self.groups.as_flattened().get(..count)
    }

    /// Returns the first rows, each with its length before the map.
    fn rows(&mut self, count: usize) -> impl Iterator<Item = (&mut Back, &mut usize)> {
        self.groups.as_flattened_mut().iter_mut().zip(&mut self.before).take(count)
    }
}

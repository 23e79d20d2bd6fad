//! The lists of a column in their raw layout: with gaps, null lists and null elements.

use std::ops::{BitOr, BitXor};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ArrowNativeTypeOp, UInt64Array};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::DataType;
use arrow_select::take::take;
use tfxio_core::Count;

use crate::adapter::TensorRun;
use crate::adapter::route::{Route, RouteStep};
use crate::adapter::splits::Offset;
use crate::kind::Locate as _;
use crate::{Error, Kind, Values};

/// The begins and ends of the lists of one level.
#[derive(Clone, Debug)]
pub(in crate::adapter) enum Bounds {
    Small(OffsetBuffer<i32>),
    Large(OffsetBuffer<i64>),
    Fixed(usize),
}

/// One level of lists.
#[derive(Clone, Debug)]
pub(in crate::adapter) struct Level {
    pub(super) bounds: Bounds,
    pub(super) nulls: Option<NullBuffer>,
}

/// The lists on the way to the values, outermost first, and the values. There is at least one level: a bare
/// value is a list of one, and a null one an absent list.
#[derive(Debug)]
pub(in crate::adapter) struct Raw {
    pub(in crate::adapter) rows: usize,
    pub(in crate::adapter) levels: Vec<Level>,
    pub(super) leaf: ArrayRef,
    /// Null buffer of the elements, if any is null.
    pub(super) nulls: Option<NullBuffer>,
}

impl Level {
    pub(in crate::adapter) fn is_null(&self, list: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(list))
    }

    pub(in crate::adapter) fn bounds(&self, list: usize) -> (usize, usize) {
        fn of<O: Offset>(offsets: &[O], list: usize) -> (usize, usize) {
            match (offsets.get(list), offsets.get(list + 1)) {
                (Some(from), Some(to)) => (from.at(), to.at()),
                _ => (0, 0),
            }
        }
        match &self.bounds {
            Bounds::Small(offsets) => of(offsets, list),
            Bounds::Large(offsets) => of(offsets, list),
            Bounds::Fixed(size) => (list * size, (list + 1) * size),
        }
    }

    /// Returns the length that all lists from `from` to `to` have, and the range of their items. `None` if they differ, are
    /// null, or do not follow each other.
    pub(super) fn uniform(&self, from: usize, to: usize) -> Option<(usize, usize, usize)> {
        fn of<O>(offsets: &[O], from: usize, to: usize) -> Option<(usize, usize, usize)>
        where
            O: Offset + ArrowNativeTypeOp + BitXor<Output = O> + BitOr<Output = O>,
        {
            let offsets = offsets.get(from..=to)?;
            let [first, second, ..] = offsets else {
                let at = offsets.first()?.at();
                return Some((0, at, at));
            };
            let length = second.sub_wrapping(*first);
            // Blocks, so that a difference ends the search early. Inside of one each offset is read once and held
            // against where it should be, without a branch, so that several are looked at at once.
            let mut expected = *first;
            let mut differs = |block: &[O]| {
                let mut bits = O::ZERO;
                for offset in block {
                    bits = bits | (*offset ^ expected);
                    expected = expected.add_wrapping(length);
                }
                bits != O::ZERO
            };
            if offsets.chunks(1024).any(&mut differs) {
                return None;
            }
            Some((length.at(), first.at(), offsets.last()?.at()))
        }
        let hidden = self.nulls.as_ref().is_some_and(|nulls| nulls.slice(from, to - from).null_count() > 0);
        if hidden {
            return None;
        }
        match &self.bounds {
            Bounds::Small(offsets) => of(offsets, from, to),
            Bounds::Large(offsets) => of(offsets, from, to),
            Bounds::Fixed(size) => Some((*size, from * size, to * size)),
        }
    }
}

impl Raw {
    /// Returns the lists of a column.
    ///
    /// # Errors
    /// `Overflow` if there are more lists or elements than the limit has room for, which may be without memory of
    /// them.
    pub(in crate::adapter) fn of(
        column: &ArrayRef,
        route: &Route,
        run: &TensorRun<'_>,
    ) -> Result<Self, Error> {
        let mut levels = Vec::new();
        let mut array = column.clone();
        let mut outer: Option<NullBuffer> = None;
        for step in &route.steps {
            run.claim::<i64>(array.len())?;
            let nulls =
                NullBuffer::union(outer.as_ref(), array.nulls()).filter(|nulls| nulls.null_count() > 0);
            let (bounds, inner) = match step {
                RouteStep::Field(field) => {
                    let Some(field) = array.as_struct_opt().and_then(|array| array.columns().get(*field))
                    else {
                        break;
                    };
                    (outer, array) = (nulls, field.clone());
                    continue;
                }
                RouteStep::List => {
                    let Some(list) = array.as_list_opt::<i32>() else { break };
                    (Bounds::Small(list.offsets().clone()), list.values().clone())
                }
                RouteStep::LargeList => {
                    let Some(list) = array.as_list_opt::<i64>() else { break };
                    (Bounds::Large(list.offsets().clone()), list.values().clone())
                }
                RouteStep::FixedSizeList(size) => {
                    let Some(list) = array.as_fixed_size_list_opt() else { break };
                    (Bounds::Fixed(*size), list.values().clone())
                }
            };
            levels.push(Level { bounds, nulls });
            (outer, array) = (None, inner);
        }
        run.claim::<u8>(array.len())?;
        let mut nulls = match array.data_type() {
            DataType::Null => Some(NullBuffer::new_null(array.len())),
            _ => NullBuffer::union(outer.as_ref(), array.nulls()),
        };
        nulls = nulls.filter(|nulls| nulls.null_count() > 0);
        if levels.is_empty() {
            levels.push(Level { bounds: Bounds::Fixed(1), nulls: nulls.take() });
        }
        Ok(Self { rows: column.len(), levels, leaf: array, nulls })
    }

    /// Makes one level of all: each row the elements of all its lists.
    pub(super) fn flatten(&mut self, run: &TensorRun<'_>) -> Result<(), Error> {
        let Some(outer) = self.levels.first() else { return Ok(()) };
        if let Some((lengths, from, to)) = self.uniform() {
            let length = lengths.iter().fold(1usize, |all, length| all.saturating_mul(*length));
            self.leaf = self.leaf.slice(from, to - from);
            self.nulls = None;
            self.levels = vec![Level { bounds: Bounds::Fixed(length), nulls: None }];
            return Ok(());
        }
        let mut picked = Vec::new();
        let mut ends = vec![0i64];
        for row in 0..self.rows {
            self.pick(&self.levels, row, &mut picked, run)?;
            ends.push(picked.len() as i64);
        }
        let nulls = self
            .nulls
            .as_ref()
            .map(|nulls| picked.iter().map(|&slot| nulls.is_valid(slot as usize)).collect());
        let leaf = take(&self.leaf, &UInt64Array::from(picked), None)?;
        let bounds = Bounds::Large(OffsetBuffer::new(ends.into()));
        self.levels = vec![Level { bounds, nulls: outer.nulls.clone() }];
        (self.leaf, self.nulls) = (leaf, nulls);
        Ok(())
    }

    fn pick(
        &self,
        levels: &[Level],
        list: usize,
        picked: &mut Vec<u64>,
        run: &TensorRun<'_>,
    ) -> Result<(), Error> {
        let Some((level, inner)) = levels.split_first() else { return Ok(()) };
        if level.is_null(list) {
            return Ok(());
        }
        let (from, to) = level.bounds(list);
        if !inner.is_empty() {
            return (from..to).try_for_each(|list| self.pick(inner, list, picked, run));
        }
        run.claim::<u64>(picked.len().saturating_add(to - from))?;
        picked.extend(from as u64..to as u64);
        Ok(())
    }

    /// Returns the length of the lists of each level and the range of the elements, if no list and no element is null and
    /// all lists of a level are equally long.
    pub(super) fn uniform(&self) -> Option<(Vec<usize>, usize, usize)> {
        let (mut from, mut to) = (0, self.rows);
        let mut lengths = Vec::with_capacity(self.levels.len());
        for level in &self.levels {
            let length;
            (length, from, to) = level.uniform(from, to)?;
            lengths.push(length);
        }
        let valid = self.nulls.as_ref().is_none_or(|nulls| nulls.slice(from, to - from).null_count() == 0);
        valid.then_some((lengths, from, to))
    }

    /// Returns the elements of a range.
    pub(super) fn values(&self, from: usize, to: usize, run: &mut TensorRun<'_>) -> Option<Values> {
        let leaf = if from == 0 && to == self.leaf.len() {
            self.leaf.clone()
        } else {
            self.leaf.slice(from, to - from)
        };
        if leaf.data_type() == &DataType::Boolean {
            run.count.values += leaf.len() as u64;
        }
        Values::of_slots(leaf.as_ref())
    }

    /// Returns the length of the longest list of each level.
    pub(super) fn longest(&self) -> Vec<usize> {
        fn visit(levels: &[Level], lists: std::ops::Range<usize>, longest: &mut [usize]) {
            let (Some((level, inner)), Some((own, longest))) =
                (levels.split_first(), longest.split_first_mut())
            else {
                return;
            };
            for list in lists.filter(|&list| !level.is_null(list)) {
                let (from, to) = level.bounds(list);
                *own = (*own).max(to - from);
                if !inner.is_empty() {
                    visit(inner, from..to, longest);
                }
            }
        }
        let mut longest = vec![0; self.levels.len()];
        visit(&self.levels, 0..self.rows, &mut longest);
        longest
    }

    /// Refuses a row whose number of values is not a multiple.
    pub(super) fn check_multiple(&self, unit: usize) -> Result<(), Error> {
        let Some(level) = self.levels.first() else { return Ok(()) };
        for row in (0..self.rows).filter(|&row| !level.is_null(row)) {
            let (from, to) = level.bounds(row);
            if !(to - from).is_multiple_of(unit) {
                let values = Count::of(to - from, "value");
                let are = values.verb("is", "are");
                let message = format!("{values} {are} no multiple of the {unit} of each item");
                return Err(Error::new(Kind::ShapeMismatch, message).in_row(row));
            }
        }
        Ok(())
    }
}

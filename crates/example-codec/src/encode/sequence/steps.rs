//! The feature lists of a batch as cells.
//!
//! ```text
//! 0a L  0a L name  12 L  0a L  1a L  0a L values  0a L ...
//! entry key        list  step  list  packed       step
//! ```

use std::collections::HashSet;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Fields};

use super::super::back::Back;
use super::super::cell::{Cells, Column, Frame, Full, Head, list_tag};
use super::super::column::{Lists, Wrap, lists, null_item};
use super::super::plan::{kind, unsupported};
use super::super::values::{ByLength, ByOffsets, RowItems, Values};
use crate::error::Locate;
use crate::{Error, FeatureKind, Kind};

/// A feature list that is encoded.
#[derive(Debug)]
pub(super) struct ListPlan {
    name: String,
    head: Head,
    step: StepFrame,
}

/// Returns the fields of a struct column as feature lists.
pub(super) fn plans(fields: &Fields, text: bool) -> Result<Vec<ListPlan>, Error> {
    let mut names = HashSet::new();
    let mut plans = Vec::with_capacity(fields.len());
    for field in fields {
        let name = field.name();
        if !names.insert(name) {
            return Err(Error::new(
                Kind::InvalidSchema,
                format!("two sequence features are named {name:?}; a record can hold only one of a name"),
            ));
        }
        let kind = step_kind(field, text).map_err(|why| unsupported(name, field.data_type(), why))?;
        plans.push(ListPlan {
            name: name.clone(),
            head: Head::new(name, None),
            step: StepFrame { tag: list_tag(kind) },
        });
    }
    Ok(plans)
}

/// Returns the kind of the steps of a feature list.
fn step_kind(field: &Field, text: bool) -> Result<Option<FeatureKind>, &'static str> {
    match field.data_type() {
        DataType::Null => Ok(None),
        DataType::List(step) | DataType::LargeList(step) | DataType::FixedSizeList(step, _) => {
            match step.data_type() {
                DataType::Null => Ok(None),
                DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => {
                    kind(step.data_type(), text)
                }
                _ => Err("make it a list of lists, with one list a step"),
            }
        }
        _ => Err("make it a list of lists, with one list a step"),
    }
}

impl ListPlan {
    /// Returns the feature lists of a column. Where `records` is null there are none.
    pub(super) fn column<'a>(
        &'a self,
        array: &'a ArrayRef,
        records: Option<&'a NullBuffer>,
    ) -> Result<Column<'a>, Error> {
        let (rows, steps): (Box<dyn RowItems + 'a>, _) = match array.data_type() {
            DataType::List(_) => {
                let list = array.as_list::<i32>();
                (Box::new(ByOffsets(list.value_offsets())), list.values())
            }
            DataType::LargeList(_) => {
                let list = array.as_list::<i64>();
                (Box::new(ByOffsets(list.value_offsets())), list.values())
            }
            DataType::FixedSizeList(_, _) => {
                let list = array.as_fixed_size_list();
                let length = usize::try_from(list.value_length()).unwrap_or(0);
                (Box::new(ByLength(length)), list.values())
            }
            _ => return Ok(Column::new(&self.head, Absent)),
        };
        lists(steps, EachStep { plan: self, count: array.len(), rows, lists: [records, array.nulls()] })
    }
}

/// Frame of the values of a step, which has no name.
#[derive(Clone, Copy, Debug)]
struct StepFrame {
    tag: u8,
}

impl Frame for StepFrame {
    #[inline(always)]
    fn room(&self) -> usize {
        64
    }

    #[inline(always)]
    fn run(&self, bytes: usize, out: &mut Back) {
        if bytes < 124 {
            let n = bytes as u8;
            out.put(&[0x0a, n + 4, self.tag, n + 2, 0x0a, n]);
        } else {
            let before = out.varint(bytes as u64);
            out.byte(0x0a);
            self.list(bytes + before + 1, out);
        }
    }

    #[inline]
    fn list(&self, bytes: usize, out: &mut Back) {
        let feature = bytes + 1 + out.varint(bytes as u64);
        out.byte(self.tag);
        out.varint(feature as u64);
        out.byte(0x0a);
    }

    #[inline]
    fn null(&self, out: &mut Back) {
        out.put(&[0x0a, 0]);
    }
}

/// The steps of a feature list, of a kind.
struct EachStep<'a> {
    plan: &'a ListPlan,
    /// Rows of the batch.
    count: usize,
    /// The steps of each row.
    rows: Box<dyn RowItems + 'a>,
    /// Null buffers of which any marks a row as having no list.
    lists: [Option<&'a NullBuffer>; 2],
}

impl EachStep<'_> {
    fn has_list(&self, row: usize) -> bool {
        self.lists.iter().flatten().all(|nulls| nulls.is_valid(row))
    }

    /// Puts the feature list of a row in front of `out`, if it has one; `step` does so with a step.
    #[inline(always)]
    fn write(
        &self,
        row: usize,
        head: &Head,
        out: &mut Back,
        step: impl Fn(usize, &mut Back) -> Result<(), Full>,
    ) -> Result<(), Full> {
        if !self.has_list(row) {
            return Ok(());
        }
        let before = out.len();
        let (start, end) = self.rows.items(row);
        for at in (start..end).rev() {
            step(at, out)?;
        }
        if !out.reserve(head.room()) {
            return Err(Full);
        }
        head.value(out.len() - before, out);
        Ok(())
    }
}

impl<'a> Wrap<'a> for EachStep<'a> {
    fn lists<R: RowItems + 'a, V: Values + 'a>(self, lists: Lists<'a, R, V>) -> Column<'a> {
        Column::new(&self.plan.head, Typed { steps: self, lists })
    }

    fn nulls(self) -> Column<'a> {
        Column::new(&self.plan.head, Unset(self))
    }

    #[cold]
    fn refuse_null_items<R: RowItems>(
        &self,
        rows: &R,
        nulls: Option<&NullBuffer>,
        items: &NullBuffer,
    ) -> Result<(), Error> {
        for row in (0..self.count).filter(|row| self.has_list(*row)) {
            let (start, end) = self.rows.items(row);
            for step in start..end {
                if let Some(at) = null_item(step, rows, nulls, items) {
                    let message = format!(
                        "value {at} of step {} is null, which a list of tf.SequenceExample cannot hold",
                        step - start
                    );
                    let error = Error::new(Kind::NullValue, message).help("fill it or drop it");
                    return Err(error.in_row(row).in_feature(&self.plan.name));
                }
            }
        }
        Ok(())
    }
}

struct Typed<'a, R, V> {
    steps: EachStep<'a>,
    lists: Lists<'a, R, V>,
}

impl<R: RowItems, V: Values> Cells for Typed<'_, R, V> {
    fn write(&self, row: usize, head: &Head, out: &mut Back) -> Result<(), Full> {
        let frame = self.steps.plan.step;
        self.steps.write(row, head, out, |step, out| self.lists.write_list(step, &frame, out))
    }
}

/// Steps without a kind.
struct Unset<'a>(EachStep<'a>);

impl Cells for Unset<'_> {
    fn write(&self, row: usize, head: &Head, out: &mut Back) -> Result<(), Full> {
        let frame = self.0.plan.step;
        self.0.write(row, head, out, |_, out| {
            if !out.reserve(frame.room()) {
                return Err(Full);
            }
            frame.null(out);
            Ok(())
        })
    }
}

/// A sequence feature that no record has.
struct Absent;

impl Cells for Absent {
    fn write(&self, _: usize, _: &Head, _: &mut Back) -> Result<(), Full> {
        Ok(())
    }
}

//! Skipping of values without decoding them.

mod items;
mod merge;

use std::sync::Arc;

use items::{blocks, sized_items, varint_items, wide_items};
use merge::{merge, union};

use super::{At, DatumReader};
use crate::schema::{AvroSchema, Type, TypeId};
use crate::{Error, ErrorKind, Result};

/// Maximum nesting of records, arrays and maps in a datum: each takes a part of the stack.
pub(super) const NESTING: u32 = 1000;

/// Plan to skip a value of each type of a schema, compiled once.
///
/// Neighbours of fixed width are one step; a block whose writer has given its number of bytes is one step, too. Skipped
/// values are checked only as far as finding their end requires: a boolean may be 2, a string may not be UTF-8, a
/// number may have more than 64 bits.
///
/// ```
/// use avro_path::datum::{DatumReader, SkipPlan, write};
/// use avro_path::AvroSchema;
///
/// let schema = AvroSchema::parse(r#"{"type": "array", "items": "string"}"#)?;
/// let plan = SkipPlan::new(&schema);
/// let mut bytes = Vec::new();
/// write::long(&mut bytes, 2); // a block of two
/// write::string(&mut bytes, "a");
/// write::string(&mut bytes, "b");
/// write::long(&mut bytes, 0); // no further block
/// write::long(&mut bytes, 77); // the next datum
///
/// let mut reader = DatumReader::new(&bytes);
/// plan.skip(schema.root(), &mut reader)?;
/// assert_eq!(reader.long()?, 77);
/// # Ok::<(), avro_path::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SkipPlan {
    types: Vec<Skip>,
}

#[derive(Clone, Debug)]
enum Skip {
    Fixed(usize),
    Varint,
    Sized,
    Items(Arc<Items>),
    /// A union by the bytes of each branch, which are known.
    Widths(Arc<[usize]>),
    /// Each branch is one step.
    Union(Arc<[SkipStep]>),
    Record(Vec<SkipStep>),
}

/// An array or a map.
#[derive(Clone, Debug)]
struct Items {
    /// The fewest bytes of an item.
    least: usize,
    item: Item,
}

#[derive(Clone, Debug)]
enum Item {
    Width(usize),
    Varints(usize),
    /// Bytes with their length before them, and the number of other bytes after each.
    OneSized([u32; 1]),
    TwoSized([u32; 2]),
    ThreeSized([u32; 3]),
    Steps(Vec<SkipStep>),
}

#[derive(Clone, Debug)]
enum SkipStep {
    Fixed(usize),
    Varints(usize),
    /// Bytes with their length before them: `count` of these, and `more` other bytes after the last.
    Sized {
        count: u32,
        more: u32,
    },
    Widths(Arc<[usize]>),
    Union(Arc<[SkipStep]>),
    Items(Arc<Items>),
    Type(TypeId),
}

/// Plan to skip consecutive values.
#[derive(Clone, Debug)]
pub(crate) struct SkipRun {
    plan: Arc<SkipPlan>,
    steps: Box<[SkipStep]>,
}

impl SkipRun {
    /// Returns the plan for consecutive values of `types`.
    pub(crate) fn new(plan: &Arc<SkipPlan>, types: impl IntoIterator<Item = TypeId>) -> Self {
        let steps = types.into_iter().map(SkipStep::Type).collect::<Vec<_>>();
        let steps = merge(&plan.types, &steps).into_iter().map(|step| match step {
            SkipStep::Type(id) => match plan.types.get(id.index()) {
                Some(Skip::Items(items)) => SkipStep::Items(Arc::clone(items)),
                _ => SkipStep::Type(id),
            },
            other => other,
        });
        Self { plan: Arc::clone(plan), steps: steps.collect() }
    }

    /// Skips the values from an offset on, and returns the offset of their end.
    ///
    /// # Errors
    /// As [`SkipPlan::skip`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn skip(&self, bytes: At<'_>, at: usize) -> Result<usize> {
        match &*self.steps {
            [SkipStep::Items(items)] => self.plan.items(items, bytes, at, NESTING - 1),
            [SkipStep::Fixed(size)] => bytes.fixed(at, *size).map(|(_, at)| at),
            // An array or a map, and a value that may be absent.
            [SkipStep::Items(items), SkipStep::Widths(widths)] => {
                let at = self.plan.items(items, bytes, at, NESTING - 1)?;
                skip_width(widths, bytes, at)
            }
            steps => self.plan.record(steps, bytes, at, NESTING),
        }
    }
}

impl SkipPlan {
    /// Compiles the plan of a schema.
    #[must_use]
    pub fn new(schema: &AvroSchema) -> Self {
        let mut types = schema
            .types()
            .map(|(_, ty)| match ty {
                Type::Null => Skip::Fixed(0),
                Type::Boolean => Skip::Fixed(1),
                Type::Float => Skip::Fixed(4),
                Type::Double => Skip::Fixed(8),
                Type::Fixed(fixed) => Skip::Fixed(fixed.size()),
                Type::Int | Type::Long | Type::Enum(_) => Skip::Varint,
                Type::Bytes | Type::String => Skip::Sized,
                Type::Array(items) => {
                    Skip::Items(Arc::new(Items::new(schema, &[SkipStep::Type(*items)], *items, 0)))
                }
                Type::Map(values) => {
                    let key = SkipStep::Sized { count: 1, more: 0 };
                    Skip::Items(Arc::new(Items::new(schema, &[key, SkipStep::Type(*values)], *values, 1)))
                }
                Type::Union(branches) => union(schema, branches),
                Type::Record(record) => Skip::Record(
                    record.fields().iter().map(|field| SkipStep::Type(field.type_id())).collect(),
                ),
            })
            .collect::<Vec<_>>();
        // A record within a record has a higher number where it is defined there, so that going backwards meets most
        // inner records first. The others are called instead of copied.
        for at in (0..types.len()).rev() {
            let Some(Skip::Record(fields)) = types.get_mut(at) else { continue };
            let fields = std::mem::take(fields);
            let merged = merge(&types, &fields);
            if let Some(slot) = types.get_mut(at) {
                *slot = match *merged {
                    [] => Skip::Fixed(0),
                    [SkipStep::Fixed(bytes)] => Skip::Fixed(bytes),
                    _ => Skip::Record(merged),
                };
            }
        }
        // Items are passed over by the steps of their type.
        for at in 0..types.len() {
            let Some(Skip::Items(items)) = types.get(at) else { continue };
            let Items { least, item: Item::Steps(raw) } = &**items else { continue };
            let item = Item::new(*least, merge(&types, raw));
            let items = Skip::Items(Arc::new(Items { least: *least, item }));
            if let Some(slot) = types.get_mut(at) {
                *slot = items;
            }
        }
        Self { types }
    }

    /// Returns the width of the type's values, if it is fixed.
    #[must_use]
    pub fn fixed_width(&self, id: TypeId) -> Option<usize> {
        match self.types.get(id.index()) {
            Some(Skip::Fixed(bytes)) => Some(*bytes),
            _ => None,
        }
    }

    /// Returns whether the remaining bytes of the reader are exactly `count` values of a type.
    pub(crate) fn is_rest(&self, id: TypeId, reader: &mut DatumReader<'_>, count: u64) -> bool {
        let is_there = self.fixed_width(id) == Some(0) || (0..count).all(|_| self.skip(id, reader).is_ok());
        is_there && reader.is_empty()
    }

    /// Passes over a value of the type.
    ///
    /// # Errors
    /// When the value's end cannot be found: the bytes end before it, a length, count or branch cannot be true, or it
    /// is nested in itself more than 1,000 times.
    #[inline]
    pub fn skip(&self, id: TypeId, reader: &mut DatumReader<'_>) -> Result<()> {
        let end = self.skip_within(id, At(reader.all()), reader.position(), NESTING)?;
        *reader = DatumReader::at(reader.all(), end);
        Ok(())
    }

    fn skip_within(&self, id: TypeId, bytes: At<'_>, at: usize, nesting: u32) -> Result<usize> {
        match self.types.get(id.index()) {
            Some(Skip::Fixed(size)) => bytes.fixed(at, *size).map(|(_, at)| at),
            Some(Skip::Varint) => bytes.skip_varint(at),
            Some(Skip::Sized) => bytes.skip_sized(at, 0),
            Some(Skip::Items(items)) => self.items(items, bytes, at, deeper(at, nesting)?),
            Some(Skip::Widths(widths)) => skip_width(widths, bytes, at),
            Some(Skip::Union(branches)) => self.union(branches, bytes, at, nesting),
            Some(Skip::Record(steps)) => self.record(steps, bytes, at, deeper(at, nesting)?),
            None => Ok(at),
        }
    }

    #[inline(never)]
    fn record(&self, steps: &[SkipStep], bytes: At<'_>, at: usize, nesting: u32) -> Result<usize> {
        self.steps(steps, bytes, at, nesting)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn steps(&self, steps: &[SkipStep], bytes: At<'_>, mut at: usize, nesting: u32) -> Result<usize> {
        for step in steps {
            at = match *step {
                SkipStep::Sized { count, more } => {
                    for _ in 1..count {
                        at = bytes.skip_sized(at, 0)?;
                    }
                    bytes.skip_sized(at, more)?
                }
                SkipStep::Fixed(size) => bytes.fixed(at, size)?.1,
                SkipStep::Varints(1) => bytes.skip_varint(at)?,
                SkipStep::Varints(count) => bytes.skip_varints(at, count)?,
                SkipStep::Widths(ref widths) => skip_width(widths, bytes, at)?,
                SkipStep::Union(ref branches) => self.union(branches, bytes, at, nesting)?,
                SkipStep::Items(ref items) => self.items(items, bytes, at, deeper(at, nesting)?)?,
                SkipStep::Type(id) => match self.types.get(id.index()) {
                    Some(Skip::Items(items)) => self.items(items, bytes, at, deeper(at, nesting)?)?,
                    _ => self.skip_within(id, bytes, at, nesting)?,
                },
            };
        }
        Ok(at)
    }

    #[inline(never)]
    fn union(&self, branches: &[SkipStep], bytes: At<'_>, at: usize, nesting: u32) -> Result<usize> {
        let (branch, at) = bytes.index(at, branches.len())?;
        match branches.get(branch) {
            Some(SkipStep::Fixed(size)) => bytes.fixed(at, *size).map(|(_, at)| at),
            Some(SkipStep::Varints(_)) => bytes.skip_varint(at),
            Some(SkipStep::Sized { .. }) => bytes.skip_sized(at, 0),
            Some(SkipStep::Type(id)) => self.skip_within(*id, bytes, at, nesting),
            // A union has no union for a branch.
            Some(SkipStep::Widths(_) | SkipStep::Union(_) | SkipStep::Items(_)) | None => Ok(at),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn items(&self, items: &Items, bytes: At<'_>, at: usize, nesting: u32) -> Result<usize> {
        // Each kind is a function of its own that keeps no more registers than it needs.
        match items.item {
            Item::OneSized(more) => sized_items(items.least, more, bytes, at),
            Item::TwoSized(more) => sized_items(items.least, more, bytes, at),
            Item::ThreeSized(more) => sized_items(items.least, more, bytes, at),
            Item::Steps(ref steps) => self.step_items(items.least, steps, bytes, at, nesting),
            Item::Width(width) => wide_items(items.least, width, bytes, at),
            Item::Varints(each) => varint_items(items.least, each, bytes, at),
        }
    }

    #[inline(never)]
    fn step_items(
        &self,
        least: usize,
        steps: &[SkipStep],
        bytes: At<'_>,
        at: usize,
        nesting: u32,
    ) -> Result<usize> {
        blocks(least, bytes, at, |count, mut at| {
            for _ in 0..count {
                at = self.steps(steps, bytes, at, nesting)?;
            }
            Ok(at)
        })
    }
}

/// Passes over a branch, without a guess which one it is.
#[cfg_attr(not(debug_assertions), inline(always))]
fn skip_width(widths: &[usize], bytes: At<'_>, at: usize) -> Result<usize> {
    if let Some(&branch) = bytes.0.get(at)
        && branch & 0x81 == 0
        && let Some(&width) = widths.get(usize::from(branch >> 1))
        && width <= bytes.0.len() - (at + 1)
    {
        return Ok(at + 1 + width);
    }
    skip_width_carefully(widths, bytes, at)
}

#[cold]
#[inline(never)]
fn skip_width_carefully(widths: &[usize], bytes: At<'_>, at: usize) -> Result<usize> {
    let (branch, at) = bytes.index(at, widths.len())?;
    bytes.fixed(at, widths.get(branch).copied().unwrap_or_default()).map(|(_, at)| at)
}

/// Returns how much deeper a value at this offset may be nested than the one around it.
pub(super) fn deeper(at: usize, nesting: u32) -> Result<u32> {
    nesting.checked_sub(1).ok_or_else(|| {
        let what = format!("the datum is nested in itself more than {NESTING} times");
        Error::new(ErrorKind::LimitExceeded, what).at_record_byte(at)
    })
}

//! Passes over values without looking into them.

use std::sync::Arc;

use super::{At, DatumReader};
use crate::schema::{Schema, Type, TypeId};
use crate::{Error, ErrorKind, Result};

/// The steps of a record that are put into the place of a field with that record.
const INLINE: usize = 16;
/// Records, arrays and maps in each other, beyond which a datum is refused: each takes a piece of the stack.
const NESTING: u32 = 1000;

/// How to pass over a value of each type of a schema, compiled once.
///
/// Neighbours of known width are one step; a block whose writer says how many bytes it has is one step, too. What is
/// passed over is not checked beyond what finding its end takes: a boolean may be 2, a string may not be UTF-8, a number may
/// have more than 64 bits.
///
/// ```
/// use avro_path::datum::{DatumReader, SkipPlan, write};
/// use avro_path::Schema;
///
/// let schema = Schema::parse(r#"{"type": "array", "items": "string"}"#)?;
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
    Items(Items),
    Union(Box<[TypeId]>),
    Record(Vec<Step>),
}

/// An array or a map.
#[derive(Clone, Debug)]
struct Items {
    /// The fewest bytes of an item.
    least: usize,
    /// The bytes of each, if they are known.
    width: Option<usize>,
    /// How to pass over one.
    steps: Vec<Step>,
    /// The same where all of it is bytes with their length before them: so many bytes behind each.
    sized: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Fixed(usize),
    Varints(usize),
    /// With so many bytes behind it.
    Sized(u32),
    Type(TypeId),
}

/// How to pass over several values, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct SkipRun {
    plan: Arc<SkipPlan>,
    steps: Box<[Step]>,
}

impl SkipRun {
    /// Of a plan, values of these types.
    pub(crate) fn new(plan: &Arc<SkipPlan>, types: impl IntoIterator<Item = TypeId>) -> Self {
        let steps = types.into_iter().map(Step::Type).collect::<Vec<_>>();
        Self { plan: Arc::clone(plan), steps: merge(&plan.types, &steps).into() }
    }

    /// Passes over them from a place on, and says where they end.
    ///
    /// # Errors
    /// As [`SkipPlan::skip`].
    #[inline]
    pub(crate) fn skip(&self, bytes: At<'_>, at: usize) -> Result<usize> {
        self.plan.steps(&self.steps, bytes, at, NESTING)
    }
}

impl SkipPlan {
    /// Compiles the plan of a schema.
    #[must_use]
    pub fn new(schema: &Schema) -> Self {
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
                Type::Array(items) => Skip::Items(Items::new(schema, Step::Type(*items), *items, 0)),
                Type::Map(values) => Skip::Items(Items::new(schema, Step::Sized(0), *values, 1)),
                Type::Union(branches) => Skip::Union(branches.clone()),
                Type::Record(record) => {
                    Skip::Record(record.fields().iter().map(|field| Step::Type(field.type_id())).collect())
                }
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
                    [Step::Fixed(bytes)] => Skip::Fixed(bytes),
                    _ => Skip::Record(merged),
                };
            }
        }
        // Items are passed over by the steps of their type.
        for at in 0..types.len() {
            let Some(Skip::Items(items)) = types.get_mut(at) else { continue };
            let raw = std::mem::take(&mut items.steps);
            let steps = merge(&types, &raw);
            if let Some(Skip::Items(items)) = types.get_mut(at) {
                items.width = match *steps {
                    // What has at least no bytes has none at all.
                    _ if items.least == 0 => Some(0),
                    [Step::Fixed(width)] => Some(width),
                    _ => None,
                };
                let sized = steps.iter().map(|step| match step {
                    Step::Sized(more) => Some(*more),
                    _ => None,
                });
                items.sized = sized.collect::<Option<_>>().unwrap_or_default();
                items.steps = steps;
            }
        }
        Self { types }
    }

    /// The width of the type's values, if it is known.
    #[must_use]
    pub fn fixed_width(&self, id: TypeId) -> Option<usize> {
        match self.types.get(id.index()) {
            Some(Skip::Fixed(bytes)) => Some(*bytes),
            _ => None,
        }
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
            Some(Skip::Union(branches)) => {
                let (branch, at) = bytes.index(at, branches.len())?;
                match branches.get(branch) {
                    Some(&branch) => self.skip_within(branch, bytes, at, nesting),
                    None => Ok(at),
                }
            }
            Some(Skip::Record(steps)) => self.steps(steps, bytes, at, deeper(at, nesting)?),
            None => Ok(at),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn steps(&self, steps: &[Step], bytes: At<'_>, mut at: usize, nesting: u32) -> Result<usize> {
        for step in steps {
            at = match *step {
                Step::Sized(more) => bytes.skip_sized(at, more)?,
                Step::Fixed(size) => bytes.fixed(at, size)?.1,
                Step::Varints(1) => bytes.skip_varint(at)?,
                Step::Varints(count) => bytes.skip_varints(at, count)?,
                Step::Type(id) => self.skip_within(id, bytes, at, nesting)?,
            };
        }
        Ok(at)
    }

    fn items(&self, items: &Items, bytes: At<'_>, mut at: usize, nesting: u32) -> Result<usize> {
        loop {
            let (count, size, start) = bytes.item_block(at, items.least)?;
            at = start;
            if count == 0 {
                return Ok(at);
            }
            if let Some(size) = size {
                at = bytes.fixed(at, size)?.1;
            } else if let Some(width) = items.width {
                // No overflow where the items have bytes: the block would have been refused. Where they have none,
                // their number does not matter.
                let size = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(width);
                at = bytes.fixed(at, size)?.1;
            } else if !items.sized.is_empty() {
                for _ in 0..count {
                    for &more in &items.sized {
                        at = bytes.skip_sized(at, more)?;
                    }
                }
            } else {
                for _ in 0..count {
                    at = self.steps(&items.steps, bytes, at, nesting)?;
                }
            }
        }
    }
}

impl Items {
    /// What is not put together yet: the key of a map, and the item.
    fn new(schema: &Schema, first: Step, item: TypeId, key: usize) -> Self {
        let steps = match first {
            Step::Type(_) => vec![first],
            key => vec![key, Step::Type(item)],
        };
        Self { least: schema.least_bytes(item).saturating_add(key), width: None, steps, sized: Vec::new() }
    }
}

fn deeper(at: usize, nesting: u32) -> Result<u32> {
    nesting.checked_sub(1).ok_or_else(|| {
        let what = format!("the datum is nested in itself more than {NESTING} times");
        Error::new(ErrorKind::LimitExceeded, what).at_inner_byte(at)
    })
}

/// Steps with neighbours of known width added up.
fn merge(types: &[Skip], fields: &[Step]) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::with_capacity(fields.len());
    for field in fields {
        let Step::Type(id) = *field else {
            push(&mut out, *field);
            continue;
        };
        match types.get(id.index()) {
            Some(Skip::Fixed(bytes)) => push(&mut out, Step::Fixed(*bytes)),
            Some(Skip::Varint) => push(&mut out, Step::Varints(1)),
            Some(Skip::Sized) => push(&mut out, Step::Sized(0)),
            // A record that is being merged at the moment, or is yet to be, has fields that are still types.
            Some(Skip::Record(steps)) if !steps.is_empty() && steps.len() <= INLINE => {
                steps.iter().for_each(|step| push(&mut out, *step));
            }
            _ => push(&mut out, Step::Type(id)),
        }
    }
    out
}

fn push(out: &mut Vec<Step>, step: Step) {
    match (out.last_mut(), step) {
        (_, Step::Fixed(0)) => {}
        (Some(Step::Fixed(sum)), Step::Fixed(bytes)) => *sum = sum.saturating_add(bytes),
        (Some(Step::Sized(sum)), Step::Fixed(bytes)) if bytes < 1 << 16 && *sum < 1 << 16 => {
            // Both are small.
            *sum += bytes as u32;
        }
        (Some(Step::Varints(sum)), Step::Varints(count)) => *sum = sum.saturating_add(count),
        _ => out.push(step),
    }
}

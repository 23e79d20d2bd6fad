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
    /// A union of which each branch has so many bytes.
    Widths(Arc<[usize]>),
    /// Each branch is one step.
    Union(Arc<[Step]>),
    Record(Vec<Step>),
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
    /// Bytes with their length before them, and so many other bytes behind each.
    Sized(Box<[u32]>),
    Steps(Vec<Step>),
}

#[derive(Clone, Debug)]
enum Step {
    Fixed(usize),
    Varints(usize),
    /// Bytes with their length before them: so many of these, and so many other bytes behind the last.
    Sized {
        count: u32,
        more: u32,
    },
    Widths(Arc<[usize]>),
    Union(Arc<[Step]>),
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
        if let [Step::Type(id)] = *self.steps
            && let Some(Skip::Items(items)) = self.plan.types.get(id.index())
        {
            return self.plan.items(items, bytes, at, NESTING - 1);
        }
        self.plan.record(&self.steps, bytes, at, NESTING)
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
                Type::Array(items) => Skip::Items(Items::new(schema, &[Step::Type(*items)], *items, 0)),
                Type::Map(values) => {
                    let key = Step::Sized { count: 1, more: 0 };
                    Skip::Items(Items::new(schema, &[key, Step::Type(*values)], *values, 1))
                }
                Type::Union(branches) => union(schema, branches),
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
            let Some(Skip::Items(Items { least, item: Item::Steps(raw) })) = types.get_mut(at) else {
                continue;
            };
            let (least, raw) = (*least, std::mem::take(raw));
            let item = Item::new(least, merge(&types, &raw));
            if let Some(slot) = types.get_mut(at) {
                *slot = Skip::Items(Items { least, item });
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
            Some(Skip::Widths(widths)) => skip_width(widths, bytes, at),
            Some(Skip::Union(branches)) => self.union(branches, bytes, at, nesting),
            Some(Skip::Record(steps)) => self.record(steps, bytes, at, deeper(at, nesting)?),
            None => Ok(at),
        }
    }

    #[inline(never)]
    fn record(&self, steps: &[Step], bytes: At<'_>, at: usize, nesting: u32) -> Result<usize> {
        self.steps(steps, bytes, at, nesting)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn steps(&self, steps: &[Step], bytes: At<'_>, mut at: usize, nesting: u32) -> Result<usize> {
        for step in steps {
            at = match *step {
                Step::Sized { count, more } => {
                    for _ in 1..count {
                        at = bytes.skip_sized(at, 0)?;
                    }
                    bytes.skip_sized(at, more)?
                }
                Step::Fixed(size) => bytes.fixed(at, size)?.1,
                Step::Varints(1) => bytes.skip_varint(at)?,
                Step::Varints(count) => bytes.skip_varints(at, count)?,
                Step::Widths(ref widths) => skip_width(widths, bytes, at)?,
                Step::Union(ref branches) => self.union(branches, bytes, at, nesting)?,
                Step::Type(id) => match self.types.get(id.index()) {
                    Some(Skip::Items(items)) => self.items(items, bytes, at, deeper(at, nesting)?)?,
                    _ => self.skip_within(id, bytes, at, nesting)?,
                },
            };
        }
        Ok(at)
    }

    #[inline(never)]
    fn union(&self, branches: &[Step], bytes: At<'_>, at: usize, nesting: u32) -> Result<usize> {
        let (branch, at) = bytes.index(at, branches.len())?;
        match branches.get(branch) {
            Some(Step::Fixed(size)) => bytes.fixed(at, *size).map(|(_, at)| at),
            Some(Step::Varints(_)) => bytes.skip_varint(at),
            Some(Step::Sized { .. }) => bytes.skip_sized(at, 0),
            Some(Step::Type(id)) => self.skip_within(*id, bytes, at, nesting),
            // A union has no union for a branch.
            Some(Step::Widths(_) | Step::Union(_)) | None => Ok(at),
        }
    }

    #[inline(never)]
    fn items(&self, items: &Items, bytes: At<'_>, mut at: usize, nesting: u32) -> Result<usize> {
        loop {
            let (count, size, start) = bytes.item_block(at, items.least)?;
            if count == 0 {
                return Ok(start);
            }
            at = match size {
                Some(size) => bytes.fixed(start, size)?.1,
                None => self.block(&items.item, count, bytes, start, nesting)?,
            };
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn block(&self, item: &Item, count: u64, bytes: At<'_>, mut at: usize, nesting: u32) -> Result<usize> {
        // No overflow where the items have bytes: the block would have been refused. Where they have none, their number
        // does not matter.
        let times = |width: usize| usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(width);
        match item {
            Item::Width(width) => return bytes.fixed(at, times(*width)).map(|(_, at)| at),
            Item::Varints(each) => return bytes.skip_varints(at, times(*each)),
            Item::Sized(more) => match **more {
                [first] => return skip_sized_items(count, [first], bytes, at),
                [first, second] => return skip_sized_items(count, [first, second], bytes, at),
                [first, second, third] => return skip_sized_items(count, [first, second, third], bytes, at),
                _ => {
                    for _ in 0..count {
                        for &behind in more {
                            at = bytes.skip_sized(at, behind)?;
                        }
                    }
                }
            },
            Item::Steps(steps) => {
                for _ in 0..count {
                    at = self.steps(steps, bytes, at, nesting)?;
                }
            }
        }
        Ok(at)
    }
}

impl Items {
    /// What is not put together yet.
    fn new(schema: &Schema, steps: &[Step], item: TypeId, key: usize) -> Self {
        let least = schema.least_bytes(item).saturating_add(key);
        Self { least, item: Item::Steps(steps.to_vec()) }
    }
}

impl Item {
    /// An item of at least so many bytes.
    fn new(least: usize, steps: Vec<Step>) -> Self {
        let mut sized = Vec::new();
        for step in &steps {
            match step {
                Step::Sized { count, more } => {
                    sized.extend((1..*count).map(|_| 0));
                    sized.push(*more);
                }
                _ => sized.clear(),
            }
        }
        match *steps {
            // What has at least no bytes has none at all.
            _ if least == 0 => Self::Width(0),
            [Step::Fixed(width)] => Self::Width(width),
            [Step::Varints(count)] => Self::Varints(count),
            _ if steps.iter().all(|step| matches!(step, Step::Sized { .. })) => Self::Sized(sized.into()),
            _ => Self::Steps(steps),
        }
    }
}

/// Passes over so many times `N` strings.
///
/// Items whose strings are as long as those of the item before are passed over in one piece: the next item is found without
/// waiting for the lengths in this one.
#[cfg_attr(not(debug_assertions), inline(always))]
fn skip_sized_items<const N: usize>(
    count: u64,
    more: [u32; N],
    bytes: At<'_>,
    mut at: usize,
) -> Result<usize> {
    // Of the item before: its bytes, where in it the lengths stand, and what they are.
    let (mut whole, mut lengths) = (usize::MAX, [(0, 0); N]);
    for _ in 0..count {
        if let Some(item) = bytes.0.get(at..).and_then(|rest| rest.get(..whole))
            && lengths.iter().all(|(place, length)| item.get(*place) == Some(length))
        {
            at += whole;
            continue;
        }
        let start = at;
        let mut is_short = true;
        for (length, behind) in lengths.iter_mut().zip(more) {
            let first = bytes.0.get(at).copied().unwrap_or_default();
            is_short &= first < 0x80;
            *length = (at - start, first);
            at = bytes.skip_sized(at, behind)?;
        }
        whole = if is_short { at - start } else { usize::MAX };
    }
    Ok(at)
}

/// Passes over a branch, without a guess which one it is.
#[cfg_attr(not(debug_assertions), inline(always))]
fn skip_width(widths: &[usize], bytes: At<'_>, at: usize) -> Result<usize> {
    let (branch, at) = bytes.index(at, widths.len())?;
    bytes.fixed(at, widths.get(branch).copied().unwrap_or_default()).map(|(_, at)| at)
}

fn union(schema: &Schema, branches: &[TypeId]) -> Skip {
    let steps = branches.iter().map(|&id| match schema.get(id) {
        Type::Null => Step::Fixed(0),
        Type::Boolean => Step::Fixed(1),
        Type::Float => Step::Fixed(4),
        Type::Double => Step::Fixed(8),
        Type::Fixed(fixed) => Step::Fixed(fixed.size()),
        Type::Int | Type::Long | Type::Enum(_) => Step::Varints(1),
        Type::Bytes | Type::String => Step::Sized { count: 1, more: 0 },
        _ => Step::Type(id),
    });
    let steps = steps.collect::<Arc<[_]>>();
    let widths = steps.iter().map(|step| match step {
        Step::Fixed(width) => Some(*width),
        _ => None,
    });
    match widths.collect::<Option<_>>() {
        Some(widths) => Skip::Widths(widths),
        None => Skip::Union(steps),
    }
}

fn deeper(at: usize, nesting: u32) -> Result<u32> {
    nesting.checked_sub(1).ok_or_else(|| {
        let what = format!("the datum is nested in itself more than {NESTING} times");
        Error::new(ErrorKind::LimitExceeded, what).at_inner_byte(at)
    })
}

/// Steps with neighbours of one kind put together.
fn merge(types: &[Skip], fields: &[Step]) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::with_capacity(fields.len());
    for field in fields {
        let Step::Type(id) = *field else {
            push(&mut out, field);
            continue;
        };
        match types.get(id.index()) {
            Some(Skip::Fixed(bytes)) => push(&mut out, &Step::Fixed(*bytes)),
            Some(Skip::Varint) => push(&mut out, &Step::Varints(1)),
            Some(Skip::Sized) => push(&mut out, &Step::Sized { count: 1, more: 0 }),
            Some(Skip::Widths(widths)) => push(&mut out, &Step::Widths(Arc::clone(widths))),
            Some(Skip::Union(branches)) => push(&mut out, &Step::Union(Arc::clone(branches))),
            // A record that is being merged at the moment, or is yet to be, has fields that are still types.
            Some(Skip::Record(steps)) if !steps.is_empty() && steps.len() <= INLINE => {
                steps.iter().for_each(|step| push(&mut out, step));
            }
            _ => push(&mut out, field),
        }
    }
    out
}

fn push(out: &mut Vec<Step>, step: &Step) {
    match (out.last_mut(), step) {
        (_, Step::Fixed(0)) => {}
        (Some(Step::Fixed(sum)), Step::Fixed(bytes)) => *sum = sum.saturating_add(*bytes),
        (Some(Step::Sized { more, .. }), Step::Fixed(bytes)) if *bytes < 1 << 16 && *more < 1 << 16 => {
            // Both are small.
            *more += *bytes as u32;
        }
        (Some(Step::Sized { count, more: more @ 0 }), Step::Sized { count: others, more: behind })
            if *others < 1 << 16 && *count < 1 << 16 =>
        {
            *count += others;
            *more = *behind;
        }
        (Some(Step::Varints(sum)), Step::Varints(count)) => *sum = sum.saturating_add(*count),
        _ => out.push(step.clone()),
    }
}

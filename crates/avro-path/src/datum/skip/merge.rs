//! Merging of adjacent steps of one kind.

use std::sync::Arc;

use super::{Item, Items, Skip, SkipStep};
use crate::schema::{AvroSchema, Type, TypeId};

/// Maximum number of steps of a record that are inlined into the record that has it as a field.
const INLINE: usize = 16;

impl Items {
    /// Returns items whose steps are not merged yet.
    pub(super) fn new(schema: &AvroSchema, steps: &[SkipStep], item: TypeId, key: usize) -> Self {
        let least = schema.least_bytes(item).saturating_add(key);
        Self { least, item: Item::Steps(steps.to_vec()) }
    }
}

impl Item {
    /// Returns an item of at least `least` bytes.
    pub(super) fn new(least: usize, steps: Vec<SkipStep>) -> Self {
        let mut sized = Vec::new();
        for step in &steps {
            if let SkipStep::Sized { count, more } = step {
                sized.extend((1..*count).map(|_| 0));
                sized.push(*more);
            }
        }
        match *steps {
            // What has at least no bytes has none at all.
            _ if least == 0 => Self::Width(0),
            [SkipStep::Fixed(width)] => Self::Width(width),
            [SkipStep::Varints(count)] => Self::Varints(count),
            _ if !steps.iter().all(|step| matches!(step, SkipStep::Sized { .. })) => Self::Steps(steps),
            _ => match *sized {
                [first] => Self::OneSized([first]),
                [first, second] => Self::TwoSized([first, second]),
                [first, second, third] => Self::ThreeSized([first, second, third]),
                _ => Self::Steps(steps),
            },
        }
    }
}

/// Returns the plan to skip a union by its branches.
pub(super) fn union(schema: &AvroSchema, branches: &[TypeId]) -> Skip {
    let steps = branches.iter().map(|&id| match schema.get(id) {
        Type::Null => SkipStep::Fixed(0),
        Type::Boolean => SkipStep::Fixed(1),
        Type::Float => SkipStep::Fixed(4),
        Type::Double => SkipStep::Fixed(8),
        Type::Fixed(fixed) => SkipStep::Fixed(fixed.size()),
        Type::Int | Type::Long | Type::Enum(_) => SkipStep::Varints(1),
        Type::Bytes | Type::String => SkipStep::Sized { count: 1, more: 0 },
        _ => SkipStep::Type(id),
    });
    let steps = steps.collect::<Arc<[_]>>();
    let widths = steps.iter().map(|step| match step {
        SkipStep::Fixed(width) => Some(*width),
        _ => None,
    });
    match widths.collect::<Option<_>>() {
        Some(widths) => Skip::Widths(widths),
        None => Skip::Union(steps),
    }
}

/// Returns the steps with neighbours of one kind merged.
pub(super) fn merge(types: &[Skip], fields: &[SkipStep]) -> Vec<SkipStep> {
    let mut out: Vec<SkipStep> = Vec::with_capacity(fields.len());
    for field in fields {
        let SkipStep::Type(id) = *field else {
            push(&mut out, field);
            continue;
        };
        match types.get(id.index()) {
            Some(Skip::Fixed(bytes)) => push(&mut out, &SkipStep::Fixed(*bytes)),
            Some(Skip::Varint) => push(&mut out, &SkipStep::Varints(1)),
            Some(Skip::Sized) => push(&mut out, &SkipStep::Sized { count: 1, more: 0 }),
            Some(Skip::Widths(widths)) => push(&mut out, &SkipStep::Widths(Arc::clone(widths))),
            Some(Skip::Union(branches)) => push(&mut out, &SkipStep::Union(Arc::clone(branches))),
            // A record that is being merged at the moment, or is yet to be, has fields that are still types.
            Some(Skip::Record(steps)) if !steps.is_empty() && steps.len() <= INLINE => {
                steps.iter().for_each(|step| push(&mut out, step));
            }
            _ => push(&mut out, field),
        }
    }
    out
}

fn push(out: &mut Vec<SkipStep>, step: &SkipStep) {
    match (out.last_mut(), step) {
        (_, SkipStep::Fixed(0)) => {}
        (Some(SkipStep::Fixed(sum)), SkipStep::Fixed(bytes)) => *sum = sum.saturating_add(*bytes),
        (Some(SkipStep::Sized { more, .. }), SkipStep::Fixed(bytes))
            if *bytes < 1 << 16 && *more < 1 << 16 =>
        {
            // Both are small.
            *more += *bytes as u32;
        }
        (
            Some(SkipStep::Sized { count, more: more @ 0 }),
            SkipStep::Sized { count: others, more: behind },
        ) if *others < 1 << 16 && *count < 1 << 16 => {
            *count += others;
            *more = *behind;
        }
        (Some(SkipStep::Varints(sum)), SkipStep::Varints(count)) => *sum = sum.saturating_add(*count),
        _ => out.push(step.clone()),
    }
}

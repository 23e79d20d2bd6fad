//! Arrays and maps.

use super::{Compiler, Source};
use crate::datum::SkipFields;
use crate::plan::op::{Op, Step};
use crate::resolution;
use crate::schema::{Type, TypeId};

/// What an array or a map holds.
#[derive(Debug)]
pub(crate) struct Elements {
    pub(crate) source: Source,
    /// The type of an element or value.
    pub(crate) id: TypeId,
    pub(crate) is_map: bool,
    /// The fewest bytes of an element or entry.
    pub(crate) least: usize,
}

impl Compiler<'_> {
    /// What a value holds that is an array or a map; `None` where it is neither.
    pub(crate) fn elements(&self, source: Source, id: TypeId) -> Option<Elements> {
        let (id, is_map) = match self.schema.get(id) {
            Type::Array(item) => (*item, false),
            Type::Map(value) => (*value, true),
            _ => return None,
        };
        let source = match self.resolved(source) {
            Some(resolution::Op::Array(written, op) | resolution::Op::Map(written, op)) => {
                Source::Resolved(*written, *op)
            }
            _ => Source::Alike,
        };
        let (schema, written, _) = self.written(source, id);
        let least = schema.least_bytes(written).saturating_add(usize::from(is_map));
        Some(Elements { source, id, is_map, least })
    }

    /// How to pass over an element or value, and its bytes if they are known.
    pub(crate) fn element_skip(&self, elements: &Elements) -> (SkipFields, Option<usize>) {
        let (_, id, plan) = self.written(elements.source, elements.id);
        (SkipFields::value(plan, id), plan.fixed_width(id))
    }
}

/// What reads an item, of a map with its key.
pub(crate) fn item_steps(key: Option<Op>, item: Op) -> Box<[Step]> {
    let key = key.map(|op| Step { op, name: None });
    match (key, item) {
        (key, Op::Nothing) => key.into_iter().collect(),
        (None, Op::Record(steps)) => steps,
        (Some(key), Op::Record(steps)) => std::iter::once(key).chain(steps).collect(),
        (key, op) => key.into_iter().chain([Step { op, name: None }]).collect(),
    }
}

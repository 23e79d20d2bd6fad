//! Arrays and maps.

use super::{Compiler, ValueSource};
use crate::datum::SkipFields;
use crate::plan::op::{Op, RecordStep};
use crate::resolution;
use crate::schema::{Type, TypeId};

/// Elements of an array, or values of a map.
#[derive(Debug)]
pub(crate) struct Elements {
    pub(crate) source: ValueSource,
    /// Type of an element or value.
    pub(crate) id: TypeId,
    pub(crate) is_map: bool,
    /// Minimum number of bytes of an element or entry.
    pub(crate) least: usize,
}

impl Compiler<'_> {
    /// Returns the elements of an array or the values of a map; `None` for any other type.
    pub(crate) fn elements(&self, source: ValueSource, id: TypeId) -> Option<Elements> {
        let (id, is_map) = match self.schema.get(id) {
            Type::Array(item) => (*item, false),
            Type::Map(value) => (*value, true),
            _ => return None,
        };
        let source = match self.resolved(source) {
            Some(resolution::Op::Array(written, op) | resolution::Op::Map(written, op)) => {
                ValueSource::Resolved(*written, *op)
            }
            _ => ValueSource::Alike,
        };
        let (schema, written, _) = self.written(source, id);
        let least = schema.least_bytes(written).saturating_add(usize::from(is_map));
        Some(Elements { source, id, is_map, least })
    }

    /// Returns the plan to skip an element or value, and its size in bytes if that is fixed.
    pub(crate) fn element_skip(&self, elements: &Elements) -> (SkipFields, Option<usize>) {
        let (_, id, plan) = self.written(elements.source, elements.id);
        (SkipFields::value(plan, id), plan.fixed_width(id))
    }
}

/// Returns the steps that read an item, in a map with its key.
pub(crate) fn item_steps(key: Option<Op>, item: Op) -> Box<[RecordStep]> {
    let key = key.map(|op| RecordStep { op, name: None });
    match (key, item) {
        (key, Op::Nothing) => key.into_iter().collect(),
        (None, Op::Record(steps)) => steps,
        (Some(key), Op::Record(steps)) => std::iter::once(key).chain(steps).collect(),
        (key, op) => key.into_iter().chain([RecordStep { op, name: None }]).collect(),
    }
}

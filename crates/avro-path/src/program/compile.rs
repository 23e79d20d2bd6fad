//! Compilation of key expressions and a schema to a prefix tree, and of the tree to operations.

use std::sync::Arc;

use arrow_schema::{DataType, Fields};

use super::column::ColumnValues;
use super::draft::{Drafts, Sieve};
use super::want::Wanted;
use super::{KeyOptions, column};
use crate::Result;
use crate::key::compare::resolve_test;
use crate::key::leaf::{Leaf, Take};
use crate::key::resolve::{Move, Path, resolve};
use crate::key::{Key, OperandValue, Test};
use crate::plan::compile::Compiler;
use crate::plan::op::{Op, RecordStep};
use crate::plan::shape::{Child, Kind, Shape, Validity};
use crate::plan::slot::{Comparison, Side};
use crate::plan::{Counts, DecodePlan};
use crate::resolution::Resolution;
use crate::schema::{AvroSchema, TypeId};

/// Compiles several keys over one schema, with the names of their columns.
pub(super) fn compile<'k>(
    schema: &AvroSchema,
    resolution: Option<&Resolution>,
    keys: impl Iterator<Item = (&'k str, &'k Key)>,
    options: KeyOptions,
) -> Result<DecodePlan> {
    let (main, first) = (Drafts::new(schema.root()), Drafts::new(schema.root()));
    let mut drafting = Drafting { schema, options, main, first, slots: 0 };
    let is_large = options.large_offsets;
    let mut counts = Counts::default();
    let (mut fields, mut columns) = (Vec::new(), Vec::new());
    for (number, (name, key)) in keys.enumerate() {
        let shape = column::shape(&drafting.key(key, number)?, key.rank(), is_large, &mut counts);
        fields.push(shape.arrow_field(name, true));
        columns.push(Child { number, shape });
    }
    let Drafting { main, first, slots, .. } = drafting;
    let mut compiler = Compiler::new(schema, resolution, Counts { slots, ..counts });
    // A byte goes into each column at most once.
    compiler.copies = counts.binaries.max(1);
    let first = first.has_slots.then(|| compiler.root(Wanted::new(&first, &columns)));
    let mut first = first.transpose()?;
    first.iter_mut().for_each(without_rest);
    let op = compiler.root(Wanted::new(&main, &columns))?;
    let fields = Fields::from(fields);
    let data_type = DataType::Struct(fields.clone());
    let shape = Shape { validity: Validity::Always, kind: Kind::Struct(columns), data_type };
    let schema = Arc::new(arrow_schema::Schema::new(fields));
    Ok(compiler.finish(shape, (first, op), schema, true, is_large))
}

/// The prefix tree while it grows.
struct Drafting<'s, 'k> {
    schema: &'s AvroSchema,
    options: KeyOptions,
    main: Drafts<'k>,
    /// The paths of filters from the root.
    first: Drafts<'k>,
    slots: usize,
}

impl<'k> Drafting<'_, 'k> {
    fn key(&mut self, key: &'k Key, column: usize) -> Result<ColumnValues> {
        let path = resolve(self.schema, key)?;
        let mut at = 0;
        for &(next, to) in &path.moves {
            at = match next {
                Move::Filter(tests) => self.filter(key, at, tests, to)?,
                Move::EntryKey => {
                    self.main.list[at].entry_keys.push(column);
                    return Ok(ColumnValues::keys(self.options));
                }
                _ => self.main.step(at, next, to),
            };
        }
        let mut types = Vec::new();
        for end in self.main.ends(self.schema, at, &path.take) {
            self.main.list[end].columns.push(column);
            types.push(self.main.list[end].ty);
        }
        // A dtype that is asked for is a stored type.
        let logical_types = self.options.logical_types && key.dtype().is_none();
        Ok(ColumnValues::of(self.schema, path.leaf, &types, self.options.logical_types(logical_types)))
    }

    /// Adds the group of a filter over items of a type.
    fn filter(&mut self, key: &'k Key, at: usize, tests: &'k [Test], item: TypeId) -> Result<usize> {
        let (child, is_new) = self.main.group(at, Move::Filter(tests), item);
        if !is_new {
            return Ok(child);
        }
        let container = self.main.list[at].ty;
        let mut sieve = Sieve {
            compiled: Vec::with_capacity(tests.len()),
            probe: Drafts::new(item),
            slots: Vec::new(),
            entry_keys: Vec::new(),
        };
        for test in tests {
            let [left, right] = resolve_test(self.schema, key, container, test)?;
            let leaves = [&left, &right].map(|path| path.as_ref().map(|path| path.leaf));
            let left = self.side(&mut sieve, &test.left.value, left, leaves[1]);
            let right = self.side(&mut sieve, &test.right.value, right, leaves[0]);
            sieve.compiled.push(Comparison { left, equal: test.equal, right });
        }
        self.main.list[child].sieve = Some(sieve);
        Ok(child)
    }

    /// Returns a side of a test: a constant beside a value of a type, or the slot of a path.
    fn side(
        &mut self,
        sieve: &mut Sieve<'k>,
        value: &OperandValue,
        path: Option<Path<'k>>,
        other: Option<Leaf>,
    ) -> Side {
        let Some(path) = path else { return constant(value, other) };
        let slot = self.slots;
        self.slots += 1;
        if let [(Move::EntryKey, _)] = path.moves.as_slice() {
            sieve.entry_keys.push(slot);
            return Side::Slot(slot);
        }
        let drafts = if path.from_root {
            &mut self.first
        } else {
            sieve.slots.push(slot);
            &mut sieve.probe
        };
        let mut at = 0;
        for &(next, to) in &path.moves {
            at = drafts.step(at, next, to);
        }
        drafts.has_slots = true;
        for end in drafts.ends(self.schema, at, &path.take) {
            drafts.list[end].slots.push(slot);
        }
        if matches!(path.take, Take::Presence) {
            drafts.list[at].presence.push(slot);
        }
        Side::Slot(slot)
    }
}

/// Returns the constant beside a path of a type: beside floats it is rounded as they are.
fn constant(value: &OperandValue, other: Option<Leaf>) -> Side {
    match value {
        OperandValue::Text(text) => Side::Text(Box::from(text.as_bytes())),
        OperandValue::Integer(value) => Side::Integer(*value),
        OperandValue::Float(value) if other == Some(Leaf::Float) => Side::Float(f64::from(*value as f32)),
        OperandValue::Float(value) => Side::Float(*value),
        OperandValue::Boolean(value) => Side::Boolean(*value),
        OperandValue::Null | OperandValue::Path { .. } => Side::Null,
    }
}

/// Removes everything after the last value that is needed; only for a tree whose end does not matter.
fn without_rest(op: &mut Op) {
    if let Op::Record(steps) = op {
        let is_needed = |step: &RecordStep| !matches!(step.op, Op::Skip(_));
        let needed = steps.iter().rposition(is_needed).map_or(0, |last| last + 1);
        let mut kept = std::mem::take(steps).into_vec();
        kept.truncate(needed);
        if let Some(last) = kept.last_mut() {
            without_rest(&mut last.op);
        }
        *steps = kept.into();
    }
}

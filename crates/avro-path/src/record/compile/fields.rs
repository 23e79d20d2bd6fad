//! The fields of a record, in the order in which they were written.

use std::sync::Arc;

use super::{Compiler, Source, no_such_value};
use crate::Result;
use crate::datum::{SkipFields, SkipPlan};
use crate::record::op::{FieldDefault, Op, Step};
use crate::record::shape::{Child, Shape};
use crate::resolution::{self, OpId};
use crate::schema::{Record, Type, TypeId};
use crate::walk::together;

/// The most steps of a record that take the place of the field with that record.
const INLINE: usize = 32;

impl Compiler<'_> {
    /// Data of the schema itself.
    pub(super) fn record(&mut self, record: &Record, children: &[Child]) -> Result<Op> {
        let skip = Arc::clone(&self.skip);
        let mut steps = Steps::new(&skip);
        for (number, field) in record.fields().iter().enumerate() {
            match find(children, number) {
                Some(shape) => {
                    let op = self.read(Source::Alike, field.type_id(), shape)?;
                    steps.push(field.name(), op);
                }
                None => steps.skip(field.name(), field.type_id()),
            }
        }
        Ok(steps.finish())
    }

    /// Data of another schema.
    pub(super) fn resolved_record(
        &mut self,
        writer: TypeId,
        op: &resolution::Op,
        record: &Record,
        children: &[Child],
    ) -> Result<Op> {
        let Some((resolution, skip)) = self.resolution.clone() else { return Ok(no_such_value()) };
        let Type::Record(written) = resolution.writer().get(writer) else { return Ok(no_such_value()) };
        // For each of the reader's fields where it comes from.
        let mut sources = Vec::with_capacity(record.fields().len());
        match op {
            resolution::Op::InOrder(order) => {
                let mut place = 0;
                for step in order {
                    match step {
                        resolution::Step::Skip(_) => place += 1,
                        resolution::Step::Field(op, _) => {
                            sources.push(From::Field(place, *op));
                            place += 1;
                        }
                        resolution::Step::Default(bytes) => sources.push(From::Default(bytes)),
                    }
                }
            }
            resolution::Op::Reordered(_, order) => {
                sources.extend(order.iter().map(|source| match source {
                    resolution::Source::Field(place, op, _) => From::Field(*place, *op),
                    resolution::Source::Default(bytes) => From::Default(bytes),
                }));
            }
            _ => return Ok(no_such_value()),
        }
        // Columns have no order in time: each of the writer's fields goes where it belongs when it comes.
        let mut wanted = vec![Vec::new(); written.fields().len()];
        for (number, source) in sources.iter().enumerate() {
            if let From::Field(place, op) = source
                && let Some(wanted) = wanted.get_mut(*place)
                && find(children, number).is_some()
            {
                wanted.push((number, *op));
            }
        }
        let mut steps = Steps::new(&skip);
        for (field, wanted) in written.fields().iter().zip(wanted) {
            let mut ops = Vec::with_capacity(wanted.len());
            for (number, op) in wanted {
                if let (Some(target), Some(shape)) = (record.fields().get(number), find(children, number)) {
                    let source = Source::Resolved(field.type_id(), op);
                    ops.push(self.read(source, target.type_id(), shape)?);
                }
            }
            match (ops.pop(), ops.is_empty()) {
                (None, _) => steps.skip(field.name(), field.type_id()),
                (Some(only), true) => steps.push(field.name(), only),
                (Some(last), false) => {
                    self.copies = self.copies.saturating_mul(ops.len() + 1);
                    ops.push(last);
                    steps.push(field.name(), Op::Again(ops.into()));
                }
            }
        }
        for (number, source) in sources.iter().enumerate() {
            if let From::Default(bytes) = source
                && let (Some(target), Some(shape)) = (record.fields().get(number), find(children, number))
            {
                let op = self.read(Source::Alike, target.type_id(), shape)?;
                self.unwritten = self.unwritten.saturating_add(bytes.len());
                let default = FieldDefault { bytes: (*bytes).into(), op };
                steps.push(target.name(), Op::Default(Box::new(default)));
            }
        }
        Ok(steps.finish())
    }
}

/// Where a field of the reader's comes from.
enum From<'a> {
    /// A field of the writer's, by its place.
    Field(usize, OpId),
    Default(&'a [u8]),
}

/// The steps of a record, with what is passed over put together.
struct Steps<'a> {
    plan: &'a Arc<SkipPlan>,
    steps: Vec<Step>,
    skipped: Vec<(Arc<str>, TypeId)>,
}

impl<'a> Steps<'a> {
    fn new(plan: &'a Arc<SkipPlan>) -> Self {
        Self { plan, steps: Vec::new(), skipped: Vec::new() }
    }

    fn skip(&mut self, name: &str, id: TypeId) {
        self.skipped.push((name.into(), id));
    }

    fn push(&mut self, name: &str, op: Op) {
        self.flush();
        match op {
            Op::Nothing => {}
            Op::Record(inner) if inner.len() <= INLINE => self.steps.extend(inner.into_iter().map(|step| {
                let name = match step.name {
                    Some(inner) => format!("{name}.{inner}").into(),
                    None => name.into(),
                };
                Step { name: Some(name), ..step }
            })),
            op => self.steps.push(Step { op, name: Some(name.into()) }),
        }
    }

    fn flush(&mut self) {
        let skipped = std::mem::take(&mut self.skipped);
        if skipped.is_empty() {
            return;
        }
        let skip = SkipFields::new(self.plan, &skipped);
        self.steps.push(Step { op: Op::Skip(Box::new(skip)), name: None });
    }

    fn finish(mut self) -> Op {
        self.flush();
        Op::Record(together(self.steps))
    }
}

/// The column of a field; `None` if nobody asks for it.
fn find(children: &[Child], number: usize) -> Option<&Shape> {
    let at = children.binary_search_by_key(&number, |child| child.number).ok()?;
    children.get(at).map(|child| &child.shape)
}

//! The fields of a record, in the order in which they were written.

use std::sync::Arc;

use super::{Compiler, ValueSource, Want, again, no_such_value};
use crate::Result;
use crate::datum::{SkipFields, SkipPlan};
use crate::plan::op::{FieldDefault, Op, RecordStep};
use crate::plan::same::together;
use crate::resolution;
use crate::schema::{Record, Type, TypeId};

/// Maximum number of steps of a record that are inlined into the record that has it as a field.
const INLINE: usize = 32;

impl Compiler<'_> {
    /// Compiles the operation that reads a record.
    pub(crate) fn record(&mut self, source: ValueSource, record: &Record, want: impl Want) -> Result<Op> {
        match (source, self.resolved(source)) {
            (ValueSource::Resolved(writer, _), Some(resolution::Op::Record(fields))) => {
                let Some(resolution) = self.resolution else { return Ok(no_such_value()) };
                let Type::Record(written) = resolution.writer.get(writer) else {
                    return Ok(no_such_value());
                };
                self.resolved_record(written, &resolution.skip, &fields.sources, record, want)
            }
            (_, Some(_)) => Ok(no_such_value()),
            (_, None) => self.alike_record(record, want),
        }
    }

    /// Compiles the operation for data of the schema itself.
    fn alike_record(&mut self, record: &Record, want: impl Want) -> Result<Op> {
        let skip = Arc::clone(&self.skip);
        let mut steps = Steps::new(&skip);
        for (number, field) in record.fields().iter().enumerate() {
            match want.field(number) {
                Some(want) => {
                    let op = self.read(ValueSource::Alike, field.type_id(), want)?;
                    steps.push(field.name(), op);
                }
                None => steps.skip(field.name(), field.type_id()),
            }
        }
        Ok(steps.finish())
    }

    /// Compiles the operation for data of another schema.
    fn resolved_record(
        &mut self,
        written: &Record,
        skip: &Arc<SkipPlan>,
        sources: &[resolution::FieldSource],
        record: &Record,
        want: impl Want,
    ) -> Result<Op> {
        // Columns have no order in time: each of the writer's fields goes where it belongs when it comes.
        let mut wanted = vec![Vec::new(); written.fields().len()];
        let mut defaults = Vec::new();
        for ((number, source), field) in sources.iter().enumerate().zip(record.fields()) {
            let Some(want) = want.field(number) else { continue };
            match source {
                resolution::FieldSource::Field(index, op, _) => {
                    if let Some(wanted) = wanted.get_mut(*index) {
                        wanted.push((field.type_id(), *op, want));
                    }
                }
                resolution::FieldSource::Default(bytes) => defaults.push((field, bytes, want)),
            }
        }
        let mut steps = Steps::new(skip);
        for (field, wanted) in written.fields().iter().zip(wanted) {
            let mut ops = Vec::with_capacity(wanted.len());
            for (id, op, want) in wanted {
                ops.push(self.read(ValueSource::Resolved(field.type_id(), op), id, want)?);
            }
            self.copies = self.copies.saturating_mul(ops.len().max(1));
            match again(ops) {
                Some(op) => steps.push(field.name(), op),
                None => steps.skip(field.name(), field.type_id()),
            }
        }
        for (field, bytes, want) in defaults {
            let op = self.read(ValueSource::Alike, field.type_id(), want)?;
            self.unwritten = self.unwritten.saturating_add(bytes.len());
            let default = FieldDefault { bytes: bytes.clone(), op };
            steps.push(field.name(), Op::Default(Box::new(default)));
        }
        Ok(steps.finish())
    }
}

/// Steps of a record, in which adjacent skipped fields are merged.
struct Steps<'a> {
    plan: &'a Arc<SkipPlan>,
    steps: Vec<RecordStep>,
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
                RecordStep { name: Some(name), ..step }
            })),
            op => self.steps.push(RecordStep { op, name: Some(name.into()) }),
        }
    }

    fn flush(&mut self) {
        let skipped = std::mem::take(&mut self.skipped);
        if skipped.is_empty() {
            return;
        }
        let skip = SkipFields::new(self.plan, &skipped);
        self.steps.push(RecordStep { op: Op::Skip(Box::new(skip)), name: None });
    }

    fn finish(mut self) -> Op {
        self.flush();
        Op::Record(together(self.steps))
    }
}

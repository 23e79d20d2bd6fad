//! Compilation of a schema, or of a resolution of two, to the operations that fill columns.

mod fields;
mod items;
mod leaf;
mod union;

use std::sync::Arc;

use arrow_schema::SchemaRef;

use super::DecodePlan;
use super::op::{Branch, Op};
use super::shape::Shape;
use super::stores::Counts;
use crate::datum::{SkipFields, SkipPlan};
use crate::resolution::{self, OpId, Resolution};
use crate::schema::{AvroSchema, Type, TypeId};
use crate::{Error, ErrorKind, Kind, Result};

pub(crate) use items::{Elements, item_steps};
pub(crate) use union::chosen;

/// Maximum number of operations and fills: nested wide unions could come to any number.
const MOST: usize = 1 << 22;

/// Values to extract from a value and its children.
pub(crate) trait Want: Copy {
    /// Whether an error in a nullable value has the name of the branch in its path.
    const NAMES_BRANCH: bool;

    /// Returns whether nothing is extracted.
    fn is_nothing(self) -> bool;

    /// Returns the values to extract from the field of this number.
    fn field(self, number: usize) -> Option<Self>;

    /// Compiles the operation that appends a value of the branch of this number, of the reader's union of these types.
    fn branch(
        self,
        compiler: &mut Compiler<'_>,
        source: ValueSource,
        number: usize,
        branches: &[TypeId],
    ) -> Result<Op>;

    /// Compiles what appends a value of the reader's type, which is not a union.
    fn value(self, compiler: &mut Compiler<'_>, source: ValueSource, id: TypeId) -> Result<Op>;
}

/// Encoding of a value, relative to the reader's schema.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ValueSource {
    /// Encoded with the reader's type.
    Alike,
    /// Encoded with a type of the writer's schema.
    Resolved(TypeId, OpId),
}

#[derive(Debug)]
pub(crate) struct Compiler<'a> {
    pub(crate) schema: &'a AvroSchema,
    skip: Arc<SkipPlan>,
    /// Resolution, if the data are of another schema.
    resolution: Option<&'a Resolution>,
    pub(crate) counts: Counts,
    left: usize,
    /// Bytes that one entry can have without any in the datum: of symbols and of defaults.
    unwritten: usize,
    /// Maximum number of times that a byte of the datum is stored: more than once if a field goes into several columns.
    pub(crate) copies: usize,
}

impl<'a> Compiler<'a> {
    pub(crate) fn new(schema: &'a AvroSchema, resolution: Option<&'a Resolution>, counts: Counts) -> Self {
        let skip = Arc::new(SkipPlan::new(schema));
        Self { schema, skip, resolution, counts, left: MOST, unwritten: 0, copies: 1 }
    }

    /// Compiles the operation that reads a datum.
    pub(crate) fn root(&mut self, want: impl Want) -> Result<Op> {
        let source = match self.resolution {
            Some(resolution) => ValueSource::Resolved(resolution.writer.root(), resolution.root),
            None => ValueSource::Alike,
        };
        self.read(source, self.schema.root(), want)
    }

    /// Puts a plan together. The parts of the shape are the columns where it `is_split`.
    pub(crate) fn finish(
        self,
        shape: Shape,
        (first, op): (Option<Op>, Op),
        schema: SchemaRef,
        is_split: bool,
        large_offsets: bool,
    ) -> DecodePlan {
        let unwritten = self.unwritten.saturating_mul(self.copies);
        let widest = shape.width().saturating_add(unwritten) as u64;
        let copies = self.copies as u64;
        DecodePlan { shape, first, op, counts: self.counts, is_split, large_offsets, widest, copies, schema }
    }

    /// Counts operations against what a plan may have.
    pub(crate) fn take(&mut self, count: usize) -> Result<()> {
        self.left = self.left.checked_sub(count).ok_or_else(|| {
            Error::new(ErrorKind::LimitExceeded, "the schema is too large to be read as columns")
                .help("choose fields")
        })?;
        Ok(())
    }

    /// Compiles the operation that reads a value and extracts what `want` selects from the reader's type `id`.
    pub(crate) fn read(&mut self, source: ValueSource, id: TypeId, want: impl Want) -> Result<Op> {
        self.take(1)?;
        if want.is_nothing() {
            return Ok(self.skip(source, id));
        }
        let schema = self.schema;
        match (self.resolved(source), source) {
            (Some(resolution::Op::Copy(_)), _) => return self.read(ValueSource::Alike, id, want),
            (Some(resolution::Op::Fail(what)), _) => {
                return Ok(Op::Refuse(Kind::Resolution, what.clone()));
            }
            (Some(resolution::Op::Branches(ops)), ValueSource::Resolved(writer, _)) => {
                return self.written_union(writer, ops, id, want);
            }
            (Some(resolution::Op::IntoBranch(number, op)), ValueSource::Resolved(writer, _)) => {
                let Type::Union(branches) = schema.get(id) else { return Ok(no_such_value()) };
                return want.branch(self, ValueSource::Resolved(writer, *op), *number, branches);
            }
            (None, _) => {
                if let Type::Union(branches) = schema.get(id) {
                    let mut reads = Vec::with_capacity(branches.len());
                    for (number, &branch) in branches.iter().enumerate() {
                        let op = want.branch(self, ValueSource::Alike, number, branches)?;
                        reads.push(branch_of(schema, branch, op));
                    }
                    return Ok(union::any_of(reads, &want));
                }
            }
            _ => {}
        }
        want.value(self, source, id)
    }

    /// Compiles the operation that reads a union of the writer's, each branch by an operation of its own.
    fn written_union(&mut self, writer: TypeId, ops: &[OpId], id: TypeId, want: impl Want) -> Result<Op> {
        let Some(Resolution { writer: schema, .. }) = self.resolution else { return Ok(no_such_value()) };
        let Type::Union(branches) = schema.get(writer) else { return Ok(no_such_value()) };
        let mut reads = Vec::with_capacity(ops.len());
        for (&op, &branch) in ops.iter().zip(branches) {
            let op = self.read(ValueSource::Resolved(branch, op), id, want)?;
            reads.push(branch_of(schema, branch, op));
        }
        Ok(union::any_of(reads, &want))
    }

    /// Returns the operation that resolves a value, if it was written with another schema.
    fn resolved(&self, source: ValueSource) -> Option<&'a resolution::Op> {
        match (source, self.resolution) {
            (ValueSource::Resolved(_, op), Some(resolution)) => resolution.op(op),
            _ => None,
        }
    }

    /// Returns the schema with which a value was written, its type there, and the plan to skip it.
    fn written(&self, source: ValueSource, id: TypeId) -> (&'a AvroSchema, TypeId, &Arc<SkipPlan>) {
        match (source, self.resolution) {
            (ValueSource::Resolved(writer, _), Some(written)) => (&written.writer, writer, &written.skip),
            _ => (self.schema, id, &self.skip),
        }
    }

    /// Passes over a value.
    pub(crate) fn skip(&self, source: ValueSource, id: TypeId) -> Op {
        let (_, id, plan) = self.written(source, id);
        match plan.fixed_width(id) {
            Some(0) => Op::Nothing,
            _ => Op::Skip(Box::new(SkipFields::value(plan, id))),
        }
    }

    /// Returns the plan to skip fields of the reader's schema, if there are any.
    pub(crate) fn passed(&self, fields: &[(Arc<str>, TypeId)]) -> Option<SkipFields> {
        (!fields.is_empty()).then(|| SkipFields::new(&self.skip, fields))
    }
}

fn branch_of(schema: &AvroSchema, id: TypeId, op: Op) -> Branch {
    Branch { name: format!(":{}", schema.branch_name(id)).into(), op }
}

/// Returns an operation that runs several operations on the same bytes; `None` if there are none.
pub(crate) fn again(mut ops: Vec<Op>) -> Option<Op> {
    if ops.len() > 1 { Some(Op::Again(ops.into())) } else { ops.pop() }
}

/// Returns the operation for values that cannot occur, since the two schemas were found to fit.
pub(crate) fn no_such_value() -> Op {
    Op::Refuse(Kind::Resolution, "the reader's schema cannot hold the value".into())
}

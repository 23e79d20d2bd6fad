//! A schema, or what resolves a writer's for a reader's, to the operations that fill the columns.

mod fields;
mod union;
mod value;

use std::sync::Arc;

use super::op::{Branch, Op};
use super::shape::{Kind, Shape};
use crate::datum::{SkipFields, SkipPlan};
use crate::resolution::{self, OpId, Resolution};
use crate::schema::{Schema, Type, TypeId};
use crate::{Error, ErrorKind, Result};

/// Operations and fills in all: branches of wide unions in each other come to any number.
const MOST: usize = 1 << 22;

pub(super) struct Compiler<'a> {
    schema: &'a Schema,
    skip: Arc<SkipPlan>,
    /// Where data of another schema are read: how, and how to pass over those.
    resolution: Option<(&'a Resolution, Arc<SkipPlan>)>,
    left: usize,
    /// Bytes that one entry can get without any in the datum: of symbols and of defaults.
    pub(super) unwritten: usize,
    /// How often a byte of the datum can be stored: more than once where a field goes into several columns.
    pub(super) copies: usize,
}

/// How a value was written.
#[derive(Clone, Copy)]
enum Source {
    /// As the reader's schema says.
    Alike,
    /// With a type of the writer's schema.
    Resolved(TypeId, OpId),
}

impl<'a> Compiler<'a> {
    pub(super) fn new(schema: &'a Schema, resolution: Option<&'a Resolution>) -> Self {
        let skip = Arc::new(SkipPlan::new(schema));
        let resolution =
            resolution.map(|resolution| (resolution, Arc::new(SkipPlan::new(resolution.writer()))));
        Self { schema, skip, resolution, left: MOST, unwritten: 0, copies: 1 }
    }

    /// What reads a datum.
    pub(super) fn root(&mut self, shape: &Shape) -> Result<Op> {
        let source = match &self.resolution {
            Some((resolution, _)) => Source::Resolved(resolution.writer().root(), resolution.root),
            None => Source::Alike,
        };
        self.read(source, self.schema.root(), shape)
    }

    fn take(&mut self, count: usize) -> Result<()> {
        self.left = self.left.checked_sub(count).ok_or_else(|| {
            Error::new(ErrorKind::LimitExceeded, "the schema is too large to be read as columns")
                .with_hint("choose fields")
        })?;
        Ok(())
    }

    /// What appends an entry to a shape; `id` is the type that the shape was made for.
    fn read(&mut self, source: Source, id: TypeId, shape: &Shape) -> Result<Op> {
        self.take(1)?;
        let schema = self.schema;
        if let Source::Resolved(writer, op) = source {
            match self.resolved(op) {
                Some(resolution::Op::Copy(_)) | None => return self.read(Source::Alike, id, shape),
                Some(resolution::Op::Fail(what)) => return Ok(Op::Fail(what.clone())),
                Some(resolution::Op::Branches(ops)) => {
                    let branches = self.written_branches(writer);
                    let mut reads = Vec::with_capacity(ops.len());
                    for (&op, &branch) in ops.iter().zip(branches) {
                        let read = self.read(Source::Resolved(branch, op), id, shape)?;
                        let name = self
                            .resolution
                            .as_ref()
                            .map_or("", |(resolution, _)| resolution.writer().branch_name(branch));
                        reads.push(Branch { name: format!(":{name}").into(), op: read });
                    }
                    return Ok(union::any_of(reads));
                }
                Some(resolution::Op::IntoBranch(number, op)) => {
                    let Type::Union(branches) = schema.get(id) else { return Ok(no_such_value()) };
                    let Ok(number) = usize::try_from(*number) else { return Ok(no_such_value()) };
                    return self.branch(Source::Resolved(writer, *op), number, branches, shape);
                }
                Some(_) => {}
            }
        } else if let Type::Union(branches) = schema.get(id) {
            let mut reads = Vec::with_capacity(branches.len());
            for (number, &branch) in branches.iter().enumerate() {
                let op = self.branch(Source::Alike, number, branches, shape)?;
                reads.push(Branch { name: format!(":{}", schema.branch_name(branch)).into(), op });
            }
            return Ok(union::any_of(reads));
        }
        let (present, inner) = shape.innermost();
        let op = self.value(source, id, inner)?;
        Ok(union::chosen(present, Vec::new(), op))
    }

    /// What appends a value of one branch of a union.
    fn branch(&mut self, source: Source, number: usize, branches: &[TypeId], shape: &Shape) -> Result<Op> {
        let schema = self.schema;
        let Some(&id) = branches.get(number) else { return Ok(no_such_value()) };
        if matches!(schema.get(id), Type::Null) {
            let mut fills = Vec::new();
            union::absent(shape, &mut fills);
            self.take(fills.len())?;
            return Ok(if fills.is_empty() { Op::Nothing } else { Op::Absent(fills.into()) });
        }
        let others = branches.iter().filter(|branch| !matches!(schema.get(**branch), Type::Null)).count();
        if others <= 1 {
            return self.read(source, id, shape);
        }
        let (present, inner) = shape.innermost();
        let Kind::Struct(children) = &inner.kind else { return Ok(no_such_value()) };
        let mut fills = Vec::new();
        let mut op = None;
        for child in children {
            if child.number == number {
                op = Some(self.read(source, id, &child.shape)?);
            } else {
                union::absent(&child.shape, &mut fills);
            }
        }
        self.take(fills.len())?;
        let op = match op {
            Some(op) => op,
            // Not asked for, or left out.
            None => Op::Skip(self.skip_one(source, id)),
        };
        Ok(union::chosen(present, fills, op))
    }

    fn resolved(&self, op: OpId) -> Option<&'a resolution::Op> {
        self.resolution.as_ref().and_then(|(resolution, _)| resolution.op(op))
    }

    fn least_written(&self, id: TypeId) -> usize {
        self.resolution.as_ref().map_or(0, |(resolution, _)| resolution.writer().least_bytes(id))
    }

    fn written_branches(&self, id: TypeId) -> &'a [TypeId] {
        match self.resolution.as_ref().map(|(resolution, _)| resolution.writer().get(id)) {
            Some(Type::Union(branches)) => branches,
            _ => &[],
        }
    }

    fn skip_one(&self, source: Source, id: TypeId) -> Box<SkipFields> {
        Box::new(match (source, &self.resolution) {
            (Source::Resolved(writer, _), Some((_, skip))) => SkipFields::value(skip, writer),
            _ => SkipFields::value(&self.skip, id),
        })
    }
}

/// For what the two schemas cannot come to, since they were found to fit.
fn no_such_value() -> Op {
    Op::Fail("the schema has no place for the value".into())
}

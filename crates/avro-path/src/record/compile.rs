//! A schema, or what resolves a writer's for a reader's, to the operations that fill the columns.

use std::sync::Arc;

use super::op::{
    Branch, Chosen, Decimal, FieldDefault, Fill, Items, Nullable, Op, Same, SameKind, Step, SymbolStore,
    Symbols,
};
use super::shape::{Child, Kind, Shape};
use crate::datum::{SkipFields, SkipPlan};
use crate::resolution::{self, OpId, Resolution};
use crate::schema::{Record, Schema, Type, TypeId};
use crate::{Error, ErrorKind, Result};

/// Operations and fills in all: branches of wide unions in each other come to any number.
const MOST: usize = 1 << 22;

/// The fewest fields of one type that are worth a step of their own kind.
const SAME: usize = 4;

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
                    return Ok(branches_op(reads));
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
            return Ok(branches_op(reads));
        }
        let (present, inner) = shape.innermost();
        let op = self.value(source, id, inner)?;
        Ok(chosen(present, Vec::new(), op))
    }

    /// What appends a value of one branch of a union.
    fn branch(&mut self, source: Source, number: usize, branches: &[TypeId], shape: &Shape) -> Result<Op> {
        let schema = self.schema;
        let Some(&id) = branches.get(number) else { return Ok(no_such_value()) };
        if matches!(schema.get(id), Type::Null) {
            let mut fills = Vec::new();
            absent(shape, &mut fills);
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
                absent(&child.shape, &mut fills);
            }
        }
        self.take(fills.len())?;
        let op = match op {
            Some(op) => op,
            // Not asked for, or left out.
            None => Op::Skip(self.skip_one(source, id)),
        };
        Ok(chosen(present, fills, op))
    }

    /// What appends a value that is there.
    fn value(&mut self, source: Source, id: TypeId, shape: &Shape) -> Result<Op> {
        let schema = self.schema;
        let resolved = match source {
            Source::Alike => None,
            Source::Resolved(_, op) => self.resolved(op),
        };
        Ok(match (schema.get(id), &shape.kind, resolved) {
            (_, Kind::Fixed { values, .. }, Some(resolution::Op::IntToFloat)) => Op::IntToFloat(*values),
            (_, Kind::Fixed { values, .. }, Some(resolution::Op::IntToDouble)) => Op::IntToDouble(*values),
            (_, Kind::Fixed { values, .. }, Some(resolution::Op::LongToFloat)) => Op::LongToFloat(*values),
            (_, Kind::Fixed { values, .. }, Some(resolution::Op::LongToDouble)) => Op::LongToDouble(*values),
            (_, Kind::Fixed { values, .. }, Some(resolution::Op::FloatToDouble)) => {
                Op::FloatToDouble(*values)
            }
            (Type::Enum(symbols), kind, resolved) => {
                let count = symbols.symbols().len();
                let numbers = match resolved {
                    Some(resolution::Op::Symbols(numbers)) => numbers
                        .iter()
                        // A reader's schema has fewer symbols than 2^31.
                        .map(|number| number.clone().map(|number| number as i32))
                        .collect(),
                    _ => (0..count).map(|number| Ok(number as i32)).collect(),
                };
                let store = match kind {
                    Kind::Symbols { values, .. } if resolved.is_none() => {
                        return Ok(Op::Symbol { values: *values, count });
                    }
                    Kind::Symbols { values, .. } => SymbolStore::Numbers(*values),
                    Kind::Strings(strings) => {
                        let longest = symbols.symbols().iter().map(|symbol| symbol.len()).max();
                        self.unwritten = self.unwritten.saturating_add(longest.unwrap_or_default());
                        let symbols = symbols.symbols().into();
                        SymbolStore::Text { symbols, strings: *strings }
                    }
                    _ => return Ok(no_such_value()),
                };
                Op::Symbols(Box::new(Symbols { numbers, store }))
            }
            (Type::Null, ..) => Op::Nothing,
            (Type::Boolean, Kind::Boolean(bits), _) => Op::Boolean(*bits),
            (Type::Int, Kind::Fixed { values, .. }, _) => Op::Int(*values),
            (Type::Long, Kind::Fixed { values, .. }, _) => Op::Long(*values),
            (Type::Float, Kind::Fixed { values, .. }, _) => Op::Float(*values),
            (Type::Double, Kind::Fixed { values, .. }, _) => Op::Double(*values),
            (Type::Bytes, Kind::Binary(binary), _) => Op::Bytes(*binary),
            (Type::String, Kind::Strings(strings), _) => Op::String(*strings),
            (Type::String, Kind::Fixed { values, .. }, _) => Op::Uuid(*values),
            (ty @ (Type::Bytes | Type::Fixed(_)), Kind::Fixed { values, width }, _) => {
                let size = match ty {
                    Type::Fixed(fixed) => Some(fixed.size()),
                    _ => None,
                };
                match (decimal(shape, *values, size), size) {
                    (Some(decimal), _) => Op::Decimal(Box::new(decimal)),
                    (None, Some(12)) if *width == 16 => Op::Duration(*values),
                    (None, Some(size)) => Op::Fixed { values: *values, size },
                    (None, None) => no_such_value(),
                }
            }
            (Type::Array(items), Kind::List { ends, item }, resolved) => {
                let (source, least) = match resolved {
                    Some(resolution::Op::Array(written, op)) => {
                        (Source::Resolved(*written, *op), self.least_written(*written))
                    }
                    _ => (Source::Alike, schema.least_bytes(*items)),
                };
                let steps = item_steps(None, self.read(source, *items, item)?);
                Op::Items(Box::new(Items { ends: *ends, least, steps }))
            }
            (Type::Map(values), Kind::List { ends, item }, resolved) => {
                let (source, least) = match resolved {
                    Some(resolution::Op::Map(written, op)) => {
                        (Source::Resolved(*written, *op), self.least_written(*written))
                    }
                    _ => (Source::Alike, schema.least_bytes(*values)),
                };
                let Kind::Struct(entry) = &item.kind else { return Ok(no_such_value()) };
                let [key, value] = entry.as_slice() else { return Ok(no_such_value()) };
                let (_, key) = key.shape.innermost();
                let Kind::Strings(key) = key.kind else { return Ok(no_such_value()) };
                let steps = item_steps(Some(Op::String(key)), self.read(source, *values, &value.shape)?);
                Op::Items(Box::new(Items { ends: *ends, least: least.saturating_add(1), steps }))
            }
            (Type::Record(record), Kind::Struct(children), None) => {
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
                steps.finish()
            }
            (Type::Record(record), Kind::Struct(children), Some(op)) => {
                let Source::Resolved(writer, _) = source else { return Ok(no_such_value()) };
                self.resolved_record(writer, op, record, children)?
            }
            _ => no_such_value(),
        })
    }

    fn resolved_record(
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
        if !matches!(op, Op::Nothing) {
            self.steps.push(Step { op, name: Some(name.into()) });
        }
    }

    /// The steps, with many neighbours of one type as one.
    fn together(self) -> Vec<Step> {
        let mut together = Vec::with_capacity(self.steps.len());
        let mut steps = self.steps.into_iter().peekable();
        while let Some(step) = steps.next() {
            let kind = same(&step).map(|(kind, _)| kind);
            let is_next = |next: &Step| kind.is_some() && same(next).map(|(kind, _)| kind) == kind;
            let mut neighbours = vec![step];
            while let Some(next) = steps.next_if(is_next) {
                neighbours.push(next);
            }
            match kind {
                Some(kind) if neighbours.len() >= SAME => {
                    let stores =
                        neighbours.iter().filter_map(|step| same(step).map(|(_, store)| store)).collect();
                    let names = neighbours.into_iter().filter_map(|step| step.name).collect();
                    together.push(Step { op: Op::Same(Box::new(Same { kind, stores, names })), name: None });
                }
                _ => together.extend(neighbours),
            }
        }
        together
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
        Op::Record(self.together().into())
    }
}

/// Where a step puts a value of which there are often several.
fn same(step: &Step) -> Option<(SameKind, usize)> {
    match step.op {
        Op::Long(values) => Some((SameKind::Long, values)),
        Op::Float(values) => Some((SameKind::Float, values)),
        Op::Double(values) => Some((SameKind::Double, values)),
        Op::String(strings) => Some((SameKind::String, strings)),
        _ => None,
    }
}

/// What reads an item, of a map with its key.
fn item_steps(key: Option<Op>, item: Op) -> Box<[Step]> {
    let key = key.map(|op| Step { op, name: None });
    match (key, item) {
        (key, Op::Nothing) => key.into_iter().collect(),
        (None, Op::Record(steps)) => steps,
        (Some(key), Op::Record(steps)) => std::iter::once(key).chain(steps).collect(),
        (key, op) => key.into_iter().chain([Step { op, name: None }]).collect(),
    }
}

fn find(children: &[Child], number: usize) -> Option<&Shape> {
    let at = children.binary_search_by_key(&number, |child| child.number).ok()?;
    children.get(at).map(|child| &child.shape)
}

/// A union, in the quickest form that it has.
fn branches_op(mut branches: Vec<Branch>) -> Op {
    let null_first = match branches.as_slice() {
        [Branch { op: Op::Absent(_), .. }, Branch { op: Op::Present(..), .. }] => true,
        [Branch { op: Op::Present(..), .. }, Branch { op: Op::Absent(_), .. }] => false,
        _ => return Op::Branches(branches.into()),
    };
    match (branches.pop().map(|branch| branch.op), branches.pop().map(|branch| branch.op)) {
        (Some(Op::Absent(absent)), Some(Op::Present(validity, op)))
        | (Some(Op::Present(validity, op)), Some(Op::Absent(absent))) => {
            Op::Nullable(Box::new(Nullable { null_first, validity, absent, op: *op }))
        }
        _ => no_such_value(),
    }
}

fn chosen(mut present: Vec<usize>, absent: Vec<Fill>, op: Op) -> Op {
    match (present.pop(), present.is_empty(), absent.is_empty()) {
        (None, _, true) => op,
        (Some(only), true, true) => Op::Present(only, Box::new(op)),
        (last, ..) => {
            present.extend(last);
            Op::Chosen(Box::new(Chosen { present: present.into(), absent: absent.into(), op }))
        }
    }
}

/// What fills a shape with an entry for something that is not there.
fn absent(shape: &Shape, fills: &mut Vec<Fill>) {
    fills.extend(shape.validity.map(Fill::Bit));
    match &shape.kind {
        Kind::Null => {}
        Kind::Boolean(bits) => fills.push(Fill::Bit(*bits)),
        Kind::Fixed { values, width } => fills.push(Fill::Zeros(*values, *width)),
        Kind::Symbols { values, .. } => fills.push(Fill::Zeros(*values, 4)),
        Kind::Binary(binary) => fills.push(Fill::Binary(*binary)),
        Kind::Strings(strings) => fills.push(Fill::String(*strings)),
        Kind::List { ends, .. } => fills.push(Fill::End(*ends)),
        // A null list has no item; one that cannot be null has one.
        Kind::One { item, .. } if shape.validity.is_none() => absent(item, fills),
        Kind::One { .. } => {}
        Kind::Struct(children) => children.iter().for_each(|child| absent(&child.shape, fills)),
    }
}

fn decimal(shape: &Shape, values: usize, size: Option<usize>) -> Option<Decimal> {
    use arrow_schema::DataType::{Decimal128, Decimal256};
    let (precision, scale, is_wide) = match shape.data_type {
        Decimal128(precision, scale) => (precision, scale, false),
        Decimal256(precision, scale) => (precision, scale, true),
        _ => return None,
    };
    Some(Decimal { values, precision, scale, is_wide, size })
}

/// For what the two schemas cannot come to, since they were found to fit.
fn no_such_value() -> Op {
    Op::Fail("the schema has no place for the value".into())
}

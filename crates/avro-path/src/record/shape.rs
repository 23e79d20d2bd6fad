//! Shapes of the columns of a schema, and the buffers that they are built in.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields};

use super::fields::{Selection, Wanted};
use super::{Layout, RecordOptions};
use crate::plan::Counts;
use crate::plan::shape::{Child, Kind, Shape, Validity};
use crate::schema::{AvroSchema, Record, Type, TypeId};
use crate::{Error, ErrorKind, Result};
use tfxio_base::Remedy;

/// Types in each other, each of which takes a part of the stack.
const NESTING: usize = 200;
/// Columns and their parts in all, as of a batch by default: a few types that use each other twice come to any number.
const COLUMNS: usize = 100_000;

/// Returns the shape of data of a schema. The root's fields are the columns if it is a record.
pub(super) fn shape(schema: &AvroSchema, options: &RecordOptions) -> Result<(Shape, Fields, Counts)> {
    if options.max_depth == Some(0) {
        let error = Error::new(ErrorKind::InvalidArgument, "max_depth is 0, which leaves no record at all");
        return Err(error.help("1 keeps each record once on every way"));
    }
    let counts = Counts::default();
    let mut builder = Builder { schema, options, open: Vec::new(), counts, columns: 0, nesting: 0 };
    let root = schema.root();
    let is_record = matches!(schema.get(root), Type::Record(_));
    let wanted: Option<Vec<&str>> =
        options.fields.as_deref().map(|fields| fields.iter().map(|field| &**field).collect());
    let wanted = wanted.as_deref();
    // A root record counts as no field: it is the batch itself.
    let shape = builder.shape(root, false, !is_record, wanted)?;
    // Only records within records are left out.
    let shape =
        shape.unwrap_or(Shape { validity: Validity::Always, kind: Kind::Null, data_type: DataType::Null });
    let fields = match (&shape.kind, &shape.data_type) {
        (Kind::Struct(_), DataType::Struct(fields)) if is_record => fields.clone(),
        _ => Fields::from(vec![builder.field("value", &shape)]),
    };
    Ok((shape, fields, builder.counts))
}

pub(super) struct Builder<'a> {
    pub(super) schema: &'a AvroSchema,
    pub(super) options: &'a RecordOptions,
    /// The records around, and the field of each that is looked at.
    open: Vec<(TypeId, &'a str)>,
    pub(super) counts: Counts,
    columns: usize,
    nesting: usize,
}

impl<'a> Builder<'a> {
    /// Returns the shape of a column, or of a nested type of one. A union with null has the same shape as its only
    /// branch.
    fn part(
        &mut self,
        id: TypeId,
        nullable: bool,
        is_field: bool,
        wanted: Wanted<'_>,
    ) -> Result<Option<Shape>> {
        self.columns += 1;
        self.shape(id, nullable, is_field, wanted)
    }

    /// Returns the shape of a type; `None` if it is left out because a record contains itself too often.
    fn shape(
        &mut self,
        id: TypeId,
        nullable: bool,
        is_field: bool,
        wanted: Wanted<'_>,
    ) -> Result<Option<Shape>> {
        if self.nesting >= NESTING || self.columns > COLUMNS {
            let what =
                format!("the schema comes to more than {COLUMNS} columns or {NESTING} types in each other");
            let error = Error::new(ErrorKind::LimitExceeded, what);
            return Err(error.help("choose fields, or a smaller max_depth"));
        }
        self.nesting += 1;
        let shape = self.shape_of(id, nullable, is_field, wanted);
        self.nesting -= 1;
        shape
    }

    fn shape_of(
        &mut self,
        id: TypeId,
        nullable: bool,
        is_field: bool,
        wanted: Wanted<'_>,
    ) -> Result<Option<Shape>> {
        let schema = self.schema;
        let mut nullable = nullable;
        if let Type::Union(branches) = schema.get(id) {
            let is_null = |branch: &TypeId| matches!(schema.get(*branch), Type::Null);
            nullable |= branches.iter().any(is_null);
            let mut others = branches.iter().filter(|branch| !is_null(branch));
            match (others.next(), others.next()) {
                (None, _) => return Ok(Some(self.null())),
                (Some(&only), None) => return self.shape(only, nullable, is_field, wanted),
                _ => {}
            }
        }
        let ty = schema.get(id);
        if matches!(ty, Type::Null) {
            return self.no_fields(id, wanted).map(|()| Some(self.null()));
        }
        // Arrays and maps are lists themselves.
        let is_wrapped = is_field
            && self.options.layout == Layout::Structured
            && !matches!(ty, Type::Array(_) | Type::Map(_));
        if is_wrapped {
            let validity = self.validity(nullable);
            let Some(item) = self.bare(id, Validity::Always, wanted)? else { return Ok(None) };
            let data_type = self.list_of(&item);
            let ends = nullable.then(|| self.ends());
            return Ok(Some(Shape { validity, kind: Kind::One { ends, item: Box::new(item) }, data_type }));
        }
        let validity = self.validity(nullable);
        self.bare(id, validity, wanted)
    }

    /// Returns the shape of a type that is neither null nor a union that is only nullable.
    fn bare(&mut self, id: TypeId, validity: Validity, wanted: Wanted<'_>) -> Result<Option<Shape>> {
        let schema = self.schema;
        match schema.get(id) {
            Type::Array(items) => {
                let Some(item) = self.part(*items, false, false, wanted)? else { return Ok(None) };
                let data_type = self.list_of(&item);
                let kind = Kind::List { ends: self.ends(), item: Box::new(item) };
                Ok(Some(Shape { validity, kind, data_type }))
            }
            Type::Map(values) => self.map(*values, validity, wanted),
            Type::Union(branches) => self.union(id, branches, validity, wanted).map(Some),
            Type::Record(record) => self.record(id, record, validity, wanted),
            _ => {
                self.no_fields(id, wanted)?;
                let (kind, data_type) = self.leaf(id)?;
                Ok(Some(Shape { validity, kind, data_type }))
            }
        }
    }

    fn map(&mut self, values: TypeId, validity: Validity, wanted: Wanted<'_>) -> Result<Option<Shape>> {
        let is_structured = self.options.layout == Layout::Structured;
        let data_type = if self.options.large_offsets { DataType::LargeUtf8 } else { DataType::Utf8 };
        let mut key = Shape { validity: Validity::Always, kind: self.strings(), data_type };
        if is_structured {
            let data_type = self.list_of(&key);
            key = Shape {
                validity: Validity::Always,
                kind: Kind::One { ends: None, item: Box::new(key) },
                data_type,
            };
        }
        let Some(value) = self.part(values, false, true, wanted)? else { return Ok(None) };
        let item = self.structure(Validity::Always, vec![(0, "key", key), (1, "value", value)]);
        let data_type = match is_structured {
            true => self.list_of(&item),
            false => DataType::Map(Arc::new(Field::new("entries", item.data_type.clone(), false)), false),
        };
        let kind = Kind::List { ends: self.ends(), item: Box::new(item) };
        Ok(Some(Shape { validity, kind, data_type }))
    }

    /// Returns the shape of a union: a struct with one nullable field a branch.
    fn union(
        &mut self,
        id: TypeId,
        branches: &'a [TypeId],
        validity: Validity,
        wanted: Wanted<'_>,
    ) -> Result<Shape> {
        let schema = self.schema;
        let name = |branch: TypeId| match schema.get(branch) {
            Type::Record(record) => record.name().short(),
            Type::Enum(symbols) => symbols.name().short(),
            Type::Fixed(fixed) => fixed.name().short(),
            _ => schema.branch_name(branch),
        };
        let mut counts = HashMap::with_capacity(branches.len());
        branches.iter().for_each(|&branch| *counts.entry(name(branch)).or_insert(0_usize) += 1);
        let names = branches.iter().map(|&branch| match counts.get(name(branch)) {
            Some(1) => name(branch),
            _ => schema.branch_name(branch),
        });
        let names = names.collect::<Vec<_>>();
        let known = branches.iter().zip(&names);
        let known = known.filter(|(branch, _)| !matches!(schema.get(**branch), Type::Null));
        let known = known.map(|(_, name)| *name);
        let selection = Selection::new(wanted, known, || schema.describe(id))?;
        let mut parts = Vec::new();
        for (number, (&branch, name)) in branches.iter().zip(&names).enumerate() {
            if matches!(schema.get(branch), Type::Null) {
                continue;
            }
            let Some(below) = selection.below(name) else { continue };
            if let Some(shape) = self.part(branch, true, true, below.as_deref())? {
                parts.push((number, *name, shape));
            }
        }
        Ok(self.structure(validity, parts))
    }

    fn record(
        &mut self,
        id: TypeId,
        record: &'a Record,
        validity: Validity,
        wanted: Wanted<'_>,
    ) -> Result<Option<Shape>> {
        let around = self.open.iter().filter(|(open, _)| *open == id).count();
        match self.options.max_depth {
            None if around > 0 => return Err(self.cycle(id)),
            Some(most) if around >= most as usize => return Ok(None),
            _ => {}
        }
        let named = self.options.arrow_names;
        let name =
            |field: &'a crate::schema::RecordField| if named { field.column_name() } else { field.name() };
        let known = record.fields().iter().map(name);
        let selection = Selection::new(wanted, known, || self.schema.describe(id))?;
        let mut parts = Vec::new();
        for (number, field) in record.fields().iter().enumerate() {
            let Some(below) = selection.below(name(field)) else { continue };
            self.open.push((id, name(field)));
            let shape = self.part(field.type_id(), false, true, below.as_deref());
            self.open.pop();
            if let Some(shape) = shape.map_err(|error| error.within(name(field)))? {
                parts.push((number, name(field), shape));
            }
        }
        Ok(Some(self.structure(validity, parts)))
    }

    /// Returns the error for a record that contains itself.
    fn cycle(&self, id: TypeId) -> Error {
        let first = self.open.iter().position(|(open, _)| *open == id).unwrap_or_default();
        let mut way = String::new();
        for (open, field) in self.open.iter().skip(first) {
            way.push_str(&format!("{} -> {field} -> ", self.schema.branch_name(*open)));
        }
        way.push_str(self.schema.branch_name(id));
        Error::new(ErrorKind::InvalidArgument, format!("the schema is recursive: {way}"))
            .help("set max_depth to say how often a record may stand in itself, or choose fields without it")
            .remedied_by(Remedy::BoundDepth)
    }

    fn no_fields(&self, id: TypeId, wanted: Wanted<'_>) -> Result<()> {
        match wanted.and_then(<[&str]>::first) {
            None => Ok(()),
            Some(name) => {
                let what = format!("no field {name:?} in {}: it has no fields", self.schema.describe(id));
                Err(Error::new(ErrorKind::InvalidArgument, what).help("ask for the field above it"))
            }
        }
    }

    /// Returns a struct of parts, each with its number in the schema and its name.
    fn structure(&self, validity: Validity, parts: Vec<(usize, &str, Shape)>) -> Shape {
        let fields = parts.iter().map(|(_, name, shape)| self.field(name, shape)).collect();
        let children = parts.into_iter().map(|(number, _, shape)| Child { number, shape }).collect();
        Shape { validity, kind: Kind::Struct(children), data_type: DataType::Struct(fields) }
    }

    fn null(&self) -> Shape {
        Shape { validity: Validity::Always, kind: Kind::Null, data_type: DataType::Null }
    }

    fn list_of(&self, item: &Shape) -> DataType {
        let item = self.field(Field::LIST_FIELD_DEFAULT_NAME, item);
        if self.options.large_offsets { DataType::LargeList(item) } else { DataType::List(item) }
    }

    fn field(&self, name: &str, shape: &Shape) -> FieldRef {
        Arc::new(shape.arrow_field(name, self.is_nullable(shape)))
    }

    fn is_nullable(&self, shape: &Shape) -> bool {
        self.options.layout == Layout::Structured
            || shape.validity != Validity::Always
            || matches!(shape.kind, Kind::Null)
    }

    fn validity(&mut self, nullable: bool) -> Validity {
        if !nullable {
            return Validity::Always;
        }
        Validity::Bits(next(&mut self.counts.bits))
    }

    pub(super) fn values(&mut self) -> usize {
        next(&mut self.counts.values)
    }

    fn ends(&mut self) -> usize {
        next(&mut self.counts.ends)
    }

    pub(super) fn strings(&mut self) -> Kind {
        Kind::Strings(next(&mut self.counts.binaries))
    }
}

/// Returns the number of the next buffer of a kind.
pub(super) fn next(count: &mut usize) -> usize {
    *count += 1;
    *count - 1
}

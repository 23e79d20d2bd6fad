//! The columns that a data set is asked for.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use arrow_schema::Schema as ArrowSchema;
use avro_path::program::KeyOptions;
use avro_path::record::{RecordOptions, RecordPlan};
use avro_path::schema::{Logical, Type};
use avro_path::{AvroSchema, Key, KeyProgram};
use tfxio_core::{Column, Error, ErrorKind, Layout, Loss, suggest};

use super::decoder::{Order, Program};

/// Mapping of records to columns.
#[derive(Clone, Debug)]
pub(super) enum ColumnMapping {
    /// A column a key expression, with its name.
    Keys(Arc<[(Arc<str>, Key)]>, KeyOptions),
    /// A column a field; these fields, in this order, where some are chosen.
    Records(RecordOptions, Option<Arc<[Arc<str>]>>),
}

impl ColumnMapping {
    /// Compiles the columns for data of a schema.
    pub(super) fn compile(&self, schema: &AvroSchema) -> Result<Program, Error> {
        match self {
            Self::Keys(keys, options) => {
                let named = keys.iter().map(|(name, key)| (&**name, key));
                let program = KeyProgram::builder(schema, named).options(*options).build()?;
                Ok(Program::Keys(program, Arc::clone(keys), *options))
            }
            Self::Records(options, None) => Ok(Program::Records(
                RecordPlan::builder(schema).options(options.clone()).build()?,
                options.clone(),
                None,
            )),
            Self::Records(options, Some(names)) => {
                let all = RecordPlan::builder(schema).options(options.clone()).build()?.arrow_schema();
                let known = indices(&all);
                if let Some(name) = names.iter().find(|name| !known.contains_key(&***name)) {
                    return Err(unknown(name, all.fields().iter().map(|field| field.name().as_str())));
                }
                let is_record = matches!(schema.get(schema.root()), Type::Record(_));
                let mut options = options.clone();
                // A root of another type has one column, and nothing can be left out.
                if is_record && options.fields.is_none() {
                    options = options.columns(names.iter());
                }
                let plan = RecordPlan::builder(schema).options(options.clone()).build()?;
                let columns = plan.arrow_schema();
                let known = indices(&columns);
                let indices =
                    names.iter().filter_map(|name| known.get(&**name).copied()).collect::<Arc<[_]>>();
                let columns = Arc::new(columns.project(&indices)?);
                Ok(Program::Records(plan, options, Some(Order { indices, schema: columns })))
            }
        }
    }

    /// Returns what the columns of key expressions lose of the types of the schema: the name of each column with what is lost.
    pub(super) fn losses(&self, schema: &AvroSchema) -> Vec<Loss> {
        let Self::Keys(keys, _) = self else { return Vec::new() };
        let of_key = |(name, key): &(Arc<str>, Key)| {
            // That a key does not fit is said elsewhere.
            let logical = key.logical(schema).unwrap_or_default();
            let what = logical.into_iter().map(lost).collect::<BTreeSet<_>>();
            what.into_iter().map(|what| Loss::new(&**name, format!("{what}; {KEPT}"))).collect::<Vec<_>>()
        };
        keys.iter().flat_map(of_key).collect()
    }

    /// The same with offsets of the width that a request wants of all its lists.
    fn offsets_of(self, wanted: &[Column]) -> Self {
        let has = |layout| wanted.iter().any(|column| column.layout == layout);
        let large = match (has(Layout::AsSchema), has(Layout::List), has(Layout::LargeList)) {
            (false, true, false) => false,
            (false, false, true) => true,
            _ => return self,
        };
        match self {
            Self::Keys(keys, options) => Self::Keys(keys, options.large_offsets(large)),
            Self::Records(options, names) => Self::Records(options.large_offsets(large), names),
        }
    }

    /// Returns the columns of a request, in its order. A path into a column of whole records leaves the column with that
    /// field, and others that are asked for.
    pub(super) fn select(&self, wanted: &[Column], schema: &AvroSchema) -> Result<Self, Error> {
        let mut names: Vec<Arc<str>> = Vec::new();
        let mut known = HashSet::new();
        for column in wanted {
            let name = column.path.initial_step()?;
            if known.insert(name) {
                names.push(name.into());
            }
        }
        let columns = self.clone().offsets_of(wanted);
        let is_deep = wanted.iter().any(|column| column.path.len() > 1);
        match &columns {
            Self::Keys(..) if is_deep => {
                let deep = wanted.iter().find(|column| column.path.len() > 1);
                let path = deep.map(|column| column.path.to_string()).unwrap_or_default();
                let message =
                    format!("there is no column {path:?}; a column of a key expression has no fields");
                Err(Error::new(ErrorKind::InvalidArgument, message))
            }
            Self::Records(options, _) if is_deep && options.fields.is_none() => {
                // Says which columns there are.
                columns.project(&names)?.compile(schema)?;
                let field = |column: &Column| {
                    column.path.steps().iter().map(|step| quoted(step)).collect::<Vec<_>>().join(".")
                };
                let options = options.clone().fields(wanted.iter().map(field));
                Ok(Self::Records(options, Some(names.into())))
            }
            _ => columns.project(&names),
        }
    }

    /// Some of the columns, in the order of the names.
    pub(super) fn project(&self, names: &[Arc<str>]) -> Result<Self, Error> {
        match self {
            Self::Keys(keys, options) => {
                let by_name = keys.iter().map(|key| (&*key.0, key)).collect::<HashMap<_, _>>();
                let find = |name: &Arc<str>| {
                    let known = by_name.get(&**name).copied().cloned();
                    known.ok_or_else(|| unknown(name, keys.iter().map(|(name, _)| &**name)))
                };
                Ok(Self::Keys(names.iter().map(find).collect::<Result<_, _>>()?, *options))
            }
            // Whether there are such fields shows where they are compiled.
            Self::Records(options, _) => Ok(Self::Records(options.clone(), Some(names.into()))),
        }
    }
}

/// Advice for types that key expressions lose.
const KEPT: &str = "whole records, without the option keys, keep the type";

/// Returns what is lost of values of a logical type that a key expression ends at.
fn lost(logical: Logical) -> &'static str {
    match logical {
        Logical::Decimal { .. } => {
            "key expressions read decimals as the bytes of their unscaled numbers, without the scale"
        }
        Logical::Uuid => "key expressions read UUIDs as bytes",
        Logical::Duration => "key expressions read durations as their 12 bytes",
        _ => "key expressions read dates and times as integers, in the unit that the file has",
    }
}

/// Returns the name of a field as a list of [fields](RecordOptions::fields) has it.
fn quoted(name: &str) -> String {
    RecordOptions::default().columns([name]).fields.unwrap_or_default().concat()
}

/// Returns the index of each column by its name.
fn indices(columns: &ArrowSchema) -> HashMap<&str, usize> {
    columns.fields().iter().enumerate().map(|(at, field)| (field.name().as_str(), at)).collect()
}

fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Error {
    let what = format!("there is no column {name:?}");
    Error::new(ErrorKind::InvalidArgument, what).help(suggest::hint(name, known, "columns"))
}

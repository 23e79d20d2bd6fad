//! The columns that a data set is asked for.

use std::sync::Arc;

use avro_path::program::KeyOptions;
use avro_path::record::{RecordOptions, RecordPlan};
use avro_path::schema::Type;
use avro_path::{Key, KeyProgram, Schema};
use tfxio_core::{Column, Error, ErrorKind};

use super::decoder::{Order, Program};

/// What becomes of a record.
#[derive(Clone, Debug)]
pub(super) enum Columns {
    /// A column a key expression, with its name.
    Keys(Arc<[(Arc<str>, Key)]>, KeyOptions),
    /// A column a field; these fields, in this order, where some are chosen.
    Records(RecordOptions, Option<Arc<[Arc<str>]>>),
}

impl Columns {
    /// Compiles the columns for data of a schema.
    pub(super) fn compile(&self, schema: &Schema) -> Result<Program, Error> {
        match self {
            Self::Keys(keys, options) => {
                let named = keys.iter().map(|(name, key)| (&**name, key));
                let program = KeyProgram::with_options(schema, named, *options)?;
                Ok(Program::Keys(program, Arc::clone(keys), *options))
            }
            Self::Records(options, None) => {
                Ok(Program::Records(RecordPlan::new(schema, options)?, options.clone(), None))
            }
            Self::Records(options, Some(names)) => {
                let all = RecordPlan::new(schema, options)?.arrow_schema();
                if let Some(name) = names.iter().find(|name| all.index_of(name).is_err()) {
                    return Err(unknown(name, all.fields().iter().map(|field| field.name().as_str())));
                }
                let is_record = matches!(schema.get(schema.root()), Type::Record(_));
                let mut options = options.clone();
                // A root that is no record has one column, and nothing can be left out.
                if is_record && options.fields.is_none() {
                    options = options.with_columns(names.iter());
                }
                let plan = RecordPlan::new(schema, &options)?;
                let columns = plan.arrow_schema();
                let places =
                    names.iter().filter_map(|name| columns.index_of(name).ok()).collect::<Arc<[_]>>();
                let columns = Arc::new(columns.project(&places)?);
                Ok(Program::Records(plan, options, Some(Order { places, schema: columns })))
            }
        }
    }

    /// Returns the columns of a request, in its order. A path into a column of whole records leaves the column with that
    /// field, and others that are asked for.
    pub(super) fn select(&self, wanted: &[Column], schema: &Schema) -> Result<Self, Error> {
        let mut names: Vec<Arc<str>> = Vec::new();
        for column in wanted {
            let name = column.path.initial_step()?;
            if !names.iter().any(|known| **known == *name) {
                names.push(name.into());
            }
        }
        let is_deep = wanted.iter().any(|column| column.path.len() > 1);
        match self {
            Self::Keys(..) if is_deep => {
                let deep = wanted.iter().find(|column| column.path.len() > 1);
                let path = deep.map(|column| column.path.to_string()).unwrap_or_default();
                let message =
                    format!("there is no column {path:?}; a column of a key expression has no fields");
                Err(Error::new(ErrorKind::InvalidArgument, message))
            }
            Self::Records(options, _) if is_deep && options.fields.is_none() => {
                // Says which columns there are.
                self.project(&names)?.compile(schema)?;
                let field = |column: &Column| {
                    column.path.steps().iter().map(|step| quoted(step)).collect::<Vec<_>>().join(".")
                };
                let options = options.clone().with_fields(wanted.iter().map(field));
                Ok(Self::Records(options, Some(names.into())))
            }
            _ => self.project(&names),
        }
    }

    /// Some of the columns, in the order of the names.
    pub(super) fn project(&self, names: &[Arc<str>]) -> Result<Self, Error> {
        match self {
            Self::Keys(keys, options) => {
                let find = |name: &Arc<str>| {
                    let known = keys.iter().find(|(known, _)| known == name).cloned();
                    known.ok_or_else(|| unknown(name, keys.iter().map(|(name, _)| &**name)))
                };
                Ok(Self::Keys(names.iter().map(find).collect::<Result<_, _>>()?, *options))
            }
            // Whether there are such fields shows where they are compiled.
            Self::Records(options, _) => Ok(Self::Records(options.clone(), Some(names.into()))),
        }
    }
}

/// Returns the name of a field as it stands in a list of [fields](RecordOptions::fields).
fn quoted(name: &str) -> String {
    RecordOptions::default().with_columns([name]).fields.unwrap_or_default().concat()
}

fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Error {
    let known = known.take(10).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    let known = if known.is_empty() { "none".to_owned() } else { known };
    let message = format!("there is no column {name:?}; the columns are {known}");
    Error::new(ErrorKind::InvalidArgument, message)
}

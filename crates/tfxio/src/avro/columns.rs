//! The columns that a data set is asked for.

use std::sync::Arc;

use avro_path::program::KeyOptions;
use avro_path::{Key, KeyProgram, Schema};
use tfxio_core::{Error, ErrorKind};

use super::decoder::Program;

/// What becomes of a record.
#[derive(Clone, Debug)]
pub(super) enum Columns {
    /// A column a key expression, with its name.
    Keys(Arc<[(Arc<str>, Key)]>, KeyOptions),
}

impl Columns {
    /// Compiles the columns for data of a schema.
    pub(super) fn compile(&self, schema: &Schema) -> Result<Program, Error> {
        match self {
            Self::Keys(keys, options) => {
                let keys = keys.iter().map(|(name, key)| (&**name, key));
                Ok(Program::Keys(KeyProgram::with_options(schema, keys, *options)?))
            }
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
        }
    }
}

fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Error {
    let known = known.take(10).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    let known = if known.is_empty() { "none".to_owned() } else { known };
    let message = format!("there is no column {name:?}; the columns are {known}");
    Error::new(ErrorKind::InvalidArgument, message)
}

//! Plans of columns, made before the first batch.

use std::borrow::Cow;
use std::collections::HashSet;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Fields, Schema};
use tfxio_core::{Count, Limits, UnknownColumn};

use super::cell::{Column, Head};
use super::column::cells;
use super::options::EncoderOptions;
use super::output::EncodedExamples;
use super::ragged::Ragged;
use super::scalars::{Scalars, is_listed};
use crate::error::Locate;
use crate::{Error, FeatureKind, Kind};

/// The features of batches of one schema, of a tf.Example or of the context of a tf.SequenceExample, and how
/// their records are written.
#[derive(Debug)]
pub(super) struct Context {
    plans: Vec<ColumnPlan>,
    scalars: Scalars,
    ragged: Ragged,
    /// Columns of a batch, the left-out ones included.
    width: usize,
    limits: Limits,
    room: (usize, usize),
}

impl Context {
    pub(super) fn new(schema: &Schema, options: EncoderOptions) -> Result<Self, Error> {
        let scalars = Scalars::new(schema, &options);
        let ragged = Ragged::new(scalars.schema(), &options.ragged_features)?;
        let plans = columns(ragged.schema(), schema, &options)?;
        Ok(Self {
            plans,
            scalars,
            ragged,
            width: schema.fields().len(),
            limits: options.limits,
            room: options.room,
        })
    }

    /// Returns the batch with its scalars in lists and its ragged columns taken apart.
    pub(super) fn take_apart<'a>(&self, batch: &'a RecordBatch) -> Result<Cow<'a, RecordBatch>, Error> {
        if batch.num_columns() != self.width {
            return Err(Error::new(
                Kind::UnsupportedColumn,
                format!(
                    "the batch has {}, the encoder was built for {}",
                    Count::of(batch.num_columns(), "column"),
                    self.width
                ),
            )
            .help("build one for each schema"));
        }
        Ok(match self.scalars.lists(batch)? {
            Cow::Borrowed(batch) => self.ragged.take_apart(batch)?,
            Cow::Owned(batch) => Cow::Owned(self.ragged.take_apart(&batch)?.into_owned()),
        })
    }

    /// Returns the features of a batch that has been taken apart.
    pub(super) fn columns<'a>(&'a self, batch: &'a RecordBatch) -> Result<Vec<Column<'a>>, Error> {
        self.plans.iter().map(|plan| cells(plan, batch)).collect()
    }

    /// Writes all rows of some maps, each with its tag.
    pub(super) fn write(
        &self,
        rows: usize,
        maps: &[(u8, &[Column<'_>])],
        output: &mut EncodedExamples,
    ) -> Result<(), Error> {
        output.fill(rows, maps, &self.limits, self.room).inspect_err(|_| output.clear())
    }
}

/// A column that is encoded.
#[derive(Debug)]
pub(super) struct ColumnPlan {
    /// Its number in the batch.
    pub(super) index: usize,
    pub(super) name: String,
    pub(super) data_type: DataType,
    pub(super) head: Head,
}

impl ColumnPlan {
    /// Returns the column of a batch, which must be of the schema that was planned for.
    pub(super) fn column<'a>(&self, batch: &'a RecordBatch) -> Result<&'a ArrayRef, Error> {
        planned(self.index, &self.name, &self.data_type, batch.schema_ref().fields(), batch.columns())
    }
}

/// Returns a column of a batch of which name and type are known.
pub(super) fn planned<'a>(
    index: usize,
    name: &str,
    data_type: &DataType,
    fields: &Fields,
    columns: &'a [ArrayRef],
) -> Result<&'a ArrayRef, Error> {
    let found = columns.get(index);
    let Some(array) = found.filter(|array| array.data_type() == data_type) else {
        let error = Error::new(
            Kind::UnsupportedColumn,
            format!(
                "the column is of type {}, the encoder was built for {data_type}",
                found.map_or_else(|| "nothing".to_owned(), |array| array.data_type().to_string()),
            ),
        )
        .help("build one for each schema");
        return Err(error.in_feature(name));
    };
    let found = fields.get(index).map_or("", |field| field.name());
    if found != name {
        let error = Error::new(Kind::UnsupportedColumn, format!("column {index} of the batch is {found:?}"))
            .help("build an encoder for each schema");
        return Err(error.in_feature(name));
    }
    Ok(array)
}

/// Returns the columns that are encoded, in order. Errors name the types of `given`, the schema of the caller.
fn columns(schema: &Schema, given: &Schema, options: &EncoderOptions) -> Result<Vec<ColumnPlan>, Error> {
    for name in &options.ignored_columns {
        if !schema.fields().iter().any(|field| field.name() == name) {
            return Err(UnknownColumn::among(name, schema.fields().iter().map(|f| f.name().as_str())));
        }
    }
    let mut names = HashSet::new();
    let mut plans = Vec::with_capacity(schema.fields().len());
    for (index, field) in schema.fields().iter().enumerate() {
        let name = field.name();
        if options.ignored_columns.contains(name) {
            continue;
        }
        if !names.insert(name) {
            return Err(Error::new(
                Kind::InvalidSchema,
                format!("two columns are named {name:?}; an example can hold only one feature of a name"),
            ));
        }
        let kind = kind(field.data_type(), options.text).map_err(|why| {
            let field = given.field_with_name(name).unwrap_or(field);
            unsupported(name, field.data_type(), why)
        })?;
        let head = Head::new(name, kind);
        plans.push(ColumnPlan { index, name: name.clone(), data_type: field.data_type().clone(), head });
    }
    Ok(plans)
}

/// Returns the kind of feature that a column becomes, or what to do about it.
pub(super) fn kind(data_type: &DataType, text: bool) -> Result<Option<FeatureKind>, &'static str> {
    let item = match data_type {
        DataType::Null => return Ok(None),
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => item,
        DataType::Struct(_) => return Err("leave it out, or take its fields apart"),
        scalar if is_listed(scalar) => {
            return Err("make it a list, with one value a row, or allow scalars in the options");
        }
        scalar if scalar.is_floating() => return Err("cast it to Float32"),
        scalar if scalar.is_integer() => return Err("cast it to Int64"),
        _ => return Err("cast it to Int64, Float32 or Binary"),
    };
    match item.data_type() {
        DataType::Int64 => Ok(Some(FeatureKind::Int64)),
        DataType::Float32 => Ok(Some(FeatureKind::Float)),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Ok(Some(FeatureKind::Bytes)),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View if text => Ok(Some(FeatureKind::Bytes)),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            Err("cast it to binary, or allow text in the options")
        }
        DataType::Boolean => Err("cast it to lists of Int64"),
        item if item.is_integer() => Err("cast it to lists of Int64"),
        item if item.is_floating() => Err("cast it to lists of Float32"),
        _ => Err("cast it to lists of Int64, Float32 or Binary"),
    }
}

pub(super) fn unsupported(name: &str, data_type: &DataType, what_to_do: &str) -> Error {
    let error = Error::new(
        Kind::UnsupportedColumn,
        format!("tf.Example has no equivalent of a column of type {data_type}"),
    );
    error.help(what_to_do).in_feature(name)
}

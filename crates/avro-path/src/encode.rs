//! Arrow batches to Avro: each row a datum, written from the columns without values in between.
//!
//! An [`EncodePlan`] derives an Avro schema from an Arrow schema, or takes the one that is given. [`EncodePlan::rows`]
//! looks at the columns of a batch once; [`BatchRows::append`] then writes one row after the other, straight into the
//! block of a container.
//!
//! ```
//! use std::sync::Arc;
//! use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
//! use avro_path::container::{ContainerReader, ContainerWriter};
//! use avro_path::datum::{DatumReader, write_json};
//! use avro_path::encode::{EncodeOptions, EncodePlan};
//!
//! let batch = RecordBatch::try_from_iter([
//!     ("name", Arc::new(StringArray::from(vec!["Ada", "Kai"])) as ArrayRef),
//!     ("home town", Arc::new(StringArray::from(vec![Some("London"), None])) as ArrayRef),
//!     ("age", Arc::new(Int64Array::from(vec![36, 7])) as ArrayRef),
//! ])?;
//! let plan = EncodePlan::builder(&batch.schema()).options(EncodeOptions::default().name("person")).build()?;
//! let mut writer = ContainerWriter::builder(Vec::new(), plan.avro_schema()).check(false).build()?;
//! let rows = plan.rows(&batch)?;
//! for row in 0..rows.len() {
//!     writer.write_with(|out| rows.append(row, out))?;
//! }
//! let file = writer.finish()?;
//!
//! let mut reader = ContainerReader::new(&file[..])?;
//! let schema = reader.header().schema().clone();
//! let block = reader.next_block()?.expect("a block");
//! let mut json = Vec::new();
//! write_json(&schema, &mut DatumReader::new(block.bytes()), &Default::default(), &mut json)?;
//! assert_eq!(json, br#"{"name":"Ada","home_town":"London","age":36}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The Avro type of each Arrow type
//!
//! | Arrow | Avro |
//! | --- | --- |
//! | `Null` | `null` |
//! | `Boolean` | `boolean` |
//! | `Int8`, `Int16`, `Int32`, `UInt8`, `UInt16` | `int` |
//! | `Int64`, `UInt32`, `UInt64` | `long`; a value of 2^63 or more is an error |
//! | `Float16`, `Float32` | `float` |
//! | `Float64` | `double` |
//! | `Utf8`, `LargeUtf8`, `Utf8View` | `string` |
//! | `Binary`, `LargeBinary`, `BinaryView` | `bytes` |
//! | `FixedSizeBinary` | `fixed`; with the extension `arrow.uuid` of the logical type `uuid` |
//! | `Decimal32`, `Decimal64`, `Decimal128`, `Decimal256` | `bytes` of the logical type `decimal`; a value with more digits than the precision is an error |
//! | `Date32` | `int` of the logical type `date` |
//! | `Date64` | `long` of the logical type `local-timestamp-millis` |
//! | `Time32` | `int` of the logical type `time-millis` |
//! | `Time64` of microseconds | `long` of the logical type `time-micros` |
//! | `Time64` of nanoseconds, for which Avro has nothing; `Duration` | `long`, the number as it is |
//! | `Timestamp` with a time zone | `long` of `timestamp-millis` (also for seconds), `-micros` or `-nanos` |
//! | `Timestamp` without | `long` of `local-timestamp-millis` (also for seconds), `-micros` or `-nanos` |
//! | `Interval` | `fixed` of 12 bytes of the logical type `duration`; what is negative or finer than a millisecond is an error |
//! | `List`, `LargeList`, `FixedSizeList`, `ListView`, `LargeListView` | `array` |
//! | `Map` with strings as keys | `map` |
//! | other `Map` | `array` of a record of key and value |
//! | `Struct` | `record` |
//! | `Dictionary`, `RunEndEncoded` | what their values are |
//! | `Union` | none: an error |
//!
//! A nullable column or item becomes the union of `null` and its type, a nullable field with the default `null`.
//!
//! Avro's names have letters of ASCII, digits and `_`. Any other character becomes `_`; names that would then be the
//! same get a number. If the Arrow name of a field differs, its property `arrow.name` has it, and the column gets it
//! back when the file is [read](crate::record). If a type loses its unit (`Duration`, `Time64` of nanoseconds), the
//! property `arrow.type` has it. The property `arrow.timezone` of a timestamp has any time zone other than UTC, and the
//! column gets it back.

mod bind;
mod bytes;
mod column;
mod derive;
mod leaf;
mod name;
mod number;

use std::fmt;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Schema as ArrowSchema, SchemaRef};
use tfxio_core::Count;

use crate::schema::{AvroSchema, Type};
use crate::{Error, ErrorKind, Kind, Result};

use bind::{Binder, Matching};
use column::Cell;

/// Options of an [`EncodePlan`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EncodeOptions {
    /// Name of the record that a row becomes. Default `row`.
    pub name: String,
    /// Namespace of the record and of the types in it. Default empty: none.
    pub namespace: String,
    /// Schema to write with, instead of a derived one: see [`schema`](Self::schema()). Default `None`.
    pub schema: Option<AvroSchema>,
}

impl Default for EncodeOptions {
    fn default() -> Self {
        Self { name: "row".to_owned(), namespace: String::new(), schema: None }
    }
}

impl EncodeOptions {
    /// Sets the name of the record.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the namespace.
    #[must_use]
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = namespace.into();
        self
    }

    /// Sets the schema to write with.
    ///
    /// Columns are found by the names of the record's fields, in any order; a field without a column takes its
    /// default. If the schema is not a record, a batch has one column. Beside the types of the
    /// [table](crate::encode#the-avro-type-of-each-arrow-type), these fit:
    ///
    /// | Avro | also takes |
    /// | --- | --- |
    /// | a union | the first branch that fits, nulls where `null` is a branch; or structs with a nullable field for each branch, called as the branch, as [`record`](crate::record) reads them |
    /// | `long` | every integer |
    /// | `double` | every float |
    /// | `enum` | strings that are its symbols |
    /// | `bytes` | strings; binary of a known size |
    /// | `string` of the logical type `uuid` | binary of 16 bytes |
    /// | `int` and `long` without a logical type | dates, times, timestamps and durations: the number as it is |
    /// | `int` and `long` with one | integers: the number as it is; times of any unit, if the value is a whole number of the logical type's |
    /// | `decimal` on `bytes` or `fixed` | decimals of the same scale and at most the precision |
    #[must_use]
    pub fn schema(mut self, schema: AvroSchema) -> Self {
        self.schema = Some(schema);
        self
    }
}

/// Compiled conversion of batches of one Arrow schema to Avro data. Holds no buffer, and can be shared between threads.
#[derive(Clone)]
pub struct EncodePlan {
    avro: AvroSchema,
    arrow: SchemaRef,
    matching: Matching,
}

/// Makes an [`EncodePlan`]: see [`EncodePlan::builder`].
#[derive(Clone, Debug)]
pub struct EncodePlanBuilder<'s> {
    schema: &'s ArrowSchema,
    options: EncodeOptions,
}

impl EncodePlanBuilder<'_> {
    /// Sets the names of what is derived, or the schema to write with.
    #[must_use]
    pub fn options(mut self, options: EncodeOptions) -> Self {
        self.options = options;
        self
    }

    /// Derives the Avro schema, or checks that the columns fit the given one.
    ///
    /// # Errors
    /// Of kind [`ValueMismatch`](Kind::ValueMismatch) when a column has a type without a form in Avro, does not
    /// fit the given schema, or is not in it; when the given schema has a field without column and default. The
    /// position's path names the column. Of kind [`InvalidArgument`](ErrorKind::InvalidArgument) when name or namespace are
    /// none, of kind [`LimitExceeded`](ErrorKind::LimitExceeded) when types are nested too deeply for a schema.
    pub fn build(self) -> Result<EncodePlan> {
        let Self { schema, options } = self;
        let (avro, matching) = match options.schema {
            Some(schema) => (schema, Matching::Names),
            None => {
                let text = derive::derive(schema, &options.name, &options.namespace)?;
                (AvroSchema::parse(&text)?, Matching::Order)
            }
        };
        let plan = EncodePlan { avro, arrow: SchemaRef::new(schema.clone()), matching };
        // What fits without rows fits with them.
        plan.cell(&RecordBatch::new_empty(plan.arrow_schema()))?;
        Ok(plan)
    }
}

impl EncodePlan {
    /// Returns a builder of a plan for batches of a schema, with the default options.
    #[must_use]
    pub fn builder(schema: &ArrowSchema) -> EncodePlanBuilder<'_> {
        EncodePlanBuilder { schema, options: EncodeOptions::default() }
    }

    /// Returns the schema of the records.
    #[must_use]
    pub fn avro_schema(&self) -> &AvroSchema {
        &self.avro
    }

    /// Returns the schema of the batches.
    #[must_use]
    pub fn arrow_schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.arrow)
    }

    /// Binds the columns of a batch.
    ///
    /// # Errors
    /// Of kind [`ValueMismatch`](Kind::ValueMismatch) when the batch has other columns than the plan.
    pub fn rows<'a>(&'a self, batch: &'a RecordBatch) -> Result<BatchRows<'a>> {
        let (found, wanted) = (batch.schema_ref().fields(), self.arrow.fields());
        if found.len() != wanted.len() {
            let what =
                format!("the batch has {}, the plan {}", Count::of(found.len(), "column"), wanted.len());
            return Err(Error::new(Kind::ValueMismatch, what).help("make a plan for this batch"));
        }
        for (found, wanted) in found.iter().zip(wanted) {
            if found.name() != wanted.name() || found.data_type() != wanted.data_type() {
                let what = format!(
                    "the batch has {:?} of the type {} here, the plan {:?} of the type {}",
                    found.name(),
                    found.data_type(),
                    wanted.name(),
                    wanted.data_type()
                );
                let error = Error::new(Kind::ValueMismatch, what).help("make a plan for this batch");
                return Err(error.at_path(wanted.name().as_str()));
            }
        }
        Ok(BatchRows { rows: batch.num_rows(), cell: self.cell(batch)? })
    }

    fn cell<'a>(&'a self, batch: &'a RecordBatch) -> Result<Cell<'a>> {
        let binder = Binder { schema: &self.avro, matching: self.matching };
        let root = self.avro.root();
        let (fields, columns) = (batch.schema_ref().fields(), batch.columns());
        match (self.avro.get(root), fields.first(), columns) {
            (Type::Record(record), ..) => {
                let values = binder.record(record, fields, columns)?;
                Ok(Cell { nulls: None, null: None, branch: None, values })
            }
            (_, Some(field), [column]) => {
                binder.cell(root, column).map_err(|error| error.within(field.name()))
            }
            _ => {
                let what = format!(
                    "the Avro schema is {}, which takes one column, and there are {}",
                    self.avro.describe(root),
                    columns.len()
                );
                Err(Error::new(Kind::ValueMismatch, what).help("give the schema of a record"))
            }
        }
    }
}

impl fmt::Debug for EncodePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncodePlan").field("avro", &self.avro).finish_non_exhaustive()
    }
}

/// The rows of a batch, ready to be written. Made by [`EncodePlan::rows`].
#[derive(Debug)]
pub struct BatchRows<'a> {
    rows: usize,
    cell: Cell<'a>,
}

impl BatchRows<'_> {
    /// Returns the number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Returns whether the batch has no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Appends the datum of a row.
    ///
    /// # Errors
    /// Of kind [`ValueMismatch`](Kind::ValueMismatch), with the row as [record](crate::Position::record) and the
    /// field as [path](crate::Position::path), when a value has no form in the Avro type: a null where none may
    /// be, an integer too large, a text that is not a symbol. Nothing is appended then.
    pub fn append(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        if row >= self.rows {
            let what = format!("the batch has {}, and row {row} is asked for", Count::of(self.rows, "row"));
            return Err(Error::new(ErrorKind::InvalidArgument, what));
        }
        let start = out.len();
        self.cell.write(row, out).map_err(|error| {
            out.truncate(start);
            error.at_record(row as u64)
        })
    }
}

/// Returns the type of the values, below dictionaries and run-end encoding.
fn plain_type(mut data_type: &DataType) -> &DataType {
    loop {
        data_type = match data_type {
            DataType::Dictionary(_, values) => values,
            DataType::RunEndEncoded(_, values) => values.data_type(),
            other => return other,
        };
    }
}

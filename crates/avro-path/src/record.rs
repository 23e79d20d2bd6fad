//! Whole records as Arrow columns: each datum a row, each field of its record a column.
//!
//! A [`RecordPlan`] is compiled once from a schema, or from a writer's and a reader's, and shared; an [`AvroDecoder`]
//! takes data and hands out batches. No value is built on the way: bytes become entries of Arrow buffers.
//!
//! # Two layouts
//!
//! [`Layout::Structured`] is the encoding of all sources of this workspace: every field is a list, whose length is the
//! number of its values. [`Layout::Plain`], the default, has the column types that one would expect of a table.
//!
//! | Avro | structured field | plain field |
//! | --- | --- | --- |
//! | null | `Null` | `Null` |
//! | boolean, int, long, float, double | list of one `Boolean`, `Int32`, `Int64`, `Float32`, `Float64` | the same without the list |
//! | string, bytes | list of one `Utf8`, `Binary` | the same without the list |
//! | fixed | list of one `FixedSizeBinary` | `FixedSizeBinary` |
//! | enum | list of one `Utf8` | `Dictionary<Int32, Utf8>` |
//! | array | list of the items | list of the items |
//! | map | list of `Struct<key, value>`, both lists themselves | `Map` |
//! | record | list of one `Struct`, its fields lists themselves | `Struct` |
//! | union of null and one type | as the type; null | as the type; null |
//! | another union | list of one `Struct` with a nullable field a branch | such a `Struct` |
//!
//! Lists are `LargeList`, strings `LargeUtf8` and bytes `LargeBinary`, or those with 32-bit offsets
//! ([`RecordOptions::large_offsets`]). A missing value is a null and never an empty list; an empty array is an empty
//! list and never null. A field of a union's struct is called as its type: `string`, `array`, the name of a record,
//! enum or fixed (the full name where two branches share the short one). A root that is not a record becomes the one
//! column `value`.
//!
//! | logical type | Arrow |
//! | --- | --- |
//! | decimal of up to 38, up to 76 digits | `Decimal128`, `Decimal256`; with more digits the type below |
//! | uuid | `FixedSizeBinary(16)` of the extension `arrow.uuid` |
//! | date | `Date32` |
//! | time-millis, time-micros | `Time32(ms)`, `Time64(µs)` |
//! | timestamp-millis, -micros, -nanos | `Timestamp` with the zone `+00:00`, or that of the property `arrow.timezone` |
//! | local-timestamp-millis, -micros, -nanos | `Timestamp` without a zone |
//! | duration | `Interval(MonthDayNano)` |
//!
//! ```
//! use arrow_array::cast::AsArray;
//! use arrow_array::types::Int32Type;
//! use avro_path::datum::write;
//! use avro_path::record::{RecordOptions, RecordPlan};
//! use avro_path::AvroSchema;
//! use tfxio_core::Origin;
//!
//! let schema = AvroSchema::parse(
//!     r#"{"type": "record", "name": "person", "fields": [
//!         {"name": "name", "type": "string"},
//!         {"name": "age", "type": ["null", "int"]}]}"#,
//! )?;
//! let options = RecordOptions::default().large_offsets(false);
//! let plan = RecordPlan::builder(&schema).options(options.clone()).build()?;
//! let mut decoder = plan.decoder();
//!
//! let mut datum = Vec::new();
//! write::string(&mut datum, "Ada");
//! write::long(&mut datum, 1); // the second branch
//! write::long(&mut datum, 36);
//! decoder.push(&datum, Origin::record(0))?;
//!
//! let batch = decoder.flush()?;
//! assert_eq!(batch.column(0).as_string::<i32>().value(0), "Ada");
//! assert_eq!(batch.column(1).as_primitive::<Int32Type>().value(0), 36);
//! # Ok::<(), avro_path::Error>(())
//! ```

mod compile;
mod fields;
mod leaf;
mod shape;

use std::fmt;
use std::sync::Arc;

use arrow_schema::SchemaRef;

use crate::Result;
use crate::key::print::Name;
use crate::plan::DecodePlan;
use crate::plan::compile::Compiler;
use crate::resolution::Resolution;
use crate::schema::{AvroSchema, Type};

pub use crate::plan::AvroDecoder;

/// Layout of the columns: see the [table](self#two-layouts).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
    /// Every field is a list.
    Structured,
    /// Fields have the types that their values have.
    #[default]
    Plain,
}

/// Options for the columns of records, and the selection of fields.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordOptions {
    /// Layout of the columns. Default [`Layout::Plain`].
    pub layout: Layout,
    /// `LargeList`, `LargeUtf8` and `LargeBinary` with 64-bit offsets, or `List`, `Utf8` and `Binary` with 32-bit ones.
    /// Arrow's `Map` has 32-bit offsets in any case. Default true.
    pub large_offsets: bool,
    /// Whether logical types become the matching Arrow types, or the types below them. Default true.
    pub logical_types: bool,
    /// Whether columns get back their names from before they were written, if Avro did not allow them: the property
    /// `arrow.name` of a field; and timestamps the time zone of `arrow.timezone`. Default true.
    pub arrow_names: bool,
    /// Fields that are read, by the names of their columns; the names of fields within records have dots between them
    /// (`user.name`), through arrays, maps and unions too. A name that has dots itself is quoted, as in key expressions
    /// (`'user.name'.first`). Their order does not matter. The others are skipped. Default `None`: all of them.
    pub fields: Option<Vec<String>>,
    /// Maximum number of times that a record may occur on the path from the root to a field. Fields of a record that
    /// would occur more often are left out. Default `None`: a schema with a record within itself is an error.
    pub max_depth: Option<u32>,
}

impl Default for RecordOptions {
    fn default() -> Self {
        Self {
            layout: Layout::Plain,
            large_offsets: true,
            logical_types: true,
            arrow_names: true,
            fields: None,
            max_depth: None,
        }
    }
}

impl RecordOptions {
    /// Chooses the layout.
    #[must_use]
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// Chooses 64-bit offsets, or 32-bit ones.
    #[must_use]
    pub fn large_offsets(mut self, large_offsets: bool) -> Self {
        self.large_offsets = large_offsets;
        self
    }

    /// Chooses whether columns have the names that they had when they were written.
    #[must_use]
    pub fn arrow_names(mut self, arrow_names: bool) -> Self {
        self.arrow_names = arrow_names;
        self
    }

    /// Chooses whether logical types become the matching Arrow types.
    #[must_use]
    pub fn logical_types(mut self, logical_types: bool) -> Self {
        self.logical_types = logical_types;
        self
    }

    /// Reads only these fields.
    #[must_use]
    pub fn fields<S: Into<String>>(mut self, fields: impl IntoIterator<Item = S>) -> Self {
        self.fields = Some(fields.into_iter().map(Into::into).collect());
        self
    }

    /// Reads only these columns: fields of the root by their whole names, which need no quotes.
    ///
    /// ```
    /// use avro_path::record::RecordOptions;
    /// let options = RecordOptions::default().columns(["age", "name.first"]);
    /// assert_eq!(options.fields.unwrap(), ["age", "'name.first'"]);
    /// ```
    #[must_use]
    pub fn columns<S: AsRef<str>>(self, columns: impl IntoIterator<Item = S>) -> Self {
        self.fields(columns.into_iter().map(|name| Name(name.as_ref()).to_string()))
    }

    /// Sets the maximum number of times that a record may occur on the path from the root to a field.
    #[must_use]
    pub fn max_depth(mut self, max_depth: u32) -> Self {
        self.max_depth = Some(max_depth);
        self
    }
}

/// Compiles a [`RecordPlan`]: see [`RecordPlan::builder`].
#[derive(Clone, Debug)]
pub struct RecordPlanBuilder<'s> {
    schema: &'s AvroSchema,
    writer: Option<&'s AvroSchema>,
    options: RecordOptions,
}

impl<'s> RecordPlanBuilder<'s> {
    /// Sets which columns there are, and their layout.
    #[must_use]
    pub fn options(mut self, options: RecordOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the schema that the data were written with, where it is another: fields in another order, more or fewer of
    /// them, wider numbers, other unions, other names. Nothing is rewritten: the writer's bytes are read as the plan's
    /// schema wants them.
    #[must_use]
    pub fn writer(mut self, writer: &'s AvroSchema) -> Self {
        self.writer = Some(writer);
        self
    }

    /// Compiles the plan.
    ///
    /// # Errors
    /// Of kind [`InvalidArgument`](crate::ErrorKind::InvalidArgument) when a field that is asked for does not exist, or
    /// a record contains itself and `max_depth` is not given: the error names the cycle. Of kind
    /// [`LimitExceeded`](crate::ErrorKind::LimitExceeded) when the schema comes to more than 100,000 columns or 200
    /// nested types. Of kind [`Resolution`](crate::Kind::Resolution) when data of the writer's schema can never be read
    /// with the plan's.
    pub fn build(self) -> Result<RecordPlan> {
        let resolution = self.writer.map(|writer| Resolution::new(writer, self.schema)).transpose()?;
        RecordPlan::compile(self.schema, resolution.as_ref(), &self.options)
    }
}

/// Compiled conversion of data of a schema to columns. Immutable; clones share it.
#[derive(Clone)]
pub struct RecordPlan(Arc<DecodePlan>);

impl RecordPlan {
    /// Returns a builder of a plan for data of a schema, with the default options.
    #[must_use]
    pub fn builder(schema: &AvroSchema) -> RecordPlanBuilder<'_> {
        RecordPlanBuilder { schema, writer: None, options: RecordOptions::default() }
    }

    fn compile(
        schema: &AvroSchema,
        resolution: Option<&Resolution>,
        options: &RecordOptions,
    ) -> Result<Self> {
        let (shape, fields, counts) = shape::shape(schema, options)?;
        let mut compiler = Compiler::new(schema, resolution, counts);
        let op = compiler.root(&shape)?;
        let is_record = matches!(schema.get(schema.root()), Type::Record(_));
        let columns = Arc::new(arrow_schema::Schema::new(fields));
        Ok(Self(Arc::new(compiler.finish(shape, (None, op), columns, is_record, options.large_offsets))))
    }

    /// Returns the schema of the batches.
    #[must_use]
    pub fn arrow_schema(&self) -> SchemaRef {
        self.0.schema()
    }

    /// Returns a decoder that follows this plan.
    #[must_use]
    pub fn decoder(&self) -> AvroDecoder {
        AvroDecoder::new(&self.0)
    }
}

impl fmt::Debug for RecordPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordPlan").field("schema", &self.0.schema()).finish_non_exhaustive()
    }
}

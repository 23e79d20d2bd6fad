//! Batches as Parquet files.

use std::io::Write as _;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, IntervalUnit, Schema, SchemaRef};
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowWriterOptions};
use parquet::arrow::{ArrowSchemaConverter, ArrowWriter};
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedRowGroupWriter, TrackedWrite};
use parquet::schema::types::SchemaDescPtr;
use tfxio_base::OutputFile;
use tfxio_core::{Error, ErrorKind, FormatOptions, Position, Result};
use tfxio_store::output::no_columns;

use super::cuts::{Cuts, ROW_GROUP_BYTES};
use super::encode::{OpenRowGroup, RowGroupEncoder};
use super::footer_writer::FooterWriter;
use super::months;
use super::reader;
use crate::columnar::{AppendPart, BatchWriter, GroupEncoder, PartEncoder, refuse_deep};

/// Files of more columns than this are written without dictionaries.
const MOST_DICTIONARIES: usize = 2048;
/// Minimum bytes of columns of a row group, however many files are written at once, unless the options specify another number.
const LEAST_ROW_GROUP_BYTES: u64 = 1 << 20;

/// Writes one file.
pub(super) struct Writer {
    file: TrackedWrite<OutputFile>,
    footer: FooterWriter,
    schema: SchemaDescPtr,
    properties: WriterPropertiesPtr,
    encoder: RowGroupEncoder,
    cuts: Cuts,
    /// The row group that the next rows belong to, if it has rows.
    open: Option<OpenRowGroup>,
    /// Columns of a row group of which others are not encoded yet.
    encoded: Vec<ArrowColumnChunk>,
    /// Number of files that are written at once.
    files: usize,
    /// Whether a row group was begun and not ended, after which nothing is written.
    is_broken: bool,
}

impl Writer {
    /// Appends a row group.
    fn append(&mut self, columns: Vec<ArrowColumnChunk>) -> Result<(), ParquetError> {
        let ordinal = i16::try_from(self.footer.row_groups()).map_err(|_| {
            let most = i32::from(i16::MAX) + 1;
            let what = format!("a file has at most {most} row groups; write larger ones, or several files");
            ParquetError::General(what)
        })?;
        self.check()?;
        self.is_broken = true;
        let footer = &mut self.footer;
        let mut group = SerializedRowGroupWriter::new(
            Arc::clone(&self.schema),
            Arc::clone(&self.properties),
            &mut self.file,
            ordinal,
            Some(Box::new(|_, group, _, column_indexes, offset_indexes| {
                footer.add(group, column_indexes, offset_indexes)
            })),
        );
        columns.into_iter().try_for_each(|column| column.append_to_row_group(&mut group))?;
        group.close()?;
        self.is_broken = false;
        Ok(())
    }

    /// Refuses to go on after an error.
    fn check(&self) -> Result<(), ParquetError> {
        if self.is_broken {
            return Err(ParquetError::General("a row group before could not be written".to_owned()));
        }
        Ok(())
    }

    /// Appends a part of a row group, the last one with those before it.
    fn append_part(&mut self, columns: Vec<ArrowColumnChunk>, is_last: bool) -> Result<(), ParquetError> {
        self.encoded.extend(columns);
        if !is_last {
            return Ok(());
        }
        let columns = std::mem::take(&mut self.encoded);
        self.append(columns)
    }

    fn end_row_group(&mut self) -> Result<(), ParquetError> {
        let Some(open) = self.open.take() else { return Ok(()) };
        self.append(open.finish()?)
    }
}

impl BatchWriter for Writer {
    type Error = ParquetError;

    fn create(
        file: OutputFile,
        schema: &SchemaRef,
        options: &FormatOptions,
        shards: u32,
    ) -> Result<Self, ParquetError> {
        // Each column's begins with tens of kilobytes, whatever the column holds.
        let has_dictionaries = match options.text("output_dictionary") {
            Some("always") => true,
            Some("never") => false,
            _ => schema.flattened_fields().len() <= MOST_DICTIONARIES,
        };
        let properties = WriterProperties::builder()
            .set_compression(compression(options).map_err(|error| ParquetError::External(error.into()))?)
            .set_dictionary_enabled(has_dictionaries)
            .set_created_by(concat!("tfxio ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let stored = months::stored(schema);
        let writer = writer(Vec::new(), &stored, Some(properties))?;
        let (unused, factory) = writer.into_serialized_writer()?;
        let (parquet_schema, properties) =
            (Arc::new(unused.schema_descr().clone()), Arc::clone(unused.properties()));
        let footer = FooterWriter::new(Arc::clone(&parquet_schema), &properties)?;
        let mut file = TrackedWrite::new(file);
        file.write_all(b"PAR1")?;
        let encoder = RowGroupEncoder::new(factory, &stored, &parquet_schema);
        // The row groups of a set are in memory at once.
        let bytes = (ROW_GROUP_BYTES / u64::from(shards.max(1))).max(LEAST_ROW_GROUP_BYTES);
        let bytes = options.count("row_group_bytes").unwrap_or(bytes);
        let cuts = Cuts::new(options.count("row_group_rows"), Some(bytes));
        Ok(Self {
            file,
            footer,
            schema: parquet_schema,
            properties,
            encoder,
            cuts,
            open: None,
            encoded: Vec::new(),
            files: shards.max(1) as usize,
            is_broken: false,
        })
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), ParquetError> {
        let mut left = batch.clone();
        while let Some((rows, ends)) = self.cuts.take(&mut left) {
            let open = match &mut self.open {
                Some(open) => open,
                none => none.insert(self.encoder.begin()?),
            };
            open.write(std::slice::from_ref(&rows))?;
            if ends {
                self.end_row_group()?;
            }
        }
        Ok(())
    }

    fn group_encoder(&self) -> Option<GroupEncoder<Self>> {
        if self.open.is_some() {
            return None;
        }
        let (mut cuts, encoder) = (self.cuts.clone(), self.encoder.clone());
        // Other threads have other files to encode.
        let parts = encoder.parts().div_ceil(self.files);
        let count = self.schema.root_schema().get_fields().len();
        let begin = move |columns: Range<usize>| {
            let is_last = columns.end == count;
            Ok(Box::new(RowGroupColumns { open: encoder.begin_part(columns)?, is_last })
                as Box<dyn PartEncoder<Self>>)
        };
        Some(GroupEncoder {
            cut: Box::new(move |batch| cuts.take(batch)),
            begin: Arc::new(begin),
            cut_columns: Box::new(move |first| RowGroupEncoder::cut_columns(first, parts)),
            parts,
        })
    }

    fn finish(mut self) -> Result<OutputFile, ParquetError> {
        self.end_row_group()?;
        self.check()?;
        self.footer.write(&mut self.file)?;
        self.file.into_inner()
    }
}

/// Columns of a row group.
struct RowGroupColumns {
    open: OpenRowGroup,
    /// Whether they are the last ones.
    is_last: bool,
}

impl PartEncoder<Writer> for RowGroupColumns {
    fn write(&mut self, rows: &[RecordBatch]) -> Result<(), ParquetError> {
        self.open.write(rows)
    }

    fn finish(self: Box<Self>) -> Result<AppendPart<Writer>, ParquetError> {
        let Self { open, is_last } = *self;
        let columns = open.finish()?;
        Ok(Box::new(move |writer| writer.append_part(columns, is_last)))
    }
}

/// Returns the crate's writer of columns as they are stored.
fn writer(
    out: Vec<u8>,
    stored: &SchemaRef,
    properties: Option<WriterProperties>,
) -> Result<ArrowWriter<Vec<u8>>, ParquetError> {
    let options = ArrowWriterOptions::new().with_properties(properties.unwrap_or_default());
    let options = options.with_parquet_schema(months::described(stored)?);
    ArrowWriter::try_new_with_options(out, Arc::clone(stored), options)
}

/// Refuses no columns, and columns of types that Parquet, or its writer, does not have.
pub(super) fn refuse(schema: &Schema, output: &str) -> Result<()> {
    if schema.fields().is_empty() {
        return Err(no_columns(output));
    }
    for field in schema.fields() {
        let alone = Schema::new(vec![Arc::clone(field)]);
        if !has_no_writer(field.data_type(), false) && ArrowSchemaConverter::new().convert(&alone).is_ok() {
            continue;
        }
        let message = format!(
            "a Parquet file cannot hold a column of the type {}; write an Arrow file",
            field.data_type()
        );
        let position = Position::new().file(output).column(field.name().as_str());
        return Err(Error::new(ErrorKind::Unsupported, message).at(position));
    }
    let write = |schema: SchemaRef| Ok(writer(Vec::new(), &months::stored(&schema), None)?.into_inner()?);
    refuse_deep(schema, output, "Parquet", write, reader::open)
}

/// Returns whether a type is or holds one without a writer: a union, a struct without fields, of which nothing would be written, bytes
/// of no size, dictionaries of values that are not read from them, and an interval of months, days and nanoseconds in a view or a run.
fn has_no_writer(kind: &DataType, is_view: bool) -> bool {
    match kind {
        DataType::Interval(unit) => is_view && *unit == IntervalUnit::MonthDayNano,
        // Of bytes that are none the writer makes no pages.
        DataType::Union(..) | DataType::FixedSizeBinary(0) => true,
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => has_no_writer(field.data_type(), is_view),
        DataType::ListView(field) | DataType::LargeListView(field) | DataType::RunEndEncoded(_, field) => {
            has_no_writer(field.data_type(), true)
        }
        DataType::Struct(fields) => {
            fields.is_empty() || fields.iter().any(|field| has_no_writer(field.data_type(), is_view))
        }
        DataType::Dictionary(_, value) => !is_in_dictionaries(value),
        _ => false,
    }
}

/// Returns whether a dictionary of values of a type is written, and read again.
fn is_in_dictionaries(values: &DataType) -> bool {
    match values {
        DataType::Interval(unit) => *unit != IntervalUnit::MonthDayNano,
        DataType::FixedSizeBinary(size) => *size > 0,
        DataType::Float32
        | DataType::Float64
        | DataType::Date32
        | DataType::Date64
        | DataType::Time32(_)
        | DataType::Time64(_)
        | DataType::Timestamp(..)
        | DataType::Duration(_)
        | DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Binary
        | DataType::LargeBinary => true,
        other => other.is_integer(),
    }
}

/// Returns the compression of pages, with its level.
///
/// # Errors
/// When the compression has no such level.
pub(super) fn compression(options: &FormatOptions) -> Result<Compression> {
    let level = options.count("output_compression_level");
    let small = |level| u32::try_from(level).unwrap_or(u32::MAX);
    let refused = |level: u64, help: &str| {
        let what = format!("output_compression_level is {level}, which is not a level of the compression");
        Error::new(ErrorKind::InvalidArgument, what).help(help)
    };
    Ok(match (options.text("output_compression").unwrap_or("zstd"), level) {
        ("zstd", Some(level)) => {
            let found = ZstdLevel::try_new(small(level).min(i32::MAX.unsigned_abs()).cast_signed());
            Compression::ZSTD(found.map_err(|_| refused(level, "levels of zstd are 1 to 22"))?)
        }
        ("gzip", Some(level)) => {
            let found = GzipLevel::try_new(small(level));
            Compression::GZIP(found.map_err(|_| refused(level, "levels of gzip are 0 to 9"))?)
        }
        ("none" | "snappy" | "lz4", Some(level)) => {
            return Err(refused(level, "zstd and gzip have levels; leave it out"));
        }
        ("none", None) => Compression::UNCOMPRESSED,
        ("snappy", None) => Compression::SNAPPY,
        ("gzip", None) => Compression::GZIP(GzipLevel::default()),
        ("lz4", None) => Compression::LZ4_RAW,
        _ => Compression::ZSTD(ZstdLevel::default()),
    })
}

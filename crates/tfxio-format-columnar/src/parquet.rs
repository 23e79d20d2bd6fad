//! Apache Parquet as a format of files.

mod bounds_check;
mod budget;
mod chunks;
mod contradicted;
mod converted;
mod cuts;
mod delta;
mod elements;
mod encode;
mod facts;
mod footer;
mod footer_writer;
mod foreign;
mod inflated;
mod leaves;
mod levels;
mod lists;
mod mended;
mod months;
mod outside;
mod page_index;
mod pages;
mod reader;
mod rewrite;
mod row_groups;
mod selected;
mod sink;
mod span;
mod thrift;
mod unit;

use tfxio_core::{OptionSpec, OptionType};
use tfxio_scan::merge::UNION_BY_NAME;

use crate::columnar::{Columnar, ColumnarSink, columnar_format};

/// Name of the option for the unit of 96-bit timestamps.
const INT96: &str = "int96";

/// Apache Parquet.
///
/// Files are cut between row groups. Filters leave out row groups by their statistics, and pages by the page index. Checksums of
/// pages are compared where a file has them. A damaged file is an error, also
/// where the reader would panic: the first file that is read puts a panic hook before the one of the program, which passes on
/// all other panics.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array, RecordBatch};
/// use tfxio_core::{Dataset as _, FileFormat, Files, FormatOptions, Partition};
/// use tfxio_formats::ParquetFormat;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("a.parquet").to_string_lossy().into_owned();
/// let column: ArrayRef = Arc::new(Int64Array::from(vec![7, 8]));
/// let batch = RecordBatch::try_from_iter([("x", column)])?;
/// let options = FormatOptions::default().option("output_compression", "snappy");
/// let mut sink = ParquetFormat.sink(&path, &batch.schema(), &options)?;
/// sink.write(&batch.into())?;
/// assert_eq!(sink.finish()?.rows, 2);
/// let dataset = ParquetFormat.open(Files::local([path.as_str()])?, &FormatOptions::default())?;
/// let rows = dataset.statistics(&Partition::whole(path))?.rows;
/// assert_eq!(rows.exact(), Some(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ParquetFormat;

const OPTIONS: [OptionSpec; 7] = [
    UNION_BY_NAME,
    OptionSpec::new(
        INT96,
        OptionType::OneOf(&["ns", "us"]),
        "Unit of times of 96 bits: ns, in which what is before 1677-09-21 or after 2262-04-11 is an error, or us, which cuts \
         what is finer. Default: ns.",
    ),
    OptionSpec::new(
        "output_compression",
        OptionType::OneOf(&["zstd", "snappy", "gzip", "lz4", "none"]),
        "Compression of pages that are written. Default: zstd.",
    )
    .of_output(),
    OptionSpec::new(
        "output_compression_level",
        OptionType::Count,
        "Level of zstd, 1 to 22, or of gzip, 0 to 9. Default: 1 of zstd, 6 of gzip.",
    )
    .of_output(),
    OptionSpec::new("row_group_rows", OptionType::Count, "Maximum number of rows of a row group. Default: no bound.")
        .of_output(),
    OptionSpec::new(
        "row_group_bytes",
        OptionType::Count,
        "Bytes of columns, in memory, at which a row group ends. Default: 67108864, shared among the files of a set.",
    )
    .of_output(),
    OptionSpec::new(
        "output_dictionary",
        OptionType::OneOf(&["auto", "always", "never"]),
        "Whether values are written by dictionaries, where that makes them smaller. Default: auto, in files of up to 2048 \
         columns.",
    )
    .of_output(),
];

static FORMAT: Columnar = Columnar {
    name: "parquet",
    title: "Parquet",
    endings: &[".parquet"],
    sniff: |first_bytes| first_bytes.starts_with(b"PAR1"),
    options: &OPTIONS,
    group: "row group",
    groups: "row_groups",
    footer: reader::open,
    sequential: None,
    refuse: sink::refuse,
    refuse_values: months::refuse_values,
    is_common: |data_type| !tfxio_scan::cast::has_common(data_type),
    sink: |format, output, schema, options| {
        sink::compression(options)?;
        ColumnarSink::<sink::Writer>::create(format, output, schema, options)
    },
};

columnar_format!(ParquetFormat, FORMAT);

//! Apache Parquet as a format of files.

mod chunks;
mod footer;
mod reader;
mod sink;
mod thrift;

use tfxio_core::{OptionSpec, OptionType};

use crate::columnar::{Columnar, ColumnarSink, columnar_format};

/// Apache Parquet.
///
/// Files are cut between row groups. Checksums of pages are compared where a file has them. A damaged file is an error, also
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
/// let options = FormatOptions::default().set("output_compression", "snappy");
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

const OPTIONS: [OptionSpec; 1] = [OptionSpec::new(
    "output_compression",
    OptionType::OneOf(&["zstd", "snappy", "gzip", "none"]),
    "Compression of pages that are written. Default: zstd, at level 1.",
)
.of_output()];

static FORMAT: Columnar = Columnar {
    name: "parquet",
    title: "Parquet",
    endings: &[".parquet"],
    sniff: |first_bytes| first_bytes.starts_with(b"PAR1"),
    options: &OPTIONS,
    group: "row group",
    groups: "row_groups",
    footer: reader::open,
    refuse: sink::refuse,
    sink: ColumnarSink::<sink::Writer>::create,
};

columnar_format!(ParquetFormat, FORMAT);

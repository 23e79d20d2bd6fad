//! The inputs of a conversion as batches.

use std::sync::Arc;

use tfxio_core::{Error, ErrorKind, Position};

use super::Format;
use crate::tfrecord::{RecordOptions, url};

/// The format that all files have.
pub(super) fn format(inputs: &[Arc<str>], options: &RecordOptions) -> Result<Format, Error> {
    let mut first: Option<(Format, &Arc<str>)> = None;
    for file in inputs {
        // A look at each of a thousand objects takes long, and the readers notice as well.
        if first.is_some() && url::is_url(file) {
            continue;
        }
        let position = || Position { file: Some(Arc::clone(file)), ..Position::default() };
        let format = Format::of_file(file, options)?;
        match first {
            Some((known, other)) if known != format => {
                let message = format!(
                    "the file is {format}, but {other} is {known}; convert the files of each format by themselves"
                );
                return Err(Error::new(ErrorKind::InvalidArgument, message).at(position()));
            }
            Some(_) => {}
            None => first = Some((format, file)),
        }
    }
    Ok(first.map_or(Format::TfRecord, |(format, _)| format))
}

/// Readers of Parquet and Arrow files.
#[cfg(any(feature = "ipc", feature = "parquet"))]
pub(super) mod columnar {
    use std::sync::Arc;

    use arrow_array::RecordBatch;
    use arrow_schema::{ArrowError, SchemaRef};
    use tfxio_core::{Error, ErrorKind, Position};

    use super::super::{Conversion, Format};
    use crate::tfrecord::InputFile;

    /// An open file: its schema, its batches, and its number of rows where the format says it.
    pub(in super::super) struct Open {
        pub(in super::super) schema: SchemaRef,
        pub(in super::super) rows: Option<u64>,
        pub(in super::super) batches: Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>,
    }

    pub(in super::super) fn open(conversion: &Conversion, name: &Arc<str>) -> Result<Open, Error> {
        let file = InputFile::open(name, &conversion.records)?;
        match conversion.from {
            #[cfg(feature = "parquet")]
            Format::Parquet => parquet(conversion, name, file),
            #[cfg(feature = "ipc")]
            Format::Arrow => arrow(conversion, name, file),
            other => Err(super::left_out(other)),
        }
    }

    #[cfg(feature = "parquet")]
    fn parquet(conversion: &Conversion, name: &Arc<str>, file: InputFile) -> Result<Open, Error> {
        use parquet::arrow::ProjectionMask;
        use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

        use super::super::chunks::Chunks;

        let fail =
            |error: parquet::errors::ParquetError| malformed(name, "Parquet", error.to_string(), error);
        let builder = ParquetRecordBatchReaderBuilder::try_new(Chunks::new(file)).map_err(fail)?;
        let rows = u64::try_from(builder.metadata().file_metadata().num_rows()).ok();
        let places = places(conversion, builder.schema())?;
        let mask = ProjectionMask::roots(builder.parquet_schema(), places.iter().copied());
        let reader =
            builder.with_projection(mask).with_batch_size(conversion.batch_size).build().map_err(fail)?;
        // The columns come in the order of the file; put them into the order asked for.
        let mut sorted = places.clone();
        sorted.sort_unstable();
        let order =
            places.iter().map(|place| sorted.partition_point(|other| other < place)).collect::<Vec<_>>();
        let schema = Arc::new(arrow_array::RecordBatchReader::schema(&reader).project(&order)?);
        let batches = reader.map(move |batch| batch.and_then(|batch| batch.project(&order)));
        Ok(Open { schema, rows, batches: Box::new(batches) })
    }

    #[cfg(feature = "ipc")]
    fn arrow(conversion: &Conversion, name: &Arc<str>, file: InputFile) -> Result<Open, Error> {
        let fail = |error: ArrowError| malformed(name, "Arrow", error.to_string(), error);
        let reader = arrow_ipc::reader::FileReader::try_new_buffered(file, None).map_err(fail)?;
        let places = places(conversion, &reader.schema())?;
        let schema = Arc::new(reader.schema().project(&places)?);
        let batches = reader.map(move |batch| batch.and_then(|batch| batch.project(&places)));
        Ok(Open { schema, rows: None, batches: Box::new(batches) })
    }

    /// The places of the columns asked for.
    fn places(conversion: &Conversion, schema: &SchemaRef) -> Result<Vec<usize>, Error> {
        let Some(names) = &conversion.columns else { return Ok((0..schema.fields().len()).collect()) };
        let place = |name: &Arc<str>| {
            schema.index_of(name).map_err(|_| {
                let known = schema.fields().iter().take(10).map(|field| format!("{:?}", field.name()));
                let known = known.collect::<Vec<_>>().join(", ");
                let message = format!("there is no column {name:?}; the columns are {known}");
                Error::new(ErrorKind::InvalidArgument, message)
            })
        };
        names.iter().map(place).collect()
    }

    pub(in super::super) fn malformed(
        name: &Arc<str>,
        format: &str,
        text: String,
        error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Error {
        let message = format!("the {format} file cannot be read: {text}");
        Error::new(ErrorKind::Malformed, message)
            .at(Position { file: Some(Arc::clone(name)), ..Position::default() })
            .because(error)
    }
}

/// The error for a format that was left out of this build.
#[cfg_attr(all(feature = "ipc", feature = "parquet"), allow(dead_code, reason = "nothing is left out"))]
pub(super) fn left_out(format: Format) -> Error {
    let feature = match format {
        Format::Arrow => "ipc",
        Format::Avro => "avro",
        _ => "parquet",
    };
    let message = format!("this build has no {format}; build it with the feature `{feature}`");
    Error::new(ErrorKind::Unsupported, message)
}

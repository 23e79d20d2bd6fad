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
        let position = || Position::new().file(Arc::clone(file));
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

    use super::super::guard::guarded;
    use super::super::{Conversion, Format};
    use crate::tfrecord::InputFile;

    /// An open file: its schema, its batches, and its number of rows where the format says it.
    pub(in super::super) struct Open {
        pub(in super::super) schema: SchemaRef,
        pub(in super::super) rows: Option<u64>,
        pub(in super::super) batches: Batches,
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
        use parquet::arrow::arrow_reader::{
            ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
        };
        use parquet::errors::ParquetError;

        use super::super::chunks::Chunks;
        use super::super::parquet_footer;

        let fail = |error: ParquetError| malformed(name, "Parquet", error.to_string(), error);
        let panicked = |text| panicked(name, "Parquet", text);
        let chunks = Chunks::new(file);
        let nesting = conversion.records.limits.nesting;
        let open = || {
            let metadata = Arc::new(parquet_footer::read(&chunks, nesting)?);
            ArrowReaderMetadata::try_new(metadata, ArrowReaderOptions::default())
        };
        let metadata = guarded(open).map_err(panicked)?.map_err(fail)?;
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(chunks, metadata);
        let rows = u64::try_from(builder.metadata().file_metadata().num_rows()).ok();
        let places = places(conversion, builder.schema())?;
        let mask = ProjectionMask::roots(builder.parquet_schema(), places.iter().copied());
        let build = || builder.with_projection(mask).with_batch_size(conversion.batch_size).build();
        let mut reader = guarded(build).map_err(panicked)?.map_err(fail)?;
        // The columns come in the order of the file; put them into the order asked for.
        let mut sorted = places.clone();
        sorted.sort_unstable();
        let order =
            places.iter().map(|place| sorted.partition_point(|other| other < place)).collect::<Vec<_>>();
        let schema = Arc::new(arrow_array::RecordBatchReader::schema(&reader).project(&order)?);
        let next = move || reader.next().map(|batch| batch?.project(&order)).transpose();
        Ok(Open { schema, rows, batches: Batches::new(name, "Parquet", next) })
    }

    #[cfg(feature = "ipc")]
    fn arrow(conversion: &Conversion, name: &Arc<str>, file: InputFile) -> Result<Open, Error> {
        use super::super::arrow_file::ArrowFile;

        let open = guarded(|| ArrowFile::open(file, conversion.records.limits));
        let mut file = open
            .map_err(|text| panicked(name, "Arrow", text))?
            .map_err(|error| malformed(name, "Arrow", error.to_string(), error))?;
        let places = places(conversion, file.schema())?;
        let schema = Arc::new(file.schema().project(&places)?);
        let next = move || file.next()?.map(|batch| batch.project(&places)).transpose();
        Ok(Open { schema, rows: None, batches: Batches::new(name, "Arrow", next) })
    }

    /// Reads the next batch; `None` after the last.
    type Next = Box<dyn FnMut() -> Result<Option<RecordBatch>, ArrowError>>;

    /// The batches of a file. Ends after the first error.
    pub(in super::super) struct Batches {
        name: Arc<str>,
        format: &'static str,
        next: Option<Next>,
    }

    impl Batches {
        fn new(
            name: &Arc<str>,
            format: &'static str,
            next: impl FnMut() -> Result<Option<RecordBatch>, ArrowError> + 'static,
        ) -> Self {
            Self { name: Arc::clone(name), format, next: Some(Box::new(next)) }
        }
    }

    impl Iterator for Batches {
        type Item = Result<RecordBatch, Error>;

        fn next(&mut self) -> Option<Self::Item> {
            // Taken, since a reader that has panicked must not be asked again.
            let mut next = self.next.take()?;
            let batch = match guarded(&mut next) {
                Ok(Ok(batch)) => Ok(batch?),
                Ok(Err(error)) => Err(malformed(&self.name, self.format, error.to_string(), error)),
                Err(text) => Err(panicked(&self.name, self.format, text)),
            };
            if batch.is_ok() {
                self.next = Some(next);
            }
            Some(batch)
        }
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

    /// The error of a reader that panicked over a damaged file.
    fn panicked(name: &Arc<str>, format: &str, text: String) -> Error {
        let text = format!("it is damaged (its reader stopped: {})", text.replace('\n', " "));
        malformed(name, format, text.clone(), text)
    }

    fn malformed(
        name: &Arc<str>,
        format: &str,
        text: String,
        error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Error {
        let message = format!("the {format} file cannot be read: {text}");
        Error::new(ErrorKind::Malformed, message).at(Position::new().file(Arc::clone(name))).because(error)
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

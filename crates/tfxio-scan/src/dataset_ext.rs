//! Methods of every data set.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_schema::SchemaRef;
use tfxio_core::{Batch, Dataset, MapError, Predicate, Result, RowOrigin, ScanRequest};

use crate::cast::CastType;
#[cfg(feature = "async")]
use crate::read::BatchStream;
use crate::read::{Batches, count_all, record, sample, tail};
use crate::views::{CastColumns, Concat, Filtered, Mapped, Ranged, Selection, Wanted, Zipped, kept};

/// Methods of every `Arc<dyn Dataset>`, in addition to the methods of the trait.
///
/// ```
/// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
/// use tfxio_formats::{DatasetExt, open};
/// use tfxio_formats::tfxio_core::ScanRequest;
///
/// let dataset = open(pattern)?;
/// assert_eq!(dataset.count()?, 1797);
/// let request = ScanRequest::new().columns(["label"]).filter("label = 7".parse()?).limit(10);
/// let mut rows = 0;
/// for batch in dataset.read(request)? {
///     rows += batch?.num_rows();
/// }
/// assert_eq!(rows, 10);
/// # Ok::<(), tfxio_formats::Error>(())
/// ```
pub trait DatasetExt {
    /// Reads all partitions, one after the other, and exactly the rows that satisfy the filter of the request; its limit
    /// counts them. Batches may hold rows of several files.
    ///
    /// # Errors
    /// When a file cannot be opened, a column does not exist, or the filter does not fit the types of columns. Errors in
    /// the data come from the iterator; where damaged records are skipped and all of them were, it ends with one.
    fn read(&self, request: ScanRequest) -> Result<Batches>;

    /// As [`read`](Self::read), without the first `rows` rows that satisfy the filter. Where statistics contain the number of rows of a
    /// file, the dropped rows are neither read nor decoded; otherwise they are read.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    fn read_after(&self, rows: u64, request: ScanRequest) -> Result<Batches>;

    /// Reads the last `rows` rows that satisfy the filter; the limit of the request is not used. Without a filter the files are
    /// read from the last one back, each by its number of records; otherwise all rows are read, and as many as are asked for
    /// are held in memory.
    ///
    /// ```
    /// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
    /// use tfxio_formats::{DatasetExt, open};
    /// use tfxio_formats::tfxio_core::ScanRequest;
    ///
    /// let dataset = open(pattern)?;
    /// let rows = |batches: tfxio_formats::Batches| batches.map(|batch| Ok(batch?.num_rows())).sum::<Result<usize, tfxio_formats::Error>>();
    /// assert_eq!(rows(dataset.tail(3, ScanRequest::new())?)?, 3);
    /// assert_eq!(rows(dataset.sample(20, 7, ScanRequest::new())?)?, 20);
    /// assert_eq!(rows(dataset.read_after(1790, ScanRequest::new())?)?, 7);
    /// # Ok::<(), tfxio_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`read`](Self::read), and when what is read on the way is damaged.
    fn tail(&self, rows: u64, request: ScanRequest) -> Result<Batches>;

    /// Reads `rows` rows at random, in their order, each row that satisfies the filter with the same probability; all of them if there are
    /// fewer. The limit of the request is not used. The same seed gives the same rows of the same files: it gives each record a random
    /// rank, by the index of its file among all and its number there, and the rows of the lowest ranks are drawn. So a row that is drawn
    /// from all rows is also drawn from fewer, which a filter leaves. Without a filter the records are counted and the drawn ones are taken
    /// by number; otherwise, and of pipes, all rows are read, and as many as are asked for are held in memory.
    ///
    /// # Errors
    /// As [`tail`](Self::tail).
    fn sample(&self, rows: u64, seed: u64, request: ScanRequest) -> Result<Batches>;

    /// Reads one record by its number, counted from 0 through all files. Filter and limit of the request are not used.
    ///
    /// # Errors
    /// As [`read`](Self::read); `InvalidArgument` if the record does not exist.
    fn record(&self, number: u64, request: ScanRequest) -> Result<Batches>;

    /// Returns the record that begins at or before a byte of the one file of the data set, and thus contains it; the offset is in the
    /// uncompressed file. Uses the number of records where statistics contain it, else framing up to the byte. If several records begin at
    /// the same byte, as the records of a block may, it is the first.
    ///
    /// # Errors
    /// `Unsupported` where the format does not record at which bytes records begin; `InvalidArgument` where there are several files or none
    /// of the records begins so early; otherwise as [`read`](Self::read).
    fn record_at(&self, byte: u64) -> Result<RowOrigin>;

    /// As [`read`](Self::read), as a stream on the runtime of the caller: each batch is read by a task on [`ScanRequest::spawn`], or on a
    /// thread of its own where none is set, and `poll` returns at once. A handle of a tokio runtime is a `spawn`, with the feature `tokio`.
    /// Errors of opening are the first item.
    ///
    /// ```
    /// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
    /// use std::pin::pin;
    /// use std::sync::Arc;
    ///
    /// use futures_core::Stream as _;
    /// use tfxio_formats::tfxio_core::ScanRequest;
    /// use tfxio_formats::{DatasetExt, OpenOptions};
    ///
    /// let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    /// let rows = runtime.block_on(async {
    ///     let handle = tokio::runtime::Handle::current();
    ///     let dataset = OpenOptions::new().open_async(pattern).await?;
    ///     let mut stream = pin!(dataset.read_stream(ScanRequest::new().spawn(Arc::new(handle))));
    ///     let mut rows = 0;
    ///     while let Some(batch) = std::future::poll_fn(|context| stream.as_mut().poll_next(context)).await {
    ///         rows += batch?.num_rows();
    ///     }
    ///     Ok::<_, tfxio_formats::Error>(rows)
    /// })?;
    /// assert_eq!(rows, 1797);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "async")]
    fn read_stream(&self, request: ScanRequest) -> BatchStream;

    /// Returns some of the columns, in this order, renamed: `columns` are pairs of the new name and the name in this data set. Rows,
    /// partitions and statistics stay the same; conditions and requested columns are passed on to this data set.
    ///
    /// ```
    /// use tfxio_formats::{DatasetExt, open};
    /// use tfxio_formats::tfxio_core::{Dataset, ScanRequest};
    /// # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
    ///
    /// let dataset = open(digits)?.select([("y", "label"), ("x", "image")])?;
    /// assert_eq!(dataset.schema().fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>(), ["y", "x"]);
    /// let sevens = dataset.read(ScanRequest::new().filter("y = 7".parse()?).columns(["y"]))?;
    /// assert_eq!(sevens.map(|batch| batch.map(|batch| batch.num_rows())).sum::<Result<usize, _>>()?, 179);
    /// # Ok::<(), tfxio_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` for a column that does not exist or is named twice, and for a name that two of them would have.
    fn select<N: Into<String>, O: Into<String>>(
        &self,
        columns: impl IntoIterator<Item = (N, O)>,
    ) -> Result<Arc<dyn Dataset>>;

    /// Returns the rows that satisfy a condition. A reader, a loader and a count see no others; records keep their numbers in the files.
    ///
    /// ```
    /// use tfxio_formats::{DatasetExt, open};
    /// # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
    ///
    /// let digits = open(digits)?;
    /// assert_eq!(digits.filter("label = 7".parse()?)?.count()?, 179);
    /// assert_eq!(digits.rows(1000..1100).filter("label = 7".parse()?)?.count()?, 10);
    /// assert_eq!(digits.shard(0, 3).count()?, 599);
    /// # Ok::<(), tfxio_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` for a column that does not exist, and for a value that does not fit its type.
    fn filter(&self, condition: Predicate) -> Result<Arc<dyn Dataset>>;

    /// Returns the rows with these numbers, counted from 0 through all files; a range that goes further ends at the last row. The files
    /// before its end are counted when the first partition is planned: by known numbers of records, else by framing.
    fn rows(&self, numbers: Range<u64>) -> Arc<dyn Dataset>;

    /// Returns one of `count` parts of the rows, by its index: consecutive rows, of which each part has equally many or one more. All
    /// files are counted when the first partition is planned.
    fn shard(&self, index: u64, count: u64) -> Arc<dyn Dataset>;

    /// Returns the rows of this data set followed by the rows of others, which may be of other formats. Columns are matched by their names,
    /// in the order of this data set; a column that two of them have in different types has the narrowest type that holds the values of
    /// both, as within the files of one data set.
    ///
    /// ```
    /// use tfxio_formats::{DatasetExt, open};
    /// # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
    ///
    /// let digits = open(digits)?;
    /// assert_eq!(digits.rows(0..10).concat([digits.rows(100..105)])?.count()?, 15);
    /// # Ok::<(), tfxio_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// `SchemaMismatch` for a column that not all of them have, and for types that have none in common.
    fn concat(&self, others: impl IntoIterator<Item = Arc<dyn Dataset>>) -> Result<Arc<dyn Dataset>>;

    /// Returns the columns of this data set and of another with as many rows: the n-th row of one beside the n-th of the other. Files,
    /// partitions and records are from this data set; each of its files is one partition.
    ///
    /// ```
    /// use tfxio_formats::{DatasetExt, open};
    /// # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
    ///
    /// let digits = open(digits)?;
    /// let zipped = digits.select([("label", "label")])?.zip(&digits.select([("image", "image")])?)?;
    /// assert_eq!((zipped.schema().fields().len(), zipped.count()?), (2, 1797));
    /// # Ok::<(), tfxio_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` for a column that both have. That one has fewer rows is an error where they end, if columns of both are read.
    fn zip(&self, other: &Arc<dyn Dataset>) -> Result<Arc<dyn Dataset>>;

    /// Returns the data set with columns whose values are cast, by the rules of [`cast`](mod@crate::cast): a value that does not
    /// fit is an error with its record, and rounding is a [loss](Dataset::losses).
    ///
    /// ```
    /// use tfxio_scan::cast::CastType;
    /// use tfxio_formats::{DatasetExt, open};
    /// # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
    ///
    /// let digits = open(digits)?.cast([("label", CastType::Float32)])?;
    /// assert_eq!(digits.schema().field_with_name("label")?.data_type().to_string(), "LargeList(Float32)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` for a column that does not exist, `Unsupported` for one whose values cannot be cast.
    fn cast<N: Into<String>>(
        &self,
        casts: impl IntoIterator<Item = (N, CastType)>,
    ) -> Result<Arc<dyn Dataset>>;

    /// Returns the data set with columns that a function makes of others, batch by batch, where they are read.
    ///
    /// The function is given the columns `takes`, in this order, and the origins of their rows. It returns the columns `makes`, with a
    /// value for each row: further ones, or others of the same name. It is called on the threads that read, and only where a column that
    /// it makes is asked for. All that takes a data set takes this one: it is filtered, counted, loaded, shuffled and resumed as the one
    /// below, if the function returns the same for the same rows, however many it is given at once.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use tfxio_formats::tfxio_core::ScanRequest;
    /// use tfxio_formats::tfxio_core::arrow_array::cast::AsArray;
    /// use tfxio_formats::tfxio_core::arrow_array::types::Int64Type;
    /// use tfxio_formats::tfxio_core::arrow_array::{BooleanArray, RecordBatch};
    /// use tfxio_formats::tfxio_core::arrow_schema::{DataType, Field, Schema};
    /// use tfxio_formats::{DatasetExt, OpenOptions};
    /// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
    ///
    /// let digits = OpenOptions::new().scalars(true).open(pattern)?;
    /// let makes = Arc::new(Schema::new(vec![Field::new("even", DataType::Boolean, false)]));
    /// let schema = Arc::clone(&makes);
    /// let mapped = digits.map_batches(["label"], makes, move |batch| {
    ///     let labels = batch.columns().column(0).as_primitive::<Int64Type>();
    ///     let even = labels.values().iter().map(|label| label % 2 == 0).collect::<Vec<_>>();
    ///     Ok(RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(BooleanArray::from(even))])?)
    /// })?;
    /// let even = mapped.read(ScanRequest::new().columns(["label"]).filter("even = true".parse()?))?;
    /// assert_eq!(even.map(|batch| Ok(batch?.num_rows())).sum::<Result<usize, tfxio_formats::Error>>()?, 891);
    /// # Ok::<(), tfxio_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` for a column that does not exist. An error of the function ends the read; it has the record of the first row of
    /// the batch, unless it is an [`Error`](tfxio_core::Error) with a row or a record. `SchemaMismatch` for other columns than `makes`, and
    /// for other numbers of rows.
    fn map_batches<N, F>(
        &self,
        takes: impl IntoIterator<Item = N>,
        makes: SchemaRef,
        function: F,
    ) -> Result<Arc<dyn Dataset>>
    where
        N: Into<String>,
        F: Fn(&Batch) -> Result<RecordBatch, MapError> + Send + Sync + 'static;

    /// Returns the rows for which a function of the columns `takes` is true, as [`filter`](Self::filter) does for a condition: rows of
    /// false and of null are left out. The function is one as of [`map_batches`](Self::map_batches).
    ///
    /// ```
    /// use tfxio_formats::tfxio_core::arrow_array::BooleanArray;
    /// use tfxio_formats::tfxio_core::arrow_array::cast::AsArray;
    /// use tfxio_formats::tfxio_core::arrow_array::types::Int64Type;
    /// use tfxio_formats::{DatasetExt, OpenOptions};
    /// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
    ///
    /// let digits = OpenOptions::new().scalars(true).open(pattern)?;
    /// let even = digits.filter_batches(["label"], |batch| {
    ///     let labels = batch.columns().column(0).as_primitive::<Int64Type>();
    ///     Ok(labels.iter().map(|label| label.map(|label| label % 2 == 0)).collect::<BooleanArray>())
    /// })?;
    /// assert_eq!((even.count()?, even.schema()), (891, digits.schema()));
    /// # Ok::<(), tfxio_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`map_batches`](Self::map_batches).
    fn filter_batches<N, F>(
        &self,
        takes: impl IntoIterator<Item = N>,
        function: F,
    ) -> Result<Arc<dyn Dataset>>
    where
        N: Into<String>,
        F: Fn(&Batch) -> Result<BooleanArray, MapError> + Send + Sync + 'static;

    /// Returns the number of rows: from indexes, footers or block headers where there are any, else by framing alone.
    ///
    /// # Errors
    /// When a file cannot be read to its end.
    fn count(&self) -> Result<u64>;
}

impl DatasetExt for Arc<dyn Dataset> {
    fn read(&self, request: ScanRequest) -> Result<Batches> {
        Batches::new(Arc::clone(self), request)
    }

    fn read_after(&self, rows: u64, request: ScanRequest) -> Result<Batches> {
        Batches::from_row(Arc::clone(self), rows, request)
    }

    fn tail(&self, rows: u64, request: ScanRequest) -> Result<Batches> {
        tail::tail(self, rows, request)
    }

    fn sample(&self, rows: u64, seed: u64, request: ScanRequest) -> Result<Batches> {
        sample::sample(self, rows, seed, request)
    }

    fn record(&self, number: u64, request: ScanRequest) -> Result<Batches> {
        record::by_number(self, number, request)
    }

    fn record_at(&self, byte: u64) -> Result<RowOrigin> {
        record::by_byte(self, byte)
    }

    #[cfg(feature = "async")]
    fn read_stream(&self, request: ScanRequest) -> BatchStream {
        BatchStream::new(Arc::clone(self), request)
    }

    fn select<N: Into<String>, O: Into<String>>(
        &self,
        columns: impl IntoIterator<Item = (N, O)>,
    ) -> Result<Arc<dyn Dataset>> {
        let columns = columns.into_iter().map(|(own, inner)| (own.into(), inner.into()));
        Ok(Arc::new(Selection::new(Arc::clone(self), columns.collect())?))
    }

    fn filter(&self, condition: Predicate) -> Result<Arc<dyn Dataset>> {
        Ok(Arc::new(Filtered::new(Arc::clone(self), condition)?))
    }

    fn rows(&self, numbers: Range<u64>) -> Arc<dyn Dataset> {
        Arc::new(Ranged::new(Arc::clone(self), Wanted::Rows(numbers)))
    }

    fn shard(&self, index: u64, count: u64) -> Arc<dyn Dataset> {
        Arc::new(Ranged::new(Arc::clone(self), Wanted::Shard { index, count }))
    }

    fn concat(&self, others: impl IntoIterator<Item = Arc<dyn Dataset>>) -> Result<Arc<dyn Dataset>> {
        let datasets = std::iter::once(Arc::clone(self)).chain(others);
        Ok(Arc::new(Concat::new(datasets.collect())?))
    }

    fn zip(&self, other: &Arc<dyn Dataset>) -> Result<Arc<dyn Dataset>> {
        Ok(Arc::new(Zipped::new(Arc::clone(self), Arc::clone(other))?))
    }

    fn cast<N: Into<String>>(
        &self,
        casts: impl IntoIterator<Item = (N, CastType)>,
    ) -> Result<Arc<dyn Dataset>> {
        let casts = casts.into_iter().map(|(name, cast)| (name.into(), cast));
        Ok(Arc::new(CastColumns::new(Arc::clone(self), casts.collect())?))
    }

    fn map_batches<N, F>(
        &self,
        takes: impl IntoIterator<Item = N>,
        makes: SchemaRef,
        function: F,
    ) -> Result<Arc<dyn Dataset>>
    where
        N: Into<String>,
        F: Fn(&Batch) -> Result<RecordBatch, MapError> + Send + Sync + 'static,
    {
        let takes = takes.into_iter().map(Into::into).collect();
        Ok(Arc::new(Mapped::new(Arc::clone(self), takes, makes, function)?))
    }

    fn filter_batches<N, F>(
        &self,
        takes: impl IntoIterator<Item = N>,
        function: F,
    ) -> Result<Arc<dyn Dataset>>
    where
        N: Into<String>,
        F: Fn(&Batch) -> Result<BooleanArray, MapError> + Send + Sync + 'static,
    {
        kept(self, takes.into_iter().map(Into::into).collect(), function)
    }

    fn count(&self) -> Result<u64> {
        count_all(self)
    }
}

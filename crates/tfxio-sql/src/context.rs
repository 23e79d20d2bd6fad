//! Data sets in a session of DataFusion.

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::prelude::SessionContext;
use tfxio_core::Dataset;

use crate::error::carried;
use crate::{FileTables, TableOptions, TfxioTable, files, functions};

/// Extension of DataFusion's session context with data sets and their functions.
pub trait SessionContextExt: Sized {
    /// Registers a data set as a table. As [`TfxioTable::new`] it reads the first rows.
    ///
    /// ```
    /// use datafusion::prelude::SessionContext;
    /// use tfxio_sql::SessionContextExt as _;
    /// # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
    /// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    /// # runtime.block_on(async {
    /// let context = SessionContext::new();
    /// context.register_tfxio("digits", tfxio_formats::open(digits)?)?;
    /// assert_eq!(context.table("digits").await?.count().await?, 1797);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the rows cannot be read, or a table of this name exists.
    fn register_tfxio(&self, name: &str, dataset: Arc<dyn Dataset>) -> Result<()>;

    /// Registers a data set as a table, with options.
    ///
    /// # Errors
    /// As [`register_tfxio`](Self::register_tfxio).
    fn register_tfxio_with(
        &self,
        name: &str,
        dataset: Arc<dyn Dataset>,
        options: &TableOptions,
    ) -> Result<()>;

    /// Lets statements name files, patterns and URLs in place of tables, `from 'train-*.tfrecord'`, and registers functions that
    /// open them: `read_tfxio`, and one for each format, such as `read_tfrecord` and `read_avro`. A further call replaces how this is
    /// done from then on; plans and data frames that exist keep the tables that they have.
    ///
    /// ```
    /// use datafusion::prelude::SessionContext;
    /// use tfxio_sql::{FileTables, SessionContextExt as _};
    /// # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
    /// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    /// # runtime.block_on(async {
    /// let context = SessionContext::new();
    /// context.enable_files(FileTables::new());
    /// for table in [format!("'{digits}'"), format!("read_tfrecord('{digits}')")] {
    ///     let frame = context.sql(&format!("select label from {table} where label = 7")).await?;
    ///     assert_eq!(frame.count().await?, 179);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn enable_files(&self, files: FileTables);

    /// Registers functions over features: `feature_len(x)`, the number of values; `element_at(x, n)`, a value by its number;
    /// `image_size(x)`, `{width, height}` of an image; `bucket(x, n)`, a bucket that a value always falls into. `sha256` is
    /// one of DataFusion's.
    ///
    /// ```
    /// use datafusion::prelude::SessionContext;
    /// use tfxio_sql::SessionContextExt as _;
    /// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    /// # runtime.block_on(async {
    /// let context = SessionContext::new();
    /// context.register_functions();
    /// let frame = context.sql("select feature_len([1, 2, 3]), element_at([7, 8], 2), bucket('id-17', 10)").await?;
    /// assert_eq!(frame.collect().await?[0].num_columns(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn register_functions(&self);
}

impl SessionContextExt for SessionContext {
    fn register_tfxio(&self, name: &str, dataset: Arc<dyn Dataset>) -> Result<()> {
        self.register_tfxio_with(name, dataset, &TableOptions::default())
    }

    fn register_tfxio_with(
        &self,
        name: &str,
        dataset: Arc<dyn Dataset>,
        options: &TableOptions,
    ) -> Result<()> {
        let table = TfxioTable::of(dataset, options).map_err(carried)?;
        self.register_table(name, Arc::new(table)).map(drop)
    }

    fn enable_files(&self, files: FileTables) {
        files::enable(self, Arc::new(files), None);
    }

    fn register_functions(&self) {
        functions::register(self);
    }
}

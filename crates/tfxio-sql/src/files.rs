//! Files as tables: by their names in `from`, and by table functions.

mod functions;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use datafusion::catalog::{
    CatalogProvider, CatalogProviderList, DynamicFileCatalog, TableProvider, UrlTableFactory,
};
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result};
use datafusion::prelude::SessionContext;
use tfxio_core::{Error, ErrorKind, Formats};
use tfxio_formats::OpenOptions;

use crate::error::carried;
use crate::{TableOptions, TfxioTable};

/// Bytes of local files up to which a statement has their schema inferred from all records: 32 MiB.
const WHOLE_BYTES: u64 = 32 << 20;

/// Options for opening the files that a statement names.
///
/// If no schema is given, the schema of local TFRecord files is inferred from all records while the files have at most
/// 32 MiB together, and from the first 10,000 records otherwise, so that a statement does not read a large file twice;
/// `infer_bytes` or `infer_records` among the options of [`open`](Self::open) override this. A value that does not fit
/// the inferred schema later, in a column that the statement needs, is an error with its record; a feature that is new
/// has no column, and is such an error where all columns are read.
///
/// ```
/// use tfxio_sql::{FileTables, TableOptions};
///
/// let files = FileTables::new().table(TableOptions::new().text(false));
/// assert!(!files.table.text);
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FileTables {
    /// Known formats. Default: the formats of this build.
    pub formats: Option<Formats>,
    /// Options for opening data sets.
    pub open: OpenOptions,
    /// Options for the tables of data sets.
    pub table: TableOptions,
}

impl FileTables {
    /// Returns the defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the formats that are known.
    #[must_use]
    pub fn formats(mut self, formats: &Formats) -> Self {
        self.open = self.open.formats(formats);
        self.formats = Some(formats.clone());
        self
    }

    /// Sets how data sets are opened. With formats of one's own, both [`formats`](Self::formats) and these options need them.
    #[must_use]
    pub fn open(mut self, open: OpenOptions) -> Self {
        self.open = open;
        self
    }

    /// Sets how data sets become tables.
    #[must_use]
    pub fn table(mut self, table: TableOptions) -> Self {
        self.table = table;
        self
    }
}

/// Requests of the running statement to the files that it names.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    /// Whether the tables have virtual columns, whatever the options are.
    pub(crate) virtual_columns: AtomicBool,
    /// The table that it creates, which need not exist.
    pub(crate) creates: Mutex<Option<String>>,
}

/// Opens files as tables.
#[derive(Debug)]
struct Opener {
    files: Arc<FileTables>,
    asked: Arc<Asked>,
}

impl Opener {
    /// Opens files as a table; it blocks.
    fn open(&self, open: &OpenOptions, patterns: &[String]) -> tfxio_core::Result<TfxioTable> {
        // Columns as they are in files of formats that know single values.
        let open = open.clone().prefer("layout", "plain").prefer("infer_bytes", WHOLE_BYTES);
        let dataset = open.open(patterns)?;
        let mut options = self.files.table.clone();
        options.virtual_columns |= self.asked.virtual_columns.load(Ordering::Relaxed);
        TfxioTable::of(dataset, &options)
    }
}

/// Lets statements of a session name files, and calls of `read_…` open them, in place of how they did before; as the statement that
/// is run asks for.
pub(crate) fn enable(context: &SessionContext, files: Arc<FileTables>, asked: Option<Arc<Asked>>) {
    let state = context.state();
    let catalogs = state.catalog_list();
    let before = catalogs.downcast_ref::<FileCatalogs>();
    let asked = asked.or_else(|| before.map(|before| Arc::clone(&before.files.asked))).unwrap_or_default();
    let files = Arc::new(Opener { files, asked });
    if let Some(before) = before {
        functions::deregister(context, &before.files);
    }
    functions::register(context, &files);
    let catalogs = Arc::clone(before.map_or(catalogs, |before| &before.inner));
    // What is called like a function is looked for as a table first.
    let weak = context.state_weak_ref();
    let is_function = move |name: &str| {
        weak.upgrade().is_some_and(|state| state.read().table_functions().contains_key(name))
    };
    let factory = Factory {
        files: Arc::clone(&files),
        catalogs: Arc::clone(&catalogs),
        is_function: Box::new(is_function),
    };
    let with_files = DynamicFileCatalog::new(Arc::clone(&catalogs), Arc::new(factory));
    context.register_catalog_list(Arc::new(FileCatalogs { inner: catalogs, with_files, files }));
}

/// The catalogs of a session, with files as tables.
#[derive(Debug)]
struct FileCatalogs {
    /// The catalogs without files.
    inner: Arc<dyn CatalogProviderList>,
    with_files: DynamicFileCatalog,
    files: Arc<Opener>,
}

impl CatalogProviderList for FileCatalogs {
    fn register_catalog(
        &self,
        name: String,
        catalog: Arc<dyn CatalogProvider>,
    ) -> Option<Arc<dyn CatalogProvider>> {
        self.inner.register_catalog(name, catalog)
    }

    fn catalog_names(&self) -> Vec<String> {
        self.inner.catalog_names()
    }

    fn catalog(&self, name: &str) -> Option<Arc<dyn CatalogProvider>> {
        self.with_files.catalog(name)
    }
}

/// Opens files that are named in place of a table.
struct Factory {
    files: Arc<Opener>,
    catalogs: Arc<dyn CatalogProviderList>,
    is_function: Box<dyn Fn(&str) -> bool + Send + Sync>,
}

impl fmt::Debug for Factory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Factory").field("files", &self.files).finish_non_exhaustive()
    }
}

#[async_trait]
impl UrlTableFactory for Factory {
    async fn try_new(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        if (self.is_function)(name) {
            return Ok(None);
        }
        if !is_of_files(name) {
            let creates = self.files.asked.creates.lock().unwrap_or_else(PoisonError::into_inner);
            if creates.as_deref() == Some(name) {
                return Ok(None);
            }
            return Err(carried(self.unknown(name)));
        }
        let (files, name) = (Arc::clone(&self.files), name.to_owned());
        let opened = SpawnedTask::spawn_blocking(move || files.open(&files.files.open, &[name])).await;
        let table = opened.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))?;
        Ok(Some(Arc::new(table.map_err(carried)?)))
    }
}

impl Factory {
    /// Returns the error of a table that does not exist, with the nearest name.
    fn unknown(&self, name: &str) -> Error {
        let mut known = Vec::new();
        for catalog in self.catalogs.catalog_names().iter().filter_map(|name| self.catalogs.catalog(name)) {
            for schema in catalog.schema_names().iter().filter_map(|name| catalog.schema(name)) {
                known.extend(schema.table_names());
            }
        }
        let hint = tfxio_core::suggest::did_you_mean(name, known.iter().map(String::as_str));
        let hint = hint.unwrap_or_else(|| {
            "name files between quotes, with their ending or a folder: 'train-*.tfrecord', './train'"
                .to_owned()
        });
        Error::new(ErrorKind::NotFound, format!("there is no table {name:?}")).help(hint)
    }
}

/// Returns whether a name is one of files rather than of a table.
fn is_of_files(name: &str) -> bool {
    name == "-"
        || name.contains(['/', '\\', '.', '*', '?', '[', '{', '@'])
        || std::path::Path::new(name).exists()
}

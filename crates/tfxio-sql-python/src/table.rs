//! Tables.

use std::collections::BTreeMap;
use std::process;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion_ffi::execution::FFI_TaskContextProvider;
use datafusion_ffi::table_provider::FFI_TableProvider;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyTuple};
use tfxio::sql::datafusion::arrow::ffi::FFI_ArrowSchema;
use tfxio::sql::datafusion::catalog::TableProvider as _;
use tfxio::sql::datafusion::execution::TaskContextProvider;
use tfxio::sql::{TableOptions, TfxioTable};
use tfxio::store::Stores;
use tfxio::{DatasetSpec, OpenOptions};
use tfxio_python_errors::{OrRaise as _, exception};

use crate::provider::Provider;
use crate::runtime;
use crate::session::Known;

/// A data set as a table: `SessionContext.register_table` takes it.
///
/// It is made of the description of a data set, `tfxio.Dataset.spec()`, and of how stores are reached; `tfxio_sql.table` makes one of
/// a data set or of paths. It pickles, and fits sessions of version 55 of the package datafusion.
#[pyclass(frozen, module = "tfxio_sql")]
#[derive(Debug)]
pub(crate) struct Table {
    spec: String,
    storage_options: BTreeMap<String, String>,
    options: TableOptions,
    /// The table, and the process that has opened it: a fork has none of its connections.
    opened: Mutex<(u32, TfxioTable)>,
}

#[pymethods]
impl Table {
    #[new]
    #[pyo3(signature = (spec, storage_options=None, *, scalars=true, text=true, virtual_columns=false, sample_rows=10_000))]
    fn new(
        py: Python<'_>,
        spec: String,
        storage_options: Option<BTreeMap<String, String>>,
        scalars: bool,
        text: bool,
        virtual_columns: bool,
        sample_rows: u64,
    ) -> PyResult<Self> {
        let storage_options = storage_options.unwrap_or_default();
        let options = TableOptions::new()
            .scalars(scalars)
            .text(text)
            .virtual_columns(virtual_columns)
            .sample_rows(sample_rows);
        let table = open(py, &spec, &storage_options, &options)?;
        Ok(Self { spec, storage_options, options, opened: Mutex::new((process::id(), table)) })
    }

    /// The description of the data set, as JSON.
    #[getter]
    fn spec(&self) -> &str {
        &self.spec
    }

    /// The names of the columns, in order.
    #[getter]
    fn columns(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.table(py)?.schema().fields().iter().map(|field| field.name().clone()).collect())
    }

    /// Returns the names and types of the columns: `pyarrow.schema(table)`.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.table(py)?.schema().as_ref());
        let schema = schema.map_err(|error| exception(py, &error.into()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// Returns the table as a session takes it.
    fn __datafusion_table_provider__<'py>(
        &self,
        py: Python<'py>,
        session: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let known = Arc::new(Known::of(session)?);
        let runtime = runtime::handle()?;
        let asked: Arc<dyn TaskContextProvider> = Arc::clone(&known) as _;
        let context = FFI_TaskContextProvider::from(&asked);
        let provider = Provider { table: self.table(py)?, runtime: runtime.clone(), _known: known };
        let provider = FFI_TableProvider::new(Arc::new(provider), true, Some(runtime), context, None);
        PyCapsule::new_with_value(py, provider, c"datafusion_table_provider")
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let given = (self.spec.as_str(), self.storage_options.clone()).into_pyobject(py)?;
        let named = PyDict::new(py);
        named.set_item("scalars", self.options.scalars)?;
        named.set_item("text", self.options.text)?;
        named.set_item("virtual_columns", self.options.virtual_columns)?;
        named.set_item("sample_rows", self.options.sample_rows)?;
        Ok((given, named))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let schema = self.table(py)?.schema();
        let columns = schema.fields().iter().map(|field| format!("{}: {}", field.name(), field.data_type()));
        Ok(format!("Table({})", columns.collect::<Vec<_>>().join(", ")))
    }
}

impl Table {
    /// Returns the table for use in this process.
    fn table(&self, py: Python<'_>) -> PyResult<TfxioTable> {
        let own = process::id();
        let opened = || self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let (process, table) = opened().clone();
        if process == own {
            return Ok(table);
        }
        let table = open(py, &self.spec, &self.storage_options, &self.options)?;
        *opened() = (own, table.clone());
        Ok(table)
    }
}

/// Returns the names of the formats that are known.
#[pyfunction]
pub(crate) fn formats() -> Vec<String> {
    tfxio::formats().files().iter().map(|format| format.name().to_owned()).collect()
}

/// Opens a data set by its description, and looks at its first rows.
fn open(
    py: Python<'_>,
    spec: &str,
    storage_options: &BTreeMap<String, String>,
    options: &TableOptions,
) -> PyResult<TfxioTable> {
    let spec = serde_json::from_str::<DatasetSpec>(spec)
        .map_err(|error| PyValueError::new_err(format!("not the description of a data set: {error}")))?;
    let with = |stores: Stores, (key, value): (&String, &String)| stores.option(key, value);
    let stores = storage_options.iter().fold(Stores::default(), with);
    py.detach(|| TfxioTable::of(OpenOptions::new().stores(stores).open_spec(&spec)?, options)).or_raise(py)
}

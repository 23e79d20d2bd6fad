//! The native module `tfxio_sql._sql`: data sets as tables that the package datafusion takes. What a user sees is the Python
//! package in `python/tfxio_sql`.

mod functions;
mod plan;
mod provider;
mod raised;
mod runtime;
mod session;
mod table;

use pyo3::prelude::*;

/// The native module.
#[pymodule]
mod _sql {
    #[pymodule_export]
    use super::functions::{Function, functions};
    #[pymodule_export]
    use super::raised::raised;
    #[pymodule_export]
    use super::session::datafusion_version;
    #[pymodule_export]
    use super::table::{Table, formats};
}

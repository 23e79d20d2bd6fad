//! The records that a decoder is given.

use arrow_array::cast::AsArray;
use arrow_array::{Array, BinaryArray, LargeBinaryArray};
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use super::Bytes;
use crate::tfx_bsl::arrays::given;

/// Serialized records: objects of Python, or a column of Arrow.
pub(super) enum Records {
    Objects(Vec<Bytes>),
    Column(BinaryArray),
    LargeColumn(LargeBinaryArray),
}

impl Records {
    /// Returns the records of a sequence of bytes, or of an array of Arrow, without a copy.
    pub(super) fn of(examples: &Bound<'_, PyAny>) -> PyResult<Self> {
        if examples.is_instance_of::<PyBytes>() || examples.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err("a list of serialized records expected, found one record"));
        }
        if !examples.hasattr("__arrow_c_array__")? {
            let records = examples.try_iter()?.map(|record| record?.extract::<Bytes>());
            return Ok(Self::Objects(records.collect::<PyResult<_>>()?));
        }
        let column = given(examples)?;
        if let Some(row) = (0..column.len()).find(|row| column.is_null(*row)) {
            return Err(PyTypeError::new_err(format!(
                "a column of serialized records expected, row {row} is null"
            )));
        }
        match column.data_type() {
            DataType::Binary => Ok(Self::Column(column.as_binary().clone())),
            DataType::LargeBinary => Ok(Self::LargeColumn(column.as_binary().clone())),
            other => Err(PyTypeError::new_err(format!(
                "a column of serialized records expected, found one of {other}"
            ))),
        }
    }

    /// Returns the records one after the other.
    pub(super) fn iter(&self) -> Box<dyn Iterator<Item = &[u8]> + '_> {
        match self {
            Self::Objects(records) => Box::new(records.iter().map(AsRef::as_ref)),
            Self::Column(column) => Box::new(column.iter().flatten()),
            Self::LargeColumn(column) => Box::new(column.iter().flatten()),
        }
    }
}

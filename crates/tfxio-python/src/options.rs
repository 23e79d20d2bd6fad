//! Options of formats, and JSON, from objects of Python.

use std::collections::BTreeMap;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use tfxio::{OpenOptions, OptionSpec, OptionType, OptionValue};

/// Options by name. A value is text, a number, a truth value or a list of texts.
pub(crate) type Options = BTreeMap<String, Given>;

/// The value of an option.
#[derive(Clone, Debug)]
pub(crate) struct Given(pub(crate) OptionValue);

impl<'py> FromPyObject<'_, 'py> for Given {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        // A truth value is a number, too.
        if let Ok(value) = value.extract::<bool>() {
            return Ok(Self(value.into()));
        }
        if let Ok(value) = value.extract::<u64>() {
            return Ok(Self(value.into()));
        }
        if let Ok(value) = value.extract::<String>() {
            return Ok(Self(value.into()));
        }
        if let Ok(value) = value.extract::<Vec<String>>() {
            return Ok(Self(value.into()));
        }
        let found = value.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "an option is a str, an int that is not negative, a bool or a list of str, not {found}"
        )))
    }
}

/// Key, type, words of which it is one, help, whether it is of files that are written only.
type Spec = (&'static str, &'static str, Vec<&'static str>, &'static str, bool);

/// Returns the options of all formats.
#[pyfunction]
pub(crate) fn option_specs() -> Vec<Spec> {
    let spec = |spec: OptionSpec| {
        let (kind, words) = match spec.value {
            OptionType::Bool => ("bool", Vec::new()),
            OptionType::Count => ("count", Vec::new()),
            OptionType::File => ("file", Vec::new()),
            OptionType::OneOf(words) => ("word", words.to_vec()),
            OptionType::List => ("list", Vec::new()),
            OptionType::Columns => ("columns", Vec::new()),
            _ => ("text", Vec::new()),
        };
        (spec.key, kind, words, spec.help, spec.is_output)
    };
    OpenOptions::new().specs().into_iter().map(spec).collect()
}

/// The exception for JSON that is not what it has to be.
pub(crate) fn not_json(error: &serde_json::Error) -> PyErr {
    PyValueError::new_err(format!("not the JSON that is needed here: {error}"))
}

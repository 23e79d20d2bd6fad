//! The native functions and classes of tfx-bsl 1.21, by their names: what `tfxio.compat.tfx_bsl_extension` is made of.

pub(crate) mod arrays;
pub(crate) mod coders;
mod encoder_status;
pub(crate) mod sketches;
pub(crate) mod statistics;
mod status;
pub(crate) mod tables;

use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};

/// Bytes, or a string, which means its UTF-8 bytes.
#[derive(FromPyObject)]
pub(crate) enum Bytes {
    Bytes(PyBackedBytes),
    Text(PyBackedStr),
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Text(text) => text.as_bytes(),
        }
    }
}

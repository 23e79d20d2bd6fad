//! Records of TFRecord files, one after the other or by number.

mod file_object;
mod index;
mod reader;
mod writer;

pub(crate) use self::index::RecordIndex;
pub(crate) use self::reader::TFRecordReader;
pub(crate) use self::writer::TFRecordWriter;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tfxio::tfrecord_io::Compression;

/// Returns the compression of a name; `None`, which is the default, is detected by a reader and none for a writer.
fn compression(name: Option<&str>) -> PyResult<Option<Compression>> {
    match name {
        None => Ok(None),
        Some("none" | "") => Ok(Some(Compression::None)),
        Some("gzip" | "GZIP") => Ok(Some(Compression::Gzip)),
        Some("zlib" | "ZLIB") => Ok(Some(Compression::Zlib)),
        Some(other) => Err(PyValueError::new_err(format!(
            "compression {other:?}: give None, \"none\", \"gzip\" or \"zlib\""
        ))),
    }
}

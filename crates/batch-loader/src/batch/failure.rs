//! Examples that do not become a batch.

use std::fmt;
use std::sync::Arc;

use tfxio_core::Count;

use crate::error::Locate as _;
use crate::item::{Item, Unit};
use crate::{Error, Kind};

/// Position of an example, or of its first record.
pub(super) struct ExamplePosition {
    file: Option<Arc<str>>,
    record: u64,
    byte: Option<u64>,
}

impl ExamplePosition {
    pub(super) fn of(item: &Item, unit: Unit, files: &[Arc<str>]) -> Self {
        let (chunk, start) = (&item.first.chunk, item.first.start as usize);
        let (row, _) = chunk.row_of(unit, start);
        Self {
            file: files.get(chunk.file_of(row) as usize).cloned(),
            record: chunk.records.get(row).copied().unwrap_or_default(),
            byte: chunk.bytes.get(row).copied(),
        }
    }

    pub(super) fn add_to(self, error: Error) -> Error {
        let error = error.in_record(self.record, self.byte);
        match self.file {
            Some(file) => error.in_file(file),
            None => error,
        }
    }
}

impl fmt::Display for ExamplePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "record {}", self.record)?;
        self.file.as_ref().map_or(Ok(()), |file| write!(f, " of {file}"))
    }
}

/// Two examples of different shapes, and no padding.
#[cold]
pub(super) fn differs(
    unit: Unit,
    at: ExamplePosition,
    shape: &[usize],
    other: &ExamplePosition,
    others: &[usize],
) -> Error {
    let what = match unit {
        Unit::Row => format!("the shape is {shape:?}, that of {other} in the same batch is {others:?}"),
        Unit::Rows | Unit::Steps => format!(
            "the shape of the window that begins here is {shape:?}, that of the window that begins with {other}, in the same batch, is {others:?}"
        ),
    };
    let error = Error::new(Kind::Record, what)
        .help("set `padding` to bring the tensors of a batch to one shape, or `target_batch_size` to 1");
    at.add_to(error)
}

/// An example that is larger than what it is padded to.
#[cold]
pub(super) fn exceeds(unit: Unit, at: ExamplePosition, shape: &[usize], pad: &[Option<usize>]) -> Error {
    let of = match unit {
        Unit::Row => "",
        Unit::Rows | Unit::Steps => " of the window that begins here",
    };
    let pad =
        pad.iter().map(|size| size.map_or("-1".to_owned(), |size| size.to_string())).collect::<Vec<_>>();
    let what =
        format!("the shape{of} is {shape:?}, larger than the shape [{}] of its padding", pad.join(", "));
    let error = Error::new(Kind::Record, what)
        .help("give `padding` a larger shape, or -1 for the largest of the batch");
    at.add_to(error)
}

/// A step with more values than steps are padded to.
#[cold]
pub(super) fn long_list(step: usize, values: usize, most: usize) -> Error {
    let what = format!("the step {step} has {}, and its padding has {most}", Count::of(values, "value"));
    Error::new(Kind::Record, what).help("give `padding` a larger shape, or -1 for the largest of the batch")
}

/// A step with other values than the first of its batch, and no padding.
#[cold]
pub(super) fn uneven_list(step: usize, values: usize, first: usize) -> Error {
    let values = Count::of(values, "value");
    let what = format!("the step {step} has {values}, the first in the same batch has {first}");
    Error::new(Kind::Record, what).help("set `padding` to bring the tensors of a batch to one shape")
}

/// A window of a tensor that cannot be cut.
#[cold]
pub(super) fn no_dimension(at: ExamplePosition) -> Error {
    let what = "a window needs a first dimension, the tensor has none";
    at.add_to(Error::new(Kind::Record, what))
}

/// A batch that is too large.
#[cold]
pub(super) fn too_large(shape: &[usize], bytes: Option<u64>, before: u64, limit: u64) -> Error {
    let bytes = bytes
        .map_or("more bytes than can be counted".to_owned(), |bytes| Count::of(bytes, "byte").to_string());
    let mut what = format!("the tensor of shape {shape:?} takes {bytes}");
    if before > 0 {
        what.push_str(&format!(", those before it {before}"));
    }
    what.push_str(&format!("; the limit for a batch is {}", Count::of(limit, "byte")));
    Error::new(Kind::LimitExceeded, what)
        .help("take smaller batches, shorter windows or a smaller pad shape, or raise the limit")
}

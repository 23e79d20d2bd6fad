//! Batches as tensors.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use tensor_repr::{Adapter, CopyCount, NamedTensor, TensorAdapter, TensorSpec};
use tfxio_core::{BoxedBatchReader, Error, ErrorKind};

use crate::tfrecord::in_split;
use crate::tfrecord::places::Places;

/// Reads tensors batch by batch: for each batch the tensors with their names. It ends after an error.
///
/// Made by [`TensorTfxIo::read_tensors`](crate::TensorTfxIo::read_tensors).
pub struct TensorReader {
    /// Nothing after the end or an error.
    batches: Option<BoxedBatchReader>,
    adapter: Made,
    specs: Vec<(Arc<str>, TensorSpec)>,
    /// Whether the tensors are others than the adapter's, or in another order.
    is_chosen: bool,
    copied: CopyCount,
    rows: u64,
    /// The tensors whose shapes say how many values a column has in each row, by the column's name.
    shapes: HashMap<Arc<str>, Arc<str>>,
}

/// What makes the tensors.
enum Made {
    /// Counts what it copies. It is known which record each row comes from.
    Default(Box<Adapter>, Places),
    Any(Box<dyn TensorAdapter>),
}

impl TensorReader {
    /// Reads the tensors of these names, or all, from batches that the adapter is for.
    ///
    /// # Errors
    /// `InvalidArgument` for a name that the adapter does not have.
    pub fn new(
        batches: BoxedBatchReader,
        adapter: Box<dyn TensorAdapter>,
        tensors: Option<Vec<Arc<str>>>,
    ) -> Result<Self, Error> {
        let all = adapter.specs();
        let specs = match &tensors {
            None => all.to_vec(),
            Some(names) => {
                let find = |name: &Arc<str>| {
                    let known = all.iter().find(|(other, _)| other == name).cloned();
                    known.ok_or_else(|| {
                        Error::new(ErrorKind::InvalidArgument, format!("the adapter has no tensor {name:?}"))
                    })
                };
                names.iter().map(find).collect::<Result<_, _>>()?
            }
        };
        Ok(Self::of(batches, Made::Any(adapter), specs, tensors.is_some()))
    }

    /// Reads all tensors of an adapter, and counts what is copied.
    pub(crate) fn with_default_adapter(batches: BoxedBatchReader, adapter: Adapter, places: Places) -> Self {
        let specs = adapter.specs().to_vec();
        Self::of(batches, Made::Default(Box::new(adapter), places), specs, false)
    }

    /// Takes the tensors whose shapes fix the lengths of columns.
    pub(crate) fn with_shapes(self, shapes: HashMap<Arc<str>, Arc<str>>) -> Self {
        Self { shapes, ..self }
    }

    fn of(
        batches: BoxedBatchReader,
        adapter: Made,
        specs: Vec<(Arc<str>, TensorSpec)>,
        is_chosen: bool,
    ) -> Self {
        let copied = CopyCount::default();
        Self { batches: Some(batches), adapter, specs, is_chosen, copied, rows: 0, shapes: HashMap::new() }
    }

    /// The names and specs of the tensors, in their order. Every tensor conforms to its spec.
    #[must_use]
    pub fn specs(&self) -> &[(Arc<str>, TensorSpec)] {
        &self.specs
    }

    /// How much was written so far to make tensors, rather than shared with the columns. `None` if the adapter does not
    /// count.
    #[must_use]
    pub fn copy_count(&self) -> Option<CopyCount> {
        matches!(self.adapter, Made::Default(..)).then_some(self.copied)
    }

    /// The number of rows that were read.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    fn read(&mut self) -> Result<Option<Vec<NamedTensor>>, Error> {
        let batch = match self.batches.as_mut().and_then(Iterator::next).transpose() {
            Ok(Some(batch)) => batch,
            Ok(None) => return Ok(None),
            Err(error) => return Err(of_shape(error.into(), &self.shapes)),
        };
        let before = self.rows;
        self.rows += batch.num_rows() as u64;
        let made = match &self.adapter {
            Made::Default(adapter, places) => match adapter.tensors(&batch) {
                Ok(tensors) => {
                    let count = tensors.copy_count();
                    self.copied.values += count.values;
                    self.copied.computed += count.computed;
                    Ok(tensors)
                }
                Err(error) => return Err(in_record(error, before, places)),
            },
            Made::Any(adapter) if self.is_chosen => {
                let names = self.specs.iter().map(|(name, _)| &**name).collect::<Vec<_>>();
                adapter.to_tensors(&batch, Some(&names))
            }
            Made::Any(adapter) => adapter.to_tensors(&batch, None),
        };
        made.map(|tensors| Some(tensors.into_tensors())).map_err(|error| in_batch(error, before))
    }
}

/// Says of a record with another number of values which tensor asks for them. A decoder knows of schemas alone.
fn of_shape(error: Error, shapes: &HashMap<Arc<str>, Arc<str>>) -> Error {
    let column = error.position().column.clone();
    let tensor = column.as_ref().and_then(|column| shapes.get(column));
    let kind = error.detail::<example_codec::Kind>();
    let (Some(tensor), Some(example_codec::Kind::WrongLength { expected, found })) = (tensor, kind) else {
        return error;
    };
    let values = if *found == 1 { "value" } else { "values" };
    let message =
        format!("the record has {found} {values}, the shape of the tensor {tensor:?} holds {expected}");
    Error::new(error.kind(), message).at(error.position().clone())
}

/// Says of an error in which record its row was.
fn in_record(mut error: Error, before: u64, places: &Places) -> Error {
    let row = error.position().row;
    match row.and_then(|row| places.of(before.saturating_add(row))) {
        Some((split, record)) => {
            let position = error.position_mut();
            position.row = None;
            position.file = Some(Arc::clone(&split.file));
            position.record = Some(record);
            in_split(error, &split)
        }
        None => in_batch(error, before),
    }
}

/// Says of an error that its row is counted from the first of a batch, where that is not the first of all.
fn in_batch(error: Error, before: u64) -> Error {
    let (Some(row), true) = (error.position().row, before > 0) else { return error };
    let mut position = error.position().clone();
    position.row = Some(before.saturating_add(row));
    let text = format!("{error} (in the batch that begins at row {before})");
    Error::wrap_at(error.kind(), position, InBatch { error, text })
}

#[derive(Debug)]
struct InBatch {
    error: Error,
    text: String,
}

impl fmt::Display for InBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for InBatch {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.error)
    }
}

impl Iterator for TensorReader {
    type Item = Result<Vec<NamedTensor>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.read();
        if !matches!(next, Ok(Some(_))) {
            self.batches = None;
        }
        next.transpose()
    }
}

impl fmt::Debug for TensorReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let specs = self.specs.iter().map(|(name, spec)| (name, spec.to_string()));
        f.debug_map().entries(specs).finish()
    }
}

//! Tensors and steps of a loader, compiled from a manifest, a configuration and the names of a model, and checked
//! before any data is read.

mod compile;

pub(crate) use self::compile::least;

use std::sync::Arc;

use tensor_repr::Values;
use tfxio_core::{ColumnPath, DType};

use crate::config::LoaderType;
use crate::manifest::Feature;
use crate::shape::TensorInfo;

/// The tensors of a loader and what is done with them.
#[derive(Debug)]
pub(crate) struct Pipeline {
    /// Kind of the examples.
    pub(crate) loader: LoaderType,
    /// The features to read, in the order of the first tensors. A feature may be read under two names.
    pub(crate) primary: Vec<Primary>,
    /// The tensors to make. They follow the tensors of features.
    pub(crate) secondary: Vec<Secondary>,
    /// Steps that each record's tensors take, in this order.
    pub(crate) steps: Vec<PipelineStep>,
    /// All tensors as they are after processing: the columns of a chunk.
    pub(crate) tensors: Vec<TensorInfo>,
    /// Steps that the tensors of each window take, tensor by tensor.
    pub(crate) window_steps: Vec<PipelineStep>,
    /// All tensors as they are in examples: after the window steps, where they have any, with a known or unknown
    /// length; as in a record otherwise.
    pub(crate) examples: Vec<TensorInfo>,
    /// Padding of each tensor; `None` for none.
    pub(crate) padding: Option<Vec<Pad>>,
    /// The tensors that are normalised and along which dimension, the batch not counted.
    pub(crate) normalization: Vec<(usize, usize)>,
    /// Packing of examples into rows, if there is one.
    pub(crate) pack: Option<Packed>,
    /// The tensors whose longest counts in a budget of tokens.
    pub(crate) budget: Vec<usize>,
    /// The tensors of a batch's inputs and targets, in the order of the caller's names. A tensor may be both. The two
    /// tensors that tell packed examples apart have the numbers after all others.
    pub(crate) inputs: Vec<usize>,
    pub(crate) targets: Vec<usize>,
}

/// Rows of several examples.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    /// The tokens of a row.
    pub(crate) length: usize,
    /// The names of the tensors of segments and of positions.
    pub(crate) names: [Arc<str>; 2],
    /// Their dtype.
    pub(crate) dtype: DType,
}

/// A feature that is read as a tensor.
#[derive(Clone, Debug)]
pub(crate) struct Primary {
    pub(crate) feature: Feature,
    /// The column of the feature; `None` for one of its name.
    pub(crate) column: Option<ColumnPath>,
    /// The tensor. Its steps are lists if the feature's are.
    pub(crate) info: TensorInfo,
    /// The values of a record that lacks the feature; `None` for an error.
    pub(crate) default: Option<Values>,
}

/// A tensor of one value in every cell.
#[derive(Clone, Debug)]
pub(crate) struct Secondary {
    pub(crate) info: TensorInfo,
    /// The primary tensor whose shape it has in each record, where that is not known before.
    pub(crate) shape_of: Option<usize>,
    /// Whether it has only the steps of that tensor.
    pub(crate) steps_only: bool,
    pub(crate) value: Cell,
}

/// One step of processing.
#[derive(Clone, Debug)]
pub(crate) struct PipelineStep {
    pub(crate) tensor: usize,
    pub(crate) operation: crate::config::Operation,
    /// The tensor before the step.
    pub(crate) before: TensorInfo,
    /// Whether it shortens what is too long, which is counted.
    pub(crate) truncates: bool,
}

impl Pipeline {
    /// The steps that change a tensor of windows.
    pub(crate) fn window_steps_of(&self, tensor: usize) -> &[PipelineStep] {
        let from = self.window_steps.partition_point(|step| step.tensor < tensor);
        let to = self.window_steps.partition_point(|step| step.tensor <= tensor);
        self.window_steps.get(from..to).unwrap_or_default()
    }
}

/// Padding of one tensor.
#[derive(Clone, Debug)]
pub(crate) struct Pad {
    /// The size of each dimension without the batch; `None` for the largest of the batch.
    pub(crate) shape: Vec<Option<usize>>,
    pub(crate) value: Cell,
}

/// One element of a tensor: its bytes in native order, or a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) dtype: DType,
    pub(crate) bytes: Arc<[u8]>,
}

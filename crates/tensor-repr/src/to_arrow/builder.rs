//! Building a converter.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::TensorsToArrow;
use super::names::Template;
use crate::kind::Locate as _;
use crate::{Error, Kind, TensorSpec};

/// Builds a [`TensorsToArrow`].
///
/// ```
/// use tensor_repr::{DType, TensorSpec, TensorsToArrow};
///
/// let clicks = TensorSpec::Sparse { dtype: DType::Int64, shape: vec![None, Some(100)] };
/// let converter = TensorsToArrow::builder([("clicks", clicks)])
///     .sparse_value_column("{tensor_name}_values")
///     .sparse_index_column("{tensor_name}_{index}")
///     .build()?;
/// assert_eq!(converter.arrow_schema().field(0).name(), "clicks_values");
/// # Ok::<(), tensor_repr::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TensorsToArrowBuilder {
    specs: Vec<(Arc<str>, TensorSpec)>,
    options: Options,
}

/// Options for the names of columns and the forms of sparse tensors.
#[derive(Clone, Debug)]
pub(super) struct Options {
    value_column: Template,
    index_column: Template,
    generic: BTreeSet<String>,
}

impl TensorsToArrowBuilder {
    pub(super) fn new<N: Into<Arc<str>>>(specs: impl IntoIterator<Item = (N, TensorSpec)>) -> Self {
        let specs = specs.into_iter().map(|(name, spec)| (name.into(), spec)).collect();
        let options = Options {
            value_column: Template::new("{tensor_name}$values"),
            index_column: Template::new("{tensor_name}$index{index}"),
            generic: BTreeSet::new(),
        };
        Self { specs, options }
    }

    /// Sets the name of the value column of a sparse tensor with index columns. `{tensor_name}` is replaced by the tensor's
    /// name, `{{` and `}}` by braces. Default: `{tensor_name}$values`.
    #[must_use]
    pub fn sparse_value_column(mut self, template: impl Into<String>) -> Self {
        self.options.value_column = Template::new(template);
        self
    }

    /// Sets the names of the index columns of a sparse tensor. `{tensor_name}` is replaced by the tensor's name, `{index}`
    /// by the dimension, counted from 0 without the batch. Default: `{tensor_name}$index{index}`.
    #[must_use]
    pub fn sparse_index_column(mut self, template: impl Into<String>) -> Self {
        self.options.index_column = Template::new(template);
        self
    }

    /// Names the sparse tensors that get index columns although their shape `[batch, unknown]` could be
    /// that of lists. Needed where entries have gaps between them. Default: none.
    #[must_use]
    pub fn generic_sparse_tensors<I>(mut self, names: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.options.generic = names.into_iter().map(Into::into).collect();
        self
    }

    /// Returns the converter.
    ///
    /// # Errors
    ///
    /// - [`Kind::Unsupported`] for a spec that has no columns: bfloat16, a dense tensor without a
    ///   batch dimension, a sparse one of one dimension, uniform inner dimensions of a ragged one that are
    ///   unknown or 0, a structured one that no columns of structs give.
    /// - [`Kind::InvalidArgument`] if a name occurs twice, if two tensors give columns of one name,
    ///   or if a template has other parts in braces than it may.
    /// - [`Kind::UnknownTensor`] if a tensor that is named as sparse is not there.
    pub fn build(self) -> Result<TensorsToArrow, Error> {
        TensorsToArrow::new(self.specs, &self.options)
    }
}

impl Options {
    /// Checks that the options fit these tensors.
    pub(super) fn check(&self, specs: &BTreeMap<Arc<str>, TensorSpec>) -> Result<(), Error> {
        self.value_column.check(false)?;
        self.index_column.check(true)?;
        match self.generic.iter().find(|name| !specs.contains_key(name.as_str())) {
            None => Ok(()),
            Some(name) => {
                let text = "the options name it as sparse, and there is no tensor of this name";
                Err(Error::new(Kind::UnknownTensor, text).in_tensor(name))
            }
        }
    }

    pub(super) fn is_generic(&self, tensor: &str) -> bool {
        self.generic.contains(tensor)
    }

    pub(super) fn value_column(&self, tensor: &str) -> String {
        self.value_column.fill(tensor, 0)
    }

    pub(super) fn index_column(&self, tensor: &str, index: usize) -> String {
        self.index_column.fill(tensor, index)
    }
}

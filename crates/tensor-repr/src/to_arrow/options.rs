//! What a converter is asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::names::Template;
use crate::kind::Locate as _;
use crate::{Error, Kind, TensorSpec};

/// Options of [`TensorsToArrow`](super::TensorsToArrow).
///
/// ```
/// use tensor_repr::TensorsToArrowOptions;
/// let options = TensorsToArrowOptions::default()
///     .with_sparse_value_column("{tensor_name}_values")
///     .with_sparse_index_column("{tensor_name}_{index}")
///     .with_generic_sparse_tensors(["clicks"]);
/// # let _ = options;
/// ```
#[derive(Clone, Debug)]
pub struct TensorsToArrowOptions {
    value_column: Template,
    index_column: Template,
    generic: BTreeSet<String>,
}

impl Default for TensorsToArrowOptions {
    fn default() -> Self {
        Self {
            value_column: Template::new("{tensor_name}$values"),
            index_column: Template::new("{tensor_name}$index{index}"),
            generic: BTreeSet::new(),
        }
    }
}

impl TensorsToArrowOptions {
    /// Sets how the column of the values of a sparse tensor with index columns is called.
    /// `{tensor_name}` stands for the tensor's name, `{{` and `}}` for braces. Default:
    /// `{tensor_name}$values`.
    #[must_use]
    pub fn with_sparse_value_column(mut self, template: impl Into<String>) -> Self {
        self.value_column = Template::new(template);
        self
    }

    /// Sets how the index columns of a sparse tensor are called. `{tensor_name}` stands for the tensor's
    /// name, `{index}` for the dimension, counted from 0 without the batch. Default:
    /// `{tensor_name}$index{index}`.
    #[must_use]
    pub fn with_sparse_index_column(mut self, template: impl Into<String>) -> Self {
        self.index_column = Template::new(template);
        self
    }

    /// Names the sparse tensors that get index columns although their shape `[batch, unknown]` could be
    /// that of lists. Needed where entries have gaps between them. Default: none.
    #[must_use]
    pub fn with_generic_sparse_tensors<I>(mut self, names: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.generic = names.into_iter().map(Into::into).collect();
        self
    }

    /// Whether the options fit these tensors.
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

//! Structured tensors: named fields.

use std::sync::Arc;

use tfxio_core::Count;

use super::Tensor;
use super::ragged::{RowSplits, check_splits};
use crate::{Error, Kind};

/// Structs whose fields are tensors.
///
/// Without row splits there is one struct a row. Structs in lists are assigned to rows by the row splits, as in a ragged
/// tensor. The first dimension of every field is the number of structs.
#[derive(Clone, Debug, PartialEq)]
pub struct StructuredTensor {
    rows: usize,
    row_splits: Vec<RowSplits>,
    fields: Vec<(Arc<str>, Tensor)>,
}

impl StructuredTensor {
    /// Returns a tensor of `rows` rows, the row splits of the lists around the structs (outermost first, may be none), and
    /// the fields.
    ///
    /// # Errors
    /// `InvalidTensor` if the row splits contradict each other or `rows`, if a field does not have as
    /// many rows as there are structs, or if a name occurs twice.
    pub fn try_new(
        rows: usize,
        row_splits: Vec<RowSplits>,
        fields: Vec<(Arc<str>, Tensor)>,
    ) -> Result<Self, Error> {
        let structs = check_splits(Some(rows), &row_splits)?;
        for (at, (name, tensor)) in fields.iter().enumerate() {
            if tensor.rows() != structs {
                let (rows, structs) = (Count::of(tensor.rows(), "row"), Count::of(structs, "struct"));
                let are = structs.verb("is", "are");
                let message = format!("field {name:?} has {rows}, there {are} {structs}");
                return Err(Error::new(Kind::InvalidTensor, message));
            }
            if fields.iter().take(at).any(|(other, _)| other == name) {
                return Err(Error::new(Kind::InvalidTensor, format!("two fields are called {name:?}")));
            }
        }
        Ok(Self { rows, row_splits, fields })
    }

    /// Returns the size of the first dimension.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the row splits of the lists around the structs, outermost first.
    #[must_use]
    pub fn row_splits(&self) -> &[RowSplits] {
        &self.row_splits
    }

    /// Returns the number of structs.
    #[must_use]
    pub fn structs(&self) -> usize {
        self.row_splits.last().map_or(self.rows, RowSplits::total)
    }

    /// Returns the fields, in the order of the Arrow struct.
    #[must_use]
    pub fn fields(&self) -> &[(Arc<str>, Tensor)] {
        &self.fields
    }

    /// Returns the field of that name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Tensor> {
        self.fields.iter().find(|(field, _)| **field == *name).map(|(_, tensor)| tensor)
    }
}

//! Whether the features and the representations of a schema fit together.

use std::collections::{BTreeMap, BTreeSet};

use super::features::{invalid, leaves, listed};
use crate::{ColumnPath, Error, Representation, Schema};

impl Schema {
    /// Checks that the representations of a group use every feature, and nothing but features. Features that are
    /// deprecated, or in a stage for which nothing is inferred, need not be used.
    ///
    /// # Errors
    ///
    /// If there is no such group ([`InvalidArgument`](crate::Kind::InvalidArgument)), if it uses what is no feature or leaves a
    /// feature out ([`InvalidSchema`](crate::Kind::InvalidSchema); the message names them), and as [`group`](Self::group).
    pub fn validate_group(&self, group: &str) -> Result<(), Error> {
        let tensors = self.required_group(group)?;
        let used: BTreeSet<ColumnPath> = tensors.values().flat_map(Representation::source_columns).collect();
        let leaves = leaves(self.proto());
        let known: BTreeSet<&ColumnPath> = leaves.iter().map(|leaf| &leaf.path).collect();
        let unknown: Vec<_> = used.iter().filter(|column| !known.contains(column)).collect();
        if !unknown.is_empty() {
            return Err(invalid(format!(
                "the tensor representations of group \"{group}\" use features that the schema does not have: {}",
                listed(unknown)
            )));
        }
        let unused = leaves.iter().filter(|leaf| leaf.used && !used.contains(&leaf.path));
        let unused = listed(unused.map(|leaf| &leaf.path));
        if !unused.is_empty() {
            return Err(invalid(format!(
                "the tensor representations of group \"{group}\" leave out features of the schema: {unused}"
            )));
        }
        Ok(())
    }

    /// The representations to read data with: those of the group of that name if one is given, otherwise
    /// those of the default group, and inferred ones for what it does not use.
    ///
    /// # Errors
    ///
    /// As [`required_group`](Self::required_group) and
    /// [`infer_mixed_representations`](Self::infer_mixed_representations).
    pub fn representations(&self, group: Option<&str>) -> Result<BTreeMap<String, Representation>, Error> {
        match group {
            Some(name) => self.required_group(name),
            None => self.infer_mixed_representations(""),
        }
    }
}

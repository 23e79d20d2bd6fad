//! The representations that a schema states.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use prost::Message as _;

use super::features::{invalid, leaves, listed};
use crate::kind::{Locate as _, with_nearest};
use crate::proto::metadata::v0 as tfmd;
use crate::schema::wire;
use crate::{ColumnPath, Error, Kind, Representation, TfmdSchema};

/// The number of `tensor_representation_group` in a schema.
pub(super) const GROUPS: u32 = 13;

impl TfmdSchema {
    /// Returns the names of the groups of representations. The default group has the empty name.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.proto().tensor_representation_group.keys().map(String::as_str)
    }

    /// Returns the representations of a group, by tensor name; `None` if the group does not exist.
    ///
    /// # Errors
    ///
    /// If one makes no sense ([`Kind::InvalidRepresentation`]); the error names the tensor.
    pub fn group(&self, name: &str) -> Result<Option<BTreeMap<String, Representation>>, Error> {
        let Some(group) = self.proto().tensor_representation_group.get(name) else { return Ok(None) };
        let read = |(tensor, message): (&String, &tfmd::TensorRepresentation)| {
            let read = Representation::from_message(message).map_err(|error| error.in_tensor(tensor))?;
            Ok((tensor.clone(), read))
        };
        group.tensor_representation.iter().map(read).collect::<Result<_, _>>().map(Some)
    }

    /// Returns the representations of a group that must be there.
    ///
    /// # Errors
    ///
    /// If the group does not exist ([`Kind::InvalidArgument`]; the message names the existing ones), and as
    /// [`group`](Self::group).
    pub fn required_group(&self, name: &str) -> Result<BTreeMap<String, Representation>, Error> {
        self.group(name)?.ok_or_else(|| {
            let known = match listed(self.groups()) {
                known if known.is_empty() => "it has none".to_owned(),
                known => format!("it has {known}"),
            };
            let text = format!("the schema has no group of tensor representations \"{name}\"; {known}");
            with_nearest(Error::new(Kind::InvalidArgument, text), name, &self.groups().collect::<Vec<_>>())
        })
    }

    /// Returns the same schema with these representations as the group of that name, in place of any that it had.
    ///
    /// # Errors
    ///
    /// If the proto cannot express one ([`Kind::NotExpressible`]); the error names the tensor.
    pub fn replacing_group(
        &self,
        name: &str,
        representations: &BTreeMap<String, Representation>,
    ) -> Result<Self, Error> {
        let mut group = tfmd::TensorRepresentationGroup::default();
        for (tensor, representation) in representations {
            let message = representation.to_message().map_err(|error| error.in_tensor(tensor))?;
            group.tensor_representation.insert(tensor.clone(), message);
        }
        let mut bytes = wire::rewrite(self.as_binary(), |field| {
            let replaced = field.number == GROUPS && wire::map_key(&field.value) == name.as_bytes();
            Ok((!replaced).then_some(Cow::Borrowed(field.raw)))
        })?;
        // A schema with this one group alone is the encoded entry.
        let entry = tfmd::Schema {
            tensor_representation_group: [(name.to_owned(), group)].into(),
            ..tfmd::Schema::default()
        };
        bytes.extend_from_slice(&entry.encode_to_vec());
        Self::from_binary(bytes)
    }
}

impl TfmdSchema {
    /// Checks that the representations of a group use every feature, and nothing but features. Features that are
    /// deprecated, or in a stage for which nothing is inferred, need not be used.
    ///
    /// # Errors
    ///
    /// If the group does not exist ([`InvalidArgument`](crate::Kind::InvalidArgument)), if it uses what is not a feature or
    /// leaves a feature out ([`InvalidSchema`](crate::Kind::InvalidSchema); the message names them), and as
    /// [`group`](Self::group).
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

    /// Returns the representations to read data with: the representations of the group of that name if one is given,
    /// otherwise the ones of the default group, and inferred ones for features that it does not use.
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

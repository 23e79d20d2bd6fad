//! A schema cut down to some tensors.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::features::{children, invalid, listed};
use super::group::GROUPS;
use crate::kind::with_nearest;
use crate::proto::metadata::v0 as tfmd;
use crate::proto::metadata::v0::feature::DomainInfo;
use crate::schema::wire::{self, WireField, WireValue};
use crate::{ColumnPath, Error, Kind, Representation, TfmdSchema, path};

/// Numbers of fields of a schema.
const FEATURE: u32 = 1;
const STRING_DOMAIN: u32 = 4;
const SPARSE_FEATURE: u32 = 6;
const FLOAT_DOMAIN: u32 = 9;
const INT_DOMAIN: u32 = 10;
const WEIGHTED_FEATURE: u32 = 12;
/// The number of `struct_domain` in a feature.
const STRUCT_DOMAIN: u32 = 29;
/// Numbers of fields of a struct domain.
const STRUCT_FEATURE: u32 = 1;
const STRUCT_SPARSE_FEATURE: u32 = 2;

impl TfmdSchema {
    /// Returns the schema of these tensors: their representations as its one group, the default one, and the features that
    /// they are made of. The tensors are from the default group, or inferred ones if it does not exist.
    ///
    /// Other parts of the schema remain only if they keep their meaning: named domains that a feature refers to, weighted
    /// features of which all parts remain, and whatever this crate does not know. A sparse feature remains as the
    /// representation of its tensor alone; it would make a tensor again of columns that others are made of.
    ///
    /// # Errors
    ///
    /// If a tensor does not exist ([`Kind::UnknownTensor`]), or one is made of a feature that the schema does not have
    /// ([`Kind::InvalidSchema`]); as [`group`](Self::group) and [`infer_representations`](Self::infer_representations).
    pub fn project<I>(&self, tensors: I) -> Result<Self, Error>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let stated = self.group("")?;
        let is_stated = stated.is_some();
        let known = match stated {
            Some(known) => known,
            None => self.infer_representations()?,
        };
        let wanted: BTreeSet<String> = tensors.into_iter().map(|name| name.as_ref().to_owned()).collect();
        let unknown: Vec<_> = wanted.iter().filter(|name| !known.contains_key(*name)).collect();
        if let Some(first) = unknown.first().map(|name| (*name).clone()) {
            let text = format!("no tensor {}; there are {}", listed(unknown), listed(known.keys()));
            let names: Vec<_> = known.keys().map(String::as_str).collect();
            return Err(with_nearest(Error::new(Kind::UnknownTensor, text), &first, &names));
        }
        let kept: BTreeMap<String, Representation> =
            known.into_iter().filter(|(name, _)| wanted.contains(name)).collect();
        let columns: BTreeSet<ColumnPath> = kept.values().flat_map(Representation::source_columns).collect();
        self.check_columns(&columns)?;

        let projected = Self::from_binary(self.project_bytes(&columns, &wanted)?)?;
        if is_stated { Ok(projected) } else { projected.replacing_group("", &kept) }
    }

    fn check_columns(&self, columns: &BTreeSet<ColumnPath>) -> Result<(), Error> {
        let missing: Vec<_> =
            columns.iter().filter(|column| !exists(&self.proto().feature, column.steps())).collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(invalid(format!(
            "tensors are made of features that the schema does not have: {}",
            listed(missing)
        )))
    }

    fn project_bytes(
        &self,
        columns: &BTreeSet<ColumnPath>,
        tensors: &BTreeSet<String>,
    ) -> Result<Vec<u8>, Error> {
        let schema = self.proto();
        let domains = domains(schema, columns);
        let mut features = Features::new(&schema.feature, ColumnPath::default(), columns);
        let mut weighted = schema.weighted_feature.iter();
        let mut strings = schema.string_domain.iter();
        let (mut floats, mut ints) = (schema.float_domain.iter(), schema.int_domain.iter());
        wire::rewrite(self.as_binary(), |field| {
            let keep = match field.number {
                FEATURE => return features.next(field),
                GROUPS => return group(field, tensors),
                SPARSE_FEATURE => false,
                WEIGHTED_FEATURE => weighted.next().is_some_and(|feature| {
                    let parts = [&feature.feature, &feature.weight_feature].into_iter().flatten();
                    parts.map(path::column).all(|part| columns.contains(&part))
                }),
                STRING_DOMAIN => strings.next().is_some_and(|domain| domains.contains(domain.name())),
                FLOAT_DOMAIN => floats.next().is_some_and(|domain| domains.contains(domain.name())),
                INT_DOMAIN => ints.next().is_some_and(|domain| domains.contains(domain.name())),
                _ => true,
            };
            Ok(keep.then_some(Cow::Borrowed(field.raw)))
        })
    }
}

/// The features of a schema or a struct, in the order of their fields.
struct Features<'a> {
    features: std::slice::Iter<'a, tfmd::Feature>,
    parent: ColumnPath,
    columns: &'a BTreeSet<ColumnPath>,
    seen: BTreeSet<&'a str>,
}

impl<'a> Features<'a> {
    fn new(features: &'a [tfmd::Feature], parent: ColumnPath, columns: &'a BTreeSet<ColumnPath>) -> Self {
        Self { features: features.iter(), parent, columns, seen: BTreeSet::new() }
    }

    /// Returns the remaining part of the field of the next feature; `None` if the feature is left out.
    fn next<'b>(&mut self, field: &WireField<'b>) -> Result<Option<Cow<'b, [u8]>>, Error> {
        let Some(feature) = self.features.next() else { return Ok(None) };
        // Of two features with one name the first counts.
        if !self.seen.insert(feature.name()) {
            return Ok(None);
        }
        let path = self.parent.child(feature.name());
        if self.columns.contains(&path) {
            return Ok(Some(Cow::Borrowed(field.raw)));
        }
        if !self.columns.iter().any(|column| column.starts_with(&path)) {
            return Ok(None);
        }
        let WireValue::Bytes(content) = field.value else { return Ok(None) };
        let content = self.in_struct(feature, &path, content)?;
        Ok(Some(Cow::Owned(wire::as_field(field.number, content))))
    }

    /// Returns a struct with only the features that remain.
    fn in_struct(
        &self,
        feature: &'a tfmd::Feature,
        path: &ColumnPath,
        content: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let mut features = Features::new(children(feature), path.clone(), self.columns);
        let sparse = super::features::sparse_children(feature);
        let mut sparse = sparse.iter();
        wire::rewrite(content, |field| {
            let WireValue::Bytes(domain) = field.value else { return Ok(Some(Cow::Borrowed(field.raw))) };
            if field.number != STRUCT_DOMAIN {
                return Ok(Some(Cow::Borrowed(field.raw)));
            }
            let domain = wire::rewrite(domain, |field| match field.number {
                STRUCT_FEATURE => features.next(field),
                STRUCT_SPARSE_FEATURE => {
                    let kept = |name: &str| self.columns.contains(&path.child(name));
                    let keep = sparse.next().is_some_and(|sparse| parts(sparse).all(kept));
                    Ok(keep.then_some(Cow::Borrowed(field.raw)))
                }
                _ => Ok(Some(Cow::Borrowed(field.raw))),
            })?;
            Ok(Some(Cow::Owned(wire::as_field(STRUCT_DOMAIN, domain))))
        })
    }
}

/// Returns the default group with these tensors alone; nothing of another one.
fn group<'a>(field: &WireField<'a>, tensors: &BTreeSet<String>) -> Result<Option<Cow<'a, [u8]>>, Error> {
    let WireValue::Bytes(entry) = field.value else { return Ok(None) };
    if !wire::map_key(&field.value).is_empty() {
        return Ok(None);
    }
    let wanted =
        |entry: &WireField<'_>| tensors.iter().any(|name| name.as_bytes() == wire::map_key(&entry.value));
    let entry = wire::rewrite(entry, |part| match (part.number, part.value) {
        // The value of the entry, whose field 1 are the entries of the group.
        (2, WireValue::Bytes(content)) => {
            let content = wire::rewrite(content, |tensor| {
                Ok((tensor.number != 1 || wanted(tensor)).then_some(Cow::Borrowed(tensor.raw)))
            })?;
            Ok(Some(Cow::Owned(wire::as_field(2, content))))
        }
        _ => Ok(Some(Cow::Borrowed(part.raw))),
    })?;
    Ok(Some(Cow::Owned(wire::as_field(GROUPS, entry))))
}

/// Returns the names of the features that a sparse feature is made of.
fn parts(sparse: &tfmd::SparseFeature) -> impl Iterator<Item = &str> {
    let index = sparse.index_feature.iter().map(tfmd::sparse_feature::IndexFeature::name);
    index.chain(sparse.value_feature.iter().map(tfmd::sparse_feature::ValueFeature::name))
}

/// Returns whether the path leads to a feature.
fn exists(features: &[tfmd::Feature], steps: &[std::sync::Arc<str>]) -> bool {
    let Some((first, rest)) = steps.split_first() else { return false };
    let feature = features.iter().find(|feature| feature.name() == first.as_ref());
    feature.is_some_and(|feature| rest.is_empty() || exists(children(feature), rest))
}

/// Returns the named domains to which these features, or features in them, refer.
fn domains<'a>(schema: &'a tfmd::Schema, columns: &BTreeSet<ColumnPath>) -> BTreeSet<&'a str> {
    let leaves = super::features::leaves(schema).into_iter();
    let kept = leaves.filter(|leaf| columns.iter().any(|column| leaf.path.starts_with(column)));
    let named = kept.filter_map(|leaf| match &leaf.feature.domain_info {
        Some(DomainInfo::Domain(name)) => Some(name.as_str()),
        _ => None,
    });
    named.collect()
}

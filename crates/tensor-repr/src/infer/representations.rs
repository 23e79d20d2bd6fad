//! The representations that follow from the features of a schema.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::features::{children, distinct, invalid, is_sparse_used, is_used, sparse_children};
use super::legacy;
use crate::proto::metadata::v0 as tfmd;
use crate::proto::metadata::v0::FeatureType;
use crate::proto::metadata::v0::feature::{DomainInfo, PresenceConstraints, ShapeType};
use crate::{
    ColumnPath, DenseRepresentation, Error, Kind, RaggedRepresentation, Representation, SparseRepresentation,
    TfmdSchema, VarLenSparseRepresentation,
};

impl TfmdSchema {
    /// Returns the representations that follow from the features, by tensor name.
    ///
    /// | feature | representation |
    /// | --- | --- |
    /// | with a `shape`, present in every example (`presence.min_fraction` is 1) | dense of that shape |
    /// | `sparse_feature` | sparse. The size of a dimension is the largest value of the index feature's `int_domain`, plus one, whether the domain is inline or one that the feature names; without a domain it is not known. Index and value features have no tensors of their own |
    /// | of type `STRUCT` | for each feature in it a ragged tensor, called `struct.feature` |
    /// | any other | sparse by position, or ragged if the schema sets `represent_variable_length_as_ragged` |
    ///
    /// If two features have one name, the last one counts, as for two entries of a map on the wire and in tfx-bsl. Decoders
    /// take the type of the first: where the two differ, the tensor is an error where it is made.
    ///
    /// Features that are deprecated, or in one of the stages `PLANNED`, `ALPHA`, `DEPRECATED`, `DEBUG_ONLY`,
    /// `DISABLED` and `VALIDATION_DERIVED`, have no tensors. A feature of the name of a sparse feature replaces
    /// it. A `weighted_feature` makes no tensor: its values and its weights have one each.
    ///
    /// If the schema sets `generate_legacy_feature_spec`, other rules hold: a `value_count` whose `min` and `max` are both
    /// 1 makes a dense scalar, and one whose `min` and `max` are some other number above 0 a dense vector. A feature that
    /// need not be present in every example has a default then: -1, -1.0 or the empty string. `shape` and `sparse_feature`
    /// do not count.
    ///
    /// ```
    /// use tensor_repr::{Representation, TfmdSchema};
    /// let schema = TfmdSchema::from_text(
    ///     r#"feature { name: "age" type: INT shape { } presence { min_fraction: 1 } }
    ///        feature { name: "words" type: BYTES }"#,
    /// )?;
    /// let tensors = schema.infer_representations()?;
    /// assert!(matches!(tensors["age"], Representation::Dense(_)));
    /// assert!(matches!(tensors["words"], Representation::VarLenSparse(_)));
    /// # Ok::<(), tensor_repr::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the features contradict each other ([`Kind::InvalidSchema`]): a `shape` on a feature that may
    /// be absent, a sparse feature whose parts are not there or belong to another one, an `int_domain` of an
    /// index that does not begin at 0 or has no end. Structs in structs, and sparse features in them, are
    /// [`Kind::Unsupported`]: they need a group of representations.
    pub fn infer_representations(&self) -> Result<BTreeMap<String, Representation>, Error> {
        if self.proto().generate_legacy_feature_spec() {
            legacy::infer(self.proto())
        } else {
            infer(self.proto())
        }
    }

    /// Returns the representations of a group, and inferred ones for the features that the group does not use. Where both
    /// have a tensor of one name, that of the group stays. Without such a group all are inferred.
    ///
    /// # Errors
    ///
    /// As [`group`](Self::group) and [`infer_representations`](Self::infer_representations).
    pub fn infer_mixed_representations(
        &self,
        group: &str,
    ) -> Result<BTreeMap<String, Representation>, Error> {
        let inferred = self.infer_representations()?;
        let Some(mut tensors) = self.group(group)? else { return Ok(inferred) };
        let used: BTreeSet<ColumnPath> = tensors.values().flat_map(Representation::source_columns).collect();
        for (name, representation) in inferred {
            // A sparse feature is used by its name: its parts may be used for themselves.
            let column = match &representation {
                Representation::Sparse(_) => ColumnPath::from(name.as_str()),
                other => other.value_column().cloned().unwrap_or_default(),
            };
            if !used.contains(&column) {
                tensors.entry(name).or_insert(representation);
            }
        }
        Ok(tensors)
    }
}

fn infer(schema: &tfmd::Schema) -> Result<BTreeMap<String, Representation>, Error> {
    let mut remaining: BTreeMap<&str, &tfmd::Feature> =
        schema.feature.iter().map(|feature| (feature.name(), feature)).collect();
    // Of two of one name the first counts.
    let domains = schema.int_domain.iter().rev().map(|domain| (domain.name(), domain)).collect();
    let mut tensors = BTreeMap::new();
    for sparse in schema.sparse_feature.iter().filter(|sparse| is_sparse_used(sparse)) {
        let representation = sparse_feature(&domains, sparse, &mut remaining)?;
        tensors.insert(sparse.name().to_owned(), Representation::Sparse(representation));
    }
    for feature in remaining.into_values().filter(|feature| is_used(feature)) {
        if feature.r#type() == FeatureType::Struct {
            tensors.extend(struct_feature(feature)?);
            continue;
        }
        let representation = match &feature.shape_type {
            Some(ShapeType::Shape(shape)) => dense(feature, shape)?,
            _ => variable_length(feature.name(), schema.represent_variable_length_as_ragged()),
        };
        tensors.insert(feature.name().to_owned(), representation);
    }
    Ok(tensors)
}

/// Returns the least share of examples that have the feature.
pub(super) fn min_fraction(feature: &tfmd::Feature) -> f64 {
    match &feature.presence_constraints {
        Some(PresenceConstraints::Presence(presence)) => presence.min_fraction(),
        _ => 0.0,
    }
}

fn dense(feature: &tfmd::Feature, shape: &tfmd::FixedShape) -> Result<Representation, Error> {
    let name = feature.name();
    let fraction = min_fraction(feature);
    if fraction != 1.0 {
        return Err(invalid(format!(
            "feature \"{name}\" has a shape, and its presence.min_fraction is {fraction}: a shape needs 1; use \
             value_count if the feature may be absent"
        )));
    }
    let mut size = Vec::with_capacity(shape.dim.len());
    for dim in &shape.dim {
        let dim = usize::try_from(dim.size())
            .map_err(|_| invalid(format!("feature \"{name}\" has a dimension of size {}", dim.size())))?;
        size.push(Some(dim));
    }
    let names: Vec<_> = shape.dim.iter().map(|dim| dim.name.as_deref().map(Into::into)).collect();
    let named = names.iter().any(Option::is_some);
    Ok(Representation::Dense(DenseRepresentation {
        column: name.into(),
        shape: size,
        dim_names: if named { names } else { Vec::new() },
        ..DenseRepresentation::default()
    }))
}

/// Returns the representation of a feature with any number of values.
pub(super) fn variable_length(name: &str, ragged: bool) -> Representation {
    if ragged {
        ragged_at(name.into())
    } else {
        Representation::VarLenSparse(VarLenSparseRepresentation { column: name.into(), ..Default::default() })
    }
}

fn ragged_at(column: ColumnPath) -> Representation {
    Representation::Ragged(RaggedRepresentation { column, ..RaggedRepresentation::default() })
}

/// Returns a ragged tensor for each feature in a struct.
pub(super) fn struct_feature(feature: &tfmd::Feature) -> Result<Vec<(String, Representation)>, Error> {
    let name = feature.name();
    let unsupported = |what: String| {
        let text = format!("{what}: nothing is inferred for it; give it a tensor_representation_group");
        Error::new(Kind::Unsupported, text)
    };
    if let Some(sparse) = sparse_children(feature).first() {
        let inner = sparse.name();
        return Err(unsupported(format!("struct \"{name}\" has a sparse feature, \"{inner}\"")));
    }
    let parent = ColumnPath::from(name);
    let mut out = Vec::new();
    for child in distinct(children(feature)) {
        let path = parent.child(child.name());
        if child.r#type() == FeatureType::Struct {
            return Err(unsupported(format!("\"{path}\" is a struct in a struct")));
        }
        if is_used(child) {
            out.push((path.to_string(), ragged_at(path)));
        }
    }
    Ok(out)
}

/// Removes the parts of a sparse feature from the remaining features, and returns its representation.
fn sparse_feature(
    domains: &HashMap<&str, &tfmd::IntDomain>,
    sparse: &tfmd::SparseFeature,
    remaining: &mut BTreeMap<&str, &tfmd::Feature>,
) -> Result<SparseRepresentation, Error> {
    let name = sparse.name();
    let mut take = |role: &str, part: &str| {
        remaining.remove(part).ok_or_else(|| {
            invalid(format!(
                "sparse feature \"{name}\" has the {role} feature \"{part}\", which the schema does not have, or \
                 which is part of a sparse feature already"
            ))
        })
    };
    let mut dense_shape = Vec::new();
    let mut index_columns = Vec::new();
    for index in &sparse.index_feature {
        let feature = take("index", index.name())?;
        let domain = match &feature.domain_info {
            Some(DomainInfo::IntDomain(domain)) => Some(domain),
            Some(DomainInfo::Domain(name)) => domains.get(name.as_str()).copied(),
            _ => None,
        };
        dense_shape.push(domain.map(|domain| size_of(name, feature.name(), domain)).transpose()?);
        index_columns.push(index.name().into());
    }
    let value = sparse.value_feature.as_ref().map(|value| value.name()).unwrap_or_default();
    take("value", value)?;
    Ok(SparseRepresentation {
        dense_shape,
        index_columns,
        value_column: value.into(),
        already_sorted: sparse.is_sorted(),
        ..SparseRepresentation::default()
    })
}

/// Returns the size of a dimension with these indices.
fn size_of(sparse: &str, index: &str, domain: &tfmd::IntDomain) -> Result<u64, Error> {
    let fault = |what: String| {
        invalid(format!(
            "sparse feature \"{sparse}\": the int_domain of its index feature \"{index}\" {what}"
        ))
    };
    match (domain.min, domain.max) {
        (None, _) => Err(fault("has no min, which must be 0".to_owned())),
        (Some(min), _) if min != 0 => Err(fault(format!("has min {min}, which must be 0"))),
        (_, None) => Err(fault("has no max, so that the dimension has no size".to_owned())),
        // One index of which the domain has none: no cell at all.
        (_, Some(max)) => u64::try_from(max)
            .map(|max| max + 1)
            .map_err(|_| fault(format!("has max {max}, which must not be negative"))),
    }
}

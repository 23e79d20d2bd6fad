//! A schema from data.

use std::collections::{BTreeMap, HashMap};

use arrow_array::RecordBatch;

use super::statistics::Statistics;
use super::walk::{column_types, walk};
use crate::proto::metadata::v0 as tfmd;
use crate::proto::metadata::v0::FeatureType;
use crate::proto::metadata::v0::feature::DomainInfo;
use crate::setters::setters;
use crate::{ColumnPath, Error, Representation, TfmdSchema};

/// Options of a [`SchemaInference`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaInferenceOptions {
    /// The most values of a string domain; a feature of more different strings has none. 0 means no domains at
    /// all. Default: 100.
    pub max_domain_values: usize,
    /// The longest value of a string domain, in bytes; a feature with a longer one has none. Default: 256.
    pub max_domain_value_bytes: usize,
    /// The least mean number of occurrences of each different value that a feature with a domain must have. Otherwise the
    /// names of a few rows would be a domain. Default: 5.
    pub min_domain_repeats: u64,
}

impl Default for SchemaInferenceOptions {
    fn default() -> Self {
        Self { max_domain_values: 100, max_domain_value_bytes: 256, min_domain_repeats: 5 }
    }
}

setters! {
    SchemaInferenceOptions {
        /// Sets the most values of a string domain.
        max_domain_values: usize => max_domain_values,
        /// Sets the longest value of a string domain, in bytes.
        max_domain_value_bytes: usize => max_domain_value_bytes,
        /// Sets how many values there must be for each different one.
        min_domain_repeats: u64 => min_domain_repeats,
    }
}

/// Infers the schema of a data set from its batches.
///
/// | the schema has | from |
/// | --- | --- |
/// | a feature for each column, in the order in which they came; for a struct, the features in it | the columns |
/// | `type` | the type of the values. A column without values has none, and is `PLANNED` |
/// | `presence` | `min_fraction` 1 if every row has the feature; `min_count` 1 if one has |
/// | `group_presence` | for features in a struct: `required` if every struct has it |
/// | `shape` | if every row has the feature, and its lists are of one length at each level |
/// | `value_count`, `value_counts` | for other lists: the one length that they have, or whether they have a value at all, and no more than one |
/// | `domain` | the strings of a feature that has few of them again and again |
/// | the default group | for each feature what [`TfmdSchema::infer_representations`] infers; a ragged tensor for each feature in structs of any depth, if there is a list on the way; a dense scalar with a default (-1, -1.0 or the empty string) for values without lists that some rows do not have |
///
/// The data that went in satisfies the schema. Memory is needed for the features and their domains, not for
/// the rows.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{Int64Array, RecordBatch, StringArray};
/// use tensor_repr::SchemaInference;
///
/// let batch = RecordBatch::try_from_iter([
///     ("age", Arc::new(Int64Array::from(vec![31, 42])) as _),
///     ("name", Arc::new(StringArray::from(vec![Some("Ada"), None])) as _),
/// ])?;
/// let mut inference = SchemaInference::default();
/// inference.push(&batch)?;
/// let schema = inference.finish()?;
/// assert!(schema.to_text().starts_with(
///     r#"feature {
///   name: "age"
///   type: INT
///   presence {
///     min_fraction: 1.0
///     min_count: 1
///   }
///   shape {
///   }
/// }
/// "#
/// ));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SchemaInference {
    options: SchemaInferenceOptions,
    rows: u64,
    /// Features in the order in which they came; a struct before what is in it.
    features: Vec<Statistics>,
    indices: HashMap<ColumnPath, usize>,
    /// The structs so far, as slots of what is in them.
    structs: HashMap<ColumnPath, u64>,
}

impl SchemaInference {
    /// Sets the options, before the first batch. Default: [`SchemaInferenceOptions::default`].
    #[must_use]
    pub fn options(mut self, options: SchemaInferenceOptions) -> Self {
        self.options = options;
        self
    }

    /// Returns the number of rows so far.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Looks at a batch. Columns may come and go from batch to batch.
    ///
    /// # Errors
    ///
    /// If a column has another type, or other levels of lists, than in a batch before
    /// ([`TypeMismatch`](crate::Kind::TypeMismatch)), or a type that no feature has
    /// ([`Unsupported`](crate::Kind::Unsupported)). The inference is then as it was before the call.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        for column in column_types(batch.schema_ref()) {
            match self.indices.get(&column.path) {
                Some(&index) => self.features[index].agrees(&column, self.rows)?,
                None => Statistics::new(column.path.clone(), 0, &self.options).agrees(&column, self.rows)?,
            }
        }
        let before = std::mem::take(&mut self.structs);
        let mut seen = vec![false; self.features.len()];
        let mut structs = HashMap::new();
        structs.insert(ColumnPath::default(), batch.num_rows() as u64);
        let first_row = self.rows;
        walk(batch, first_row, &mut |column| {
            let parent = column.path.parent()?;
            let index = match self.indices.get(column.path) {
                Some(&index) => index,
                None => {
                    let slots = before.get(&parent).copied().unwrap_or_default();
                    self.indices.insert(column.path.clone(), self.features.len());
                    self.features.push(Statistics::new(column.path.clone(), slots, &self.options));
                    seen.push(false);
                    self.features.len() - 1
                }
            };
            seen[index] = true;
            self.features[index].add(column);
            structs.entry(parent).or_insert(column.rows.len() as u64);
            Ok(())
        })?;
        for (feature, _) in self.features.iter_mut().zip(&seen).filter(|(_, seen)| !**seen) {
            let parent = feature.path.parent().unwrap_or_default();
            feature.skip(structs.get(&parent).copied().unwrap_or_default());
        }
        self.structs = before;
        for (path, slots) in structs {
            *self.structs.entry(path).or_default() += slots;
        }
        self.rows += batch.num_rows() as u64;
        Ok(())
    }

    /// Returns the schema of what was seen.
    ///
    /// # Errors
    ///
    /// If it cannot be encoded, as one of structs in structs beyond what protobuf nests
    /// ([`MalformedProto`](crate::Kind::MalformedProto)).
    pub fn finish(&self) -> Result<TfmdSchema, Error> {
        let mut schema = tfmd::Schema::default();
        for (at, statistics) in self.features.iter().enumerate() {
            if statistics.path.len() == 1 {
                let feature = self.feature(at, &mut schema.string_domain);
                schema.feature.push(feature);
            }
        }
        let schema = TfmdSchema::of(schema);
        let group = self.group(&schema)?;
        schema.replacing_group("", &group)
    }

    /// Returns the feature with all that is in it.
    fn feature(&self, at: usize, domains: &mut Vec<tfmd::StringDomain>) -> tfmd::Feature {
        let statistics = &self.features[at];
        let (mut feature, domain) = statistics.feature(&self.options);
        domains.extend(domain);
        if feature.r#type() == FeatureType::Struct {
            let is_inside = |other: &Statistics| {
                other.path.len() == statistics.path.len() + 1 && other.path.starts_with(&statistics.path)
            };
            let inside = self.features.iter().enumerate().filter(|(_, other)| is_inside(other));
            let inside = inside.map(|(at, _)| self.feature(at, domains)).collect();
            let domain = tfmd::StructDomain { feature: inside, sparse_feature: Vec::new() };
            feature.domain_info = Some(DomainInfo::StructDomain(domain));
        }
        feature
    }

    /// Returns a tensor for each feature that has values.
    fn group(&self, schema: &TfmdSchema) -> Result<BTreeMap<String, Representation>, Error> {
        let mut flat = schema.proto().clone();
        flat.feature.retain(|feature| feature.r#type() != FeatureType::Struct);
        let mut group = TfmdSchema::of(flat).infer_representations()?;
        for statistics in &self.features {
            let around = (1..statistics.path.len()).filter_map(|steps| {
                let index = self.indices.get(&statistics.path.prefix(steps))?;
                Some(self.features[*index].levels())
            });
            if let Some(representation) = statistics.representation(around.sum()) {
                group.insert(statistics.path.to_string(), representation);
            }
        }
        Ok(group)
    }
}

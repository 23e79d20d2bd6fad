//! Validation of data against a schema.

mod counts;
mod domain;
mod feature;
mod finding;
mod records;
mod representation;

use std::collections::{HashMap, HashSet};

use arrow_array::RecordBatch;

use self::feature::{FeatureCheck, FeatureRule, Rules};
use self::finding::Tally;
pub use self::finding::{Finding, FindingKind};
pub use self::records::{RecordRule, RecordValidation, RecordValidationBuilder};
use self::representation::{Named, RepresentationCheck};
use super::features::{children, distinct, is_used};
use super::walk::{Column, Values, walk};
use crate::proto::metadata::v0 as tfmd;
use crate::proto::metadata::v0::FeatureType;
use crate::{ColumnPath, Error, TfmdSchema};

/// Builds a [`SchemaValidation`].
#[derive(Clone, Debug)]
pub struct SchemaValidationBuilder<'a> {
    schema: &'a TfmdSchema,
    group: Option<String>,
    environment: Option<String>,
}

impl SchemaValidationBuilder<'_> {
    /// Sets the group of representations. Default: the default group, and inferred ones for what it does not use.
    #[must_use]
    pub fn group(mut self, group: impl Into<Option<String>>) -> Self {
        self.group = group.into();
        self
    }

    /// Sets the environment that the data is of, such as `SERVING`: features that are not expected in it may be missing.
    /// Default: every feature is expected.
    #[must_use]
    pub fn environment(mut self, environment: impl Into<Option<String>>) -> Self {
        self.environment = environment.into();
        self
    }

    /// Returns a validation that has seen nothing.
    ///
    /// # Errors
    ///
    /// If a feature refers to a domain that the schema does not have
    /// ([`InvalidSchema`](crate::Kind::InvalidSchema)), and as [`TfmdSchema::representations`].
    pub fn build(self) -> Result<SchemaValidation, Error> {
        SchemaValidation::new(self.schema, self.group.as_deref(), self.environment.as_deref())
    }
}

/// Validates the batches of a data set against its schema.
///
/// For each feature of the schema that is in use, it checks that rows have it as often as `presence` or `group_presence`
/// requires; the type; `shape`, `value_count` or `value_counts`; and the domain, if it is one of integers, floats, strings
/// or bools, inline or by name, with the share of values that `distribution_constraints` allows outside of it. A single
/// `value_count` of a column of nested lists bounds the innermost ones. Columns that the schema does not have are found
/// too, and tensors that cannot be made of the data.
///
/// Other constraints are not checked: on distinct values, distributions, other kinds of domains, and the data set as
/// a whole. Memory is needed for the schema, not for the rows.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array, RecordBatch};
/// use tensor_repr::{FindingKind, TfmdSchema, SchemaValidation};
///
/// let schema = TfmdSchema::from_text(
///     r#"feature { name: "age" type: INT int_domain { min: 0 max: 150 } shape { } presence { min_fraction: 1 } }"#,
/// )?;
/// let ages = Arc::new(Int64Array::from(vec![31, 1999, -1, 42])) as ArrayRef;
/// let batch = RecordBatch::try_from_iter([("age", ages)])?;
/// let mut validation = SchemaValidation::builder(&schema).build()?;
/// validation.push(&batch)?;
/// let findings = validation.finish();
/// assert_eq!(findings[0].kind, FindingKind::Domain);
/// assert_eq!(
///     findings[0].to_string(),
///     "feature \"age\": the schema asks for values in 0 to 150, the data has 1999, -1 (2 times, first in record 1)"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SchemaValidation {
    rows: u64,
    features: Vec<FeatureCheck>,
    indices: HashMap<ColumnPath, usize>,
    /// Features that the schema knows and does not use.
    unused: HashSet<ColumnPath>,
    /// Columns that it does not know, in the order in which they came.
    unknown: Vec<(ColumnPath, Tally)>,
    unknown_indices: HashMap<ColumnPath, usize>,
    representations: Vec<RepresentationCheck>,
}

impl SchemaValidation {
    /// Returns a builder of a validation against a schema.
    #[must_use]
    pub fn builder(schema: &TfmdSchema) -> SchemaValidationBuilder<'_> {
        SchemaValidationBuilder { schema, group: None, environment: None }
    }

    fn new(schema: &TfmdSchema, group: Option<&str>, environment: Option<&str>) -> Result<Self, Error> {
        let mut validation = Self {
            rows: 0,
            features: Vec::new(),
            indices: HashMap::new(),
            unused: HashSet::new(),
            unknown: Vec::new(),
            unknown_indices: HashMap::new(),
            representations: Vec::new(),
        };
        let rules = Rules::new(schema.proto(), environment);
        validation.add(&rules, &schema.proto().feature, &ColumnPath::default())?;
        for (name, representation) in schema.representations(group)? {
            let columns = representation.source_columns();
            let checks = columns.iter().filter_map(|column| validation.check(column));
            if checks.clone().all(FeatureCheck::is_expected) {
                let feature_type = representation.value_column().and_then(|column| validation.check(column));
                let dtype = feature_type.and_then(FeatureCheck::dtype);
                let is_stranger = |path: &&ColumnPath| {
                    !validation.indices.contains_key(*path) && !validation.unused.contains(*path)
                };
                let strangers = columns.iter().filter(is_stranger).cloned().collect();
                let check = RepresentationCheck::new(name, representation, dtype, strangers);
                validation.representations.push(check);
            }
        }
        Ok(validation)
    }

    fn check(&self, path: &ColumnPath) -> Option<&FeatureCheck> {
        self.indices.get(path).map(|&index| &self.features[index])
    }

    fn add(
        &mut self,
        rules: &Rules<'_>,
        features: &[tfmd::Feature],
        parent: &ColumnPath,
    ) -> Result<(), Error> {
        // Nested as deep as protobuf decodes, and no deeper.
        for feature in distinct(features) {
            let path = parent.child(feature.name());
            if !is_used(feature) {
                self.unused.insert(path);
                continue;
            }
            self.indices.insert(path.clone(), self.features.len());
            self.features.push(FeatureCheck::new(FeatureRule::try_new(rules, feature, path.clone())?));
            if feature.r#type() == FeatureType::Struct {
                self.add(rules, children(feature), &path)?;
            }
        }
        Ok(())
    }

    /// Returns the number of rows so far.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Looks at a batch. Its rows are numbered after the rows of the batch before. Columns may come and go from batch to
    /// batch.
    ///
    /// # Errors
    ///
    /// If Arrow refuses to take a column apart ([`ErrorKind::Other`](tfxio_base::ErrorKind::Other)). Data that does not fit is
    /// no error.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let first_row = self.rows;
        let mut seen = vec![false; self.features.len()];
        // The number of structs, and the row of the first.
        let mut structs = HashMap::new();
        structs.insert(ColumnPath::default(), (batch.num_rows() as u64, first_row));
        walk(batch, first_row, &mut |column| {
            if column.kind == Values::Of(FeatureType::Struct) {
                structs.insert(column.path.clone(), column.structs());
            }
            match self.indices.get(column.path) {
                Some(&index) => {
                    seen[index] = true;
                    self.features[index].push(column);
                }
                None => self.note_unknown(column)?,
            }
            Ok(())
        })?;
        for (feature, _) in self.features.iter_mut().zip(seen).filter(|(_, seen)| !seen) {
            let parent = feature.path().parent()?;
            if let Some(&(slots, first_row)) = structs.get(&parent) {
                feature.skip(slots, first_row);
            }
        }
        let named = Named::new(batch);
        for representation in &mut self.representations {
            representation.push(&named, first_row);
        }
        self.rows += batch.num_rows() as u64;
        Ok(())
    }

    /// Notes a column that the schema does not have, unless what is around it is unknown, or no struct.
    fn note_unknown(&mut self, column: &Column<'_>) -> Result<(), Error> {
        let parent = column.path.parent()?;
        let in_known = parent.is_empty() || self.check(&parent).is_some_and(FeatureCheck::is_struct);
        if !in_known || self.unused.contains(column.path) {
            return Ok(());
        }
        let index = *self.unknown_indices.entry(column.path.clone()).or_insert_with(|| {
            self.unknown.push((column.path.clone(), Tally::default()));
            self.unknown.len() - 1
        });
        let tally = &mut self.unknown[index].1;
        for slot in column.present_slots() {
            tally.add(column.rows[slot]);
        }
        if let Values::Nothing = column.kind {
            return Ok(());
        }
        tally.find(|| column.describe());
        Ok(())
    }

    /// Returns the findings, features first, in the order of the schema; then unknown features, then tensors. An empty list
    /// means that the data satisfies the schema.
    #[must_use]
    pub fn finish(&self) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self.features.iter().flat_map(FeatureCheck::findings).collect();
        for (path, tally) in &self.unknown {
            let name = path.to_string();
            let expected = "no such feature".to_owned();
            findings.push(tally.finding(
                FindingKind::UnknownFeature,
                name,
                expected,
                "a column without values",
            ));
        }
        findings.extend(self.representations.iter().filter_map(RepresentationCheck::finding));
        findings
    }
}

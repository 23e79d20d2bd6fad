//! Validation of single records against a schema.

use std::collections::{HashMap, HashSet};

use arrow_array::{Array as _, RecordBatch};

use super::feature::{FeatureRule, NOTHING, Rules};
use super::finding::FindingKind;
use crate::infer::features::{children, distinct, is_used};
use crate::infer::walk::{Column, Values, walk};
use crate::proto::metadata::v0 as tfmd;
use crate::proto::metadata::v0::FeatureType;
use crate::{ColumnPath, Error, TfmdSchema};

/// Builds a [`RecordValidation`].
#[derive(Clone, Debug)]
pub struct RecordValidationBuilder<'a> {
    schema: &'a TfmdSchema,
    columns: Option<Vec<ColumnPath>>,
    environment: Option<String>,
}

impl RecordValidationBuilder<'_> {
    /// Sets the columns that batches have: features without a column are not looked at, and columns without a feature are
    /// found. Default: all features are looked at, and columns without a feature are not.
    #[must_use]
    pub fn columns(mut self, columns: impl IntoIterator<Item = ColumnPath>) -> Self {
        self.columns = Some(columns.into_iter().collect());
        self
    }

    /// Sets the environment that the data is of, as [`SchemaValidationBuilder`](super::SchemaValidationBuilder) has it.
    #[must_use]
    pub fn environment(mut self, environment: impl Into<Option<String>>) -> Self {
        self.environment = environment.into();
        self
    }

    /// Returns the validation.
    ///
    /// # Errors
    ///
    /// If a feature refers to a domain that the schema does not have ([`InvalidSchema`](crate::Kind::InvalidSchema)).
    pub fn build(self) -> Result<RecordValidation, Error> {
        let mut validation = RecordValidation::default();
        let rules = Rules::new(self.schema.proto(), self.environment.as_deref());
        let mut unused = HashSet::new();
        let columns = self.columns.as_deref();
        validation.add(&rules, &self.schema.proto().feature, &ColumnPath::default(), columns, &mut unused)?;
        for column in columns.unwrap_or_default() {
            validation.add_unknown(column, &unused);
        }
        Ok(validation)
    }
}

/// Requirement of a schema for each record of a feature.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordRule {
    /// Kind of its violations.
    pub kind: FindingKind,
    /// The feature, by its path.
    pub name: String,
    /// Requirement of the schema.
    pub expected: String,
}

impl RecordRule {
    /// Returns a sentence about a record: what it has instead.
    #[must_use]
    pub fn describe(&self, found: &str) -> String {
        let verb = if self.kind == FindingKind::UnknownFeature { "has" } else { "asks for" };
        format!("the schema {verb} {}, the record has {found}", self.expected)
    }
}

/// Holds records, each by itself, against a schema.
///
/// For each feature in use: whether a record has it where `presence` has a `min_fraction` of 1 or `group_presence` is required;
/// the type; `shape`, `value_count` or `value_counts`; and the domain, as [`SchemaValidation`](super::SchemaValidation) has them.
/// What a schema asks of all records together is not looked at: shares of records or values, counts of records, tensors.
///
/// It does not change while it is used, so that threads can share it.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array, RecordBatch};
/// use tensor_repr::{RecordValidation, TfmdSchema};
///
/// let schema = TfmdSchema::from_text(r#"feature { name: "age" type: INT int_domain { min: 0 max: 150 } }"#)?;
/// let ages = Arc::new(Int64Array::from(vec![31, 1999, 42])) as ArrayRef;
/// let batch = RecordBatch::try_from_iter([("age", ages)])?;
/// let validation = RecordValidation::builder(&schema).build()?;
/// let mut found = Vec::new();
/// validation.check(&batch, &mut |row, rule, has| found.push((row, validation.rules()[rule].describe(&has()))))?;
/// assert_eq!(found, [(1, "the schema asks for values in 0 to 150, the record has 1999".to_owned())]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct RecordValidation {
    rules: Vec<RecordRule>,
    features: Vec<FeatureRule>,
    /// The number of each rule, by its feature and kind.
    numbers: HashMap<(usize, FindingKind), usize>,
    indices: HashMap<ColumnPath, usize>,
    /// The rules of columns that the schema does not have.
    unknown: HashMap<ColumnPath, usize>,
}

/// Takes the row, the number of the rule, and what the row has.
type Report<'a> = &'a mut dyn FnMut(usize, usize, &dyn Fn() -> String);

impl RecordValidation {
    /// Returns a builder of a validation against a schema.
    #[must_use]
    pub fn builder(schema: &TfmdSchema) -> RecordValidationBuilder<'_> {
        RecordValidationBuilder { schema, columns: None, environment: None }
    }

    fn add(
        &mut self,
        rules: &Rules<'_>,
        features: &[tfmd::Feature],
        parent: &ColumnPath,
        columns: Option<&[ColumnPath]>,
        unused: &mut HashSet<ColumnPath>,
    ) -> Result<(), Error> {
        // Nested as deep as protobuf decodes, and no deeper.
        for feature in distinct(features) {
            let path = parent.child(feature.name());
            if !is_used(feature) {
                unused.insert(path);
                continue;
            }
            let is_of = |column: &ColumnPath| column.starts_with(&path) || path.starts_with(column);
            if columns.is_none_or(|columns| columns.iter().any(is_of)) {
                let rule = FeatureRule::try_new(rules, feature, path.clone())?;
                let index = self.features.len();
                for (kind, expected) in rule.of_rows() {
                    self.numbers.insert((index, kind), self.rules.len());
                    self.rules.push(RecordRule { kind, name: path.to_string(), expected });
                }
                self.indices.insert(path.clone(), index);
                self.features.push(rule);
            }
            if feature.r#type() == FeatureType::Struct {
                self.add(rules, children(feature), &path, columns, unused)?;
            }
        }
        Ok(())
    }

    /// Adds the rule that a column, or what it is in, is not there.
    fn add_unknown(&mut self, column: &ColumnPath, unused: &HashSet<ColumnPath>) {
        let mut path = ColumnPath::default();
        for step in column.steps() {
            path = path.child(step.clone());
            if unused.contains(&path) || self.unknown.contains_key(&path) {
                return;
            }
            if !self.indices.contains_key(&path) {
                self.unknown.insert(path.clone(), self.rules.len());
                let (kind, name) = (FindingKind::UnknownFeature, path.to_string());
                self.rules.push(RecordRule { kind, name, expected: "no such feature".to_owned() });
                return;
            }
        }
    }

    /// Returns the requirements for each record, features in the order of the schema, and then columns that it does not
    /// have.
    #[must_use]
    pub fn rules(&self) -> &[RecordRule] {
        &self.rules
    }

    /// Looks at a batch, and reports violations: the row, the number of the rule, and a function that describes the row's
    /// value instead. The rows of a rule come in no order, and may come more than once.
    ///
    /// # Errors
    ///
    /// If Arrow refuses to take a column apart ([`ErrorKind::Other`](tfxio_base::ErrorKind::Other)). Data that does not fit is
    /// no error.
    pub fn check(&self, batch: &RecordBatch, report: Report<'_>) -> Result<(), Error> {
        let mut seen = vec![false; self.features.len()];
        // The rows of structs, one for each.
        let mut structs = HashMap::new();
        structs.insert(ColumnPath::default(), (0..batch.num_rows() as u64).collect());
        walk(batch, 0, &mut |column| {
            if column.kind == Values::Of(FeatureType::Struct) {
                structs.insert(column.path.clone(), rows_of_structs(column));
            }
            if let Some(&index) = self.indices.get(column.path) {
                if let Some(seen) = seen.get_mut(index) {
                    *seen = true;
                }
                if let Some(rule) = self.features.get(index) {
                    rule.check(column, &mut |kind, row, found| self.report(index, kind, row, found, report));
                }
            } else if let Some(&rule) = self.unknown.get(column.path)
                && column.kind != Values::Nothing
            {
                for slot in column.present_slots() {
                    report(to_row(column.rows[slot]), rule, &|| column.describe());
                }
            }
            Ok(())
        })?;
        for (index, (feature, seen)) in self.features.iter().zip(seen).enumerate() {
            if !seen && let Some(rows) = structs.get(&feature.path().parent()?) {
                for &row in rows {
                    self.report(index, FindingKind::Presence, row, &|| NOTHING.to_owned(), report);
                }
            }
        }
        Ok(())
    }

    fn report(
        &self,
        index: usize,
        kind: FindingKind,
        row: u64,
        found: &dyn Fn() -> String,
        report: Report<'_>,
    ) {
        // What is asked of all records together has no rule.
        if let Some(&rule) = self.numbers.get(&(index, kind)) {
            report(to_row(row), rule, found);
        }
    }
}

/// Converts the number of a row of a batch, which is in memory.
fn to_row(row: u64) -> usize {
    usize::try_from(row).unwrap_or(usize::MAX)
}

/// Returns the row of each struct that is there.
fn rows_of_structs(column: &Column<'_>) -> Vec<u64> {
    let owners = column.owners.iter().enumerate().filter(|(at, _)| column.values.is_valid(*at));
    owners.map(|(_, &slot)| column.rows[slot]).collect()
}

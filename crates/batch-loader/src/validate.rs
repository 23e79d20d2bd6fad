//! Records compared with a schema.

mod tally;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tensor_repr::{ColumnPath, RecordRule, RecordValidation, TfmdSchema};

pub(crate) use self::tally::{Tallied, tally};
use crate::anomaly::Anomaly;
use crate::config::{OnLeave, Validate};
use crate::error::Locate as _;
use crate::item::Found;
use crate::source::{DatasetColumns, Raw};
use crate::{Error, Kind, Result};

/// Rules that the records of all data sets are compared with.
#[derive(Debug)]
pub(crate) struct Checks {
    on_leave: OnLeave,
    rules: Vec<Rule>,
    members: Vec<Member>,
}

/// A rule of each record, of any data set.
#[derive(Debug)]
struct Rule {
    rule: RecordRule,
    /// Whether the first record that breaks it came out in a batch.
    is_known: AtomicBool,
}

/// One of the data sets.
#[derive(Debug)]
struct Member {
    validation: RecordValidation,
    /// The number of each of its rules among all of them.
    numbers: Vec<u32>,
}

/// Returns the rules that the records of a data set are compared with.
///
/// # Errors
/// When the schema contradicts itself.
pub(crate) fn of_columns(
    schema: &TfmdSchema,
    validate: &Validate,
    columns: DatasetColumns,
) -> Result<RecordValidation> {
    let DatasetColumns { mut read, all } = columns;
    if let Some(all) = all {
        // Columns that there are and that are not read may be as they like.
        let is_missing = |name: &&str| all.field_with_name(name).is_err();
        let names = schema.features().map(|feature| feature.name());
        read.extend(names.filter(is_missing).map(ColumnPath::from));
    }
    let builder = RecordValidation::builder(schema).columns(read).environment(validate.environment.clone());
    builder.build().map_err(|error| refused(error.what().to_owned(), error).at_json("validate"))
}

/// Returns the schema of a file.
pub(crate) fn read_file(name: String, bytes: &[u8]) -> Result<TfmdSchema> {
    TfmdSchema::from_either(bytes).map_err(|error| {
        let position = error.position().clone();
        refused(error.what().to_owned(), error).at(position).in_file(name)
    })
}

/// Reads the schema of a text in a configuration. Its errors have the lines of that text.
pub(crate) fn read_text(text: &str) -> Result<TfmdSchema> {
    TfmdSchema::from_text(text).map_err(|error| {
        let position = error.position().to_string();
        let what = if position.is_empty() { String::new() } else { format!("{position}: ") };
        refused(what + error.what(), error)
    })
}

#[cold]
fn refused(what: String, error: Error) -> Error {
    let refused = Error::new(
        Kind::InvalidValue,
        format!("this is not a schema that records can be compared with: {what}"),
    );
    let refused = match error.hint() {
        Some(hint) => refused.help(hint.to_owned()),
        None => refused,
    };
    refused.because(error)
}

impl Checks {
    /// Returns the rules of some data sets. `known` are the anomalies that were reported before.
    pub(crate) fn new(
        on_leave: OnLeave,
        validations: impl Iterator<Item = RecordValidation>,
        known: &[Anomaly],
    ) -> Self {
        let mut rules: Vec<Rule> = Vec::new();
        let mut members = Vec::new();
        for validation in validations {
            let mut numbers = Vec::new();
            for rule in validation.rules() {
                let same = |known: &Rule| known.rule == *rule;
                let number = rules.iter().position(same).unwrap_or_else(|| {
                    let is_known = AtomicBool::new(known.iter().any(|known| is_of(known, rule)));
                    rules.push(Rule { rule: rule.clone(), is_known });
                    rules.len() - 1
                });
                numbers.push(u32::try_from(number).unwrap_or(u32::MAX));
            }
            members.push(Member { validation, numbers });
        }
        Self { on_leave, rules, members }
    }

    /// Returns whether records that leave the schema are counted.
    pub(crate) fn counts(&self) -> bool {
        self.on_leave == OnLeave::Warn
    }

    /// Holds records of a data set against the schema. Returns those before the first that ends loading, how they leave the schema,
    /// and why loading ends.
    pub(crate) fn check(&self, member: usize, raw: Raw, file: &Arc<str>) -> (Raw, Vec<Found>, Option<Error>) {
        let Some(Member { validation, numbers }) = self.members.get(member) else {
            return (raw, Vec::new(), None);
        };
        let mut found: Vec<Found> = Vec::new();
        let checked = validation.check(&raw.batch, &mut |row, rule, has| {
            let Some(number) = numbers.get(rule).copied() else { return };
            if self.counts() {
                let is_known = self.rule(number).is_none_or(|rule| rule.is_known.load(Relaxed));
                let text = (!is_known).then(|| has().into());
                found.push(Found { row, rule: number, text });
            } else if found.first().is_none_or(|first| (row, number) < (first.row, first.rule)) {
                found = vec![Found { row, rule: number, text: Some(has().into()) }];
            }
        });
        if let Err(error) = checked {
            return (raw.first(0), Vec::new(), Some(error.in_file(Arc::clone(file))));
        }
        if self.counts() {
            found.sort_by_key(|found| (found.row, found.rule));
            found.dedup_by_key(|found| (found.row, found.rule));
            return (raw, found, None);
        }
        match found.pop() {
            None => (raw, found, None),
            Some(first) => {
                let error = self.left(&first, &raw, file);
                (raw.first(first.row), found, Some(error))
            }
        }
    }

    fn rule(&self, number: u32) -> Option<&Rule> {
        self.rules.get(number as usize)
    }

    /// A record leaves the schema.
    #[cold]
    fn left(&self, first: &Found, raw: &Raw, file: &Arc<str>) -> Error {
        let has = first.text.as_deref().unwrap_or_default();
        let what = self.rule(first.rule).map(|rule| rule.rule.describe(has)).unwrap_or_default();
        let mut error = Error::new(Kind::Schema, what)
            .help(
                "correct the record or the schema, leave such records out with `filter`, or set `on_leave` of `validate` to \"warn\"",
            )
            .in_file(Arc::clone(file));
        if let Some(record) = raw.records.get(first.row) {
            error = error.in_record(*record, raw.bytes.get(first.row).copied());
        }
        if let Some(rule) = self.rule(first.rule) {
            error.position_mut().column = Some(rule.rule.name.as_str().into());
        }
        error
    }

    /// Adds the anomalies of a batch that comes out to `anomalies`, and logs the first of each rule.
    pub(crate) fn add(&self, tallied: Vec<Tallied>, files: &[Arc<str>], anomalies: &mut Vec<Anomaly>) {
        for Tallied { rule, count, part, record, byte, text } in tallied {
            let Some(Rule { rule, is_known }) = self.rule(rule) else { continue };
            is_known.store(true, Relaxed);
            if let Some(known) = anomalies.iter_mut().find(|known| is_of(known, rule)) {
                known.count = known.count.saturating_add(count);
                continue;
            }
            let file = files.get(part as usize).cloned().unwrap_or_default();
            let found = text.as_deref().unwrap_or_default().to_owned();
            tracing::warn!(
                file = &*file,
                record,
                feature = &*rule.name,
                "a record leaves the schema: {}",
                rule.describe(&found)
            );
            let (feature, kind, expected) = (rule.name.clone(), rule.kind, rule.expected.clone());
            anomalies.push(Anomaly { feature, kind, expected, found, count, file, record, byte });
        }
    }
}

/// Returns whether an anomaly is of a rule: where a state was saved with another schema, what that asked for stays as it was.
fn is_of(anomaly: &Anomaly, rule: &RecordRule) -> bool {
    anomaly.kind == rule.kind && anomaly.feature == rule.name && anomaly.expected == rule.expected
}

//! Validation of a column against its feature.

use tfxio_core::DType;

use super::counts::Counts;
use super::domain::{Domain, NamedDomains};
use super::finding::{Finding, FindingKind, Tally};
use crate::infer::walk::{Column, Values};
use crate::proto::metadata::v0 as tfmd;
use crate::proto::metadata::v0::FeatureType;
use crate::proto::metadata::v0::feature::PresenceConstraints;
use crate::{ColumnPath, Error};

/// The different values outside of a domain that a finding shows.
const SHOWN: usize = 3;

/// Rules of a schema for one feature.
#[derive(Debug)]
pub(super) struct FeatureRule {
    path: ColumnPath,
    feature_type: FeatureType,
    counts: Counts,
    domain: Option<Domain>,
    /// The least share of values in the domain.
    domain_mass: f64,
    presence: Presence,
    /// Whether the feature is expected in the environment.
    expected: bool,
}

/// Takes what is wrong: in what, the row, and what the row has.
pub(super) type Note<'a> = &'a mut dyn FnMut(FindingKind, u64, &dyn Fn() -> String);

impl FeatureRule {
    pub(super) fn try_new(
        rules: &Rules<'_>,
        feature: &tfmd::Feature,
        path: ColumnPath,
    ) -> Result<Self, Error> {
        let mass = feature.distribution_constraints.as_ref();
        Ok(Self {
            feature_type: feature.r#type(),
            counts: Counts::of(feature),
            domain: Domain::of(&rules.domains, feature, &path)?,
            domain_mass: mass.map_or(1.0, tfmd::DistributionConstraints::min_domain_mass),
            presence: Presence::of(feature),
            expected: rules.expects(feature),
            path,
        })
    }

    pub(super) fn path(&self) -> &ColumnPath {
        &self.path
    }

    /// Returns the rules for each row by itself, and not only for all of them together, as text.
    pub(super) fn of_rows(&self) -> impl Iterator<Item = (FindingKind, String)> + '_ {
        let what = if self.path.len() > 1 { "structs" } else { "records" };
        let is_required = self.expected && self.presence.fraction >= 1.0;
        let presence = is_required.then(|| (FindingKind::Presence, self.presence.describe(what)));
        let is_typed = self.feature_type != FeatureType::TypeUnknown;
        let of_type = is_typed.then(|| (FindingKind::Type, self.feature_type.as_str_name().to_owned()));
        let is_counted = !matches!(self.counts, Counts::Any);
        let counts = is_counted.then(|| (FindingKind::ValueCount, self.counts.describe()));
        let domain = self.domain.as_ref().filter(|_| self.domain_mass >= 1.0);
        let domain = domain.map(|domain| (FindingKind::Domain, domain.describe()));
        [presence, of_type, counts, domain].into_iter().flatten()
    }

    /// Returns whether there are values, and of another type than the rule's.
    fn is_of_other_type(&self, column: &Column<'_>) -> bool {
        self.feature_type != FeatureType::TypeUnknown && column.kind != Values::Of(self.feature_type)
    }

    /// Notes each slot without the feature, of another type, and of another number of values, and each value outside of the
    /// domain.
    pub(super) fn check(&self, column: &Column<'_>, note: Note<'_>) {
        for slot in column.missing_slots() {
            note(FindingKind::Presence, column.rows[slot], &|| NOTHING.to_owned());
        }
        // A column without values may be of any type.
        if column.kind == Values::Nothing {
            return;
        }
        self.counts.check(column, &mut |row, found| note(FindingKind::ValueCount, row, &|| found.clone()));
        if self.is_of_other_type(column) {
            for slot in column.present_slots() {
                note(FindingKind::Type, column.rows[slot], &|| column.describe());
            }
        } else if let Some(domain) = &self.domain {
            domain.outside(&column.values, &mut |at, shown| {
                note(FindingKind::Domain, column.rows[column.owners[at]], shown);
            });
        }
    }
}

/// Text for a row that lacks a feature.
pub(super) const NOTHING: &str = "none";

/// A feature, and what was seen of it.
#[derive(Debug)]
pub(super) struct FeatureCheck {
    rule: FeatureRule,
    /// Whether there was a column of it.
    seen: bool,
    slots: u64,
    missing: Tally,
    wrong_type: Tally,
    wrong_counts: Tally,
    outside: Tally,
    /// The first values outside of the domain.
    outsiders: Vec<String>,
    values: u64,
}

/// Required presence of a feature.
#[derive(Debug, Default)]
struct Presence {
    fraction: f64,
    count: u64,
}

impl FeatureCheck {
    pub(super) fn new(rule: FeatureRule) -> Self {
        Self {
            rule,
            seen: false,
            slots: 0,
            missing: Tally::default(),
            wrong_type: Tally::default(),
            wrong_counts: Tally::default(),
            outside: Tally::default(),
            outsiders: Vec::new(),
            values: 0,
        }
    }

    pub(super) fn path(&self) -> &ColumnPath {
        &self.rule.path
    }

    pub(super) fn is_expected(&self) -> bool {
        self.rule.expected
    }

    pub(super) fn is_struct(&self) -> bool {
        self.rule.feature_type == FeatureType::Struct
    }

    /// Returns the dtype that its values have in a tf.Example.
    pub(super) fn dtype(&self) -> Option<DType> {
        match self.rule.feature_type {
            FeatureType::Bytes => Some(DType::String),
            FeatureType::Int => Some(DType::Int64),
            FeatureType::Float => Some(DType::Float32),
            FeatureType::TypeUnknown | FeatureType::Struct => None,
        }
    }

    /// Skips rows, or structs, in which the column cannot be, because the batch has no such column.
    pub(super) fn skip(&mut self, slots: u64, first_row: u64) {
        self.slots += slots;
        self.missing.add_all(slots, first_row);
    }

    pub(super) fn push(&mut self, column: &Column<'_>) {
        let Self { rule, missing, wrong_type, wrong_counts, outside, outsiders, .. } = self;
        self.slots += column.rows.len() as u64;
        rule.check(column, &mut |kind, row, found| {
            let tally = match kind {
                FindingKind::Type => &mut *wrong_type,
                FindingKind::ValueCount => &mut *wrong_counts,
                FindingKind::Domain => &mut *outside,
                _ => return missing.add(row),
            };
            tally.add(row);
            if kind != FindingKind::Domain {
                tally.find(found);
            } else if outsiders.len() <= SHOWN {
                let value = found();
                if !outsiders.contains(&value) {
                    outsiders.push(value);
                }
            }
        });
        if column.kind != Values::Nothing {
            self.seen = true;
            if rule.domain.is_some() && !rule.is_of_other_type(column) {
                self.values += (column.values.len() - column.values.null_count()) as u64;
            }
        }
    }

    /// Returns the violations of the rule.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let mut out = Vec::new();
        let rule = &self.rule;
        let name = || rule.path.to_string();
        let present = self.slots - self.missing.count;
        let too_few = (present as f64) < rule.presence.fraction * self.slots as f64;
        if rule.expected && (too_few || present < rule.presence.count) {
            let kind = if self.seen { FindingKind::Presence } else { FindingKind::MissingFeature };
            let what = if rule.path.len() > 1 { "structs" } else { "records" };
            let found = format!("it in {present} of {} {what}", self.slots);
            out.push(self.missing.finding(kind, name(), rule.presence.describe(what), &found));
        }
        if self.wrong_type.count > 0 {
            let expected = rule.feature_type.as_str_name().to_owned();
            out.push(self.wrong_type.finding(FindingKind::Type, name(), expected, ""));
        }
        if self.wrong_counts.count > 0 {
            let expected = rule.counts.describe();
            out.push(self.wrong_counts.finding(FindingKind::ValueCount, name(), expected, ""));
        }
        let inside = self.values - self.outside.count;
        if let Some(domain) = &rule.domain
            && (inside as f64) < rule.domain_mass * self.values as f64
        {
            let mut found: Vec<_> = self.outsiders.iter().take(SHOWN).map(String::as_str).collect();
            if self.outsiders.len() > SHOWN {
                found.push("…");
            }
            let mut expected = domain.describe();
            if rule.domain_mass < 1.0 {
                expected = format!("at least {} of all {expected}", rule.domain_mass);
            }
            out.push(self.outside.finding(FindingKind::Domain, name(), expected, &found.join(", ")));
        }
        out
    }
}

/// Rules of a schema that apply to all of its features.
#[derive(Debug)]
pub(super) struct Rules<'a> {
    domains: NamedDomains<'a>,
    /// The environment of the data, if one is given.
    environment: Option<&'a str>,
    /// Whether the schema lacks default environments.
    is_everywhere: bool,
    /// Whether the environment is one of the default ones.
    is_default: bool,
}

impl<'a> Rules<'a> {
    pub(super) fn new(schema: &'a tfmd::Schema, environment: Option<&'a str>) -> Self {
        Self {
            domains: NamedDomains::new(schema),
            environment,
            is_everywhere: schema.default_environment.is_empty(),
            is_default: environment.is_some_and(|name| lists(&schema.default_environment, name)),
        }
    }

    /// Returns whether a feature is expected in the environment.
    fn expects(&self, feature: &tfmd::Feature) -> bool {
        let Some(environment) = self.environment else { return true };
        if lists(&feature.not_in_environment, environment) {
            return false;
        }
        lists(&feature.in_environment, environment)
            || self.is_everywhere && feature.in_environment.is_empty()
            || self.is_default
    }
}

fn lists(names: &[String], environment: &str) -> bool {
    names.iter().any(|name| name == environment)
}

impl Presence {
    fn of(feature: &tfmd::Feature) -> Self {
        match &feature.presence_constraints {
            Some(PresenceConstraints::Presence(presence)) => Self {
                fraction: presence.min_fraction(),
                count: u64::try_from(presence.min_count()).unwrap_or(0),
            },
            Some(PresenceConstraints::GroupPresence(presence)) if presence.required() => {
                Self { fraction: 1.0, count: 0 }
            }
            _ => Self::default(),
        }
    }

    fn describe(&self, what: &str) -> String {
        match (self.fraction, self.count) {
            (fraction, _) if fraction >= 1.0 => format!("it in all {what}"),
            (fraction, count) if fraction > 0.0 && count > 0 => {
                format!("it in at least {fraction} of all {what}, and in {count} of them")
            }
            (fraction, _) if fraction > 0.0 => format!("it in at least {fraction} of all {what}"),
            (_, count) => format!("it in at least {count} {what}"),
        }
    }
}

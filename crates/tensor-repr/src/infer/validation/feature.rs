//! Whether a column is what its feature says.

use tfxio_core::DType;

use super::domain::Domain;
use super::finding::{Finding, FindingKind, Tally};
use crate::infer::walk::{Column, Level, Values};
use crate::proto::metadata::v0 as tfmd;
use crate::proto::metadata::v0::FeatureType;
use crate::proto::metadata::v0::feature::{PresenceConstraints, ShapeType};
use crate::{ColumnPath, Error};

/// The different values outside of a domain that a finding shows.
const SHOWN: usize = 3;

/// A feature, and what was seen of it.
#[derive(Debug)]
pub(super) struct FeatureCheck {
    path: ColumnPath,
    feature_type: FeatureType,
    counts: Counts,
    domain: Option<Domain>,
    /// The least share of values in the domain.
    domain_mass: f64,
    presence: Presence,
    /// Whether the feature is expected in the environment.
    expected: bool,
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

/// How often the feature must be there.
#[derive(Debug, Default)]
struct Presence {
    fraction: f64,
    count: u64,
}

/// How many values the feature may have.
#[derive(Debug)]
enum Counts {
    Any,
    /// As many as the shape holds, in all lists together.
    Total(Vec<i64>, u64),
    /// In each innermost list.
    Innermost(Bounds),
    /// In each list, level by level.
    Levels(Vec<Bounds>),
}

#[derive(Clone, Copy, Debug)]
struct Bounds {
    min: u64,
    max: Option<u64>,
}

impl FeatureCheck {
    pub(super) fn try_new(
        schema: &tfmd::Schema,
        feature: &tfmd::Feature,
        path: ColumnPath,
        environment: Option<&str>,
    ) -> Result<Self, Error> {
        let mass = feature.distribution_constraints.as_ref();
        Ok(Self {
            feature_type: feature.r#type(),
            counts: Counts::of(feature),
            domain: Domain::of(schema, feature, &path)?,
            domain_mass: mass.map_or(1.0, tfmd::DistributionConstraints::min_domain_mass),
            presence: Presence::of(feature),
            expected: environment.is_none_or(|environment| is_expected(schema, feature, environment)),
            seen: false,
            slots: 0,
            missing: Tally::default(),
            wrong_type: Tally::default(),
            wrong_counts: Tally::default(),
            outside: Tally::default(),
            outsiders: Vec::new(),
            values: 0,
            path,
        })
    }

    pub(super) fn path(&self) -> &ColumnPath {
        &self.path
    }

    pub(super) fn is_expected(&self) -> bool {
        self.expected
    }

    pub(super) fn is_struct(&self) -> bool {
        self.feature_type == FeatureType::Struct
    }

    /// The dtype that its values have in a tf.Example.
    pub(super) fn dtype(&self) -> Option<DType> {
        match self.feature_type {
            FeatureType::Bytes => Some(DType::String),
            FeatureType::Int => Some(DType::Int64),
            FeatureType::Float => Some(DType::Float32),
            FeatureType::TypeUnknown | FeatureType::Struct => None,
        }
    }

    /// Rows, or structs, in which the column cannot be, because the batch has no such column.
    pub(super) fn skip(&mut self, slots: u64, first_row: u64) {
        self.slots += slots;
        self.missing.add_all(slots, first_row);
    }

    pub(super) fn push(&mut self, column: &Column<'_>) {
        self.slots += column.rows.len() as u64;
        for slot in column.missing_slots() {
            self.missing.add(column.rows[slot]);
        }
        let found = match column.kind {
            // A column without values may be of any type.
            Values::Nothing => return,
            Values::Of(found) => Some(found),
            Values::Other(_) => None,
        };
        self.seen = true;
        self.push_counts(column);
        if self.feature_type != FeatureType::TypeUnknown && found != Some(self.feature_type) {
            for slot in column.present_slots() {
                self.wrong_type.add(column.rows[slot]);
            }
            self.wrong_type.find(|| column.describe());
            return;
        }
        self.push_values(column);
    }

    fn push_values(&mut self, column: &Column<'_>) {
        let Some(domain) = &self.domain else { return };
        self.values += (column.values.len() - column.values.null_count()) as u64;
        for (at, value) in domain.outside(&column.values) {
            self.outside.add(column.rows[column.owners[at]]);
            if self.outsiders.len() <= SHOWN && !self.outsiders.contains(&value) {
                self.outsiders.push(value);
            }
        }
    }

    fn push_counts(&mut self, column: &Column<'_>) {
        let wrong = &mut self.wrong_counts;
        let mut note = |row: u64, found: String| {
            wrong.add(row);
            wrong.find(|| found);
        };
        match &self.counts {
            Counts::Any => {}
            Counts::Total(_, size) => {
                let totals = column.totals();
                for slot in column.present_slots() {
                    if totals[slot] as u64 != *size {
                        note(column.rows[slot], values(totals[slot] as u64));
                    }
                }
            }
            Counts::Innermost(bounds) => match column.levels.last() {
                Some(level) => check_level(column, level, *bounds, "", &mut note),
                None if bounds.allows(1) => {}
                None => column.present_slots().for_each(|slot| note(column.rows[slot], values(1))),
            },
            Counts::Levels(levels) if levels.len() != column.levels.len() => {
                let found = column.levels.len();
                for slot in column.present_slots() {
                    note(column.rows[slot], format!("{found} levels of lists"));
                }
            }
            Counts::Levels(levels) => {
                for (depth, (bounds, level)) in levels.iter().zip(&column.levels).enumerate() {
                    check_level(column, level, *bounds, &format!(" at level {}", depth + 1), &mut note);
                }
            }
        }
    }

    /// What is not as it should be.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let mut out = Vec::new();
        let name = || self.path.to_string();
        let present = self.slots - self.missing.count;
        let too_few = (present as f64) < self.presence.fraction * self.slots as f64;
        if self.expected && (too_few || present < self.presence.count) {
            let kind = if self.seen { FindingKind::Presence } else { FindingKind::MissingFeature };
            let what = if self.path.len() > 1 { "structs" } else { "rows" };
            let found = format!("it in {present} of {} {what}", self.slots);
            out.push(self.missing.finding(kind, name(), self.presence.describe(what), &found));
        }
        if self.wrong_type.count > 0 {
            let expected = self.feature_type.as_str_name().to_owned();
            out.push(self.wrong_type.finding(FindingKind::Type, name(), expected, ""));
        }
        if self.wrong_counts.count > 0 {
            let expected = self.counts.describe();
            out.push(self.wrong_counts.finding(FindingKind::ValueCount, name(), expected, ""));
        }
        let inside = self.values - self.outside.count;
        if let Some(domain) = &self.domain
            && (inside as f64) < self.domain_mass * self.values as f64
        {
            let mut found: Vec<_> = self.outsiders.iter().take(SHOWN).map(String::as_str).collect();
            if self.outsiders.len() > SHOWN {
                found.push("…");
            }
            let mut expected = domain.describe();
            if self.domain_mass < 1.0 {
                expected = format!("at least {} of all {expected}", self.domain_mass);
            }
            out.push(self.outside.finding(FindingKind::Domain, name(), expected, &found.join(", ")));
        }
        out
    }
}

/// Holds the lists of a level to their bounds, each slot once.
fn check_level(
    column: &Column<'_>,
    level: &Level,
    bounds: Bounds,
    place: &str,
    note: &mut dyn FnMut(u64, String),
) {
    let mut last = None;
    for (&length, &owner) in level.lengths.iter().zip(&level.owners) {
        if column.present[owner] && last != Some(owner) && !bounds.allows(length as u64) {
            last = Some(owner);
            note(column.rows[owner], format!("{}{place}", values(length as u64)));
        }
    }
}

fn values(count: u64) -> String {
    if count == 1 { "1 value".to_owned() } else { format!("{count} values") }
}

/// Whether a feature is expected in an environment.
fn is_expected(schema: &tfmd::Schema, feature: &tfmd::Feature, environment: &str) -> bool {
    let lists = |list: &[String]| list.iter().any(|name| name == environment);
    if lists(&feature.not_in_environment) {
        return false;
    }
    lists(&feature.in_environment)
        || schema.default_environment.is_empty() && feature.in_environment.is_empty()
        || lists(&schema.default_environment)
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
            (fraction, _) if fraction >= 1.0 => format!("the feature in all {what}"),
            (fraction, count) if fraction > 0.0 && count > 0 => {
                format!("the feature in at least {fraction} of all {what}, and in {count} of them,")
            }
            (fraction, _) if fraction > 0.0 => format!("the feature in at least {fraction} of all {what}"),
            (_, count) => format!("the feature in at least {count} {what}"),
        }
    }
}

impl Counts {
    fn of(feature: &tfmd::Feature) -> Self {
        match &feature.shape_type {
            Some(ShapeType::Shape(shape)) => {
                let sizes: Vec<i64> = shape.dim.iter().map(tfmd::fixed_shape::Dim::size).collect();
                let product = sizes.iter().try_fold(1u64, |product, &size| {
                    u64::try_from(size).ok().and_then(|size| product.checked_mul(size))
                });
                // A size that is not known bounds nothing.
                product.map_or(Self::Any, |product| Self::Total(sizes, product))
            }
            Some(ShapeType::ValueCount(count)) => Self::Innermost(count.into()),
            Some(ShapeType::ValueCounts(counts)) => {
                Self::Levels(counts.value_count.iter().map(Into::into).collect())
            }
            None => Self::Any,
        }
    }

    fn describe(&self) -> String {
        match self {
            Self::Any => String::new(),
            Self::Total(sizes, product) => format!("{} of shape {sizes:?}", values(*product)),
            Self::Innermost(bounds) => bounds.describe(),
            Self::Levels(levels) => {
                let bounds: Vec<_> = levels.iter().map(Bounds::describe).collect();
                format!("{} levels of lists ({})", levels.len(), bounds.join("; "))
            }
        }
    }
}

impl Bounds {
    fn allows(self, count: u64) -> bool {
        count >= self.min && self.max.is_none_or(|max| count <= max)
    }

    fn describe(&self) -> String {
        match (self.min, self.max) {
            (min, Some(max)) if min == max => values(min),
            (0, Some(max)) => format!("at most {}", values(max)),
            (min, Some(max)) => format!("{min} to {}", values(max)),
            (min, None) => format!("at least {}", values(min)),
        }
    }
}

impl From<&tfmd::ValueCount> for Bounds {
    fn from(count: &tfmd::ValueCount) -> Self {
        let bound = |value: i64| u64::try_from(value).unwrap_or(0);
        Self { min: bound(count.min()), max: count.max.map(bound) }
    }
}

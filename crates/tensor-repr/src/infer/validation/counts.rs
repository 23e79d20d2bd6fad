//! Value counts of a column, checked against its feature.

use tfxio_core::Count;

use crate::infer::walk::{Column, Level};
use crate::proto::metadata::v0 as tfmd;
use crate::proto::metadata::v0::feature::ShapeType;

/// Allowed numbers of values of a feature.
#[derive(Debug)]
pub(super) enum Counts {
    Any,
    /// The number of values of the shape, in all lists together.
    Total(Vec<i64>, u64),
    /// Bounds for each innermost list.
    Innermost(Bounds),
    /// Bounds for each list, level by level.
    Levels(Vec<Bounds>),
}

/// The fewest and the most values; no most is any number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    min: u64,
    max: Option<u64>,
}

impl Counts {
    pub(super) fn of(feature: &tfmd::Feature) -> Self {
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

    /// Holds a column to them, and notes each slot that does not: its row, and what it has.
    pub(super) fn check(&self, column: &Column<'_>, note: &mut dyn FnMut(u64, String)) {
        match self {
            Self::Any => {}
            Self::Total(_, size) => {
                let totals = column.totals();
                for slot in column.present_slots() {
                    if totals[slot] as u64 != *size {
                        note(column.rows[slot], values(totals[slot] as u64));
                    }
                }
            }
            Self::Innermost(bounds) => match column.levels.last() {
                Some(level) => check_level(column, level, *bounds, "", note),
                None if bounds.allows(1) => {}
                None => column.present_slots().for_each(|slot| note(column.rows[slot], values(1))),
            },
            Self::Levels(levels) if levels.len() != column.levels.len() => {
                let found = column.levels.len();
                for slot in column.present_slots() {
                    note(column.rows[slot], levels_of_lists(found));
                }
            }
            Self::Levels(levels) => {
                for (depth, (bounds, level)) in levels.iter().zip(&column.levels).enumerate() {
                    check_level(column, level, *bounds, &format!(" at level {}", depth + 1), note);
                }
            }
        }
    }

    pub(super) fn describe(&self) -> String {
        match self {
            Self::Any => String::new(),
            Self::Total(sizes, product) => format!("{} of shape {sizes:?}", values(*product)),
            Self::Innermost(bounds) => bounds.describe(),
            Self::Levels(levels) => {
                let bounds: Vec<_> = levels.iter().map(Bounds::describe).collect();
                format!("{} ({})", levels_of_lists(levels.len()), bounds.join("; "))
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

/// Holds the lists of a level to their bounds, each slot once.
fn check_level(
    column: &Column<'_>,
    level: &Level,
    bounds: Bounds,
    within: &str,
    note: &mut dyn FnMut(u64, String),
) {
    let mut last = None;
    for (&length, &owner) in level.lengths.iter().zip(&level.owners) {
        if column.present[owner] && last != Some(owner) && !bounds.allows(length as u64) {
            last = Some(owner);
            note(column.rows[owner], format!("{}{within}", values(length as u64)));
        }
    }
}

fn levels_of_lists(count: usize) -> String {
    format!("{} of lists", Count::of(count, "level"))
}

fn values(count: u64) -> String {
    Count::of(count, "value").to_string()
}

//! Numbers of rows with a field of structs: the messages count the structs.

use crate::feature::shared;
use crate::proto::tfmd::custom_statistic::Val;
use crate::proto::tfmd::{CustomStatistic, FeatureNameStatistics};

/// Number of rows with a value of a field in one of their structs.
const PRESENT: &str = "num_rows_present";
/// Number of rows without one, rows without the struct included.
const MISSING: &str = "num_rows_missing";

/// Appends how many rows have a field and how many do not, where that is not what the messages count.
pub(crate) fn append(custom: &mut Vec<CustomStatistic>, rows: (u64, u64), structs: (u64, u64)) {
    if rows == structs {
        return;
    }
    for (name, count) in [(PRESENT, rows.0), (MISSING, rows.1)] {
        custom.push(CustomStatistic { name: name.to_owned(), val: Some(Val::Num(count as f64)) });
    }
}

/// Returns how many rows have a feature and how many do not: of fields in statistics of other programs, how many structs.
pub(crate) fn of(feature: &FeatureNameStatistics) -> (u64, u64) {
    let number = |name: &str| {
        let custom = feature.custom_stats.iter().find(|custom| custom.name == name)?;
        match custom.val {
            // Counts are whole, and what is not a number does not count.
            Some(Val::Num(number)) => Some(number as u64),
            _ => None,
        }
    };
    let common = shared(feature).map_or((0, 0), |stats| (stats.num_non_missing, stats.num_missing));
    number(PRESENT).zip(number(MISSING)).unwrap_or(common)
}

/// Returns whether a custom statistic is one of these.
pub(crate) fn is_one(name: &str) -> bool {
    [PRESENT, MISSING].contains(&name)
}

//! Facts in the footer of a file about the values of columns.
//!
//! The rules are from the [format](https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift) (`Statistics`,
//! `ColumnOrder`): bounds count only in an order that the file states, bounds of the oldest form only if they were signed, NaN bounds not
//! at all; a zero means both zeros; bounds of bytes may be cut.

use std::cmp::Ordering;

use parquet::file::metadata::ColumnChunkMetaData;
use tfxio_core::{ColumnStatistics, Estimate, Literal};
use tfxio_scan::filter::possible::{Facts, Nulls, Value};

use super::leaves::{Leaf, Order};

/// Facts about the values of a column in a row group, or in several.
#[derive(Clone, Debug)]
pub(super) struct ChunkFacts {
    min: Estimate<Value>,
    max: Estimate<Value>,
    /// Number of nulls; unknown in lists, where writers differ about what they count.
    nulls: Option<u64>,
    /// Whether all values are null.
    is_empty: bool,
    in_lists: bool,
}

impl ChunkFacts {
    pub(super) fn new(chunk: &ColumnChunkMetaData, leaf: &Leaf) -> Self {
        let values = u64::try_from(chunk.num_values()).unwrap_or_default();
        let statistics = chunk.statistics();
        let nulls = statistics.and_then(|statistics| statistics.null_count_opt());
        let nulls = nulls.filter(|nulls| *nulls <= values);
        let is_empty = nulls == Some(values);
        let trusted = |order: &&Order| match statistics {
            Some(statistics) if statistics.is_min_max_deprecated() => order.is_oldest(),
            _ => leaf.is_defined,
        };
        let (mut min, mut max) = (Estimate::Unknown, Estimate::Unknown);
        if let Some((statistics, order)) = statistics.zip(leaf.order.as_ref().filter(trusted)) {
            let value = |raw: Option<&[u8]>, is_exact| match raw.and_then(|raw| order.value(raw)) {
                Some(value) if is_exact && !is_zero(&value) => Estimate::Exact(value),
                Some(value) => Estimate::Bound(value),
                None => Estimate::Unknown,
            };
            min = value(statistics.min_bytes_opt(), statistics.min_is_exact());
            max = value(statistics.max_bytes_opt(), statistics.max_is_exact());
            let order_of_both = bound(&min).zip(bound(&max)).map(|(low, high)| low.compare(high));
            // Of floats one that is NaN says nothing of the other.
            let is_float = matches!(order, Order::Single | Order::Double);
            if order_of_both.map_or(is_float, |order| order == Some(Ordering::Greater)) {
                (min, max) = (Estimate::Unknown, Estimate::Unknown);
            }
        }
        Self { min, max, nulls: nulls.filter(|_| !leaf.in_lists), is_empty, in_lists: leaf.in_lists }
    }

    /// Adds the facts about more rows.
    pub(super) fn add(&mut self, other: Self) {
        self.nulls = self.nulls.zip(other.nulls).and_then(|(a, b)| a.checked_add(b));
        if self.is_empty {
            (self.min, self.max, self.is_empty) = (other.min, other.max, other.is_empty);
        } else if !other.is_empty {
            self.min = nearest(&self.min, other.min, Ordering::Less);
            self.max = nearest(&self.max, other.max, Ordering::Greater);
        }
    }

    /// Restricts the facts to some of the rows: exact bounds become bounds.
    pub(super) fn of_some_rows(&mut self) {
        for known in [&mut self.min, &mut self.max] {
            if let Estimate::Exact(value) = known {
                *known = Estimate::Bound(value.clone());
            }
        }
    }

    /// Returns what a scan may leave out rows by.
    pub(super) fn facts(&self) -> Facts {
        let nulls = match self.nulls {
            _ if self.is_empty => Nulls::All,
            Some(0) => Nulls::None,
            _ => Nulls::Unknown,
        };
        let [min, max] = [&self.min, &self.max].map(|known| bound(known).cloned());
        Facts { min, max, nulls, in_lists: self.in_lists }
    }

    /// Returns the statistics of a column; nothing where none are known.
    pub(super) fn statistics(&self, order: Option<&Order>, some_rows: bool) -> Option<ColumnStatistics> {
        let is_text = matches!(order, Some(Order::Bytes(true)));
        let mut statistics = ColumnStatistics::default();
        statistics.min = literal(&self.min, true, is_text);
        statistics.max = literal(&self.max, false, is_text);
        statistics.nulls = match self.nulls {
            Some(nulls) if some_rows && nulls > 0 => Estimate::Bound(nulls),
            Some(nulls) => Estimate::Exact(nulls),
            None => Estimate::Unknown,
        };
        (statistics != ColumnStatistics::default()).then_some(statistics)
    }
}

fn bound(known: &Estimate<Value>) -> Option<&Value> {
    match known {
        Estimate::Exact(value) | Estimate::Bound(value) => Some(value),
        Estimate::Unknown => None,
    }
}

fn is_zero(value: &Value) -> bool {
    matches!(value, Value::Single(0.0) | Value::Double(0.0))
}

/// Returns which of two bounds comes first in an order; of equal ones the exact one.
fn nearest(a: &Estimate<Value>, b: Estimate<Value>, first: Ordering) -> Estimate<Value> {
    let order = bound(a).zip(bound(&b)).and_then(|(a, b)| a.compare(b));
    match order {
        None => Estimate::Unknown,
        Some(Ordering::Equal) if matches!(b, Estimate::Exact(_)) => b,
        Some(order) if order == first || order == Ordering::Equal => a.clone(),
        Some(_) => b,
    }
}

/// Returns a bound as a literal: bytes that are not text cannot be one, but a beginning of them is below them.
fn literal(known: &Estimate<Value>, is_min: bool, is_text: bool) -> Estimate<Literal> {
    let (value, mut is_exact) = match known {
        Estimate::Exact(value) => (value, true),
        Estimate::Bound(value) => (value, false),
        Estimate::Unknown => return Estimate::Unknown,
    };
    let literal = match value {
        Value::Boolean(value) => Literal::Boolean(*value),
        Value::Integer(value) => Literal::Integer(*value),
        // Either zero may be meant.
        Value::Single(0.0) | Value::Double(0.0) => Literal::Float(if is_min { -0.0 } else { 0.0 }),
        Value::Single(value) => Literal::Float((*value).into()),
        Value::Double(value) => Literal::Float(*value),
        Value::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Literal::Text(text.into()),
            Err(error) if is_min && (is_text || error.valid_up_to() > 0) => {
                let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
                is_exact = false;
                Literal::Text(String::from_utf8_lossy(valid).into())
            }
            Err(_) => return Estimate::Unknown,
        },
    };
    if is_exact { Estimate::Exact(literal) } else { Estimate::Bound(literal) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parquet::file::statistics::{Statistics, ValueStatistics};
    use parquet::schema::parser::parse_message_type;
    use parquet::schema::types::SchemaDescriptor;

    use super::*;

    /// Returns the facts about four integers by bounds of 1 and 3.
    fn known(is_old: bool, is_defined: bool, order: Order, in_lists: bool) -> ChunkFacts {
        let schema = parse_message_type("message m { optional int32 a; }").expect("a schema");
        let column = SchemaDescriptor::new(Arc::new(schema)).column(0);
        let values = ValueStatistics::new(Some(1), Some(3), None, Some(0), is_old);
        let chunk = ColumnChunkMetaData::builder(column).set_num_values(4);
        let chunk = chunk.set_statistics(Statistics::Int32(values)).build().expect("a chunk");
        let leaf = Leaf { path: None, in_lists, order: Some(order), is_defined };
        ChunkFacts::new(&chunk, &leaf)
    }

    #[test]
    fn bounds_count_in_an_order_that_is_stated() {
        let signed = || Order::Signed(-100..=100);
        let is_known = |facts: ChunkFacts| facts.min == Estimate::Exact(Value::Integer(1));
        assert!(is_known(known(false, true, signed(), false)));
        assert!(is_known(known(true, false, signed(), false)));
        assert!(!is_known(known(false, false, signed(), false)));
        let unsigned = || Order::Unsigned(0..=100);
        assert!(is_known(known(false, true, unsigned(), false)));
        assert!(!is_known(known(true, true, unsigned(), false)));
        // Values that the column cannot have.
        assert!(!is_known(known(false, true, Order::Signed(2..=100), false)));
    }

    #[test]
    fn nulls_in_lists_are_not_known() {
        assert_eq!(known(false, true, Order::Signed(-100..=100), false).nulls, Some(0));
        assert_eq!(known(false, true, Order::Signed(-100..=100), true).nulls, None);
    }
}

//! Possible results of a predicate in rows of which only bounds of the values are known: a scan leaves out rows in which it cannot be true.

use std::cmp::Ordering;
use std::ops::Range;

use tfxio_core::{ColumnPath, Comparison, Literal, Predicate};

/// A value of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A bool.
    Boolean(bool),
    /// An integer of any width.
    Integer(i128),
    /// A float of 32 bits.
    Single(f32),
    /// A float of 64 bits.
    Double(f64),
    /// Bytes, or text in UTF-8.
    Bytes(Vec<u8>),
}

impl Value {
    /// Compares with a literal as the filter does; nothing where it refuses to, or the literal is not a number.
    fn order(&self, literal: &Literal) -> Option<Ordering> {
        match (self, literal) {
            (Self::Boolean(value), Literal::Boolean(literal)) => Some(value.cmp(literal)),
            (Self::Integer(value), literal) => literal.compare_integer(*value),
            (Self::Single(value), literal) => literal.compare_f32(*value),
            (Self::Double(value), literal) => literal.compare_f64(*value),
            (Self::Bytes(value), Literal::Text(literal)) => Some(value.as_slice().cmp(literal.as_bytes())),
            _ => None,
        }
    }

    /// Compares with another value of the column.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Boolean(a), Self::Boolean(b)) => Some(a.cmp(b)),
            (Self::Integer(a), Self::Integer(b)) => Some(a.cmp(b)),
            (Self::Single(a), Self::Single(b)) => a.partial_cmp(b),
            (Self::Double(a), Self::Double(b)) => a.partial_cmp(b),
            (Self::Bytes(a), Self::Bytes(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }

    /// Whether there may be values beside it that no bounds hold: NaN.
    fn is_float(&self) -> bool {
        matches!(self, Self::Single(_) | Self::Double(_))
    }
}

/// Facts about the values of a column in some rows.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Lower bound of all values, nulls and NaN apart.
    pub min: Option<Value>,
    /// Upper bound of all values, nulls and NaN apart.
    pub max: Option<Value>,
    /// Nulls among the values.
    pub nulls: Nulls,
    /// Whether the values are in lists, which may be empty.
    pub in_lists: bool,
}

/// Nulls among values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nulls {
    /// No value is null.
    None,
    /// All values are null.
    All,
    /// It is not known whether values are null.
    #[default]
    Unknown,
}

/// Rows of which something is known.
#[derive(Clone, Debug)]
pub struct Page {
    /// Numbers of the rows.
    pub rows: Range<u64>,
    /// Facts about the values of the column in these rows.
    pub facts: Facts,
}

/// Returns the ranges of rows in which a predicate may be true, by the facts about the columns: pages in order that cover all of the rows;
/// nothing where nothing is known of a column.
pub fn rows_that_may<'a>(
    predicate: &Predicate,
    rows: &Range<u64>,
    pages: &dyn Fn(&ColumnPath) -> Option<&'a [Page]>,
) -> Vec<Range<u64>> {
    possible(predicate, true, rows, pages)
}

/// Returns the rows in which a predicate may be true, or false.
fn possible<'a>(
    predicate: &Predicate,
    truth: bool,
    rows: &Range<u64>,
    pages: &dyn Fn(&ColumnPath) -> Option<&'a [Page]>,
) -> Vec<Range<u64>> {
    let whole = || one(rows.clone());
    let each = |all: &[Predicate], joined: Vec<Range<u64>>, join: fn(&[Range<u64>], &[Range<u64>]) -> _| {
        all.iter().fold(joined, |joined, each| join(&joined, &possible(each, truth, rows, pages)))
    };
    let (path, can_be): (_, &dyn Fn(&Facts) -> bool) = match predicate {
        Predicate::And(all) if truth => return each(all, whole(), intersection),
        Predicate::And(all) => return each(all, Vec::new(), union),
        Predicate::Or(any) if truth => return each(any, Vec::new(), union),
        Predicate::Or(any) => return each(any, whole(), intersection),
        Predicate::Not(inner) => return possible(inner, !truth, rows, pages),
        Predicate::Compare { path, comparison, value } => {
            (path, &|facts: &Facts| facts.can_compare(*comparison, value, truth))
        }
        Predicate::In { path, values } => (path, &|facts: &Facts| facts.can_be_in(values, truth)),
        Predicate::IsNull { path } => (path, &|facts: &Facts| match truth {
            true => facts.nulls != Nulls::None,
            false => facts.nulls != Nulls::All || facts.in_lists,
        }),
        _ => return whole(),
    };
    let Some(pages) = pages(path) else { return whole() };
    let mut out: Vec<Range<u64>> = Vec::new();
    for page in pages.iter().filter(|page| can_be(&page.facts)) {
        push(&mut out, page.rows.start.max(rows.start)..page.rows.end.min(rows.end));
    }
    out
}

/// Possible results of comparing values with a literal.
struct Outcomes([bool; 4]);

const ORDERS: [Option<Ordering>; 4] =
    [Some(Ordering::Less), Some(Ordering::Equal), Some(Ordering::Greater), None];

impl Outcomes {
    fn any(&self, is: impl Fn(Option<Ordering>) -> bool) -> bool {
        ORDERS.iter().zip(self.0).any(|(order, possible)| possible && is(*order))
    }
}

impl Facts {
    fn outcomes(&self, literal: &Literal) -> Outcomes {
        if self.nulls == Nulls::All {
            return Outcomes([false; 4]);
        }
        let bounds = [&self.min, &self.max];
        let [low, high] = bounds.map(|bound| bound.as_ref().map(|bound| bound.order(literal)));
        if matches!((low, high), (None, None) | (Some(None), _) | (_, Some(None))) {
            return Outcomes([true; 4]);
        }
        let order = self.min.as_ref().zip(self.max.as_ref()).map(|(min, max)| min.compare(max));
        if order.is_some_and(|order| order.is_none_or(Ordering::is_gt)) {
            return Outcomes([true; 4]);
        }
        let (low, high) = (low.flatten(), high.flatten());
        let less = low.is_none_or(Ordering::is_lt);
        let equal = low.is_none_or(Ordering::is_le) && high.is_none_or(Ordering::is_ge);
        let greater = high.is_none_or(Ordering::is_gt);
        Outcomes([less, equal, greater, bounds.into_iter().flatten().any(Value::is_float)])
    }

    /// Returns whether a row of lists may be false since its list has no values.
    fn may_be_empty(&self) -> bool {
        self.in_lists && self.nulls != Nulls::None
    }

    fn can_compare(&self, comparison: Comparison, literal: &Literal, truth: bool) -> bool {
        let can_be = self.outcomes(literal).any(|order| holds(comparison, order) == truth);
        can_be || (!truth && self.may_be_empty())
    }

    fn can_be_in(&self, literals: &[Literal], truth: bool) -> bool {
        let is_equal = |order: Option<Ordering>| order == Some(Ordering::Equal);
        if truth {
            return literals.iter().any(|literal| self.outcomes(literal).any(is_equal));
        }
        let can_be = |literal: &Literal| self.outcomes(literal).any(|order| !is_equal(order));
        (self.nulls != Nulls::All && literals.iter().all(can_be)) || self.may_be_empty()
    }
}

/// Returns whether a comparison holds for values in this order; NaN is in none.
fn holds(comparison: Comparison, order: Option<Ordering>) -> bool {
    match (comparison, order) {
        (Comparison::Equal, order) => order == Some(Ordering::Equal),
        (Comparison::NotEqual, order) => order != Some(Ordering::Equal),
        (_, None) => false,
        (Comparison::Less, Some(order)) => order.is_lt(),
        (Comparison::LessOrEqual, Some(order)) => order.is_le(),
        (Comparison::Greater, Some(order)) => order.is_gt(),
        (Comparison::GreaterOrEqual, Some(order)) => order.is_ge(),
    }
}

fn one(rows: Range<u64>) -> Vec<Range<u64>> {
    let mut out = Vec::new();
    push(&mut out, rows);
    out
}

/// Appends rows that begin after those before, or among them.
fn push(out: &mut Vec<Range<u64>>, rows: Range<u64>) {
    if rows.is_empty() {
        return;
    }
    match out.last_mut() {
        Some(last) if last.end >= rows.start => last.end = last.end.max(rows.end),
        _ => out.push(rows),
    }
}

/// Returns the rows of both; each are in order and apart.
pub fn intersection(a: &[Range<u64>], b: &[Range<u64>]) -> Vec<Range<u64>> {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut out = Vec::new();
    while let (Some(left), Some(right)) = (a.peek(), b.peek()) {
        push(&mut out, left.start.max(right.start)..left.end.min(right.end));
        if left.end < right.end {
            a.next()
        } else {
            b.next()
        };
    }
    out
}

/// Returns the rows of either.
fn union(a: &[Range<u64>], b: &[Range<u64>]) -> Vec<Range<u64>> {
    let mut all = a.iter().chain(b).cloned().collect::<Vec<_>>();
    all.sort_unstable_by_key(|rows| rows.start);
    let mut out = Vec::new();
    all.into_iter().for_each(|rows| push(&mut out, rows));
    out
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "ranges of rows")]
mod tests {
    use super::*;

    /// Returns the rows, of ten in pages of two, in which a predicate on `a` may be true.
    fn rows(predicate: &str, facts: impl Fn(i128) -> Facts) -> Vec<Range<u64>> {
        let pages = (0..5).map(|at: u64| Page { rows: at * 2..at * 2 + 2, facts: facts(i128::from(at)) });
        let pages = pages.collect::<Vec<_>>();
        let of = |path: &ColumnPath| (path.to_string() == "a").then_some(pages.as_slice());
        rows_that_may(&predicate.parse().expect(predicate), &(0..10), &of)
    }

    #[test]
    fn rows_are_left_out_only_where_no_value_can_satisfy() {
        let ints = |at: i128| Facts {
            min: Some(Value::Integer(at * 10)),
            max: Some(Value::Integer(at * 10 + 9)),
            nulls: Nulls::None,
            in_lists: false,
        };
        let none: [Range<u64>; 0] = [];
        assert_eq!(rows("a = 25", ints), [4..6]);
        assert_eq!(rows("a != 25", ints), [0..10]);
        assert_eq!(rows("a < 10", ints), [0..2]);
        assert_eq!(rows("a <= 10", ints), [0..4]);
        assert_eq!(rows("not a <= 19.5", ints), [4..10]);
        assert_eq!(rows("a > 1e300", ints), none);
        assert_eq!(rows("a = 5 or a = 45", ints), [0..2, 8..10]);
        assert_eq!(rows("a > 15 and a < 35", ints), [2..8]);
        assert_eq!(rows("not (a > 15 and a < 35)", ints), [0..4, 6..10]);
        assert_eq!(rows("a in (3, 44, 99)", ints), [0..2, 8..10]);
        assert_eq!(rows("a in ()", ints), none);
        assert_eq!(rows("not a in ()", ints), [0..10]);
        assert_eq!(rows("a is null", ints), none);
        assert_eq!(rows("not a is null", ints), [0..10]);
        // Nothing is known of `b`, and what cannot be compared is left to the filter.
        assert_eq!(rows("a = 25 or b = 1", ints), [0..10]);
        assert_eq!(rows("a = 25 and b = 1", ints), [4..6]);
        assert_eq!(rows("a = 'x'", ints), [0..10]);
        assert_eq!(rows("true", ints), [0..10]);
        assert_eq!(rows("false", ints), none);
    }

    #[test]
    fn not_a_number_is_in_no_bounds() {
        let floats = |at: i128| Facts {
            min: Some(Value::Double(at as f64)),
            max: Some(Value::Double(at as f64 + 0.5)),
            nulls: Nulls::None,
            in_lists: false,
        };
        assert_eq!(rows("a < 1", floats), [0..2]);
        assert_eq!(rows("not a < 1", floats), [0..10]);
        assert_eq!(rows("a != 1", floats), [0..10]);
        let zero =
            |_| Facts { min: Some(Value::Double(0.0)), max: Some(Value::Double(0.0)), ..Facts::default() };
        assert_eq!(rows("a = -0.0", zero), [0..10]);
        let singles =
            |_| Facts { min: Some(Value::Single(0.1)), max: Some(Value::Single(0.1)), ..Facts::default() };
        assert_eq!(rows("a = 0.1", singles), [0..10]);
    }

    #[test]
    fn nulls_satisfy_no_comparison_and_lists_may_be_empty() {
        let nulls =
            |at: i128| Facts { nulls: if at == 2 { Nulls::All } else { Nulls::Unknown }, ..Facts::default() };
        assert_eq!(rows("a = 1", nulls), [0..4, 6..10]);
        assert_eq!(rows("not a = 1", nulls), [0..4, 6..10]);
        assert_eq!(rows("a is null", nulls), [0..10]);
        assert_eq!(rows("a is not null", nulls), [0..4, 6..10]);
        let lists = |at: i128| Facts { in_lists: true, ..nulls(at) };
        assert_eq!(rows("a = 1", lists), [0..4, 6..10]);
        assert_eq!(rows("not a = 1", lists), [0..10]);
        assert_eq!(rows("a is not null", lists), [0..10]);
        let sevens = |_| Facts {
            min: Some(Value::Integer(7)),
            max: Some(Value::Integer(7)),
            nulls: Nulls::Unknown,
            in_lists: true,
        };
        assert_eq!(rows("not a = 7", sevens), [0..10]);
        let bounds =
            |_| Facts { min: Some(Value::Integer(9)), max: Some(Value::Integer(1)), ..Facts::default() };
        assert_eq!(rows("a = 50", bounds), [0..10], "bounds that contradict each other");
    }
}

//! Conditions of SQL as predicates of a scan.
//!
//! A scan may return more rows than satisfy its predicate, and a predicate may hold for more rows than the condition, but never for
//! fewer: DataFusion then tests each row again. Below a `not`, and where a scan alone tests the condition, the two have to be the same.

use std::sync::Arc;

use arrow_schema::DataType;
use datafusion::logical_expr::expr::{Between, InList};
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use datafusion::scalar::ScalarValue;
use tfxio_core::{ColumnPath, Comparison, Literal, Predicate};

use crate::output::{ColumnSource, Output};

/// Returns a predicate that holds for all rows for which all conditions hold, and perhaps for more.
pub(crate) fn predicate<'a>(
    conditions: impl IntoIterator<Item = &'a Expr>,
    outputs: &[Output],
) -> Option<Predicate> {
    let all = conditions.into_iter().filter_map(|condition| convert(condition, outputs, Fit::OrMore));
    all.reduce(Predicate::and)
}

/// Returns which rows the predicate of a condition selects; `None` where there is no predicate of it.
pub(crate) fn fit(condition: &Expr, outputs: &[Output]) -> Option<Fit> {
    let with = |fit| convert(condition, outputs, fit).map(|_| fit);
    with(Fit::Exact).or_else(|| with(Fit::OrMore))
}

/// Rows that a predicate has to select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// All rows of the condition, and perhaps more.
    OrMore,
    /// Exactly the rows of the condition.
    Exact,
}

fn convert(condition: &Expr, outputs: &[Output], fit: Fit) -> Option<Predicate> {
    match condition {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => {
            match (convert(left, outputs, fit), convert(right, outputs, fit)) {
                (Some(left), Some(right)) => Some(left.and(right)),
                (Some(one), None) | (None, Some(one)) if fit == Fit::OrMore => Some(one),
                _ => None,
            }
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            Some(convert(left, outputs, fit)?.or(convert(right, outputs, fit)?))
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            if let Some(value) = literal(right) {
                compare(&target(left, outputs)?, comparison(*op)?, value, fit)
            } else {
                compare(&target(right, outputs)?, comparison(op.swap()?)?, literal(left)?, fit)
            }
        }
        Expr::Not(inner) => convert(inner, outputs, Fit::Exact).map(Predicate::not),
        Expr::IsNull(inner) => is_null(inner, outputs),
        Expr::IsNotNull(inner) => is_null(inner, outputs).map(Predicate::not),
        Expr::InList(InList { expr, list, negated }) => {
            let target = target(expr, outputs)?;
            let fit = if *negated { Fit::Exact } else { fit };
            let equal = |value: &Expr| compare(&target, Comparison::Equal, literal(value)?, fit);
            let mut values = Vec::with_capacity(list.len());
            for value in list {
                let Predicate::Compare { value, .. } = equal(value)? else { return None };
                values.push(value);
            }
            let found = Predicate::is_in(target.path, values);
            Some(if *negated { found.not() } else { found })
        }
        Expr::Between(Between { expr, negated, low, high }) => {
            let target = target(expr, outputs)?;
            let fit = if *negated { Fit::Exact } else { fit };
            let low = compare(&target, Comparison::GreaterOrEqual, literal(low)?, fit)?;
            let within = low.and(compare(&target, Comparison::LessOrEqual, literal(high)?, fit)?);
            Some(if *negated { within.not() } else { within })
        }
        Expr::Column(_) => {
            let target = target(condition, outputs)?;
            let is_true = Predicate::compare(target.path, Comparison::Equal, true);
            (target.data_type == DataType::Boolean).then_some(is_true)
        }
        _ => None,
    }
}

/// A column, or a field within one, that has one value a row.
struct Target {
    path: ColumnPath,
    data_type: DataType,
    /// Whether it is a list in the data set.
    is_listed: bool,
}

fn target(expr: &Expr, outputs: &[Output]) -> Option<Target> {
    let output = found(expr, outputs)?;
    let is_listed = matches!(&output.source, ColumnSource::Whole(column) if column.is_single());
    let data_type = output.field.data_type().clone();
    let path = output.path().filter(|_| !data_type.is_nested())?;
    Some(Target { path, data_type, is_listed })
}

fn found(expr: &Expr, outputs: &[Output]) -> Option<Output> {
    match expr {
        Expr::Column(column) => outputs.iter().find(|output| *output.field.name() == column.name).cloned(),
        Expr::Cast(cast) => {
            let inner = found(&cast.expr, outputs)?;
            keeps_values(inner.field.data_type(), cast.field.data_type()).then_some(inner)
        }
        Expr::ScalarFunction(call) if call.name() == "get_field" => {
            let (base, names) = call.args.split_first()?;
            let name = |name: &Expr| match name {
                Expr::Literal(value, _) => value.try_as_str().flatten().map(str::to_owned),
                _ => None,
            };
            let names = names.iter().map(name).collect::<Option<Vec<_>>>()?;
            found(base, outputs)?.within(&names, names.last()?)
        }
        _ => None,
    }
}

/// Returns whether a cast changes no value, so that comparisons come out the same.
fn keeps_values(from: &DataType, to: &DataType) -> bool {
    use DataType as T;
    let is_text = |data_type: &T| matches!(data_type, T::Utf8 | T::LargeUtf8 | T::Utf8View);
    let is_bytes = |data_type: &T| matches!(data_type, T::Binary | T::LargeBinary | T::BinaryView);
    let bits = |data_type: &T| data_type.primitive_width().unwrap_or(0);
    match (from, to) {
        (from, to) if from == to => true,
        (from, to) if is_text(from) => is_text(to),
        (from, to) if is_bytes(from) => is_bytes(to),
        (T::Float16, T::Float32 | T::Float64) | (T::Float32, T::Float64) => true,
        (from, to) if from.is_signed_integer() => to.is_signed_integer() && bits(to) >= bits(from),
        (from, to) if from.is_unsigned_integer() && to.is_unsigned_integer() => bits(to) >= bits(from),
        (from, to) if from.is_unsigned_integer() => to.is_signed_integer() && bits(to) > bits(from),
        _ => false,
    }
}

/// Returns a value that is not null.
fn literal(expr: &Expr) -> Option<&ScalarValue> {
    match expr {
        Expr::Literal(value, _) if !value.is_null() => Some(value),
        _ => None,
    }
}

fn comparison(op: Operator) -> Option<Comparison> {
    Some(match op {
        Operator::Eq => Comparison::Equal,
        Operator::NotEq => Comparison::NotEqual,
        Operator::Lt => Comparison::Less,
        Operator::LtEq => Comparison::LessOrEqual,
        Operator::Gt => Comparison::Greater,
        Operator::GtEq => Comparison::GreaterOrEqual,
        _ => return None,
    })
}

fn is_null(expr: &Expr, outputs: &[Output]) -> Option<Predicate> {
    let target = target(expr, outputs)?;
    // A list of a null is not null itself.
    (!target.is_listed).then(|| Predicate::is_null(target.path))
}

fn compare(target: &Target, comparison: Comparison, value: &ScalarValue, fit: Fit) -> Option<Predicate> {
    use DataType as T;
    let path = target.path.clone();
    let made = |value: Literal| Predicate::Compare { path: path.clone(), comparison, value };
    match &target.data_type {
        T::Boolean => match value {
            ScalarValue::Boolean(Some(value)) => Some(made(Literal::Boolean(*value))),
            _ => None,
        },
        data_type if data_type.is_integer() => integer(value).map(|value| made(Literal::Integer(value))),
        T::Float32 | T::Float64 => {
            compare_float(path, target.data_type == T::Float32, comparison, float(value)?, fit)
        }
        T::Utf8 | T::LargeUtf8 | T::Utf8View => {
            value.try_as_str().flatten().map(|text| made(Literal::Text(text.into())))
        }
        T::Binary | T::LargeBinary | T::BinaryView => bytes(value).map(|text| made(Literal::Text(text))),
        _ => None,
    }
}

/// SQL orders floats with NaN above all numbers and -0.0 below 0.0; a predicate is false of NaN, but for `!=`, and does not tell
/// the zeros apart.
fn compare_float(
    path: ColumnPath,
    is_single: bool,
    comparison: Comparison,
    value: f64,
    fit: Fit,
) -> Option<Predicate> {
    if value.is_nan() {
        return None;
    }
    #[allow(clippy::cast_possible_truncation, reason = "the nearest float of the column's width")]
    let nearest = if is_single { f64::from(value as f32) } else { value };
    let is_same = nearest == value && nearest != 0.0;
    if !is_same && fit == Fit::Exact {
        return None;
    }
    let made =
        |comparison| Predicate::Compare { path: path.clone(), comparison, value: Literal::Float(nearest) };
    Some(match comparison {
        Comparison::Equal => made(Comparison::Equal),
        Comparison::NotEqual if is_same => made(Comparison::NotEqual),
        Comparison::NotEqual => return None,
        Comparison::Less if is_same => made(Comparison::Less),
        Comparison::Less | Comparison::LessOrEqual => made(Comparison::LessOrEqual),
        Comparison::Greater if is_same => made(Comparison::LessOrEqual).not(),
        Comparison::Greater | Comparison::GreaterOrEqual => made(Comparison::Less).not(),
    })
}

fn integer(value: &ScalarValue) -> Option<i128> {
    Some(match value {
        ScalarValue::Int8(value) => i128::from((*value)?),
        ScalarValue::Int16(value) => i128::from((*value)?),
        ScalarValue::Int32(value) => i128::from((*value)?),
        ScalarValue::Int64(value) => i128::from((*value)?),
        ScalarValue::UInt8(value) => i128::from((*value)?),
        ScalarValue::UInt16(value) => i128::from((*value)?),
        ScalarValue::UInt32(value) => i128::from((*value)?),
        ScalarValue::UInt64(value) => i128::from((*value)?),
        _ => return None,
    })
}

fn float(value: &ScalarValue) -> Option<f64> {
    match value {
        ScalarValue::Float32(value) => value.map(f64::from),
        ScalarValue::Float64(value) => *value,
        _ => None,
    }
}

fn bytes(value: &ScalarValue) -> Option<Arc<str>> {
    let bytes = match value {
        ScalarValue::Binary(bytes) | ScalarValue::LargeBinary(bytes) | ScalarValue::BinaryView(bytes) => {
            bytes
        }
        text => return text.try_as_str().flatten().map(Arc::from),
    };
    std::str::from_utf8(bytes.as_ref()?).ok().map(Arc::from)
}

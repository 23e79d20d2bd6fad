//! Defaults of any shape.

use serde_json::Value;

use crate::ScalarValue;
use crate::json_form::value::{Misfit, SCALAR, scalar};
use crate::spec::SpecDefault;

/// Reads one scalar, or nested lists of scalars.
pub(super) fn default(value: &Value) -> Result<SpecDefault, Misfit> {
    if !value.is_array() {
        let needed =
            || Misfit::new(value, format!("one value or nested lists of values; a value is {SCALAR}"));
        return scalar(value).map(SpecDefault::Scalar).map_err(|_| needed());
    }
    let (mut shape, mut values) = (Vec::new(), Vec::new());
    let mut first = Some(value);
    while let Some(Value::Array(items)) = first {
        shape.push(items.len());
        first = items.first();
    }
    flatten(value, &shape, &mut values)?;
    Ok(SpecDefault::Full { shape, values })
}

/// Reads the scalars of nested lists, which must all have the shape of the first ones.
fn flatten(value: &Value, shape: &[usize], values: &mut Vec<ScalarValue>) -> Result<(), Misfit> {
    match (value, shape.split_first()) {
        (Value::Array(items), Some((&size, rest))) if items.len() == size => {
            let mut items = items.iter().enumerate();
            items.try_for_each(|(at, item)| flatten(item, rest, values).map_err(|misfit| misfit.within(at)))
        }
        (_, Some((size, _))) => {
            Err(Misfit::new(value, format!("a list of length {size}, as the first one there")))
        }
        (Value::Array(_), None) => {
            Err(Misfit::new(value, "a single value, as the first one there".to_owned()))
        }
        (_, None) => {
            values.push(scalar(value)?);
            Ok(())
        }
    }
}

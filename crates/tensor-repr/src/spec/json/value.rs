//! The values of the members of a spec.

use serde::Deserialize;
use serde_json::Value;
use tfxio_core::DType;

use crate::spec::SpecDefault;
use crate::{ColumnPath, Partition, RowSplitsDType, Scalar};

const SCALAR: &str = "true, false, a number, a text, {\"hex\": TEXT} with two of 0-9 and a-f for each byte, \
                      {\"float\": \"NaN\", \"Infinity\" or \"-Infinity\"}, or {\"uint\": NUMBER}";
const KEY: &str = "a name, or a list of the names that lead to a field";
const WHOLE: &str = "a whole number from 0 on";

/// A value that cannot stand where it stands.
pub(super) struct Misfit {
    /// Where within the member: `[1][0]`.
    at: String,
    found: String,
    pub(super) needed: String,
}

impl Misfit {
    fn new(value: &Value, needed: impl Into<String>) -> Self {
        Self { at: String::new(), found: found(&value.to_string()), needed: needed.into() }
    }

    fn within(self, item: usize) -> Self {
        Self { at: format!("[{item}]{}", self.at), ..self }
    }

    pub(super) fn text(&self, member: &str) -> String {
        let Self { at, found, needed } = self;
        format!("{:?} is {found}; it must be {needed}", format!("{member}{at}"))
    }
}

/// JSON as a message shows it.
pub(super) fn found(json: &str) -> String {
    if json.chars().count() <= 50 && !json.contains('\n') {
        return json.to_owned();
    }
    let what = match json.chars().next() {
        Some('{') => "an object",
        Some('[') => "a list",
        Some('"') => "a long text",
        _ => "a long number",
    };
    what.to_owned()
}

/// One of some names.
pub(super) fn one_of<T: Copy>(
    all: impl IntoIterator<Item = T>,
    name: impl Fn(T) -> &'static str,
) -> impl Fn(&Value) -> Result<T, Misfit> {
    let all = all.into_iter().map(|item| (name(item), item)).collect::<Vec<_>>();
    move |value| {
        let found = all.iter().find(|(name, _)| value.as_str() == Some(name));
        found.map(|(_, item)| *item).ok_or_else(|| {
            let names = all.iter().map(|(name, _)| format!("{name:?}")).collect::<Vec<_>>();
            Misfit::new(value, format!("one of {}", names.join(", ")))
        })
    }
}

pub(super) fn dtype(value: &Value) -> Result<DType, Misfit> {
    one_of(DType::ALL, DType::name)(value)
}

pub(super) fn row_splits(value: &Value) -> Result<RowSplitsDType, Misfit> {
    one_of([RowSplitsDType::Int32, RowSplitsDType::Int64], |dtype| match dtype {
        RowSplitsDType::Int32 => "int32",
        RowSplitsDType::Int64 => "int64",
    })(value)
}

pub(super) fn flag(value: &Value) -> Result<bool, Misfit> {
    value.as_bool().ok_or_else(|| Misfit::new(value, "true or false"))
}

pub(super) fn whole<T: TryFrom<u64>>(value: &Value) -> Result<T, Misfit> {
    let number = value.as_u64().and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| Misfit::new(value, WHOLE))
}

fn whole_or_null<T: TryFrom<u64>>(value: &Value) -> Result<Option<T>, Misfit> {
    let needed = || Misfit::new(value, format!("{WHOLE}, or null for what the batch needs"));
    if value.is_null() { Ok(None) } else { whole(value).map(Some).map_err(|_| needed()) }
}

/// A list, of which each item is read.
fn list<T>(
    value: &Value,
    needed: &str,
    item: impl Fn(&Value) -> Result<T, Misfit>,
) -> Result<Vec<T>, Misfit> {
    let items = value.as_array().ok_or_else(|| Misfit::new(value, needed))?.iter().enumerate();
    items.map(|(at, value)| item(value).map_err(|misfit| misfit.within(at))).collect()
}

/// A shape whose sizes are known.
pub(super) fn shape(value: &Value) -> Result<Vec<usize>, Misfit> {
    list(value, "a list of sizes, each a whole number from 0 on", whole)
}

/// A shape with null for what is not known.
pub(super) fn partial_shape(value: &Value) -> Result<Vec<Option<usize>>, Misfit> {
    let needed = "a list of sizes, each a whole number from 0 on, or null for what the batch needs";
    list(value, needed, whole_or_null)
}

/// The sizes of a sparse feature: one, or a list.
pub(super) fn sizes(value: &Value) -> Result<Vec<Option<u64>>, Misfit> {
    if let Some(size) = value.as_u64() {
        return Ok(vec![Some(size)]);
    }
    let needed = "a whole number from 0 on, or a list of such numbers and of null for what the batch needs";
    list(value, needed, whole_or_null)
}

pub(super) fn key(value: &Value) -> Result<ColumnPath, Misfit> {
    ColumnPath::deserialize(value).map_err(|_| Misfit::new(value, KEY))
}

/// One name, or a list of keys.
pub(super) fn keys(value: &Value) -> Result<Vec<ColumnPath>, Misfit> {
    match value.as_str() {
        Some(name) => Ok(vec![name.into()]),
        None => list(value, &format!("a name, or a list of keys, each {KEY}"), key),
    }
}

pub(super) fn partitions(value: &Value) -> Result<Vec<Partition>, Misfit> {
    let needed = "{\"row_lengths\": NAME} or {\"uniform_row_length\": NUMBER}";
    list(value, &format!("a list of partitions, each {needed}"), |value| {
        Partition::deserialize(value).map_err(|_| Misfit::new(value, needed))
    })
}

pub(super) fn scalar(value: &Value) -> Result<Scalar, Misfit> {
    Scalar::deserialize(value).map_err(|_| Misfit::new(value, SCALAR))
}

/// One scalar, or nested lists of scalars.
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

/// The scalars of nested lists, which must all have the shape of the first ones.
fn flatten(value: &Value, shape: &[usize], values: &mut Vec<Scalar>) -> Result<(), Misfit> {
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

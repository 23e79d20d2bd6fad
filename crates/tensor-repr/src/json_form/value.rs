//! The values of members.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use tfxio_core::DType;

use crate::{
    ColumnPath, DefaultValue, Endian, Fill, RaggedPartition, RawBytes, Representation, RowSplitsDType,
    ScalarValue,
};

pub(crate) const SCALAR: &str = "true, false, a number, a text, {\"hex\": TEXT} with two of 0-9 and a-f for each byte, \
                      {\"float\": \"NaN\", \"Infinity\" or \"-Infinity\"}, or {\"uint\": NUMBER}";
const KEY: &str = "a name, or a list of the names that lead to a field";
const WHOLE: &str = "a whole number from 0 on";

/// A value that does not fit its member.
pub(crate) struct Misfit {
    /// Path within the member: `[1][0]`.
    at: String,
    found: String,
    pub(crate) needed: String,
}

impl Misfit {
    pub(crate) fn new(value: &Value, needed: impl Into<String>) -> Self {
        Self { at: String::new(), found: found(&value.to_string()), needed: needed.into() }
    }

    pub(crate) fn within(self, item: usize) -> Self {
        Self { at: format!("[{item}]{}", self.at), ..self }
    }

    pub(crate) fn text(&self, member: &str) -> String {
        let Self { at, found, needed } = self;
        format!("{:?} is {found}; it must be {needed}", format!("{member}{at}"))
    }
}

/// Returns JSON as a message shows it.
pub(crate) fn found(json: &str) -> String {
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

/// Reads one of some names.
pub(crate) fn one_of<'n, T: Copy>(
    all: impl IntoIterator<Item = T>,
    name: impl Fn(T) -> &'n str,
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

pub(crate) fn dtype(value: &Value) -> Result<DType, Misfit> {
    one_of(DType::ALL, DType::name)(value)
}

pub(crate) fn row_splits(value: &Value) -> Result<RowSplitsDType, Misfit> {
    one_of([RowSplitsDType::Int32, RowSplitsDType::Int64], RowSplitsDType::name)(value)
}

pub(crate) fn flag(value: &Value) -> Result<bool, Misfit> {
    value.as_bool().ok_or_else(|| Misfit::new(value, "true or false"))
}

pub(crate) fn whole<T: TryFrom<u64>>(value: &Value) -> Result<T, Misfit> {
    let number = value.as_u64().and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| Misfit::new(value, WHOLE))
}

fn whole_or_null<T: TryFrom<u64>>(value: &Value) -> Result<Option<T>, Misfit> {
    let needed = || Misfit::new(value, format!("{WHOLE}, or null for what the batch needs"));
    if value.is_null() { Ok(None) } else { whole(value).map(Some).map_err(|_| needed()) }
}

/// Reads a list, of which each item is read.
fn list<T>(
    value: &Value,
    needed: &str,
    item: impl Fn(&Value) -> Result<T, Misfit>,
) -> Result<Vec<T>, Misfit> {
    let items = value.as_array().ok_or_else(|| Misfit::new(value, needed))?.iter().enumerate();
    items.map(|(at, value)| item(value).map_err(|misfit| misfit.within(at))).collect()
}

/// Reads a shape whose sizes are known.
pub(crate) fn shape(value: &Value) -> Result<Vec<usize>, Misfit> {
    list(value, "a list of sizes, each a whole number from 0 on", whole)
}

/// Reads a shape with null for what is not known.
pub(crate) fn partial_shape<T: TryFrom<u64>>(value: &Value) -> Result<Vec<Option<T>>, Misfit> {
    let needed = "a list of sizes, each a whole number from 0 on, or null for what the batch needs";
    list(value, needed, whole_or_null)
}

/// Reads the sizes of a sparse feature: one, or a list.
pub(crate) fn sizes(value: &Value) -> Result<Vec<Option<u64>>, Misfit> {
    if let Some(size) = value.as_u64() {
        return Ok(vec![Some(size)]);
    }
    let needed = "a whole number from 0 on, or a list of such numbers and of null for what the batch needs";
    list(value, needed, whole_or_null)
}

pub(crate) fn key(value: &Value) -> Result<ColumnPath, Misfit> {
    ColumnPath::deserialize(value).map_err(|_| Misfit::new(value, KEY))
}

/// Reads one name, or a list of keys.
pub(crate) fn keys(value: &Value) -> Result<Vec<ColumnPath>, Misfit> {
    match value.as_str() {
        Some(name) => Ok(vec![name.into()]),
        None => list(value, &format!("a name, or a list of keys, each {KEY}"), key),
    }
}

/// Reads a list of the paths of columns.
pub(crate) fn columns(value: &Value) -> Result<Vec<ColumnPath>, Misfit> {
    list(value, &format!("a list of columns, each {KEY}"), key)
}

/// Reads names, or null for dimensions without one.
pub(crate) fn dim_names(value: &Value) -> Result<Vec<Option<Arc<str>>>, Misfit> {
    list(value, "a list with a text or null for each dimension", |name| match name {
        Value::Null => Ok(None),
        name => {
            name.as_str().map(|name| Some(name.into())).ok_or_else(|| Misfit::new(name, "a text or null"))
        }
    })
}

pub(crate) fn fill(value: &Value) -> Result<Fill, Misfit> {
    one_of([Fill::AbsentRows, Fill::Shortfall], |fill| match fill {
        Fill::AbsentRows => "absent_rows",
        Fill::Shortfall => "shortfall",
    })(value)
}

pub(crate) fn partitions(value: &Value) -> Result<Vec<RaggedPartition>, Misfit> {
    let needed = "{\"row_lengths\": NAME} or {\"uniform_row_length\": NUMBER}";
    list(value, &format!("a list of partitions, each {needed}"), |value| {
        RaggedPartition::deserialize(value).map_err(|_| Misfit::new(value, needed))
    })
}

pub(crate) fn scalar(value: &Value) -> Result<ScalarValue, Misfit> {
    ScalarValue::deserialize(value).map_err(|_| Misfit::new(value, SCALAR))
}

/// Reads one scalar, or a flat list of them.
pub(crate) fn scalars(value: &Value) -> Result<DefaultValue, Misfit> {
    if value.is_array() {
        return list(value, SCALAR, scalar).map(DefaultValue::Full);
    }
    let needed = || Misfit::new(value, format!("one value or a list of values; a value is {SCALAR}"));
    scalar(value).map(DefaultValue::Scalar).map_err(|_| needed())
}

/// Reads a representation inside of another one.
pub(crate) fn representation(value: &Value) -> Result<Representation, Misfit> {
    // What is wrong in it says itself what may stand there.
    Representation::deserialize(value)
        .map_err(|error| Misfit::new(value, format!("a representation: {error}")))
}

pub(crate) fn raw_bytes(value: &Value) -> Result<RawBytes, Misfit> {
    let needed = || {
        let text = "{\"dtype\": NAME, \"endian\": \"little\" or \"big\", \"shape\": a list of sizes}";
        Misfit::new(value, text)
    };
    let members = value.as_object().ok_or_else(needed)?;
    if members.keys().any(|name| !["dtype", "endian", "shape"].contains(&name.as_str())) {
        return Err(needed());
    }
    let dtype = dtype(members.get("dtype").ok_or_else(needed)?)?;
    let endian = members.get("endian").map(Endian::deserialize).transpose().map_err(|_| needed())?;
    let shape = members.get("shape").map(shape).transpose()?;
    Ok(RawBytes::new(dtype).endian(endian.unwrap_or_default()).shape(shape.unwrap_or_default()))
}

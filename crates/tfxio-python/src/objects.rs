//! Objects of Python as values of columns: numbers, texts, bytes, times, lists and dictionaries.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, LargeBinaryBuilder, LargeStringBuilder, PrimitiveBuilder};
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, DurationMicrosecondType, Float32Type, Float64Type, Int64Type,
    TimestampMicrosecondType, UInt64Type,
};
use arrow_array::{Array, ArrayRef, LargeListArray, StructArray, new_null_array};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, FieldRef, Fields, TimeUnit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDate, PyDateTime, PyDelta, PyDict, PyFloat, PyInt, PyList, PyString,
    PyTuple,
};
use tfxio::{Error, ErrorKind, Position};

/// Deepest nesting of values.
const DEPTH: usize = 64;
/// Integers up to this one are floats of 64 bits without a loss.
const EXACT: u64 = 1 << 53;
/// The day 0 of Arrow, counted as Python counts days.
const EPOCH: i32 = 719_163;

/// The value of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    /// Above the largest `i64`.
    Unsigned(u64),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    Date(i32),
    /// Microseconds, and whether a time zone is known.
    Time(i64, bool),
    Microseconds(i64),
    List(Vec<Value>),
    Struct(Vec<(String, Value)>),
}

/// Reason why an object is not a value, or does not fit its column.
#[derive(Debug)]
pub(crate) struct Unfit(pub(crate) String);

type Fitting<T> = Result<T, Unfit>;

fn unfit<T>(what: impl Into<String>) -> Fitting<T> {
    Err(Unfit(what.into()))
}

impl From<PyErr> for Unfit {
    fn from(error: PyErr) -> Self {
        Self(error.to_string())
    }
}

impl Value {
    /// Returns the value that an object is.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> Fitting<Self> {
        Self::nested(object, DEPTH)
    }

    fn nested(object: &Bound<'_, PyAny>, depth: usize) -> Fitting<Self> {
        let Some(depth) = depth.checked_sub(1) else {
            return unfit(format!("the values lie in each other more than {DEPTH} deep"));
        };
        let all = |items: &mut dyn Iterator<Item = Bound<'_, PyAny>>| {
            items.map(|item| Self::nested(&item, depth)).collect::<Fitting<Vec<_>>>().map(Self::List)
        };
        if object.is_none() {
            return Ok(Self::Null);
        }
        if let Ok(value) = object.cast::<PyBool>() {
            return Ok(Self::Bool(value.is_true()));
        }
        if object.is_instance_of::<PyInt>() {
            return match (object.extract::<i64>(), object.extract::<u64>()) {
                (Ok(value), _) => Ok(Self::Int(value)),
                (_, Ok(value)) => Ok(Self::Unsigned(value)),
                _ => unfit("an int is beyond 64 bits"),
            };
        }
        if let Ok(value) = object.cast::<PyFloat>() {
            return Ok(Self::Float(value.value()));
        }
        if let Ok(value) = object.cast::<PyString>() {
            return match value.to_str() {
                Ok(text) => Ok(Self::Text(text.to_owned())),
                Err(_) => unfit("a str has surrogates, which no text of UTF-8 has: give bytes"),
            };
        }
        if let Ok(value) = object.cast::<PyBytes>() {
            return Ok(Self::Bytes(value.as_bytes().to_vec()));
        }
        if let Ok(value) = object.cast::<PyByteArray>() {
            return Ok(Self::Bytes(value.to_vec()));
        }
        if let Ok(values) = object.cast::<PyList>() {
            return all(&mut values.iter());
        }
        if let Ok(values) = object.cast::<PyTuple>() {
            return all(&mut values.iter());
        }
        if let Ok(members) = object.cast::<PyDict>() {
            let member = |(name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| match name.extract::<String>()
            {
                Ok(name) => Ok((name, Self::nested(&value, depth)?)),
                Err(_) => unfit(format!("a dict has the key {name}, and the names of fields are str")),
            };
            return members.iter().map(member).collect::<Fitting<Vec<_>>>().map(Self::Struct);
        }
        if object.is_instance_of::<PyDateTime>() {
            return time(object);
        }
        if object.is_instance_of::<PyDate>() {
            let day = object.call_method0(intern!(object.py(), "toordinal"))?.extract::<i32>()?;
            return Ok(Self::Date(day - EPOCH));
        }
        if let Ok(value) = object.cast::<PyDelta>() {
            return microseconds(value).map(Self::Microseconds);
        }
        // Values and arrays of numpy, and of what is like it.
        if object.hasattr(intern!(object.py(), "tolist"))? {
            refuse_numbers_of_times(object)?;
            let plain = object.call_method0(intern!(object.py(), "tolist"))?;
            if !plain.get_type().is(object.get_type()) {
                return Self::nested(&plain, depth);
            }
        }
        let other = format!(
            "a value is of the type {}, and may be None, bool, int, float, str, bytes, datetime, date, timedelta, an array, or a \
             list or dict of these; other types come in as arrays of pyarrow",
            object.get_type().fully_qualified_name()?
        );
        missing(object, &other)
    }

    /// Returns the type of a column of such values alone.
    fn data_type(&self) -> Fitting<DataType> {
        Ok(match self {
            Self::Null => DataType::Null,
            Self::Bool(_) => DataType::Boolean,
            Self::Int(_) => DataType::Int64,
            Self::Unsigned(_) => DataType::UInt64,
            Self::Float(_) => DataType::Float64,
            Self::Text(_) => DataType::LargeUtf8,
            Self::Bytes(_) => DataType::LargeBinary,
            Self::Date(_) => DataType::Date32,
            Self::Time(_, has_zone) => {
                DataType::Timestamp(TimeUnit::Microsecond, has_zone.then(|| "UTC".into()))
            }
            Self::Microseconds(_) => DataType::Duration(TimeUnit::Microsecond),
            Self::List(values) => {
                let item =
                    values.iter().try_fold(DataType::Null, |all, value| merged(&all, &value.data_type()?))?;
                list_of(item)
            }
            Self::Struct(members) => {
                let field = |(name, value): &(String, Self)| Ok(Field::new(name, value.data_type()?, true));
                DataType::Struct(members.iter().map(field).collect::<Fitting<Vec<_>>>()?.into())
            }
        })
    }
}

/// Returns null for what pandas has in the place of a value that is missing.
fn missing(object: &Bound<'_, PyAny>, other: &str) -> Fitting<Value> {
    let name = object.get_type().name()?;
    match name == "NaTType" || name == "NAType" {
        true => Ok(Value::Null),
        false => unfit(other),
    }
}

fn list_of(item: DataType) -> DataType {
    DataType::LargeList(Arc::new(Field::new_list_field(item, true)))
}

/// Refuses times of numpy that become bare numbers as Python objects: without a unit, in nanoseconds and finer, and in
/// months or years.
fn refuse_numbers_of_times(object: &Bound<'_, PyAny>) -> Fitting<()> {
    let Ok(kind) = object.getattr(intern!(object.py(), "dtype")) else { return Ok(()) };
    let kind = kind.str()?.to_string();
    let is_number = ["ns]", "ps]", "fs]", "as]"].iter().any(|unit| kind.ends_with(unit))
        || matches!(kind.as_str(), "datetime64" | "timedelta64")
        || (kind.starts_with("timedelta64") && (kind.ends_with("Y]") || kind.ends_with("M]")));
    match is_number && (kind.starts_with("datetime64") || kind.starts_with("timedelta64")) {
        true => unfit(format!(
            "a value is of the type {kind}, and such come in as an array of numpy, which is the whole column"
        )),
        false => Ok(()),
    }
}

/// Refuses nanoseconds, which times of pandas have in addition to Python's microseconds.
fn refuse_nanoseconds(object: &Bound<'_, PyAny>, name: &str) -> Fitting<()> {
    match object.getattr(name).ok().and_then(|more| more.extract::<i64>().ok()) {
        Some(more) if more != 0 => {
            unfit("a time has nanoseconds: give an array of numpy or a series, which is the whole column")
        }
        _ => Ok(()),
    }
}

/// Returns the moment of a datetime. One without a time zone stays without.
fn time(object: &Bound<'_, PyAny>) -> Fitting<Value> {
    let py = object.py();
    refuse_nanoseconds(object, "nanosecond")?;
    let zone = object.getattr(intern!(py, "tzinfo"))?;
    let kind = py.get_type::<PyDateTime>();
    let epoch = match zone.is_none() {
        true => kind.call1((1970, 1, 1))?,
        false => {
            let utc = py.import("datetime")?.getattr("timezone")?.getattr("utc")?;
            kind.call1((1970, 1, 1, 0, 0, 0, 0, utc))?
        }
    };
    let since = object.sub(epoch)?;
    let Ok(since) = since.cast::<PyDelta>() else {
        return missing(object, "a datetime has no distance from 1970");
    };
    Ok(Value::Time(microseconds(since)?, !zone.is_none()))
}

fn microseconds(delta: &Bound<'_, PyDelta>) -> Fitting<i64> {
    refuse_nanoseconds(delta, "nanoseconds")?;
    let part = |name: &str| delta.getattr(name).and_then(|part| part.extract::<i64>());
    let (days, seconds, microseconds) = (part("days")?, part("seconds")?, part("microseconds")?);
    let whole = days.checked_mul(86_400).and_then(|days| days.checked_add(seconds));
    let whole = whole.and_then(|seconds| seconds.checked_mul(1_000_000)?.checked_add(microseconds));
    whole.ok_or_else(|| Unfit("a time is beyond 64 bits of microseconds".to_owned()))
}

/// Returns what values of two types are together.
fn merged(one: &DataType, other: &DataType) -> Fitting<DataType> {
    Ok(match (one, other) {
        (one, other) if one == other => one.clone(),
        (DataType::Null, known) | (known, DataType::Null) => known.clone(),
        (DataType::Int64, DataType::UInt64) | (DataType::UInt64, DataType::Int64) => DataType::UInt64,
        (DataType::Float64, DataType::Int64 | DataType::UInt64)
        | (DataType::Int64 | DataType::UInt64, DataType::Float64) => DataType::Float64,
        (DataType::LargeList(one), DataType::LargeList(other)) => {
            list_of(merged(one.data_type(), other.data_type())?)
        }
        (DataType::Struct(one), DataType::Struct(other)) => {
            let mut fields = one.iter().map(|field| field.as_ref().clone()).collect::<Vec<_>>();
            for field in other {
                match fields.iter_mut().find(|known| known.name() == field.name()) {
                    Some(known) => {
                        *known = known.clone().with_data_type(merged(known.data_type(), field.data_type())?)
                    }
                    None => fields.push(field.as_ref().clone()),
                }
            }
            DataType::Struct(fields.into())
        }
        _ => return unfit(format!("it is of the type {}, and others are {}", called(other), called(one))),
    })
}

/// Returns what values of a type are in Python.
pub(crate) fn called(data_type: &DataType) -> String {
    match data_type {
        DataType::Null => "None",
        DataType::Boolean => "bool",
        DataType::Int64 | DataType::UInt64 => "int",
        DataType::Float64 => "float",
        DataType::LargeUtf8 => "str",
        DataType::LargeBinary => "bytes",
        DataType::Date32 => "date",
        DataType::Timestamp(_, None) => "datetime without a time zone",
        DataType::Timestamp(_, Some(_)) => "datetime with a time zone",
        DataType::Duration(_) => "timedelta",
        DataType::LargeList(_) => "list",
        DataType::Struct(_) => "dict",
        other => return other.to_string(),
    }
    .to_owned()
}

/// Returns the type that a column of these values has.
///
/// # Errors
/// The row of the first that is of another type than those before it.
pub(crate) fn infer(values: &[Value]) -> Result<DataType, (usize, Unfit)> {
    let mut all = DataType::Null;
    for (row, value) in values.iter().enumerate() {
        all = value.data_type().and_then(|of_value| merged(&all, &of_value)).map_err(|unfit| (row, unfit))?;
    }
    Ok(all)
}

/// Returns the values as a column of a type.
///
/// # Errors
/// The row of the first that is none of the type.
pub(crate) fn build(values: &[&Value], data_type: &DataType) -> Result<ArrayRef, (usize, Unfit)> {
    if values.iter().all(|value| **value == Value::Null) {
        return Ok(new_null_array(data_type, values.len()));
    }
    let other = |row: usize, value: &Value| {
        let found = value.data_type().map_or_else(|unfit| unfit.0, |found| called(&found));
        (row, Unfit(format!("it is of the type {found}, and others are {}", called(data_type))))
    };
    macro_rules! each {
        ($builder:expr, $($fits:pat $(if $guard:expr)? => $value:expr),+) => {{
            let mut builder = $builder;
            for (row, value) in values.iter().enumerate() {
                match value {
                    Value::Null => builder.append_null(),
                    $($fits $(if $guard)? => builder.append_value($value(row)?),)+
                    value => return Err(other(row, value)),
                }
            }
            Arc::new(builder.finish()) as ArrayRef
        }};
    }
    fn new<T: ArrowPrimitiveType>(values: &[&Value]) -> PrimitiveBuilder<T> {
        PrimitiveBuilder::with_capacity(values.len())
    }
    Ok(match data_type {
        DataType::Boolean => {
            each!(BooleanBuilder::with_capacity(values.len()), Value::Bool(value) => |_| Found::Ok(*value))
        }
        DataType::Int64 => each!(new::<Int64Type>(values), Value::Int(value) => |_| Found::Ok(*value)),
        DataType::UInt64 => each!(
            new::<UInt64Type>(values),
            Value::Unsigned(value) => |_| Found::Ok(*value),
            Value::Int(value) => |row| unsigned(row, *value)
        ),
        DataType::Float64 => each!(
            new::<Float64Type>(values),
            Value::Float(value) => |_| Found::Ok(*value),
            Value::Int(value) => |row| float_of(row, *value),
            Value::Unsigned(value) => |row| Found::<f64>::Err(inexact(row, value))
        ),
        DataType::Float32 => each!(
            new::<Float32Type>(values),
            Value::Float(value) => |row| narrow_float(row, *value)
        ),
        DataType::LargeUtf8 => {
            each!(LargeStringBuilder::new(), Value::Text(value) => |_| Found::Ok(value))
        }
        DataType::LargeBinary => {
            each!(LargeBinaryBuilder::new(), Value::Bytes(value) => |_| Found::Ok(value))
        }
        DataType::Date32 => each!(new::<Date32Type>(values), Value::Date(value) => |_| Found::Ok(*value)),
        DataType::Timestamp(TimeUnit::Microsecond, zone) => {
            let has_zone = zone.is_some();
            each!(
                new::<TimestampMicrosecondType>(values).with_timezone_opt(zone.clone()),
                Value::Time(value, zoned) if *zoned == has_zone => |_| Found::Ok(*value)
            )
        }
        DataType::Duration(TimeUnit::Microsecond) => {
            each!(new::<DurationMicrosecondType>(values), Value::Microseconds(value) => |_| Found::Ok(*value))
        }
        DataType::LargeList(item) => lists(values, item, &other)?,
        DataType::Struct(fields) => structs(values, fields, &other)?,
        _ => {
            let row = values.iter().position(|value| **value != Value::Null).unwrap_or_default();
            return Err(other(row, values.get(row).copied().unwrap_or(&Value::Null)));
        }
    })
}

/// A value for a column, or the row of one that does not fit.
type Found<T> = Result<T, (usize, Unfit)>;

fn unsigned(row: usize, value: i64) -> Found<u64> {
    let what = || format!("it is {value}, and others are above the largest int of 64 bits with a sign");
    u64::try_from(value).map_err(|_| (row, Unfit(what())))
}

fn float_of(row: usize, value: i64) -> Found<f64> {
    if value.unsigned_abs() <= EXACT { Ok(value as f64) } else { Err(inexact(row, &value)) }
}

fn inexact(row: usize, number: &dyn std::fmt::Display) -> (usize, Unfit) {
    (row, Unfit(format!("it is the int {number}, which no float of 64 bits is, and others are float")))
}

fn narrow_float(row: usize, value: f64) -> Found<f32> {
    let narrow = value as f32;
    match f64::from(narrow) == value || value.is_nan() {
        true => Ok(narrow),
        false => Err((row, Unfit(format!("it is the float {value}, and others have 32 bits")))),
    }
}

type Other<'a> = &'a dyn Fn(usize, &Value) -> (usize, Unfit);

fn lists(values: &[&Value], item: &FieldRef, other: Other<'_>) -> Result<ArrayRef, (usize, Unfit)> {
    let (mut items, mut rows, mut lengths) = (Vec::new(), Vec::new(), Vec::with_capacity(values.len()));
    for (row, value) in values.iter().enumerate() {
        match value {
            Value::Null => lengths.push(0),
            Value::List(of_row) => {
                items.extend(of_row);
                rows.resize(items.len(), row);
                lengths.push(of_row.len());
            }
            value => return Err(other(row, value)),
        }
    }
    let items = build(&items, item.data_type())
        .map_err(|(index, unfit)| (rows.get(index).copied().unwrap_or_default(), unfit))?;
    let nulls = NullBuffer::from_iter(values.iter().map(|value| **value != Value::Null));
    let nulls = Some(nulls).filter(|nulls| nulls.null_count() > 0);
    let lists = LargeListArray::try_new(Arc::clone(item), OffsetBuffer::from_lengths(lengths), items, nulls);
    lists.map(|lists| Arc::new(lists) as ArrayRef).map_err(|error| (0, Unfit(error.to_string())))
}

fn structs(values: &[&Value], fields: &Fields, other: Other<'_>) -> Result<ArrayRef, (usize, Unfit)> {
    for (row, value) in values.iter().enumerate() {
        match value {
            Value::Null => {}
            Value::Struct(members) => {
                let is_known = |name: &String| fields.iter().any(|field| field.name() == name);
                if let Some((name, _)) = members.iter().find(|(name, _)| !is_known(name)) {
                    return Err((
                        row,
                        Unfit(format!("it is a dict with the key {name:?}, which those before do not have")),
                    ));
                }
            }
            value => return Err(other(row, value)),
        }
    }
    let member = |value: &&Value, name: &str| match value {
        Value::Struct(members) => {
            members.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        }
        _ => None,
    };
    let column = |field: &FieldRef| {
        let of_field = values.iter().map(|value| member(value, field.name()).unwrap_or(Value::Null));
        let of_field = of_field.collect::<Vec<_>>();
        build(&of_field.iter().collect::<Vec<_>>(), field.data_type())
    };
    let columns = fields.iter().map(column).collect::<Result<Vec<_>, _>>()?;
    let nulls = NullBuffer::from_iter(values.iter().map(|value| **value != Value::Null));
    let nulls = Some(nulls).filter(|nulls| nulls.null_count() > 0);
    let structs = StructArray::try_new_with_length(fields.clone(), columns, nulls, values.len());
    structs.map(|structs| Arc::new(structs) as ArrayRef).map_err(|error| (0, Unfit(error.to_string())))
}

/// Returns the error of a row.
pub(crate) fn misfit(name: &str, row: u64, Unfit(what): Unfit) -> Error {
    let position = Position::new().column(name).record(row);
    let what = format!("the value does not fit its column: {what}");
    let error = Error::new(ErrorKind::SchemaMismatch, what).at(position);
    error.help("give values of one type in a column, or columns of Arrow")
}

/// Returns whether a column holds nothing but nulls.
pub(crate) fn is_nothing(array: &dyn Array) -> bool {
    array.logical_null_count() == array.len()
}

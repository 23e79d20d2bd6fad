//! Numbers of columns that have another type than the field: JSON, for one, knows one type of integers and one of floats.

use tfxio_base::Result;

use super::bind::Values;
use super::write::{bad, varint};
use crate::descriptor::{Field, FieldKind, Scalar};

/// A number, as large as all of them.
#[derive(Clone, Copy)]
enum Number {
    Integer(i128),
    Float(f64),
}

/// Appends a number without its tag, if it is one of the type of the field.
pub(super) fn number(values: &Values<'_>, field: &Field, at: usize, out: &mut Vec<u8>) -> Result<()> {
    let number = match values {
        Values::Int32(values) => Number::Integer(values.value(at).into()),
        Values::Int64(values) => Number::Integer(values.value(at).into()),
        Values::Uint32(values) => Number::Integer(values.value(at).into()),
        Values::Uint64(values) => Number::Integer(values.value(at).into()),
        Values::Float32(values) => Number::Float(values.value(at).into()),
        Values::Float64(values) => Number::Float(values.value(at)),
        _ => return Ok(()),
    };
    if append(number, field.kind, out).is_some() {
        return Ok(());
    }
    let what = match number {
        Number::Integer(value) => format!("the value {value}"),
        Number::Float(value) => format!("the value {value:?}"),
    };
    Err(bad(&format!("{what}, which the type of the field does not have")).help("cast the column"))
}

/// Appends a number. `None` if the type cannot hold it.
fn append(number: Number, kind: FieldKind, out: &mut Vec<u8>) -> Option<()> {
    let scalar = match kind {
        FieldKind::Scalar(scalar) => scalar,
        FieldKind::Enum(_) => Scalar::Int32,
        FieldKind::Message(_) => return None,
    };
    match scalar {
        Scalar::Double => out.extend_from_slice(&double(number)?.to_le_bytes()),
        Scalar::Float => {
            let value = double(number)?;
            let narrow = value as f32;
            let is_exact = f64::from(narrow).to_bits() == value.to_bits() || value.is_nan();
            // A text of the narrow value, such as 0.1, is read as another wide one.
            if !is_exact && narrow.to_string() != value.to_string() {
                return None;
            }
            out.extend_from_slice(&narrow.to_le_bytes());
        }
        _ => integer(whole(number)?, scalar, out)?,
    }
    Some(())
}

fn double(number: Number) -> Option<f64> {
    match number {
        Number::Float(value) => Some(value),
        Number::Integer(value) => {
            let double = value as f64;
            (double as i128 == value).then_some(double)
        }
    }
}

fn whole(number: Number) -> Option<i128> {
    match number {
        Number::Integer(value) => Some(value),
        Number::Float(_) => None,
    }
}

/// Appends an integer without its tag; `None` where the type does not have it.
pub(super) fn integer(value: i128, scalar: Scalar, out: &mut Vec<u8>) -> Option<()> {
    match scalar {
        Scalar::Int32 => varint(out, i64::from(i32::try_from(value).ok()?).cast_unsigned()),
        Scalar::Int64 => varint(out, i64::try_from(value).ok()?.cast_unsigned()),
        Scalar::Uint32 => varint(out, u32::try_from(value).ok()?.into()),
        Scalar::Uint64 => varint(out, u64::try_from(value).ok()?),
        Scalar::Sint32 => {
            let value = i32::try_from(value).ok()?;
            varint(out, ((value << 1) ^ (value >> 31)).cast_unsigned().into());
        }
        Scalar::Sint64 => {
            let value = i64::try_from(value).ok()?;
            varint(out, ((value << 1) ^ (value >> 63)).cast_unsigned());
        }
        Scalar::Fixed32 => out.extend_from_slice(&u32::try_from(value).ok()?.to_le_bytes()),
        Scalar::Fixed64 => out.extend_from_slice(&u64::try_from(value).ok()?.to_le_bytes()),
        Scalar::Sfixed32 => out.extend_from_slice(&i32::try_from(value).ok()?.to_le_bytes()),
        Scalar::Sfixed64 => out.extend_from_slice(&i64::try_from(value).ok()?.to_le_bytes()),
        Scalar::Double | Scalar::Float | Scalar::Bool | Scalar::String | Scalar::Bytes => return None,
    }
    Some(())
}

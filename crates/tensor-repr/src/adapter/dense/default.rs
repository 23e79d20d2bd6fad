//! Defaults and padding, checked and in the bits of the dtype.

use half::{bf16, f16};
use tfxio_core::{Count, DType};

use crate::spec::sizes;
use crate::{DefaultValue, Error, Kind, ScalarValue};

/// Filling of cells: one value, or one for each cell of a row.
#[derive(Debug)]
pub(in crate::adapter) enum Default {
    /// The values in their bits, in the lowest bytes.
    Bits(Vec<u64>),
    Strings(Vec<Vec<u8>>),
}

/// Returns the dtype that a default or a padding has by itself, as tf.Example would store it.
pub(super) fn dtype(default: Option<&DefaultValue>, padding: Option<&ScalarValue>) -> Option<DType> {
    let scalar = match default {
        None => padding?,
        Some(DefaultValue::Scalar(scalar)) => scalar,
        Some(DefaultValue::Full(scalars)) => scalars.first()?,
    };
    Some(match scalar {
        ScalarValue::Bool(_) => DType::Bool,
        ScalarValue::Int(_) => DType::Int64,
        ScalarValue::UInt(value) => {
            if i64::try_from(*value).is_ok() {
                DType::Int64
            } else {
                DType::UInt64
            }
        }
        ScalarValue::Float(_) => DType::Float32,
        ScalarValue::Bytes(_) => DType::String,
    })
}

impl Default {
    /// Returns a default for rows of `cells` cells; `None` if their number is not known.
    pub(super) fn of(
        default: &DefaultValue,
        dtype: DType,
        cells: Option<usize>,
        shape: &[Option<usize>],
    ) -> Result<Self, Error> {
        let scalars = match default {
            DefaultValue::Scalar(scalar) => std::slice::from_ref(scalar),
            DefaultValue::Full(scalars) => {
                if cells != Some(scalars.len()) {
                    let message = format!(
                        "the default has {}, the shape {} needs one for each of its cells",
                        Count::of(scalars.len(), "value"),
                        sizes(shape)
                    );
                    return Err(Error::new(Kind::InvalidRepresentation, message));
                }
                scalars
            }
        };
        Self::of_scalars(scalars, dtype).map_err(|scalar| misfit("default", scalar, dtype))
    }

    /// Returns the same scalar for all cells, as padding.
    pub(super) fn of_padding(padding: &ScalarValue, dtype: DType) -> Result<Self, Error> {
        let scalars = std::slice::from_ref(padding);
        Self::of_scalars(scalars, dtype).map_err(|scalar| misfit("padding", scalar, dtype))
    }

    /// Converts scalars to a default. `Err` is the first that does not fit.
    fn of_scalars(scalars: &[ScalarValue], dtype: DType) -> Result<Self, &ScalarValue> {
        if dtype == DType::String {
            let strings = scalars.iter().map(|scalar| match scalar {
                ScalarValue::Bytes(bytes) => Ok(bytes.clone()),
                other => Err(other),
            });
            return strings.collect::<Result<_, _>>().map(Self::Strings);
        }
        let bits = scalars.iter().map(|scalar| bits(scalar, dtype).ok_or(scalar));
        bits.collect::<Result<_, _>>().map(Self::Bits)
    }
}

fn misfit(what: &str, scalar: &ScalarValue, dtype: DType) -> Error {
    let value = match scalar {
        ScalarValue::Bool(value) => value.to_string(),
        ScalarValue::Int(value) => value.to_string(),
        ScalarValue::UInt(value) => value.to_string(),
        ScalarValue::Float(value) => format!("{value:?}"),
        ScalarValue::Bytes(value) => format!("\"{}\"", value.escape_ascii()),
    };
    Error::new(Kind::InvalidRepresentation, format!("the {what} {value} is not of dtype {dtype}"))
}

/// Returns the bits of a scalar as that dtype; `None` if it does not fit. An integer is a float if that is exact.
fn bits(scalar: &ScalarValue, dtype: DType) -> Option<u64> {
    let integer = || match scalar {
        ScalarValue::Int(value) => Some(i128::from(*value)),
        ScalarValue::UInt(value) => Some(i128::from(*value)),
        _ => None,
    };
    let float = || match scalar {
        ScalarValue::Float(value) => Some(*value),
        _ => integer().map(|value| value as f64).filter(|value| Some(*value as i128) == integer()),
    };
    Some(match dtype {
        DType::Bool => match scalar {
            ScalarValue::Bool(value) => u64::from(*value),
            _ => return None,
        },
        DType::Int8 => i8::try_from(integer()?).ok()? as u8 as u64,
        DType::Int16 => i16::try_from(integer()?).ok()? as u16 as u64,
        DType::Int32 => i32::try_from(integer()?).ok()? as u32 as u64,
        DType::Int64 => i64::try_from(integer()?).ok()? as u64,
        DType::UInt8 => u8::try_from(integer()?).ok()?.into(),
        DType::UInt16 => u16::try_from(integer()?).ok()?.into(),
        DType::UInt32 => u32::try_from(integer()?).ok()?.into(),
        DType::UInt64 => u64::try_from(integer()?).ok()?,
        DType::Float16 => f16::from_f64(float()?).to_bits().into(),
        DType::BFloat16 => bf16::from_f64(float()?).to_bits().into(),
        DType::Float32 => (float()? as f32).to_bits().into(),
        DType::Float64 => float()?.to_bits(),
        _ => return None,
    })
}

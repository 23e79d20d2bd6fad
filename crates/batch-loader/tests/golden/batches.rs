//! A batch held against a recorded one.

use std::collections::BTreeMap;

use batch_loader::Batch;
use golden_cases::base64;
use half::f16;
use serde_json::Value;
use tensor_repr::{DenseTensor, Values};
use tfxio_core::DType;

/// Relative tolerance of a normalised value.
const TOLERANCE: f64 = 1e-5;
/// Absolute tolerance of values near 0, which are differences of larger ones.
const NEAR_ZERO: f64 = 1e-6;

pub(super) fn same(ours: &Batch, expected: &Value, normalized: &[&str]) -> Result<(), String> {
    let inputs = ours.inputs().map(|(name, tensor)| (&**name, tensor)).collect();
    let targets = ours.targets().map(|(name, tensor)| (&**name, tensor)).collect();
    for (role, ours) in [("inputs", inputs), ("targets", targets)] {
        let ours: BTreeMap<&str, &DenseTensor> = ours;
        let expected = expected[role].as_object().ok_or("the case has no such tensors")?;
        let names = expected.keys().map(String::as_str).collect::<Vec<_>>();
        if ours.keys().copied().collect::<Vec<_>>() != names {
            return Err(format!("{role} {:?} instead of {names:?}", ours.keys()));
        }
        for (name, tensor) in ours {
            let tolerance = normalized.contains(&name).then_some(TOLERANCE);
            same_tensor(tensor, &expected[name], tolerance).map_err(|why| format!("{name}: {why}"))?;
        }
    }
    Ok(())
}

fn same_tensor(ours: &DenseTensor, expected: &Value, tolerance: Option<f64>) -> Result<(), String> {
    let dtype = expected["dtype"].as_str().expect("a dtype");
    let shape: Vec<usize> = serde_json::from_value(expected["shape"].clone()).expect("a shape");
    if (ours.dtype().name(), ours.shape()) != (dtype, shape.as_slice()) {
        return Err(format!("{} {:?} instead of {dtype} {shape:?}", ours.dtype(), ours.shape()));
    }
    let wanted = values(ours.dtype(), expected["values"].as_array().expect("values"));
    if *ours.values() == wanted {
        return Ok(());
    }
    let near = |(ours, wanted): (&f64, &f64)| {
        let allowed = tolerance.map_or(0.0, |part| part * wanted.abs() + NEAR_ZERO);
        (ours.is_nan() && wanted.is_nan())
            || (ours - wanted).abs() <= allowed
            || ours.to_bits() == wanted.to_bits()
    };
    match (floats_of(ours.values()), floats_of(&wanted)) {
        (Some(ours), Some(wanted)) if ours.len() == wanted.len() && ours.iter().zip(&wanted).all(near) => {
            Ok(())
        }
        _ => Err(format!("{:?} instead of {wanted:?}", ours.values())),
    }
}

/// Floats of any width, exactly.
fn floats_of(values: &Values) -> Option<Vec<f64>> {
    let halves = values.as_slice::<f16>().map(|values| values.iter().map(|value| value.to_f64()).collect());
    let singles = || Some(values.as_slice::<f32>()?.iter().map(|value| f64::from(*value)).collect());
    halves.or_else(singles).or_else(|| Some(values.as_slice::<f64>()?.to_vec()))
}

fn values(dtype: DType, list: &[Value]) -> Values {
    fn ints<T: TryFrom<i128, Error: std::fmt::Debug> + tensor_repr::Element>(list: &[Value]) -> Values {
        let int = |value: &Value| value.as_i64().map(i128::from).or(value.as_u64().map(i128::from));
        let ints =
            list.iter().map(|value| T::try_from(int(value).expect("an int")).expect("an int of the dtype"));
        Values::from_vec(ints.collect::<Vec<_>>())
    }

    #[allow(clippy::cast_possible_truncation, reason = "every float is written as the double that it is")]
    match dtype {
        DType::Bool => Values::from_bools(list.iter().map(|value| value.as_bool().expect("a bool"))),
        DType::Int8 => ints::<i8>(list),
        DType::Int16 => ints::<i16>(list),
        DType::Int32 => ints::<i32>(list),
        DType::Int64 => ints::<i64>(list),
        DType::UInt8 => ints::<u8>(list),
        DType::UInt16 => ints::<u16>(list),
        DType::UInt32 => ints::<u32>(list),
        DType::UInt64 => ints::<u64>(list),
        DType::Float16 => Values::from_vec(floats(list).map(f16::from_f64).collect::<Vec<_>>()),
        DType::Float32 => Values::from_vec(floats(list).map(|value| value as f32).collect::<Vec<_>>()),
        DType::Float64 => Values::from_vec(floats(list).collect::<Vec<_>>()),
        DType::String => Values::from_strings(list.iter().map(base64)),
        other => panic!("values of {other}"),
    }
}

fn floats(list: &[Value]) -> impl Iterator<Item = f64> {
    list.iter().map(|value| match value.as_str() {
        Some("NaN") => f64::NAN,
        Some("Infinity") => f64::INFINITY,
        Some("-Infinity") => f64::NEG_INFINITY,
        Some(other) => panic!("a float called {other}"),
        None => value.as_f64().expect("a float"),
    })
}

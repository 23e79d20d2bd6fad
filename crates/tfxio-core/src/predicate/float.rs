//! Floats as text formats have them: JSON has neither infinities nor NaN, and would write `null`.

use std::fmt;

use serde::de::{Deserializer, Error, Unexpected, Visitor};
use serde::ser::Serializer;

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(super) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() || !serializer.is_human_readable() {
        return serializer.serialize_f64(*value);
    }
    serializer.serialize_str(match value {
        value if value.is_nan() => "NaN",
        value if value.is_sign_negative() => "-inf",
        _ => "inf",
    })
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    if deserializer.is_human_readable() {
        deserializer.deserialize_any(Float)
    } else {
        deserializer.deserialize_f64(Float)
    }
}

struct Float;

impl Visitor<'_> for Float {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or one of the texts \"inf\", \"-inf\" and \"NaN\"")
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<f64, E> {
        Ok(value)
    }

    #[allow(clippy::cast_precision_loss, reason = "the nearest float, as of every number of JSON")]
    fn visit_i64<E: Error>(self, value: i64) -> Result<f64, E> {
        Ok(value as f64)
    }

    #[allow(clippy::cast_precision_loss, reason = "the nearest float, as of every number of JSON")]
    fn visit_u64<E: Error>(self, value: u64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<f64, E> {
        match value {
            "inf" => Ok(f64::INFINITY),
            "-inf" => Ok(f64::NEG_INFINITY),
            "NaN" => Ok(f64::NAN),
            _ => Err(E::invalid_value(Unexpected::Str(value), &self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Literal;

    #[test]
    fn every_float_comes_back() {
        for (value, expected) in [
            (0.5, r#"{"float":0.5}"#),
            (-0.0, r#"{"float":-0.0}"#),
            (1e300, r#"{"float":1e+300}"#),
            (f64::INFINITY, r#"{"float":"inf"}"#),
            (f64::NEG_INFINITY, r#"{"float":"-inf"}"#),
            (f64::NAN, r#"{"float":"NaN"}"#),
        ] {
            let text = serde_json::to_string(&Literal::Float(value)).expect("JSON");
            assert_eq!(text, expected);
            let Literal::Float(again) = serde_json::from_str(&text).expect("JSON") else {
                panic!("{text} is read as something else");
            };
            assert_eq!(again.to_bits(), value.to_bits(), "{text}");
        }
        assert_eq!(serde_json::from_str::<Literal>(r#"{"float":7}"#).expect("JSON"), Literal::Float(7.0));
        let error = serde_json::from_str::<Literal>(r#"{"float":"7"}"#).expect_err("a text");
        assert!(error.to_string().contains("a number, or one of the texts"), "{error}");
    }
}

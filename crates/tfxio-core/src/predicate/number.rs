//! Numbers of predicates, compared with values by what they are and not by the nearest float.

use std::cmp::Ordering;

use arrow_array::types::{ArrowPrimitiveType, Float16Type};

use super::Literal;
use crate::Decimal;

type Half = <Float16Type as ArrowPrimitiveType>::Native;

/// First float from which whole floats need not equal the integer of their shortest decimal form: 2^53.
const EXACT_END: f64 = 9_007_199_254_740_992.0;
/// 2^127, beyond all integers.
const INTEGER_END: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;

/// Position of a number among all values of a column's type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Among<T> {
    At(T),
    /// Between a value and the next one.
    After(T),
    /// Between a value and the one that precedes it.
    Before(T),
    /// NaN.
    Nowhere,
}

impl<T: PartialOrd> Among<T> {
    /// Compares a value with the number.
    pub(crate) fn order(&self, value: &T) -> Option<Ordering> {
        match self {
            Self::At(number) => value.partial_cmp(number),
            Self::After(before) => {
                value.partial_cmp(before).map(|order| if order.is_le() { Ordering::Less } else { order })
            }
            Self::Before(after) => {
                value.partial_cmp(after).map(|order| if order.is_ge() { Ordering::Greater } else { order })
            }
            Self::Nowhere => None,
        }
    }
}

/// A type of floats.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Floats {
    Half,
    Single,
    Double,
}

impl Floats {
    /// Returns the nearest float of the type.
    fn nearest(self, value: f64) -> f64 {
        match self {
            Self::Half => Half::from_f64(value).into(),
            Self::Single => f64::from(value as f32),
            Self::Double => value,
        }
    }

    fn parsed(self, text: &str) -> Option<f64> {
        match self {
            Self::Half | Self::Double => text.parse().ok().map(|value| self.nearest(value)),
            Self::Single => text.parse::<f32>().ok().map(f64::from),
        }
    }

    fn max(self) -> f64 {
        match self {
            Self::Half => Half::MAX.into(),
            Self::Single => f32::MAX.into(),
            Self::Double => f64::MAX,
        }
    }

    /// Returns the position of a number, given the float nearest to it. A finite number never equals an infinity, nor a
    /// number other than 0 the float 0.
    fn among(self, nearest: f64, is_infinite: bool, is_zero: bool, is_negative: bool) -> Among<f64> {
        let (before, after): (fn(_) -> _, fn(_) -> _) = (Among::Before, Among::After);
        let away = if is_negative { before } else { after };
        match nearest {
            _ if nearest.is_nan() => Among::Nowhere,
            _ if nearest.is_infinite() && !is_infinite => away(self.max().copysign(nearest)),
            0.0 if !is_zero => away(0.0),
            _ => Among::At(nearest),
        }
    }
}

impl Literal {
    /// Compares an integer of a column with a number, as [`Predicate::evaluate`](super::Predicate::evaluate) does: exactly. `None`
    /// for NaN, and where the literal is not a number.
    #[must_use]
    pub fn compare_integer(&self, value: i128) -> Option<Ordering> {
        self.among_integers()?.order(&value)
    }

    /// Compares a 32-bit float of a column with a number, as [`Predicate::evaluate`](super::Predicate::evaluate) does. `None` for
    /// NaN, and where the literal is not a number.
    #[must_use]
    pub fn compare_f32(&self, value: f32) -> Option<Ordering> {
        self.compare_float(value.into(), Floats::Single)
    }

    /// Compares a 64-bit float of a column with a number, as [`Predicate::evaluate`](super::Predicate::evaluate) does. `None` for
    /// NaN, and where the literal is not a number.
    #[must_use]
    pub fn compare_f64(&self, value: f64) -> Option<Ordering> {
        self.compare_float(value, Floats::Double)
    }

    fn compare_float(&self, value: f64, floats: Floats) -> Option<Ordering> {
        match self {
            Self::Integer(integer) => with_float(*integer, value),
            _ => self.among_floats(floats)?.order(&value),
        }
    }

    /// Returns where the literal is among all integers; `None` where it is not a number.
    pub(crate) fn among_integers(&self) -> Option<Among<i128>> {
        Some(match self {
            Self::Integer(value) => Among::At(*value),
            Self::Float(value) if value.is_nan() => Among::Nowhere,
            Self::Float(value) if *value >= INTEGER_END => Among::After(i128::MAX),
            Self::Float(value) if *value < -INTEGER_END => Among::Before(i128::MIN),
            Self::Float(value) => {
                let floor = value.floor();
                let whole = floor as i128;
                if floor == *value { Among::At(whole) } else { Among::After(whole) }
            }
            Self::Decimal(text) => Decimal::new(text)?.among_integers(),
            _ => return None,
        })
    }

    /// Returns where the literal is among decimals, which are integers with their last `scale` digits in the fraction; `None` where
    /// it is not a number in digits.
    pub(crate) fn among_decimals(&self, scale: i8) -> Option<Among<i128>> {
        let text = match self {
            Self::Integer(value) => value.to_string(),
            Self::Float(value) => shown(*value),
            Self::Decimal(text) => text.to_string(),
            _ => return None,
        };
        let mut decimal = Decimal::new(&text)?;
        decimal.point = decimal.point.saturating_add(scale.into());
        Some(decimal.among_integers())
    }

    /// Returns the position of a number with a fraction or an exponent among all floats of a type: at the nearest one,
    /// unless that one is 0 or infinite and the number is not. `None` for other literals.
    pub(crate) fn among_floats(&self, floats: Floats) -> Option<Among<f64>> {
        Some(match self {
            Self::Float(value) => {
                let nearest = floats.nearest(*value);
                floats.among(nearest, value.is_infinite(), *value == 0.0, value.is_sign_negative())
            }
            Self::Decimal(text) => {
                let decimal = Decimal::new(text)?;
                floats.among(floats.parsed(text)?, false, decimal.digits.is_empty(), decimal.is_negative)
            }
            _ => return None,
        })
    }

    /// Reads a number with a fraction or an exponent: a `Float` if that is exactly the same number, else a `Decimal`.
    pub(super) fn number(text: &str) -> Option<Self> {
        let value = text.parse::<f64>().ok()?;
        let Some(decimal) = Decimal::new(text) else { return Some(Self::Float(value)) };
        let same = value.is_finite() && Decimal::new(&shown(value)).is_some_and(|shown| shown == decimal);
        Some(if same { Self::Float(value) } else { Self::Decimal(text.into()) })
    }
}

/// Returns the digits of a float, with all of them where it is an integer of at least 2^53.
pub(super) fn shown(value: f64) -> String {
    match value.abs() {
        EXACT_END..=INTEGER_END => format!("{value:.1}"),
        _ => format!("{value:?}"),
    }
}

/// Compares a float with an integer, exactly.
pub(crate) fn with_float(integer: i128, float: f64) -> Option<Ordering> {
    Literal::Float(float).among_integers()?.order(&integer).map(Ordering::reverse)
}

impl Decimal {
    fn among_integers(&self) -> Among<i128> {
        /// Digits of the largest integer.
        const MOST: usize = 39;
        let beyond = if self.is_negative { Among::Before(i128::MIN) } else { Among::After(i128::MAX) };
        let point = usize::try_from(self.point).unwrap_or(if self.point < 0 { 0 } else { usize::MAX });
        if point > MOST {
            return beyond;
        }
        let has_fraction = self.digits.len() > point;
        let whole = self.digits.get(..point).unwrap_or(&self.digits);
        // No digits are 0, and 39 of them may be more than an integer has.
        let Ok(whole) = format!("0{whole:0<point$}").parse::<i128>() else { return beyond };
        match (self.is_negative, has_fraction) {
            (false, false) => Among::At(whole),
            (false, true) => Among::After(whole),
            (true, false) => Among::At(-whole),
            (true, true) => Among::Before(-whole),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering::{self, Equal, Greater, Less};

    use super::{Among, shown};
    use crate::{Decimal, Literal};

    fn literal(text: &str) -> Literal {
        Literal::number(text).expect(text)
    }

    #[test]
    fn numbers_are_floats_where_that_says_the_same() {
        for text in ["0.1", "1.0", "-2.5e-3", "1e22", "9007199254740992.0", "5e-324", "-0.0", "inf", "NaN"] {
            assert!(matches!(literal(text), Literal::Float(_)), "{text}");
        }
        for text in [
            "1e23",
            "9007199254740993.0",
            "1e400",
            "1e-400",
            "0.1000000000000000055",
            "1e9999999999999999999",
        ] {
            assert_eq!(literal(text), Literal::Decimal(text.into()));
        }
        for value in [9_007_199_254_740_994.0, 9_223_372_036_854_775_808.0, -1e30, 0.1, 5e-324] {
            assert_eq!(literal(&shown(value)), Literal::Float(value));
        }
    }

    #[test]
    fn integers_are_compared_exactly() {
        let cases: [(&str, i128, Ordering); 16] = [
            ("9007199254740993.0", 9_007_199_254_740_992, Less),
            ("9007199254740993.0", 9_007_199_254_740_993, Equal),
            ("9007199254740993.5", 9_007_199_254_740_993, Less),
            ("9007199254740993.5", 9_007_199_254_740_994, Greater),
            ("-9007199254740993.5", -9_007_199_254_740_993, Greater),
            ("-9007199254740993.5", -9_007_199_254_740_994, Less),
            ("18446744073709551615.0", u64::MAX.into(), Equal),
            ("184467440737095516150e-1", u64::MAX.into(), Equal),
            ("1e-400", 0, Less),
            ("-1e-400", 0, Greater),
            ("0e99999999999999999999", 0, Equal),
            ("1e400", i128::MAX, Less),
            ("-1e400", i128::MIN, Greater),
            ("170141183460469231731687303715884105727.5", i128::MAX, Less),
            ("1.7014118346046923e38", i128::MAX, Greater),
            ("-2.5", -2, Greater),
        ];
        for (text, value, expected) in cases {
            assert_eq!(literal(text).compare_integer(value), Some(expected), "{value} and {text}");
        }
        assert_eq!(literal("NaN").compare_integer(0), None);
        assert_eq!(literal("inf").compare_integer(i128::MAX), Some(Less));
    }

    #[test]
    fn integers_are_compared_as_fractions_are() {
        // Of the literal `digits * 10^exponent` and a value, both times 10^6.
        for digits in [0, 1, 5, 10, 99, 12_345, 1_000_000, 9_007_199_254_740_993_i128] {
            for (exponent, sign) in (-6..=6_i32).flat_map(|exponent| [(exponent, 1), (exponent, -1)]) {
                let digits = sign * digits;
                let number = digits * 10_i128.pow((exponent + 6) as u32);
                let literal = literal(&format!("{digits}e{exponent}"));
                for near in -2..=2 {
                    let value = number / 1_000_000 + near;
                    let expected = (value * 1_000_000).cmp(&number);
                    assert_eq!(literal.compare_integer(value), Some(expected), "{value} and {literal}");
                }
            }
        }
    }

    #[test]
    fn decimals_are_compared_exactly() {
        for (text, scale, value, expected) in [
            ("1.5", 2, 150, Equal),
            ("1.505", 2, 150, Less),
            ("1.505", 2, 151, Greater),
            ("-1.505", 2, -150, Greater),
            ("2e3", -3, 2, Equal),
            ("2500.0", -3, 2, Less),
            ("0.1", 38, 10_i128.pow(37), Equal),
        ] {
            let order = literal(text).among_decimals(scale).and_then(|among| among.order(&value));
            assert_eq!(order, Some(expected), "{value} and {text}");
        }
        assert_eq!(Literal::from(3).among_decimals(1), Some(Among::At(30)));
        assert_eq!(Literal::from("3").among_decimals(1), None);
    }

    #[test]
    fn floats_are_compared_in_their_type_but_never_as_0_or_infinity() {
        let cases = [
            ("0.1", 0.1, Equal),
            ("1e39", f32::INFINITY, Greater),
            ("1e39", f32::MAX, Less),
            ("-1e39", f32::NEG_INFINITY, Less),
            ("-1e39", -f32::MAX, Greater),
            ("1e-60", 0.0, Less),
            ("1e-60", f32::from_bits(1), Greater),
            ("-1e-60", -0.0, Greater),
            ("inf", f32::INFINITY, Equal),
            ("0.0", -0.0, Equal),
        ];
        for (text, value, expected) in cases {
            assert_eq!(literal(text).compare_f32(value), Some(expected), "{value} and {text}");
        }
        assert_eq!(literal("1e400").compare_f64(f64::INFINITY), Some(Greater));
        assert_eq!(literal("1e400").compare_f64(f64::MAX), Some(Less));
        assert_eq!(literal("1e-400").compare_f64(0.0), Some(Less));
        assert_eq!(literal("1e-400").compare_f64(5e-324), Some(Greater));
        assert_eq!(literal("1e23").compare_f64(1e23), Some(Equal));
        assert_eq!(literal("1e39").compare_f32(f32::NAN), None);
        assert_eq!(Literal::from(16_777_217).compare_f32(16_777_216.0), Some(Less));
    }

    #[test]
    fn what_has_no_digits_is_not_a_number() {
        assert_eq!(Literal::Decimal("abc".into()).compare_f64(1.0), None);
        assert_eq!(Decimal::new("-0.0").map(|zero| zero.among_integers()), Some(Among::At(0)));
    }
}

//! Numbers in digits.

/// A number that is written in digits, of any size and precision.
///
/// Two are equal if they are the same number, however it is written.
///
/// ```
/// use tfxio_core::Decimal;
///
/// let number = Decimal::new("-150e-2").unwrap();
/// assert_eq!(number, Decimal::new("-1.50").unwrap());
/// assert!(number.is_f64(-1.5));
/// // The nearest float is another number.
/// assert!(!Decimal::new("0.1").unwrap().is_f64(0.1));
/// assert_eq!(Decimal::new("NaN"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    pub(crate) is_negative: bool,
    /// Neither the first nor the last is a zero; none are the number 0.
    pub(crate) digits: String,
    /// Number of digits before the decimal point. Digits beyond the stored ones are zeros.
    pub(crate) point: i64,
}

impl Decimal {
    /// Reads digits with a sign, a point and an exponent, such as `-1.5e3`; `None` of other texts.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let (text, is_negative) = unsigned(text);
        let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (exponent_digits, is_small) = unsigned(exponent);
        if exponent_digits.is_empty() || !is_digits(exponent_digits) {
            return None;
        }
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let mut digits = String::with_capacity(whole.len() + fraction.len());
        digits.push_str(whole);
        digits.push_str(fraction);
        if digits.is_empty() || !is_digits(&digits) {
            return None;
        }
        digits.truncate(digits.trim_end_matches('0').len());
        let zeros = digits.len() - digits.trim_start_matches('0').len();
        digits.drain(..zeros);
        if digits.is_empty() {
            return Some(Self { is_negative: false, digits, point: 0 });
        }
        // An exponent of more digits than this is as good as none: no type has such numbers.
        let beyond = if is_small { i64::MIN / 2 } else { i64::MAX / 2 };
        let exponent = exponent.parse::<i64>().unwrap_or(beyond);
        let point = i64::try_from(whole.len()).ok()?.checked_sub_unsigned(zeros as u64)?;
        Some(Self { is_negative, digits, point: point.saturating_add(exponent) })
    }

    /// Returns whether a float is exactly this number, not only the nearest to it. The sign of a zero does not count.
    #[must_use]
    pub fn is_f64(&self, value: f64) -> bool {
        if self.digits.is_empty() || value == 0.0 || !value.is_finite() {
            return self.digits.is_empty() && value == 0.0;
        }
        // No float has an exponent that is as large as the length of a text may be.
        let exponent = self.point.saturating_sub(self.digits.len() as i64);
        let Ok(exponent) = i32::try_from(exponent) else { return false };
        let (odd, power) = odd_and_power(value.abs());
        // A fraction of n binary digits has n decimal ones.
        let is_like = self.is_negative == value.is_sign_negative() && exponent.min(0) == power.min(0);
        is_like
            && match self.digits.parse::<u128>() {
                Ok(digits) => is_product(digits, exponent, odd, power),
                Err(_) => self.is_expansion_of(value.abs(), power),
            }
    }

    /// Returns whether all digits of a float, of which the fraction has as many, are these.
    #[cold]
    fn is_expansion_of(&self, value: f64, power: i32) -> bool {
        let fraction = power.min(0).unsigned_abs() as usize;
        Self::new(&format!("{value:.fraction$}"))
            .is_some_and(|exact| exact.digits == self.digits && exact.point == self.point)
    }
}

/// Returns a text without its sign, and whether that is a minus.
fn unsigned(text: &str) -> (&str, bool) {
    match text.strip_prefix('-') {
        Some(text) => (text, true),
        None => (text.strip_prefix('+').unwrap_or(text), false),
    }
}

/// Returns the odd integer and the power of two whose product is a finite float above 0.
fn odd_and_power(value: f64) -> (u64, i32) {
    const FRACTION: u32 = f64::MANTISSA_DIGITS - 1;
    const LOWEST: i32 = f64::MIN_EXP - f64::MANTISSA_DIGITS as i32;
    let bits = value.to_bits();
    let (fraction, exponent) = (bits & ((1 << FRACTION) - 1), (bits >> FRACTION) as i32);
    let (digits, power) = match exponent {
        0 => (fraction, LOWEST),
        _ => (fraction | 1 << FRACTION, LOWEST + exponent - 1),
    };
    let twos = digits.trailing_zeros();
    (digits >> twos, power + twos as i32)
}

/// Returns whether `digits * 10^exponent` is `odd * 2^power`: the powers of two are equal on both sides, and what is odd.
fn is_product(digits: u128, exponent: i32, odd: u64, power: i32) -> bool {
    let twos = digits.trailing_zeros();
    let (digits, odd) = (digits >> twos, u128::from(odd));
    // What has more than 128 bits is not equal to what has fewer.
    let times_fives = |number: u128| 5u128.checked_pow(exponent.unsigned_abs())?.checked_mul(number);
    i64::from(exponent) + i64::from(twos) == i64::from(power)
        && if exponent < 0 { times_fives(odd) == Some(digits) } else { times_fives(digits) == Some(odd) }
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    fn decimal(text: &str) -> Decimal {
        Decimal::new(text).expect(text)
    }

    /// Returns whether a float is a number by all of its digits: none has more than 1,074 after the point.
    fn is_by_digits(number: &Decimal, value: f64) -> bool {
        value.is_finite() && *number == decimal(&format!("{value:.1074}"))
    }

    #[test]
    fn a_number_has_one_form() {
        let numbers = ["1500", "1.5e3", "+01500.00", "15e2", "150000E-2", "0.0015e+6"];
        assert!(numbers.iter().all(|text| decimal(text) == decimal("1500")));
        let zeros = ["0", "-0", "0.000", ".0", "0.", "0e99999999999999999999", "-0e-5"];
        assert!(zeros.iter().all(|text| decimal(text) == decimal("0")));
        assert_ne!(decimal("-1500"), decimal("1500"));
        assert_ne!(decimal("1e99999999999999999999"), decimal("1e-99999999999999999999"));
    }

    #[test]
    fn what_has_no_digits_is_not_a_number() {
        for text in [
            "", "-", "+.", "e5", "abc", "1.2.3", "0x10", "1_000", "1e", "1e+", "1e5x", "1e--5", "--1", "NaN",
            "inf", " 1", "1e1.5", "١",
        ] {
            assert_eq!(Decimal::new(text), None, "{text}");
        }
    }

    #[test]
    fn a_float_is_the_number_of_all_its_digits() {
        for (text, value) in [
            ("0.1000000000000000055511151231257827021181583404541015625", 0.1),
            ("-2.50", -2.5),
            ("9007199254740993e0", 9_007_199_254_740_992.0),
            ("100000000000000000000000e0", 1e23),
            ("99999999999999991611392", 1e23),
            ("1e22", 1e22),
            ("1e400", f64::INFINITY),
            ("1e-400", 0.0),
            ("1e99999999999999999999", f64::MAX),
            ("0", -0.0),
            ("0", 5e-324),
            ("5e-324", 5e-324),
            ("1", f64::NAN),
            ("-1", 1.0),
        ] {
            let number = decimal(text);
            assert_eq!(number.is_f64(value), is_by_digits(&number, value), "{text} and {value:?}");
        }
    }

    #[test]
    fn floats_of_any_bits_are_compared_as_by_their_digits() {
        let mut state = 7u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ (state >> 29)
        };
        for round in 0..1_000 {
            let (bits, decimals) = (random(), (random() % 20) as usize);
            // Of all sizes; of few digits; whole ones; those that are all fraction.
            let value = match round % 4 {
                0 => f64::from_bits(bits),
                1 => (bits >> 40) as f64 / f64::from(1u32 << (bits % 24)),
                2 => (bits >> (bits % 64)) as f64 * 2f64.powi((random() % 900) as i32),
                _ => f64::from_bits(bits % (1 << 54)),
            };
            if !value.is_finite() {
                continue;
            }
            let exact = format!("{value:.1074}");
            assert!(decimal(&exact).is_f64(value), "{value:?}");
            let neighbours = [value.next_up(), value.next_down(), -value];
            for text in [exact.clone(), exact + "1", format!("{value:?}"), format!("{value:.decimals$}")] {
                let number = decimal(&text);
                for value in [value].into_iter().chain(neighbours) {
                    assert_eq!(number.is_f64(value), is_by_digits(&number, value), "{text} and {value:?}");
                }
            }
        }
    }
}

//! Check of whether the digits of a number survive as a 64-bit float.

use std::fmt::Write as _;

use tfxio_core::Decimal;

/// Digits of numbers that are kept, whichever they are.
const SURE: usize = 15;
/// Digits that lead back to every float.
const ENOUGH: usize = 17;
/// Bytes of texts without an exponent, all of whose numbers floats have the range for.
const MOST_PLAIN: usize = 300;

/// Returns whether a number with a fraction or an exponent is kept as a float: written with as many digits, up to the number that parses
/// back to every float, it is the same number. One beyond the range of floats is not looked at.
#[inline]
pub(super) fn is_kept(text: &[u8]) -> bool {
    // One of the bytes is the point.
    text.len() <= SURE + 1 && !text.iter().any(|byte| matches!(byte, b'e' | b'E')) || is_kept_long(text)
}

fn is_kept_long(text: &[u8]) -> bool {
    let end = text.iter().position(|byte| matches!(byte, b'e' | b'E'));
    let number = text.get(..end.unwrap_or(text.len())).unwrap_or_default();
    // Digits, without zeros before and after them.
    let (mut count, mut zeros) = (0usize, 0usize);
    for digit in number.iter().filter(|byte| byte.is_ascii_digit()).skip_while(|digit| **digit == b'0') {
        (count, zeros) = if *digit == b'0' { (count, zeros + 1) } else { (count + zeros + 1, 0) };
    }
    // Without an exponent, no text is so long that a number of few digits is too small.
    if count == 0 || (count <= SURE && end.is_none() && text.len() < MOST_PLAIN) {
        return true;
    }
    let Some(text) = std::str::from_utf8(text).ok() else { return true };
    let Some(value) = text.parse::<f64>().ok().filter(|value| value.is_finite()) else { return true };
    if (count <= SURE && value.is_normal()) || has_shortest(text, value) {
        return true;
    }
    let number = Decimal::new(text);
    if count > ENOUGH {
        return number.is_some_and(|number| number.is_f64(value));
    }
    // Of two that are as near, the shortest digits may be the other.
    number == Decimal::new(&format!("{value:.*e}", count - 1))
        || number == Decimal::new(&format!("{value:e}"))
}

/// Returns whether a text is how a float is written with the fewest digits.
fn has_shortest(text: &str, value: f64) -> bool {
    /// Rest of a text, while it is compared with the output of a writer.
    struct Rest<'a>(&'a str);

    impl std::fmt::Write for Rest<'_> {
        fn write_str(&mut self, part: &str) -> std::fmt::Result {
            self.0 = self.0.strip_prefix(part).ok_or(std::fmt::Error)?;
            Ok(())
        }
    }

    let mut rest = Rest(text);
    write!(rest, "{value:?}").is_ok() && rest.0.is_empty()
}

#[cfg(test)]
mod tests {
    use super::is_kept;

    #[test]
    fn numbers_that_floats_lead_back_to_are_kept() {
        for text in [
            "0.1",
            "1.10",
            "-1e5",
            "0.1234567890123456",
            "0.12345678901234568",
            // As C writes all digits of it.
            "0.10000000000000001",
            "1.7976931348623157e308",
            "5e-324",
            "2.2250738585072014E-308",
            "0.0e-999",
            "-0.0",
            "9007199254740992.0",
            "123456789.12345678",
            // Exactly: two to the power of -30.
            "0.000000000931322574615478515625",
            "1.00000000000000000000000",
            "0.00000000000000000001",
            "0.1e1",
        ] {
            assert!(is_kept(text.as_bytes()), "{text}");
        }
        for text in [
            "0.12345678901234567890",
            "9007199254740993.5",
            "1e-400",
            "4e-324",
            "3.14159265358979323846",
            "0.1000000000000000055",
            "123456789.123456789",
        ] {
            assert!(!is_kept(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn every_float_is_kept_as_it_is_written() {
        let mut state = 1u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let value = f64::from_bits(state);
            if value.is_finite() {
                for text in [format!("{value:?}"), format!("{value:.16e}"), format!("{value:e}")] {
                    assert!(is_kept(text.as_bytes()), "{text}");
                }
            }
        }
    }
}

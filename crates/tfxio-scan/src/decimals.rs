//! Decimals as text, with all digits of a value, even if its type declares fewer. Arrow does not check this.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type};
use arrow_array::{Array, ArrowPrimitiveType};
use arrow_schema::DataType;

/// Returns a decimal of a row, as it is written in digits; `None` of other types. A null is whatever is stored there.
pub fn text(column: &dyn Array, row: usize) -> Option<String> {
    fn digits<T: ArrowPrimitiveType<Native: ToString>>(column: &dyn Array, row: usize) -> String {
        column.as_primitive::<T>().value(row).to_string()
    }
    Some(match column.data_type() {
        DataType::Decimal32(_, scale) => placed(digits::<Decimal32Type>(column, row), *scale),
        DataType::Decimal64(_, scale) => placed(digits::<Decimal64Type>(column, row), *scale),
        DataType::Decimal128(_, scale) => placed(digits::<Decimal128Type>(column, row), *scale),
        DataType::Decimal256(_, scale) => placed(digits::<Decimal256Type>(column, row), *scale),
        _ => return None,
    })
}

/// Returns digits with the point where a scale has it.
fn placed(mut number: String, scale: i8) -> String {
    let size = usize::from(scale.unsigned_abs());
    let sign = usize::from(number.starts_with('-'));
    if scale <= 0 {
        let zeros = if number == "0" { 0 } else { size };
        number.extend(std::iter::repeat_n('0', zeros));
        return number;
    }
    let missing = (size + 1).saturating_sub(number.len() - sign);
    if missing > 0 {
        number.insert_str(sign, &"0".repeat(missing));
    }
    number.insert(number.len() - size, '.');
    number
}

#[cfg(test)]
mod tests {
    use super::placed;

    #[test]
    fn digits_have_their_point() {
        for (digits, scale, text) in [
            ("12345", 2, "123.45"),
            ("-12345", 2, "-123.45"),
            ("5", 2, "0.05"),
            ("-5", 2, "-0.05"),
            ("12", 2, "0.12"),
            ("0", 2, "0.00"),
            ("-7", 0, "-7"),
            ("-7", -3, "-7000"),
            ("0", -3, "0"),
            ("1", 127, &format!("0.{}1", "0".repeat(126))),
        ] {
            assert_eq!(placed(digits.to_owned(), scale), text);
        }
    }
}

//! Numbers as integers of 64 bits that have the same order.

const SIGN: u64 = 1 << 63;

/// Kind of the numbers of a column. Numbers of different kinds have keys that cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberKind {
    /// Integers that fit into `i64`.
    Signed,
    /// Integers of `u64`.
    Unsigned,
    /// Floats, and decimals as floats.
    Float,
}

#[inline]
pub(super) fn signed_key(value: i64) -> u64 {
    value as u64 ^ SIGN
}

/// Returns the key of a float that is not NaN. Both zeros have the same.
#[inline]
pub(super) fn float_key(value: f64) -> u64 {
    // Makes -0.0 to 0.0.
    let bits = (value + 0.0).to_bits();
    // All ones for a negative number, whose order is reversed.
    let mask = ((bits as i64) >> 63) as u64;
    bits ^ (mask | SIGN)
}

impl NumberKind {
    /// Returns the number of a key.
    #[inline]
    pub(super) fn number(self, key: u64) -> f64 {
        match self {
            Self::Signed => (key ^ SIGN) as i64 as f64,
            Self::Unsigned => key as f64,
            Self::Float => f64::from_bits(if key & SIGN == 0 { !key } else { key ^ SIGN }),
        }
    }

    /// Returns the text of a number, as Python prints it.
    pub(super) fn text(self, key: u64) -> String {
        match self {
            Self::Signed => ((key ^ SIGN) as i64).to_string(),
            Self::Unsigned => key.to_string(),
            Self::Float => format!("{:?}", self.number(key)),
        }
    }

    /// Returns whether the statistics have the type `FLOAT`.
    pub(super) fn is_float(self) -> bool {
        self == Self::Float
    }
}

#[cfg(test)]
mod tests {
    use super::{NumberKind, float_key, signed_key};

    #[test]
    fn keys_have_the_order_of_numbers() {
        let floats = [f64::NEG_INFINITY, -2.5, -1e-310, 0.0, 5e-324, 1.0, f64::MAX, f64::INFINITY];
        for pair in floats.windows(2) {
            assert!(float_key(pair[0]) < float_key(pair[1]), "{pair:?}");
        }
        for value in floats {
            assert_eq!(NumberKind::Float.number(float_key(value)), value);
        }
        assert_eq!(float_key(-0.0), float_key(0.0));
        for pair in [i64::MIN, -1, 0, 7, i64::MAX].windows(2) {
            assert!(signed_key(pair[0]) < signed_key(pair[1]), "{pair:?}");
            assert_eq!(NumberKind::Signed.text(signed_key(pair[0])), pair[0].to_string());
        }
    }
}

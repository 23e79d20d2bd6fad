//! Positions of examples as text: variable-length integers in base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use serde::{Deserialize, Serialize};

use super::MOST;
use crate::progress::ItemPlace;

/// Positions of examples, saved as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct Places(pub(crate) Vec<ItemPlace>);

impl From<Places> for String {
    fn from(places: Places) -> Self {
        write(&places.0)
    }
}

impl TryFrom<String> for Places {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let places =
            read(&text).filter(|places| places.iter().all(|place| place.record.max(place.byte) <= MOST));
        places.map(Self).ok_or("the positions of examples are damaged")
    }
}

/// Returns the text of positions, in order.
fn write(places: &[ItemPlace]) -> String {
    let mut bytes = Vec::with_capacity(places.len().saturating_mul(8));
    for place in places {
        let plain = place.step == 0 && place.len == 1 && place.records == 1;
        // Whether more than a record's position follows stands in the lowest bit.
        put(&mut bytes, u64::from(place.part) << 1 | u64::from(!plain));
        put(&mut bytes, place.record);
        put(&mut bytes, place.byte);
        if !plain {
            put(&mut bytes, u64::from(place.step));
            put(&mut bytes, u64::from(place.len));
            put(&mut bytes, u64::from(place.records));
        }
    }
    STANDARD_NO_PAD.encode(bytes)
}

/// Returns the positions that [`write`] wrote, or `None` if the text is damaged.
fn read(text: &str) -> Option<Vec<ItemPlace>> {
    let bytes = STANDARD_NO_PAD.decode(text).ok()?;
    let mut rest = bytes.as_slice();
    let mut places = Vec::new();
    while !rest.is_empty() {
        let head = take(&mut rest)?;
        let (record, byte) = (take(&mut rest)?, take(&mut rest)?);
        let mut place =
            ItemPlace { part: u32::try_from(head >> 1).ok()?, step: 0, len: 1, records: 1, record, byte };
        if head & 1 == 1 {
            place.step = u32::try_from(take(&mut rest)?).ok()?;
            place.len = u32::try_from(take(&mut rest)?).ok()?;
            place.records = u32::try_from(take(&mut rest)?).ok()?;
        }
        places.push(place);
    }
    Some(places)
}

fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7f);
        value |= bits.checked_shl(shift)?;
        if byte < 0x80 {
            return (shift < 63 || bits < 2).then_some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{read, write};
    use crate::progress::ItemPlace;

    #[test]
    fn places_come_back() {
        let places = [
            ItemPlace { part: 0, step: 0, len: 1, records: 1, record: 0, byte: 0 },
            ItemPlace { part: 3, step: 7, len: 64, records: 2, record: 1 << 40, byte: u64::MAX },
            ItemPlace { part: u32::MAX, step: 0, len: 1, records: 1, record: u64::MAX, byte: 127 },
        ];
        assert_eq!(read(&write(&places)).as_deref(), Some(&places[..]));
        assert_eq!(read("").as_deref(), Some(&[][..]));
        assert_eq!(write(&places[..1]).len(), 4, "three bytes a record that begins at 0");
    }

    #[test]
    fn damage_is_seen() {
        let text = write(&[ItemPlace { part: 1, step: 2, len: 3, records: 4, record: 5, byte: 600 }]);
        for end in 1..text.len() {
            assert_eq!(read(&text[..end]), None, "cut off at {end}");
        }
        assert_eq!(read("////////////////"), None, "a number without an end");
        assert_eq!(read("$"), None);
    }
}

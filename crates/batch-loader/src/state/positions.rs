//! Positions of examples as text: variable-length integers in base64.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use serde::{Deserialize, Serialize};

use super::MOST;
use crate::progress::ItemPosition;

/// Positions of examples, saved as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct ItemPositions(pub(crate) Vec<ItemPosition>);

impl From<ItemPositions> for String {
    fn from(positions: ItemPositions) -> Self {
        write(&positions.0)
    }
}

impl TryFrom<String> for ItemPositions {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let positions = read(&text)
            .filter(|positions| positions.iter().all(|position| position.record.max(position.byte) <= MOST));
        positions.map(Self).ok_or("the positions of examples are damaged")
    }
}

/// Returns the text of positions, in order.
fn write(positions: &[ItemPosition]) -> String {
    let mut bytes = Vec::with_capacity(positions.len().saturating_mul(8));
    for position in positions {
        let plain = position.step == 0 && position.len == 1 && position.records == 1;
        // Whether more than a record's position follows stands in the lowest bit.
        put(&mut bytes, u64::from(position.part) << 1 | u64::from(!plain));
        put(&mut bytes, position.record);
        put(&mut bytes, position.byte);
        if !plain {
            put(&mut bytes, u64::from(position.step));
            put(&mut bytes, u64::from(position.len));
            put(&mut bytes, u64::from(position.records));
        }
    }
    STANDARD_NO_PAD.encode(bytes)
}

/// Returns the positions that [`write`] wrote, or `None` if the text is damaged.
fn read(text: &str) -> Option<Vec<ItemPosition>> {
    let bytes = STANDARD_NO_PAD.decode(text).ok()?;
    let mut rest = bytes.as_slice();
    let mut positions = Vec::new();
    while !rest.is_empty() {
        let head = take(&mut rest)?;
        let (record, byte) = (take(&mut rest)?, take(&mut rest)?);
        let mut position =
            ItemPosition { part: u32::try_from(head >> 1).ok()?, step: 0, len: 1, records: 1, record, byte };
        if head & 1 == 1 {
            position.step = u32::try_from(take(&mut rest)?).ok()?;
            position.len = u32::try_from(take(&mut rest)?).ok()?;
            position.records = u32::try_from(take(&mut rest)?).ok()?;
        }
        positions.push(position);
    }
    Some(positions)
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
    use crate::progress::ItemPosition;

    #[test]
    fn positions_come_back() {
        let positions = [
            ItemPosition { part: 0, step: 0, len: 1, records: 1, record: 0, byte: 0 },
            ItemPosition { part: 3, step: 7, len: 64, records: 2, record: 1 << 40, byte: u64::MAX },
            ItemPosition { part: u32::MAX, step: 0, len: 1, records: 1, record: u64::MAX, byte: 127 },
        ];
        assert_eq!(read(&write(&positions)).as_deref(), Some(&positions[..]));
        assert_eq!(read("").as_deref(), Some(&[][..]));
        assert_eq!(write(&positions[..1]).len(), 4, "three bytes a record that begins at 0");
    }

    #[test]
    fn damage_is_seen() {
        let text = write(&[ItemPosition { part: 1, step: 2, len: 3, records: 4, record: 5, byte: 600 }]);
        for end in 1..text.len() {
            assert_eq!(read(&text[..end]), None, "cut off at {end}");
        }
        assert_eq!(read("////////////////"), None, "a number without an end");
        assert_eq!(read("$"), None);
    }
}

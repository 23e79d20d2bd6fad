//! Messages as trees, whose lengths can be wrong.

/// A part of a message.
#[derive(Clone, Debug)]
pub enum Node {
    /// A field with a length before it.
    Field { tag: u8, length: Length, body: Vec<Node> },
    /// Bytes as they are.
    Bytes(Vec<u8>),
}

/// Written form of a length.
#[derive(Clone, Copy, Debug, Default)]
pub struct Length {
    /// Number added to the true length.
    pub lie: i64,
    /// Number of bytes of the varint beyond the fewest.
    pub padding: usize,
}

impl Node {
    pub fn field(number: u8, body: Vec<Self>) -> Self {
        Self::Field { tag: number << 3 | 2, length: Length::default(), body }
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Bytes(bytes) => out.extend_from_slice(bytes),
            Self::Field { tag, length, body } => {
                out.push(*tag);
                let at = out.len();
                for node in body {
                    node.write(out);
                }
                let mut head = Vec::with_capacity(10);
                padded_varint(&mut head, ((out.len() - at) as i64 + length.lie) as u64, length.padding);
                out.splice(at..at, head);
            }
        }
    }

    pub fn to_vec(nodes: &[Self]) -> Vec<u8> {
        let mut out = Vec::new();
        for node in nodes {
            node.write(&mut out);
        }
        out
    }

    /// Returns the fields within this field, itself first.
    pub fn body(&mut self) -> Option<&mut Vec<Self>> {
        match self {
            Self::Field { body, .. } => Some(body),
            Self::Bytes(_) => None,
        }
    }
}

pub fn varint(out: &mut Vec<u8>, value: u64) {
    padded_varint(out, value, 0);
}

/// Writes a varint with so many bytes more than needed; beyond ten bytes in all it is none.
pub fn padded_varint(out: &mut Vec<u8>, mut value: u64, padding: usize) {
    while value > 0x7f {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    if padding == 0 {
        out.push(value as u8);
        return;
    }
    out.push(value as u8 | 0x80);
    out.extend(std::iter::repeat_n(0x80, padding - 1));
    out.push(0);
}

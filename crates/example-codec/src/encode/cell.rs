//! One feature of one record.
//!
//! ```text
//! 0a L  0a L name  12 L  1a L  0a L values
//! entry key        value list  packed values
//! ```
//!
//! `1a` is the tag of `int64_list`; `12` is that of `float_list`, `0a` that of `bytes_list`, in which
//! each value is a field `0a L value` of its own. (tensorflow/core/example/{example,feature}.proto)

use super::back::Back;
use crate::FeatureKind;
use crate::example::field;

/// No memory for more output.
pub(super) struct Full;

/// What stands around the values of one list.
pub(super) trait Frame {
    /// Bytes to reserve besides the values.
    fn room(&self) -> usize;

    /// Puts what stands before one run of values of `bytes` bytes, at least one, in front. Needs
    /// [`room`](Self::room).
    fn run(&self, bytes: usize, out: &mut Back);

    /// Puts the last `bytes` of `values`, one run, and what stands before it in front; false, and nothing is
    /// put, if that is not ready-made. Needs [`room`](Self::room).
    fn short_run<const N: usize>(&self, values: &[u8; N], bytes: usize, out: &mut Back) -> bool;

    /// Puts what stands before a list message of `bytes` bytes in front.
    fn list(&self, bytes: usize, out: &mut Back);

    /// Puts a feature without a kind in front.
    fn null(&self, out: &mut Back);
}

/// Writes the values of a row.
pub(super) trait Cells {
    /// Puts the feature of a row in front of `out`.
    fn write(&self, row: usize, head: &Head, out: &mut Back) -> Result<(), Full>;
}

/// A column of a batch that can write its rows.
pub(super) struct Column<'a> {
    head: &'a Head,
    cells: Box<dyn Cells + 'a>,
}

impl<'a> Column<'a> {
    pub(super) fn new(head: &'a Head, cells: impl Cells + 'a) -> Self {
        Self { head, cells: Box::new(cells) }
    }

    #[inline(always)]
    pub(super) fn write(&self, row: usize, out: &mut Back) -> Result<(), Full> {
        self.cells.write(row, self.head, out)
    }
}

/// Bytes of the longest ready-made head.
const BLOCK: usize = 64;
/// Bytes of a head besides the name.
const AROUND_NAME: usize = 10;

/// Everything of a feature that stands before its values, made once for a column.
#[derive(Debug)]
pub(super) struct Head {
    /// Tag, length and bytes of the name, and the tag of the value.
    key: Box<[u8]>,
    list_tag: u8,
    /// The head of one run of values, right-aligned, with every length as for a run of no bytes.
    block: [u8; BLOCK],
    /// The last eight bytes of that.
    tail: u64,
    /// Its length in bytes.
    length: usize,
    /// Runs of fewer bytes than this have lengths of one byte, and a ready-made head.
    short: usize,
    /// The length byte of the entry, for a run of no bytes.
    entry: u8,
    /// The whole feature of a null.
    null: Box<[u8]>,
}

impl Head {
    pub(super) fn new(name: &str, kind: Option<FeatureKind>) -> Self {
        let (mut key, mut null) = (Vec::new(), Vec::new());
        field(&mut key, 1, name.as_bytes());
        key.push(0x12);
        field(&mut null, 1, &[&key, &[0][..]].concat());
        let list_tag = list_tag(kind);
        let mut head = Self {
            key: key.into(),
            list_tag,
            block: [0; BLOCK],
            tail: 0,
            length: 0,
            short: 0,
            entry: 0,
            null: null.into(),
        };
        head.make_block();
        head
    }

    fn make_block(&mut self) {
        let name = self.key.len() - 3;
        self.length = name + AROUND_NAME;
        if self.length > BLOCK || self.key.get(1).is_none_or(|&length| usize::from(length) != name) {
            return;
        }
        let entry = name + 8;
        let mut head = vec![0x0a, entry as u8];
        head.extend_from_slice(&self.key);
        head.extend_from_slice(&[4, self.list_tag, 2, 0x0a, 0]);
        for (to, from) in self.block.iter_mut().rev().zip(head.iter().rev()) {
            *to = *from;
        }
        if let Some(tail) = self.block.last_chunk::<8>() {
            self.tail = u64::from_le_bytes(*tail);
        }
        self.entry = entry as u8;
        self.short = 128 - entry;
    }

    /// Puts a head in front of a value of the map of `bytes` bytes. Needs [`room`](Frame::room).
    #[inline]
    pub(super) fn value(&self, bytes: usize, out: &mut Back) {
        let entry = bytes + out.varint(bytes as u64) + self.key.len();
        out.put(&self.key);
        out.varint(entry as u64);
        out.byte(0x0a);
    }
}

impl Frame for Head {
    #[inline(always)]
    fn room(&self) -> usize {
        self.key.len() + 2 * BLOCK
    }

    #[inline(always)]
    fn run(&self, bytes: usize, out: &mut Back) {
        if bytes < self.short {
            // The lengths are the last, third and fifth bytes from the end, and that of the entry.
            let n = bytes as u64;
            if self.length <= BLOCK / 2 {
                if let Some(half) = self.block.last_chunk::<{ BLOCK / 2 }>() {
                    out.put_block(half, self.length);
                }
            } else {
                out.put_block(&self.block, self.length);
            }
            out.patch_word(self.length, self.tail + ((n << 24) | (n << 40) | (n << 56)));
            out.patch(1, self.entry + bytes as u8);
        } else {
            let before = out.varint(bytes as u64);
            out.byte(0x0a);
            self.list(bytes + before + 1, out);
        }
    }

    #[inline(always)]
    fn short_run<const N: usize>(&self, values: &[u8; N], bytes: usize, out: &mut Back) -> bool {
        const HALF: usize = BLOCK / 2;
        let Some(window) = out.window::<{ BLOCK }>() else { return false };
        let Some(head) = self.block.last_chunk::<HALF>() else { return false };
        if bytes >= self.short || bytes > N || N > 16 || self.length > HALF || self.length < AROUND_NAME {
            return false;
        }
        // All that follows lies in the window whatever the lengths are, which the compiler sees.
        window[BLOCK - N..].copy_from_slice(values);
        let end = BLOCK - bytes;
        window[end - HALF..end].copy_from_slice(head);
        let n = bytes as u64;
        let tail = self.tail + ((n << 24) | (n << 40) | (n << 56));
        window[end - 8..end].copy_from_slice(&tail.to_le_bytes());
        window[end - self.length + 1] = self.entry + bytes as u8;
        out.skip(bytes + self.length);
        true
    }

    #[inline]
    fn list(&self, bytes: usize, out: &mut Back) {
        let feature = bytes + 1 + out.varint(bytes as u64);
        out.byte(self.list_tag);
        self.value(feature, out);
    }

    #[inline]
    fn null(&self, out: &mut Back) {
        out.put(&self.null);
    }
}

/// The tag of the list of a kind: the field number, length-delimited.
pub(super) fn list_tag(kind: Option<FeatureKind>) -> u8 {
    kind.map_or(0, |kind| (kind.field() as u8) << 3 | 2)
}

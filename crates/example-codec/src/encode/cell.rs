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
use super::block::Buffers;
use super::short::ShortHead;
use crate::FeatureKind;
use crate::example::field;

/// No memory for more output.
pub(super) struct Full;

/// Bytes around the values of one list.
pub(super) trait Frame {
    /// Bytes to reserve besides the values.
    fn room(&self) -> usize;

    /// Puts the head of one run of values of `bytes` bytes, at least one, in front. Needs [`room`](Self::room).
    fn run(&self, bytes: usize, out: &mut Back);

    /// Puts the head of a list message of `bytes` bytes in front.
    fn list(&self, bytes: usize, out: &mut Back);

    /// Puts a feature without a kind in front.
    fn null(&self, out: &mut Back);
}

/// Writes the values of a row.
pub(super) trait Cells {
    /// Puts the feature of a row in front of `out`.
    fn write(&self, row: usize, head: &Head, out: &mut Back) -> Result<(), Full>;

    /// Puts the features of `count` rows from `first` on in front of `rows`, each of its own.
    fn write_rows(&self, first: usize, count: usize, head: &Head, rows: &mut Buffers) -> Result<(), Full> {
        (first..).zip(rows).take(count).try_for_each(|(row, out)| self.write(row, head, out))
    }
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

    /// Puts the features of `count` rows from `first` on in front of `rows`, each of its own.
    #[inline(always)]
    pub(super) fn write_rows(&self, first: usize, count: usize, rows: &mut Buffers) -> Result<(), Full> {
        self.cells.write_rows(first, count, self.head, rows)
    }
}

/// Bytes of the longest head that is made ready.
const BLOCK: usize = 64;
/// Head of a feature, before its values, made once for a column.
#[derive(Debug)]
pub(super) struct Head {
    /// Tag, length and bytes of the name, and the tag of the value.
    key: Box<[u8]>,
    list_tag: u8,
    /// The head of one run of values, if its lengths have one byte each.
    short: Option<ShortHead<BLOCK>>,
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
        let short = ShortHead::of_run(&key, list_tag);
        Self { key: key.into(), list_tag, short, null: null.into() }
    }

    /// Returns the heads of one short run of values and of a null, if they have not more than `N` bytes.
    pub(super) fn short<const N: usize>(&self) -> Option<(ShortHead<N>, ShortHead<N>)> {
        Some((self.short.as_ref()?.shortened()?, ShortHead::of_nothing(&self.null)?))
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
        if let Some(head) = self.short.as_ref().filter(|head| bytes < head.end()) {
            head.put(bytes, out);
        } else {
            let before = out.varint(bytes as u64);
            out.byte(0x0a);
            self.list(bytes + before + 1, out);
        }
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

/// Returns the tag of the list of a kind: the field number, length-delimited.
pub(super) fn list_tag(kind: Option<FeatureKind>) -> u8 {
    kind.map_or(0, |kind| (kind.field() as u8) << 3 | 2)
}

//! The strings of arrays of all types.

use std::borrow::Cow;

use arrow_array::cast::AsArray as _;
use arrow_array::types::ByteArrayType;
use arrow_array::{Array, GenericByteArray, LargeBinaryArray};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;

use crate::statistics::string_counts::{INLINE, StringCounts};

/// Returns whether a type is of strings of bytes.
pub(in crate::statistics) fn is_text(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Binary
            | DataType::LargeBinary
            | DataType::Utf8
            | DataType::LargeUtf8
            | DataType::BinaryView
            | DataType::Utf8View
            | DataType::FixedSizeBinary(_)
    )
}

/// The strings of an array, nulls left out.
pub(super) struct ArrayStrings<'a> {
    offsets: Offsets<'a>,
    data: Cow<'a, [u8]>,
    nulls: Option<NullBuffer>,
}

enum Offsets<'a> {
    Narrow(&'a [i32]),
    Wide(Cow<'a, [i64]>),
}

impl<'a> ArrayStrings<'a> {
    pub(super) fn of(array: &'a dyn Array) -> Self {
        match array.data_type() {
            DataType::Binary => Self::narrow(array.as_binary::<i32>()),
            DataType::Utf8 => Self::narrow(array.as_string::<i32>()),
            DataType::LargeBinary => Self::wide(array.as_binary::<i64>()),
            DataType::LargeUtf8 => Self::wide(array.as_string::<i64>()),
            DataType::BinaryView => Self::copied(array.as_binary_view().iter()),
            DataType::Utf8View => {
                Self::copied(array.as_string_view().iter().map(|text| text.map(str::as_bytes)))
            }
            DataType::FixedSizeBinary(_) => Self::copied(array.as_fixed_size_binary().iter()),
            _ => Self::copied(std::iter::empty::<Option<&[u8]>>()),
        }
    }

    fn narrow<T: ByteArrayType<Offset = i32>>(array: &'a GenericByteArray<T>) -> Self {
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0).cloned();
        Self {
            offsets: Offsets::Narrow(array.value_offsets()),
            data: Cow::Borrowed(array.value_data()),
            nulls,
        }
    }

    fn wide<T: ByteArrayType<Offset = i64>>(array: &'a GenericByteArray<T>) -> Self {
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0).cloned();
        let offsets = Offsets::Wide(Cow::Borrowed(array.value_offsets()));
        Self { offsets, data: Cow::Borrowed(array.value_data()), nulls }
    }

    fn copied<B: AsRef<[u8]>>(values: impl Iterator<Item = Option<B>>) -> Self {
        let copy: LargeBinaryArray = values.collect();
        let nulls = copy.nulls().filter(|nulls| nulls.null_count() > 0).cloned();
        let offsets = Offsets::Wide(Cow::Owned(copy.value_offsets().to_vec()));
        Self { offsets, data: Cow::Owned(copy.value_data().to_vec()), nulls }
    }

    fn len(&self) -> usize {
        match &self.offsets {
            Offsets::Narrow(offsets) => offsets.len().saturating_sub(1),
            Offsets::Wide(offsets) => offsets.len().saturating_sub(1),
        }
    }

    /// Returns the number of strings that are not null.
    pub(super) fn valid(&self) -> usize {
        self.len().saturating_sub(self.nulls.as_ref().map_or(0, NullBuffer::null_count))
    }

    /// Returns the bytes from the first to the last string, strings of nulls included.
    pub(super) fn all_bytes(&self) -> &[u8] {
        let (first, last) = match &self.offsets {
            Offsets::Narrow(offsets) => ends(offsets),
            Offsets::Wide(offsets) => ends(offsets),
        };
        self.data.get(first..last).unwrap_or_default()
    }

    /// Returns the bytes of the strings.
    pub(super) fn bytes(&self) -> u64 {
        if self.nulls.is_none() {
            return self.all_bytes().len() as u64;
        }
        let mut bytes = 0;
        self.for_each(|string| bytes += string.len() as u64);
        bytes
    }

    /// Returns the length of all strings, if they have the same.
    pub(super) fn only_length(&self) -> Option<usize> {
        match &self.offsets {
            Offsets::Narrow(offsets) => only_length(offsets),
            Offsets::Wide(offsets) => only_length(offsets),
        }
    }

    /// Counts the strings.
    pub(super) fn add_to(&self, counts: &mut StringCounts) {
        if let (None, Some(length @ 1..=INLINE)) = (&self.nulls, self.only_length()) {
            return counts.extend_short(self.all_bytes(), length);
        }
        match &self.offsets {
            Offsets::Narrow(offsets) => add_to(counts, offsets, &self.data, self.nulls.as_ref()),
            Offsets::Wide(offsets) => add_to(counts, offsets, &self.data, self.nulls.as_ref()),
        }
    }

    #[inline]
    pub(super) fn for_each(&self, mut each: impl FnMut(&[u8])) {
        self.for_each_at(|_, string| each(string));
    }

    /// Calls a function with the row of each string, and the string.
    #[inline]
    pub(super) fn for_each_at<'s>(&'s self, each: impl FnMut(usize, &'s [u8])) {
        match &self.offsets {
            Offsets::Narrow(offsets) => for_each(offsets, &self.data, self.nulls.as_ref(), each),
            Offsets::Wide(offsets) => for_each(offsets, &self.data, self.nulls.as_ref(), each),
        }
    }
}

/// An offset, which Arrow has checked: not negative, and in ascending order.
trait Offset: Copy {
    fn index(self) -> usize;
}

impl Offset for i32 {
    #[inline]
    fn index(self) -> usize {
        self as usize
    }
}

impl Offset for i64 {
    #[inline]
    fn index(self) -> usize {
        self as usize
    }
}

fn ends<O: Offset>(offsets: &[O]) -> (usize, usize) {
    match (offsets.first(), offsets.last()) {
        (Some(first), Some(last)) => (first.index(), last.index()),
        _ => (0, 0),
    }
}

fn only_length<O: Offset>(offsets: &[O]) -> Option<usize> {
    let (first, last) = ends(offsets);
    let count = offsets.len().checked_sub(1).filter(|count| *count > 0)?;
    let length = (last - first) / count;
    // No branch, so that several are compared at once.
    let others = offsets.windows(2).fold(0, |others, pair| match pair {
        [start, end] => others | ((end.index() - start.index()) ^ length),
        _ => others,
    });
    (others == 0).then_some(length)
}

fn add_to<O: Offset>(counts: &mut StringCounts, offsets: &[O], data: &[u8], nulls: Option<&NullBuffer>) {
    match nulls {
        None => counts.extend(strings(offsets, data)),
        Some(nulls) => {
            let valid = strings(offsets, data).zip(nulls.iter()).filter(|(_, is_valid)| *is_valid);
            counts.extend(valid.map(|(string, _)| string));
        }
    }
}

#[inline]
fn for_each<'a, O: Offset>(
    offsets: &[O],
    data: &'a [u8],
    nulls: Option<&NullBuffer>,
    mut each: impl FnMut(usize, &'a [u8]),
) {
    for (row, string) in strings(offsets, data).enumerate() {
        if nulls.is_none_or(|nulls| nulls.is_valid(row)) {
            each(row, string);
        }
    }
}

/// Returns the strings, strings of nulls included.
#[inline]
fn strings<'a, 'b: 'a, O: Offset>(
    offsets: &'a [O],
    data: &'b [u8],
) -> impl ExactSizeIterator<Item = &'b [u8]> {
    offsets.windows(2).map(|pair| match pair {
        [start, end] => data.get(start.index()..end.index()).unwrap_or_default(),
        _ => &[],
    })
}

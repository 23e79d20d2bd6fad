//! The options of a Misra-Gries sketch.

use std::cmp::Ordering;

use tfxio_base::{Error, Result};

use super::MisraGries;
use super::counters::Counters;
use crate::kind::check_buckets;
use crate::{Kind, SketchOption, ValueType};

/// The order of values of equal counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OrderOnTie {
    /// Ascending bytes. The default.
    #[default]
    Lexicographical,
    /// Descending bytes.
    ReverseLexicographical,
}

impl OrderOnTie {
    pub(super) fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        match self {
            Self::Lexicographical => a.cmp(b),
            Self::ReverseLexicographical => b.cmp(a),
        }
    }
}

/// Options of a sketch, besides its buckets.
#[derive(Clone, Debug, Default)]
pub(super) struct Options {
    pub(super) invalid_utf8_placeholder: Option<String>,
    pub(super) large_strings: Option<LargeStrings>,
    pub(super) order_on_tie: OrderOnTie,
}

/// Strings that are not counted as themselves, because they are long.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LargeStrings {
    /// The most bytes of a string that is.
    pub(super) threshold: usize,
    /// Placeholder that longer ones are counted as.
    pub(super) placeholder: String,
}

impl Options {
    /// Returns the bytes that an item is counted as: numbers as themselves, however long their text is.
    pub(super) fn counted<'a>(&'a self, given: ValueType, item: &'a [u8]) -> &'a [u8] {
        if given != ValueType::Bytes {
            return item;
        }
        if let Some(placeholder) = &self.invalid_utf8_placeholder
            && std::str::from_utf8(item).is_err()
        {
            return placeholder.as_bytes();
        }
        match &self.large_strings {
            Some(large) if item.len() > large.threshold => large.placeholder.as_bytes(),
            _ => item,
        }
    }

    /// Returns the first option in which two sketches differ so that they cannot be merged.
    pub(super) fn difference(&self, other: &Self) -> Option<SketchOption> {
        let threshold = |options: &Self| options.large_strings.as_ref().map(|large| large.threshold);
        if threshold(self) != threshold(other) {
            Some(SketchOption::LargeStringThreshold)
        } else if self.large_strings != other.large_strings {
            Some(SketchOption::LargeStringPlaceholder)
        } else if self.invalid_utf8_placeholder != other.invalid_utf8_placeholder {
            Some(SketchOption::InvalidUtf8Placeholder)
        } else {
            None
        }
    }
}

/// Sets the options of a [`MisraGries`].
///
/// ```
/// use arrow_array::cast::AsArray;
/// use arrow_array::BinaryArray;
/// use tfxio_stats::MisraGries;
///
/// let mut sketch =
///     MisraGries::builder(10).invalid_utf8_placeholder("<bytes>").large_strings(4, "<large>").build()?;
/// sketch.add(&BinaryArray::from(vec![&b"\xff"[..], b"\xc0\x80", b"hello", b"you"]))?;
/// let values = sketch.estimate().column(0).as_binary::<i64>().iter().flatten().map(<[u8]>::to_vec).collect::<Vec<_>>();
/// assert_eq!(values, [&b"<bytes>"[..], b"<large>", b"you"]);
/// # Ok::<(), tfxio_stats::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct MisraGriesBuilder {
    buckets: usize,
    options: Options,
}

impl MisraGriesBuilder {
    pub(super) fn new(buckets: usize) -> Self {
        Self { buckets, options: Options::default() }
    }

    /// Sets what strings that are not UTF-8 count as. Default: each as itself.
    pub fn invalid_utf8_placeholder(mut self, placeholder: impl Into<String>) -> Self {
        self.options.invalid_utf8_placeholder = Some(placeholder.into());
        self
    }

    /// Sets what strings of more than `threshold` bytes count as, which bounds the memory of the sketch. Default: each as
    /// itself.
    pub fn large_strings(mut self, threshold: usize, placeholder: impl Into<String>) -> Self {
        self.options.large_strings = Some(LargeStrings { threshold, placeholder: placeholder.into() });
        self
    }

    /// Sets the order of values of equal counts. Default: ascending bytes.
    pub fn order_on_tie(mut self, order: OrderOnTie) -> Self {
        self.options.order_on_tie = order;
        self
    }

    /// Returns an empty sketch.
    ///
    /// # Errors
    ///
    /// If the number of buckets is 0 or more than 2³¹ - 1, or if the threshold of large strings is above that.
    pub fn build(self) -> Result<MisraGries> {
        check_buckets(self.buckets)?;
        if let Some(large) = &self.options.large_strings
            && i32::try_from(large.threshold).is_err()
        {
            let what = format!("large strings above {} bytes", large.threshold);
            let kind = Kind::InvalidOption(SketchOption::LargeStringThreshold);
            return Err(Error::new(kind, what).help(format!("give a threshold of at most {}", i32::MAX)));
        }
        Ok(MisraGries { counters: Counters::new(self.buckets), value_type: None, options: self.options })
    }
}

//! The byte strings of a column.

mod read;

use arrow_array::{Array, Float32Array, LargeBinaryArray};
use tfxio_base::Result;

use self::read::ArrayStrings;
use super::StatisticsOptions;
use super::images::{self, Images};
use super::lengths::Lengths;
use super::string_counts::{KEPT, LONGEST, StringCounts};
use crate::MisraGries;

pub(super) use self::read::is_text;

/// Statistics of the byte strings of a column.
#[derive(Clone, Debug)]
pub(super) struct ByteStrings {
    pub(super) count: u64,
    pub(super) bytes: u64,
    pub(super) not_utf8: u64,
    pub(super) counts: StringCounts,
    pub(super) lengths: Lengths,
    pub(super) weighted: Option<Box<MisraGries>>,
    /// Statistics of the images among the values.
    pub(super) images: Option<Box<Images>>,
}

/// Placeholders among frequent values: of a string that is not UTF-8, and of one that is too long.
pub(super) const NOT_UTF8: &str = "__BYTES_VALUE__";
pub(super) const LARGE: &str = "__LARGE_BYTES__";

impl ByteStrings {
    pub(super) fn new(options: &StatisticsOptions) -> Self {
        Self {
            count: 0,
            bytes: 0,
            not_utf8: 0,
            counts: StringCounts::new(options.exact_values),
            lengths: Lengths::new(options.epsilon),
            weighted: None,
            images: None,
        }
    }

    /// Adds the values of an array of strings, nulls left out, each with the weight of its row where there are weights.
    pub(super) fn update(&mut self, values: &dyn Array, weights: Option<&[f64]>) -> Result<()> {
        let strings = ArrayStrings::of(values);
        self.count = self.count.saturating_add(strings.valid() as u64);
        self.bytes = self.bytes.saturating_add(strings.bytes());
        // Nearly all texts are plain, which is seen for all of a batch at once.
        let is_plain = strings.all_bytes().is_ascii();
        strings.add_to(&mut self.counts);
        match strings.only_length() {
            Some(length) => self.lengths.add(length as u64, strings.valid() as u64),
            None => strings.for_each(|string| self.lengths.add(string.len() as u64, 1)),
        }
        if !is_plain {
            let mut wrong = 0;
            let images = &mut self.images;
            strings.for_each(|string| {
                wrong += u64::from(std::str::from_utf8(string).is_err());
                images::note(images, string, self.counts.most_exact);
            });
            self.not_utf8 = self.not_utf8.saturating_add(wrong);
        }
        if let Some(weights) = weights {
            self.add_weighted(&strings, weights)?;
        }
        Ok(())
    }

    fn add_weighted(&mut self, strings: &ArrayStrings<'_>, weights: &[f64]) -> Result<()> {
        let (mut values, mut of_values) = (Vec::new(), Vec::new());
        strings.for_each_at(|at, string| {
            values.push(string);
            of_values.push(weights.get(at).copied().unwrap_or(0.0) as f32);
        });
        if self.weighted.is_none() {
            let sketch =
                MisraGries::builder(KEPT).invalid_utf8_placeholder(NOT_UTF8).large_strings(LONGEST, LARGE);
            self.weighted = Some(Box::new(sketch.build()?));
        }
        match &mut self.weighted {
            Some(weighted) => weighted
                .add_weighted(&LargeBinaryArray::from_iter_values(values), &Float32Array::from(of_values)),
            None => Ok(()),
        }
    }

    pub(super) fn merge(&mut self, other: &Self) -> Result<()> {
        self.count = self.count.saturating_add(other.count);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.not_utf8 = self.not_utf8.saturating_add(other.not_utf8);
        self.counts.merge(&other.counts);
        self.lengths.merge(&other.lengths);
        match (&mut self.images, &other.images) {
            (None, theirs) => self.images.clone_from(theirs),
            (Some(ours), Some(theirs)) => ours.merge(theirs),
            (Some(_), None) => {}
        }
        match (&mut self.weighted, &other.weighted) {
            (None, theirs) => self.weighted.clone_from(theirs),
            (Some(ours), Some(theirs)) => ours.merge(theirs)?,
            (Some(_), None) => {}
        }
        Ok(())
    }

    /// Returns whether the values are not text: more than half of them are not UTF-8.
    pub(super) fn is_binary(&self) -> bool {
        self.not_utf8 > self.count / 2
    }
}

//! Images among byte strings, by format and size.

use tfxio_core::media::{Media, MediaType};

use super::string_counts::StringCounts;

/// The formats that are told apart, by the names that TensorFlow Data Validation has for them, in their order.
pub(super) const FORMATS: [(MediaType, &str); 5] = [
    (MediaType::Bmp, "bmp"),
    (MediaType::Gif, "gif"),
    (MediaType::Jpeg, "jpeg"),
    (MediaType::Png, "png"),
    (MediaType::WebP, "webp"),
];

/// Statistics of the images of a column.
#[derive(Clone, Debug)]
pub(super) struct Images {
    /// Number of images of each of the [`FORMATS`].
    pub(super) formats: [u64; FORMATS.len()],
    /// Number of images whose headers contain their size.
    pub(super) sized: u64,
    pub(super) widths: Extent,
    pub(super) heights: Extent,
    /// Widths and heights as [bytes](size_word).
    pub(super) sizes: StringCounts,
}

/// Widths or heights in pixels; all 0 without images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) sum: u64,
    pub(super) min: u32,
    pub(super) max: u32,
}

/// Notes a value, if it is an image that is not plain ASCII, which is seen of many values at once.
#[inline]
pub(super) fn note(images: &mut Option<Box<Images>>, value: &[u8], most_exact: usize) {
    // Of nearly all other values the first byte is another.
    if let [0x89, b'P', ..] | [0xff, 0xd8, ..] | [b'G', b'I', ..] | [b'R', b'I', ..] | [b'B', b'M', ..] =
        value
    {
        note_candidate(images, value, most_exact);
    }
}

#[inline(never)]
fn note_candidate(images: &mut Option<Box<Images>>, value: &[u8], most_exact: usize) {
    let Some(media) = Media::of(value).filter(|_| !value.is_ascii()) else { return };
    if let Some(format) = FORMATS.iter().position(|(format, _)| *format == media.media_type) {
        images.get_or_insert_with(|| Box::new(Images::new(most_exact))).add(format, media.size);
    }
}

/// Encodes a size as bytes.
fn size_word(width: u32, height: u32) -> [u8; 8] {
    (u64::from(width) << 32 | u64::from(height)).to_be_bytes()
}

/// Decodes the size that bytes encode.
pub(super) fn size_from_bytes(string: &[u8]) -> Option<(u32, u32)> {
    let number = u64::from_be_bytes(string.try_into().ok()?);
    Some(((number >> 32) as u32, number as u32))
}

impl Images {
    /// Returns what is known without images; up to `most_exact` different sizes are counted exactly.
    pub(super) fn new(most_exact: usize) -> Self {
        Self {
            formats: [0; FORMATS.len()],
            sized: 0,
            widths: Extent::default(),
            heights: Extent::default(),
            sizes: StringCounts::new(most_exact),
        }
    }

    fn add(&mut self, format: usize, size: Option<(u32, u32)>) {
        if let Some(count) = self.formats.get_mut(format) {
            *count = count.saturating_add(1);
        }
        if let Some((width, height)) = size {
            self.widths.merge(self.sized, Extent::of(width));
            self.heights.merge(self.sized, Extent::of(height));
            self.sized = self.sized.saturating_add(1);
            self.sizes.add(&size_word(width, height), 1);
        }
    }

    /// Adds what other images were.
    pub(super) fn merge(&mut self, other: &Self) {
        for (ours, theirs) in self.formats.iter_mut().zip(other.formats) {
            *ours = ours.saturating_add(theirs);
        }
        if other.sized > 0 {
            self.widths.merge(self.sized, other.widths);
            self.heights.merge(self.sized, other.heights);
            self.sized = self.sized.saturating_add(other.sized);
        }
        self.sizes.merge(&other.sizes);
    }

    /// Returns the number of images.
    pub(super) fn count(&self) -> u64 {
        self.formats.iter().fold(0, |all, count| all.saturating_add(*count))
    }
}

impl Extent {
    fn of(pixels: u32) -> Self {
        Self { sum: pixels.into(), min: pixels, max: pixels }
    }

    /// Adds others; `count` is how many these are.
    fn merge(&mut self, count: u64, other: Self) {
        self.sum = self.sum.saturating_add(other.sum);
        self.min = if count == 0 { other.min } else { self.min.min(other.min) };
        self.max = self.max.max(other.max);
    }
}

//! The states of values.

use tfxio_base::Result;

use super::messages::{
    Images as ImagesState, Lengths as LengthsState, Moments as MomentsState, Numbers as NumbersState,
    SampleLevel, Spread as SpreadState, Texts as TextsState, Weighted as WeightedState, Word as WordState,
};
use super::refused;
use crate::statistics::StatisticsOptions;
use crate::statistics::byte_strings::ByteStrings;
use crate::statistics::images::{Extent, Images};
use crate::statistics::keys::NumberKind;
use crate::statistics::lengths::{EXACT, Lengths};
use crate::statistics::moments::Moments;
use crate::statistics::numbers::{Numbers, Weighted};
use crate::statistics::quantile_sketch::{Distribution, MOST_LEVELS, QuantileSketch, Sample, SketchLevel};
use crate::statistics::string_counts::{CountedString, DroppedStrings, StringCounts};
use crate::{Kmv, MisraGries, Quantiles};

pub(super) fn kind(kind: NumberKind) -> u32 {
    match kind {
        NumberKind::Signed => 0,
        NumberKind::Unsigned => 1,
        NumberKind::Float => 2,
    }
}

pub(super) fn read_kind(kind: u32) -> Result<NumberKind> {
    match kind {
        0 => Ok(NumberKind::Signed),
        1 => Ok(NumberKind::Unsigned),
        2 => Ok(NumberKind::Float),
        _ => Err(refused(format!("there is no kind of numbers {kind}"))),
    }
}

fn read_distinct(bytes: &[u8]) -> Result<Kmv> {
    let sketch = Kmv::from_bytes(bytes)?;
    if sketch.buckets() == Kmv::of_hashes().buckets() && sketch.value_type().is_none() {
        return Ok(sketch);
    }
    Err(refused("a number of distinct values was estimated in another way"))
}

fn moments(moments: Moments) -> MomentsState {
    MomentsState { weight: moments.weight, mean: moments.mean, squares: moments.squares }
}

fn read_moments(state: Option<MomentsState>) -> Moments {
    let state = state.unwrap_or_default();
    Moments { weight: state.weight, mean: state.mean, squares: state.squares }
}

fn quantile_sketch(sketch: &QuantileSketch) -> SpreadState {
    let mut sketch = sketch.clone();
    sketch.flush();
    match &sketch.distribution {
        Distribution::Exact(counts) => {
            let (keys, counts) = counts.iter().copied().unzip();
            SpreadState { keys, counts, ..SpreadState::default() }
        }
        Distribution::Sampled(sample) => {
            let level = |level: &SketchLevel| SampleLevel {
                keys: level.keys.clone(),
                firsts: level.firsts,
                lasts: level.lasts,
            };
            let levels = sample.levels.iter().map(level).collect();
            SpreadState { levels, distinct: Some(sample.distinct.to_bytes()), ..SpreadState::default() }
        }
    }
}

fn read_quantile_sketch(state: SpreadState, mut empty: QuantileSketch) -> Result<QuantileSketch> {
    empty.distribution = match state.distinct {
        None => {
            let is_ascending = state.keys.is_sorted_by(|a, b| a < b);
            if !is_ascending || state.keys.len() != state.counts.len() || state.keys.len() > empty.most_exact
            {
                return Err(refused("values that are counted are not in order, or too many"));
            }
            Distribution::Exact(state.keys.into_iter().zip(state.counts).collect())
        }
        Some(distinct) => {
            if state.levels.len() > MOST_LEVELS + 1
                || state.levels.iter().any(|level| !level.keys.is_sorted())
            {
                return Err(refused("a sample of values is not in order, or has too many levels"));
            }
            let level = |level: SampleLevel| SketchLevel {
                keys: level.keys,
                firsts: level.firsts,
                lasts: level.lasts,
            };
            let levels = state.levels.into_iter().map(level).collect();
            Distribution::Sampled(Sample { levels, distinct: read_distinct(&distinct)? })
        }
    };
    Ok(empty)
}

pub(super) fn lengths(lengths: &Lengths) -> LengthsState {
    LengthsState {
        small: lengths.small.clone(),
        large: lengths.large.as_deref().map(quantile_sketch),
        min: lengths.min,
        max: lengths.max,
    }
}

pub(super) fn read_lengths(state: LengthsState, options: &StatisticsOptions) -> Result<Lengths> {
    if state.small.len() > EXACT {
        return Err(refused("more lengths are counted one by one than there are"));
    }
    let mut lengths = Lengths::new(options.epsilon);
    if let Some(large) = state.large {
        *lengths.large() = read_quantile_sketch(large, QuantileSketch::new(options.epsilon, EXACT))?;
    }
    (lengths.small, lengths.min, lengths.max) = (state.small, state.min, state.max);
    Ok(lengths)
}

pub(super) fn numbers(numbers: &Numbers) -> NumbersState {
    let weighted = |weighted: &Weighted| WeightedState {
        moments: Some(moments(weighted.moments)),
        positive_infinite: weighted.positive_infinite,
        negative_infinite: weighted.negative_infinite,
        quantiles: weighted.quantiles.to_bytes(),
    };
    NumbersState {
        kind: kind(numbers.kind),
        nan: numbers.nan,
        positive_infinite: numbers.positive_infinite,
        negative_infinite: numbers.negative_infinite,
        zeros: numbers.zeros,
        min: numbers.min,
        max: numbers.max,
        moments: Some(moments(numbers.moments)),
        spread: Some(quantile_sketch(&numbers.sketch)),
        weighted: numbers.weighted.as_deref().map(weighted),
    }
}

pub(super) fn read_numbers(state: NumbersState, options: &StatisticsOptions) -> Result<Numbers> {
    let mut numbers = Numbers::new(read_kind(state.kind)?, options);
    numbers.nan = state.nan;
    (numbers.positive_infinite, numbers.negative_infinite) =
        (state.positive_infinite, state.negative_infinite);
    numbers.zeros = state.zeros;
    (numbers.min, numbers.max) = (state.min, state.max);
    numbers.moments = read_moments(state.moments);
    numbers.sketch = read_quantile_sketch(state.spread.unwrap_or_default(), numbers.sketch)?;
    if let Some(weighted) = state.weighted {
        numbers.weighted = Some(Box::new(Weighted {
            moments: read_moments(weighted.moments),
            positive_infinite: weighted.positive_infinite,
            negative_infinite: weighted.negative_infinite,
            quantiles: Quantiles::from_bytes(&weighted.quantiles)?,
        }));
    }
    Ok(numbers)
}

pub(super) fn byte_strings(strings: &ByteStrings) -> TextsState {
    let (words, subtracted, distinct) = string_counts(&strings.counts);
    TextsState {
        count: strings.count,
        bytes: strings.bytes,
        not_utf8: strings.not_utf8,
        words,
        subtracted,
        distinct,
        lengths: Some(lengths(&strings.lengths)),
        weighted: strings.weighted.as_deref().map(MisraGries::to_bytes),
        images: strings.images.as_deref().map(images),
    }
}

/// Returns the states of strings, of what was subtracted from their counts, and of their number.
fn string_counts(counts: &StringCounts) -> (Vec<WordState>, Option<u64>, Option<Vec<u8>>) {
    let word = |(word, count): (CountedString<'_>, u64)| match word {
        CountedString::Text(text) => WordState { text: text.to_vec(), count, ..WordState::default() },
        CountedString::Long(fingerprint, length) => {
            WordState { count, fingerprint: Some(fingerprint), length, ..WordState::default() }
        }
    };
    let settled = counts.settled();
    let rest = settled.rest();
    let mut words: Vec<_> = settled.iter().collect();
    words.sort_unstable();
    let words = words.into_iter().map(word).collect();
    (words, rest.map(|rest| rest.subtracted), rest.map(|rest| rest.distinct.to_bytes()))
}

fn images(images: &Images) -> ImagesState {
    let (sizes, subtracted, distinct) = string_counts(&images.sizes);
    let extent = |extent: Extent| vec![extent.sum, extent.min.into(), extent.max.into()];
    ImagesState {
        formats: images.formats.to_vec(),
        sized: images.sized,
        widths: extent(images.widths),
        heights: extent(images.heights),
        sizes,
        subtracted,
        distinct,
    }
}

fn read_images(state: ImagesState, options: &StatisticsOptions) -> Result<Images> {
    let mut images = Images::new(options.exact_values);
    images.formats =
        state.formats.try_into().map_err(|_| refused("images have another number of formats"))?;
    images.sized = state.sized;
    (images.widths, images.heights) = (read_extent(&state.widths)?, read_extent(&state.heights)?);
    let rest = read_rest(state.subtracted, state.distinct)?;
    images.sizes = read_string_counts(state.sizes, images.sizes.with_rest(rest));
    Ok(images)
}

fn read_extent(state: &[u64]) -> Result<Extent> {
    let pixels = |number: u64| u32::try_from(number).ok();
    match *state {
        [sum, min, max] => match (pixels(min), pixels(max)) {
            (Some(min), Some(max)) => Ok(Extent { sum, min, max }),
            _ => Err(refused("an image has more pixels than images have")),
        },
        _ => Err(refused("sizes of images are not a sum, a minimum and a maximum")),
    }
}

fn read_rest(subtracted: Option<u64>, distinct: Option<Vec<u8>>) -> Result<Option<DroppedStrings>> {
    let rest = |distinct: Vec<u8>| {
        Ok(DroppedStrings { subtracted: subtracted.unwrap_or(0), distinct: read_distinct(&distinct)? })
    };
    distinct.map(rest).transpose()
}

pub(super) fn read_byte_strings(state: TextsState, options: &StatisticsOptions) -> Result<ByteStrings> {
    let mut strings = ByteStrings::new(options);
    (strings.count, strings.bytes, strings.not_utf8) = (state.count, state.bytes, state.not_utf8);
    let rest = read_rest(state.subtracted, state.distinct)?;
    strings.counts = read_string_counts(state.words, strings.counts.with_rest(rest));
    strings.lengths = read_lengths(state.lengths.unwrap_or_default(), options)?;
    strings.weighted = state.weighted.map(|bytes| MisraGries::from_bytes(&bytes)).transpose()?.map(Box::new);
    strings.images = state.images.map(|state| read_images(state, options)).transpose()?.map(Box::new);
    Ok(strings)
}

fn read_string_counts(state: Vec<WordState>, mut counts: StringCounts) -> StringCounts {
    for word in state {
        match word.fingerprint {
            None => counts.add(&word.text, word.count),
            Some(fingerprint) => counts.add_long(fingerprint, word.length, word.count),
        }
    }
    counts
}

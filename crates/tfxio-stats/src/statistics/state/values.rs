//! The states of values.

use tfxio_base::Result;

use super::messages::{
    Images as ImagesState, Lengths as LengthsState, Moments as MomentsState, Numbers as NumbersState,
    SampleLevel, Spread as SpreadState, Texts as TextsState, Weighted as WeightedState, Word as WordState,
};
use super::refused;
use crate::statistics::StatisticsOptions;
use crate::statistics::images::{Extent, Images};
use crate::statistics::keys::NumberKind;
use crate::statistics::lengths::{EXACT, Lengths};
use crate::statistics::moments::Moments;
use crate::statistics::numbers::{Numbers, Weighted};
use crate::statistics::spread::{Held, Level, MOST_LEVELS, Sample, Spread};
use crate::statistics::texts::Texts;
use crate::statistics::words::{Rest, Word, Words};
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

fn spread(spread: &Spread) -> SpreadState {
    let mut spread = spread.clone();
    spread.flush();
    match &spread.held {
        Held::Exact(counts) => {
            let (keys, counts) = counts.iter().copied().unzip();
            SpreadState { keys, counts, ..SpreadState::default() }
        }
        Held::Sampled(sample) => {
            let level = |level: &Level| SampleLevel {
                keys: level.keys.clone(),
                firsts: level.firsts,
                lasts: level.lasts,
            };
            let levels = sample.levels.iter().map(level).collect();
            SpreadState { levels, distinct: Some(sample.distinct.to_bytes()), ..SpreadState::default() }
        }
    }
}

fn read_spread(state: SpreadState, mut empty: Spread) -> Result<Spread> {
    empty.held = match state.distinct {
        None => {
            let is_ascending = state.keys.is_sorted_by(|a, b| a < b);
            if !is_ascending || state.keys.len() != state.counts.len() || state.keys.len() > empty.most_exact
            {
                return Err(refused("values that are counted are not in order, or too many"));
            }
            Held::Exact(state.keys.into_iter().zip(state.counts).collect())
        }
        Some(distinct) => {
            if state.levels.len() > MOST_LEVELS + 1
                || state.levels.iter().any(|level| !level.keys.is_sorted())
            {
                return Err(refused("a sample of values is not in order, or has too many levels"));
            }
            let level =
                |level: SampleLevel| Level { keys: level.keys, firsts: level.firsts, lasts: level.lasts };
            let levels = state.levels.into_iter().map(level).collect();
            Held::Sampled(Sample { levels, distinct: read_distinct(&distinct)? })
        }
    };
    Ok(empty)
}

pub(super) fn lengths(lengths: &Lengths) -> LengthsState {
    LengthsState {
        small: lengths.small.clone(),
        large: lengths.large.as_deref().map(spread),
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
        *lengths.large() = read_spread(large, Spread::new(options.epsilon, EXACT))?;
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
        spread: Some(spread(&numbers.spread)),
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
    numbers.spread = read_spread(state.spread.unwrap_or_default(), numbers.spread)?;
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

pub(super) fn texts(texts: &Texts) -> TextsState {
    let (words, subtracted, distinct) = words(&texts.words);
    TextsState {
        count: texts.count,
        bytes: texts.bytes,
        not_utf8: texts.not_utf8,
        words,
        subtracted,
        distinct,
        lengths: Some(lengths(&texts.lengths)),
        weighted: texts.weighted.as_deref().map(MisraGries::to_bytes),
        images: texts.images.as_deref().map(images),
    }
}

/// Returns the states of words, of what was subtracted from their counts, and of their number.
fn words(words: &Words) -> (Vec<WordState>, Option<u64>, Option<Vec<u8>>) {
    let word = |(word, count): (Word<'_>, u64)| match word {
        Word::Text(text) => WordState { text: text.to_vec(), count, ..WordState::default() },
        Word::Long(fingerprint, length) => {
            WordState { count, fingerprint: Some(fingerprint), length, ..WordState::default() }
        }
    };
    let settled = words.settled();
    let rest = settled.rest();
    let mut words: Vec<_> = settled.iter().collect();
    words.sort_unstable();
    let words = words.into_iter().map(word).collect();
    (words, rest.map(|rest| rest.subtracted), rest.map(|rest| rest.distinct.to_bytes()))
}

fn images(images: &Images) -> ImagesState {
    let (sizes, subtracted, distinct) = words(&images.sizes);
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
    images.sizes = read_words(state.sizes, images.sizes.with_rest(rest));
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

fn read_rest(subtracted: Option<u64>, distinct: Option<Vec<u8>>) -> Result<Option<Rest>> {
    let rest = |distinct: Vec<u8>| {
        Ok(Rest { subtracted: subtracted.unwrap_or(0), distinct: read_distinct(&distinct)? })
    };
    distinct.map(rest).transpose()
}

pub(super) fn read_texts(state: TextsState, options: &StatisticsOptions) -> Result<Texts> {
    let mut texts = Texts::new(options);
    (texts.count, texts.bytes, texts.not_utf8) = (state.count, state.bytes, state.not_utf8);
    let rest = read_rest(state.subtracted, state.distinct)?;
    texts.words = read_words(state.words, texts.words.with_rest(rest));
    texts.lengths = read_lengths(state.lengths.unwrap_or_default(), options)?;
    texts.weighted = state.weighted.map(|bytes| MisraGries::from_bytes(&bytes)).transpose()?.map(Box::new);
    texts.images = state.images.map(|state| read_images(state, options)).transpose()?.map(Box::new);
    Ok(texts)
}

fn read_words(state: Vec<WordState>, mut words: Words) -> Words {
    for word in state {
        match word.fingerprint {
            None => words.add(&word.text, word.count),
            Some(fingerprint) => words.add_long(fingerprint, word.length, word.count),
        }
    }
    words
}

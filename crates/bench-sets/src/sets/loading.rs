//! The records of the loader's data sets.

use super::Set;
use crate::example::{Values, entry, list_entry, sequence_example};
use crate::random::Random;

/// An image of 784 bytes, four fifths of them 0, a label, and 1 to 32 tokens.
fn image(random: &mut Random) -> (Vec<u8>, i64, Vec<i64>) {
    let pixels = (0..784).map(|_| if random.percent(80) { 0 } else { random.below(256) as u8 }).collect();
    let label = random.below(10) as i64;
    let tokens = (0..1 + random.below(32)).map(|_| random.below(30_000) as i64).collect();
    (pixels, label, tokens)
}

/// Raw images, labels and tokens as features; 0.9 kB a record.
#[must_use]
pub fn images(records: usize) -> Set {
    let mut random = Random::new(12);
    Set::of(records, || {
        let (pixels, label, tokens) = image(&mut random);
        vec![
            entry("image", &Values::Bytes(vec![pixels])),
            entry("label", &Values::Ints(vec![label])),
            entry("tokens", &Values::Ints(tokens)),
        ]
    })
}

/// The same as SequenceExamples: the tokens are a feature list of one value a step; 1 kB a record.
#[must_use]
pub fn image_sequences(records: usize) -> Set {
    sequences(records, |_| false)
}

/// The same, but that every 300th has 64 tokens.
#[must_use]
pub fn rarely_long_sequences(records: usize) -> Set {
    sequences(records, |record| record % 300 == 0)
}

fn sequences(records: usize, is_long: impl Fn(usize) -> bool) -> Set {
    let mut random = Random::new(12);
    let mut set = Set::default();
    for record in 0..records {
        let (pixels, label, mut tokens) = image(&mut random);
        if is_long(record) {
            tokens.resize(64, 0);
        }
        let context =
            [entry("image", &Values::Bytes(vec![pixels])), entry("label", &Values::Ints(vec![label]))];
        let steps: Vec<_> = tokens.into_iter().map(|token| Values::Ints(vec![token])).collect();
        let list = list_entry("tokens", &steps);
        set.push(&sequence_example(context.iter().map(Vec::as_slice), [list.as_slice()]));
    }
    set
}

/// A feature `x` of so many floats.
#[must_use]
pub fn stream(records: usize, floats: usize) -> Set {
    let mut random = Random::new(13);
    Set::of(records, || vec![entry("x", &Values::Floats((0..floats).map(|_| random.unit()).collect()))])
}

//! The data that the suites run on: a few megabytes of the same kinds of records as the data sets that
//! `benches/peers/gen_data.py` writes for comparisons with other systems.

mod loading;

use std::ops::Range;

use tfrecord_io::frame;

pub use self::loading::{image_sequences, images, rarely_long_sequences, stream};
use crate::example::{Values, entry, example, list_entry, sequence_example};
use crate::random::Random;

/// Records, framed as in a file.
#[derive(Clone, Debug, Default)]
pub struct Set {
    /// The uncompressed file.
    pub file: Vec<u8>,
    /// Ranges of the payloads in it.
    pub payloads: Vec<Range<usize>>,
}

impl Set {
    /// The payloads, in the order of the file.
    pub fn records(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.payloads.iter().map(|payload| self.file.get(payload.clone()).unwrap_or_default())
    }

    /// Bytes of the file, which is what a throughput counts.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.file.len() as u64
    }

    fn push(&mut self, payload: &[u8]) {
        let start = self.file.len() + frame::HEADER_LEN;
        frame::append(&mut self.file, payload);
        self.payloads.push(start..start + payload.len());
    }

    /// So many records, each made of the entries that `features` gives.
    fn of(records: usize, mut features: impl FnMut() -> Vec<Vec<u8>>) -> Self {
        let mut set = Self::default();
        for _ in 0..records {
            set.push(&example(features().iter().map(Vec::as_slice)));
        }
        set
    }
}

fn word(random: &mut Random) -> Values {
    Values::Bytes(vec![format!("{:08x}", random.skewed(32)).into_bytes()])
}

/// A record like a click log's: a label, 13 counts, 26 categories of 8 characters; all but the label are
/// missing in 5 % of the records.
fn click(random: &mut Random) -> Vec<Vec<u8>> {
    let mut entries = vec![entry("label", &Values::Ints(vec![random.below(2) as i64]))];
    for number in 1..=13 {
        if !random.percent(5) {
            entries.push(entry(&format!("I{number}"), &Values::Ints(vec![random.skewed(20)])));
        }
    }
    for number in 1..=26 {
        if !random.percent(5) {
            entries.push(entry(&format!("C{number}"), &word(random)));
        }
    }
    // By name, as TensorFlow's deterministic serialisation writes maps.
    entries.sort_unstable();
    entries
}

/// 40 features of one value, sorted by name; 0.7 kB a record.
#[must_use]
pub fn univalent(records: usize) -> Set {
    let mut random = Random::new(1);
    Set::of(records, || click(&mut random))
}

/// One integer; about 30 bytes a record with its frame, so that the cost of a record shows.
#[must_use]
pub fn tiny(records: usize) -> Set {
    let mut random = Random::new(8);
    Set::of(records, || vec![entry("a", &Values::Ints(vec![random.below(100) as i64]))])
}

/// The same kind of records, the features of each in an order of its own.
#[must_use]
pub fn shuffled(records: usize) -> Set {
    let mut random = Random::new(2);
    Set::of(records, || {
        let mut entries = click(&mut random);
        random.shuffle(&mut entries);
        entries
    })
}

/// 784 floats, a label and 1 kB of bytes; 4.2 kB a record.
#[must_use]
pub fn dense(records: usize) -> Set {
    let mut random = Random::new(3);
    Set::of(records, || {
        let image = (0..900 + random.below(250)).map(|_| random.bits() as u8).collect();
        vec![
            entry("image", &Values::Bytes(vec![image])),
            entry("label", &Values::Ints(vec![random.below(10) as i64])),
            entry("x", &Values::Floats((0..784).map(|_| random.unit()).collect())),
        ]
    })
}

/// 10 integer and 10 float features of 0 to 50 values, each missing in 10 % of the records; 1.9 kB a record.
#[must_use]
pub fn ragged(records: usize) -> Set {
    let mut random = Random::new(4);
    Set::of(records, || {
        let mut entries = Vec::new();
        for number in 0..20 {
            if random.percent(10) {
                continue;
            }
            let count = random.below(51);
            // Small numbers, ids, hashes and negative numbers: varints of 1, of 1 to 4, of 9 and of 10 bytes.
            entries.push(if number < 10 {
                let mut value = || match number {
                    0..3 => random.below(100) as i64,
                    3..7 => random.skewed(22),
                    7..9 => random.below(1 << 62) as i64,
                    _ => random.below(2000) as i64 - 1000,
                };
                entry(&format!("mi{number:02}"), &Values::Ints((0..count).map(|_| value()).collect()))
            } else {
                let values = (0..count).map(|_| random.unit()).collect();
                entry(&format!("mf{:02}", number - 10), &Values::Floats(values))
            });
        }
        entries
    })
}

/// 500 features of one value: 200 integers, 200 floats, 100 words; 15 kB a record.
#[must_use]
pub fn wide(records: usize) -> Set {
    let mut random = Random::new(5);
    Set::of(records, || {
        let mut entries = Vec::new();
        for number in 0..100 {
            entries.push(entry(&format!("feature_bytes_{number:03}"), &word(&mut random)));
        }
        for number in 0..200 {
            entries.push(entry(&format!("feature_float_{number:03}"), &Values::Floats(vec![random.unit()])));
        }
        for number in 0..200 {
            let value = random.skewed(30);
            entries.push(entry(&format!("feature_int_{number:03}"), &Values::Ints(vec![value])));
        }
        entries
    })
}

/// A context of three features, and four feature lists of 1 to 100 steps of 1 to 8 values each; 4.8 kB a
/// record.
#[must_use]
pub fn sequence(records: usize) -> Set {
    let mut random = Random::new(9);
    let mut set = Set::default();
    for _ in 0..records {
        let context = [
            entry("country", &Values::Bytes(vec![format!("{:02x}", random.below(200)).into_bytes()])),
            entry("user", &Values::Ints(vec![random.below(1 << 40) as i64])),
            entry("weights", &Values::Floats((0..4).map(|_| random.unit()).collect())),
        ];
        let lists = ["categories", "items", "scores", "words"].map(|name| {
            let steps = (0..1 + random.below(100)).map(|_| step(name, &mut random)).collect::<Vec<_>>();
            list_entry(name, &steps)
        });
        set.push(&sequence_example(context.iter().map(Vec::as_slice), lists.iter().map(Vec::as_slice)));
    }
    set
}

fn step(name: &str, random: &mut Random) -> Values {
    let count = 1 + random.below(8);
    match name {
        "categories" => Values::Ints((0..count).map(|_| random.below(100) as i64).collect()),
        "items" => Values::Ints((0..count).map(|_| random.below(5_000_000) as i64).collect()),
        "scores" => Values::Floats((0..count).map(|_| random.unit()).collect()),
        _ => {
            let word = |_| format!("{:05x}", random.below(1 << 20)).into_bytes();
            Values::Bytes((0..count).map(word).collect())
        }
    }
}

/// Five of the 500.
pub const FIVE_OF_WIDE: [&str; 5] =
    ["feature_int_007", "feature_int_150", "feature_float_042", "feature_float_199", "feature_bytes_050"];

/// Bytes that hold no record, for the search for headers.
#[must_use]
pub fn haystack(kind: Haystack, bytes: usize) -> Vec<u8> {
    let mut random = Random::new(6);
    let mut out = Vec::with_capacity(bytes + 8);
    while out.len() < bytes {
        match kind {
            Haystack::Text => {
                let word = random.below(1 << 32);
                out.extend_from_slice(format!("{word} ").as_bytes());
            }
            Haystack::Floats => out.extend_from_slice(&random.unit().to_le_bytes()),
            Haystack::Ints => out.extend_from_slice(&random.skewed(20).to_le_bytes()),
            Haystack::Zeros => out.resize(bytes, 0),
        }
    }
    out.truncate(bytes);
    out
}

/// Contents of a payload. The rarer four zero bytes in a row are, the faster the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Haystack {
    /// Digits and blanks: no zero bytes.
    Text,
    /// Little-endian `f32` between 0 and 1: zero bytes now and then.
    Floats,
    /// Little-endian `i64`, small: every value ends in five zero bytes or more.
    Ints,
    /// Nothing but zero bytes.
    Zeros,
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::cast::AsArray;
    use arrow_array::{Array, RecordBatch};
    use example_codec::{ExampleDecoder, SequenceExampleDecoder};
    use tfxio_core::Origin;

    use super::*;

    fn decoded(set: &Set) -> RecordBatch {
        let mut decoder = ExampleDecoder::builder().build().unwrap();
        for record in set.records() {
            decoder.push(record, Origin::default()).unwrap();
        }
        decoder.flush().unwrap()
    }

    fn nulls(batch: &RecordBatch) -> usize {
        batch.columns().iter().map(|column: &Arc<dyn Array>| column.null_count()).sum()
    }

    #[test]
    fn the_sets_are_what_they_say() {
        for (name, set, columns, record_bytes, missing) in [
            ("univalent", univalent(200), 40, 600..800, 4.0..6.0),
            ("tiny", tiny(200), 1, 30..31, 0.0..0.1),
            ("shuffled", shuffled(200), 40, 600..800, 4.0..6.0),
            ("dense", dense(20), 3, 4000..4400, 0.0..0.1),
            ("ragged", ragged(200), 20, 1500..2300, 8.0..12.0),
            ("wide", wide(20), 500, 14_000..16_000, 0.0..0.1),
            ("images", images(200), 3, 800..950, 0.0..0.1),
            ("stream", stream(20, 1000), 1, 4000..4100, 0.0..0.1),
        ] {
            let batch = decoded(&set);
            assert_eq!((batch.num_columns(), batch.num_rows()), (columns, set.payloads.len()), "{name}");
            let mean = set.file.len() / set.payloads.len();
            assert!(record_bytes.contains(&mean), "{name}: {mean} bytes a record");
            let share = 100.0 * nulls(&batch) as f64 / (columns * batch.num_rows()) as f64;
            assert!(missing.contains(&share), "{name}: {share} % missing");
        }
        assert_eq!(univalent(50).file, univalent(50).file);
        assert_eq!(
            decoded(&wide(1))
                .schema()
                .fields()
                .iter()
                .filter(|f| FIVE_OF_WIDE.contains(&f.name().as_str()))
                .count(),
            5
        );
    }

    #[test]
    fn sequences_are_what_they_say() {
        let set = sequence(200);
        let mut decoder = SequenceExampleDecoder::builder().build().unwrap();
        for (index, record) in set.records().enumerate() {
            decoder.push(record, Origin::record(index as u64)).unwrap();
        }
        let batch = decoder.flush().unwrap();
        assert_eq!((batch.num_columns(), batch.num_rows()), (4, 200));
        let lists = batch.column(3).as_struct();
        assert_eq!(lists.column_names(), ["categories", "items", "scores", "words"]);
        for list in lists.columns() {
            let steps = list.as_list::<i64>().values().as_list::<i64>();
            assert!((8000..12_000).contains(&steps.len()), "{} steps", steps.len());
            assert!((4.3..4.7).contains(&(steps.values().len() as f64 / steps.len() as f64)));
        }
        let mean = set.file.len() / set.payloads.len();
        assert!((4500..5200).contains(&mean), "{mean} bytes a record");
    }

    #[test]
    fn haystacks_hold_no_needle() {
        for kind in [Haystack::Text, Haystack::Floats, Haystack::Ints, Haystack::Zeros] {
            let bytes = haystack(kind, 100_000);
            assert_eq!(bytes.len(), 100_000);
            assert_eq!(tfrecord_io::scan::find_header(&bytes, 0, 1 << 30), None, "{kind:?}");
        }
    }
}

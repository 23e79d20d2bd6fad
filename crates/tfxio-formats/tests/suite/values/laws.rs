//! Laws of filters, columns, limits, partitions and splits over scalars and text.

use proptest::prelude::*;
use tfxio_formats::example_codec::Example;

use super::made::{both, examples, types};
use crate::laws::filters::{Asked, rows_are_those_of_decoding_all};

/// A record with scalars, some of which are absent, text, and lists.
fn example(number: u64) -> Example {
    let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let mut example = Example::new()
        .int64("number", [number as i64])
        .float("floats", (0..spread % 4).map(|at| (spread + at) as f32 / 8.0))
        .bytes("words", (0..spread % 3).map(|at| format!("wörd {at}")));
    if !spread.is_multiple_of(11) {
        example = example.int64("part", [(spread % 100) as i64]);
    }
    if !spread.is_multiple_of(5) {
        example = example.bytes("text", [format!("text {}", spread % 7)]);
    }
    example
}

const FILTERS: &[&str] = &[
    "part = 7",
    "part < 55",
    "not part < 90",
    "part is null",
    "text is null and part is not null",
    "text in ('text 1', 'text 4') and number >= 100",
    "text > 'text 2' or words = 'wörd 1'",
    "floats is not null and not floats > 5",
    "number < 40 or number >= 333",
    "number >= 0",
    "number < 0",
];

fn asked() -> impl Strategy<Value = Asked> {
    let all = vec!["text", "number", "words", "floats", "part"];
    let columns = prop::option::of(prop::sample::subsequence(all, 0..=5));
    let limit = prop_oneof![2 => Just(None), 1 => (0u64..150).prop_map(Some)];
    (prop::sample::select(FILTERS), columns, 1usize..300, limit, 500u64..30_000, 1usize..4).prop_map(
        |(filter, columns, batch_rows, limit, target, after)| {
            let filter = filter.parse().unwrap();
            Asked { filter, columns, batch_rows, limit, target, after }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn rows_are_those_that_a_filter_leaves(counts in prop::collection::vec(1u64..300, 1..4), asked in asked()) {
        let folder = tempfile::tempdir().unwrap();
        let (mut files, mut first) = (Vec::new(), 0);
        // All features, whichever records there are.
        for (file, count) in counts.iter().chain([&100]).enumerate() {
            files.push(examples(folder.path(), &format!("{file}.tfrecord"), (first..first + count).map(example)));
            first += count;
        }
        let dataset = both().open(&files).unwrap();
        prop_assert_eq!(
            types(&dataset),
            ["floats: LargeList(Float32)", "number: Int64", "part: Int64", "text: LargeUtf8", "words: LargeList(LargeUtf8)"]
        );
        rows_are_those_of_decoding_all(&dataset, &asked);
    }
}

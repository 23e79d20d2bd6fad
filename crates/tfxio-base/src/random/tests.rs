//! The numbers that streams give, which never change.

use super::{Stream, derive, mix};

fn take(mut stream: Stream, count: usize) -> Vec<u64> {
    (0..count).map(|_| stream.next_u64()).collect()
}

/// Returns the deviation from expected counts, as a distance from the mean in standard deviations.
fn deviation(counts: &[u64], expected: f64) -> f64 {
    let chi_square = counts.iter().map(|&count| (count as f64 - expected).powi(2) / expected).sum::<f64>();
    let freedom = counts.len() as f64 - 1.0;
    (chi_square - freedom) / (2.0 * freedom).sqrt()
}

#[test]
fn the_stream_is_splitmix64() {
    // The numbers that the published program prints for this seed.
    assert_eq!(
        take(Stream::new(1_234_567), 5),
        [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ]
    );
    assert_eq!(mix(0), 0);
}

#[test]
fn key_and_counter_are_the_whole_state() {
    let mut stream = Stream::new(7);
    // A bound for which almost half of the numbers are refused, so that draws take several.
    let bound = (1 << 63) + 1;
    for _ in 0..100 {
        let mut again = Stream { key: stream.key, counter: stream.counter };
        assert_eq!(stream.below(bound), again.below(bound));
        assert_eq!(stream, again);
    }
    assert!(stream.counter > 150 && stream.counter < 280, "{} numbers for 100 draws", stream.counter);
    assert_eq!(take(Stream { key: 7, counter: 3 }, 2), take(Stream::new(7), 5)[3..]);
    assert_eq!(take(Stream { key: 7, counter: u64::MAX }, 1), [mix(7)]);
}

#[test]
fn draws_are_pinned() {
    let mut stream = Stream::new(42);
    let draws = [1, 2, 10, 1000, 1 << 40, u64::MAX].map(|bound| stream.below(bound));
    assert_eq!(draws, [0, 0, 2, 344, 41_814_612_516, 16_015_981_125_662_989_061]);
    assert_eq!(stream.counter, 6);
}

#[test]
fn draws_are_below_their_bound_and_even() {
    let mut stream = Stream::new(derive(3, "test", &[]));
    assert_eq!((stream.below(0), stream.below(1)), (0, 0));
    for bound in [2, 3, 7, 10, 100] {
        let mut counts = vec![0u64; bound as usize];
        for _ in 0..bound * 2000 {
            counts[stream.below(bound) as usize] += 1;
        }
        let deviation = deviation(&counts, 2000.0);
        assert!(deviation.abs() < 4.0, "bound {bound}: {deviation} standard deviations");
    }
}

#[test]
fn derived_keys_are_pinned() {
    let keys = [
        derive(0, "", &[]),
        derive(1, "", &[]),
        derive(0, "shuffle", &[]),
        derive(0, "shuffle", &[0]),
        derive(0, "shuffle", &[1, 2]),
        derive(u64::MAX, "a purpose longer than a word", &[u64::MAX]),
    ];
    let expected = [
        12_035_550_249_420_947_055,
        6_791_897_765_849_424_158,
        12_843_677_435_184_652_722,
        1_909_815_098_073_309_136,
        7_158_083_414_551_202_060,
        13_022_272_982_662_936_470,
    ];
    assert_eq!(keys, expected);
}

#[test]
fn keys_of_different_purposes_and_numbers_differ() {
    let mut keys = Vec::new();
    for seed in [0, 1, u64::MAX] {
        for purpose in
            ["", "a", "b", "ab", "shuffle", "shuffled", "shuffle\0", "a purpose longer than a word"]
        {
            for numbers in [&[][..], &[0], &[1], &[0, 0], &[0, 1], &[1, 0], &[u64::MAX]] {
                keys.push(derive(seed, purpose, numbers));
            }
        }
    }
    let count = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), count);
}

#[test]
fn streams_of_neighbouring_numbers_are_unrelated() {
    // Each of the 64 bits of the exclusive or of two streams is set as often as not.
    for number in 0..8u64 {
        let one = Stream::new(derive(9, "test", &[number]));
        let other = Stream::new(derive(9, "test", &[number + 1]));
        let mut set = [0u64; 64];
        for (one, other) in take(one, 4000).into_iter().zip(take(other, 4000)) {
            for (bit, set) in set.iter_mut().enumerate() {
                *set += ((one ^ other) >> bit) & 1;
            }
        }
        // Five standard deviations of 4000 tosses of a coin.
        assert!(set.iter().all(|&set| set.abs_diff(2000) < 160), "{set:?}");
    }
}

//! Packed varints against a plain loop, at every length and place.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use proptest::prelude::*;
use proto_wire::{Error, ErrorKind, Reader, count_varints, decode_varints, single_varint, varint_size};

fn encode(values: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for &value in values {
        let mut buffer = [0u8; 10];
        let mut writer = proto_wire::Writer::new(&mut buffer);
        writer.varint(value).unwrap();
        assert_eq!(writer.position(), varint_size(value), "{value}");
        bytes.extend_from_slice(writer.written());
    }
    bytes
}

fn plain(run: &[u8]) -> Result<Vec<i64>, ErrorKind> {
    let mut reader = Reader::new(run);
    let mut values = Vec::new();
    while !reader.is_empty() {
        values.push(reader.varint().map_err(|error| error.kind())? as i64);
    }
    Ok(values)
}

type Decode = fn(&[u8], usize, usize, &mut [i64]) -> Result<usize, Error>;

/// The decoders that this processor has.
fn decoders() -> Vec<Decode> {
    let mut decoders: Vec<Decode> = vec![decode_varints];
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
    {
        decoders.push(|bytes, start, end, out| {
            // SAFETY: the processor has the features that the function is compiled for.
            unsafe { proto_wire::decode_varints_avx2(bytes, start, end, out) }
        });
    }
    decoders
}

/// Decodes `run` in the middle of a record with `after` more bytes behind it, by every decoder, with more room than
/// needed and without.
fn fast(run: &[u8], after: usize) -> Result<Vec<i64>, ErrorKind> {
    let before = 3;
    let count = count_varints(run);
    let mut results = Vec::new();
    for behind in [0x00, 0xff] {
        let record = [&vec![0xff; before][..], run, &vec![behind; after]].concat();
        for room in [0, 63, 64] {
            for decode in decoders() {
                let mut out = vec![-1; count + room];
                let result = decode(&record, before, before + run.len(), &mut out);
                results.push(result.map(|written| {
                    assert_eq!(written, count);
                    out.truncate(written);
                    out
                }));
            }
        }
    }
    assert!(results.iter().all(|result| *result == results[0]), "{run:02x?} before {after}: {results:?}");
    results.swap_remove(0).map_err(|error| error.kind())
}

#[test]
fn values_of_every_length_at_every_position() {
    for bits in 0..64 {
        let value = 1u64 << bits;
        for lead in 0..70 {
            let mut values = vec![1u64; lead];
            values.extend([value, value - 1, 5]);
            let run = encode(&values);
            for after in [0, 1, 7, 8, 100] {
                assert_eq!(fast(&run, after), plain(&run), "bit {bits} after {lead} values");
            }
        }
    }
}

#[test]
fn a_single_value_is_seen_as_one() {
    for value in [0, 1, 127, 128, 16_383, 16_384, (1 << 56) - 1] {
        let run = encode(&[value]);
        assert_eq!(single_varint(&run, 0, run.len()), Some(value));
        let record = [&run[..], &[0x80; 9]].concat();
        assert_eq!(single_varint(&record, 0, run.len()), Some(value));
    }
    assert_eq!(single_varint(&[1, 2], 0, 2), None, "two values");
    assert_eq!(single_varint(&[0x81], 0, 1), None, "no end");
    assert_eq!(single_varint(&[], 0, 0), None);
    let nine = encode(&[1 << 56]);
    assert_eq!(single_varint(&nine, 0, nine.len()), None, "more than 8 bytes");
}

#[test]
fn runs_of_one_length_but_for_one_value() {
    let of = |size: u32| (u64::MAX >> 1) >> 7u32.saturating_mul(10 - size).min(63);
    for most in 1..=10 {
        for other in 1..=10 {
            for count in [1, 2, 3, 6, 7, 8, 9, 14, 15, 20] {
                for position in 0..count {
                    let mut values = vec![of(most); count];
                    values[position] = of(other);
                    let run = encode(&values);
                    assert_eq!(fast(&run, 0), plain(&run), "{most}, {other} at {position}");
                    assert_eq!(fast(&run, 90), plain(&run), "{most}, {other} at {position}");
                }
            }
        }
    }
}

#[test]
fn padded_values_are_read_like_short_ones() {
    for size in 1..=12usize {
        for count in [1, 5, 6, 7, 20] {
            let mut run = vec![0x81; size * count];
            run.iter_mut().skip(size - 1).step_by(size).for_each(|last| *last = 0x7f);
            for cut in 0..run.len() {
                let plain = plain(&run[..cut]);
                match fast(&run[..cut], 20) {
                    Err(_) if plain.is_err() => {}
                    found => assert_eq!(found, plain, "{size} {count} {cut}"),
                }
            }
        }
    }
}

#[test]
fn what_is_too_long_or_cut_is_refused() {
    let eleven = [0x80; 10].into_iter().chain([0]).collect::<Vec<u8>>();
    let many = [0x80; 200];
    for after in [0, 100] {
        assert_eq!(fast(&eleven, after), Err(ErrorKind::VarintTooLong));
        assert_eq!(fast(&many, after), Err(ErrorKind::VarintTooLong));
        assert_eq!(fast(&[0x01, 0x80], after), Err(ErrorKind::Truncated));
        assert_eq!(fast(&[0xff; 9], after), Err(ErrorKind::Truncated));
    }
    assert_eq!(decode_varints(&[1, 2], 0, 3, &mut [0; 3]).map_err(|e| e.kind()), Err(ErrorKind::Truncated));
    assert_eq!(decode_varints(&[1, 2], 0, 2, &mut [0; 1]).map_err(|e| e.kind()), Err(ErrorKind::BufferFull));
}

proptest! {
    #[test]
    fn any_values_come_back(values in prop::collection::vec(
        (any::<u64>(), 0u32..64).prop_map(|(value, shift)| value >> shift), 0..300), after in 0usize..80) {
        let run = encode(&values);
        prop_assert_eq!(count_varints(&run), values.len());
        prop_assert_eq!(fast(&run, after), Ok(values.iter().map(|&v| v as i64).collect()));
    }

    #[test]
    fn any_bytes_are_read_like_the_plain_loop(run in prop::collection::vec(any::<u8>(), 0..200), after in 0usize..80) {
        match (fast(&run, after), plain(&run)) {
            (Ok(ours), Ok(theirs)) => prop_assert_eq!(ours, theirs),
            (Err(_), Err(_)) => {}
            (ours, theirs) => prop_assert!(false, "{:?} against {:?}", ours, theirs),
        }
    }
}

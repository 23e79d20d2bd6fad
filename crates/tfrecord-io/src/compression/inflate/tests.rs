//! Our inflater against zlib-rs: the same bytes from good streams, however they are cut, and the same verdict on bad
//! ones.

use flate2::{Compress, Compression, FlushCompress, Status};
use proptest::prelude::*;

use super::windowed::{HISTORY, Windowed};
use super::zlib_rs::ZlibRs;
use super::{Corrupt, Inflate};

fn deflate(data: &[u8], level: u32) -> Vec<u8> {
    let mut state = Compress::new(Compression::new(level), false);
    let mut out = Vec::with_capacity(data.len() * 2 + 1000);
    let status = state.compress_vec(data, &mut out, FlushCompress::Finish).unwrap();
    assert_eq!(status, Status::StreamEnd);
    out
}

/// Data of several kinds: noise, text, runs, repetitions from near and from as far as they can be.
fn data(kind: usize, length: usize, seed: u32) -> Vec<u8> {
    let mut state = seed | 1;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    let mut out: Vec<u8> = Vec::with_capacity(length);
    while out.len() < length {
        match kind {
            0 => out.push(random() as u8),
            1 => {
                out.extend_from_slice(format!("feature_{}: {}, ", random() % 50, random() % 1000).as_bytes())
            }
            2 => {
                let byte = random() as u8;
                out.extend(std::iter::repeat_n(byte, random() as usize % 700));
            }
            _ => {
                let distance = 1 + random() as usize % [3, 20, 300, 32_768][random() as usize % 4];
                let count = random() as usize % 400;
                for _ in 0..count {
                    let byte = if distance <= out.len() { out[out.len() - distance] } else { random() as u8 };
                    out.push(byte);
                }
                out.push(random() as u8);
            }
        }
    }
    out.truncate(length);
    out
}

/// Inflates with pieces of input and rooms of output of the given sizes, keeping no more history than is asked for.
fn inflate(
    inflater: &mut impl Inflate,
    stream: &[u8],
    piece: usize,
    room: usize,
    most: usize,
) -> (Vec<u8>, usize, Result<bool, Corrupt>) {
    let mut window = vec![0u8; HISTORY + room];
    let mut filled = 0;
    let (mut all, mut at) = (Vec::new(), 0);
    loop {
        if filled == window.len() {
            window.copy_within(filled - HISTORY.min(filled).., 0);
            filled = HISTORY.min(filled);
        }
        let input = &stream[at..(at + piece).min(stream.len())];
        let end = (filled + room).min(window.len());
        match inflater.inflate(input, &mut window[..end], filled) {
            Ok(step) => {
                assert!(step.consumed <= input.len() && filled + step.produced <= end);
                at += step.consumed;
                all.extend_from_slice(&window[filled..filled + step.produced]);
                filled += step.produced;
                if inflater.is_done() || (step.produced == 0 && at == stream.len()) || all.len() > most {
                    return (all, at, Ok(inflater.is_done()));
                }
                assert!(step.consumed + step.produced > 0, "no progress");
            }
            Err(corrupt) => {
                all.extend_from_slice(&window[filled..filled + corrupt.before.produced]);
                return (all, at, Err(corrupt));
            }
        }
    }
}

fn check(data: &[u8], level: u32, piece: usize, room: usize) {
    let mut stream = deflate(data, level);
    let length = stream.len();
    stream.extend_from_slice(b"what follows is not the stream's");
    let mut inflater = Windowed::new();
    for _ in 0..2 {
        let (out, used, done) = inflate(&mut inflater, &stream, piece, room, usize::MAX);
        assert_eq!(done, Ok(true));
        assert!(out == data);
        assert_eq!(used, length, "not a byte more than the stream was taken");
        inflater.reset();
    }
}

#[test]
fn all_levels_and_cuts() {
    for kind in 0..4 {
        for length in [0, 1, 2, 257, 5000, 100_000] {
            let data = data(kind, length, 7);
            for level in [0, 1, 6, 9] {
                for (piece, room) in [(usize::MAX / 2, 1 << 18), (1 << 16, 300), (37, 1000), (1, 1 << 18)] {
                    check(&data, level, piece.min(1 << 20), room);
                }
            }
        }
    }
    check(&data(3, 3000, 1), 6, 1, 1);
}

#[test]
fn fixed_codes() {
    // "hello hello" by the fixed codes, as zlib makes it for short inputs.
    check(b"hello hello hello", 6, 1, 1);
    check(b"", 6, 1, 1);
    // An empty fixed block by hand: three bits of header and seven zero bits.
    let mut inflater = Windowed::new();
    let mut out = [0; 10];
    inflater.inflate(&[0b0000_0011, 0], &mut out, 0).unwrap();
    assert!(inflater.is_done());
}

#[test]
fn what_rfc_1951_forbids() {
    for (stream, what) in [
        (&[0b0000_0111][..], "type that does not exist"),
        (&[0b0000_0001, 5, 0, 5, 0], "does not match its complement"),
        // A fixed block whose first symbol is a match: nothing stands before it.
        (&[0b0000_0011, 0b0000_0010, 0, 0, 0, 0, 0], "reaches before the start"),
        // 31 more literal codes than there are.
        (&[0b1111_1101, 0b0000_0111, 0, 0], "too many codes"),
    ] {
        let mut out = [0; 1000];
        let error = Windowed::new().inflate(stream, &mut out, 0).unwrap_err();
        assert!(error.what.contains(what), "{}", error.what);
        assert!(ZlibRs::new().inflate(stream, &mut out, 0).is_err(), "the premise: {what}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn good_streams(
        kind in 0..4usize, length in 0..200_000usize, seed in any::<u32>(), level in 0..10u32,
        piece in prop_oneof![1..100usize, 100..300_000usize], room in prop_oneof![200..2000usize, 2000..300_000usize],
    ) {
        check(&data(kind, length, seed), level, piece, room);
    }

    #[test]
    fn damaged_streams_get_the_same_verdict(
        kind in 0..4usize, length in 1..20_000usize, seed in any::<u32>(), level in 0..10u32,
        flips in prop::collection::vec(any::<u32>(), 1..4), piece in 1..30_000usize, room in 1000..70_000usize,
        cut in any::<bool>(),
    ) {
        let mut stream = deflate(&data(kind, length, seed), level);
        for flip in flips {
            let bit = flip as usize % (stream.len() * 8);
            stream[bit / 8] ^= 1 << (bit % 8);
        }
        if cut {
            stream.truncate(seed as usize % (stream.len() + 1));
        }
        same_verdict(&stream, piece, room)?;
    }

    #[test]
    fn arbitrary_streams_get_the_same_verdict(
        mut stream in prop::collection::vec(any::<u8>(), 0..400), first in 0..6u8, piece in 1..500usize,
    ) {
        if let Some(byte) = stream.first_mut() {
            *byte = *byte & !7 | first;
        }
        same_verdict(&stream, piece, 100_000)?;
    }
}

fn same_verdict(stream: &[u8], piece: usize, room: usize) -> Result<(), TestCaseError> {
    let most = 5_000_000;
    let (theirs, their_end, their_verdict) =
        inflate(&mut ZlibRs::new(), stream, stream.len().max(1), 100_000, most);
    let (ours, our_end, our_verdict) = inflate(&mut Windowed::new(), stream, piece, room, most);
    if theirs.len() > most || ours.len() > most {
        return Ok(());
    }
    match (&their_verdict, &our_verdict) {
        (Ok(true), Ok(true)) => {
            prop_assert_eq!(our_end, their_end);
            prop_assert!(ours == theirs);
        }
        // One may need a byte more or less to see what is wrong, and then the input ends before.
        (Err(_) | Ok(false), Err(_) | Ok(false)) => {
            let common = ours.len().min(theirs.len());
            prop_assert!(ours[..common] == theirs[..common]);
        }
        _ => prop_assert!(false, "theirs {:?}, ours {:?}", their_verdict, our_verdict),
    }
    Ok(())
}

//! Damaged records among good ones: every decoder refuses them and is as it was before.
#![allow(clippy::unwrap_used, reason = "a test")]

use arrow_array::RecordBatch;
use example_codec::{Error, Origin, RecordDecoder};

/// Makes a decoder, as often as it is called.
pub type Make = Box<dyn Fn() -> Box<dyn RecordDecoder>>;

/// Returns a function that makes decoders of a builder.
pub fn make<B, D>(builder: B, build: fn(B) -> Result<D, Error>) -> Make
where
    B: Clone + 'static,
    D: RecordDecoder + 'static,
{
    Box::new(move || Box::new(build(builder.clone()).unwrap()))
}

fn push(decoder: &mut dyn RecordDecoder, record: &[u8]) -> Result<(), Error> {
    decoder.push(record, Origin::new("file", 7, 3))
}

fn decode(make: &Make, records: &[&[u8]]) -> RecordBatch {
    let mut decoder = make();
    for record in records {
        push(&mut *decoder, record).unwrap();
    }
    decoder.flush().unwrap()
}

/// Pushes a bad record between good ones; returns whether it was refused.
pub fn leaves_no_trace(make: &Make, good: &[u8], bad: &[u8]) -> bool {
    let mut decoder = make();
    push(&mut *decoder, good).unwrap();
    let refused = push(&mut *decoder, bad).is_err();
    let rows = decoder.rows();
    push(&mut *decoder, good).unwrap();
    let batch = decoder.flush().unwrap();
    let kept: &[&[u8]] = if refused { &[good, good] } else { &[good, bad, good] };
    assert_eq!(rows + 1, kept.len());
    assert_eq!(batch, decode(make, kept));
    // As the first record of a batch, too.
    assert_eq!(push(&mut *decoder, bad).is_err(), push(&mut *make(), bad).is_err());
    decoder.flush().unwrap();
    push(&mut *decoder, good).unwrap();
    assert_eq!(decoder.flush().unwrap(), decode(make, &[good]));
    refused
}

/// Cuts a record at every byte. Bytes that end between two fields are a shorter message.
pub fn truncated(makes: &[Make], record: &[u8], is_whole: impl Fn(&[u8]) -> bool) {
    for make in makes {
        for cut in 0..record.len() {
            let part = &record[..cut];
            assert_eq!(leaves_no_trace(make, record, part), !is_whole(part), "cut at {cut}");
        }
    }
}

/// Flips each bit of a record; returns how many of the flips were noticed.
pub fn flipped(makes: &[Make], record: &[u8]) -> usize {
    let flip = |bit: usize| {
        let mut flipped = record.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        flipped
    };
    let of =
        |make| (0..record.len() * 8).filter(move |bit| leaves_no_trace(make, record, &flip(*bit))).count();
    makes.iter().map(of).sum()
}

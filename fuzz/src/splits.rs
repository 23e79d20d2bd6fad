//! An uncompressed file cut anywhere: if all splits are read without an error, each record came exactly once; and every
//! result of scanning is a record of the file unless an error reports that it is not.

use std::io::Cursor;

use tfrecord_io::{Split, SplitReader, Splitter};

use crate::input::{Input, Outcome};

/// Panics when the law does not hold.
pub fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let mut cuts: Vec<u64> = (0..input.byte() % 8).map(|_| input.short() as u64).collect();
    let file = input.damaged_file();
    let whole = Outcome::of_slices(&file);

    cuts.push(0);
    cuts.sort_unstable();
    cuts.push(u64::MAX);
    let mut records = Vec::new();
    let mut splits = Vec::new();
    let mut clean = true;
    for pair in cuts.windows(2) {
        let split = Split::new(pair[0], pair[1]);
        match SplitReader::new(Cursor::new(&file), split) {
            Ok(mut reader) => {
                let part = Outcome::of(|| {
                    Ok(reader.next_record()?.map(|record| (record.offset, record.data.to_vec())))
                });
                clean &= part.error.is_none();
                for (offset, payload) in part.records {
                    let at = offset as usize;
                    assert_eq!(file[at..at + 8], (payload.len() as u64).to_le_bytes());
                    records.push((offset, payload));
                    splits.push(split);
                }
            }
            Err(_) => clean = false,
        }
    }
    if clean {
        assert_eq!(records, whole.records);
        assert_eq!(whole.error, None);
        for ((offset, _), split) in records.iter().zip(splits) {
            assert!(
                split.start <= *offset && *offset < split.end,
                "the record at {offset} came with {split}"
            );
        }
    }

    // Hopping is exact for every file without damage.
    if whole.error.is_none() {
        let Ok(mut splitter) = Splitter::new(Cursor::new(&file)) else { return };
        for &cut in cuts.iter().rev() {
            let next = whole.records.iter().map(|record| record.0).find(|&offset| offset >= cut);
            let found = splitter.hop_to(cut).map_err(|error| error.to_string());
            assert_eq!(found, Ok(next.unwrap_or(file.len() as u64)), "cut at {cut}");
        }
    }
}

/// Returns files with and without records in payloads, cut in headers, payloads and footers.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for cuts in [&b"\x00"[..], b"\x03\x01\x00\x20\x00\x31\x00", b"\x02\x13\x00\x12\x00"] {
        for damage in [[0; 7], [1, 20, 0, 1, 0, 0, 0], [2, 30, 0, 0, 0, 0, 0]] {
            let mut seed = cuts.to_vec();
            seed.extend_from_slice(&damage);
            seed.extend_from_slice(b"\x01\x03one\x00\xff\x0aten bytes.\xff\x05after");
            seeds.push(seed);
        }
    }
    seeds
}

//! Salvage gives whole records of the file, in order, and reports every other byte as lost; a file without damage
//! comes out as it is; how the bytes come changes nothing.

use tfrecord_io::frame::{self, Header};
use tfrecord_io::salvage::{Report, SalvageReader};
use tfrecord_io::{Compression, crc};

use crate::input::{Dribble, Input, Outcome};

/// Panics when the law does not hold.
pub fn check(data: &[u8]) {
    let mut input = Input::new(data);
    let (step, lookahead) = (input.byte(), input.short());
    let file = input.damaged_file();
    // Whatever it is taken for, it ends.
    salvaged(&file, 255, lookahead, None);

    let (found, report) = salvaged(&file, 255, lookahead, Some(Compression::None));
    assert_eq!((&found, &report), (&salvaged(&file, step, lookahead, Some(Compression::None)).0, &report));
    if found.error.is_some() {
        return;
    }
    let mut lost = report.damages.iter().peekable();
    let mut at = 0;
    for (offset, payload) in &found.records {
        while let Some(damage) = lost.next_if(|damage| damage.start < *offset) {
            assert!(damage.start == at && damage.end > damage.start, "{damage:?} at {at}");
            at = damage.end;
        }
        assert_eq!(at, *offset, "bytes that are neither in a record nor lost: {report:?}");
        let mut framed = Header::encode(payload.len() as u64).to_vec();
        framed.extend_from_slice(payload);
        framed.extend_from_slice(&crc::masked_crc32c(payload).to_le_bytes());
        assert!(file[at as usize..].starts_with(&framed));
        at += framed.len() as u64;
    }
    for damage in lost {
        assert_eq!(damage.start, at, "{report:?}");
        at = damage.end;
    }
    assert_eq!(at, file.len() as u64, "{report:?}");
    assert_eq!(report.records, found.records.len() as u64);

    let plain = Outcome::of_slices(&file);
    assert!(found.records.starts_with(&plain.records), "what stands before the damage is never lost");
    assert_eq!(plain.error.is_none(), report.is_clean());
}

fn salvaged(file: &[u8], step: u8, lookahead: usize, compression: Option<Compression>) -> (Outcome, Report) {
    let builder = SalvageReader::builder(Dribble::new(file, step)).compression(compression).lookahead_bytes(lookahead);
    let mut reader = builder.build();
    let outcome =
        Outcome::of(|| Ok(reader.next_record()?.map(|record| (record.offset, record.data.to_vec()))));
    (outcome, reader.into_report())
}

/// Returns damage of each kind, in files with and without records in payloads.
pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for damage in [
        [0; 7],
        [1, 20, 0, 1, 0, 0, 0],
        [1, 30, 0, 1, 0, 0, 0],
        [2, 60, 0, 0, 0, 0, 0],
        [3, 3, 0, 5, 0, 0, 0],
    ] {
        for lookahead in [0, 255] {
            let mut seed = vec![6, lookahead, 0];
            seed.extend_from_slice(&damage);
            seed.extend_from_slice(b"\x01\x03one\x00\xff\x0aten bytes.\xff\x05after");
            seeds.push(seed);
        }
    }
    let mut raw = vec![0; 11];
    raw.extend_from_slice(b"garbage before");
    frame::append(&mut raw, b"payload");
    seeds.push(raw);
    seeds
}

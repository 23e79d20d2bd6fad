//! Containers cut off at every byte, and with every bit flipped: an error or the same records, never a panic, and
//! everything before the damage comes out.

use std::io::Cursor;

use avro_path::container::{Block, Codec, ContainerReader};
use avro_path::{Error, ErrorKind, Kind, Limits};

use crate::containers::test_data::{bits, codecs, numbers, read_json, rows};

/// Returns small limits, so that no damage makes a test slow.
fn limits() -> Limits {
    Limits::default().record_bytes(1 << 20)
}

#[test]
fn cut_off_at_every_byte() {
    for codec in codecs() {
        let file = rows(codec, 9, 3);
        let (whole, error) = read_json(&file, limits());
        assert!(error.is_none() && whole.len() == 9, "{codec}: {error:?}");
        // Where blocks end: there, a file that is cut off is a whole one.
        let ends = ends(&file);
        assert_eq!(ends.len(), 4, "{codec}");
        for length in 0..file.len() {
            let (records, error) = read_json(&file[..length], limits());
            let blocks = ends.iter().filter(|end| **end <= length).count().saturating_sub(1);
            assert_eq!(records, whole[..blocks * 3], "{codec}: {length}");
            match error {
                None => assert!(ends.contains(&length), "{codec}: {length}"),
                Some(error) => {
                    assert!(!ends.contains(&length), "{codec}: {length}: {error}");
                    let kinds = [Some(Kind::Truncated), Some(Kind::NotAvro)];
                    assert!(kinds.contains(&error.detail().copied()), "{codec}: {length}: {error}");
                    assert_eq!(error.position().file.as_deref(), Some("x.avro"));
                    assert_eq!(
                        error.position().block.is_some(),
                        length >= ends[0],
                        "{codec}: {length}: {error}"
                    );
                }
            }
        }
    }
}

/// Returns the end of the header and of each block.
fn ends(file: &[u8]) -> Vec<usize> {
    let marker = b"0123456789abcdef";
    (16..=file.len()).filter(|&end| file[end - 16..end] == marker[..]).collect()
}

#[test]
fn every_bit_turned() {
    for codec in codecs() {
        let file = rows(codec, 6, 3);
        let ends = ends(&file);
        let (whole, _) = read_json(&file, limits());
        for byte in 0..file.len() {
            let all = bits(codec, byte);
            // Of the header one: nothing is checked there but that all ends.
            for bit in all.filter(|bit| byte >= ends[0] || *bit == byte % 8) {
                let mut damaged = file.clone();
                damaged[byte] ^= 1 << bit;
                let (records, error) = read_json(&damaged, limits());
                if byte < ends[0] {
                    continue; // The schema or the codec may be another one now.
                }
                let before = if byte >= ends[1] { 3 } else { 0 };
                assert!(records.len() >= before, "{codec}: byte {byte}, bit {bit}");
                assert_eq!(records[..before], whole[..before], "{codec}: byte {byte}, bit {bit}");
                // Without compression no checksum tells.
                let checked = !matches!(codec, Codec::Null | Codec::Deflate);
                if checked && error.is_none() {
                    assert_eq!(records, whole, "{codec}: byte {byte}, bit {bit}");
                }
            }
        }
    }
}

#[test]
fn a_bomb_stops_at_the_limit() {
    use avro_path::AvroSchema;
    use avro_path::container::ContainerWriter;
    use avro_path::datum::write;

    let schema = AvroSchema::parse("\"bytes\"").unwrap();
    for codec in codecs().filter(|codec| *codec != Codec::Null) {
        // Two of them are slow without optimization, and all pass the same gate.
        let slow = matches!(codec, Codec::Bzip2 | Codec::Xz);
        let length = if slow { 1 << 20 } else { 17 << 20 };
        let mut writer = ContainerWriter::builder(Vec::new(), &schema).codec(codec).build().unwrap();
        writer
            .write_with(|out| {
                write::bytes(out, &vec![0; length]);
                Ok(())
            })
            .unwrap();
        let file = writer.finish().unwrap();
        let open = |limits| {
            let mut reader = ContainerReader::builder(&file[..]).limits(limits).build().unwrap();
            reader.next_block().map(|block| block.unwrap().bytes().len())
        };
        let mut all = vec![
            Limits::default().record_bytes(1 << 19),
            Limits::default().decompressed_bytes(length as u64),
        ];
        if !slow {
            all.push(Limits::default().decompression_ratio(1));
        }
        for limits in all {
            let error = open(limits).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{codec}: {error}");
            assert_eq!(error.position().block, Some(0), "{codec}");
        }
        let enough = Limits::default().decompression_ratio(1 << 20);
        assert!(open(enough).unwrap() > length, "{codec}");
    }
}

/// Returns the blocks and the error after them, which are the same for every reader.
fn blocks_before_an_error(file: &[u8]) -> (Vec<Vec<u8>>, Error) {
    let mut reader = ContainerReader::builder(file).name("x.avro").build().unwrap();
    let mut found = Vec::new();
    let error = loop {
        match reader.next_block() {
            Ok(block) => found.push(block.unwrap().bytes().to_vec()),
            Err(error) => break error,
        }
    };
    assert!(reader.next_block().unwrap().is_none() && reader.last_block().is_none());
    let reader = ContainerReader::builder(Cursor::new(file.to_vec())).name("x.avro").build().unwrap();
    let two = tfxio_base::Threading::new().threads(2);
    let mut results = reader.map_blocks(&two, || |block: Block<'_>| Ok(block.bytes().to_vec())).unwrap();
    for bytes in &found {
        assert_eq!(results.next().unwrap().unwrap(), *bytes);
    }
    assert_eq!(results.next().unwrap().unwrap_err().to_string(), error.to_string());
    assert!(results.next().is_none());
    (found, error)
}

#[test]
fn a_block_with_another_marker_behind_it_comes_out_if_it_is_whole() {
    for codec in codecs() {
        let file = rows(codec, 12, 3);
        let ends = ends(&file);
        let (whole, _) = blocks_before_an_error(&file[..file.len() - 1]);
        let damaged = |at: usize, turn: u8| {
            let mut file = file.clone();
            file[at] ^= turn;
            blocks_before_an_error(&file)
        };
        for byte in [1, 16] {
            let (found, error) = damaged(ends[2] - byte, 1);
            assert_eq!(found[0], whole[0], "{codec}");
            assert_eq!((found.len(), error.detail().copied()), (2, Some(Kind::Sync)), "{codec}");
            let position = format!(
                "x.avro, byte {}, block 1: the block does not end with the file's sync marker",
                ends[1]
            );
            assert!(error.to_string().starts_with(&position), "{codec}: {error}");
        }
        // The size of the second block: no marker stands where it should, and the bytes are not its records.
        let (found, _) = damaged(ends[1] + 1, 2);
        assert_eq!(found, whole[..1], "{codec}");
        // Its count too: 3, as 6, becomes 2.
        let mut file = file.clone();
        (file[ends[1]], file[ends[2] - 1]) = (4, 0);
        let (found, error) = blocks_before_an_error(&file);
        assert_eq!((found.len(), error.detail().copied()), (1, Some(Kind::Sync)), "{codec}: {error}");
    }
}

#[test]
fn a_reader_that_has_failed_stays_at_its_end() {
    let mut file = rows(Codec::Null, 6, 3);
    let end = file.len();
    file[end - 1] ^= 1;
    let mut reader = ContainerReader::new(&file[..]).unwrap();
    for _ in 0..2 {
        assert_eq!(reader.next_block().unwrap().unwrap().count(), 3);
        assert_eq!(reader.last_block().unwrap().count(), 3);
    }
    assert_eq!(reader.next_block().unwrap_err().detail(), Some(&Kind::Sync));
    assert!(reader.last_block().is_none());
    assert!(reader.next_block().unwrap().is_none());
    assert!(numbers(&file).is_err());
}

//! A damaged sync marker in the header: inferred from the blocks.

use std::io::Cursor;

use avro_path::Kind;
use avro_path::container::{Block, Codec, ContainerReader, Reason, SalvageReader};

use crate::containers::test_data::{codecs, rows};

fn header_len(file: &[u8]) -> usize {
    usize::try_from(ContainerReader::new(file).unwrap().header().len()).unwrap()
}

fn salvaged(file: &[u8]) -> (u64, SalvageReader<&[u8]>) {
    let mut reader = SalvageReader::new(file).unwrap();
    let mut count = 0;
    while let Some(block) = reader.next_block().unwrap() {
        count += block.count();
    }
    (count, reader)
}

#[test]
fn no_record_is_lost() {
    for codec in codecs() {
        for blocks in [1, 2, 3, 10] {
            let file = rows(codec, 3 * blocks, 3);
            let end = header_len(&file);
            for bit in 0..128 {
                let mut damaged = file.clone();
                damaged[end - 16 + bit / 8] ^= 1 << (bit % 8);
                let (count, reader) = salvaged(&damaged);
                assert_eq!(count, u64::from(3 * blocks), "{codec}: {bit}: {}", reader.report());
                assert!(!reader.report().is_clean());
            }
            let mut damaged = file.clone();
            damaged[end - 16..end].fill(0);
            let (count, reader) = salvaged(&damaged);
            assert_eq!(count, u64::from(3 * blocks), "{codec}: {}", reader.report());
        }
    }
}

#[test]
fn the_report_names_the_header() {
    let mut file = rows(Codec::Null, 12, 3);
    let end = header_len(&file);
    file[end - 3] ^= 4;
    // The third block has no whole marker either.
    let (_, reader) = salvaged(&file);
    let damage = &reader.report().damages[0];
    assert_eq!((damage.start, damage.end, damage.records), (end as u64 - 16, end as u64, Some(0)));
    assert_eq!(damage.reason, Reason::Frame);
    assert_eq!(
        damage.detail.as_deref(),
        Some("the sync marker in the header is damaged: the blocks end with another one")
    );
}

#[test]
fn readers_that_fail_say_what_is_damaged() {
    for codec in codecs() {
        let mut file = rows(codec, 12, 3);
        let end = header_len(&file);
        file[end - 3] ^= 4;
        let error_of = |error: avro_path::Error| {
            assert_eq!(error.detail(), Some(&Kind::Sync));
            assert!(
                error.to_string().ends_with(
                    "block 0: the sync marker in the file's header is damaged: the blocks end with another one; the \
                     blocks may be whole; salvage reads them"
                ),
                "{error}"
            );
        };
        let mut reader = ContainerReader::new(&file[..]).unwrap();
        assert_eq!(reader.next_block().unwrap().unwrap().count(), 3);
        error_of(reader.next_block().unwrap_err());
        let reader = ContainerReader::new(Cursor::new(file.clone())).unwrap();
        error_of(
            reader
                .map_blocks(&tfxio_base::Threading::new().threads(2), || |_: Block<'_>| Ok(()))
                .unwrap()
                .find_map(Result::err)
                .unwrap(),
        );
    }
}

#[test]
fn a_damaged_block_does_not_outvote_the_header() {
    // Blocks of zeros, in which heads and markers of zeros are found once the first head is damaged.
    use avro_path::AvroSchema;
    use avro_path::container::ContainerWriter;

    let schema = AvroSchema::parse(r#"{"type": "fixed", "name": "f", "size": 64}"#).unwrap();
    for fill in [0_u8, 2, 0x42] {
        let mut writer = ContainerWriter::builder(Vec::new(), &schema).codec(Codec::Null).build().unwrap();
        for record in 0..30 {
            writer.write(&[fill; 64]).unwrap();
            if record % 10 == 9 {
                writer.end_block().unwrap();
            }
        }
        let file = writer.finish().unwrap();
        let start = header_len(&file);
        for size in 0..64 {
            let mut damaged = file.clone();
            // The size has two bytes: it becomes this one and a byte more of data.
            damaged[start + 1] = size * 2;
            let (count, reader) = salvaged(&damaged);
            assert!(count >= 20, "{fill}, {size}: {}", reader.report());
        }
    }
}

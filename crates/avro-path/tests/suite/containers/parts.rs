//! Splits: every block once, in order.

use std::io::{Cursor, Read};

use avro_path::container::{Codec, ContainerReader, splits};

use crate::containers::test_data::{codecs, rows};

#[test]
fn splits_cut_anywhere_yield_each_block_once() {
    for codec in [Codec::Null, Codec::Deflate] {
        if !codec.is_supported() {
            continue;
        }
        let file = rows(codec, 60, 3);
        let expected = blocks(ContainerReader::new(Cursor::new(&file)).unwrap());
        assert_eq!(expected.len(), 20);
        for cut in 0..=file.len() as u64 + 1 {
            let open = |start, end| {
                blocks(ContainerReader::builder(Cursor::new(&file)).build_range(start..end).unwrap())
            };
            let (mut found, second) = (open(0, cut), open(cut, u64::MAX));
            assert!(found.iter().all(|block| block.0 < cut) && second.iter().all(|block| block.0 >= cut));
            found.extend(second);
            assert_eq!(found, expected, "{codec}: {cut}");
        }
    }
}

fn blocks<R: Read>(mut reader: ContainerReader<R>) -> Vec<(u64, Vec<u8>)> {
    let mut out = Vec::new();
    while let Some(block) = reader.next_block().unwrap() {
        out.push((block.position().offset, block.bytes().to_vec()));
    }
    out
}

#[test]
fn the_last_block_is_lent_once_more() {
    for codec in codecs() {
        let file = rows(codec, 60, 3);
        let mut reader = ContainerReader::new(Cursor::new(&file)).unwrap();
        assert!(reader.last_block().is_none());
        while let Some(block) = reader.next_block().unwrap() {
            let lent = (block.position().clone(), block.count(), block.bytes().to_vec());
            let again = reader.last_block().unwrap();
            assert_eq!((again.position().clone(), again.count(), again.bytes().to_vec()), lent, "{codec}");
        }
        assert!(reader.last_block().is_none());
        let mut reader = ContainerReader::new(&file[..file.len() - 1]).unwrap();
        while let Ok(Some(_)) = reader.next_block() {}
        assert!(reader.last_block().is_none());
    }
}

#[test]
fn splits_cover_the_file() {
    for (bytes, target) in [(0, 10), (1, 10), (10, 10), (11, 10), (1000, 7), (5, 0), (u64::MAX, u64::MAX / 3)]
    {
        let parts = splits(bytes, target);
        assert_eq!((parts[0].start, parts[parts.len() - 1].end), (0, u64::MAX));
        assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start && pair[0].start < pair[1].start));
        let least = bytes / target.max(1);
        assert!(parts.len() as u64 >= least.max(1), "{bytes} {target}");
    }
}

#[test]
fn a_split_of_a_file_is_opened_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.avro");
    let file = rows(Codec::Null, 30, 3);
    std::fs::write(&path, &file).unwrap();
    let mut found = Vec::new();
    for split in splits(file.len() as u64, 200) {
        found.extend(blocks(ContainerReader::builder(&path).open_range(split).unwrap()));
    }
    assert_eq!(found, blocks(ContainerReader::open(&path).unwrap()));
}

//! Parts of damaged files: together they give what the whole file gives.

use std::io::Cursor;

use avro_path::container::{Codec, ContainerReader, SalvageReader};

use crate::containers::test_data::rows;

/// Returns the first bytes of each good block, and the number of damages.
fn blocks(file: &[u8], range: Option<(u64, u64)>) -> (Vec<(u64, Vec<u8>)>, usize) {
    let mut reader = ContainerReader::builder(Cursor::new(file)).build_salvage().unwrap();
    if let Some((start, end)) = range {
        reader.restrict(start, end).unwrap();
    }
    let mut found = Vec::new();
    while let Some(block) = reader.next_block().unwrap() {
        found.push((block.position().offset, block.bytes().to_vec()));
    }
    (found, reader.report().damages.len())
}

#[test]
fn parts_of_a_damaged_file_are_the_file() {
    let file = rows(Codec::Null, 24, 3);
    for byte in (0..file.len()).step_by(7) {
        let mut damaged = file.clone();
        damaged[byte] ^= 0x11;
        if SalvageReader::new(&damaged[..]).is_err() {
            continue;
        }
        let (whole, damages) = blocks(&damaged, None);
        for parts in [2, 3, 5, 11] {
            let length = file.len() as u64;
            let cut = |at: u64| if at == parts { u64::MAX } else { length * at / parts };
            let (mut found, mut told) = (Vec::new(), 0);
            for part in 0..parts {
                let (blocks, damages) = blocks(&damaged, Some((cut(part), cut(part + 1))));
                found.extend(blocks);
                told += damages;
            }
            assert_eq!(found, whole, "byte {byte}, {parts} parts");
            assert_eq!(told, damages, "byte {byte}, {parts} parts");
        }
    }
}

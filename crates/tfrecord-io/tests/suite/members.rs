//! Members of gzip files with false headers: refused, with the same text whatever inflates.
#![cfg(feature = "gzip")]

use std::io::Cursor;

use tfrecord_io::compression::members::{self, Member};
use tfrecord_io::crc::masked_crc32c;
use tfrecord_io::{Compression, ErrorKind, Kind, Writer};

/// Returns a file of one member with `records` records of 100 bytes.
fn file_of(records: u8) -> Vec<u8> {
    let mut writer =
        Writer::builder(Vec::new()).compression(Compression::Gzip).member_bytes(1 << 20).build().unwrap();
    for record in 0..records {
        writer.write(&[record; 84]).unwrap();
    }
    writer.finish().unwrap()
}

fn first_member(file: &[u8]) -> Member {
    members::hop(Cursor::new(file)).unwrap().unwrap()[0]
}

/// Puts claims into the subfield of the first member, with a checksum that fits.
fn claim(file: &[u8], stored_len: u64, uncompressed_len: u64) -> Vec<u8> {
    let mut file = file.to_vec();
    let numbers = &mut file[16..40];
    numbers[..8].copy_from_slice(&stored_len.to_le_bytes());
    numbers[8..16].copy_from_slice(&uncompressed_len.to_le_bytes());
    let crc = masked_crc32c(numbers);
    file[40..44].copy_from_slice(&crc.to_le_bytes());
    file
}

/// Returns the error for the first member of a file, given the claims of its header.
fn refused(file: &[u8], stored_len: u64, uncompressed_len: u64) -> String {
    let file = claim(file, stored_len, uncompressed_len);
    let member = members::parse_header(&file).unwrap();
    let error =
        members::inflate(&file[..stored_len as usize], &member, 1 << 30, &mut Vec::new()).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::Decompress));
    let (position, what) = ("compressed byte 0, uncompressed byte 0: ", error.what());
    let hint = "the file is damaged; copy it again, or salvage the other members";
    assert_eq!(error.to_string(), format!("{position}{what}; {hint}"));
    what.to_owned()
}

#[test]
fn a_member_shorter_than_its_header_says() {
    for records in [0, 1, 40] {
        let mut file = file_of(records);
        let member = first_member(&file);
        let (stored, size) = (member.stored_len, member.uncompressed_len);
        for more in [1, 2, 7, 8, 9, 500] {
            // Zero bytes are what may stand behind the last member of a file; they are no part of it.
            file.resize((stored + more) as usize, 0);
            assert_eq!(
                refused(&file, stored + more, size),
                format!("a gzip member ends after {stored} bytes, its header says {}", stored + more),
                "{records} records"
            );
        }
        // Another member is none either.
        file.truncate(stored as usize);
        file.extend_from_slice(&file_of(records));
        assert_eq!(
            refused(&file, 2 * stored, size),
            format!("a gzip member ends after {stored} bytes, its header says {}", 2 * stored)
        );
    }
}

#[test]
fn a_member_longer_than_its_header_says() {
    let file = file_of(40);
    let stored = first_member(&file).stored_len;
    for (less, inside) in [(1, "the checksum and size of a gzip member"), (9, "a gzip member")] {
        assert_eq!(
            refused(&file, stored - less, 4000),
            format!("the bytes that the header of a gzip member gives end inside {inside}")
        );
    }
}

#[test]
fn a_member_that_becomes_something_else_than_its_header_says() {
    let file = file_of(40);
    let stored = first_member(&file).stored_len;
    assert_eq!(refused(&file, stored, 4001), "a gzip member becomes 4000 bytes, its header says 4001");
    assert_eq!(
        refused(&file, stored, 3999),
        "a gzip member becomes more than 3999 bytes, which its header says"
    );

    let mut file = file;
    let at = file.len() - 8;
    file[at] ^= 1;
    assert_eq!(
        refused(&file, stored, 4000),
        "a gzip member is corrupt: the CRC-32 of the gzip member does not match"
    );
}

#[test]
fn a_member_beyond_the_limit_or_cut_short() {
    let file = file_of(40);
    let member = first_member(&file);
    let stored = member.stored_len;
    let error = members::inflate(&file, &member, 3999, &mut Vec::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert_eq!(
        error.to_string(),
        "stored byte 0: a gzip member becomes 4000 bytes; the limit is 3999; raise the limit if the file is to be trusted"
    );
    let error = members::inflate(&file[..50], &member, 1 << 30, &mut Vec::new()).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::Truncated));
    assert_eq!(
        error.to_string(),
        format!(
            "compressed byte 0, uncompressed byte 0: a gzip member of {stored} bytes was given as 50 bytes; the file is \
             damaged; copy it again, or salvage the other members"
        )
    );
    let error = members::hop(Cursor::new(&file[..50])).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::Truncated));
    assert_eq!(
        error.to_string(),
        format!(
            "stored byte 0: the file ends inside a gzip member: 50 of {stored} bytes are there; the file was not written \
             or copied to its end; copy it again, or salvage what is there"
        )
    );
}

//! Errors of files that are damaged on purpose or by chance.

use tfxio_core::{FactValue, FileFormat as _, FileReport, FileState, Files, FormatOptions};
use tfxio_formats::AvroFormat;
use tfxio_formats::avro_path::container::Codec;
use tfxio_formats::avro_path::datum::write;

use crate::test_files::{TestFiles, container};

fn inspect(bytes: &[u8]) -> FileReport {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.avro");
    std::fs::write(&file, bytes).unwrap();
    let files = Files::local([file.to_str().unwrap()]).unwrap();
    AvroFormat.inspect().unwrap().inspect(&files, &FormatOptions::default()).unwrap().remove(0)
}

/// Asserts the state of a file, how many records are whole, and what is said after the name of the file.
fn says(what: &str, bytes: &[u8], state: FileState, records: u64, text: &str) {
    let report = inspect(bytes);
    let errors = report.errors.iter().map(|error| error.to_string()).collect::<Vec<_>>();
    let said = errors.first().and_then(|error| error.split_once("a.avro")).map_or("", |(_, said)| said);
    assert_eq!((errors.len(), said), (usize::from(!text.is_empty()), text), "{what}");
    assert_eq!(report.state, state, "{what}");
    assert_eq!(report.get("records"), Some(&FactValue::Count(records)), "{what}");
}

/// A file of blocks of one record each, with the offsets of the blocks.
fn made() -> (Vec<u8>, Vec<usize>) {
    let bytes = container(false, Codec::Null, 0..5, 1);
    let made = TestFiles::new().file(0, &bytes);
    (bytes, made.records.iter().map(|record| usize::try_from(record.byte).unwrap()).collect())
}

#[test]
fn files_without_blocks() {
    says(
        "empty",
        b"",
        FileState::NotRead,
        0,
        ": the file is empty; an Avro file without records still has a header",
    );
    says(
        "cut in the header",
        &made().0[..100],
        FileState::NotRead,
        0,
        ": the file ends within its header; the file is not complete; copy it again",
    );
    let header = container(false, Codec::Null, 0..0, 1);
    says("a header and nothing else", &header, FileState::Whole, 0, "");
    let mut unknown = header;
    let at = unknown.windows(4).rposition(|window| window == b"null").unwrap();
    unknown[at..at + 4].copy_from_slice(b"nulk");
    says(
        "a codec that is not known",
        &unknown,
        FileState::NotRead,
        0,
        ": the codec \"nulk\" is unknown; known are null, deflate, snappy, bzip2, xz and zstandard",
    );
}

#[test]
fn damaged_blocks() {
    let (whole, blocks) = made();
    let text = ", byte 325, block 3: the file ends within a block of 7 bytes; the file is not complete; copy it again, or \
                salvage what is there";
    says("cut in a block", &whole[..blocks[3] + 3], FileState::Damaged, 3, text);
    says("cut in a marker", &whole[..blocks[4] - 3], FileState::Damaged, 3, text);
    let text = |what: &str| {
        format!(", byte 295, block 2: {what}; the file is damaged here; salvage reads what follows")
    };
    let mut marker = whole.clone();
    marker[blocks[3] - 1] ^= 1;
    let said = text("the block does not end with the file's sync marker");
    says("another marker", &marker, FileState::Damaged, 5, &said);
    // The blocks after it are read.
    let many = "the block claims 1152921504606846976 records and has 12 bytes";
    for (count, what, said) in [
        (1 << 60, "2^60 records", text(many)),
        (-7, "a negative number of records", text("the block claims -7 objects")),
    ] {
        let mut claims = whole[..blocks[2]].to_vec();
        write::long(&mut claims, count);
        claims.extend(&whole[blocks[2] + 1..]);
        says(what, &claims, FileState::Damaged, 4, &said);
    }
    let mut claims = whole[..blocks[2] + 1].to_vec();
    write::long(&mut claims, 1 << 60);
    claims.extend(&whole[blocks[2] + 2..]);
    let text = ", byte 295, block 2: the block claims 1152921504606846976 bytes, more than 2147483647; raise \
                Limits::record_bytes and Limits::batch_bytes if this is meant; otherwise the file is damaged here";
    says("2^60 bytes", &claims, FileState::Damaged, 4, text);
}

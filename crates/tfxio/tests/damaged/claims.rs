//! Lengths that no file can account for.

use arrow_ipc::{Block, CompressionType};

use crate::table::{arrow, lists};
use crate::try_bytes;

/// Returns the bytes of a file with each occurrence of `old` overwritten by `new`. Panics if there is none.
#[track_caller]
fn with(bytes: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let mut found = false;
    for at in 0..=out.len() - old.len() {
        if out[at..].starts_with(old) {
            out[at..at + new.len()].copy_from_slice(new);
            found = true;
        }
    }
    assert!(found, "{old:?}");
    out
}

/// The blocks of the batches, as the footer has them.
fn blocks(bytes: &[u8]) -> Vec<Block> {
    let (rest, tail) = bytes.split_at(bytes.len() - 10);
    let length = i32::from_le_bytes(tail[..4].try_into().unwrap()) as usize;
    let footer = arrow_ipc::root_as_footer(&rest[rest.len() - length..]).unwrap();
    footer.recordBatches().unwrap().iter().copied().collect()
}

/// An allocation that fails ends the process: none of these may be tried.
#[test]
fn blocks_of_the_footer() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = arrow(&lists(), None);
    let first = blocks(&bytes)[0];
    let (offset, metadata, body) = (first.offset(), first.metaDataLength(), first.bodyLength());
    for (claim, says) in [
        (Block::new(offset, metadata, 1 << 62), "and the footer begins at byte"),
        (Block::new(offset, metadata, i64::MAX), "and the footer begins at byte"),
        (Block::new(offset, metadata, 1 << 20), "and the footer begins at byte"),
        (Block::new(offset, i32::MAX, body), "and the footer begins at byte"),
        (Block::new(1 << 62, metadata, body), "and the footer begins at byte"),
        (Block::new(offset, metadata, -1), "of a negative offset or length"),
        (Block::new(offset, -8, body), "of a negative offset or length"),
        (Block::new(-1, metadata, body), "of a negative offset or length"),
        (Block::new(offset, 4, body), "and the footer begins at byte"),
        (Block::new(offset, metadata, 8), "a batch has a buffer of"),
    ] {
        let error = try_bytes(&with(&bytes, &first.0, &claim.0), folder.path(), "a.arrow").expect("an error");
        assert!(
            error.contains("a.arrow: the Arrow file cannot be read: ") && error.contains(says),
            "{error}"
        );
    }
}

#[test]
fn the_length_of_the_footer() {
    let folder = tempfile::tempdir().unwrap();
    for (length, says) in
        [(i32::MAX, "claims 2147483647 bytes, and the file has"), (-1, "Invalid footer length: -1")]
    {
        let mut bytes = arrow(&lists(), None);
        let at = bytes.len() - 10;
        bytes[at..at + 4].copy_from_slice(&length.to_le_bytes());
        let error = try_bytes(&bytes, folder.path(), "a.arrow").expect("an error");
        assert!(error.contains(says), "{error}");
        let mut bytes = b"PAR1 and something".to_vec();
        bytes.extend(length.to_le_bytes());
        bytes.extend(b"PAR1");
        let error = try_bytes(&bytes, folder.path(), "a.parquet").expect("an error");
        assert!(error.contains("the footer claims") && error.contains("a.parquet: "), "{error}");
    }
}

#[test]
fn compressed_buffers() {
    let folder = tempfile::tempdir().unwrap();
    for compression in [CompressionType::ZSTD, CompressionType::LZ4_FRAME] {
        let bytes = arrow(&lists(), Some(compression));
        // The offsets of seven rows take 56 bytes inflated.
        let sure = with(&bytes, &56i64.to_le_bytes(), &(1i64 << 62).to_le_bytes());
        let error = try_bytes(&sure, folder.path(), "a.arrow").expect("an error");
        assert!(error.contains("compressed bytes claims 4611686018427387904 bytes inflated"), "{error}");
    }
}

#[test]
fn rows_without_bytes() {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, NullArray, RecordBatch};

    let folder = tempfile::tempdir().unwrap();
    let nulls = RecordBatch::try_from_iter([("n", Arc::new(NullArray::new(123_457)) as ArrayRef)]).unwrap();
    let bytes = arrow(&nulls, None);
    assert_eq!(try_bytes(&bytes, folder.path(), "a.arrow"), None);
    let bytes = with(&bytes, &123_457i64.to_le_bytes(), &(1i64 << 60).to_le_bytes());
    let error = try_bytes(&bytes, folder.path(), "a.arrow").expect("an error");
    assert!(error.contains("a batch claims 1152921504606846976 rows, and has 0 bytes"), "{error}");
}

#[test]
fn streams() {
    let folder = tempfile::tempdir().unwrap();
    let batch = lists();
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.write(&batch).unwrap();
    let bytes = writer.into_inner().unwrap();
    for name in ["a.arrow", "a.arrows"] {
        assert_eq!(try_bytes(&bytes, folder.path(), name), None);
    }
    let error = |bytes: &[u8]| try_bytes(bytes, folder.path(), "a.arrows").expect("an error");
    let end = bytes.len() - 8;
    let cut = error(&bytes[..end - 100]);
    assert!(
        cut.ends_with(&format!(
            "the stream ends in the message of batch 1 at byte {}, and the file has {} bytes: it was not written or copied to \
             its end; the file is not complete; copy or download it again",
            cut.split("at byte ").nth(1).unwrap().split(',').next().unwrap(),
            end - 100
        )),
        "{cut}"
    );
    // Without the marker of its end a stream is whole.
    assert_eq!(try_bytes(&bytes[..end], folder.path(), "a.arrows"), None);
    let more = [&bytes[..], b"more"].concat();
    assert!(error(&more).contains("4 bytes follow the end of the stream at byte "), "{}", error(&more));
    let mut claims = bytes.clone();
    claims[4..8].copy_from_slice(&(1i32 << 23).to_le_bytes());
    assert!(
        error(&claims).contains("the stream ends in the message of batch 0 at byte "),
        "{}",
        error(&claims)
    );
    claims[4..8].copy_from_slice(&i32::MAX.to_le_bytes());
    let text = tfxio::OpenOptions::new().format("arrow");
    std::fs::write(folder.path().join("b"), &claims).unwrap();
    let text = text.open([folder.path().join("b").to_str().unwrap()]).unwrap_err().to_string();
    assert!(text.contains("neither begins nor ends with ARROW1"), "{text}");
}

//! Single bits that are flipped, and files that are cut.

use std::path::Path;

use arrow_ipc::CompressionType;

use crate::table::{arrow, lists, nested, parquet};
use crate::try_bytes;

/// Flips every bit whose number is a multiple of `stride`, one at a time, and cuts the file.
fn damage(bytes: &[u8], stride: usize, folder: &Path, name: &str) {
    let mut errors = 0;
    let flips = (0..bytes.len() * 8).step_by(stride);
    let count = flips.clone().count();
    for bit in flips {
        let mut damaged = bytes.to_vec();
        damaged[bit / 8] ^= 1 << (bit % 8);
        errors += usize::from(try_bytes(&damaged, folder, name).is_some());
    }
    assert!(errors * 10 > count, "{name}: {errors} errors from {count} flips");
    for end in (8..bytes.len()).step_by(stride) {
        assert!(try_bytes(&bytes[..end], folder, name).is_some(), "{name}, cut at {end}");
    }
    let mut left = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(left.all(|name| !name.to_string_lossy().ends_with(".tmp")), "{name}: nothing is left");
}

#[test]
fn arrow_files() {
    let folder = tempfile::tempdir().unwrap();
    damage(&arrow(&lists(), None), 17, folder.path(), "lists.arrow");
    damage(&arrow(&nested(), None), 17, folder.path(), "nested.arrow");
}

#[test]
fn compressed_arrow_files() {
    let folder = tempfile::tempdir().unwrap();
    for (compression, name) in
        [(CompressionType::ZSTD, "lists-zstd.arrow"), (CompressionType::LZ4_FRAME, "lists-lz4.arrow")]
    {
        let bytes = arrow(&lists(), Some(compression));
        assert_eq!(try_bytes(&bytes, folder.path(), name), None);
        damage(&bytes, 23, folder.path(), name);
    }
}

#[test]
fn parquet_files() {
    for (compression, name) in [
        ("none", "lists-none.parquet"),
        ("snappy", "lists-snappy.parquet"),
        ("zstd", "lists-zstd.parquet"),
        ("gzip", "lists-gzip.parquet"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let bytes = parquet(folder.path(), compression);
        assert_eq!(try_bytes(&bytes, folder.path(), name), None);
        damage(&bytes, 19, folder.path(), name);
    }
}

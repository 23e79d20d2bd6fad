//! Recognition of files of other formats, so that an error can name the format.

/// First bytes of other formats, and their names.
const MAGIC: &[(&[u8], &str)] = &[
    (b"PAR1", "a Parquet file"),
    (b"Obj\x01", "an Avro object container file"),
    (b"ARROW1", "an Arrow IPC file"),
    (b"\xff\xff\xff\xff", "an Arrow IPC stream"),
    (b"PK\x03\x04", "a zip archive (or npz)"),
    (b"\x28\xb5\x2f\xfd", "a zstd stream"),
    (b"\x04\x22\x4d\x18", "an LZ4 frame"),
    (b"\xff\x06\x00\x00sNaPpY", "a snappy stream"),
    (b"BZh", "a bzip2 stream"),
    (b"\xfd7zXZ\x00", "an xz stream"),
    (b"\x89HDF\r\n", "an HDF5 file"),
    (b"\x93NUMPY", "a NumPy array file"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"ORC", "an ORC file"),
    (b"SQLite format 3", "an SQLite database"),
    (b"version https://git-lfs", "a Git LFS pointer (the data was never fetched: run `git lfs pull`)"),
    (b"%PDF", "a PDF document"),
];

/// Names what `start`, the first bytes of a file, looks like, if it looks like something else than TFRecord.
pub(crate) fn looks_like(start: &[u8]) -> Option<&'static str> {
    if let Some((_, name)) = MAGIC.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Some(name);
    }
    if crate::compression::has_gzip_magic(start) {
        return Some("a gzip stream");
    }
    let text = start.get(..start.len().min(64)).unwrap_or_default();
    let is_text = |byte: &u8| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    if text.len() >= 4 && text.iter().all(is_text) {
        return Some(match text.first() {
            Some(b'<') => "an HTML or XML document",
            Some(b'{' | b'[') => "a JSON document",
            _ => "a text file",
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::looks_like;
    use crate::frame::Header;

    #[test]
    fn names_what_it_knows_and_nothing_else() {
        assert_eq!(looks_like(b"PAR1\x15\x04"), Some("a Parquet file"));
        assert_eq!(looks_like(b"<html><body>"), Some("an HTML or XML document"));
        assert_eq!(looks_like(b"{\"a\": 1}\n"), Some("a JSON document"));
        assert_eq!(looks_like(b"a,b,c\n1,2,3\n"), Some("a text file"));
        assert_eq!(looks_like(b""), None);
        assert_eq!(looks_like(&[0; 12]), None);
        assert_eq!(looks_like(&Header::encode(698)), None);
    }
}

//! Compression of whole files: none, gzip or zlib.

/// Whether `start` begins like a gzip stream (RFC 1952: two magic bytes, then the method, always 8).
pub(crate) fn has_gzip_magic(start: &[u8]) -> bool {
    start.starts_with(&[0x1f, 0x8b, 8])
}

//! Buffers that are read into.

/// Bytes that are 0, to be copied.
const ZEROS: [u8; 4096] = [0; 4096];

/// Resizes a buffer to `len` bytes and fills new bytes with 0, as [`Vec::resize`] does.
///
/// An empty buffer gets zeroed memory from the allocator, so that pages that nothing is read into stay untouched. Otherwise
/// zeros are copied in blocks, which is fast without optimisation, too.
///
/// ```
/// let mut buffer = b"ab".to_vec();
/// tfxio_base::resize_zeroed(&mut buffer, 4);
/// assert_eq!(buffer, b"ab\0\0");
/// tfxio_base::resize_zeroed(&mut buffer, 1);
/// assert_eq!(buffer, b"a");
/// ```
pub fn resize_zeroed(buffer: &mut Vec<u8>, len: usize) {
    if buffer.is_empty() && buffer.capacity() < len {
        *buffer = vec![0; len];
        return;
    }
    buffer.truncate(len);
    buffer.reserve(len - buffer.len());
    while buffer.len() < len {
        let missing = len - buffer.len();
        buffer.extend_from_slice(ZEROS.get(..missing).unwrap_or(&ZEROS));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_those_of_resize() {
        for start in [0, 1, 5000, 20_000] {
            for len in [0, 1, 4095, 4096, 4097, 8192, 10_000, 20_000] {
                for capacity in [0, 30_000] {
                    let mut buffer = Vec::with_capacity(capacity);
                    buffer.extend(std::iter::repeat_n(7, start));
                    let mut expected = buffer.clone();
                    expected.resize(len, 0);
                    resize_zeroed(&mut buffer, len);
                    assert!(buffer == expected, "{start} bytes to {len}");
                }
            }
        }
    }
}

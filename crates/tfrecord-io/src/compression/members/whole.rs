//! Inflation of one whole member of known size.

use tfxio_base::{Count, resize_zeroed};

use crate::compression::WrappedDecoder;

/// Inflates `stored` to `out`, which then has `size` bytes. The error is its message.
pub(super) fn inflate(stored: &[u8], size: usize, out: &mut Vec<u8>) -> Result<(), String> {
    #[cfg(feature = "libdeflate")]
    if tfxio_base::inflating(|| fast::inflate(stored, size, out)) {
        return Ok(());
    }
    // One byte more than expected, so that an output that is too long shows.
    resize_zeroed(out, size.saturating_add(1));
    let mut decoder = WrappedDecoder::one_member();
    let step = decoder
        .decode(stored, out, 0)
        .map_err(|corrupt| format!("a gzip member is corrupt: {}", corrupt.what))?;
    if step.produced > size {
        return Err(format!(
            "a gzip member becomes more than {}, which its header says",
            Count::of(size, "byte")
        ));
    }
    if let Some(inside) = decoder.unfinished() {
        return Err(format!("the bytes that the header of a gzip member gives end inside {inside}"));
    }
    if step.produced < size {
        let count = step.produced;
        return Err(format!("a gzip member becomes {}, its header says {size}", Count::of(count, "byte")));
    }
    if step.consumed != stored.len() {
        let (used, all) = (step.consumed, stored.len());
        return Err(format!("a gzip member ends after {}, its header says {all}", Count::of(used, "byte")));
    }
    out.truncate(size);
    Ok(())
}

/// With libdeflate, which is about half as fast again as a streaming inflater when all input and the size of the output
/// are there.
#[cfg(feature = "libdeflate")]
mod fast {
    use std::cell::RefCell;

    use libdeflater::Decompressor;
    use tfxio_base::resize_zeroed;

    thread_local! {
        /// Its tables are reused from member to member.
        static DECOMPRESSOR: RefCell<Decompressor> = RefCell::new(Decompressor::new());
    }

    /// Inflates the member and returns whether it is good. If not, the streaming inflater inflates it again and reports
    /// the error, so that the verdict and its text are the same in every build.
    ///
    /// libdeflate stops after the first member and does not report where that was. So the last eight bytes must be the
    /// trailer of the output, and these bytes must not occur earlier, where the member could have ended. If they do (by
    /// accident once in 2³² bytes), the streaming inflater decides.
    pub(super) fn inflate(stored: &[u8], size: usize, out: &mut Vec<u8>) -> bool {
        resize_zeroed(out, size);
        let result = DECOMPRESSOR.with_borrow_mut(|state| state.gzip_decompress(stored, out));
        if result != Ok(size) {
            return false;
        }
        let [a, b, c, d] = crc_fast::crc32_iso_hdlc(out).to_le_bytes();
        let trailer = [[a, b, c, d], (size as u32).to_le_bytes()];
        let Some(before) = stored.strip_suffix(trailer.as_flattened()) else { return false };
        // Without a branch in it, the loop compares many positions at a time.
        let [behind_1, behind_2, behind_3] = [1, 2, 3].map(|by| stored.get(by..).unwrap_or_default());
        let bytes = before.iter().zip(behind_1).zip(behind_2).zip(behind_3);
        !bytes.fold(false, |found, (((&w, &x), &y), &z)| found | ((w == a) & (x == b) & (y == c) & (z == d)))
    }
}

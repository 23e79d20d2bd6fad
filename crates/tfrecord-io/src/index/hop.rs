//! Indexing by the headers alone.

use std::io::{self, Read, Seek, SeekFrom};

use tfxio_base::Count;

use super::{Index, Stamp, stamp::stale};
use crate::compression::Compression;
use crate::frame::{HEADER_LEN, Header, OVERHEAD};
use crate::reader::Reader;
use crate::{Error, Limits, Result};

/// Average length of recent frames up to which the file is read through: with shorter frames, a read for each header
/// costs more.
const SMALL: u64 = 8 << 10;
/// Bytes read at a time when reading through.
const WINDOW: usize = 64 << 10;

impl Index {
    /// Indexes an *uncompressed* file by its headers: twelve bytes a record are read, and the bytes between them only
    /// if records are small. The checksums of the lengths are compared and every record has to be whole, but the
    /// payloads are not checked: [`crc32_of_payloads`](Self::crc32_of_payloads) is `None`, and a damaged payload shows
    /// when its record is read.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use tfrecord_io::{Index, frame, index::Stamp};
    ///
    /// let mut file = Vec::new();
    /// for payload in [&b"one"[..], b"", b"three"] {
    ///     frame::append(&mut file, payload);
    /// }
    /// let stamp = Stamp::new(file.len() as u64);
    /// let index = Index::hop(Cursor::new(&file), stamp)?;
    /// assert_eq!((index.len(), index.offset(2)), (3, Some(35)));
    /// assert_eq!(index.crc32_of_payloads(), None);
    /// # Ok::<(), tfrecord_io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// - As [`Reader::next_record`](crate::Reader::next_record) for a header that is damaged and a record
    ///   that is cut off; [`Kind::CompressionMismatch`](crate::Kind::CompressionMismatch): the file is compressed.
    /// - [`Kind::IndexStale`](crate::Kind::IndexStale): the size of the file is not that of `stamp`.
    pub fn hop(mut source: impl Read + Seek, stamp: Stamp) -> Result<Self> {
        let fail = |error| Error::io(error, "seeking");
        let size = source.seek(SeekFrom::End(0)).map_err(fail)?;
        if size != stamp.file_bytes {
            let (size, expected) = (Count::of(size, "byte"), stamp.file_bytes);
            let were = Count::of(expected, "byte").verb("was", "were");
            return Err(stale(format!("the file has {size}, where {expected} {were} expected")));
        }
        let mut window = Window { source, bytes: Vec::new(), at: 0 };
        let mut offsets = Vec::new();
        let (mut at, mut usual) = (0u64, 0u64);
        while at < size {
            let want = if usual <= SMALL { WINDOW } else { HEADER_LEN };
            let header = window.header(at, want).map_err(|error| Error::io(error, "reading").at_byte(at))?;
            let length = header.and_then(|header| Header::read(&header).checked_length());
            let length = length.filter(|&length| length <= Limits::default().record_bytes);
            let frame = length.map(|length| length + OVERHEAD as u64).filter(|&frame| frame <= size - at);
            let Some(frame) = frame else {
                return Err(explain(window.source, at).at_record(offsets.len() as u64));
            };
            offsets.push(at);
            at += frame;
            usual = (usual / 4).saturating_mul(3).saturating_add(frame / 4);
        }
        offsets.push(at);
        Ok(Self::of_offsets(stamp, offsets))
    }
}

/// Bytes of the source that were read together.
struct Window<R> {
    source: R,
    bytes: Vec<u8>,
    /// Offset of the first of them.
    at: u64,
}

impl<R: Read + Seek> Window<R> {
    /// Returns the header at `at`; `None` if the source ends before it does. Reads `want` bytes unless the header was
    /// read before.
    fn header(&mut self, at: u64, want: usize) -> io::Result<Option<[u8; HEADER_LEN]>> {
        if let Some(header) = self.here(at) {
            return Ok(Some(header));
        }
        self.source.seek(SeekFrom::Start(at))?;
        self.at = at;
        self.bytes.clear();
        self.source.by_ref().take(want as u64).read_to_end(&mut self.bytes)?;
        Ok(self.here(at))
    }

    fn here(&self, at: u64) -> Option<[u8; HEADER_LEN]> {
        let skip = usize::try_from(at.checked_sub(self.at)?).ok()?;
        self.bytes.get(skip..)?.first_chunk().copied()
    }
}

/// Returns a reader's error for the record at `at`, which is damaged or incomplete.
#[cold]
fn explain(mut source: impl Read + Seek, at: u64) -> Error {
    // The start of a file tells what it is.
    let start = if at == 0 { source.rewind().map_err(|error| Error::io(error, "seeking")) } else { Ok(()) };
    let builder = Reader::builder(source).compression(Some(Compression::None));
    let reader =
        start.and_then(|()| if at == 0 { Ok(builder.build()) } else { builder.build_range(at..u64::MAX) });
    match reader.and_then(|mut reader| reader.next_record().map(|_| ())) {
        Err(error) => error,
        Ok(()) => stale("the file was changed while it was indexed").at_byte(at),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::Kind;
    use crate::frame;

    /// Counts what is read.
    struct Counted<'a>(Cursor<&'a [u8]>, &'a mut u64);

    impl Read for Counted<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = self.0.read(out)?;
            *self.1 += count as u64;
            Ok(count)
        }
    }

    impl Seek for Counted<'_> {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }

    fn file(lengths: &[usize]) -> Vec<u8> {
        let mut file = Vec::new();
        for &length in lengths {
            frame::append(&mut file, &vec![7; length]);
        }
        file
    }

    #[test]
    fn the_records_are_those_that_a_reader_finds() {
        let mixed = (0..200).map(|i| (i * 7919) % 40_000).collect::<Vec<_>>();
        for lengths in [&[][..], &[0], &[0, 0, 5], &[1 << 20, 3, 1 << 20], &[100; 3000], &mixed] {
            let file = file(lengths);
            let stamp = Stamp::new(file.len() as u64);
            let read = Index::from_reader(&file[..], stamp.clone()).unwrap();
            let hopped = Index::hop(Cursor::new(&file), stamp).unwrap();
            assert_eq!(hopped.offsets, read.offsets);
            assert_eq!(Index::from_bytes(&hopped.to_bytes()).unwrap(), hopped, "it can be kept");
        }
    }

    #[test]
    fn payloads_of_large_records_are_not_read() {
        let file = file(&[100_000; 50]);
        let mut read = 0;
        let stamp = Stamp::new(file.len() as u64);
        Index::hop(Counted(Cursor::new(&file), &mut read), stamp).unwrap();
        assert!(read <= (2 * WINDOW + 50 * HEADER_LEN) as u64, "{read} bytes were read");
    }

    #[test]
    fn what_is_wrong_is_said_as_a_reader_says_it() {
        let whole = file(&[10, 20_000, 30, 40]);
        let stop = [0, 3, 15, 26, 30, 5_000, 20_041, 20_042, 20_060, whole.len() - 1];
        let cut = stop.map(|end| whole[..end].to_vec());
        let flipped = [1, 9, 27, 20_043].map(|at| {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x40;
            bytes
        });
        let gzip = [&b"\x1f\x8b\x08\0\0\0\0\0\0\xff"[..], &[0; 40]].concat();
        for bytes in cut.into_iter().chain(flipped).chain([gzip, b"{\"a\": \"a JSON document\"}".to_vec()]) {
            let stamp = Stamp::new(bytes.len() as u64);
            let mut reader = Reader::builder(&bytes[..]).compression(Some(Compression::None)).build();
            let expected = loop {
                match reader.next_record() {
                    Ok(Some(_)) => {}
                    Ok(None) => break None,
                    Err(error) => break Some(error.to_string()),
                }
            };
            let found = Index::hop(Cursor::new(&bytes), stamp).err().map(|error| error.to_string());
            assert_eq!(found, expected);
        }
        let error = Index::hop(Cursor::new(&whole), Stamp::new(5)).unwrap_err();
        assert_eq!(error.detail(), Some(&Kind::IndexStale));
    }
}

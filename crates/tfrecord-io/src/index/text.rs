//! The text index of other tools: a line for each record, `offset length`.
//!
//! Both the PyPI package `tfrecord` and NVIDIA DALI (`tfrecord2idx`) write the offset of the record's *header* and the
//! length of the *whole frame*, that is 16 bytes more than the payload, both as decimal numbers.

use std::io::{BufRead, Write};

use tfxio_base::Count;

use super::{Index, Stamp, stamp::stale};
use crate::compression::Compression;
use crate::frame::OVERHEAD;
use crate::{Error, ErrorKind, Kind, Result};

impl Index {
    /// Writes the index as text: a line for each record, with the offset of its header and the length of its frame.
    /// Other tools can use it for uncompressed files only.
    ///
    /// ```
    /// use tfrecord_io::{Index, frame, index::Stamp};
    /// let mut file = Vec::new();
    /// frame::append(&mut file, b"one");
    /// frame::append(&mut file, b"three");
    /// let index = Index::from_reader(&file[..], Stamp::new(file.len() as u64))?;
    /// let mut text = Vec::new();
    /// index.write_text(&mut text)?;
    /// assert_eq!(text, b"0 19\n19 21\n");
    /// let same = Index::read_text(&text[..], Stamp::new(file.len() as u64))?;
    /// assert_eq!(same.frame(1), index.frame(1));
    /// # Ok::<(), tfrecord_io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::InvalidArgument`]: the file is compressed.
    /// - Writing fails.
    pub fn write_text(&self, out: impl Write) -> Result<()> {
        if self.compression != Compression::None {
            let compression = self.compression;
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!("a text index of a {compression} file is of no use: its offsets lie in the uncompressed stream"),
            )
            .help("write the file without compression, or use this crate's own index"));
        }
        let mut out = std::io::BufWriter::new(out);
        let fail = |error| Error::io(error, "writing the index");
        for frame in self.offsets.windows(2) {
            if let &[start, end] = frame {
                writeln!(out, "{start} {}", end - start).map_err(fail)?;
            }
        }
        out.flush().map_err(fail)
    }

    /// Reads a text index of an uncompressed file. It must describe the whole file: the tools that write such indexes
    /// leave a short one when they meet an error, and do not notice when the file changes.
    ///
    /// # Errors
    ///
    /// - [`Kind::IndexCorrupt`]: a line is not two numbers, or a record does not begin where the one before ends.
    /// - [`Kind::IndexStale`]: the records do not end where the file ends.
    /// - Reading fails.
    pub fn read_text(text: impl BufRead, stamp: Stamp) -> Result<Self> {
        let mut offsets = vec![0u64];
        let mut at = 0u64;
        for (number, line) in text.lines().enumerate() {
            let line = line.map_err(|error| Error::io(error, "reading the index"))?;
            let mut fields = line.split_ascii_whitespace().map(str::parse::<u64>);
            let (offset, length) = match (fields.next(), fields.next(), fields.next()) {
                (Some(Ok(offset)), Some(Ok(length)), None) => (offset, length),
                // An empty line at the end.
                (None, ..) => continue,
                _ => {
                    let shown: String = line.chars().take(40).collect();
                    return Err(corrupt(number, format!("\"{shown}\" is not an offset and a length")));
                }
            };
            if offset != at {
                let what =
                    format!("the record begins at byte {offset}, but the one before ends at byte {at}");
                return Err(corrupt(number, what));
            }
            at = match offset.checked_add(length).filter(|_| length >= OVERHEAD as u64) {
                Some(end) => end,
                None => {
                    let what = format!("a record takes at least {OVERHEAD} bytes, this one takes {length}");
                    return Err(corrupt(number, what));
                }
            };
            offsets.push(at);
        }
        if at != stamp.file_bytes {
            let bytes = stamp.file_bytes;
            return Err(stale(format!(
                "the text index describes {}, but the file has {bytes}",
                Count::of(at, "byte")
            )));
        }
        Ok(Self::of_offsets(stamp, offsets))
    }
}

fn corrupt(line: usize, what: String) -> Error {
    // People count lines from 1, and so do editors.
    let line = line + 1;
    Error::new(Kind::IndexCorrupt, format!("line {line} of the text index: {what}")).help(
        "build the index again; a text index must have `offset length` of each record's frame, in order",
    )
}

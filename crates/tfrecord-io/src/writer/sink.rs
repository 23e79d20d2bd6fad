//! Sink that takes framed bytes, compresses them if need be, and writes them.

use std::io::Write;

use super::WriterBuilder;
#[cfg(feature = "gzip")]
use super::{GzipMember, MemberEncoder};
#[cfg(feature = "gzip")]
use crate::ErrorKind;
use crate::compression::Compression;
use crate::{Error, Result};

/// Sink that turns framed bytes into stored bytes.
#[derive(Debug)]
pub(super) struct Sink<W> {
    writer: W,
    codec: Codec,
    /// Stored bytes that were written.
    written: u64,
}

#[derive(Debug)]
enum Codec {
    Plain,
    #[cfg(feature = "gzip")]
    Members {
        encoder: MemberEncoder,
        /// Members that were written.
        count: u64,
    },
    #[cfg(feature = "gzip")]
    Stream(deflate::Stream),
}

impl<W: Write> Sink<W> {
    pub(super) fn plain(writer: W) -> Self {
        Self { writer, codec: Codec::Plain, written: 0 }
    }

    pub(super) fn new(writer: W, builder: &WriterBuilder) -> Result<Self> {
        let codec = match builder.written() {
            Compression::None => Codec::Plain,
            #[cfg(feature = "gzip")]
            Compression::Gzip if builder.member_bytes.is_some() => {
                Codec::Members { encoder: MemberEncoder::new(builder.level), count: 0 }
            }
            #[cfg(feature = "gzip")]
            Compression::Gzip => Codec::Stream(deflate::Stream::gzip(builder.level)),
            #[cfg(feature = "gzip")]
            Compression::Zlib => Codec::Stream(deflate::Stream::zlib(builder.level)),
            #[cfg(not(feature = "gzip"))]
            other => {
                return Err(Error::new(
                    crate::error::Kind::CompressionUnsupported,
                    format!("this build cannot write {other}"),
                )
                .help("build tfrecord-io with its feature `gzip`"));
            }
        };
        Ok(Self { writer, codec, written: 0 })
    }

    /// Writes whole records, `records` of them. A gzip file of members gets one more.
    pub(super) fn write(&mut self, framed: &[u8], records: u64) -> Result<()> {
        // With one possible codec the number of records goes unused.
        let _ = records;
        let stored = match &mut self.codec {
            Codec::Plain => framed,
            #[cfg(feature = "gzip")]
            Codec::Members { encoder, count } => {
                *count += 1;
                encoder.compress(framed, records)?
            }
            #[cfg(feature = "gzip")]
            Codec::Stream(codec) => codec.compress(framed, deflate::Flush::No)?,
        };
        self.writer.write_all(stored).map_err(failed)?;
        self.written += stored.len() as u64;
        Ok(())
    }

    /// Writes a member that was compressed before.
    #[cfg(feature = "gzip")]
    pub(super) fn write_member(&mut self, member: &GzipMember) -> Result<()> {
        let Codec::Members { count, .. } = &mut self.codec else {
            let what = "a gzip member is written to a file that is not gzip in members";
            return Err(Error::new(ErrorKind::InvalidArgument, what).help("write its records one by one"));
        };
        *count += 1;
        self.writer.write_all(member.stored()).map_err(failed)?;
        self.written += member.stored().len() as u64;
        Ok(())
    }

    /// Brings everything to the writer, and the writer to flush.
    pub(super) fn flush(&mut self) -> Result<()> {
        #[cfg(feature = "gzip")]
        if let Codec::Stream(codec) = &mut self.codec {
            let stored = codec.compress(&[], deflate::Flush::Sync)?;
            self.writer.write_all(stored).map_err(failed)?;
            self.written += stored.len() as u64;
        }
        self.writer.flush().map_err(failed)
    }

    /// Ends the streams. A compressed file without records still is a valid stream.
    pub(super) fn finish(mut self) -> Result<W> {
        #[cfg(feature = "gzip")]
        {
            let stored = match &mut self.codec {
                Codec::Plain => &[],
                Codec::Members { encoder, count: 0 } => encoder.compress(&[], 0)?,
                Codec::Members { .. } => &[],
                Codec::Stream(codec) => codec.compress(&[], deflate::Flush::Finish)?,
            };
            self.writer.write_all(stored).map_err(failed)?;
        }
        self.writer.flush().map_err(failed)?;
        Ok(self.writer)
    }

    pub(super) fn written(&self) -> u64 {
        self.written
    }
}

fn failed(error: std::io::Error) -> Error {
    Error::io(error, "writing")
}

#[cfg(feature = "gzip")]
pub(super) mod deflate {
    use flate2::{Compress, Compression as Level, FlushCompress, Status};

    use crate::{Error, ErrorKind, Result};

    /// Treatment of the bytes that the compressor holds back.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(super) enum Flush {
        /// Leave them: better compression.
        No,
        /// Write them, so that a reader sees all records so far.
        Sync,
        /// Write them and end the stream.
        Finish,
    }

    /// One stream for the whole file.
    #[derive(Debug)]
    pub(super) struct Stream {
        state: Compress,
        out: Vec<u8>,
        /// For gzip, whose header and trailer are ours: the checksum, the size, and whether the header was written.
        gzip: Option<(Box<crc_fast::Digest>, u32, bool)>,
    }

    impl Stream {
        pub(super) fn gzip(level: u32) -> Self {
            let crc = crc_fast::Digest::new(crc_fast::CrcAlgorithm::Crc32IsoHdlc);
            Self {
                state: Compress::new(Level::new(level), false),
                out: Vec::new(),
                gzip: Some((Box::new(crc), 0, false)),
            }
        }

        pub(super) fn zlib(level: u32) -> Self {
            Self { state: Compress::new(Level::new(level), true), out: Vec::new(), gzip: None }
        }

        pub(super) fn compress(&mut self, framed: &[u8], flush: Flush) -> Result<&[u8]> {
            self.out.clear();
            if let Some((crc, size, started)) = &mut self.gzip {
                if !*started {
                    self.out.extend_from_slice(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
                    *started = true;
                }
                crc.update(framed);
                *size = size.wrapping_add(framed.len() as u32);
            }
            let how = match flush {
                Flush::No => FlushCompress::None,
                Flush::Sync => FlushCompress::Sync,
                Flush::Finish => FlushCompress::Finish,
            };
            run(&mut self.state, framed, &mut self.out, how)?;
            if let (Flush::Finish, Some((crc, size, _))) = (flush, &self.gzip) {
                // The upper half of the result is zero for a CRC of 32 bits.
                self.out.extend_from_slice(&(crc.finalize() as u32).to_le_bytes());
                self.out.extend_from_slice(&size.to_le_bytes());
            }
            Ok(&self.out)
        }
    }

    /// Compresses all of `input` and appends it to `out`.
    pub(in crate::writer) fn run(
        state: &mut Compress,
        mut input: &[u8],
        out: &mut Vec<u8>,
        flush: FlushCompress,
    ) -> Result<()> {
        loop {
            out.reserve((input.len() / 4).max(4096));
            let (before_in, room) = (state.total_in(), out.capacity() - out.len());
            let before_out = state.total_out();
            let status = state
                .compress_vec(input, out, flush)
                .map_err(|error| Error::new(ErrorKind::Io, "compressing failed").because(error))?;
            // The difference is at most the length of the slice.
            input = input.get((state.total_in() - before_in) as usize..).unwrap_or_default();
            let full = (state.total_out() - before_out) as usize == room;
            match flush {
                FlushCompress::Finish if status == Status::StreamEnd => return Ok(()),
                FlushCompress::Finish => {}
                _ if input.is_empty() && !full => return Ok(()),
                _ => {}
            }
        }
    }
}

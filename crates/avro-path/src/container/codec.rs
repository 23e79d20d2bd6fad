//! Codecs that compress the blocks of a container.

#[cfg(feature = "bzip2")]
mod bzip2;
#[cfg(feature = "deflate")]
mod deflate;
#[cfg(feature = "snappy")]
mod snappy;
#[cfg(feature = "xz")]
mod xz;
#[cfg(feature = "zstandard")]
mod zstandard;

use std::fmt;
#[cfg(any(feature = "bzip2", feature = "xz"))]
use std::io::Read;
use std::str::FromStr;

use tfxio_core::{Count, inflating};

use crate::{Error, ErrorKind, Kind, Result};

/// Compression of the blocks of a container.
///
/// ```
/// use avro_path::container::Codec;
///
/// let codec: Codec = "deflate".parse()?;
/// assert_eq!(codec, Codec::Deflate);
/// assert_eq!(
///     "lz4".parse::<Codec>().unwrap_err().to_string(),
///     "the codec \"lz4\" is unknown; known are null, deflate, snappy, bzip2, xz and zstandard"
/// );
/// # Ok::<(), avro_path::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Codec {
    /// Not compressed.
    #[default]
    Null,
    /// Deflate of RFC 1951, without the header of zlib. Feature `deflate`.
    Deflate,
    /// Snappy's raw format, followed by the CRC-32 of the uncompressed bytes. Feature `snappy`.
    Snappy,
    /// bzip2. Feature `bzip2`.
    Bzip2,
    /// xz, which is LZMA2 with a checksum. Feature `xz`.
    Xz,
    /// Zstandard. Feature `zstandard`.
    Zstandard,
}

impl Codec {
    /// Every codec.
    pub const ALL: [Self; 6] =
        [Self::Null, Self::Deflate, Self::Snappy, Self::Bzip2, Self::Xz, Self::Zstandard];

    /// Returns the name of the codec in the header of a container.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.facts().0
    }

    /// Returns whether this build can read and write the codec.
    #[must_use]
    pub fn is_supported(self) -> bool {
        self.facts().1
    }

    /// Returns the name, whether this build has the codec, and its lowest, usual and highest level.
    fn facts(self) -> (&'static str, bool, [u32; 3]) {
        match self {
            Self::Null => ("null", true, [0; 3]),
            Self::Deflate => ("deflate", cfg!(feature = "deflate"), [0, 6, 9]),
            Self::Snappy => ("snappy", cfg!(feature = "snappy"), [0; 3]),
            Self::Bzip2 => ("bzip2", cfg!(feature = "bzip2"), [1, 9, 9]),
            Self::Xz => ("xz", cfg!(feature = "xz"), [0, 6, 9]),
            Self::Zstandard => ("zstandard", cfg!(feature = "zstandard"), [1, 3, 22]),
        }
    }

    pub(super) fn check_supported(self) -> Result<()> {
        if self.is_supported() {
            return Ok(());
        }
        let what = format!("this build cannot read or write the codec {self}");
        Err(Error::new(Kind::CodecUnsupported, what).help(format!("build avro-path with the feature {self}")))
    }
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Codec {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|codec| codec.name() == name).ok_or_else(|| {
            Error::new(Kind::CodecUnknown, format!("the codec {name:?} is unknown"))
                .help("known are null, deflate, snappy, bzip2, xz and zstandard")
        })
    }
}

/// Decompresses one block after the other, in the same memory.
pub(super) struct Decompressor(Inflater);

enum Inflater {
    Null,
    #[cfg(feature = "deflate")]
    Deflate(Box<deflate::Inflate>),
    #[cfg(feature = "snappy")]
    Snappy(Box<snap::raw::Decoder>),
    #[cfg(feature = "bzip2")]
    Bzip2,
    #[cfg(feature = "xz")]
    Xz,
    #[cfg(feature = "zstandard")]
    Zstandard(Box<zstandard::Inflate>),
}

impl Decompressor {
    pub(super) fn new(codec: Codec) -> Result<Self> {
        codec.check_supported()?;
        Ok(Self(match codec {
            #[cfg(feature = "deflate")]
            Codec::Deflate => Inflater::Deflate(Box::default()),
            #[cfg(feature = "snappy")]
            Codec::Snappy => Inflater::Snappy(Box::default()),
            #[cfg(feature = "bzip2")]
            Codec::Bzip2 => Inflater::Bzip2,
            #[cfg(feature = "xz")]
            Codec::Xz => Inflater::Xz,
            #[cfg(feature = "zstandard")]
            Codec::Zstandard => Inflater::Zstandard(Box::new(zstandard::Inflate::new()?)),
            _ => Inflater::Null,
        }))
    }

    /// Returns the block as it was before compression: `stored` itself if it is not compressed, otherwise `out`, whose
    /// contents are replaced. More than `most` bytes are an error, found before they are decompressed.
    pub(super) fn decompress<'a>(
        &mut self,
        stored: &'a [u8],
        out: &'a mut Vec<u8>,
        most: usize,
    ) -> Result<&'a [u8]> {
        if matches!(self.0, Inflater::Null) {
            out.clear();
            return if stored.len() > most { Err(too_much(most)) } else { Ok(stored) };
        }
        inflating(|| {
            match &mut self.0 {
                Inflater::Null => {}
                #[cfg(feature = "deflate")]
                Inflater::Deflate(inflate) => inflate.decompress(stored, out, most)?,
                #[cfg(feature = "snappy")]
                Inflater::Snappy(decoder) => snappy::decompress(decoder, stored, out, most)?,
                #[cfg(feature = "bzip2")]
                Inflater::Bzip2 => bzip2::decompress(stored, out, most)?,
                #[cfg(feature = "xz")]
                Inflater::Xz => xz::decompress(stored, out, most)?,
                #[cfg(feature = "zstandard")]
                Inflater::Zstandard(inflate) => inflate.decompress(stored, out, most)?,
            }
            Ok::<_, Error>(())
        })?;
        Ok(out)
    }
}

impl fmt::Debug for Decompressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decompressor").finish_non_exhaustive()
    }
}

/// Compresses one block after the other.
#[derive(Debug)]
pub(super) struct Compressor {
    codec: Codec,
    #[cfg_attr(
        not(any(feature = "deflate", feature = "bzip2", feature = "xz", feature = "zstandard")),
        expect(dead_code, reason = "only these codecs have levels")
    )]
    level: u32,
}

impl Compressor {
    pub(super) fn new(codec: Codec, level: Option<u32>) -> Result<Self> {
        codec.check_supported()?;
        let (.., [lowest, usual, highest]) = codec.facts();
        let level = level.unwrap_or(usual);
        if !(lowest..=highest).contains(&level) {
            let what = match highest {
                0 => format!("the codec {codec} has no levels"),
                _ => format!("the codec {codec} has the levels {lowest} to {highest}, not {level}"),
            };
            return Err(Error::new(ErrorKind::InvalidArgument, what));
        }
        Ok(Self { codec, level })
    }

    pub(super) fn codec(&self) -> Codec {
        self.codec
    }

    /// Appends the block in its compressed form.
    pub(super) fn compress(&mut self, block: &[u8], out: &mut Vec<u8>) -> Result<()> {
        match self.codec {
            #[cfg(feature = "deflate")]
            Codec::Deflate => deflate::compress(block, self.level, out),
            #[cfg(feature = "snappy")]
            Codec::Snappy => snappy::compress(block, out),
            #[cfg(feature = "bzip2")]
            Codec::Bzip2 => bzip2::compress(block, self.level, out),
            #[cfg(feature = "xz")]
            Codec::Xz => xz::compress(block, self.level, out),
            #[cfg(feature = "zstandard")]
            Codec::Zstandard => zstandard::compress(block, self.level, out),
            _ => {
                out.extend_from_slice(block);
                Ok(())
            }
        }
    }
}

/// Reserves room after the bytes that are decompressed already, in proportion to them.
#[cfg(any(feature = "deflate", feature = "zstandard"))]
fn grow(out: &mut Vec<u8>, most: usize) -> Result<()> {
    if out.len() > most {
        return Err(too_much(most));
    }
    // One byte more than is allowed, to see whether there is more.
    let room = (most - out.len()).saturating_add(1);
    out.reserve(out.len().clamp(1 << 14, 1 << 26).min(room));
    Ok(())
}

/// Decompresses all that a reader has.
#[cfg(any(feature = "bzip2", feature = "xz"))]
fn read_all(
    source: impl Read,
    out: &mut Vec<u8>,
    most: usize,
    refused: impl Fn(std::io::Error) -> Error,
) -> Result<()> {
    out.clear();
    // One byte more than is allowed, to see whether there is more.
    let more = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    source.take(more).read_to_end(out).map_err(refused)?;
    if out.len() > most { Err(too_much(most)) } else { Ok(()) }
}

fn too_much(most: usize) -> Error {
    Error::new(
        Kind::BlockTooLarge,
        format!("the block has more than {} after decompression", Count::of(most, "byte")),
    )
    .help(
        "raise Limits::decompression_ratio, or Limits::record_bytes and Limits::batch_bytes, if the file can be trusted",
    )
}

#[cfg(any(
    feature = "deflate",
    feature = "snappy",
    feature = "bzip2",
    feature = "xz",
    feature = "zstandard"
))]
fn corrupt(codec: Codec, what: &str) -> Error {
    Error::new(Kind::Decompress, format!("the block is not {codec} data: {what}"))
}

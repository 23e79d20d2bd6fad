//! Payloads by their first bytes: images with their sizes, archives, sounds, documents.
//!
//! Only headers are read, within the bytes that are given: nothing is decoded, and nothing is allocated.

mod size;
#[cfg(test)]
mod tests;

use std::fmt;

/// Media type of bytes, recognised from their beginning.
///
/// ```
/// use tfxio_core::media::{Media, MediaType};
///
/// let gif = b"GIF89a\x10\x00\x08\x00\x80\x00\x00";
/// let media = Media::of(gif).unwrap();
/// assert_eq!((media.media_type, media.size), (MediaType::Gif, Some((16, 8))));
/// assert_eq!(media.to_string(), "GIF 16x8");
/// assert_eq!(Media::of(b"text"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Media {
    /// Type.
    pub media_type: MediaType,
    /// Width and height of an image in pixels, if its header has them.
    pub size: Option<(u32, u32)>,
}

impl Media {
    /// Returns the media type that bytes begin like; `None` if they begin like nothing that is known here. Short signatures
    /// count only where further fields of the header are valid, so that text is hardly ever taken for something else.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let media_type = MediaType::of(bytes)?;
        let size = match media_type {
            MediaType::Png => size::png(bytes),
            MediaType::Jpeg => size::jpeg(bytes),
            MediaType::WebP => size::webp(bytes),
            MediaType::Gif => size::gif(bytes),
            MediaType::Bmp => size::bmp(bytes),
            _ => None,
        };
        Some(Self { media_type, size: size.filter(|(width, height)| *width > 0 && *height > 0) })
    }
}

/// Prints the name, and the size where it is known: `PNG 28x28`.
impl fmt::Display for Media {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.media_type.name())?;
        match self.size {
            Some((width, height)) => write!(f, " {width}x{height}"),
            None => Ok(()),
        }
    }
}

macro_rules! media_types {
    ($($(#[$doc:meta])* $variant:ident $name:literal $ending:literal;)*) => {
        /// Types of payloads that are told by their first bytes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum MediaType {
            $($(#[$doc])* $variant,)*
        }

        impl MediaType {
            /// Returns the name for people: `PNG`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// Returns the usual ending of names of files, without a dot: `png`.
            #[must_use]
            pub fn ending(self) -> &'static str {
                match self {
                    $(Self::$variant => $ending,)*
                }
            }
        }
    };
}

media_types! {
    /// Portable Network Graphics.
    Png "PNG" "png";
    /// JPEG.
    Jpeg "JPEG" "jpg";
    /// WebP.
    WebP "WebP" "webp";
    /// Graphics Interchange Format.
    Gif "GIF" "gif";
    /// Windows bitmap.
    Bmp "BMP" "bmp";
    /// TIFF.
    Tiff "TIFF" "tif";
    /// gzip.
    Gzip "gzip" "gz";
    /// ZIP, and what is built on it.
    Zip "ZIP" "zip";
    /// Zstandard.
    Zstandard "zstd" "zst";
    /// bzip2.
    Bzip2 "bzip2" "bz2";
    /// xz.
    Xz "xz" "xz";
    /// PDF.
    Pdf "PDF" "pdf";
    /// WAVE sound.
    Wav "WAV" "wav";
    /// MPEG layer 3 sound.
    Mp3 "MP3" "mp3";
    /// FLAC sound.
    Flac "FLAC" "flac";
    /// Ogg.
    Ogg "Ogg" "ogg";
    /// MPEG-4 and other files of the ISO base media format.
    Mp4 "MP4" "mp4";
    /// Matroska and WebM.
    Matroska "Matroska" "mkv";
    /// An array of NumPy.
    Npy "npy" "npy";
    /// HDF5.
    Hdf5 "HDF5" "h5";
    /// Parquet.
    Parquet "Parquet" "parquet";
    /// Avro object container.
    Avro "Avro" "avro";
    /// Arrow IPC file.
    Arrow "Arrow" "arrow";
    /// A program or library in the Executable and Linkable Format.
    Elf "ELF" "elf";
}

/// Signatures at the beginning, which are long enough to be certain.
const SIGNATURES: &[(&[u8], MediaType)] = &[
    (b"\x89PNG\r\n\x1a\n", MediaType::Png),
    (b"\xff\xd8\xff", MediaType::Jpeg),
    (b"GIF87a", MediaType::Gif),
    (b"GIF89a", MediaType::Gif),
    (b"II*\0", MediaType::Tiff),
    (b"MM\0*", MediaType::Tiff),
    (b"\x1f\x8b\x08", MediaType::Gzip),
    (b"PK\x03\x04", MediaType::Zip),
    (b"PK\x05\x06", MediaType::Zip),
    (b"\x28\xb5\x2f\xfd", MediaType::Zstandard),
    (b"\xfd7zXZ\0", MediaType::Xz),
    (b"%PDF-", MediaType::Pdf),
    (b"ID3\x02", MediaType::Mp3),
    (b"ID3\x03", MediaType::Mp3),
    (b"ID3\x04", MediaType::Mp3),
    (b"fLaC", MediaType::Flac),
    (b"OggS\0", MediaType::Ogg),
    (b"\x1a\x45\xdf\xa3", MediaType::Matroska),
    (b"\x93NUMPY", MediaType::Npy),
    (b"\x89HDF\r\n\x1a\n", MediaType::Hdf5),
    (b"PAR1", MediaType::Parquet),
    (b"Obj\x01", MediaType::Avro),
    (b"ARROW1\0\0", MediaType::Arrow),
    (b"\x7fELF", MediaType::Elf),
];

impl MediaType {
    fn of(bytes: &[u8]) -> Option<Self> {
        let found = SIGNATURES.iter().find(|(signature, _)| bytes.starts_with(signature));
        found.map(|(_, media_type)| *media_type).or_else(|| Self::by_fields(bytes))
    }

    /// Types whose signature is short, or not at the beginning.
    fn by_fields(bytes: &[u8]) -> Option<Self> {
        match (bytes.get(..4)?, bytes.get(4..8), bytes.get(8..12)) {
            (b"RIFF", _, Some(b"WEBP")) => Some(Self::WebP),
            (b"RIFF", _, Some(b"WAVE")) => Some(Self::Wav),
            (_, Some(b"ftyp"), Some(_)) => Some(Self::Mp4),
            (&[b'B', b'Z', b'h', b'1'..=b'9'], Some(&[0x31, 0x41, 0x59, 0x26]), _) => Some(Self::Bzip2),
            (&[b'B', b'M', ..], _, _) if size::bmp(bytes).is_some() => Some(Self::Bmp),
            (&[0xff, second, third, _], _, _) if is_mp3_frame(second, third) => Some(Self::Mp3),
            _ => None,
        }
    }
}

/// Returns whether the second and third byte belong to a frame of MPEG layer 3: a known version, bit rate and sampling
/// rate.
fn is_mp3_frame(second: u8, third: u8) -> bool {
    let is_sync = second & 0xe0 == 0xe0;
    let (version, layer) = (second >> 3 & 3, second >> 1 & 3);
    let (bit_rate, sampling_rate) = (third >> 4, third >> 2 & 3);
    is_sync && version != 1 && layer == 1 && !matches!(bit_rate, 0 | 15) && sampling_rate != 3
}

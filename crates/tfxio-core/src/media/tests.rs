//! Headers of images that are whole, cut and hostile.

use super::{Media, MediaType};

fn shown(bytes: &[u8]) -> String {
    Media::of(bytes).map_or("-".to_owned(), |media| media.to_string())
}

fn png(width: u32, height: u32) -> Vec<u8> {
    [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", &width.to_be_bytes()[..], &height.to_be_bytes(), b"\x08\x02\0\0\0"]
        .concat()
}

/// Returns a JPEG with an application segment, fill bytes, a table, and a frame of 640 by 480.
fn jpeg() -> Vec<u8> {
    let mut bytes = b"\xff\xd8\xff\xe0\x00\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0".to_vec();
    bytes.extend(b"\xff\xff\xff\xc4\x00\x03\x00");
    bytes.extend(b"\xff\xc2\x00\x11\x08\x01\xe0\x02\x80\x03");
    bytes
}

fn webp(chunk: &[u8]) -> Vec<u8> {
    [b"RIFF\x24\0\0\0WEBP", chunk].concat()
}

#[test]
fn images_have_sizes() {
    let bmp = |height: i32| {
        let sizes = [&28i32.to_le_bytes()[..], &height.to_le_bytes()].concat();
        [b"BM\x36\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0", &sizes[..], &[1, 0, 24, 0]].concat()
    };
    for (bytes, expected) in [
        (png(28, 30), "PNG 28x30"),
        (png(u32::MAX, 1), "PNG 4294967295x1"),
        (jpeg(), "JPEG 640x480"),
        (b"GIF87a\x01\x02\x03\x00".to_vec(), "GIF 513x3"),
        (webp(b"VP8 \x10\0\0\0\x10\0\0\x9d\x01\x2a\x40\x41\x40\x00"), "WebP 320x64"),
        (webp(b"VP8L\x10\0\0\0\x2f\x0f\xc0\x03\x00"), "WebP 16x16"),
        (webp(b"VP8X\x0a\0\0\0\0\0\0\0\xff\x00\x00\x0f\x01\x00"), "WebP 256x272"),
        (bmp(-7), "BMP 28x7"),
        (bmp(7), "BMP 28x7"),
    ] {
        assert_eq!(shown(&bytes), expected);
        // Wherever it is cut, the type stays as long as the signature is whole, and nothing fails.
        for end in 0..bytes.len() {
            let cut = shown(&bytes[..end]);
            assert!(cut == "-" || expected.starts_with(cut.split(' ').next().unwrap_or_default()), "{cut}");
        }
    }
}

#[test]
fn headers_that_lie_have_no_size() {
    for (bytes, expected) in [
        (png(0, 5), "PNG"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIEND\0\0\0\x01\0\0\0\x01".to_vec(), "PNG"),
        // A segment of length 0 or 1 would never end.
        (b"\xff\xd8\xff\xe0\x00\x00".repeat(1000), "JPEG"),
        (b"\xff\xd8\xff\xe0\x00\x01\xff\xe0\x00\x01".to_vec(), "JPEG"),
        (b"\xff\xd8\xff\xe0\xff\xff".to_vec(), "JPEG"),
        ([&b"\xff\xd8"[..], &[0xff; 100_000]].concat(), "JPEG"),
        (b"\xff\xd8\xff\xda\x00\x08\xff\xc0\x00\x11\x08\x01\xe0\x02\x80".to_vec(), "JPEG"),
        (webp(b"VP8 \x10\0\0\0\x10\0\0\0\0\0\x40\x41\x40\x00"), "WebP"),
        (webp(b"VP8L\x10\0\0\0\0\x0f\xc0\x03\x00"), "WebP"),
        (b"GIF89a\0\0\x01\0".to_vec(), "GIF"),
    ] {
        assert_eq!(shown(&bytes), expected, "{:?}", &bytes[..bytes.len().min(40)]);
    }
}

#[test]
fn others_are_named() {
    for (bytes, expected, ending) in [
        (&b"\x1f\x8b\x08\0"[..], MediaType::Gzip, "gz"),
        (b"PK\x03\x04\x14", MediaType::Zip, "zip"),
        (b"%PDF-1.7", MediaType::Pdf, "pdf"),
        (b"RIFF\x24\0\0\0WAVEfmt ", MediaType::Wav, "wav"),
        (b"\xff\xfb\x90\x64", MediaType::Mp3, "mp3"),
        (b"ID3\x04\0\0", MediaType::Mp3, "mp3"),
        (b"\0\0\0\x20ftypisom", MediaType::Mp4, "mp4"),
        (b"\x93NUMPY\x01\0", MediaType::Npy, "npy"),
        (b"\x7fELF\x02", MediaType::Elf, "elf"),
        (b"BZh91AY&SY", MediaType::Bzip2, "bz2"),
        (b"II*\0\x08", MediaType::Tiff, "tif"),
        (b"Obj\x01\x04", MediaType::Avro, "avro"),
    ] {
        let media = Media::of(bytes).map(|media| media.media_type);
        assert_eq!((media, media.map(MediaType::ending)), (Some(expected), Some(ending)), "{expected:?}");
    }
    // Records of tf.Example, text, and nothing.
    for bytes in [
        &b"\x0a\x10\x0a\x0e"[..],
        b"BM and so on",
        b"BZhello",
        b"RIFFRAFFRIFF",
        b"\xff\xfe",
        b"\xff\xff\xff\xff",
        b"",
    ] {
        assert_eq!(Media::of(bytes), None, "{bytes:?}");
    }
}

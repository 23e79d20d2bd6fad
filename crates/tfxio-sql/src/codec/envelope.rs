//! Envelope of a message: magic, version, kind, checksum, length.

use std::io;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tfxio_core::{Count, Error, ErrorKind, Result};

/// First bytes of a message.
const MAGIC: &[u8; 8] = b"tfxioSQL";
/// Version of the messages. One that this version does not read has another number.
const VERSION: u16 = 1;
/// Magic, version, kind, checksum, length.
const HEAD: usize = 8 + 2 + 1 + 4 + 8;
/// The most bytes of a message.
const MOST: usize = 64 << 20;
/// Deepest nesting of arrays and objects that the JSON reader accepts.
const DEPTH: usize = 127;

/// Kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Scan = 1,
    Table = 2,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Scan => "scan",
            Self::Table => "table",
        }
    }
}

/// Appends a message.
///
/// # Errors
/// `LimitExceeded` where it could not be read again.
pub(super) fn seal(kind: Kind, message: &impl Serialize, out: &mut Vec<u8>) -> Result<()> {
    let mut text = Bounded(Vec::new());
    serde_json::to_writer(&mut text, message).map_err(|error| unsent(kind, &error))?;
    let text = text.0;
    if depth(&text) > DEPTH {
        let what = format!(
            "a {} with types or conditions that are nested more than {DEPTH} deep cannot be sent to another process",
            kind.name()
        );
        return Err(Error::new(ErrorKind::LimitExceeded, what).help("choose columns that are less deep"));
    }
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.push(kind as u8);
    out.extend_from_slice(&crc32fast::hash(&text).to_le_bytes());
    out.extend_from_slice(&(text.len() as u64).to_le_bytes());
    out.extend_from_slice(&text);
    Ok(())
}

fn unsent(kind: Kind, error: &serde_json::Error) -> Error {
    if error.is_io() {
        let what = format!("a {} of more than 64 MiB cannot be sent to another process", kind.name());
        let help = "divide the files among several data sets, or join small ones";
        return Error::new(ErrorKind::LimitExceeded, what).help(help);
    }
    Error::new(ErrorKind::Other, format!("the {} cannot be written: {error}", kind.name()))
}

/// Bytes up to a bound.
struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > MOST.saturating_sub(self.0.len()) {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the deepest nesting of arrays and objects in JSON.
fn depth(text: &[u8]) -> usize {
    let (mut depth, mut most) = (0usize, 0usize);
    let (mut is_text, mut is_escaped) = (false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            _ if is_text => {}
            b'[' | b'{' => {
                depth += 1;
                most = most.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    most
}

/// Reads a message that [`seal`] has written. Nothing is allocated by what the bytes claim.
///
/// # Errors
/// `Malformed` where the bytes are something else, or were cut or changed; `Unsupported` for another version; `LimitExceeded`.
pub(super) fn unseal<T: DeserializeOwned>(kind: Kind, bytes: &[u8]) -> Result<T> {
    let name = kind.name();
    let malformed = |what: String| Error::new(ErrorKind::Malformed, what);
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        let help = "decode with the same codecs in the same order that encoded the plan";
        return Err(malformed(format!("the bytes do not begin as a {name} of tfxio does")).help(help));
    };
    let cut = || {
        let length = Count::of(bytes.len(), "byte");
        malformed(format!("the {name} was cut: it has {length}, and its head alone {HEAD}"))
            .help("send it again")
    };
    let (version, rest) = rest.split_first_chunk::<2>().ok_or_else(cut)?;
    let version = u16::from_le_bytes(*version);
    if version != VERSION {
        let what = format!(
            "the {name} was written by version {version} of the codec, and this is version {VERSION}"
        );
        let help = "run the same version of tfxio-sql on all machines";
        return Err(Error::new(ErrorKind::Unsupported, what).help(help));
    }
    let ([found], rest) = rest.split_first_chunk::<1>().ok_or_else(cut)?;
    let (checksum, rest) = rest.split_first_chunk::<4>().ok_or_else(cut)?;
    let (length, text) = rest.split_first_chunk::<8>().ok_or_else(cut)?;
    let length = u64::from_le_bytes(*length);
    if length != text.len() as u64 {
        let found = Count::of(text.len(), "byte");
        let what = format!("the {name} was cut or joined: it has {found}, and says that it has {length}");
        return Err(malformed(what).help("send it again"));
    }
    if text.len() > MOST {
        let what = format!("the {name} has {length} bytes, and 64 MiB is the most");
        return Err(Error::new(ErrorKind::LimitExceeded, what));
    }
    if crc32fast::hash(text) != u32::from_le_bytes(*checksum) {
        let what = format!("the {name} was changed on its way: its checksum does not match");
        return Err(malformed(what).help("send it again"));
    }
    if *found != kind as u8 {
        let what = format!("the bytes are not a {name}, but message {found} of the codec");
        return Err(malformed(what).help("decode tables as tables, and scans as scans"));
    }
    serde_json::from_slice(text).map_err(|error| {
        malformed(format!("the {name} cannot be read: {error}"))
            .help("run the same version of tfxio-sql on all machines")
    })
}

#[cfg(test)]
mod tests {
    use super::{DEPTH, HEAD, Kind, depth, seal, unseal};

    #[test]
    fn depth_is_that_of_json() {
        for (text, expected) in
            [("1", 0), ("[]", 1), (r#"{"a":[{}]}"#, 3), (r#"["[[\"[",[]]"#, 2), (r#"["\\",[[]]]"#, 3)]
        {
            assert_eq!(depth(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let nested = |depth: usize| {
            let text = "[".repeat(depth) + &"]".repeat(depth);
            // The reader takes this depth, so that the bound is the right one.
            serde_json::from_str::<serde_json::Value>(&text)
        };
        let deepest = nested(DEPTH).expect("the deepest");
        let mut bytes = Vec::new();
        seal(Kind::Scan, &deepest, &mut bytes).expect("the deepest");
        assert_eq!(unseal::<serde_json::Value>(Kind::Scan, &bytes).expect("the deepest"), deepest);
        assert_eq!(bytes.len(), HEAD + 2 * DEPTH);
        assert!(nested(DEPTH + 1).is_err());
        let error = seal(Kind::Scan, &serde_json::json!([deepest]), &mut bytes).expect_err("too deep");
        assert!(error.to_string().contains("nested more than 127 deep"), "{error}");
        let error = unseal::<serde_json::Value>(Kind::Table, &bytes).expect_err("another kind").to_string();
        assert_eq!(
            error,
            "the bytes are not a table, but message 1 of the codec; decode tables as tables, and scans as scans"
        );
    }
}

//! The format of files, by what was stated, by their first bytes, and by their names.

use std::io::{ErrorKind as IoKind, Read as _};
use std::sync::Arc;

use tfxio_base::Remedy;
use tfxio_core::{Cancel, Error, ErrorKind, FileFormat, Files, Formats, Result, suggest};

use tfxio_store::DASH;

/// Bytes of a file that are looked at.
const FIRST_BYTES: u64 = 4 << 10;
/// Files that are looked at until one has bytes.
const LOOKED_AT: usize = 16;
/// First bytes of a file that [Git LFS](https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md) leaves instead of another.
const POINTER: &[u8] = b"version https://git-lfs";

/// Formats that a build may lack: the name, the feature, the first bytes and the endings of names.
const FEATURES: [(&str, &str, &[u8], &[&str]); 5] = [
    ("avro", "avro", b"Obj\x01", &[".avro"]),
    ("parquet", "parquet", b"PAR1", &[".parquet"]),
    ("arrow", "ipc", b"ARROW1", &[".arrow", ".arrows", ".feather"]),
    ("csv", "csv", b"", &[".csv", ".tsv"]),
    ("jsonl", "jsonl", b"", &[".jsonl", ".ndjson"]),
];

/// Format that was found.
pub(super) struct Found {
    pub(super) format: Arc<dyn FileFormat>,
    /// Format of the records, where it was stated.
    pub(super) records: Option<String>,
    /// Another format that the first bytes look like.
    pub(super) looks_like: Option<String>,
}

/// Finds the format of files.
///
/// # Errors
/// When a name is not of a format, the first bytes and the name contradict each other, or neither tells the format.
pub(super) fn format(
    formats: &Formats,
    stated: Option<&str>,
    files: &Files,
    cancel: &Cancel,
) -> Result<Found> {
    let file = stated.and_then(|name| formats.files().iter().find(|format| format.name() == name));
    let records = stated.filter(|_| file.is_none());
    if let Some(name) = records
        && formats.records().iter().all(|format| format.name() != name)
    {
        return Err(unknown(name, formats));
    }
    let records = records.map(str::to_owned);
    let sniffed = match sniff(formats, files, file.is_some(), cancel) {
        Ok(sniffed) => sniffed,
        // The format says what is wrong with the file.
        Err(error) if file.is_some() && error.kind() != ErrorKind::Malformed => None,
        Err(error) => return Err(error),
    };
    let name_of = |format: &Arc<dyn FileFormat>| format.name().to_owned();
    if let Some(format) = file {
        let other = sniffed.filter(|(_, sniffed)| sniffed.name() != format.name());
        let looks_like = other.map(|(_, other)| name_of(other));
        return Ok(Found { format: Arc::clone(format), records, looks_like });
    }
    let named = files.names().first().and_then(|name| formats.by_ending(without_shard(name)));
    let format = match (sniffed, named) {
        (Some((file, sniffed)), Some(named)) if sniffed.name() != named.name() => {
            let (sniffed, named) = (sniffed.name(), named.name());
            let what = format!("the name says the format {named}, and the file begins like {sniffed}");
            let help = format!("rename the file, or state the format, {sniffed:?} or {named:?}");
            let error = Error::new(ErrorKind::Malformed, what).help(help).in_file(file);
            return Err(error.remedied_by(Remedy::StateFormat));
        }
        (Some((_, format)), _) | (None, Some(format)) => format,
        // Formats of records say that there are records.
        (None, None) => {
            match formats.files().iter().find(|format| format.holds_records() && records.is_some()) {
                Some(format) => format,
                None => return Err(unrecognised(formats, files, cancel)),
            }
        }
    };
    if let Some(records) = records.as_ref().filter(|_| !format.holds_records()) {
        let what = format!("the format {} has no records of the format {records}", format.name());
        return Err(
            Error::new(ErrorKind::InvalidArgument, what).help("state the format of the files instead")
        );
    }
    Ok(Found { format: Arc::clone(format), records, looks_like: None })
}

/// A file and the format that its first bytes look like.
type Sniffed<'a> = (Arc<str>, &'a Arc<dyn FileFormat>);

/// Returns the format that the first bytes of the first file with bytes look like, and that file. Of a stream, only as many bytes are
/// waited for as tell the format, and only the available ones if it is stated.
fn sniff<'a>(
    formats: &'a Formats,
    files: &Files,
    is_stated: bool,
    cancel: &Cancel,
) -> Result<Option<Sniffed<'a>>> {
    let is_enough = |bytes: &[u8]| is_stated || by_content(formats, bytes).is_some();
    for name in files.names().iter().take(LOOKED_AT) {
        let first_bytes = first_bytes(files, name, is_enough, cancel)?;
        if first_bytes.starts_with(POINTER) {
            let what = "the file is a Git LFS pointer: its data were never fetched";
            let error = Error::new(ErrorKind::Malformed, what).help("run git lfs pull in its repository");
            return Err(error.in_file(Arc::clone(name)));
        }
        if !first_bytes.is_empty() {
            return Ok(by_content(formats, &first_bytes).map(|format| (Arc::clone(name), format)));
        }
    }
    Ok(None)
}

/// Returns the format that first bytes look like: as they are, or, of formats whose files may be compressed with gzip, inflated.
fn by_content<'a>(formats: &'a Formats, first_bytes: &[u8]) -> Option<&'a Arc<dyn FileFormat>> {
    formats.by_first_bytes(first_bytes).or_else(|| {
        let text = inflated(first_bytes)?;
        let is_compressed =
            |format: &&Arc<dyn FileFormat>| format.endings().iter().any(|ending| ending.ends_with(".gz"));
        formats.files().iter().rev().filter(is_compressed).find(|format| format.sniff(&text))
    })
}

/// Returns what comes out of the first bytes of a gzip file; `None` of others.
#[cfg(any(feature = "csv", feature = "jsonl"))]
fn inflated(first_bytes: &[u8]) -> Option<Vec<u8>> {
    if !first_bytes.starts_with(&[0x1f, 0x8b, 8]) {
        return None;
    }
    let mut text = Vec::new();
    // They end somewhere in the middle.
    let _ = flate2::read::MultiGzDecoder::new(first_bytes).take(FIRST_BYTES).read_to_end(&mut text);
    Some(text)
}

/// No format of this build has such files.
#[cfg(not(any(feature = "csv", feature = "jsonl")))]
fn inflated(_: &[u8]) -> Option<Vec<u8>> {
    None
}

/// Returns the first bytes of a file; of a stream, which may not go on for long, as many as are enough.
fn first_bytes(
    files: &Files,
    name: &Arc<str>,
    is_enough: impl Fn(&[u8]) -> bool,
    cancel: &Cancel,
) -> Result<Vec<u8>> {
    let mut input = files.store().open(name, 0..FIRST_BYTES, cancel)?;
    let is_stream = input.size().is_none();
    let mut first_bytes = vec![0; FIRST_BYTES as usize];
    let mut filled = 0;
    while filled < first_bytes.len() {
        match input.read(first_bytes.get_mut(filled..).unwrap_or_default()) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == IoKind::Interrupted => continue,
            Err(error) => {
                return Err(Error::io(error, "reading the first bytes").in_file(Arc::clone(name)));
            }
        }
        if is_stream && first_bytes.get(..filled).is_some_and(&is_enough) {
            break;
        }
    }
    first_bytes.truncate(filled);
    Ok(first_bytes)
}

/// Refuses local files that begin like files of another format than the first, and files with a name of another format if their first bytes
/// tell none. `verb` is what was asked for.
pub fn refuse_others(
    formats: &Formats,
    format: &Arc<dyn FileFormat>,
    files: &Files,
    verb: &str,
    cancel: &Cancel,
) -> Result<()> {
    let Some((first, others)) = files.names().split_first() else { return Ok(()) };
    for name in others {
        // A look at each of a thousand objects takes long, and the readers notice as well.
        let begins_like = match files.store().local_path(name) {
            Some(_) => by_content(formats, &first_bytes(files, name, |_| true, cancel)?),
            None => None,
        };
        let Some(other) = begins_like.or_else(|| formats.by_ending(without_shard(name))) else { continue };
        if other.name() != format.name() {
            let what = format!(
                "the format of the file is {}, and that of {first} is {}",
                other.name(),
                format.name()
            );
            let error = Error::new(ErrorKind::InvalidArgument, what);
            return Err(error
                .help(format!("{verb} the files of each format by themselves"))
                .in_file(Arc::clone(name)));
        }
    }
    Ok(())
}

/// Returns the name of a set of shards.
pub(super) fn without_shard(name: &str) -> &str {
    let digits = |text: &str| text.len() == 5 && text.bytes().all(|byte| byte.is_ascii_digit());
    let shard = name.rsplit_once("-of-").filter(|(_, count)| digits(count));
    let plain = shard.and_then(|(rest, _)| rest.rsplit_once('-')).filter(|(_, number)| digits(number));
    plain.map_or(name, |(plain, _)| plain)
}

/// Adds to an error the format that the file looks like.
pub fn explained(error: Error, looks_like: Option<&str>) -> Error {
    let Some(other) = looks_like.filter(|_| error.kind() == ErrorKind::Malformed) else { return error };
    error.and_help(&format!("the file begins like one of the format {other}"))
}

/// Returns the error for a format that this build lacks, if a name, or the first bytes and the name of a file, tell of one.
fn lacking(is_it: impl Fn(&str, &[u8], &[&str]) -> bool, formats: &Formats) -> Option<Error> {
    let lacks = |format: &str| formats.files().iter().all(|known| known.name() != format);
    let mut of_features = FEATURES.iter();
    let (format, feature, ..) =
        of_features.find(|(format, _, magic, endings)| lacks(format) && is_it(format, magic, endings))?;
    let what = format!("the format is {format}, which this build lacks");
    Some(Error::new(ErrorKind::Unsupported, what).help(format!("build with the feature `{feature}`")))
}

fn unknown(name: &str, formats: &Formats) -> Error {
    if let Some(error) = lacking(|format, _, _| format == name, formats) {
        return error;
    }
    let files = formats.files().iter().map(|format| format.name());
    let records = formats.records().iter().map(|format| format.name());
    let hint = suggest::hint(name, files.chain(records), "formats");
    Error::new(ErrorKind::InvalidArgument, format!("there is no format {name:?}")).help(hint)
}

fn unrecognised(formats: &Formats, files: &Files, cancel: &Cancel) -> Error {
    let first = files.names().first();
    let first_bytes = first.and_then(|name| first_bytes(files, name, |_| false, cancel).ok());
    let begins = |magic: &[u8]| {
        !magic.is_empty() && first_bytes.as_ref().is_some_and(|bytes| bytes.starts_with(magic))
    };
    let ends = |ending: &&str| first.is_some_and(|name| without_shard(name).ends_with(ending));
    if let Some(error) = lacking(|_, magic, endings| begins(magic) || endings.iter().any(ends), formats) {
        return error.in_file_if_known(first);
    }
    let text_formats = formats.files().iter().filter(|format| format.is_text()).map(|format| format.name());
    let text_formats = text_formats.collect::<Vec<_>>();
    let known = suggest::list(formats.files().iter().map(|format| format.name()), 20);
    let is_stdin = first.is_some_and(|name| **name == *DASH);
    let (what, help) = match &first_bytes {
        Some(bytes) if bytes.is_empty() && is_stdin => (
            "nothing came in, and there is no name that says a format",
            format!("check the command before the pipe, or state the format: the formats are {known}"),
        ),
        Some(bytes) if bytes.is_empty() => (
            "the file is empty, and its name says no format",
            format!("check the file, or state its format: the formats are {known}"),
        ),
        Some(bytes) if is_text(bytes) && !text_formats.is_empty() => (
            "this is text, and neither its beginning nor the name says which format it is of",
            format!("state its format: the formats of text are {}", suggest::list(text_formats, 20)),
        ),
        _ => (
            "the format is not known by the first bytes or the name",
            format!("check the file, or state its format: the formats are {known}"),
        ),
    };
    let error = Error::new(ErrorKind::Malformed, what).help(help).remedied_by(Remedy::StateFormat);
    error.in_file_if_known(first)
}

/// Returns whether bytes, which may end within a character, are UTF-8 without control characters but tabs and line ends.
fn is_text(first_bytes: &[u8]) -> bool {
    let inflated = inflated(first_bytes);
    let bytes = inflated.as_deref().unwrap_or(first_bytes);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => bytes
            .get(..error.valid_up_to())
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .unwrap_or_default(),
        Err(_) => return false,
    };
    !text.is_empty() && text.chars().all(|char| !char.is_control() || matches!(char, '\t' | '\n' | '\r'))
}

#[cfg(test)]
mod tests {
    use super::without_shard;

    #[test]
    fn shards_have_the_ending_of_their_set() {
        assert_eq!(without_shard("a.tfrecord-00000-of-00003"), "a.tfrecord");
        for name in ["a-00000-of-00003.tfrecord", "a-0-of-00003", "-of-00003", "a.avro"] {
            assert_eq!(without_shard(name), name);
        }
    }
}

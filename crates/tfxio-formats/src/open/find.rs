//! The format of files, by what was stated, by their first bytes, and by their names.

use std::io::Read as _;
use std::sync::Arc;

use tfxio_base::Remedy;
use tfxio_core::{Cancel, Error, ErrorKind, FileFormat, Files, Formats, Result, suggest};

/// Bytes of a file that are looked at.
const FIRST_BYTES: u64 = 4 << 10;
/// Files that are looked at until one has bytes.
const LOOKED_AT: usize = 16;

/// What was found.
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
/// When a name is not that of a format, the first bytes and the name contradict each other, or neither says anything.
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
    let sniffed = match sniff(formats, files, cancel) {
        Ok(sniffed) => sniffed,
        // The format says what is wrong with the file.
        Err(_) if file.is_some() => None,
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

/// Returns the format that the first bytes of the first file with bytes look like, and that file.
fn sniff<'a>(formats: &'a Formats, files: &Files, cancel: &Cancel) -> Result<Option<Sniffed<'a>>> {
    for name in files.names().iter().take(LOOKED_AT) {
        let first_bytes = first_bytes(files, name, cancel)?;
        if !first_bytes.is_empty() {
            return Ok(formats.by_first_bytes(&first_bytes).map(|format| (Arc::clone(name), format)));
        }
    }
    Ok(None)
}

fn first_bytes(files: &Files, name: &Arc<str>, cancel: &Cancel) -> Result<Vec<u8>> {
    let mut first_bytes = Vec::new();
    let input = files.store().open(name, 0..FIRST_BYTES, cancel)?;
    let read = input.take(FIRST_BYTES).read_to_end(&mut first_bytes);
    read.map_err(|error| Error::io(error, "reading the first bytes").in_file(Arc::clone(name)))?;
    Ok(first_bytes)
}

/// Refuses local files that begin like those of another format than the first. `verb` is what was asked for.
pub(crate) fn refuse_others(
    formats: &Formats,
    format: &Arc<dyn FileFormat>,
    files: &Files,
    verb: &str,
    cancel: &Cancel,
) -> Result<()> {
    let Some((first, others)) = files.names().split_first() else { return Ok(()) };
    // A look at each of a thousand objects takes long, and the readers notice as well.
    for name in others.iter().filter(|name| files.store().local_path(name).is_some()) {
        let first_bytes = first_bytes(files, name, cancel)?;
        let Some(other) = formats.by_first_bytes(&first_bytes) else { continue };
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
fn without_shard(name: &str) -> &str {
    let digits = |text: &str| text.len() == 5 && text.bytes().all(|byte| byte.is_ascii_digit());
    let shard = name.rsplit_once("-of-").filter(|(_, count)| digits(count));
    let plain = shard.and_then(|(rest, _)| rest.rsplit_once('-')).filter(|(_, number)| digits(number));
    plain.map_or(name, |(plain, _)| plain)
}

/// Says of an error which format the file looks like.
pub(crate) fn explained(error: Error, looks_like: Option<&str>) -> Error {
    let Some(other) = looks_like.filter(|_| error.kind() == ErrorKind::Malformed) else { return error };
    error.and_help(&format!("the file begins like one of the format {other}"))
}

fn unknown(name: &str, formats: &Formats) -> Error {
    let files = formats.files().iter().map(|format| format.name());
    let records = formats.records().iter().map(|format| format.name());
    let hint = suggest::hint(name, files.chain(records), "formats");
    Error::new(ErrorKind::InvalidArgument, format!("there is no format {name:?}")).help(hint)
}

fn unrecognised(formats: &Formats, files: &Files, cancel: &Cancel) -> Error {
    let first = files.names().first();
    let is_empty =
        first.is_some_and(|name| first_bytes(files, name, cancel).is_ok_and(|bytes| bytes.is_empty()));
    let known = suggest::list(formats.files().iter().map(|format| format.name()), 20);
    let what = match is_empty {
        true => "the file is empty, and its name says no format",
        false => "the format is not known by the first bytes or the name",
    };
    let error = Error::new(ErrorKind::Malformed, what)
        .help(format!("check the file, or state its format: the formats are {known}"))
        .remedied_by(Remedy::StateFormat);
    error.in_file_if_known(first)
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

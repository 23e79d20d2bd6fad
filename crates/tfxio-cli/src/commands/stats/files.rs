//! Files of statistics, and files that are written.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use tfxio::stats::StatisticsList;
use tfxio::tfrecord_io::{Reader, Writer};
use tfxio::{Error, ErrorKind, OutputFile};

use crate::Done;
use crate::failure::Failure;

/// Bytes of a file of statistics, at most.
const MOST_BYTES: u64 = 1 << 30;

/// A file that is written, and not yet there.
pub(super) struct Written {
    path: PathBuf,
    file: OutputFile,
}

impl Written {
    pub(super) fn create(path: &Path, overwrite: bool) -> Result<Self, Failure> {
        let explain = |error: Error| match error.kind() {
            ErrorKind::AlreadyExists => error.and_help("for this command: --force"),
            _ => error,
        };
        let file = OutputFile::create(path, overwrite).map_err(explain)?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Writes the message, or, where the name ends so, a TFRecord file of it.
    pub(super) fn statistics(self, list: &StatisticsList) -> Done {
        let bytes = list.to_bytes();
        if !is_tfrecord(&self.path) {
            return self.bytes(&bytes);
        }
        let mut framed = Vec::with_capacity(bytes.len() + 16);
        let mut writer = Writer::new(&mut framed);
        writer.write(&bytes)?;
        writer.finish()?;
        self.bytes(&framed)
    }

    pub(super) fn text(self, text: &str) -> Done {
        self.bytes(text.as_bytes())
    }

    fn bytes(mut self, bytes: &[u8]) -> Done {
        let written = self.file.write_all(bytes);
        written.map_err(|error| Error::from(error).in_file(&*self.path.to_string_lossy()))?;
        self.file.finish()?;
        Ok(())
    }
}

/// Reads a file of statistics; `None` of any other file.
pub(super) fn read(files: &[String]) -> Result<Option<StatisticsList>, Failure> {
    let [name] = files else { return Ok(None) };
    let path = Path::new(name);
    // Neither patterns, nor URLs, nor pipes.
    let Ok(found) = std::fs::metadata(path) else { return Ok(None) };
    if !found.is_file() || found.len() > MOST_BYTES {
        return Ok(None);
    }
    if path.extension().is_some_and(|extension| extension == "pb") {
        let bytes = std::fs::read(path).map_err(|error| Error::from(error).in_file(name.as_str()))?;
        return Ok(Some(StatisticsList::from_bytes(&bytes).map_err(|error| error.in_file(name.as_str()))?));
    }
    if !is_tfrecord(path) {
        return Ok(None);
    }
    // What is not a TFRecord file is said when it is read as data.
    let Ok(mut reader) = Reader::open(path) else { return Ok(None) };
    let Ok(Some(record)) = reader.next_record() else { return Ok(None) };
    let Ok(list) = StatisticsList::from_bytes(record.data) else { return Ok(None) };
    // Bytes of examples could be a list, but one that says nothing of any feature.
    let says_something = (0..list.len()).any(|dataset| {
        list.num_examples(dataset) > Some(0)
            && list.summaries(dataset).iter().any(|feature| feature.present > 0)
    });
    let is_alone = matches!(reader.next_record(), Ok(None));
    Ok((says_something && is_alone).then_some(list))
}

fn is_tfrecord(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "tfrecord" || extension == "tfrecords")
}

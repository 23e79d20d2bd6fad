//! Facts about the files of a data set that are kept between scans: indexes, and how they are compressed.

use std::collections::HashMap;
use std::io::Read as _;
use std::sync::{Arc, Mutex, PoisonError};

use tfrecord_io::compression::members::{self, Member};
use tfrecord_io::frame::Verify;
use tfrecord_io::index::{Check, Stamp};
use tfrecord_io::{Compression, Index};
use tfxio_core::{Cancel, Files, Limits, Partition, Result};

use super::data::Data;
use super::local_index;

/// Records of all indexes that are kept. Beyond them all are dropped, and read again when they are needed.
const KEPT_RECORDS: u64 = 1 << 26;

/// Size of an index without its records, and more.
const INDEX_HEAD: u64 = 64 << 10;

/// Points of a file at which reading can start.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// Anywhere: it is not compressed.
    Plain,
    /// At its gzip members.
    Members(Arc<[Member]>),
    /// At its beginning only.
    Stream,
}

/// Cache of the kinds, indexes and record counts of files.
#[derive(Debug, Default)]
pub(super) struct Indexes {
    kinds: Mutex<HashMap<Arc<str>, Kind>>,
    files: Mutex<HashMap<Arc<str>, Option<Arc<Index>>>>,
    /// Records of files that are entered at their beginnings only, as they were counted, and of which file.
    counted: Mutex<HashMap<Arc<str>, (Stamp, u64)>>,
}

impl Data {
    /// Returns the index of a file, if it has one that fits and is to be used.
    ///
    /// # Errors
    /// When the index is damaged or contradicts its file.
    pub(super) fn index(&self, file: &Arc<str>) -> Result<Option<Arc<Index>>> {
        if !self.settings.index {
            return Ok(None);
        }
        if let Some(known) = self.kept(file) {
            return Ok(known);
        }
        let index = match self.files.store().local_path(file) {
            Some(path) => {
                let path = path.to_string_lossy();
                let index = local_index::read(&path)?;
                // A file that was only copied has another time; then the index is not relied on.
                let index = index.filter(|index| index.check_file(&*path, Check::Stamp).is_ok());
                index.or_else(|| self.settings.index_storage.find(path.as_ref().as_ref()))
            }
            None => of_store(&self.files, file),
        };
        Ok(self.keep(file, index))
    }

    /// Returns the index of a file, or else offsets of its records that are found by reading all headers, where it is not
    /// compressed and local, or `remote` is set.
    pub(super) fn offsets(
        &self,
        file: &Arc<str>,
        limits: &Limits,
        remote: bool,
    ) -> Result<Option<Arc<Index>>> {
        if let Some(index) = self.index(file)? {
            return Ok(Some(index));
        }
        let path = self.files.store().local_path(file);
        if (path.is_none() && !remote) || !matches!(self.kind(file, limits)?, Kind::Plain) {
            return Ok(None);
        }
        let stamp = match &path {
            Some(path) => Stamp::of_file(path)?,
            None => match self.files.store().size(file)? {
                Some(size) => Stamp::new(size),
                None => return Ok(None),
            },
        };
        // Nothing is read ahead where only headers are read.
        let input = self.files.store().open(file, 0..0, &Cancel::default())?;
        let index = Index::hop(input, stamp).map_err(|error| error.in_file(&**file))?;
        if let Some(path) = path {
            self.settings.index_storage.keep(&path, &index)?;
        }
        Ok(self.keep(file, Some(index)))
    }

    /// Returns how the records of a file can be entered.
    ///
    /// # Errors
    /// When the file cannot be opened or has another compression than is stated.
    pub(super) fn kind(&self, file: &Arc<str>, limits: &Limits) -> Result<Kind> {
        if let Some(kind) = self.known_kind(file) {
            return Ok(kind);
        }
        let kind = if self.files.store().size(file)?.is_none() {
            Kind::Stream
        } else {
            // Nothing is read ahead for a look.
            let input = self.files.store().open(file, 0..0, &Cancel::default())?;
            let mut reader = self.settings.reader(input, limits).name(Arc::clone(file)).build();
            match reader.compression()? {
                // Without checksums a record is found from the one before it alone.
                Compression::None if self.settings.verify == Verify::None => Kind::Stream,
                Compression::None => Kind::Plain,
                Compression::Gzip => self.members(file, limits)?,
                _ => Kind::Stream,
            }
        };
        lock(&self.indexes.kinds).insert(Arc::clone(file), kind.clone());
        Ok(kind)
    }

    /// Returns the known kind of a file.
    pub(super) fn known_kind(&self, file: &str) -> Option<Kind> {
        lock(&self.indexes.kinds).get(file).cloned()
    }

    /// Finds members by the index, and in local files by their headers.
    fn members(&self, file: &Arc<str>, limits: &Limits) -> Result<Kind> {
        let members = match self.index(file)? {
            Some(index) if !index.members().is_empty() => index.members().to_vec(),
            _ if self.files.store().local_path(file).is_none() => return Ok(Kind::Stream),
            // What is wrong with a member is said when it is read.
            _ => match members::hop(self.files.open(&Partition::whole(Arc::clone(file)))?) {
                Ok(Some(members)) => members,
                Ok(None) | Err(_) => return Ok(Kind::Stream),
            },
        };
        let may_enter = members.len() > 1 && members::within_limits(&members, limits);
        Ok(if may_enter { Kind::Members(members.into()) } else { Kind::Stream })
    }

    /// Returns the number of records of a file that is entered at its beginning only, which is counted once: all of it is
    /// decompressed for that.
    pub(super) fn count_stream(&self, file: &Arc<str>, count: impl FnOnce() -> Result<u64>) -> Result<u64> {
        let store = self.files.store();
        let stamp = match (store.local_path(file), store.size(file)?) {
            (Some(path), Some(_)) => Stamp::of_file(path)?,
            (None, Some(size)) => Stamp::new(size),
            (_, None) => return count(),
        };
        if let Some((of, records)) = lock(&self.indexes.counted).get(file)
            && of.check(&stamp).is_ok()
        {
            return Ok(*records);
        }
        let records = count()?;
        lock(&self.indexes.counted).insert(Arc::clone(file), (stamp, records));
        Ok(records)
    }

    fn kept(&self, file: &str) -> Option<Option<Arc<Index>>> {
        lock(&self.indexes.files).get(file).cloned()
    }

    fn keep(&self, file: &Arc<str>, index: Option<Index>) -> Option<Arc<Index>> {
        let index = index.map(Arc::new);
        let mut kept = lock(&self.indexes.files);
        let records = kept.values().flatten().map(|index| index.len()).fold(0, u64::saturating_add);
        if records > KEPT_RECORDS {
            kept.clear();
        }
        kept.insert(Arc::clone(file), index.clone());
        index
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Maps whose entries are whole at every moment.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the index beside an object. The time of an object is the time of its upload, and is therefore ignored.
fn of_store(files: &Files, file: &str) -> Option<Index> {
    let store = files.store();
    let name = format!("{file}.tfxi");
    let size = store.size(file).ok().flatten()?;
    let mut input = store.open(&name, 0..u64::MAX, &Cancel::default()).ok()?;
    if input.size()? > size.saturating_add(INDEX_HEAD) {
        return None;
    }
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes).ok()?;
    let index = Index::from_bytes(&bytes).ok()?;
    let mut now = Stamp::new(size);
    now.etag = store.version(file).ok()?;
    index.stamp().check(&now).is_ok().then_some(index)
}

//! Columns of the same groups, decoded by several threads.
//!
//! A thread that decodes a group while another decodes the one before it has to keep the rows: a large group has more of them than
//! may wait. Here threads decode the same rows, each some of the columns, so that few rows wait, and a file of one group has work
//! for several threads as well.
//!
//! The columns are in parts, more than there are threads. A job decodes the next rows of the part that has decoded the fewest and is idle.
//! Where that is too far ahead of others already, the job does nothing.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::{RecordBatch, RecordBatchOptions};
use tfxio_core::{Error, ErrorKind, Ordered, Projection, Result, Work};

use super::decode::{Asked, Decode, DecodedRows, Groups};

/// Parts for each thread.
const PARTS: usize = 2;
/// Decoded bytes of a group from which threads have parts of it, where these are about the same work.
const LARGE: u64 = 1 << 20;
/// The same for parts whose work differs: most of a group waits for the one before it.
const VERY_LARGE: u64 = 16 << 20;

/// Bytes of rows that a part may be ahead of another one, before it waits.
const AHEAD: u128 = 4 << 20;

/// Decodes columns, and joins columns of the same rows.
pub(super) struct ColumnDecoder {
    /// Name of the file.
    name: Arc<str>,
    projection: Arc<Projection>,
    decoded: Ordered<DecodePart>,
    parts: Vec<Joined>,
}

/// The columns of a part.
struct Joined {
    /// Their indices in the projection.
    columns: Vec<usize>,
    /// Rows that were decoded and not returned.
    rows: VecDeque<Result<DecodedRows>>,
}

impl ColumnDecoder {
    /// Returns what decodes the columns; nothing where these are few, cannot be decoded by themselves, or their groups are small.
    pub(super) fn new(asked: &Asked, groups: &Groups) -> Result<Option<Self>> {
        let read = asked.projection.read();
        if read.len() < 2 || !asked.is_whole || asked.request.filter.is_some() {
            return Ok(None);
        }
        let left = groups.lock().left.clone();
        let (count, threads) = (left.len() as u64, asked.request.threads);
        let Some(bytes) = asked.file.footer.decoded_bytes(left, &asked.projection) else { return Ok(None) };
        let cut = even_parts(&bytes, threads.saturating_mul(PARTS));
        if !is_worth_it(&bytes, &cut, count, threads) {
            return Ok(None);
        }
        let (mut parts, mut slots) = (Vec::new(), Vec::new());
        for part in cut {
            let (projection, columns) = asked.projection.part(part);
            let decode = Decode::new(Asked { projection: Arc::new(projection), ..asked.clone() });
            slots.push(Slot { decode: At::Idle(Box::new(decode)), groups: 0, rows: 0, bytes: 0 });
            parts.push(Joined { columns, rows: VecDeque::new() });
        }
        let (threading, threads) = (asked.request.threading(), threads.min(parts.len()));
        let threading = threading.ahead(parts.len().saturating_add(threads)).threads(threads);
        let slots = Arc::new(Slots(Mutex::new(slots)));
        let source = Parts { slots: Arc::clone(&slots), groups: groups.clone(), taken: Vec::new() };
        let make = move || Ok(DecodePart { slots: Arc::clone(&slots), job: None });
        let decoded = Ordered::new(source, &threading, make)?;
        let (name, projection) = (Arc::clone(&asked.file.name), Arc::clone(&asked.projection));
        Ok(Some(Self { name, projection, decoded, parts }))
    }

    /// Returns the next rows; nothing after the last.
    pub(super) fn next(&mut self) -> Result<Option<DecodedRows>> {
        loop {
            if self.parts.iter().all(|part| !part.rows.is_empty()) {
                return self.join().map(Some);
            }
            if let Some(Decoded { part, rows }) = self.decoded.next().transpose()? {
                if let Some(part) = self.parts.get_mut(part) {
                    part.rows.push_back(rows);
                }
                continue;
            }
            // Every part has ended, some perhaps with an error.
            for part in &mut self.parts {
                if let Some(rows) = part.rows.pop_front() {
                    rows?;
                    return Err(other_rows(&self.name));
                }
            }
            return Ok(None);
        }
    }

    /// Joins the columns of rows that all parts have.
    fn join(&mut self) -> Result<DecodedRows> {
        let other_rows = || other_rows(&self.name);
        let mut count = usize::MAX;
        for part in &mut self.parts {
            match part.rows.front() {
                Some(Ok(rows)) => count = count.min(rows.batch.num_rows()),
                _ => return Err(part.rows.pop_front().and_then(Result::err).unwrap_or_else(other_rows)),
            }
        }
        let mut columns = vec![None; self.projection.schema().fields().len()];
        let mut runs = None;
        for part in &mut self.parts {
            let Some(Ok(mut rows)) = part.rows.pop_front() else { return Err(other_rows()) };
            if let Some(rest) = rows.split_off(count) {
                part.rows.push_front(Ok(rest));
            }
            for (index, column) in part.columns.iter().zip(rows.batch.columns()) {
                if let Some(joined) = columns.get_mut(*index) {
                    *joined = Some(Arc::clone(column));
                }
            }
            runs.get_or_insert(rows.runs);
        }
        let columns = columns.into_iter().collect::<Option<Vec<_>>>().ok_or_else(other_rows)?;
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        let schema = Arc::clone(self.projection.schema());
        let batch = RecordBatch::try_new_with_options(schema, columns, &options)?;
        let bytes = batch.get_array_memory_size() as u64;
        Ok(DecodedRows { batch, bytes, runs: runs.unwrap_or_default() })
    }
}

/// Returns the error for columns that end before others, which their groups would have been refused for.
#[cold]
fn other_rows(file: &Arc<str>) -> Error {
    let error = Error::new(ErrorKind::Malformed, "some columns of the file have fewer rows than others");
    error.help("the file is damaged; copy or download it again").in_file(Arc::clone(file))
}

/// Cuts columns that take these bytes into at most `parts` of about the same bytes.
pub(crate) fn even_parts(bytes: &[u64], parts: usize) -> Vec<Range<usize>> {
    // A byte each, so that empty columns are spread as well.
    let bytes = bytes.iter().map(|bytes| u128::from(*bytes) + 1);
    let total = bytes.clone().sum::<u128>().max(1);
    let (mut cut, mut before) = (Vec::<(u128, Range<usize>)>::new(), 0);
    for (index, bytes) in bytes.enumerate() {
        let part = (before + bytes / 2).saturating_mul(parts as u128) / total;
        before += bytes;
        match cut.last_mut().filter(|(last, _)| *last == part) {
            Some((_, columns)) => columns.end = index + 1,
            None => cut.push((part, index..index + 1)),
        }
    }
    cut.into_iter().map(|(_, columns)| columns).collect()
}

/// Returns whether threads decode columns, cut into these parts, sooner than they decode a number of groups.
fn is_worth_it(bytes: &[u64], parts: &[Range<usize>], groups: u64, threads: usize) -> bool {
    let of = |columns: &[u64]| columns.iter().map(|bytes| u128::from(*bytes)).sum::<u128>();
    let (total, group) = (of(bytes), of(bytes) / u128::from(groups.max(1)));
    let largest = parts.iter().filter_map(|part| bytes.get(part.clone()).map(of)).max().unwrap_or_default();
    // Three of four threads have work all the time.
    let is_even = largest.saturating_mul(3 * threads as u128) <= total.saturating_mul(4);
    let least = if is_even || groups == 1 { LARGE } else { VERY_LARGE };
    parts.len() > 1 && groups > 0 && group >= u128::from(least)
}

/// State of each part.
struct Slots(Mutex<Vec<Slot>>);

struct Slot {
    decode: At,
    /// Number of groups that it has taken.
    groups: usize,
    /// Number of rows that it has decoded, and of their bytes.
    rows: u64,
    bytes: u64,
}

impl Slot {
    /// Returns whether it has decoded so much more than one that has decoded this number of rows, that it waits.
    fn is_ahead_of(&self, rows: u64) -> bool {
        let ahead = u128::from(self.rows.saturating_sub(rows));
        let bytes = ahead.saturating_mul(u128::from(self.bytes));
        bytes.checked_div(u128::from(self.rows)).is_some_and(|bytes| bytes >= AHEAD)
    }
}

enum At {
    Idle(Box<Decode>),
    Busy,
    Ended,
}

impl Slots {
    fn lock(&self) -> MutexGuard<'_, Vec<Slot>> {
        // Nothing that may panic runs under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the idle part that has decoded the fewest rows, and returns the number of groups that it has taken as well; nothing where none
    /// is idle, or it is too far ahead of others, and then whether all have ended.
    fn take(&self) -> std::result::Result<(usize, usize, Box<Decode>), bool> {
        let mut slots = self.lock();
        let left = slots.iter().filter(|slot| !matches!(slot.decode, At::Ended)).map(|slot| slot.rows);
        let Some(fewest) = left.min() else { return Err(true) };
        let idle = slots.iter_mut().enumerate().filter(|(_, slot)| matches!(slot.decode, At::Idle(_)));
        if let Some((part, slot)) = idle.min_by_key(|(_, slot)| slot.rows)
            && !slot.is_ahead_of(fewest)
            && let At::Idle(decode) = std::mem::replace(&mut slot.decode, At::Busy)
        {
            return Ok((part, slot.groups, decode));
        }
        Err(false)
    }

    /// Changes the slot of a part.
    fn put(&self, part: usize, change: impl FnOnce(&mut Slot)) {
        if let Some(slot) = self.lock().get_mut(part) {
            change(slot);
        }
    }
}

/// Source of the jobs: the groups, which each part takes one after the other.
struct Parts {
    slots: Arc<Slots>,
    groups: Groups,
    /// Groups that a part has taken, with their rows. The others take the same.
    taken: Vec<(usize, Range<u64>)>,
}

/// Decodes the next rows of a part.
struct DecodePart {
    slots: Arc<Slots>,
    job: Option<(usize, Box<Decode>)>,
}

/// The next rows of a part. An error waits for the rows of other parts before it.
struct Decoded {
    part: usize,
    rows: Result<DecodedRows>,
}

impl Work for DecodePart {
    type Source = Parts;
    type Output = Decoded;
    type Error = Error;

    fn read(&mut self, parts: &mut Parts) -> Result<bool> {
        loop {
            let (part, groups, mut decode) = match parts.slots.take() {
                Ok(taken) => taken,
                // There is nothing to do until others have decoded what they do.
                Err(has_ended) => return Ok(!has_ended),
            };
            if decode.is_between() {
                match parts.taken.get(groups) {
                    Some(group) => decode.take(group.clone()),
                    None if decode.read(&mut parts.groups)? => parts.taken.extend(decode.taken().cloned()),
                    None => {
                        parts.slots.put(part, |slot| slot.decode = At::Ended);
                        continue;
                    }
                }
                parts.slots.put(part, |slot| slot.groups += 1);
            }
            self.job = Some((part, decode));
            return Ok(true);
        }
    }

    fn next(&mut self) -> Result<Option<Decoded>> {
        let Some((part, mut decode)) = self.job.take() else { return Ok(None) };
        let rows = decode.next().transpose();
        self.slots.put(part, |slot| {
            if let Some(Ok(rows)) = &rows {
                slot.rows = slot.rows.saturating_add(rows.batch.num_rows() as u64);
                slot.bytes = slot.bytes.saturating_add(rows.batch.get_array_memory_size() as u64);
            }
            slot.decode = if let Some(Err(_)) = rows { At::Ended } else { At::Idle(decode) };
        });
        Ok(rows.map(|rows| Decoded { part, rows }))
    }

    fn is_done(&self) -> bool {
        self.job.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_about_the_same_bytes() {
        for (bytes, parts, expected) in [
            (&[1, 1, 1, 1][..], 2, vec![0..2, 2..4]),
            (&[1, 1], 4, vec![0..1, 1..2]),
            (&[9, 0, 0, 9], 2, vec![0..2, 2..4]),
            (&[0, 100, 0, 0], 4, vec![0..1, 1..2, 2..4]),
            (&[0, 0, 0, 0], 2, vec![0..2, 2..4]),
            (&[u64::MAX, u64::MAX, 1], 2, vec![0..1, 1..3]),
            (&[], 4, vec![]),
        ] {
            assert_eq!(even_parts(bytes, parts), expected, "{bytes:?}");
        }
    }

    #[test]
    fn parts_wait_for_those_that_take_longer() {
        let slot = |rows, bytes| Slot { decode: At::Busy, groups: 0, rows, bytes };
        assert!(!slot(0, 0).is_ahead_of(0));
        assert!(!slot(1000, 4 << 20).is_ahead_of(1));
        assert!(slot(1000, 4 << 20).is_ahead_of(0));
        assert!(!slot(1_000_000, 4 << 30).is_ahead_of(999_025));
        assert!(slot(1_000_000, 4 << 30).is_ahead_of(999_000));
        assert!(!slot(1000, 0).is_ahead_of(0), "rows without bytes");
        assert!(!slot(1, u64::MAX).is_ahead_of(2));
        assert!(slot(u64::MAX, u64::MAX).is_ahead_of(0));
    }

    #[test]
    fn columns_are_decoded_apart_where_that_keeps_threads_busy() {
        let worth = |bytes: &[u64], groups, threads| {
            is_worth_it(bytes, &even_parts(bytes, threads * PARTS), groups, threads)
        };
        let (small, even, one) = ([1 << 10; 8], [4 << 20; 8], [64 << 20, 1, 1]);
        assert!(worth(&even, 2, 2));
        assert!(worth(&even, 32, 2));
        assert!(!worth(&even, 33, 2), "groups of less than a mebibyte");
        assert!(!worth(&small, 2, 2));
        assert!(!worth(&small, 1, 2));
        assert!(!worth(&even, 0, 2));
        assert!(!worth(&even, 8, 16), "eight columns for sixteen threads");
        assert!(!worth(&one, 8, 2), "one column is nearly all");
        assert!(worth(&one, 4, 2), "groups that cannot wait");
        assert!(worth(&one.map(|bytes| bytes / 8), 1, 2), "there is one group");
        assert!(!worth(&one[..1], 1, 2), "one column");
    }
}

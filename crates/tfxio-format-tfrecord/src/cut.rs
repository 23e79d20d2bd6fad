//! Arithmetic of partitions.

use std::sync::Arc;

use tfrecord_io::Index;
use tfrecord_io::compression::members::Member;
use tfxio_core::Partition;

/// Key of [`Partition::extra`]: `start` where a record begins at the start of the range, `both` where one begins at its
/// end as well.
const EXACT: &str = "exact";
/// Key: offset in the uncompressed file of the first record, for a range of gzip members.
const OFFSET: &str = "offset";
/// Key: number of records in the gzip members of the range.
const HOLDS: &str = "holds";

/// A range that begins with a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exact {
    /// Offset of the first record.
    pub(super) start: u64,
    /// Records that begin here or later are not of the range.
    pub(super) end: u64,
    /// Offset of the first record after the range; `u64::MAX` where the range reaches to the end of the file.
    pub(super) next: u64,
    pub(super) first_record: Option<u64>,
}

/// Returns whether the start and the end of a partition are known to be offsets of records.
pub(super) fn is_exact(partition: &Partition) -> (bool, bool) {
    let exact = partition.extra.get(EXACT).map(String::as_str);
    let start = partition.start == 0 || matches!(exact, Some("start" | "both"));
    (start, partition.end == u64::MAX || exact == Some("both"))
}

/// Returns a range that begins with a record.
pub(super) fn from_record(file: &Arc<str>, start: u64, end: u64, end_is_exact: bool) -> Partition {
    let partition = Partition::range(Arc::clone(file), start, end);
    partition.extra(EXACT, if end_is_exact || end == u64::MAX { "both" } else { "start" })
}

/// Returns the range of an uncompressed file that holds records from number `from` up to `to`, by its index.
pub(super) fn of_index(file: &Arc<str>, index: &Index, from: u64, to: u64) -> Partition {
    let to = to.min(index.len());
    let offset = |record| index.offset(record).unwrap_or(index.uncompressed_bytes());
    from_record(file, offset(from), offset(to), true).first_record(from).records(to.saturating_sub(from))
}

/// Returns the first record that begins at an offset or after it, by the index.
pub(super) fn record_from(index: &Index, offset: u64) -> u64 {
    match index.record_at(offset) {
        Some(record) if index.offset(record) == Some(offset) => record,
        Some(record) => record.saturating_add(1),
        // After the last.
        None => index.len(),
    }
}

/// Returns the range of gzip members that holds records from number `from` up to `to`.
pub(super) fn of_members(file: &Arc<str>, members: &[Member], from: u64, to: u64) -> Option<Partition> {
    let first = members.partition_point(|member| member.first_record.saturating_add(member.records) <= from);
    let first = members.get(first)?;
    let after = members.partition_point(|member| member.first_record < to);
    let last = members.get(after.checked_sub(1)?)?;
    let end = members.get(after).map_or(u64::MAX, |next| next.stored_offset);
    let held = last.first_record.saturating_add(last.records).saturating_sub(first.first_record);
    let partition = Partition::range(Arc::clone(file), first.stored_offset, end)
        .first_record(first.first_record)
        .skip(from.saturating_sub(first.first_record))
        .records(to.saturating_sub(from));
    Some(partition.extra(OFFSET, first.offset.to_string()).extra(HOLDS, held.to_string()))
}

/// Returns the number of records of all members.
pub(super) fn records_of(members: &[Member]) -> u64 {
    members.last().map_or(0, |last| last.first_record.saturating_add(last.records))
}

/// Returns the offset in the uncompressed file of a range of gzip members.
pub(super) fn member_offset(partition: &Partition) -> Option<u64> {
    partition.extra.get(OFFSET)?.parse().ok()
}

/// Returns the number of records that the gzip members of a range declare.
pub(super) fn members_hold(partition: &Partition) -> Option<u64> {
    partition.extra.get(HOLDS)?.parse().ok()
}

/// Returns a fraction of a number, less than all of it.
pub(super) fn part(of: u64, fraction: f64) -> u64 {
    let fraction = if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { 0.5 };
    // A cut may be inexact by rounding: it is a wish.
    ((of as f64 * fraction) as u64).min(of.saturating_sub(1))
}

/// Returns a partition without its first records.
pub(super) fn without(partition: &Partition, records: u64) -> Partition {
    let mut rest = partition.clone();
    rest.skip = rest.skip.saturating_add(records);
    rest.records = rest.records.map(|all| all.saturating_sub(records));
    rest
}

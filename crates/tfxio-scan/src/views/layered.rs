//! Values that views of data sets add to partitions, on top of the values of data sets below.

use arrow_schema::SchemaRef;
use tfxio_core::{Batch, Partition, Result, Scan, ScanCounts, Seek};

/// Separator of a value and the values that data sets below have added under the same name.
const BETWEEN: char = '/';

/// Returns a partition with a value under a name, on top of values that data sets below have added under it.
pub(super) fn push(mut partition: Partition, name: &str, value: &str) -> Partition {
    let value = match partition.extra.remove(name) {
        Some(below) => format!("{value}{BETWEEN}{below}"),
        None => value.to_owned(),
    };
    partition.extra(name, value)
}

/// Returns a partition without the value that was added last under a name, and the value.
pub(super) fn pop(partition: &Partition, name: &str) -> (Partition, Option<String>) {
    let mut partition = partition.clone();
    let Some(all) = partition.extra.remove(name) else { return (partition, None) };
    match all.split_once(BETWEEN) {
        Some((value, below)) => (partition.extra(name, below), Some(value.to_owned())),
        None => (partition, Some(all)),
    }
}

/// Returns a scan of a data set below, whose other partitions have a value under a name as well.
pub(super) fn scan(scan: Box<dyn Scan>, name: &'static str, value: impl Into<String>) -> Box<dyn Scan> {
    Box::new(LayeredScan { scan, name, value: value.into() })
}

struct LayeredScan {
    scan: Box<dyn Scan>,
    name: &'static str,
    value: String,
}

impl Scan for LayeredScan {
    fn schema(&self) -> &SchemaRef {
        self.scan.schema()
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        self.scan.next_batch()
    }

    fn try_split(&mut self, fraction: f64) -> Result<Option<Partition>> {
        Ok(self.scan.try_split(fraction)?.map(|partition| push(partition, self.name, &self.value)))
    }

    fn remaining(&self) -> Option<Partition> {
        self.scan.remaining().map(|partition| push(partition, self.name, &self.value))
    }

    fn seek(&mut self, record: u64) -> Result<Seek> {
        self.scan.seek(record)
    }

    fn seek_to_byte(&mut self, record: u64, byte: u64) -> Result<Seek> {
        self.scan.seek_to_byte(record, byte)
    }

    fn counts(&self) -> ScanCounts {
        self.scan.counts()
    }
}

#[cfg(test)]
mod tests {
    use tfxio_core::Partition;

    use super::{pop, push};

    #[test]
    fn what_was_added_last_comes_off_first() {
        let below = Partition::whole("a").extra("other", "x");
        let partition = push(push(below.clone(), "rows", "1..2"), "rows", "3..4");
        let (partition, value) = pop(&partition, "rows");
        assert_eq!(value.as_deref(), Some("3..4"));
        let (partition, value) = pop(&partition, "rows");
        assert_eq!((value.as_deref(), &partition), (Some("1..2"), &below));
        assert_eq!(pop(&partition, "rows"), (below, None));
    }
}

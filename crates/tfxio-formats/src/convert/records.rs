//! TFRecord to TFRecord: the records stay as they are.

use std::sync::atomic::Ordering;

use tfxio_core::{Error, Split};

use super::output::size;
use super::{Conversion, Phase, Progress};
use crate::tfrecord::RecordOutput;
use crate::tfrecord::part::Part;
use crate::tfrecord::queue::Queue;

/// Copies the records. How many there were, and the size of the output.
pub(super) fn copy(conversion: &Conversion, progress: &mut dyn FnMut(Progress)) -> Result<(u64, u64), Error> {
    let splits = conversion.inputs.iter().map(|file| Split::whole(file.clone()));
    let mut queue = Queue::new(splits, &conversion.records)?;
    let read = queue.bytes_read();
    let mut sink = RecordOutput::create(&conversion.output, &conversion.writer, None)?;
    let mut part = Part::new();
    let mut records = 0;
    while queue.read(&mut part, 1024)?.is_some() {
        part.try_for_each(|record| sink.write(record.data))?;
        records += part.len() as u64;
        progress(Progress { phase: Phase::Records, bytes_read: read.load(Ordering::Relaxed), records });
    }
    conversion.records.refuse_nothing(records)?;
    let bytes = sink.finish()?.iter().map(|path| size(path)).sum();
    Ok((records, bytes))
}

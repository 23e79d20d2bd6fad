//! The schema of a data set, from its records.

use tfxio_core::{Error, Origin};

use super::format::InferSchema;
use crate::tfrecord::part::Part;
use crate::tfrecord::queue::Queue;

/// How many records a schema is inferred from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sample {
    /// The first so many of the data set.
    First(u64),
    /// All of them, which reads the data set once more.
    All,
}

impl Sample {
    /// What a read without a schema takes from its split: the first 1,024 records.
    pub const DEFAULT: Self = Self::First(1024);

    const fn records(self) -> u64 {
        match self {
            Self::First(records) => records,
            Self::All => u64::MAX,
        }
    }
}

/// Looks at the records of a queue, at most as many as the sample says. `progress` gets their number.
pub(crate) fn infer<I: InferSchema>(
    inference: &mut I,
    queue: &mut Queue,
    sample: Sample,
    progress: &mut dyn FnMut(u64),
) -> Result<(), Error> {
    let mut part = Part::new();
    while inference.records() < sample.records() {
        let left = sample.records() - inference.records();
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(1024);
        let Some(file) = queue.read(&mut part, most)? else { break };
        part.try_for_each(|record| {
            let origin = Origin::new(&file, record.offset, record.index);
            inference.push(record.data, origin).map_err(|error| queue.in_split(error))
        })?;
        progress(inference.records());
    }
    Ok(())
}

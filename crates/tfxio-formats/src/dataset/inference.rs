//! The schema of a data set, from its records.

use std::sync::Arc;

use tfxio_core::{Error, Origin};

use super::format::InferSchema;
use crate::tfrecord::part::Part;
use crate::tfrecord::queue::Queue;
use crate::tfrecord::{RecordOptions, files};

/// How many records a schema is inferred from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sample {
    /// The first so many of the data set.
    First(u64),
    /// All of them, which reads the data set once more.
    All,
    /// All of them where the files are local and together have at most [`Sample::MOST_BYTES`] as they are stored; of larger
    /// data sets, of objects and of pipes the first [`Sample::MOST_RECORDS`].
    Auto,
}

impl Sample {
    /// What a read without a schema looks at: [`Sample::Auto`].
    pub const DEFAULT: Self = Self::Auto;
    /// The most bytes of files that [`Sample::Auto`] reads whole: 256 MiB.
    pub const MOST_BYTES: u64 = 256 << 20;
    /// The records of a larger data set that [`Sample::Auto`] looks at: 10,000.
    pub const MOST_RECORDS: u64 = 10_000;

    /// The most records to look at.
    pub(super) fn records(self, files: &[Arc<str>], options: &RecordOptions) -> u64 {
        match self {
            Self::First(records) => records,
            Self::All => u64::MAX,
            Self::Auto => {
                let is_small = files.iter().all(|file| files::is_regular(file))
                    && files::size_of_all(files, options) <= Self::MOST_BYTES;
                if is_small { u64::MAX } else { Self::MOST_RECORDS }
            }
        }
    }
}

/// Looks at the first `most` records of a queue. `progress` gets their number.
pub(crate) fn infer<I: InferSchema>(
    inference: &mut I,
    queue: &mut Queue,
    most: u64,
    progress: &mut dyn FnMut(u64),
) -> Result<(), Error> {
    let mut part = Part::new();
    while inference.records() < most {
        let left = most - inference.records();
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(1024);
        let Some(file) = queue.read(&mut part, most)? else { break };
        part.try_for_each(|record| {
            let origin = Origin::new(&file, record.offset, record.index);
            let pushed = inference.push(record.data, origin).map_err(|error| queue.in_split(error));
            pushed.or_else(|error| part.ignore(error))
        })?;
        progress(inference.records());
    }
    Ok(())
}

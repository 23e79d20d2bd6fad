//! Tasks of the program `measure`.
//!
//! One run that is not timed comes first: it fills buffers, the page cache and the branch predictor, as the peers'
//! first run does. Each module specifies its preparation before the clock starts, and its timed work.

#[cfg(feature = "arrow-avro")]
mod arrow_avro;
#[cfg(feature = "arrow-readers")]
mod arrow_readers;
mod avro;
mod convert;
mod decode;
mod encode;
mod figure;
mod framed;
mod load;
mod messages;
mod options;
mod parts;
mod read;
mod scan;
#[cfg(feature = "sql")]
mod sql;
mod stats;
mod structs;
mod tensors;

use anyhow::Result;

pub use self::figure::Figure;
#[cfg(feature = "places")]
pub(crate) use self::figure::peak_rss_mb;
pub use self::options::{As, From, Options, Task};

/// Measures what the options ask for.
///
/// # Errors
/// The file cannot be read, is damaged, or lacks something that the task needs; the options contradict each other or
/// the file.
pub fn measure(options: &Options) -> Result<Figure> {
    options.check()?;
    match options.record {
        As::Message if options.task != Task::Read => return messages::from_memory(options),
        As::Struct => return structs::from_memory(options),
        As::Example | As::Message | As::SequenceExample => {}
    }
    match (options.task, options.from) {
        (Task::Scan, _) if avro::is_container(&options.file) => avro::scan(options),
        (Task::Scan, From::Memory) => scan::from_memory(options),
        (Task::Scan, From::File) => scan::from_file(options),
        (Task::Decode, From::Memory) => decode::from_memory(options),
        (Task::Decode, From::File) => decode::from_file(options),
        (Task::Encode, _) => encode::from_memory(options),
        (Task::Tensors, From::Memory) => tensors::from_memory(options),
        (Task::Tensors, From::File) => tensors::from_file(options),
        (Task::Avro, _) => avro::measure(options),
        (Task::Read, _) => read::from_file(options),
        (Task::Convert, _) => convert::from_file(options),
        (Task::Load, _) => load::from_file(options),
        (Task::Stats, From::Memory) => stats::from_memory(options),
        (Task::Stats, From::File) => stats::from_file(options),
        #[cfg(feature = "sql")]
        (Task::Sql, _) => sql::from_file(options),
        #[cfg(not(feature = "sql"))]
        (Task::Sql, _) => anyhow::bail!("this `measure` was built without the feature `sql`"),
    }
}

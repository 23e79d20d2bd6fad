//! What the program `measure` does.
//!
//! One run that is not timed comes first: it fills buffers, the page cache and the branch predictor, as
//! the peers' first run does. What stands before the clock and what is timed, each module says.

mod decode;
mod encode;
mod figure;
mod framed;
mod inference;
mod options;
mod parts;
mod scan;

use anyhow::Result;

pub use self::figure::Figure;
pub use self::inference::{schema, sequence_schema};
pub use self::options::{As, From, Options, Task};

/// Measures what the options ask for.
///
/// # Errors
/// The file cannot be read, is damaged, or does not hold tf.Examples where these are needed; the options
/// contradict each other or the file.
pub fn measure(options: &Options) -> Result<Figure> {
    options.check()?;
    match (options.task, options.from) {
        (Task::Scan, From::Memory) => scan::from_memory(options),
        (Task::Scan, From::File) => scan::from_file(options),
        (Task::Decode, From::Memory) => decode::from_memory(options),
        (Task::Decode, From::File) => decode::from_file(options),
        (Task::Encode, _) => encode::from_memory(options),
    }
}

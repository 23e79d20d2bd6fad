//! The commands, a file each.

pub(crate) mod avro_path;
pub(crate) mod convert;
pub(crate) mod head;
pub(crate) mod index;
pub(crate) mod inspect;
pub(crate) mod load;
pub(crate) mod repair;
pub(crate) mod schema;
pub(crate) mod tensors;

use std::sync::Arc;

use tfxio::{RecordOptions, expand_files_with};

use crate::failure::{self, Failure};

/// Does something with each file that patterns name. What fails is said on standard error, and the next file comes; the
/// worst exit code stays.
fn for_each_file(
    patterns: &[String],
    options: &RecordOptions,
    mut run: impl FnMut(Arc<str>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut worst = 0;
    for pattern in patterns {
        let files = match expand_files_with([pattern], options) {
            Ok(files) => files,
            Err(error) => {
                let failure = Failure::from(error);
                failure.print();
                worst = worst.max(failure.exit_code());
                continue;
            }
        };
        for file in files {
            match run(file) {
                Ok(()) => {}
                Err(closed @ (Failure::Closed | Failure::Output(_))) => return Err(closed),
                Err(failure) => {
                    failure.print();
                    worst = worst.max(failure.exit_code());
                }
            }
        }
    }
    if worst == 0 { Ok(()) } else { Err(Failure::Reported(worst.max(failure::DATA))) }
}

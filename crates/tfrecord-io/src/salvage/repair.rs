//! Writes the good records of a file to another one.

use std::path::Path;

use super::{Report, SalvageBuilder};
use crate::writer::WriterBuilder;
use crate::{Error, ErrorKind, Result};

/// Writes the good records of `input` to `output` and reports what was lost. `output` appears when all is written; if
/// anything fails, nothing is left. Nor is anything written where the input is damaged and no record is good: the report
/// then has none.
///
/// ```no_run
/// use tfrecord_io::Writer;
/// use tfrecord_io::salvage::{self, SalvageReader};
///
/// let report = salvage::repair(SalvageReader::builder("broken.tfrecord"), Writer::builder("good.tfrecord"))?;
/// println!("{report}");
/// # Ok::<(), tfrecord_io::Error>(())
/// ```
///
/// # Errors
///
/// - [`ErrorKind::InvalidArgument`]: `input` and `output` are the same file. The damaged file is never written to.
/// - As [`SalvageReader::next_record`](super::SalvageReader::next_record), and as
///   [`WriterBuilder::create`] and the writer.
pub fn repair(
    input: SalvageBuilder<impl AsRef<Path>>,
    output: WriterBuilder<impl AsRef<Path>>,
) -> Result<Report> {
    let path = input.path().to_path_buf();
    let mut reader = input.open()?;
    let same = match (path.canonicalize(), output.path().canonicalize()) {
        (Ok(input), Ok(output)) => input == output,
        // The output does not exist yet.
        _ => false,
    };
    if same {
        return Err(Error::new(
            ErrorKind::InvalidArgument,
            "the repaired file would replace the damaged one",
        )
        .help("write to another file; look at the report before the damaged file is deleted")
        .in_file(path.to_string_lossy()));
    }
    let mut writer = output.create()?;
    while let Some(record) = reader.next_record()? {
        writer.write(record.data)?;
    }
    let report = reader.into_report();
    if report.records > 0 || report.is_clean() {
        writer.finish()?;
    }
    Ok(report)
}

//! Repair of damaged files: the records that are whole, in a new one.

use std::path::Path;

use tfxio_core::{Error, ErrorKind, FileFormat, FileReport, Result, not_offered};

use crate::OpenOptions;

impl OpenOptions {
    /// Copies the records of a damaged file that are whole to another, as its format offers ([`Repair`](tfxio_core::Repair)).
    /// Returns the kept and the lost records; an error in the report means that nothing could be kept, and the file does not appear.
    ///
    /// # Errors
    /// When the file cannot be read, its format offers no repair, the name of the output is of another format, or it cannot be written.
    pub fn repair(&self, input: &str, output: &str) -> Result<FileReport> {
        let found = self.find(input)?;
        let Some(repair) = found.format.repair() else {
            let error = not_offered(found.format.name(), "repairs").help("if it is damaged, copy it again");
            return Err(error.in_file(input));
        };
        refuse_other_format(&*found.format, input, output)?;
        repair.repair(&found.files, output, &found.options)
    }
}

/// Refuses an output whose name is of another format. A name without an ending is accepted, since the format of the input is known.
fn refuse_other_format(format: &dyn FileFormat, input: &str, output: &str) -> Result<()> {
    let name =
        |path: &str| Path::new(path).file_name().map(|name| name.to_string_lossy().to_ascii_lowercase());
    let ending = |path: &str| Some(name(path)?.rsplit_once('.')?.1.to_owned());
    let is_ours = |name: String| format.endings().iter().any(|ending| name.contains(ending));
    if name(output).is_none_or(is_ours) || ending(output).is_none() || ending(output) == ending(input) {
        return Ok(());
    }
    let endings = format.endings().iter().take(4).copied().collect::<Vec<_>>().join(", ");
    let what = format!("the name says another format than {}, which repair keeps", format.name());
    let help = format!("end it with {endings}, and convert the repaired file");
    Err(Error::new(ErrorKind::InvalidArgument, what).help(help).in_file(output))
}

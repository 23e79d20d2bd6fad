//! Data of files that were written with another schema than that of the data set.

use std::sync::Arc;

use avro_path::{AvroSchema, Resolution};
use tfxio_base::Remedy;
use tfxio_core::{Error, ErrorKind, Limits, Position};

use super::decoder::{Filtering, Program, Recipe};

/// Returns the resolution from the schema of a file to the reader's; nothing where data of the file need none.
pub(super) fn resolution(
    writer: &AvroSchema,
    reader: &AvroSchema,
    limits: &Limits,
    file: &Arc<str>,
) -> Result<Option<Resolution>, Error> {
    if writer.text() == reader.text() {
        return Ok(None);
    }
    let resolution = Resolution::builder(writer, reader).limits(*limits).build();
    let resolution = resolution.map_err(|error| unreadable(error, file))?;
    Ok((!resolution.is_identity()).then_some(resolution))
}

/// Returns what makes rows of a program of the data of a file.
pub(super) fn recipe(
    program: &Program,
    filtering: Option<&Filtering>,
    writer: &AvroSchema,
    reader: &AvroSchema,
    limits: Limits,
    file: &Arc<str>,
) -> Result<Recipe, Error> {
    let (mut program, mut filtering) = (program.clone(), filtering.cloned());
    if writer.text() != reader.text() {
        let resolved =
            |program: &Program| program.resolved(writer, reader).map_err(|error| unreadable(error, file));
        program = resolved(&program)?;
        if let Some(filtering) = &mut filtering {
            filtering.first = resolved(&filtering.first)?;
        }
    }
    Ok(Recipe { program, filtering, limits })
}

/// The error for a file whose data are never such of the data set's schema.
fn unreadable(error: Error, file: &Arc<str>) -> Error {
    let message = format!(
        "the data of the file cannot be read with the schema of the data set: {error}; read the file by itself, or give a \
         schema that fits all files"
    );
    let position = Position::new().file(Arc::clone(file));
    let error = Error::new(ErrorKind::SchemaMismatch, message).at(position).because(error);
    error.remedied_by(Remedy::GiveSchema)
}

//! `tfxio schema`: the columns of a data set, and their comparison with a schema.
//!
//! [`columns`] prints tables of the format's report, [`batches`] the schemas that need rows (of TensorFlow Metadata and
//! Arrow), [`validate`] the violations of a schema.

mod batches;
mod columns;
mod validate;

use crate::Done;
use crate::args::{Schema, SchemaFormat};
use crate::context::Context;
use crate::failure::Failure;

pub(crate) fn run(args: &Schema, context: &Context) -> Done {
    let _progress = context.watch("looking at", &args.files);
    if let Some(schema) = &args.validate {
        return validate::run(args, schema, context);
    }
    match (args.keys, args.format) {
        (Some(_), SchemaFormat::Own | SchemaFormat::Pbtxt) => {
            let text = "--list-keys lists key expressions, and --format says to print the schema; choose one of them";
            Err(Failure::Usage(text.to_owned()))
        }
        (Some(depth), _) => columns::keys(args, context, depth),
        (None, SchemaFormat::Table | SchemaFormat::Json | SchemaFormat::Own) => columns::show(args, context),
        (None, SchemaFormat::Pbtxt) => batches::metadata(args, context),
        (None, SchemaFormat::Arrow) => batches::arrow(args, context),
    }
}

//! `tfxio schema`: the features of a data set, and whether they are those of a schema.
//!
//! [`features`] are tables of what was seen, [`batches`] what needs the rows: schemas of TensorFlow Metadata and Arrow,
//! and [`validate`]. Avro files have their schema in them: [`avro`] and [`keys`].

mod avro;
mod batches;
mod features;
mod keys;
mod validate;

use tfxio::{Inferred, Message, RecordOptions, Sample, expand_files_with, infer_messages};

use crate::Done;
use crate::args::{Schema, SchemaFormat};
use crate::failure::Failure;
use crate::progress::Progress;

pub(crate) fn run(args: &Schema) -> Done {
    let options = args.indexes.options();
    let files = expand_files_with(&args.files, &options)?;
    if crate::avro::are_avro(&files, &options)? {
        return avro::run(args, &files, &options);
    }
    if args.format == SchemaFormat::Avro {
        let text = "--format avro prints the schema of Avro files, and these are none; choose another format";
        return Err(Failure::Usage(text.to_owned()));
    }
    if args.keys.is_some() {
        let text = "--keys lists the key expressions of Avro files, and these are none; leave it out";
        return Err(Failure::Usage(text.to_owned()));
    }
    if let Some(schema) = &args.validate {
        return validate::run(args, schema, &options);
    }
    let seen = infer(args, args.records.message(), &options)?;
    match args.format {
        SchemaFormat::Table => features::table(args, &seen),
        SchemaFormat::Json => features::json(args, &seen),
        SchemaFormat::Pbtxt => batches::metadata(args, seen, &options),
        SchemaFormat::Arrow | SchemaFormat::Avro => batches::arrow(args, seen, &options),
    }
}

/// Looks at the records.
fn infer(args: &Schema, message: Option<Message>, options: &RecordOptions) -> Result<Inferred, Failure> {
    let sample = args.sample.map_or(Sample::All, Sample::First);
    let files = || args.files.iter().map(String::as_str);
    // As the data set of the files counts them.
    let bytes = tfxio::ExampleTfxIo::builder(files()).record_options(options.clone()).build()?.bytes();
    let progress = Progress::new(bytes, "reading");
    let seen =
        infer_messages(files(), message, sample, options, |records, bytes| progress.set(bytes, records));
    progress.finish();
    Ok(seen?)
}

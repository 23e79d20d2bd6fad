//! `tfxio tensors`: the first records as tensors.
//!
//! Schemas are for TFRecord files; feature specs also for Avro files, where keys are key expressions.

use std::io::{Read as _, Write as _};
use std::sync::Arc;

use tfxio::schema::read;
use tfxio::tensor_repr::{FeatureSpec, NamedTensor, TensorSpec, feature_specs_from_json};
use tfxio::{
    AvroTfxIo, ExampleTfxIo, LogicalFormat, Message, RecordOptions, SequenceExampleTfxIo, TensorReadOptions,
    TensorReader, TfRecordTfxIoBuilder, expand_files_with,
};

use crate::Done;
use crate::args::{TensorFormat, Tensors};
use crate::failure::{Failure, with_mark};
use crate::output::Output;
use crate::{avro, escape, on_error, tensor};

pub(crate) fn run(args: &Tensors) -> Done {
    let options = args.indexes.options();
    if args.schema.is_none() && args.specs.is_none() {
        return Err(ask(args, &options));
    }
    let specs = args.specs.as_ref().map(|name| specs(name)).transpose()?;
    let files = expand_files_with(&args.files, &options)?;
    if avro::are_avro(&files, &options)? {
        return of_avro(args, specs);
    }
    on_error::refuse_reader_schema(&args.reader_schema)?;
    let schema = args.schema.as_ref().map(|name| read(name, &options)).transpose()?;
    let mut message = args.records.message();
    if message.is_none()
        && let Some(schema) = &schema
    {
        message = args.records.message_of(schema);
    }
    if message.is_none() {
        let columns = specs.iter().flat_map(|specs| specs.iter());
        let is_list = columns.into_iter().any(|(name, spec)| {
            spec.representation(name).is_ok_and(|representation| {
                let paths = representation.source_columns();
                paths.iter().any(|path| path.len() > 1 && *path.steps()[0] == *args.records.sequence_column)
            })
        });
        message = is_list.then_some(Message::SequenceExample);
    }
    let files = || args.files.iter().map(String::as_str);
    match message {
        Some(Message::SequenceExample) => {
            let builder = SequenceExampleTfxIo::builder(files()).record_options(options);
            show(builder.sequence_column(args.records.sequence_column.as_str()), args, schema, specs)
        }
        _ => show(ExampleTfxIo::builder(files()).record_options(options), args, schema, specs),
    }
}

/// What is missing when nothing says what the tensors are.
fn ask(args: &Tensors, options: &RecordOptions) -> Failure {
    // A file that cannot be looked at does not matter yet.
    let files = expand_files_with(&args.files, options).map_err(Failure::from);
    let is_avro = files.and_then(|files| avro::are_avro(&files, options)).unwrap_or(false);
    let text = match is_avro {
        true => "these are Avro files; say by --features JSON what their tensors are",
        false => "say what the tensors are, by --schema SCHEMA or by --features JSON",
    };
    Failure::Usage(format!(
        "{text}; docs/tensors.md of the repository explains it; for examples, try '--help'"
    ))
}

/// Tensors of Avro records.
fn of_avro(args: &Tensors, specs: Option<Specs>) -> Done {
    let refused = match (&args.schema, args.records.message) {
        (Some(_), _) => {
            "--schema is for TFRecord files, and these are Avro files; say by --features what their tensors are"
        }
        (None, Some(_)) => "--as says what TFRecord files hold, and these are Avro files; leave it out",
        (None, None) => "",
    };
    let (Some(specs), "") = (specs, refused) else { return Err(Failure::Usage(refused.to_owned())) };
    let mut builder = AvroTfxIo::builder(args.files.iter().map(String::as_str)).feature_specs(specs);
    if let Some(schema) = args.reader_schema.read()? {
        builder = builder.reader_schema(schema);
    }
    let dataset = builder.build().map_err(with_mark)?;
    print(&mut dataset.read_all_tensors(&read_options(args))?, args)
}

/// The most bytes of a file of feature specs. A device or a pipe may have no end.
const MAX_BYTES: u64 = 64 << 20;

type Specs = std::collections::BTreeMap<String, FeatureSpec>;

/// Reads feature specs from a JSON file.
fn specs(name: &str) -> Result<Specs, Failure> {
    let position = tfxio::Position::new().file(name);
    let mut text = String::new();
    let read = std::fs::File::open(name).and_then(|file| file.take(MAX_BYTES + 1).read_to_string(&mut text));
    let read = read.map_err(|error| {
        let (kind, why) = match error.kind() {
            std::io::ErrorKind::NotFound => (tfxio::ErrorKind::Io, "no such file; check the path".to_owned()),
            std::io::ErrorKind::InvalidData => {
                (tfxio::ErrorKind::Malformed, "the file is not UTF-8; save it as UTF-8".to_owned())
            }
            _ => (tfxio::ErrorKind::Io, error.to_string()),
        };
        let message = format!("the feature specs cannot be read: {why}");
        tfxio::Error::new(kind, message).at(position.clone())
    })?;
    if read as u64 > MAX_BYTES {
        let message = "the feature specs have more than 64 MiB; check that this is the file of the specs";
        return Err(tfxio::Error::new(tfxio::ErrorKind::LimitExceeded, message).at(position).into());
    }
    feature_specs_from_json(&text).map_err(|error| Failure::Usage(format!("{name}: {error}")))
}

fn show<F: LogicalFormat>(
    mut builder: TfRecordTfxIoBuilder<F>,
    args: &Tensors,
    schema: Option<tfxio::tensor_repr::Schema>,
    specs: Option<Specs>,
) -> Done {
    if let Some(schema) = schema {
        builder = builder.metadata_schema(schema);
    }
    if let Some(group) = &args.group {
        builder = builder.representation_group(group.as_str());
    }
    if let Some(specs) = specs {
        builder = builder.feature_specs(specs);
    }
    let dataset = builder.build()?;
    print(&mut dataset.read_all_tensors(&read_options(args))?, args)
}

fn read_options(args: &Tensors) -> TensorReadOptions {
    let options = TensorReadOptions::default().with_batch_size(args.rows);
    match &args.tensors {
        Some(names) => options.with_tensors(names.iter().map(String::as_str)),
        None => options,
    }
}

/// The first batch.
fn print(reader: &mut TensorReader, args: &Tensors) -> Done {
    let batch = if args.rows == 0 { None } else { reader.next().transpose()? };
    let mut out = Output::new();
    match args.format {
        TensorFormat::Json => write_json(reader.specs(), batch.as_deref(), &mut out)?,
        TensorFormat::Text => write_text(reader.specs(), batch.as_deref(), &mut out)?,
    }
    Ok(out.finish()?)
}

fn write_json(
    specs: &[(Arc<str>, TensorSpec)],
    batch: Option<&[NamedTensor]>,
    out: &mut Output,
) -> Result<(), Failure> {
    for (at, (name, spec)) in specs.iter().enumerate() {
        let tensor = batch.and_then(|batch| batch.get(at)).map(|(_, tensor)| tensor);
        writeln!(out, "{}", tensor::json(name, spec, tensor))?;
    }
    Ok(())
}

/// A line with the spec, and a line a row.
fn write_text(
    specs: &[(Arc<str>, TensorSpec)],
    batch: Option<&[NamedTensor]>,
    out: &mut Output,
) -> Result<(), Failure> {
    for (at, (name, spec)) in specs.iter().enumerate() {
        writeln!(out, "{}: {spec}", escape::line(name))?;
        let Some((_, tensor)) = batch.and_then(|batch| batch.get(at)) else { continue };
        let width = tensor.rows().saturating_sub(1).to_string().len();
        for (row, text) in tensor::rows(tensor).enumerate() {
            writeln!(out, "  {row:>width$}  {}", escape::line(&text))?;
        }
    }
    Ok(())
}

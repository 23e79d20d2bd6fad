//! Schemas that need the rows of a data set, not only its columns.

use std::io::Write as _;
use std::sync::Arc;

use arrow_array::RecordBatch;
use tfxio::prelude::*;
use tfxio::tensor_repr::SchemaInference;

use crate::args::Schema;
use crate::context::Context;
use crate::failure::{Failure, with_mark};
use crate::output::Output;
use crate::{Done, arrow_type, escape, progress};

/// Opens the files, with columns inferred from as many records as are looked at.
pub(super) fn open(args: &Schema, context: &Context) -> Result<Arc<dyn Dataset>, Failure> {
    let options = context.clone().prefer("infer_records", args.sample.unwrap_or(u64::MAX)).open_options()?;
    let dataset = options.open(&args.files).map_err(|error| with_mark(context.explain(error, None)))?;
    context.tell(&*dataset);
    progress::phase("reading");
    Ok(dataset)
}

/// A schema of TensorFlow Metadata as text.
pub(super) fn metadata(args: &Schema, context: &Context) -> Done {
    let mut inference = SchemaInference::default();
    each(args, context, |batch| Ok(inference.push(batch)?))?;
    let schema = inference.finish()?;
    let mut out = Output::new();
    write!(out, "{}", schema.to_text())?;
    Ok(out.finish()?)
}

/// The columns as a reader has them by default.
pub(super) fn arrow(args: &Schema, context: &Context) -> Done {
    let context = context.clone().prefer("layout", "plain");
    let dataset = open(args, &context)?;
    // Says what is wrong with a column.
    dataset.read(ScanRequest::new()).map_err(|error| context.explain(error, Some(dataset.schema())))?;
    let mut out = Output::new();
    for field in dataset.schema().fields() {
        let line = format!("{}: {}", field.name(), arrow_type::name(field.data_type()));
        writeln!(out, "{}", escape::line(&line))?;
    }
    Ok(out.finish()?)
}

/// Reads the rows, as many as are looked at.
pub(super) fn each(
    args: &Schema,
    context: &Context,
    mut take: impl FnMut(&RecordBatch) -> Result<(), Failure>,
) -> Done {
    let dataset = open(args, context)?;
    let mut request = ScanRequest::new();
    request.limit = args.sample;
    let explained = |error| Failure::from(context.explain(error, Some(dataset.schema())));
    for batch in dataset.read(request).map_err(explained)? {
        take(&batch.map_err(explained)?)?;
    }
    Ok(())
}

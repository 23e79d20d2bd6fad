//! `tfxio tensors`: the first rows as tensors.

use std::io::Write as _;

use tfxio::ErrorKind;
use tfxio::prelude::*;

use crate::Done;
use crate::args::{TensorFormat, Tensors};
use crate::context::Context;
use crate::failure::{Failure, with_mark};
use crate::output::Output;
use crate::{escape, tensor};

/// Options that describe tensors.
const SOURCES: [&str; 3] = ["schema", "features", "representations"];

/// Error for a missing description of tensors.
const UNSAID: &str = "say what the tensors are, by --schema SCHEMA or by --features JSON; docs/tensors.md of the repository \
                      explains it; for examples, try '--help'";

pub(crate) fn run(args: &Tensors, context: &Context) -> Done {
    let mut context = context.clone();
    for (key, value) in
        [("schema", &args.schema), ("features", &args.features), ("representations", &args.representations)]
    {
        if let Some(value) = value {
            context = context.set(key, value.as_str());
        }
    }
    // Records of a format that is stated may say it themselves.
    let is_said = context.options.iter().any(|(key, _)| SOURCES.contains(&key.as_str()));
    if !is_said && context.stated.is_none() {
        return Err(Failure::Usage(UNSAID.to_owned()));
    }
    let explained = |error| with_mark(context.explain(error, None));
    let _progress = context.watch("looking at", &args.files);
    let dataset = context.open_options()?.open(&args.files).map_err(explained)?;
    context.tell(&*dataset);
    let mut tensors = match &args.group {
        Some(group) => dataset.tensors_of_group(group),
        None => match dataset.representations() {
            Err(error) if !is_said && error.kind() == ErrorKind::SchemaRequired => {
                return Err(Failure::Usage(UNSAID.to_owned()));
            }
            all => all.and_then(|all| dataset.tensors(all)),
        },
    }
    .map_err(explained)?;
    if let Some(names) = &args.tensors {
        tensors = tensors.select(names)?;
    }
    let mut batches = Vec::new();
    if args.rows > 0 {
        let request = ScanRequest::new().limit(args.rows as u64).batch_rows(args.rows);
        for batch in tensors.read(request).map_err(explained)? {
            batches.push(batch.map_err(explained)?);
        }
    }
    let mut out = Output::new();
    for (name, spec) in tensors.specs() {
        let all = batches.iter().filter_map(|batch| batch.get(name).ok());
        match args.format {
            TensorFormat::Json if batches.is_empty() => writeln!(out, "{}", tensor::json(name, spec, None))?,
            TensorFormat::Json => {
                for tensor in all {
                    writeln!(out, "{}", tensor::json(name, spec, Some(tensor)))?;
                }
            }
            TensorFormat::Text => {
                writeln!(out, "{}: {spec}", escape::line(name))?;
                let rows = all.clone().map(|tensor| tensor.rows()).sum::<usize>();
                let width = rows.saturating_sub(1).to_string().len();
                for (row, text) in all.flat_map(tensor::rows).enumerate() {
                    writeln!(out, "  {row:>width$}  {}", escape::line(&text))?;
                }
            }
        }
    }
    Ok(out.finish()?)
}

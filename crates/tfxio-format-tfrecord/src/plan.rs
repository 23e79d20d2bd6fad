//! Format and schema of the records of files.

use std::sync::Arc;

use tfxio_core::{Error, ErrorKind, FormatOptions, Formats, RecordFormat, RecordPlan, Result};

use super::data::Data;
use super::inference::{Candidate, Inferred, infer};

/// Returns the registered formats; the formats of this crate if none of them are for records.
pub(super) fn known(options: &FormatOptions) -> Formats {
    if options.formats.records().is_empty() {
        // Ours have names of their own.
        return crate::register(Formats::empty()).unwrap_or_default();
    }
    options.formats.clone()
}

/// Returns the plan of decoding the records, and the options with the inferred ones.
pub(super) fn plan(
    data: &Arc<Data>,
    options: &FormatOptions,
) -> Result<(Arc<dyn RecordPlan>, FormatOptions)> {
    let known = known(options);
    if let Some(name) = options.text("records") {
        let format = known.record_format(name)?;
        let options = of_format(&**format, options)?;
        let planner = format.planner(&options)?;
        let planned = infer(data, &options, Candidate { format, planner }, &[])?;
        return match planned {
            Inferred::Plan(plan) => Ok((plan, options)),
            Inferred::Other(_) => Err(not_known()),
        };
    }
    // Those that were registered last go first.
    let formats = known.records().iter().rev().collect::<Vec<_>>();
    let mut formats = formats.as_slice();
    let mut refused = None;
    while let Some((format, others)) = formats.split_first() {
        let planned = of_format(&***format, &found(&***format, options));
        let planned = planned.and_then(|options| Ok((format.planner(&options)?, options)));
        let (planner, options) = match planned {
            Ok(planned) => planned,
            // Options of another format say that it is that one.
            Err(error) => {
                refused.get_or_insert(error);
                formats = others;
                continue;
            }
        };
        match infer(data, &options, Candidate { format, planner }, others)? {
            Inferred::Plan(plan) => return Ok((plan, options)),
            Inferred::Other(skipped) => formats = others.get(skipped..).unwrap_or_default(),
        }
    }
    Err(refused.unwrap_or_else(not_known))
}

/// Returns the options of an inferred format: records that are not of it are refused.
fn found(format: &dyn RecordFormat, options: &FormatOptions) -> FormatOptions {
    let mut options = options.clone().option("records", format.name());
    let refuses = format.options().iter().any(|option| option.key == "other_messages");
    if refuses && !options.values().contains_key("other_messages") {
        options = options.option("other_messages", "refuse");
    }
    options
}

/// Returns the options, if the format of records has them.
pub(super) fn of_format(format: &dyn RecordFormat, options: &FormatOptions) -> Result<FormatOptions> {
    let mut known = format.options();
    known.extend(super::settings::options());
    options.clone().checked(&format!("of records {}", format.name()), &known)
}

/// Returns the options, if this format or a format of records has them.
pub(super) fn of_any_format(options: &FormatOptions) -> Result<FormatOptions> {
    let mut specs = super::settings::options();
    specs.extend(known(options).records().iter().flat_map(|format| format.options()));
    options.clone().checked("tfrecord", &specs)
}

pub(super) fn not_known() -> Error {
    let what = "what the records hold is not known";
    Error::new(ErrorKind::InvalidArgument, what).help("state the format of the records, or register it")
}

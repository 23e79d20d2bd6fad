//! Checks of sequence lengths: values of absent features, truncation, budgets of tokens, packing.

use std::sync::Arc;

use arrow_buffer::MutableBuffer;
use tensor_repr::Values;
use tfxio_core::{Count, DType};

use super::{Given, Names, constant, invalid, tensor};
use crate::config::{
    Constant, DefaultValue, Keep, LoaderConfig, LoaderType, Operation, Padding, ProcessingStep, Slice,
    SliceAxis, TooLong,
};
use crate::error::Locate as _;
use crate::pipeline::{Packed, Pad, Primary};
use crate::shape::{TensorInfo, is_of_lists, shape_text};
use crate::{Kind, Result};

/// Rows that are open at once: a row that never closes holds its examples as long as the loader runs.
const OPEN_ROWS: std::ops::RangeInclusive<usize> = 1..=65_536;

/// Refuses keys that exclude each other, and numbers that are 0.
pub(super) fn check(config: &LoaderConfig) -> Result<()> {
    let beside = |path: &'static str, what: &str| {
        Err(invalid(path, format!("this stands beside `{what}`"), format!("leave out `{path}` or `{what}`")))
    };
    let nothing = |path: &'static str| Err(invalid(path, "0 tokens hold nothing", "give a number from 1"));
    if let Some(budget) = &config.max_tokens {
        if budget.tokens == 0 {
            return nothing("max_tokens.tokens");
        }
        if budget.max_examples == Some(0) {
            let what = "batches of 0 examples hold nothing";
            return Err(invalid("max_tokens.max_examples", what, "give a number from 1"));
        }
    }
    if let Some(buckets) = &config.bucket_by_length
        && buckets.batch_sizes.is_empty()
        && config.max_tokens.is_none()
    {
        return Err(invalid(
            "bucket_by_length.batch_sizes",
            "there are no batch sizes",
            "give one more than boundaries, or `max_tokens`",
        ));
    }
    let Some(pack) = &config.pack else { return Ok(()) };
    if pack.length == 0 {
        return nothing("pack");
    }
    if !matches!(pack.dtype, DType::Int32 | DType::Int64) {
        let what = format!("numbers of examples and tokens have no dtype \"{}\"", pack.dtype);
        return Err(invalid("pack.dtype", what, "give \"int32\" or \"int64\""));
    }
    let largest = i32::MAX as usize;
    if pack.dtype == DType::Int32 && pack.length > largest {
        let tokens = Count::of(pack.length, "token");
        let what = format!("rows of {tokens} have positions that are too large for int32");
        let hint = format!("give a length up to {largest}, or `pack.dtype` \"int64\"");
        return Err(invalid("pack.length", what, hint));
    }
    if !OPEN_ROWS.contains(&pack.open_rows) {
        let what = format!("{} would be open at once", Count::of(pack.open_rows, "row"));
        let hint = format!("give a number from {} to {}", OPEN_ROWS.start(), OPEN_ROWS.end());
        return Err(invalid("pack.open_rows", what, hint));
    }
    if config.max_tokens.is_some() {
        return beside("max_tokens", "pack");
    }
    if config.bucket_by_length.is_some() {
        return beside("bucket_by_length", "pack");
    }
    if !config.normalization.is_empty() {
        return beside("normalization", "pack");
    }
    if let Padding::List(list) = &config.padding
        && let Some(at) = list.iter().position(|padding| padding.shape.is_some())
    {
        let what = "rows that are packed have the length of `pack`";
        return Err(invalid(
            format!("padding[{at}].shape"),
            what,
            "leave the shape out; a value may be given",
        ));
    }
    Ok(())
}

/// Returns the names that a model may use: of all tensors, and of the two that tell packed examples apart.
pub(super) fn names_of_model(config: &LoaderConfig, names: &Names) -> Result<Names> {
    let mut all = names.clone();
    let Some(pack) = &config.pack else { return Ok(all) };
    for (path, name) in [("pack.segment_ids", &pack.segment_ids), ("pack.positions", &pack.positions)] {
        let number = all.len();
        if all.insert(Arc::clone(name), number).is_some() {
            let what = format!("a second tensor would be named {name:?}");
            return Err(invalid(path, what, "give another name"));
        }
    }
    Ok(all)
}

/// Returns the packing of examples, all of whose tensors are sequences.
pub(super) fn pack(config: &LoaderConfig, examples: &[TensorInfo]) -> Result<Option<Packed>> {
    let Some(pack) = &config.pack else { return Ok(None) };
    if let Some(info) = examples.iter().find(|info| info.shape.is_empty()) {
        let what = format!("the tensor {:?} is a scalar, which has no tokens to pack", info.name);
        return Err(invalid("pack", what, "leave the feature out, or make it a sequence"));
    }
    let names = [&pack.segment_ids, &pack.positions].map(Arc::clone);
    Ok(Some(Packed { length: pack.length, names, dtype: pack.dtype }))
}

/// Returns the tensors whose longest counts: the named ones, or all sequences.
pub(super) fn measured(config: &LoaderConfig, names: &Names, examples: &[TensorInfo]) -> Result<Vec<usize>> {
    if config.pack.is_some() {
        return Ok((0..examples.len()).collect());
    }
    let Some(budget) = &config.max_tokens else { return Ok(Vec::new()) };
    let path = |at: usize| format!("max_tokens.tensors[{at}]");
    let mut measured = Vec::new();
    for (at, name) in budget.tensors.iter().enumerate() {
        let number = tensor(names, name, || path(at))?;
        if examples.get(number).is_some_and(|info| info.shape.is_empty()) {
            let what = format!("the tensor {name:?} is a scalar");
            return Err(invalid(path(at), what, "a length is the first dimension of a tensor"));
        }
        measured.push(number);
    }
    if budget.tensors.is_empty() {
        let is_window = config.loader != LoaderType::Independent;
        let is_sequence = |info: &TensorInfo| match info.shape.first() {
            Some(first) => is_window || first.is_none(),
            None => false,
        };
        let all = examples.iter().enumerate();
        measured.extend(all.filter(|(_, info)| is_sequence(info)).map(|(number, _)| number));
        if measured.is_empty() {
            let what = "no tensor has a length that differs from example to example";
            return Err(invalid("max_tokens", what, "name one in `tensors`, or give `target_batch_size`"));
        }
    }
    let differs = |number: &usize| {
        let info = examples.get(*number);
        info.is_some_and(|info| info.shape.first().copied().flatten().is_none())
    };
    if config.padding == Padding::Off
        && let Some(info) = measured.iter().copied().find(differs).and_then(|number| examples.get(number))
    {
        let what = format!("the tensor {:?} of shape {} is not padded", info.name, shape_text(&info.shape));
        return Err(invalid(
            "max_tokens",
            what,
            "set `padding`, so that examples of different lengths become one batch",
        ));
    }
    Ok(measured)
}

/// The least length of a tensor that counts in a budget: that to which it is padded.
pub(crate) fn least(padding: Option<&Pad>) -> usize {
    padding.and_then(|pad| pad.shape.first().copied().flatten()).unwrap_or(0)
}

/// The steps that shorten what is too long.
pub(super) fn truncations(
    config: &LoaderConfig,
    names: &Names,
    measured: &[usize],
    examples: &[TensorInfo],
) -> Result<Vec<Given>> {
    let cut = |path: String, tensor: &Arc<str>, length: usize, keep: Keep| {
        let end = i64::try_from(length).unwrap_or(i64::MAX);
        let axis = match keep {
            Keep::Head => SliceAxis::Range { start: None, stop: Some(end), step: 1 },
            Keep::Tail => SliceAxis::Range { start: Some(-end), stop: None, step: 1 },
        };
        let operation = Operation::Slice(Slice { axes: vec![axis] });
        Given {
            path,
            step: ProcessingStep { tensor: Arc::clone(tensor), operation },
            truncates: true,
            of_windows: false,
        }
    };
    let mut all = Vec::new();
    for (at, given) in config.truncate.iter().enumerate() {
        let path = || format!("truncate[{at}].tensor");
        let number = tensor(names, &given.tensor, path)?;
        if examples.get(number).is_some_and(|info| info.shape.is_empty()) {
            let what = format!("the tensor {:?} is a scalar", given.tensor);
            return Err(invalid(path(), what, "a length is the first dimension of a tensor"));
        }
        if given.length == 0 {
            let path = format!("truncate[{at}].length");
            return Err(invalid(path, "nothing would be kept", "give a length from 1"));
        }
        all.push(cut(format!("truncate[{at}]"), &given.tensor, given.length, given.keep));
    }
    let budget = config.max_tokens.as_ref().map(|budget| ("max_tokens", budget.tokens, budget.too_long));
    let row = config.pack.as_ref().filter(|pack| !pack.split);
    let row = row.map(|pack| ("pack", pack.length, pack.too_long));
    if let Some((path, length, TooLong::Truncate)) = budget.or(row) {
        let names = measured.iter().filter_map(|number| examples.get(*number)).map(|info| &info.name);
        all.extend(names.map(|name| cut(path.to_owned(), name, length, Keep::Head)));
    }
    Ok(all)
}

/// Sets the values of primary tensors in records that lack their features.
pub(super) fn defaults(config: &LoaderConfig, names: &Names, primary: &mut [Primary]) -> Result<()> {
    for (at, given) in config.defaults.iter().enumerate() {
        let path = |key: &str| format!("defaults[{at}].{key}");
        let number = tensor(names, &given.tensor, || path("tensor"))?;
        let Some(Primary { info, default, .. }) = primary.get_mut(number) else {
            let what = format!("the tensor {:?} is made, and lacks in no record", given.tensor);
            return Err(invalid(path("tensor"), what, "name the tensor of a primary feature"));
        };
        if default.is_some() {
            let what = format!("the tensor {:?} has a default already", given.tensor);
            return Err(invalid(path("tensor"), what, "give one default for each tensor"));
        }
        if is_of_lists(&info.shape) {
            if given.value != DefaultValue::List(Vec::new()) {
                let what = format!(
                    "the tensor {:?} of shape {} has any number of values in each step",
                    given.tensor,
                    shape_text(&info.shape)
                );
                return Err(invalid(path("value"), what, "give [], a sequence without a step"));
            }
            // Each step is an element.
            *default = Some(Values::from_strings([""; 0]));
            continue;
        }
        let inner = info.shape.iter().flatten().product::<usize>();
        let is_sequence = info.shape.first().is_some_and(Option::is_none);
        let wanted = match is_sequence {
            true => format!("a list of any number of steps, {} each", Count::of(inner, "value")),
            false => format!("one value for all cells, or a list of {inner}"),
        };
        let shape = || format!("for the shape {}, give {wanted}", shape_text(&info.shape));
        let values = match &given.value {
            DefaultValue::Cells(value) if !is_sequence => vec![value; inner],
            DefaultValue::List(list) if !is_sequence && list.len() == inner => list.iter().collect(),
            DefaultValue::List(list) if is_sequence && list.len().checked_rem(inner) == Some(0) => {
                list.iter().collect()
            }
            DefaultValue::Cells(_) => {
                return Err(invalid(path("value"), "one value is given for a sequence", shape()));
            }
            DefaultValue::List(list) => {
                let values = Count::of(list.len(), "value");
                let what = format!("{values} {} given", values.verb("is", "are"));
                return Err(invalid(path("value"), what, shape()));
            }
        };
        let values = row(info.dtype, &values)
            .map_err(|error| error.at_json(path("value")).of_tensor(Arc::clone(&info.name)))?;
        *default = Some(values);
    }
    Ok(())
}

/// The values of a row.
fn row(dtype: DType, values: &[&Constant]) -> Result<Values> {
    let cells = values.iter().map(|value| constant::cell(dtype, Some(value))).collect::<Result<Vec<_>>>()?;
    if dtype == DType::String {
        return Ok(Values::from_strings(cells.iter().map(|cell| &cell.bytes[..])));
    }
    let mut buffer = MutableBuffer::new(0);
    cells.iter().for_each(|cell| buffer.extend_from_slice(&cell.bytes));
    Values::try_new(dtype, buffer.into())
        .map_err(|error| crate::Error::new(Kind::InvalidValue, "the default is not a tensor").because(error))
}

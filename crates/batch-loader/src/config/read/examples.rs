//! Keys of examples: the type of the loader and the keys that only this type has.

use super::{COUNT, OLD, OPTIONAL, REQUIRED};
use crate::config::{LoaderType, Stride};
use crate::json::{Keys, Mistakes, Node, Object};
use crate::{Kind, Result};

#[derive(Clone, Copy)]
enum Type {
    Independent,
    Continuous,
    Discrete,
}

const TYPES: [(&str, Type); 3] = [
    ("independent", Type::Independent),
    ("continuous_sequence", Type::Continuous),
    ("discrete_sequence", Type::Discrete),
];

const WINDOWS: [&str; 2] = ["min_window", "max_window"];
const WINDOW_STEPS: [&str; 1] = ["window_steps"];
const STRIDES: [&str; 4] = ["stride", "min_stride", "max_stride", "window_steps"];

/// The keys that only some loaders have, with these.
const ELSEWHERE: [(&str, &str); 6] = [
    ("min_window", "loaders of type \"continuous_sequence\" or \"discrete_sequence\""),
    ("max_window", "loaders of type \"continuous_sequence\" or \"discrete_sequence\""),
    ("window_steps", "loaders of type \"continuous_sequence\" or \"discrete_sequence\""),
    ("stride", "loaders of type \"continuous_sequence\""),
    ("min_stride", "loaders of type \"continuous_sequence\""),
    ("max_stride", "loaders of type \"continuous_sequence\""),
];

/// Returns the type of a configuration, the value of `multi_load`, and the object with the keys of its type.
pub(super) fn loader<'a>(node: &Node<'a>, found: &Mistakes) -> Result<(LoaderType, bool, Object<'a>)> {
    let kind = match node.member("type") {
        Some(node) => node.word("type of loader", &TYPES)?,
        None => {
            // Says that the text is not an object, or that the key is missing.
            let others = REQUIRED.iter().chain(&OPTIONAL).chain(&OLD).chain(&WINDOWS).chain(&STRIDES);
            let others = others.copied().filter(|key| *key != "type").collect::<Vec<_>>();
            let keys = Keys::new("loader configuration", &["type"], &others);
            node.object(keys)?.need("type")?.word("type of loader", &TYPES)?
        }
    };
    let (of, windows, strides): (_, &[_], &[_]) = match kind {
        Type::Independent => ("loader of type \"independent\"", &[], &[]),
        Type::Continuous => ("loader of type \"continuous_sequence\"", &WINDOWS, &STRIDES),
        Type::Discrete => ("loader of type \"discrete_sequence\"", &WINDOWS, &WINDOW_STEPS),
    };
    let required = REQUIRED.iter().chain(windows).copied().collect::<Vec<_>>();
    let optional = OPTIONAL.iter().chain(strides).copied().collect::<Vec<_>>();
    let keys = Keys { elsewhere: &ELSEWHERE, old: &OLD, ..Keys::new(of, &required, &optional) };
    let (object, wrong) = node.object_and_mistake(keys)?;
    found.take(wrong.map_or(Ok(()), Err));
    let multi_load = found.given(object.read("multi_load", Node::bool)).unwrap_or_default();
    let has_windows = windows.iter().all(|key| object.get(key).is_some());
    let loader = match kind {
        // It is said which keys are missing.
        _ if !has_windows => LoaderType::Independent,
        Type::Independent => LoaderType::Independent,
        Type::Continuous => {
            let bounds = bounds(&object, "min_window", "max_window");
            let (min_window, max_window) = found.take(bounds).unwrap_or_default();
            let stride = found.take(stride(&object)).unwrap_or(Stride::Window);
            LoaderType::ContinuousSequence { min_window, max_window, stride }
        }
        Type::Discrete => {
            let bounds = bounds(&object, "min_window", "max_window");
            let (min_window, max_window) = found.take(bounds).unwrap_or_default();
            LoaderType::DiscreteSequence { min_window, max_window }
        }
    };
    if let (Type::Continuous | Type::Discrete, Some(node), true) =
        (kind, object.get("multi_load"), multi_load)
    {
        let allowed = "only loaders of type \"independent\" can load several records at once";
        found.take::<()>(Err(node.invalid_value("is not allowed here", allowed)));
    }
    Ok((loader, multi_load, object))
}

/// Two lengths, the second not less than the first.
fn bounds(object: &Object<'_>, min: &str, max: &str) -> Result<(usize, usize)> {
    let (least, most) = (object.need(min)?, object.need(max)?);
    let (min_length, max_length) = (least.count(COUNT)?, most.count(COUNT)?);
    if min_length > max_length {
        let what = format!("is less than {min}, which is {min_length}");
        return Err(most.invalid_value(&what, format!("give {max} at least as much as {min}")));
    }
    Ok((min_length, max_length))
}

fn stride(object: &Object<'_>) -> Result<Stride> {
    let range = ["min_stride", "max_stride"].map(|key| object.get(key));
    if let Some(stride) = object.get("stride") {
        if let Some(other) = range.iter().flatten().next() {
            let error = other.error(Kind::InvalidValue, "this stands beside \"stride\"");
            return Err(error.help("give either \"stride\" or both \"min_stride\" and \"max_stride\""));
        }
        if stride.is_null() {
            return Ok(Stride::Window);
        }
        let advice = format!("give an integer from 1 to {}, or null for the window's own length", u32::MAX);
        let stride = stride.count(COUNT).map_err(|error| error.help(advice))?;
        return Ok(Stride::Range { min: stride, max: stride });
    }
    if range.iter().flatten().next().is_none() {
        return Ok(Stride::Window);
    }
    for (key, other) in [("min_stride", "max_stride"), ("max_stride", "min_stride")] {
        if object.get(key).is_none() {
            return Err(object.missing(key, &format!("{other:?} needs it")));
        }
    }
    let (min, max) = bounds(object, "min_stride", "max_stride")?;
    Ok(Stride::Range { min, max })
}

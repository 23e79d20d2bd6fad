//! Options of the opener that define tensors, of any format.

use std::collections::BTreeMap;
use std::sync::Arc;

use tensor_repr::{FeatureSpec, Representation, feature_specs_from_json, json, schema_file};
use tfxio_core::option_file;
use tfxio_core::{
    Cancel, DatasetSpec, Error, ErrorKind, FormatOptions, OptionSpec, OptionType, OptionValue, Result, Store,
};

use tfxio_core::shared_options::{FEATURES, FEATURES_OPTION, REPRESENTATIONS, SCHEMA, SCHEMA_OPTION};

use crate::values;

pub(super) const OPTIONS: [OptionSpec; 3] = [
    OptionSpec::new(
        SCHEMA,
        OptionType::File,
        "File of a schema of TensorFlow Metadata, or its text: what tensors there are. Default: none.",
    ),
    FEATURES_OPTION,
    OptionSpec::new(
        REPRESENTATIONS,
        OptionType::File,
        "File with representations as JSON, or the JSON itself: what tensors there are. Default: those of the schema.",
    ),
];

/// Replaces the files of these options by their text, and takes out what the format has no option for.
pub(super) fn take(
    options: &mut FormatOptions,
    store: &dyn Store,
    of_format: &[OptionSpec],
) -> Result<BTreeMap<String, OptionValue>> {
    let cancel = options.request.cancel.clone();
    let is_own = of_format.iter().all(|spec| spec.key != SCHEMA);
    let mut given_schema = None;
    // An option of this name of a foreign format means what that format says.
    if (is_own || of_format.contains(&SCHEMA_OPTION))
        && let Some(OptionValue::Text(value)) = options.take(SCHEMA)
    {
        let text = schema_file::text(value, store, &cancel)?;
        match is_own {
            true => given_schema = Some(text),
            false => *options = std::mem::take(options).option(SCHEMA, text),
        }
    }
    let mut taken = BTreeMap::new();
    for (key, what) in [(FEATURES, "the feature specs"), (REPRESENTATIONS, "the representations")] {
        let Some(OptionValue::Text(value)) = options.take(key) else { continue };
        taken.insert(key.to_owned(), OptionValue::Text(text(value, what, store, &cancel)?));
    }
    // A description has both: the one says which columns there are.
    if taken.len() > 1 && options.schema.is_none() {
        let what = "feature specs and representations are given, and each says what the tensors are";
        return Err(Error::new(ErrorKind::InvalidArgument, what).help("give one"));
    }
    if let Some(OptionValue::Text(text)) = taken.get(FEATURES)
        && of_format.contains(&FEATURES_OPTION)
    {
        *options = std::mem::take(options).option(FEATURES, text.as_str());
        taken.clear();
    }
    taken.extend(given_schema.map(|text| (SCHEMA.to_owned(), OptionValue::Text(text))));
    Ok(taken)
}

/// Returns JSON that was given, or the content of a file of JSON, after checking it.
fn text(value: String, what: &str, store: &dyn Store, cancel: &Cancel) -> Result<String> {
    let is_text = value.trim_start().starts_with('{');
    let name = (!is_text).then(|| value.clone());
    let text = match &name {
        None => value,
        Some(name) => option_file::read_text(store, name, what, cancel)?,
    };
    let read = match what {
        "the representations" => json::representations_from_json(&text).map(drop),
        _ => feature_specs_from_json(&text).map(drop),
    };
    match (read, name) {
        (Ok(()), _) => Ok(text),
        (Err(error), Some(name)) => Err(error.in_file(name)),
        (Err(error), None) => Err(error),
    }
}

/// Returns the representations that a data set declares.
///
/// # Errors
/// `SchemaRequired` if it declares none.
pub(crate) fn representations(spec: &DatasetSpec) -> Result<BTreeMap<String, Representation>> {
    let text = |key: &str| match spec.options.get(key) {
        Some(OptionValue::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    if let Some(text) = text(REPRESENTATIONS) {
        return json::representations_from_json(text);
    }
    if let Some(text) = text(FEATURES) {
        return of_features(&feature_specs_from_json(text)?);
    }
    match text(SCHEMA) {
        Some(schema) => {
            let mut known = schema_file::parse(schema)?.representations(None)?;
            let is_scalar = values::is_scalar(&spec.options);
            known.values_mut().for_each(|representation| of_scalar(representation, &is_scalar));
            Ok(known)
        }
        None => Err(unsaid()),
    }
}

/// Makes the tensor of a feature that was opened as a scalar one of a value a row, where the schema declares one value or any number of
/// them.
fn of_scalar(representation: &mut Representation, is_scalar: &dyn Fn(&str) -> bool) {
    let Some([name]) = representation.value_column().map(|column| column.steps()) else { return };
    let name = Arc::clone(name);
    if !is_scalar(&name) {
        return;
    }
    let dtype = match &mut *representation {
        Representation::Dense(dense) => {
            if dense.shape.iter().all(|size| *size == Some(1)) {
                dense.shape.clear();
                dense.dim_names.clear();
            }
            return;
        }
        Representation::VarLenSparse(sparse) => sparse.dtype,
        Representation::VarLenRagged(ragged) => ragged.dtype,
        Representation::Ragged(ragged) if ragged.partitions.is_empty() => ragged.dtype,
        _ => return,
    };
    let dense = Representation::dense([]).column(&*name);
    *representation = dtype.map_or(dense.clone(), |dtype| dense.of_dtype(dtype));
}

/// Returns the representations of specs, each of the column of its key.
pub(crate) fn of_features(specs: &BTreeMap<String, FeatureSpec>) -> Result<BTreeMap<String, Representation>> {
    specs.iter().map(|(name, spec)| Ok((name.clone(), spec.representation(name)?))).collect()
}

pub(crate) fn unsaid() -> Error {
    let what = "the data set does not say what its tensors are";
    Error::new(ErrorKind::SchemaRequired, what).help(
        "open it with feature specs, representations or a schema of TensorFlow Metadata, or name the tensors",
    )
}

//! Loading any data set, without a manifest.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tfxio_core::{Dataset, ScanRequest};

use crate::config::{LoaderConfig, PrimaryFeature};
use crate::error::Locate as _;
use crate::manifest::{Derived, FeatureColumns, Manifest, derive};
use crate::source::{Explain, Filter, Parts};
use crate::{Error, Kind, Result};
use tfxio_core::suggest::hint;

/// A data set that a program gives.
pub(super) struct Over {
    pub(super) manifest: Manifest,
    pub(super) columns: FeatureColumns,
    pub(super) parts: Parts,
}

/// Returns the manifest and the files of a data set. Inputs and targets that the configuration does not make become
/// features to read.
///
/// # Errors
/// `InvalidValue` for an input or target that is not a column, is one that cannot be loaded, or is named as two are.
pub(super) fn over(
    dataset: &Arc<dyn Dataset>,
    config: &mut LoaderConfig,
    [inputs, targets]: [&mut Vec<Arc<str>>; 2],
    request: ScanRequest,
) -> Result<Over> {
    dataset.check_complete()?;
    let derived = derive(dataset.schema());
    let read = config.primary_features.iter().map(|feature| &feature.to_name);
    let packed = config.pack.iter().flat_map(|pack| [&pack.segment_ids, &pack.positions]);
    let secondary = config.secondary_features.iter().map(|feature| &feature.to_name);
    let mut made = read.chain(secondary).chain(packed).cloned().collect::<HashSet<_>>();
    if inputs.is_empty() && targets.is_empty() {
        let features = derived.manifest.features.iter().map(|feature| &feature.name);
        inputs.extend(features.filter(|name| !made.contains(*name)).cloned());
        if let Some((name, of)) = derived.refused.first() {
            let others = derived.refused.len() - 1;
            tracing::warn!(column = &**name, data_type = %of, others, "left out columns of which no tensor is made");
        }
        let made = config.primary_features.iter().map(|feature| &feature.to_name);
        inputs.extend(made.chain(config.secondary_features.iter().map(|feature| &feature.to_name)).cloned());
    }
    let refused =
        derived.refused.iter().rev().map(|refused| (&refused.0, refused)).collect::<HashMap<_, _>>();
    for (at, feature) in config.primary_features.iter_mut().enumerate() {
        let path = || format!("primary_features[{at}].from_name");
        if let Some(refused) = refused.get(&feature.from_name) {
            return Err(no_tensor(refused).at_json(path()));
        }
        if let Some(names) = derived.shared.get(&feature.from_name) {
            return Err(shared(&feature.from_name, names).at_json(path()));
        }
        // A path is another name of a feature.
        if let Some(name) = derived.known(&feature.from_name) {
            feature.from_name = Arc::clone(name);
        }
    }
    for name in inputs.iter().chain(targets.iter()) {
        if made.insert(Arc::clone(name)) {
            let from_name = Arc::clone(known(&derived, name)?);
            config.primary_features.push(PrimaryFeature { from_name, to_name: Arc::clone(name) });
        }
    }
    let columns = derived.columns_of(config.primary_features.iter().map(|feature| &feature.from_name));
    let filter = config.filter.as_ref().map(|predicate| {
        // A feature list is known by its own name; all other names are those of columns.
        let is_column = |name: &str| dataset.schema().field_with_name(name).is_ok();
        Filter::new(predicate, &|name| derived.column(name).filter(|_| !is_column(name)))
    });
    let parts = Parts::new(Arc::clone(dataset), columns, filter, request, Explain::default())?;
    Ok(Over { manifest: derived.manifest, columns: derived.columns, parts })
}

/// Returns the name in the manifest of a column that can be loaded.
fn known<'a>(derived: &'a Derived, name: &Arc<str>) -> Result<&'a Arc<str>> {
    if let Some(name) = derived.known(name) {
        return Ok(name);
    }
    if let Some(names) = derived.shared.get(name) {
        return Err(shared(name, names).of_tensor(Arc::clone(name)));
    }
    let error = match derived.refused.iter().find(|(refused, _)| refused == name) {
        Some(refused) => no_tensor(refused),
        None => {
            let names = derived.manifest.features.iter().map(|feature| &*feature.name);
            Error::new(Kind::InvalidValue, format!("the data set has no column {name:?}"))
                .help(hint(name, names, "columns"))
        }
    };
    Err(error.of_tensor(Arc::clone(name)))
}

/// Refuses a name that a feature of the context and one of sequences have.
fn shared(name: &str, [context, sequence]: &[Arc<str>; 2]) -> Error {
    let what = format!("two features have the name {name:?}: one of the context, and one of the sequences");
    Error::new(Kind::InvalidValue, what).help(format!(
        "give the full path: {sequence:?} is that of the sequences, {context:?} that of the context"
    ))
}

/// Refuses a column for its type.
fn no_tensor((name, data_type): &(Arc<str>, String)) -> Error {
    let what = format!("the column {name:?} has the Arrow type {data_type}, of which no tensor is made");
    Error::new(Kind::InvalidValue, what).help(
        "load columns of numbers, booleans, strings or binary values, of lists of these, or of lists of lists of any length; \
         further lists are of a fixed size",
    )
}

//! Loading any data set, without a manifest.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tfxio_core::{Dataset, ScanRequest};

use crate::config::{LoaderConfig, PrimaryFeature};
use crate::error::Locate as _;
use crate::manifest::{Derived, Manifest, derive};
use crate::source::{Explain, Filter, Parts};
use crate::{Error, Kind, Result};
use tfxio_core::suggest::hint;

/// Returns the manifest and the files of a data set. Inputs and targets that the configuration does not make become
/// features to read.
///
/// # Errors
/// `InvalidValue` for an input or target that is not a column, or is one that cannot be loaded.
pub(super) fn over(
    dataset: &Arc<dyn Dataset>,
    config: &mut LoaderConfig,
    [inputs, targets]: [&mut Vec<Arc<str>>; 2],
    request: ScanRequest,
) -> Result<(Manifest, Parts)> {
    dataset.check_complete()?;
    let derived = derive(dataset.schema());
    let read = config.primary_features.iter().map(|feature| &feature.to_name);
    let packed = config.pack.iter().flat_map(|pack| [&pack.segment_ids, &pack.positions]);
    let secondary = config.secondary_features.iter().map(|feature| &feature.to_name);
    let mut made = read.chain(secondary).chain(packed).cloned().collect::<HashSet<_>>();
    if inputs.is_empty() && targets.is_empty() {
        let features = derived.manifest.features.iter().map(|feature| &feature.name);
        inputs.extend(features.filter(|name| !made.contains(*name)).cloned());
        let made = config.primary_features.iter().map(|feature| &feature.to_name);
        inputs.extend(made.chain(config.secondary_features.iter().map(|feature| &feature.to_name)).cloned());
    }
    let refused =
        derived.refused.iter().rev().map(|refused| (&refused.0, refused)).collect::<HashMap<_, _>>();
    for (at, feature) in config.primary_features.iter().enumerate() {
        if let Some(refused) = refused.get(&feature.from_name) {
            return Err(no_tensor(refused).at_json(format!("primary_features[{at}].from_name")));
        }
    }
    for name in inputs.iter().chain(targets.iter()) {
        if made.insert(Arc::clone(name)) {
            let feature = PrimaryFeature { from_name: Arc::clone(name), to_name: Arc::clone(name) };
            known(&derived, name)?;
            config.primary_features.push(feature);
        }
    }
    let columns = derived.columns(config.primary_features.iter().map(|feature| &feature.from_name));
    let filter = config.filter.as_ref().map(|predicate| {
        // A feature list is known by its own name; all other names are those of columns.
        let is_column = |name: &str| dataset.schema().field_with_name(name).is_ok();
        Filter::new(predicate, &|name| derived.column(name).filter(|_| !is_column(name)))
    });
    let parts = Parts::new(Arc::clone(dataset), columns, filter, request, Explain::default())?;
    Ok((derived.manifest, parts))
}

/// Refuses a name that is not a column that can be loaded.
fn known(derived: &Derived, name: &Arc<str>) -> Result<()> {
    if derived.has(name) {
        return Ok(());
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

/// Refuses a column for its type.
fn no_tensor((name, data_type): &(Arc<str>, String)) -> Error {
    let what = format!("the column {name:?} has the Arrow type {data_type}, of which no tensor is made");
    Error::new(Kind::InvalidValue, what).help(
        "load columns of numbers, booleans, strings or binary values, or of one list of these; lists in that list are of a \
         fixed size (of tf.SequenceExamples with a schema and the option `fixed_size_lists`)",
    )
}

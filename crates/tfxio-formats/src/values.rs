//! Columns as people expect them: a feature that always has one value is a scalar, and bytes that are UTF-8 are text.

mod choose;
mod dataset;
pub(crate) mod names;
mod options;
mod sample;
mod shapes;
mod steps;

#[cfg(feature = "tensors")]
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

#[cfg(feature = "tensors")]
use tfxio_core::OptionValue;
use tfxio_core::{ColumnPath, Dataset, Result};
use tfxio_scan::cast::text_leaves;

use self::dataset::Valued;
pub use self::options::{FoundValues, ValueColumns, ValueOptions};
pub(crate) use self::options::{OPTIONS, SCALARS, TEXT};
use self::shapes::Shapes;

/// Columns of an `Arc<dyn Dataset>` as scalars and text.
pub trait ValuesExt {
    /// Returns the same data set with columns as scalars and text, according to the options. Where records are sampled to find these
    /// columns, the result is a claim: a record that contradicts it is an error where it is read.
    ///
    /// # Errors
    /// When the records cannot be read that are looked at, or a column that is named does not exist, or does not have lists of values,
    /// or bytes.
    fn values(&self, options: &ValueOptions) -> Result<Arc<dyn Dataset>>;

    /// Returns which columns [`values`](Self::values) would make scalars and text.
    ///
    /// ```
    /// use tfxio_formats::{ValueOptions, ValuesExt, open};
    /// # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
    ///
    /// let options = ValueOptions::new().scalars(true).text(true).infer_records(100);
    /// let found = open(digits)?.find_values(&options)?;
    /// assert_eq!((found.scalars, found.text), (vec!["id".to_owned(), "label".to_owned()], vec!["id".to_owned()]));
    /// # Ok::<(), tfxio_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`values`](Self::values).
    fn find_values(&self, options: &ValueOptions) -> Result<FoundValues>;
}

impl ValuesExt for Arc<dyn Dataset> {
    fn values(&self, options: &ValueOptions) -> Result<Arc<dyn Dataset>> {
        valued(self, options)
    }

    fn find_values(&self, options: &ValueOptions) -> Result<FoundValues> {
        find(self, options)
    }
}

/// Returns a data set with columns as scalars and text according to the options; the same one if they ask for neither.
pub(crate) fn valued(dataset: &Arc<dyn Dataset>, options: &ValueOptions) -> Result<Arc<dyn Dataset>> {
    if options.is_nothing() {
        return Ok(Arc::clone(dataset));
    }
    let chosen = choose::choose(dataset, options)?;
    let shapes = Shapes::new(dataset.schema(), chosen);
    Ok(Arc::new(Valued::new(Arc::clone(dataset), shapes)))
}

/// Returns the names of the columns that would be scalars and text.
fn find(dataset: &Arc<dyn Dataset>, options: &ValueOptions) -> Result<FoundValues> {
    let chosen = choose::choose(dataset, options)?;
    let mut found = FoundValues::default();
    let mut paths = Vec::new();
    for field in dataset.schema().fields() {
        let column = ColumnPath::from(field.name().as_str());
        if chosen.scalars.contains(field.name()) {
            found.scalars.push(names::name(&column));
        }
        let steps =
            chosen.steps.iter().filter(|path| path.initial_step().is_ok_and(|name| name == field.name()));
        found.scalars.extend(steps.map(names::name));
        text_leaves(field, &column, &mut paths);
    }
    found.text = paths.iter().filter(|path| chosen.texts.contains(*path)).map(names::name).collect();
    Ok(found)
}

/// Returns a test of whether a description has a column as scalars.
#[cfg(feature = "tensors")]
pub(crate) fn is_scalar(options: &BTreeMap<String, OptionValue>) -> impl Fn(&str) -> bool + use<> {
    let named = match options.get(SCALARS) {
        Some(OptionValue::List(names)) => names.iter().cloned().collect::<HashSet<_>>(),
        _ => HashSet::new(),
    };
    move |column| named.contains(&names::name(&ColumnPath::from(column)))
}

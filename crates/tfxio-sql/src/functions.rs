//! Functions over features.

mod bounded;
mod bucket;
mod element_at;
mod feature_len;
mod image_size;

use datafusion::execution::FunctionRegistry as _;
use datafusion::logical_expr::ScalarUDF;
use datafusion::prelude::SessionContext;

/// Returns the functions over features, which [`register_functions`](crate::SessionContextExt::register_functions)
/// registers: for sessions that are reached in another way, such as a session of the package datafusion for Python.
///
/// ```
/// let names: Vec<String> = tfxio_sql::functions().iter().map(|function| function.name().to_owned()).collect();
/// assert_eq!(names, ["feature_len", "element_at", "image_size", "bucket"]);
/// ```
#[must_use]
pub fn functions() -> Vec<ScalarUDF> {
    all().into()
}

/// Returns the functions.
fn all() -> [ScalarUDF; 4] {
    [
        ScalarUDF::new_from_impl(feature_len::FeatureLen::default()),
        ScalarUDF::new_from_impl(element_at::ElementAt::default()),
        ScalarUDF::new_from_impl(image_size::ImageSize::default()),
        ScalarUDF::new_from_impl(bucket::Bucket::default()),
    ]
}

/// Registers the functions.
pub(crate) fn register(context: &SessionContext) {
    all().into_iter().for_each(|function| context.register_udf(function));
}

/// Bounds, in bytes, the results of functions whose length is an argument.
pub(crate) fn bound(context: &SessionContext, bytes: u64) {
    for name in bounded::NAMES {
        if let Ok(function) = context.udf(name) {
            context.register_udf(bounded::bounded(&function, bytes));
        }
    }
}

/// Appends what tells a function from one of DataFusion that has the same name, as `element_at` has; nothing of other functions.
#[cfg(feature = "codec")]
pub(crate) fn mark(function: &ScalarUDF, out: &mut Vec<u8>) {
    if all().contains(function) {
        out.extend_from_slice(b"tfxio");
    }
}

/// Returns a function by its name.
#[cfg(feature = "codec")]
pub(crate) fn find(name: &str) -> datafusion::error::Result<std::sync::Arc<ScalarUDF>> {
    match all().into_iter().find(|function| function.name() == name) {
        Some(function) => Ok(std::sync::Arc::new(function)),
        None => datafusion::common::plan_err!(
            "there is no function {name} here; register it with the session of the worker"
        ),
    }
}

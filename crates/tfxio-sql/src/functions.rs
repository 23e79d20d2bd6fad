//! Functions over features, beside those of DataFusion.

mod bucket;
mod element_at;
mod feature_len;
mod image_size;

use datafusion::logical_expr::ScalarUDF;
use datafusion::prelude::SessionContext;

/// Registers the functions.
pub(crate) fn register(context: &SessionContext) {
    context.register_udf(ScalarUDF::new_from_impl(feature_len::FeatureLen::default()));
    context.register_udf(ScalarUDF::new_from_impl(element_at::ElementAt::default()));
    context.register_udf(ScalarUDF::new_from_impl(image_size::ImageSize::default()));
    context.register_udf(ScalarUDF::new_from_impl(bucket::Bucket::default()));
}

//! `feature_len(x)`: the number of values of a feature.

use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, Int64Array};
use arrow_schema::DataType;
use datafusion::arrow::compute;
use datafusion::error::Result;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility};

/// The number of values of each row: that of a list, 1 of a value, null where the feature is absent.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct FeatureLen(Signature);

impl Default for FeatureLen {
    fn default() -> Self {
        Self(Signature::any(1, Volatility::Immutable))
    }
}

impl ScalarUDFImpl for FeatureLen {
    fn name(&self) -> &str {
        "feature_len"
    }

    fn signature(&self) -> &Signature {
        &self.0
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let Some(array) = arrays.first() else {
            return datafusion::common::internal_err!("feature_len takes one value");
        };
        let lengths: ArrayRef = match array.data_type() {
            DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => {
                compute::cast(&compute::kernels::length::length(array)?, &DataType::Int64)?
            }
            _ => {
                let nulls = array.logical_nulls();
                let is_valid = |row| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
                Arc::new((0..array.len()).map(|row| is_valid(row).then_some(1)).collect::<Int64Array>())
            }
        };
        Ok(ColumnarValue::Array(lengths))
    }
}

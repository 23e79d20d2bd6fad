//! `bucket(x, n)`: a bucket that a value always falls into.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{Array as _, Int64Array};
use arrow_schema::DataType;
use datafusion::arrow::compute;
use datafusion::common::{exec_err, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility};
use tfxio_base::fingerprint;

/// The fingerprint of bytes or text modulo `n`, as TensorFlow's `to_hash_bucket_fast` has it; of an integer that of its decimal
/// digits.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Bucket(Signature);

impl Default for Bucket {
    fn default() -> Self {
        Self(Signature::any(2, Volatility::Immutable))
    }
}

impl ScalarUDFImpl for Bucket {
    fn name(&self) -> &str {
        "bucket"
    }

    fn signature(&self) -> &Signature {
        &self.0
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        let is_hashed = |value: &DataType| {
            value.is_integer() || value.is_null() || value.is_string() || value.is_binary()
        };
        match types {
            [value, count] if is_hashed(value) && (count.is_integer() || count.is_null()) => {
                Ok(DataType::Int64)
            }
            [value, _] if !is_hashed(value) => {
                plan_err!("bucket takes text, bytes or an integer, and not {value}")
            }
            _ => plan_err!("bucket takes a value and the number of buckets"),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let [values, counts] = arrays.as_slice() else {
            return plan_err!("bucket takes a value and the number of buckets");
        };
        let digits = if values.data_type().is_integer() {
            compute::cast(values, &DataType::LargeUtf8)?
        } else {
            Arc::clone(values)
        };
        let bytes = compute::cast(&digits, &DataType::LargeBinary)?;
        let counts = compute::cast(counts, &DataType::Int64)?;
        let mut buckets = Vec::with_capacity(bytes.len());
        for (value, count) in bytes.as_binary::<i64>().iter().zip(counts.as_primitive::<Int64Type>()) {
            let (Some(value), Some(count)) = (value, count) else {
                buckets.push(None);
                continue;
            };
            match u64::try_from(count).ok().and_then(|count| fingerprint(value).checked_rem(count)) {
                Some(bucket) => buckets.push(i64::try_from(bucket).ok()),
                None => return exec_err!("bucket takes a positive number of buckets, and not {count}"),
            }
        }
        Ok(ColumnarValue::Array(Arc::new(Int64Array::from(buckets))))
    }
}

//! `element_at(x, n)`: a value of a feature by its number.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{Array as _, ArrayRef, BooleanArray};
use arrow_schema::{DataType, Field};
use datafusion::arrow::compute;
use datafusion::common::plan_err;
use datafusion::error::Result;
use datafusion::functions_nested::extract::array_element_udf;
use datafusion::functions_nested::map_extract::map_extract_udf;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility};

/// A value by its number, from 1, or from the end for negative ones; null where there are not as many. A value counts as a list
/// of one. Of maps, what DataFusion has under this name: the values of a key.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct ElementAt(Signature);

impl Default for ElementAt {
    fn default() -> Self {
        Self(Signature::any(2, Volatility::Immutable))
    }
}

impl ScalarUDFImpl for ElementAt {
    fn name(&self) -> &str {
        "element_at"
    }

    fn signature(&self) -> &Signature {
        &self.0
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [DataType::Map(..), _] => map_extract_udf().return_type(types),
            [_, number] if !number.is_integer() && !number.is_null() => {
                plan_err!(
                    "the second argument of element_at is the number of a value, from 1, and not {number}"
                )
            }
            [DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _), _] => {
                Ok(item.data_type().clone())
            }
            [value, _] => Ok(value.clone()),
            _ => plan_err!("element_at takes a feature and the number of a value"),
        }
    }

    fn invoke_with_args(&self, mut args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let [values, number] = arrays.as_slice() else {
            return plan_err!("element_at takes a feature and the number of a value");
        };
        if matches!(values.data_type(), DataType::Map(..)) {
            return map_extract_udf().invoke_with_args(args);
        }
        let number = compute::cast(number, &DataType::Int64)?;
        let lists = match values.data_type() {
            DataType::List(_) | DataType::LargeList(_) => Arc::clone(values),
            DataType::FixedSizeList(item, _) => compute::cast(values, &DataType::List(Arc::clone(item)))?,
            _ => return only(values, &number).map(ColumnarValue::Array),
        };
        let field = |array: &ArrayRef| Arc::new(Field::new("", array.data_type().clone(), true));
        args.arg_fields = vec![field(&lists), field(&number)];
        args.args = vec![ColumnarValue::Array(lists), ColumnarValue::Array(number)];
        array_element_udf().invoke_with_args(args)
    }
}

/// Returns a value where its number is that of the first, or of the last.
fn only(values: &ArrayRef, number: &ArrayRef) -> Result<ArrayRef> {
    let others = number.as_primitive::<Int64Type>().iter().map(|number| !matches!(number, Some(1 | -1)));
    Ok(compute::nullif(values, &others.map(Some).collect::<BooleanArray>())?)
}

//! Kind `array_util`: functions over arrays.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, Int64Array};
use golden_cases::{Case, Failure, check};
use serde_json::Value;
use tensor_repr::Error;
use tensor_repr::array::{
    EmptyParents, byte_size, coo_from_lists, count_invalid_utf8, element_lengths, fill_null_lists,
    flatten_nested, flatten_nested_with_parents, index_in, innermost_type, is_list_type, list_lengths,
    lists_from_parent_indices, null_bytes, parent_indices, singleton_lists, total_string_bytes,
};

use super::values::{Arguments, Tagged};

pub(super) fn run(case: &Case, expected: &Value) -> Result<(), String> {
    let function = case.inputs["function"].as_str().expect("a function");
    let ours = call(function, &Arguments::of(&case.inputs)).map_err(Failure::on_call);
    check(ours, expected, |ours, ok| ours.same(&Tagged::parse(ok)))
}

fn call(function: &str, args: &Arguments) -> Result<Tagged, Error> {
    let array = || args.at(0).array();
    Ok(match function {
        "ListLengthsFromListArray" => of(list_lengths(array())?),
        "GetElementLengths" => of(element_lengths(array())?),
        "GetFlattenedArrayParentIndices" => Tagged::Array(parent_indices(array())?),
        "MakeListArrayFromParentIndicesAndValues" => {
            let empty = if args.flag(3, "empty_list_as_null", true) {
                EmptyParents::Null
            } else {
                EmptyParents::Empty
            };
            let parents = args.at(1).array().as_primitive::<Int64Type>();
            of(lists_from_parent_indices(args.at(0).count(), parents, args.at(2).array(), empty)?)
        }
        "CooFromListArray" => {
            let coo = coo_from_lists(array())?;
            let (indices, shape) = (Int64Array::from(coo.indices), Int64Array::from(coo.dense_shape));
            Tagged::List(vec![of(indices), of(shape)])
        }
        "FillNullLists" => Tagged::Array(fill_null_lists(array(), args.at(1).array())?),
        "GetArrayNullBitmapAsByteArray" => of(null_bytes(array())),
        "GetByteSize" => count(byte_size(array())?),
        "GetBinaryArrayTotalByteSize" => count(total_string_bytes(array())?),
        "IndexIn" => of(index_in(array(), args.at(1).array())?),
        "ToSingletonListArray" => of(singleton_lists(array())?),
        "CountInvalidUTF8" => count(count_invalid_utf8(array())?),
        "is_list_like" => Tagged::Bool(is_list_type(args.at(0).data_type())),
        "get_innermost_nested_type" => Tagged::Type(innermost_type(args.at(0).data_type()).clone()),
        "flatten_nested" if args.flag(1, "return_parent_indices", false) => {
            let (values, parents) = flatten_nested_with_parents(array())?;
            Tagged::List(vec![Tagged::Array(values), Tagged::Indices(parents.values().to_vec())])
        }
        "flatten_nested" => Tagged::List(vec![Tagged::Array(flatten_nested(array())?), Tagged::None]),
        other => panic!("the harness does not know the function {other}"),
    })
}

fn of(array: impl Array + 'static) -> Tagged {
    Tagged::Array(Arc::new(array))
}

fn count(count: usize) -> Tagged {
    Tagged::Int(i64::try_from(count).unwrap())
}

//! Normalisation, padding and buckets.

use batch_loader::ErrorKind::{InvalidType, InvalidValue, MissingArgument, UnexpectedArgument};

use super::check;

#[test]
fn batching() {
    check(
        &[("normalization", "null")],
        InvalidType,
        "line 10, column 18, `normalization`: null is given; give a list of objects with tensor and axis",
    );
    check(
        &[("normalization", "[0]")],
        InvalidType,
        "line 10, column 19, `normalization[0]`: 0 is given; give an object: {…}",
    );
    check(
        &[("normalization", r#"[{"axis": 0}]"#)],
        MissingArgument,
        r#"line 10, column 19, `normalization[0].tensor`: the key "tensor" is missing; a normalization needs it"#,
    );
    check(
        &[("normalization", r#"[{"tensor": "x"}]"#)],
        MissingArgument,
        r#"line 10, column 19, `normalization[0].axis`: the key "axis" is missing; a normalization needs it"#,
    );
    check(
        &[("normalization", r#"[{"tensor": null, "axis": 0}]"#)],
        InvalidType,
        "line 10, column 30, `normalization[0].tensor`: null is given; give a string",
    );
    check(
        &[("normalization", r#"[{"tensor": "x", "axis": [0]}]"#)],
        InvalidType,
        "line 10, column 43, `normalization[0].axis`: a list is given; give an integer: a dimension of the tensor without the batch, negative from the end",
    );
    check(
        &[("normalization", r#"[{"tensor": "x", "axis": 0.5}]"#)],
        InvalidType,
        "line 10, column 43, `normalization[0].axis`: 0.5 is given; give an integer: a dimension of the tensor without the batch, negative from the end",
    );
    check(
        &[("normalization", r#"[{"tensor": "x", "axis": 9223372036854775808}]"#)],
        InvalidValue,
        "line 10, column 43, `normalization[0].axis`: 9223372036854775808 is out of range; give an integer: a dimension of the tensor without the batch, negative from the end",
    );
    check(
        &[("normalization", r#"[{"tensor": "x", "axis": 0, "eps": 1}]"#)],
        UnexpectedArgument,
        r#"line 10, column 46, `normalization[0].eps`: "eps" is no key of a normalization; the keys are "tensor", "axis""#,
    );
    check(
        &[("padding", "null")],
        InvalidType,
        "line 10, column 12, `padding`: null is given; give true, false, or a list of objects with tensor, shape and value",
    );
    check(
        &[("padding", r#""all""#)],
        InvalidType,
        r#"line 10, column 12, `padding`: "all" is given; give true, false, or a list of objects with tensor, shape and value"#,
    );
    check(
        &[("padding", r#"["x"]"#)],
        InvalidType,
        r#"line 10, column 13, `padding[0]`: "x" is given; give an object: {…}"#,
    );
    check(
        &[("padding", r#"[{"shape": [2]}]"#)],
        MissingArgument,
        r#"line 10, column 13, `padding[0].tensor`: the key "tensor" is missing; a padding needs it"#,
    );
    check(
        &[("padding", r#"[{"tensor": 1}]"#)],
        InvalidType,
        "line 10, column 24, `padding[0].tensor`: 1 is given; give a string",
    );
    check(
        &[("padding", r#"[{"tensor": "x", "shape": "[1]"}]"#)],
        InvalidType,
        r#"line 10, column 38, `padding[0].shape`: "[1]" is given; give a list of integers, -1 for the largest of the batch"#,
    );
    check(
        &[("padding", r#"[{"tensor": "x", "shape": [-2]}]"#)],
        InvalidValue,
        "line 10, column 39, `padding[0].shape[0]`: -2 is out of range; give an integer from 0 to 4294967295, or -1 for the largest of the batch",
    );
    check(
        &[("padding", r#"[{"tensor": "x", "shape": [null]}]"#)],
        InvalidType,
        "line 10, column 39, `padding[0].shape[0]`: null is given; give an integer from 0 to 4294967295, or -1 for the largest of the batch",
    );
    check(
        &[("padding", r#"[{"tensor": "x", "value": []}]"#)],
        InvalidType,
        "line 10, column 38, `padding[0].value`: [] is given; give one value: a number, a string, true or false",
    );
    check(
        &[("padding", r#"[{"tensor": "x", "dim": 1}]"#)],
        UnexpectedArgument,
        r#"line 10, column 29, `padding[0].dim`: "dim" is no key of a padding; the keys are "tensor", "shape", "value""#,
    );
    check(
        &[("bucket_by_length", "[]")],
        InvalidType,
        "line 10, column 21, `bucket_by_length`: [] is given; give an object: {…}",
    );
    check(
        &[("bucket_by_length", r#"{"boundaries": [5], "batch_sizes": [2, 1]}"#)],
        MissingArgument,
        r#"line 10, column 21, `bucket_by_length.tensor`: the key "tensor" is missing; a bucket_by_length needs it"#,
    );
    check(
        &[("bucket_by_length", r#"{"tensor": "x", "batch_sizes": [2, 1]}"#)],
        MissingArgument,
        r#"line 10, column 21, `bucket_by_length.boundaries`: the key "boundaries" is missing; a bucket_by_length needs it"#,
    );
    check(
        &[("bucket_by_length", r#"{"tensor": "x", "boundaries": [5]}"#)],
        MissingArgument,
        r#"line 10, column 21, `bucket_by_length.batch_sizes`: the key "batch_sizes" is missing; a bucket_by_length needs it"#,
    );
    check(
        &[("bucket_by_length", r#"{"tensor": 1, "boundaries": [5], "batch_sizes": [2, 1]}"#)],
        InvalidType,
        "line 10, column 32, `bucket_by_length.tensor`: 1 is given; give a string",
    );
    check(
        &[("bucket_by_length", r#"{"tensor": "x", "boundaries": 5, "batch_sizes": [2, 1]}"#)],
        InvalidType,
        "line 10, column 51, `bucket_by_length.boundaries`: 5 is given; give a list of integers",
    );
    check(
        &[("bucket_by_length", r#"{"tensor": "x", "boundaries": [], "batch_sizes": [2]}"#)],
        InvalidValue,
        "line 10, column 51, `bucket_by_length.boundaries`: [] makes one bucket; give at least one boundary",
    );
    check(
        &[("bucket_by_length", r#"{"tensor": "x", "boundaries": [0], "batch_sizes": [2, 1]}"#)],
        InvalidValue,
        "line 10, column 52, `bucket_by_length.boundaries[0]`: 0 is out of range; give an integer from 1 to 4294967295",
    );
    check(
        &[("bucket_by_length", r#"{"tensor": "x", "boundaries": [5, 5], "batch_sizes": [2, 1, 1]}"#)],
        InvalidValue,
        "line 10, column 55, `bucket_by_length.boundaries[1]`: 5 follows 5; give boundaries in strictly ascending order",
    );
    check(
        &[("bucket_by_length", r#"{"tensor": "x", "boundaries": [5], "batch_sizes": 2}"#)],
        InvalidType,
        "line 10, column 71, `bucket_by_length.batch_sizes`: 2 is given; give a list of integers",
    );
    check(
        &[("bucket_by_length", r#"{"tensor": "x", "boundaries": [5], "batch_sizes": [2]}"#)],
        InvalidValue,
        "line 10, column 71, `bucket_by_length.batch_sizes`: the number of batch sizes is 1; give 2: one more than there are boundaries",
    );
    check(
        &[("bucket_by_length", r#"{"tensor": "x", "boundaries": [5], "batch_sizes": [2, 0]}"#)],
        InvalidValue,
        "line 10, column 75, `bucket_by_length.batch_sizes[1]`: 0 is out of range; give an integer from 1 to 4294967295",
    );
    check(
        &[("bucket_by_length", r#"{"tensor": "x", "boundaries": [5], "batch_sizes": [2, 1], "pad": true}"#)],
        UnexpectedArgument,
        r#"line 10, column 79, `bucket_by_length.pad`: "pad" is no key of a bucket_by_length; the keys are "tensor", "boundaries", "batch_sizes""#,
    );
}

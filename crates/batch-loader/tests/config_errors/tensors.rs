//! Features, constants and processing steps.

use batch_loader::ErrorKind::{InvalidType, InvalidValue, MissingArgument, UnexpectedArgument};

use super::check;

#[test]
fn primary_features() {
    check(
        &[("primary_features", "null")],
        InvalidType,
        "line 9, column 21, `primary_features`: null is given; give a list of objects with from_name and to_name",
    );
    check(
        &[("primary_features", "{}")],
        InvalidType,
        "line 9, column 21, `primary_features`: an object is given; give a list of objects with from_name and to_name",
    );
    check(
        &[("primary_features", "[]")],
        InvalidValue,
        "line 9, column 21, `primary_features`: [] reads nothing; give at least one feature",
    );
    check(
        &[("primary_features", "[1]")],
        InvalidType,
        "line 9, column 22, `primary_features[0]`: 1 is given; give an object: {…}",
    );
    check(
        &[("primary_features", r#"[{"to_name": "x"}]"#)],
        MissingArgument,
        r#"line 9, column 22, `primary_features[0].from_name`: the key "from_name" is missing; a primary feature needs it"#,
    );
    check(
        &[("primary_features", r#"[{"from_name": "x"}]"#)],
        MissingArgument,
        r#"line 9, column 22, `primary_features[0].to_name`: the key "to_name" is missing; a primary feature needs it"#,
    );
    check(
        &[("primary_features", r#"[{"from_name": 1, "to_name": "x"}]"#)],
        InvalidType,
        "line 9, column 36, `primary_features[0].from_name`: 1 is given; give a string",
    );
    check(
        &[("primary_features", r#"[{"from_name": "x", "to_name": ["x"]}]"#)],
        InvalidType,
        "line 9, column 52, `primary_features[0].to_name`: a list is given; give a string",
    );
    check(
        &[("primary_features", r#"[{"from_name": "x", "to_name": ""}]"#)],
        InvalidValue,
        r#"line 9, column 52, `primary_features[0].to_name`: "" is empty; give at least one character"#,
    );
    check(
        &[("primary_features", r#"[{"from_name": "x", "to_name": "x", "dtype": "int32"}]"#)],
        UnexpectedArgument,
        r#"line 9, column 57, `primary_features[0].dtype`: "dtype" is no key of a primary feature; the keys are "from_name", "to_name""#,
    );
    check(
        &[("primary_features", r#"[{"from_name": "x", "toname": "x"}]"#)],
        MissingArgument,
        r#"line 9, column 41, `primary_features[0].to_name`: the key "to_name" is missing; a primary feature needs it; is "toname" meant to be it?"#,
    );
}

#[test]
fn secondary_features() {
    check(
        &[("secondary_features", "null")],
        InvalidType,
        "line 10, column 23, `secondary_features`: null is given; give a list of objects with to_name, type and args",
    );
    check(
        &[("secondary_features", r#"["o"]"#)],
        InvalidType,
        r#"line 10, column 24, `secondary_features[0]`: "o" is given; give an object: {…}"#,
    );
    check(
        &[("secondary_features", r#"[{"type": "const"}]"#)],
        MissingArgument,
        r#"line 10, column 24, `secondary_features[0].to_name`: the key "to_name" is missing; a secondary feature needs it"#,
    );
    check(
        &[("secondary_features", r#"[{"to_name": "o"}]"#)],
        MissingArgument,
        r#"line 10, column 24, `secondary_features[0].type`: the key "type" is missing; a secondary feature needs it"#,
    );
    check(
        &[("secondary_features", r#"[{"to_name": "", "type": "const"}]"#)],
        InvalidValue,
        r#"line 10, column 36, `secondary_features[0].to_name`: "" is empty; give at least one character"#,
    );
    check(
        &[("secondary_features", r#"[{"to_name": 1, "type": "const"}]"#)],
        InvalidType,
        "line 10, column 36, `secondary_features[0].to_name`: 1 is given; give a string",
    );
    check(
        &[("secondary_features", r#"[{"to_name": "o", "type": "zeros"}]"#)],
        InvalidValue,
        r#"line 10, column 49, `secondary_features[0].type`: "zeros" is no type of secondary feature; one of "const", "ones""#,
    );
    check(
        &[("secondary_features", r#"[{"to_name": "o", "type": 0}]"#)],
        InvalidType,
        r#"line 10, column 49, `secondary_features[0].type`: 0 is given; give one of "const", "ones""#,
    );
    check(
        &[("secondary_features", r#"[{"to_name": "o", "type": "const", "arg": {}}]"#)],
        UnexpectedArgument,
        r#"line 10, column 58, `secondary_features[0].arg`: "arg" is no key of a secondary feature; did you mean "args"? The keys are "to_name", "type", "args""#,
    );
    check(
        &[("secondary_features", r#"[{"to_name": "o", "type": "const"}]"#)],
        MissingArgument,
        r#"line 10, column 24, `secondary_features[0].args.shape`: the keys "shape", "dtype" are missing; a constant needs them"#,
    );
    check(
        &[("secondary_features", r#"[{"to_name": "o", "type": "const", "args": null}]"#)],
        InvalidType,
        "line 10, column 66, `secondary_features[0].args`: null is given; give an object: {…}",
    );
    check(
        &[("secondary_features", r#"[{"to_name": "o", "type": "const", "args": {"dtype": "int32"}}]"#)],
        MissingArgument,
        r#"line 10, column 66, `secondary_features[0].args.shape`: the key "shape" is missing; a constant needs it"#,
    );
    check(
        &[("secondary_features", r#"[{"to_name": "o", "type": "const", "args": {"shape": [2]}}]"#)],
        MissingArgument,
        r#"line 10, column 66, `secondary_features[0].args.dtype`: the key "dtype" is missing; a constant needs it"#,
    );
    check(
        &[(
            "secondary_features",
            r#"[{"to_name": "o", "type": "const", "args": {"shape": 2, "dtype": "int32"}}]"#,
        )],
        InvalidType,
        "line 10, column 76, `secondary_features[0].args.shape`: 2 is given; give a list of integers, or the name of a primary tensor",
    );
    check(
        &[(
            "secondary_features",
            r#"[{"to_name": "o", "type": "const", "args": {"shape": [2, -1], "dtype": "int32"}}]"#,
        )],
        InvalidValue,
        "line 10, column 80, `secondary_features[0].args.shape[1]`: -1 is out of range; give an integer from 0 to 4294967295",
    );
    check(
        &[(
            "secondary_features",
            r#"[{"to_name": "o", "type": "const", "args": {"shape": ["2"], "dtype": "int32"}}]"#,
        )],
        InvalidType,
        r#"line 10, column 77, `secondary_features[0].args.shape[0]`: "2" is given; give an integer from 0 to 4294967295"#,
    );
    check(
        &[(
            "secondary_features",
            r#"[{"to_name": "o", "type": "const", "args": {"shape": "", "dtype": "int32"}}]"#,
        )],
        InvalidValue,
        r#"line 10, column 76, `secondary_features[0].args.shape`: "" is empty; give at least one character"#,
    );
    check(
        &[(
            "secondary_features",
            r#"[{"to_name": "o", "type": "const", "args": {"shape": [2], "dtype": 32}}]"#,
        )],
        InvalidType,
        "line 10, column 90, `secondary_features[0].args.dtype`: 32 is given; give a string",
    );
    check(
        &[(
            "secondary_features",
            r#"[{"to_name": "o", "type": "const", "args": {"shape": [2], "dtype": ""}}]"#,
        )],
        InvalidValue,
        r#"line 10, column 90, `secondary_features[0].args.dtype`: "" is empty; give at least one character"#,
    );
    check(
        &[(
            "secondary_features",
            r#"[{"to_name": "o", "type": "const", "args": {"shape": [2], "dtype": "int32", "value": [1]}}]"#,
        )],
        InvalidType,
        "line 10, column 108, `secondary_features[0].args.value`: a list is given; give one value: a number, a string, true or false",
    );
    check(
        &[(
            "secondary_features",
            r#"[{"to_name": "o", "type": "const", "args": {"shape": [2], "dtype": "int32", "value": {}}}]"#,
        )],
        InvalidType,
        "line 10, column 108, `secondary_features[0].args.value`: an object is given; give one value: a number, a string, true or false",
    );
    check(
        &[(
            "secondary_features",
            r#"[{"to_name": "o", "type": "const", "args": {"shape": [2], "dtype": "int32", "values": 1}}]"#,
        )],
        UnexpectedArgument,
        r#"line 10, column 99, `secondary_features[0].args.values`: "values" is no key of a constant; did you mean "value"? The keys are "shape", "dtype", "value""#,
    );
    check(
        &[(
            "secondary_features",
            r#"[{"to_name": "o", "type": "ones", "args": {"shape": [2], "dtype": "int32", "value": 3}}]"#,
        )],
        UnexpectedArgument,
        r#"line 10, column 98, `secondary_features[0].args.value`: "value" is no key of a tensor of ones; the keys are "shape", "dtype""#,
    );
    check(
        &[("secondary_features", r#"[{"to_name": "o", "type": "ones", "args": {"shape": [2]}}]"#)],
        MissingArgument,
        r#"line 10, column 65, `secondary_features[0].args.dtype`: the key "dtype" is missing; a tensor of ones needs it"#,
    );
}

#[test]
fn processing_steps() {
    check(
        &[("processing_steps", "{}")],
        InvalidType,
        "line 10, column 21, `processing_steps`: an object is given; give a list of objects with tensor, type and args",
    );
    check(
        &[("processing_steps", "[[]]")],
        InvalidType,
        "line 10, column 22, `processing_steps[0]`: [] is given; give an object: {…}",
    );
    check(
        &[("processing_steps", r#"[{"type": "slice"}]"#)],
        MissingArgument,
        r#"line 10, column 22, `processing_steps[0].tensor`: the key "tensor" is missing; a processing step needs it"#,
    );
    check(
        &[("processing_steps", r#"[{"tensor": "x"}]"#)],
        MissingArgument,
        r#"line 10, column 22, `processing_steps[0].type`: the key "type" is missing; a processing step needs it"#,
    );
    check(
        &[("processing_steps", r#"[{"tensor": 1, "type": "slice"}]"#)],
        InvalidType,
        "line 10, column 33, `processing_steps[0].tensor`: 1 is given; give a string",
    );
    check(
        &[("processing_steps", r#"[{"tensor": "x", "type": "crop"}]"#)],
        InvalidValue,
        r#"line 10, column 46, `processing_steps[0].type`: "crop" is no processing step; one of "slice", "onehot", "reshape""#,
    );
    check(
        &[("processing_steps", r#"[{"tensor": "x", "type": "one_hot"}]"#)],
        InvalidValue,
        r#"line 10, column 46, `processing_steps[0].type`: "one_hot" is no processing step; did you mean "onehot"? One of "slice", "onehot", "reshape""#,
    );
    check(
        &[("processing_steps", r#"[{"tensor": "x", "type": null}]"#)],
        InvalidType,
        r#"line 10, column 46, `processing_steps[0].type`: null is given; give one of "slice", "onehot", "reshape""#,
    );
    check(
        &[("processing_steps", r#"[{"tensor": "x", "type": "slice", "axis": 0}]"#)],
        UnexpectedArgument,
        r#"line 10, column 55, `processing_steps[0].axis`: "axis" is no key of a processing step; did you mean "args"? The keys are "tensor", "type", "args""#,
    );
    check(
        &[("processing_steps", r#"[{"tensor": "x", "type": "slice"}]"#)],
        MissingArgument,
        r#"line 10, column 22, `processing_steps[0].args.slice`: the key "slice" is missing; a slice needs it"#,
    );
    check(
        &[("processing_steps", r#"[{"tensor": "x", "type": "slice", "args": []}]"#)],
        InvalidType,
        "line 10, column 63, `processing_steps[0].args`: [] is given; give an object: {…}",
    );
    check(
        &[("processing_steps", r#"[{"tensor": "x", "type": "slice", "args": {"slice": 0}}]"#)],
        InvalidType,
        "line 10, column 73, `processing_steps[0].args.slice`: 0 is given; give a string",
    );
    check(
        &[("processing_steps", r#"[{"tensor": "x", "type": "slice", "args": {"slice": "0"}}]"#)],
        InvalidValue,
        r#"line 10, column 73, `processing_steps[0].args.slice`: "0" is no slice: it is not in brackets; write one entry a dimension, an index or start:stop:step of which each may be left out: "[3,:,4:,:-2,1:4]""#,
    );
    check(
        &[("processing_steps", r#"[{"tensor": "x", "type": "slice", "args": {"slice": "[0,]"}}]"#)],
        InvalidValue,
        r#"line 10, column 73, `processing_steps[0].args.slice`: "[0,]" is no slice: there is an entry without anything in it; write one entry a dimension, an index or start:stop:step of which each may be left out: "[3,:,4:,:-2,1:4]""#,
    );
    check(
        &[("processing_steps", r#"[{"tensor": "x", "type": "slice", "args": {"slice": "[::0]"}}]"#)],
        InvalidValue,
        r#"line 10, column 73, `processing_steps[0].args.slice`: "[::0]" is no slice: the step of "::0" is 0; write one entry a dimension, an index or start:stop:step of which each may be left out: "[3,:,4:,:-2,1:4]""#,
    );
    check(
        &[("processing_steps", r#"[{"tensor": "x", "type": "slice", "args": {"slice": "[0]", "axis": 1}}]"#)],
        UnexpectedArgument,
        r#"line 10, column 80, `processing_steps[0].args.axis`: "axis" is no key of a slice; the only key is "slice""#,
    );
    check(
        &[("processing_steps", r#"[{"tensor": "x", "type": "onehot", "args": {}}]"#)],
        MissingArgument,
        r#"line 10, column 64, `processing_steps[0].args.depth`: the key "depth" is missing; a one-hot encoding needs it"#,
    );
    check(
        &[("processing_steps", r#"[{"tensor": "x", "type": "onehot", "args": {"depth": -1}}]"#)],
        InvalidValue,
        "line 10, column 74, `processing_steps[0].args.depth`: -1 is out of range; give an integer from 0 to 4294967295",
    );
    check(
        &[("processing_steps", r#"[{"tensor": "x", "type": "onehot", "args": {"depth": 2.5}}]"#)],
        InvalidType,
        "line 10, column 74, `processing_steps[0].args.depth`: 2.5 is given; give an integer from 0 to 4294967295",
    );
    check(
        &[(
            "processing_steps",
            r#"[{"tensor": "x", "type": "onehot", "args": {"depth": 3, "dtype": "flot32"}}]"#,
        )],
        InvalidValue,
        r#"line 10, column 86, `processing_steps[0].args.dtype`: "flot32" is no dtype; did you mean "float32"? One of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, string, or half, float, double"#,
    );
    check(
        &[(
            "processing_steps",
            r#"[{"tensor": "x", "type": "onehot", "args": {"depth": 3, "dtype": "complex64"}}]"#,
        )],
        InvalidValue,
        r#"line 10, column 86, `processing_steps[0].args.dtype`: "complex64" is no dtype; one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, string, or half, float, double"#,
    );
    check(
        &[("processing_steps", r#"[{"tensor": "x", "type": "onehot", "args": {"depth": 3, "dtype": 1}}]"#)],
        InvalidType,
        "line 10, column 86, `processing_steps[0].args.dtype`: 1 is given; give one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, string, or half, float, double",
    );
    check(
        &[(
            "processing_steps",
            r#"[{"tensor": "x", "type": "onehot", "args": {"depth": 3, "dtype": "string"}}]"#,
        )],
        InvalidValue,
        r#"line 10, column 86, `processing_steps[0].args.dtype`: "string" has no 1; give a dtype of numbers, such as "float32" or "int64""#,
    );
    check(
        &[("processing_steps", r#"[{"tensor": "x", "type": "onehot", "args": {"depth": 3, "axis": 0}}]"#)],
        UnexpectedArgument,
        r#"line 10, column 77, `processing_steps[0].args.axis`: "axis" is no key of a one-hot encoding; the keys are "depth", "dtype""#,
    );
    check(
        &[("processing_steps", r#"[{"tensor": "x", "type": "reshape", "args": {}}]"#)],
        MissingArgument,
        r#"line 10, column 65, `processing_steps[0].args.shape`: the key "shape" is missing; a reshape needs it"#,
    );
    check(
        &[("processing_steps", r#"[{"tensor": "x", "type": "reshape", "args": {"shape": 3}}]"#)],
        InvalidType,
        "line 10, column 75, `processing_steps[0].args.shape`: 3 is given; give a list of integers",
    );
    check(
        &[("processing_steps", r#"[{"tensor": "x", "type": "reshape", "args": {"shape": [-1]}}]"#)],
        InvalidValue,
        "line 10, column 76, `processing_steps[0].args.shape[0]`: -1 is out of range; write out the size of each dimension: none is inferred from the others",
    );
    check(
        &[("processing_steps", r#"[{"tensor": "x", "type": "reshape", "args": {"shape": [2, 0]}}]"#)],
        InvalidValue,
        "line 10, column 79, `processing_steps[0].args.shape[1]`: 0 is out of range; give an integer from 1 to 4294967295",
    );
    check(
        &[("processing_steps", r#"[{"tensor": "x", "type": "reshape", "args": {"shape": [2, 1.5]}}]"#)],
        InvalidType,
        "line 10, column 79, `processing_steps[0].args.shape[1]`: 1.5 is given; give an integer from 1 to 4294967295",
    );
    check(
        &[(
            "processing_steps",
            r#"[{"tensor": "x", "type": "reshape", "args": {"shape": [2], "order": 1}}]"#,
        )],
        UnexpectedArgument,
        r#"line 10, column 80, `processing_steps[0].args.order`: "order" is no key of a reshape; the only key is "shape""#,
    );
    check(
        &[(
            "processing_steps",
            r#"[{"tensor": "x", "type": "reshape", "args": {"shape": [4]}}, {"tensor": "x", "type": "slice", "args": {"slice": "[:"}}]"#,
        )],
        InvalidValue,
        r#"line 10, column 133, `processing_steps[1].args.slice`: "[:" is no slice: it is not in brackets; write one entry a dimension, an index or start:stop:step of which each may be left out: "[3,:,4:,:-2,1:4]""#,
    );
}

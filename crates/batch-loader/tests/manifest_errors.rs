//! What a manifest may not be, and what the errors say.
#![allow(clippy::unwrap_used, reason = "a test")]

use batch_loader::ErrorKind::{self, InvalidType, InvalidValue, MissingArgument, UnexpectedArgument};
use batch_loader::manifest::Manifest;

/// A manifest with its three keys in lines 2 to 4.
fn manifest(compression: &str, allow_var_len: &str, features: &str) -> String {
    format!(
        "{{\n\"compression\": {compression},\n\"allow_var_len\": {allow_var_len},\n\"features\": {features}\n}}"
    )
}

#[track_caller]
fn check(text: &str, kind: ErrorKind, expected: &str) {
    let error = Manifest::from_json(text).unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (kind, expected), "{text}");
}

/// A manifest without sequences, with these features.
#[track_caller]
fn check_features(features: &str, kind: ErrorKind, expected: &str) {
    check(&manifest("null", "false", features), kind, expected);
}

#[test]
fn manifests() {
    check("[]", InvalidValue, "line 1, column 1: [] is no manifest; give an object: {…}");
    check("null", InvalidValue, "line 1, column 1: null is no manifest; give an object: {…}");
    check("7", InvalidValue, "line 1, column 1: 7 is no manifest; give an object: {…}");
    check(
        "{}",
        MissingArgument,
        r#"line 1, column 1, `compression`: the keys "compression", "allow_var_len", "features" are missing; a manifest needs them"#,
    );
    check(
        r#"{"compression": null, "features": []}"#,
        MissingArgument,
        r#"line 1, column 1, `allow_var_len`: the key "allow_var_len" is missing; a manifest needs it"#,
    );
    check(
        r#"{"compression": null, "allow_var_len": false}"#,
        MissingArgument,
        r#"line 1, column 1, `features`: the key "features" is missing; a manifest needs it"#,
    );
    check(
        &manifest(
            "1",
            "false",
            r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int"}]"#,
        ),
        InvalidType,
        r#"line 2, column 16, `compression`: 1 is given; give "zlib", "gzip" or null"#,
    );
    check(
        &manifest(
            "true",
            "false",
            r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int"}]"#,
        ),
        InvalidType,
        r#"line 2, column 16, `compression`: true is given; give "zlib", "gzip" or null"#,
    );
    check(
        &manifest(
            r#"["gzip"]"#,
            "false",
            r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int"}]"#,
        ),
        InvalidType,
        r#"line 2, column 16, `compression`: a list is given; give "zlib", "gzip" or null"#,
    );
    check(
        &manifest(
            r#""""#,
            "false",
            r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int"}]"#,
        ),
        InvalidValue,
        r#"line 2, column 16, `compression`: "" is no compression of data sets; give "zlib", "gzip" or null"#,
    );
    check(
        &manifest(
            r#""none""#,
            "false",
            r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int"}]"#,
        ),
        InvalidValue,
        r#"line 2, column 16, `compression`: "none" is no compression of data sets; give "zlib", "gzip" or null"#,
    );
    check(
        &manifest(
            r#""snappy""#,
            "false",
            r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int"}]"#,
        ),
        InvalidValue,
        r#"line 2, column 16, `compression`: "snappy" is no compression of data sets; give "zlib", "gzip" or null"#,
    );
    check(
        &manifest(
            "null",
            "null",
            r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int"}]"#,
        ),
        InvalidType,
        "line 3, column 18, `allow_var_len`: null is given; give true or false",
    );
    check(
        &manifest(
            "null",
            "0",
            r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int"}]"#,
        ),
        InvalidType,
        "line 3, column 18, `allow_var_len`: 0 is given; give true or false",
    );
    check_features(
        "{}",
        InvalidType,
        "line 4, column 13, `features`: an object is given; give a list of features",
    );
    check_features(
        r#""x""#,
        InvalidType,
        r#"line 4, column 13, `features`: "x" is given; give a list of features"#,
    );
    check_features(
        "[]",
        InvalidValue,
        "line 4, column 13, `features`: [] describes nothing; give at least one feature",
    );
    check_features(
        r#"["x"]"#,
        InvalidType,
        r#"line 4, column 14, `features[0]`: "x" is given; give an object: {…}"#,
    );
    check(
        r#"{
"compression": null,
"allow_var_len": false,
"features": [{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int"}],
"version": 1
}"#,
        UnexpectedArgument,
        r#"line 5, column 1, `version`: "version" is no key of a manifest; the keys are "compression", "allow_var_len", "features""#,
    );
    check(
        r#"{
"compression": null,
"allow_var_len": false,
"features": [{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int"}],
"zeta": 1,
"alpha": 2
}"#,
        UnexpectedArgument,
        r#"line 5, column 1, `zeta`: "zeta", "alpha" are no keys of a manifest; the keys are "compression", "allow_var_len", "features""#,
    );
    check(
        r#"{"compresion": null, "allow_var_len": false, "features": []}"#,
        MissingArgument,
        r#"line 1, column 2, `compression`: the key "compression" is missing; a manifest needs it; is "compresion" meant to be it?"#,
    );
}

#[test]
fn features() {
    check_features(
        r#"[{"dtype": "int64", "shape": [], "deserialize_type": "int"}]"#,
        MissingArgument,
        r#"line 4, column 14, `features[0].name`: the key "name" is missing; a feature needs it"#,
    );
    check_features(
        r#"[{"name": "x", "shape": [], "deserialize_type": "int"}]"#,
        MissingArgument,
        r#"line 4, column 14, `features[0].dtype`: the key "dtype" is missing; a feature needs it"#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "deserialize_type": "int"}]"#,
        MissingArgument,
        r#"line 4, column 14, `features[0].shape`: the key "shape" is missing; a feature needs it"#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": []}]"#,
        MissingArgument,
        r#"line 4, column 14, `features[0].deserialize_type`: the key "deserialize_type" is missing; a feature needs it"#,
    );
    check_features(
        r#"[{"name": 1, "dtype": "int64", "shape": [], "deserialize_type": "int"}]"#,
        InvalidType,
        "line 4, column 23, `features[0].name`: 1 is given; give a string",
    );
    check_features(
        r#"[{"name": "x", "dtype": null, "shape": [], "deserialize_type": "int"}]"#,
        InvalidType,
        "line 4, column 37, `features[0].dtype`: null is given; give one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, string, or half, float, double",
    );
    check_features(
        r#"[{"name": "x", "dtype": "", "shape": [], "deserialize_type": "int"}]"#,
        InvalidValue,
        r#"line 4, column 37, `features[0].dtype`: "" is no dtype; one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, string, or half, float, double"#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "flot32", "shape": [], "deserialize_type": "int"}]"#,
        InvalidValue,
        r#"line 4, column 37, `features[0].dtype`: "flot32" is no dtype; did you mean "float32"? One of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, string, or half, float, double"#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "Int32", "shape": [], "deserialize_type": "int"}]"#,
        InvalidValue,
        r#"line 4, column 37, `features[0].dtype`: "Int32" is no dtype; did you mean "int32"? One of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, string, or half, float, double"#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "complex64", "shape": [], "deserialize_type": "int"}]"#,
        InvalidValue,
        r#"line 4, column 37, `features[0].dtype`: "complex64" is no dtype; one of bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, string, or half, float, double"#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": 3, "deserialize_type": "int"}]"#,
        InvalidType,
        "line 4, column 55, `features[0].shape`: 3 is given; give a list of integers: the dimensions, none for a scalar",
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": "[]", "deserialize_type": "int"}]"#,
        InvalidType,
        r#"line 4, column 55, `features[0].shape`: "[]" is given; give a list of integers: the dimensions, none for a scalar"#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": ["1"], "deserialize_type": "int"}]"#,
        InvalidType,
        r#"line 4, column 56, `features[0].shape[0]`: "1" is given; give an integer from 0 to 4294967295"#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [null], "deserialize_type": "int"}]"#,
        InvalidType,
        "line 4, column 56, `features[0].shape[0]`: null is given; give an integer from 0 to 4294967295",
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [2, -1], "deserialize_type": "int"}]"#,
        InvalidValue,
        "line 4, column 59, `features[0].shape[1]`: -1 is out of range; give an integer from 0 to 4294967295",
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [1.5], "deserialize_type": "int"}]"#,
        InvalidType,
        "line 4, column 56, `features[0].shape[0]`: 1.5 is given; give an integer from 0 to 4294967295",
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [4294967296], "deserialize_type": "int"}]"#,
        InvalidValue,
        "line 4, column 56, `features[0].shape[0]`: 4294967296 is out of range; give an integer from 0 to 4294967295",
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int", "var_len": null}]"#,
        InvalidType,
        "line 4, column 97, `features[0].var_len`: null is given; give true or false",
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int", "var_len": 0}]"#,
        InvalidType,
        "line 4, column 97, `features[0].var_len`: 0 is given; give true or false",
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int", "var_len": true}]"#,
        InvalidValue,
        "line 4, column 97, `features[0].var_len`: true is not allowed here; give false, or set allow_var_len to true if the records are tf.SequenceExamples",
    );
    check(
        &manifest(
            "null",
            "true",
            r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int"}]"#,
        ),
        MissingArgument,
        r#"line 4, column 14, `features[0].var_len`: the key "var_len" is missing; where allow_var_len is true, each feature says whether it is a sequence"#,
    );
    check(
        &manifest(
            "null",
            "true",
            r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int", "var_len": "yes"}]"#,
        ),
        InvalidType,
        r#"line 4, column 97, `features[0].var_len`: "yes" is given; give true or false"#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": 1}]"#,
        InvalidType,
        r#"line 4, column 79, `features[0].deserialize_type`: 1 is given; give one of "int", "float", "string", "raw""#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "bytes"}]"#,
        InvalidValue,
        r#"line 4, column 79, `features[0].deserialize_type`: "bytes" is no deserialize_type; one of "int", "float", "string", "raw""#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "INT"}]"#,
        InvalidValue,
        r#"line 4, column 79, `features[0].deserialize_type`: "INT" is no deserialize_type; did you mean "int"? One of "int", "float", "string", "raw""#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int", "deserialize_args": "x"}]"#,
        InvalidType,
        r#"line 4, column 106, `features[0].deserialize_args`: "x" is given; give an object: {…}"#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int", "deserialize_args": null}]"#,
        InvalidType,
        "line 4, column 106, `features[0].deserialize_args`: null is given; give an object: {…}",
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "string", "deserialize_args": {"endian": "little"}}]"#,
        InvalidValue,
        r#"line 4, column 109, `features[0].deserialize_args`: the deserialize_type "string" takes no arguments; only "raw" does; leave out "endian""#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int", "deserialize_args": {"len": 1, "endian": "big"}}]"#,
        InvalidValue,
        r#"line 4, column 106, `features[0].deserialize_args`: the deserialize_type "int" takes no arguments; only "raw" does; leave out "len", "endian""#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int", "default": 0}]"#,
        UnexpectedArgument,
        r#"line 4, column 86, `features[0].default`: "default" is no key of a feature; the keys are "name", "dtype", "shape", "deserialize_type", "var_len", "deserialize_args""#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int", "deserialise_type": "int"}]"#,
        UnexpectedArgument,
        r#"line 4, column 86, `features[0].deserialise_type`: "deserialise_type" is no key of a feature; did you mean "deserialize_type"? The keys are "name", "dtype", "shape", "deserialize_type", "var_len", "deserialize_args""#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int"}, {"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "int"}]"#,
        InvalidValue,
        r#"line 4, column 96, `features[1].name`: "x" is the name of two features; give each its own name"#,
    );
}

#[test]
fn raw_features() {
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "raw"}]"#,
        MissingArgument,
        r#"line 4, column 14, `features[0].deserialize_args.endian`: the key "endian" is missing; a raw feature needs it"#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "raw", "deserialize_args": {}}]"#,
        MissingArgument,
        r#"line 4, column 106, `features[0].deserialize_args.endian`: the key "endian" is missing; a raw feature needs it"#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "raw", "deserialize_args": null}]"#,
        InvalidType,
        "line 4, column 106, `features[0].deserialize_args`: null is given; give an object: {…}",
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "raw", "deserialize_args": {"endian": null}}]"#,
        InvalidType,
        r#"line 4, column 117, `features[0].deserialize_args.endian`: null is given; give one of "little", "big""#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "raw", "deserialize_args": {"endian": "LITTLE"}}]"#,
        InvalidValue,
        r#"line 4, column 117, `features[0].deserialize_args.endian`: "LITTLE" is no byte order; did you mean "little"? One of "little", "big""#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "raw", "deserialize_args": {"endian": "middle"}}]"#,
        InvalidValue,
        r#"line 4, column 117, `features[0].deserialize_args.endian`: "middle" is no byte order; one of "little", "big""#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "raw", "deserialize_args": {"endian": "big", "len": null}}]"#,
        InvalidType,
        "line 4, column 131, `features[0].deserialize_args.len`: null is given; give an integer from 1 to 4294967295",
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "raw", "deserialize_args": {"endian": "big", "len": 0}}]"#,
        InvalidValue,
        "line 4, column 131, `features[0].deserialize_args.len`: 0 is out of range; give an integer from 1 to 4294967295",
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "raw", "deserialize_args": {"endian": "big", "len": -3}}]"#,
        InvalidValue,
        "line 4, column 131, `features[0].deserialize_args.len`: -3 is out of range; give an integer from 1 to 4294967295",
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "raw", "deserialize_args": {"endian": "big", "len": 1.5}}]"#,
        InvalidType,
        "line 4, column 131, `features[0].deserialize_args.len`: 1.5 is given; give an integer from 1 to 4294967295",
    );
    check_features(
        r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "raw", "deserialize_args": {"endian": "big", "length": 2}}]"#,
        UnexpectedArgument,
        r#"line 4, column 124, `features[0].deserialize_args.length`: "length" is no key of a raw feature; the keys are "endian", "len""#,
    );
    check_features(
        r#"[{"name": "x", "dtype": "string", "shape": [], "deserialize_type": "raw", "deserialize_args": {"endian": "big"}}]"#,
        InvalidValue,
        r#"line 4, column 37, `features[0].dtype`: "string" is no dtype of a raw feature; give the dtype of the bytes, or take the deserialize_type "string""#,
    );
    check(
        &manifest(
            "null",
            "true",
            r#"[{"name": "x", "dtype": "int64", "shape": [], "deserialize_type": "raw", "deserialize_args": {"endian": "big", "len": "2"}, "var_len": true}]"#,
        ),
        InvalidType,
        r#"line 4, column 131, `features[0].deserialize_args.len`: "2" is given; give an integer"#,
    );
}

#[test]
fn what_is_allowed_is_read() {
    use batch_loader::manifest::{Deserialize, Endian};

    let features = r#"[
        {"name": "a", "dtype": "half", "shape": [2.0, 0], "deserialize_type": "float", "var_len": false},
        {"name": "b", "dtype": "string", "shape": [], "deserialize_type": "string", "deserialize_args": {}, "var_len": true},
        {"name": "c", "dtype": "int16", "shape": [3], "deserialize_type": "raw", "var_len": false,
         "deserialize_args": {"endian": "big", "len": 2}},
        {"name": "d", "dtype": "double", "shape": [3], "deserialize_type": "raw", "var_len": true,
         "deserialize_args": {"endian": "little", "len": -7}}
    ]"#;
    let read = Manifest::from_json(&manifest("\"GZip\"", "true", features)).unwrap();
    assert!(read.allow_var_len);
    assert_eq!(format!("{:?}", read.compression), "Gzip");
    let facts = read
        .features
        .iter()
        .map(|of| (&*of.name, of.dtype.name(), of.shape.as_slice(), of.var_len, of.deserialize));
    let raw = |endian, len| Deserialize::Raw { endian, len };
    assert_eq!(
        facts.collect::<Vec<_>>(),
        [
            ("a", "float16", &[2, 0][..], false, Deserialize::Float),
            ("b", "string", &[], true, Deserialize::String),
            ("c", "int16", &[3], false, raw(Endian::Big, 2)),
            ("d", "float64", &[3], true, raw(Endian::Little, 1)),
        ]
    );
}

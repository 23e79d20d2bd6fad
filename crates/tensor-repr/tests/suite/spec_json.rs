//! Errors for JSON that is not a feature spec, with their texts.

use tensor_repr::{FeatureSpec, FixedLen, Kind, ScalarValue, SpecDefault, feature_specs_from_json};
use tfxio_core::DType;

/// Checks the error about a spec in one line, which begins at column 1.
#[track_caller]
fn refused(json: &str, text: &str) {
    let error = FeatureSpec::from_json(json).unwrap_err();
    assert_eq!((*error.detail::<Kind>().unwrap(), error.to_string().as_str()), (Kind::MalformedText, text));
}

/// Checks the error about a member of a spec whose other members are right.
#[track_caller]
fn wrong(others: &str, member: &str, text: &str) {
    let json = format!("{{\"kind\": {others}, {member}}}");
    let at = json.rfind(member).unwrap() + member.find(": ").unwrap() + 3;
    refused(&json, &format!("line 1, column {at}: {text}"));
}

const DTYPES: &str = "\"bool\", \"int8\", \"int16\", \"int32\", \"int64\", \"uint8\", \"uint16\", \"uint32\", \"uint64\", \
                      \"float16\", \"bfloat16\", \"float32\", \"float64\", \"string\"";
const SCALAR: &str = "true, false, a number, a text, {\"hex\": TEXT} with two of 0-9 and a-f for each byte, \
                      {\"float\": \"NaN\", \"Infinity\" or \"-Infinity\"}, or {\"uint\": NUMBER}";
const DENSE: &str = r#""FixedLen", "shape": [2, 1], "dtype": "int64""#;
const SEQUENCE: &str = r#""FixedLenSequence", "shape": [], "dtype": "int64""#;
const SPARSE: &str = r#""Sparse", "value_key": "v", "dtype": "int64""#;
const RAGGED: &str = r#""Ragged", "dtype": "int64""#;

#[test]
fn text_that_is_no_json() {
    refused("", "line 1, column 1: the text cannot be read as JSON: the text ends before its JSON does");
    refused("{", "line 1, column 1: the text cannot be read as JSON: the text ends before its JSON does");
    refused("{\n  kind}", "line 2, column 3: the text cannot be read as JSON: key must be a string");
    let error = feature_specs_from_json(r#"{"a": {"kind": "VarLen", "dtype": "\x"}}"#).unwrap_err();
    assert_eq!(error.to_string(), "line 1, column 37: the text cannot be read as JSON: invalid escape");
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    refused(
        &format!(r#"{{"kind": "FixedLen", "dtype": "int64", "shape": [], "default": {deep}}}"#),
        "line 1, column 190: the text cannot be read as JSON: recursion limit exceeded",
    );
}

#[test]
fn what_is_no_object() {
    let needed = "it must be an object with the \"kind\" of the feature and the other members of that kind";
    refused(" 3", &format!("line 1, column 2: the spec is 3; {needed}"));
    refused(r#"["VarLen"]"#, &format!("line 1, column 1: the spec is [\"VarLen\"]; {needed}"));
    refused(
        &format!("[{}]", "1, ".repeat(30) + "1"),
        &format!("line 1, column 1: the spec is a list; {needed}"),
    );
}

#[test]
fn the_kind_and_the_names_of_the_members() {
    let kinds = r#"one of "FixedLen", "VarLen", "FixedLenSequence", "Sparse", "Ragged", "Lengths""#;
    refused(r#"{"dtype": "int64"}"#, &format!("line 1, column 1: \"kind\" is missing; it must be {kinds}"));
    refused(r#"{"kind": "Fixed"}"#, &format!("line 1, column 10: \"kind\" is \"Fixed\"; it must be {kinds}"));
    refused(r#"{"kind": null}"#, &format!("line 1, column 10: \"kind\" is null; it must be {kinds}"));
    refused(
        r#"{"kind": "VarLen", "dtype": "int64", "ranks": 1}"#,
        "line 1, column 47: \"ranks\" is not a member of a VarLen feature; its members are \"kind\", \"dtype\", \"key\", \
         \"rank\"",
    );
    refused(
        r#"{"kind": "VarLen", "dtype": "int64", "dtype": "int64"}"#,
        "line 1, column 47: \"dtype\" stands before; a member may stand once",
    );
    let both = "\"key\" and \"value_key\" say the same; give one of them";
    wrong(r#""Ragged", "dtype": "int64", "value_key": "a""#, r#""key": "b""#, both);
}

#[test]
fn what_is_missing() {
    let missing = |json: &str, member: &str, needed: &str| {
        refused(json, &format!("line 1, column 1: \"{member}\" is missing; it must be {needed}"));
    };
    missing(r#"{"kind": "VarLen"}"#, "dtype", &format!("one of {DTYPES}"));
    missing(
        r#"{"kind": "FixedLenSequence", "dtype": "int64"}"#,
        "shape",
        "a list of sizes, each a whole number from 0 on",
    );
    let sparse = format!(r#"{{"kind": {SPARSE}, "index_key": "i"}}"#);
    missing(
        &sparse,
        "size",
        "a whole number from 0 on, or a list of such numbers and of null for what the batch needs",
    );
    let key = "a name, or a list of the names that lead to a field";
    missing(r#"{"kind": "Sparse", "index_key": "i"}"#, "value_key", key);
    missing(r#"{"kind": "Sparse"}"#, "index_key", &format!("a name, or a list of keys, each {key}"));
}

#[test]
fn dtypes_keys_and_flags() {
    wrong(
        r#""VarLen""#,
        r#""dtype": "int63""#,
        &format!("\"dtype\" is \"int63\"; it must be one of {DTYPES}"),
    );
    wrong(r#""VarLen""#, r#""dtype": 64"#, &format!("\"dtype\" is 64; it must be one of {DTYPES}"));
    let key = "a name, or a list of the names that lead to a field";
    wrong(DENSE, r#""key": 1"#, &format!("\"key\" is 1; it must be {key}"));
    wrong(DENSE, r#""key": ["a", 1]"#, &format!("\"key\" is [\"a\",1]; it must be {key}"));
    let indices = r#""Sparse", "value_key": "v", "dtype": "int64", "size": 3"#;
    wrong(indices, r#""index_key": ["a", 1]"#, &format!("\"index_key[1]\" is 1; it must be {key}"));
    wrong(SEQUENCE, r#""allow_missing": null"#, "\"allow_missing\" is null; it must be true or false");
    let sparse = r#""Sparse", "index_key": "i", "value_key": "v", "dtype": "int64", "size": 3"#;
    wrong(sparse, r#""already_sorted": "yes""#, "\"already_sorted\" is \"yes\"; it must be true or false");
    let lengths = "{\"row_lengths\": NAME} or {\"uniform_row_length\": NUMBER}";
    wrong(
        RAGGED,
        r#""partitions": 2"#,
        &format!("\"partitions\" is 2; it must be a list of partitions, each {lengths}"),
    );
    wrong(
        RAGGED,
        r#""partitions": [{"row_lengths": "n"}, {"uniform_row_length": -1}]"#,
        &format!("\"partitions[1]\" is {{\"uniform_row_length\":-1}}; it must be {lengths}"),
    );
    wrong(
        RAGGED,
        r#""row_splits": "int8""#,
        "\"row_splits\" is \"int8\"; it must be one of \"int32\", \"int64\"",
    );
}

#[test]
fn sizes_and_shapes() {
    let sparse = r#""Sparse", "index_key": "i", "value_key": "v", "dtype": "int64""#;
    let sizes =
        "it must be a whole number from 0 on, or a list of such numbers and of null for what the batch needs";
    for size in ["-4", "null", "1.5", "\"4\"", "18446744073709551616"] {
        let shown = if size.len() > 10 { "1.8446744073709552e+19" } else { size };
        wrong(sparse, &format!("\"size\": {size}"), &format!("\"size\" is {shown}; {sizes}"));
    }
    let size = "a whole number from 0 on, or null for what the batch needs";
    wrong(sparse, r#""size": [2, -4]"#, &format!("\"size[1]\" is -4; it must be {size}"));
    let dense = r#""FixedLen", "dtype": "int64""#;
    wrong(dense, r#""shape": 2"#, &format!("\"shape\" is 2; it must be a list of sizes, each {size}"));
    wrong(dense, r#""shape": [null, -1]"#, &format!("\"shape[1]\" is -1; it must be {size}"));
    let sequence = r#""FixedLenSequence", "dtype": "int64""#;
    wrong(sequence, r#""shape": [null]"#, "\"shape[0]\" is null; it must be a whole number from 0 on");
    wrong(
        r#""VarLen", "dtype": "int64""#,
        r#""rank": [1]"#,
        "\"rank\" is [1]; it must be a whole number from 0 on",
    );
}

#[test]
fn defaults() {
    wrong(SEQUENCE, r#""default": [1, 2]"#, &format!("\"default\" is [1,2]; it must be {SCALAR}"));
    wrong(
        SEQUENCE,
        r#""default": {"hex": "0"}"#,
        &format!("\"default\" is {{\"hex\":\"0\"}}; it must be {SCALAR}"),
    );
    wrong(
        DENSE,
        r#""default": {"float": 1}"#,
        &format!(
            "\"default\" is {{\"float\":1}}; it must be one value or nested lists of values; a value is {SCALAR}"
        ),
    );
    wrong(DENSE, r#""default": [[1], [null]]"#, &format!("\"default[1][0]\" is null; it must be {SCALAR}"));
    wrong(
        DENSE,
        r#""default": [[1], 2]"#,
        "\"default[1]\" is 2; it must be a list of length 1, as the first one there",
    );
    wrong(
        DENSE,
        r#""default": [[1], [2, 3]]"#,
        "\"default[1]\" is [2,3]; it must be a list of length 1, as the first one there",
    );
    wrong(
        DENSE,
        r#""default": [1, [2]]"#,
        "\"default[1]\" is [2]; it must be a single value, as the first one there",
    );
}

#[test]
fn the_name_of_the_feature_and_the_place_in_the_text() {
    let check = |json: &str, tensor: Option<&str>, text: &str| {
        let error = feature_specs_from_json(json).unwrap_err();
        assert_eq!(
            (*error.detail::<Kind>().unwrap(), error.position().tensor.as_deref()),
            (Kind::MalformedText, tensor)
        );
        assert_eq!(error.to_string(), text);
    };
    check(
        "{\n  \"a\": {\"kind\": \"VarLen\", \"dtype\": \"int64\"},\n  \"ü\": {\n    \"kind\": \"VarLen\",\n    \"dtype\": \"int64\", \"rank\": -2}\n}",
        Some("ü"),
        "line 5, column 31, tensor \"ü\": \"rank\" is -2; it must be a whole number from 0 on",
    );
    check(
        r#"{"ü": {"kind": "VarLen", "dtype": "int64", "rank": "x"}}"#,
        Some("ü"),
        "line 1, column 52, tensor \"ü\": \"rank\" is \"x\"; it must be a whole number from 0 on",
    );
    let spec = r#"{"kind": "VarLen", "dtype": "int64"}"#;
    check(
        &format!("{{\"a\": {spec},\n\"b\": {spec},\n\"a\": {spec}}}"),
        Some("a"),
        "line 3, column 6, tensor \"a\": a feature of that name stands before; a name may stand once",
    );
    check(
        r#"{"a": "VarLen"}"#,
        Some("a"),
        "line 1, column 7, tensor \"a\": the spec is \"VarLen\"; it must be an object with the \"kind\" of the feature and \
         the other members of that kind",
    );
    check(
        "{}",
        None,
        "line 1, column 1: no features are named; give an object with a spec for the name of each feature",
    );
    check(
        "[1]",
        None,
        "line 1, column 1: the text is [1]; it must be an object with a spec for the name of each feature",
    );
}

#[test]
fn specs_within_other_json() {
    let value = serde_json::json!({"kind": "FixedLen", "shape": [2], "dtype": "int64", "default": [1, 2], "key": null});
    let values = vec![ScalarValue::Int(1), ScalarValue::Int(2)];
    let expected = FeatureSpec::FixedLen(
        FixedLen::new(vec![Some(2)], DType::Int64)
            .default(Some(SpecDefault::Full { shape: vec![2], values })),
    );
    assert_eq!(serde_json::from_value::<FeatureSpec>(value).unwrap(), expected);
    let value = serde_json::json!([{"kind": "VarLen", "dtype": "int64", "rank": -1}]);
    let error = serde_json::from_value::<Vec<FeatureSpec>>(value).unwrap_err();
    assert_eq!(error.to_string(), "\"rank\" is -1; it must be a whole number from 0 on");
}

//! Errors for JSON that is not a representation, with their texts.

use tensor_repr::json::{representations_from_json, representations_to_json};
use tensor_repr::{
    DefaultValue, DenseRepresentation, Kind, Representation, ScalarValue, StructuredRepresentation,
};

/// Checks the error about a representation in one line, which begins at column 1.
#[track_caller]
fn refused(json: &str, text: &str) {
    let error = Representation::from_json(json).unwrap_err();
    assert_eq!((*error.detail::<Kind>().unwrap(), error.to_string().as_str()), (Kind::MalformedText, text));
}

/// Checks the error about a member of a representation whose other members are right.
#[track_caller]
fn wrong(others: &str, member: &str, text: &str) {
    let json = format!("{{\"kind\": {others}, {member}}}");
    let at = json.rfind(member).unwrap() + member.find(": ").unwrap() + 3;
    refused(&json, &format!("line 1, column {at}: {text}"));
}

const KEY: &str = "a name, or a list of the names that lead to a field";
const SCALAR: &str = "true, false, a number, a text, {\"hex\": TEXT} with two of 0-9 and a-f for each byte, \
                      {\"float\": \"NaN\", \"Infinity\" or \"-Infinity\"}, or {\"uint\": NUMBER}";
const DENSE: &str = r#""dense", "column": "a", "shape": []"#;
const SPARSE: &str = r#""sparse", "dense_shape": [3], "index_columns": ["i"], "value_column": "v""#;
const VARLEN: &str = r#""varlen_sparse", "column": "a""#;

#[test]
fn text_that_is_no_representation() {
    refused(
        "{\n\"kind\"",
        "line 2, column 6: the text cannot be read as JSON: the text ends before its JSON does",
    );
    refused(
        "[1]",
        "line 1, column 1: the representation is [1]; it must be an object with the \"kind\" of the tensor and the other \
         members of that kind",
    );
    let kinds = r#"one of "dense", "varlen_sparse", "sparse", "ragged", "varlen_ragged", "structured", "lengths", "sequence", "converted""#;
    refused(r#"{"kind": "dence"}"#, &format!("line 1, column 10: \"kind\" is \"dence\"; it must be {kinds}"));
    refused(r#"{"column": "a"}"#, &format!("line 1, column 1: \"kind\" is missing; it must be {kinds}"));
}

#[test]
fn the_names_of_the_members() {
    refused(
        r#"{"kind": "varlen_sparse", "column": "a", "typo": 1}"#,
        "line 1, column 50: \"typo\" is not a member of a varlen_sparse representation; its members are \"kind\", \
         \"column\", \"rank\", \"dtype\"",
    );
    refused(
        r#"{"kind": "structured", "columns": [], "columns": []}"#,
        "line 1, column 50: \"columns\" stands before; a member may stand once",
    );
    let missing = |json: &str, member: &str, needed: &str| {
        refused(json, &format!("line 1, column 1: \"{member}\" is missing; it must be {needed}"));
    };
    let size = "a whole number from 0 on, or null for what the batch needs";
    missing(r#"{"kind": "dense", "column": "a"}"#, "shape", &format!("a list of sizes, each {size}"));
    missing(r#"{"kind": "ragged"}"#, "column", KEY);
    missing(r#"{"kind": "structured"}"#, "columns", &format!("a list of columns, each {KEY}"));
    missing(
        r#"{"kind": "sparse", "dense_shape": []}"#,
        "index_columns",
        &format!("a list of columns, each {KEY}"),
    );
}

#[test]
fn the_values_of_the_members() {
    let size = "a whole number from 0 on, or null for what the batch needs";
    wrong(
        r#""dense", "column": "a""#,
        r#""shape": [2, -1]"#,
        &format!("\"shape[1]\" is -1; it must be {size}"),
    );
    wrong(r#""varlen_ragged""#, r#""column": 3"#, &format!("\"column\" is 3; it must be {KEY}"));
    wrong(r#""structured""#, r#""columns": ["a", 1]"#, &format!("\"columns[1]\" is 1; it must be {KEY}"));
    wrong(VARLEN, r#""rank": -1"#, "\"rank\" is -1; it must be a whole number from 0 on");
    let error =
        Representation::from_json(r#"{"kind": "ragged", "column": "a", "dtype": "int65"}"#).unwrap_err();
    let start = "line 1, column 44: \"dtype\" is \"int65\"; it must be one of \"bool\", \"int8\", ";
    assert!(error.to_string().starts_with(start), "{error}");
    wrong(DENSE, r#""fill": null"#, "\"fill\" is null; it must be one of \"absent_rows\", \"shortfall\"");
    wrong(
        DENSE,
        r#""default": {"hex": "f"}"#,
        &format!(
            "\"default\" is {{\"hex\":\"f\"}}; it must be one value or a list of values; a value is {SCALAR}"
        ),
    );
    wrong(DENSE, r#""default": [1, [2]]"#, &format!("\"default[1]\" is [2]; it must be {SCALAR}"));
    wrong(DENSE, r#""padding": [1]"#, &format!("\"padding\" is [1]; it must be {SCALAR}"));
    let names = "a list with a text or null for each dimension";
    wrong(DENSE, r#""dim_names": "x""#, &format!("\"dim_names\" is \"x\"; it must be {names}"));
    wrong(DENSE, r#""dim_names": [null, 2]"#, "\"dim_names[1]\" is 2; it must be a text or null");
    wrong(SPARSE, r#""sort": 1"#, "\"sort\" is 1; it must be true or false");
    wrong(SPARSE, r#""kept_dims": 0.5"#, "\"kept_dims\" is 0.5; it must be a whole number from 0 on");
}

#[test]
fn what_may_be_null_is_as_if_left_out() {
    let json = r#"{"kind": "dense", "column": "a", "shape": [null], "default": null, "padding": null, "dtype": null}"#;
    let expected = DenseRepresentation::default().column("a").shape(vec![None]);
    assert_eq!(Representation::from_json(json).unwrap(), expected.clone().into());
    assert_eq!(serde_json::from_str::<Representation>(json).unwrap(), expected.clone().into());
    let full = expected.default_value(Some(DefaultValue::Full(vec![])));
    let json = r#"{"kind": "dense", "column": ["a"], "shape": [null], "default": []}"#;
    assert_eq!(Representation::from_json(json).unwrap(), full.into());
    let json = r#"{"kind": "varlen_sparse", "column": "a", "rank": null}"#;
    let Representation::VarLenSparse(varlen) = Representation::from_json(json).unwrap() else {
        unreachable!()
    };
    assert_eq!(varlen.rank, None);
}

#[test]
fn names_stand_once() {
    let check = |json: &str, tensor: Option<&str>, text: &str| {
        let error = representations_from_json(json).unwrap_err();
        assert_eq!(
            (*error.detail::<Kind>().unwrap(), error.position().tensor.as_deref()),
            (Kind::MalformedText, tensor)
        );
        assert_eq!(error.to_string(), text);
    };
    let one = r#"{"kind": "varlen_sparse", "column": "a"}"#;
    check(
        &format!("{{\"ü\": {one},\n\"ü\": {one}}}"),
        Some("ü"),
        "line 2, column 6, tensor \"ü\": a tensor of that name stands before; a name may stand once",
    );
    check(
        &format!("{{\"a\": {one},\n  \"b\": {{\"kind\": \"varlen_sparse\", \"column\": 1}}}}"),
        Some("b"),
        &format!("line 2, column 44, tensor \"b\": \"column\" is 1; it must be {KEY}"),
    );
    check(
        "3",
        None,
        "line 1, column 1: the text is 3; it must be an object with a representation for the name of each tensor",
    );
    assert!(representations_from_json("{}").unwrap().is_empty());
}

#[test]
fn what_is_written_is_read() {
    let texts = [
        r#"{"kind":"dense","column":"p","shape":[null,2],"padding":0}"#,
        r#"{"kind":"dense","column":"p","shape":[2],"default":[1,2],"fill":"shortfall","dtype":"int64"}"#,
        r#"{"kind":"dense","column":["s","p"],"shape":[2],"dim_names":["x"]}"#,
        r#"{"kind":"varlen_sparse","column":"a","rank":2,"dtype":"string"}"#,
        r#"{"kind":"sparse","dense_shape":[null,3],"index_columns":["i"],"value_column":"v","sort":true,"kept_dims":1}"#,
        r#"{"kind":"ragged","column":["s","v"],"partitions":[{"row_lengths":"n"},{"uniform_row_length":2}],"row_splits":"int32"}"#,
        r#"{"kind":"varlen_ragged","column":"a"}"#,
        r#"{"kind":"structured","columns":["a",["s","b"]]}"#,
    ];
    for text in texts {
        assert_eq!(Representation::from_json(text).unwrap().to_json(), text);
    }
    let mut all = texts.map(|text| Representation::from_json(text).unwrap()).into_iter();
    let all = ["a", "b"].map(|name| (name.to_owned(), all.next().unwrap())).into();
    assert_eq!(representations_from_json(&representations_to_json(&all)).unwrap(), all);
    let structured =
        Representation::Structured(StructuredRepresentation::default().columns(vec!["a".into()]));
    assert_eq!(Representation::from_json(&structured.to_json()).unwrap(), structured);
    let float =
        DenseRepresentation::default().column("f").padding(Some(ScalarValue::Float(f64::NEG_INFINITY)));
    assert_eq!(
        Representation::from_json(&Representation::Dense(float.clone()).to_json()).unwrap(),
        float.into()
    );
}

//! Schemas of any text and any bytes: a valid one is printed in one form, which reads as the same schema; the error of
//! an invalid one has the line and the column.

use tensor_repr::{Kind, TfmdSchema};

/// Panics when the law does not hold.
pub fn check(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        match TfmdSchema::from_text(text) {
            Ok(schema) => printed(&schema),
            Err(error) => {
                assert_eq!(error.detail(), Some(&Kind::MalformedText));
                assert!(error.to_string().contains("line "), "{error}");
            }
        }
    }
    if let Ok(schema) = TfmdSchema::from_binary(data) {
        printed(&schema);
        // The groups are a part that is looked into further.
        let _ = schema.representations(None);
    }
}

/// Checks that a schema can be printed and read, and prints the same again.
fn printed(schema: &TfmdSchema) {
    let text = schema.to_text();
    match TfmdSchema::from_text(&text) {
        Ok(again) => assert_eq!(again.to_text(), text),
        Err(error) => panic!("what was printed is refused: {error}\n{text}"),
    }
}

/// Returns messages, maps, lists, strings with escapes, numbers of every form, unknown fields; and the same in binary
/// form.
pub fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        r#"feature { name: "age" type: INT int_domain { min: 0 max: 150 } shape { } presence { min_fraction: 1 } }"#,
        "feature: [ { name: 'a' # a comment\n type: 2 }, < name: \"\\303\\244\\n\" \"b\" > ];\nfeature { float_domain { min: -1.5e3 max: inf disallow_nan: true } }",
        r#"tensor_representation_group { key: "" value { tensor_representation { key: "t" value { dense_tensor {
            column_name: "x" shape { dim { size: 2 } } default_value { bytes_value: "\377\x00" } } } } } }"#,
        r#"feature { name: "s" type: STRUCT struct_domain { feature { name: "x" type: BYTES domain: "d" } } }
            string_domain { name: "d" value: "one" value: "two" } default_environment: ["A", "B"]"#,
        r#"sparse_feature { name: "w" index_feature { name: "i" } value_feature { name: "v" } is_sorted: true }
            50123: 7 50124 { 1: "inner" 2: 0x1F 3 { 4: 017 } }"#,
    ];
    let binary = texts
        .iter()
        .filter_map(|text| TfmdSchema::from_text(text).ok().map(|schema| schema.as_binary().to_vec()));
    texts.iter().map(|text| text.as_bytes().to_vec()).chain(binary).collect()
}

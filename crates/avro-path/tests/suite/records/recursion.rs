//! Records that contain themselves.

use avro_path::ErrorKind;
use avro_path::datum::write;
use serde_json::json;

use crate::records::render;

const PERSON: &str = r#"{"type": "record", "name": "person", "namespace": "com.test", "fields": [
    {"name": "name", "type": "string"},
    {"name": "friends", "type": {"type": "array", "items": "person"}},
    {"name": "spouse", "type": ["null", "person"]}]}"#;

/// Returns a person with a friend, who has a friend.
fn datum() -> Vec<u8> {
    let mut out = Vec::new();
    for name in ["Ada", "Bo", "Cy"] {
        write::string(&mut out, name);
        write::long(&mut out, i64::from(name != "Cy"));
    }
    // Cy's spouse; the end of Bo's friends, his spouse; the end of Ada's, her spouse.
    out.extend([0, 0, 0, 0]);
    out.push(2);
    write::string(&mut out, "Dee");
    out.extend([0, 0]);
    out
}

#[test]
fn a_cycle_is_an_error_that_names_it() {
    let error = render::batch(PERSON, &render::plain(), &[]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(
        error.to_string(),
        "at friends: the schema is recursive: com.test.person -> friends -> com.test.person; set max_depth to say \
         how often a record may stand in itself, or choose fields without it"
    );
    let indirect = r#"{"type": "record", "name": "list", "fields": [{"name": "head", "type": ["null",
        {"type": "record", "name": "node", "fields": [
            {"name": "value", "type": "int"},
            {"name": "next", "type": {"type": "map", "values": ["null", "node"]}}]}]}]}"#;
    let error = render::batch(indirect, &render::plain(), &[]).unwrap_err();
    assert_eq!(error.what(), "the schema is recursive: node -> next -> node");
}

#[test]
fn fields_without_the_cycle_can_be_chosen() {
    let options = render::plain().fields(["name"]);
    let batch = render::batch(PERSON, &options, &[&datum()]).unwrap();
    assert_eq!(render::rows(&batch), [json!({"name": "Ada"})]);
}

#[test]
fn a_depth_leaves_out_what_is_deeper() {
    for (depth, expected) in [
        (1, json!({"name": "Ada"})),
        (2, json!({"name": "Ada", "friends": [{"name": "Bo"}], "spouse": {"name": "Dee"}})),
        (
            3,
            json!({
                "name": "Ada",
                "friends": [{"name": "Bo", "friends": [{"name": "Cy"}], "spouse": null}],
                "spouse": {"name": "Dee", "friends": [], "spouse": null},
            }),
        ),
    ] {
        let options = render::plain().max_depth(depth);
        let batch = render::batch(PERSON, &options, &[&datum()]).unwrap();
        assert_eq!(render::rows(&batch), [expected]);
    }
}

#[test]
fn a_branch_that_is_too_deep_leaves_its_union_without_a_value() {
    let schema = r#"{"type": "record", "name": "n", "fields": [
        {"name": "v", "type": ["int", "n", "string"]}]}"#;
    let options = render::plain().max_depth(1);
    // 1; a record with 2; the text `a`.
    let batch = render::batch(schema, &options, &[&[0, 2], &[2, 0, 4], &[4, 2, b'a']]).unwrap();
    assert_eq!(
        render::rows(&batch),
        [
            json!({"v": {"int": 1, "string": null}}),
            json!({"v": {"int": null, "string": null}}),
            json!({"v": {"int": null, "string": "a"}}),
        ]
    );
}

#[test]
fn depths_that_make_no_sense() {
    let error = render::batch(PERSON, &render::plain().max_depth(0), &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "max_depth is 0, which leaves no record at all; 1 keeps each record once on every way"
    );
    // Two ways a level: 2^40 columns.
    let error = render::batch(PERSON, &render::plain().max_depth(40), &[]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert_eq!(error.what(), "the schema comes to more than 100000 columns or 200 types in each other");
}

#[test]
fn a_union_with_null_is_one_column() {
    let of = |count: usize, ty: &str| {
        let fields =
            (0..count).map(|at| format!("{{\"name\": \"c{at}\", \"type\": {ty}}}")).collect::<Vec<_>>();
        let schema =
            format!("{{\"type\": \"record\", \"name\": \"r\", \"fields\": [{}]}}", fields.join(", "));
        render::batch(&schema, &render::plain(), &[]).map(|batch| batch.num_columns())
    };
    // As many as a batch has at most, whether they may be null or not.
    assert_eq!(of(100_000, "\"int\"").unwrap(), 100_000);
    assert_eq!(of(100_000, r#"["null", "int"]"#).unwrap(), 100_000);
    for ty in ["\"int\"", r#"["null", "int"]"#, r#"{"type": "array", "items": ["null", "int"]}"#] {
        let error = of(100_001, ty).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{ty}");
    }
}

#[test]
fn a_long_chain_of_records_fits_the_stack() {
    let schema = r#"{"type": "record", "name": "node", "fields": [
        {"name": "v", "type": "int"}, {"name": "next", "type": ["null", "node"]}]}"#;
    let mut datum = [4, 2].repeat(90);
    datum.extend([4, 0]);
    for options in [render::plain(), render::plain().layout(avro_path::record::Layout::Structured)] {
        let batch = render::batch(schema, &options.max_depth(60), &[&datum]).unwrap();
        let mut row = &render::rows(&batch)[0];
        let mut depth = 1;
        while let Some(next) = row.get("next").map(|next| next.get(0).unwrap_or(next)) {
            row = next;
            depth += 1;
        }
        // The records behind the sixtieth are passed over.
        assert_eq!(depth, 60);
    }
}

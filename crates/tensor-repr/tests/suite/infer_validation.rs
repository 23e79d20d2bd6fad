//! Data held against a schema.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, Int64Builder, ListBuilder};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, ListArray, NullArray, RecordBatch,
    StructArray, UInt64Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{Field, Fields};
use tensor_repr::{Finding, FindingKind, Kind, SchemaValidation, TfmdSchema};

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

fn ints(rows: &[Option<&[i64]>]) -> ArrayRef {
    let mut list = ListBuilder::new(Int64Builder::new());
    for row in rows {
        list.append_option(row.map(|row| row.iter().copied().map(Some)));
    }
    Arc::new(list.finish())
}

fn words(rows: &[&[&str]]) -> ArrayRef {
    let mut list = ListBuilder::new(BinaryBuilder::new());
    for row in rows {
        list.append_value(row.iter().map(|word| Some(word.as_bytes())));
    }
    Arc::new(list.finish())
}

fn lists(lengths: &[usize], values: ArrayRef) -> ArrayRef {
    let field = Arc::new(Field::new_list_field(values.data_type().clone(), true));
    Arc::new(ListArray::new(field, OffsetBuffer::from_lengths(lengths.iter().copied()), values, None))
}

fn structs(fields: Vec<(&str, ArrayRef)>, valid: &[bool]) -> ArrayRef {
    let types: Fields =
        fields.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true)).collect();
    let columns = fields.into_iter().map(|(_, array)| array).collect();
    Arc::new(StructArray::new(types, columns, Some(NullBuffer::from(valid.to_vec()))))
}

fn findings_of(mut validation: SchemaValidation, batches: &[RecordBatch]) -> Vec<Finding> {
    for batch in batches {
        validation.push(batch).unwrap();
    }
    assert_eq!(validation.rows(), batches.iter().map(|batch| batch.num_rows() as u64).sum::<u64>());
    validation.finish()
}

fn findings(schema: &str, batches: &[RecordBatch]) -> Vec<Finding> {
    findings_of(SchemaValidation::builder(&TfmdSchema::from_text(schema).unwrap()).build().unwrap(), batches)
}

/// Returns the findings in one column, as text.
#[track_caller]
fn found(feature: &str, array: ArrayRef) -> Vec<String> {
    let schema = format!("feature {{ name: \"a\" {feature} }}");
    findings(&schema, &[batch(vec![("a", array)])]).iter().map(ToString::to_string).collect()
}

#[test]
fn a_finding_has_its_parts() {
    let schema = "feature { name: \"a\" type: INT presence { min_fraction: 0.9 } }";
    let batches = [
        batch(vec![("a", ints(&[Some(&[1]), Some(&[2])]))]),
        batch(vec![("b", ints(&[Some(&[1])])), ("n", Arc::new(NullArray::new(1)))]),
        batch(vec![("a", ints(&[None])), ("b", ints(&[Some(&[1])]))]),
    ];
    let found = findings(schema, &batches);
    let [presence, b, n] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(
        (presence.kind, presence.name.as_str(), presence.count, presence.first_row),
        (FindingKind::Presence, "a", 2, Some(2))
    );
    assert_eq!(presence.expected, "it in at least 0.9 of all records");
    assert_eq!(presence.found, "it in 2 of 4 records");
    assert_eq!(b.kind, FindingKind::UnknownFeature);
    assert_eq!(
        b.to_string(),
        "feature \"b\": the schema has no such feature, the data has INT (2 times, first in record 2)"
    );
    assert_eq!(
        n.to_string(),
        "feature \"n\": the schema has no such feature, the data has a column without values"
    );
}

#[test]
fn a_feature_that_must_be_there_and_is_not_is_missing() {
    let schema = r#"
        feature { name: "all" type: INT presence { min_fraction: 1 } }
        feature { name: "some" type: INT presence { min_count: 2 } }
        feature { name: "both" type: INT presence { min_fraction: 0.5 min_count: 1 } }
        feature { name: "free" type: INT }
        feature { name: "old" type: INT deprecated: true presence { min_fraction: 1 } }
        feature { name: "s" type: STRUCT struct_domain { feature { name: "x" type: INT group_presence { required: true } } } }"#;
    let found = findings(schema, &[batch(vec![("other", Arc::new(NullArray::new(3)))])]);
    let text: Vec<_> =
        found.iter().filter(|f| f.kind == FindingKind::MissingFeature).map(ToString::to_string).collect();
    assert_eq!(
        text,
        [
            "feature \"all\": the schema asks for it in all records, the data has it in 0 of 3 records (3 \
             times, first in record 0)",
            "feature \"some\": the schema asks for it in at least 2 records, the data has it in 0 of 3 \
             records (3 times, first in record 0)",
            "feature \"both\": the schema asks for it in at least 0.5 of all records, and in 1 of them, the \
             data has it in 0 of 3 records (3 times, first in record 0)",
        ]
    );
    assert_eq!(found.len(), 4, "{found:?}");
    assert_eq!(findings("feature { name: \"a\" presence { min_count: 1 } }", &[])[0].first_row, None);
}

#[test]
fn types_must_agree() {
    assert_eq!(
        found("type: FLOAT", ints(&[Some(&[1]), None, Some(&[])])),
        ["feature \"a\": the schema asks for FLOAT, the data has INT (2 times, first in record 0)"]
    );
    let dates: ArrayRef = Arc::new(Date32Array::from(vec![1]));
    let text = found("type: INT", dates);
    assert_eq!(
        text[0],
        "feature \"a\": the schema asks for INT, the data has values of the Arrow type Date32 (once, in \
         record 0)"
    );
    assert_eq!(
        text[1],
        "tensor \"a\": the schema asks for a sparse tensor from column \"a\", which cannot be made: values \
         of the Arrow type Date32 have no dtype (once, in record 0)"
    );
    assert_eq!(found("", ints(&[Some(&[1])])), [""; 0]);
    assert_eq!(found("type: INT", lists(&[1], Arc::new(BooleanArray::from(vec![true])))), [""; 0]);
    assert_eq!(found("type: BYTES", Arc::new(NullArray::new(2))), [""; 0]);
}

#[test]
fn numbers_of_values_must_agree() {
    let rows = ints(&[Some(&[1]), Some(&[1, 2]), None, Some(&[])]);
    assert_eq!(
        found("type: INT value_count { min: 1 max: 1 }", rows.clone()),
        ["feature \"a\": the schema asks for 1 value, the data has 2 values (2 times, first in record 1)"]
    );
    assert_eq!(
        found("type: INT value_count { min: 1 }", rows.clone()),
        ["feature \"a\": the schema asks for at least 1 value, the data has 0 values (once, in record 3)"]
    );
    assert_eq!(
        found("type: INT value_count { max: 1 }", rows.clone()),
        ["feature \"a\": the schema asks for at most 1 value, the data has 2 values (once, in record 1)"]
    );
    assert_eq!(found("type: INT value_count { max: 2 }", rows.clone()), [""; 0]);
    assert_eq!(
        found("type: INT value_counts { value_count { } value_count { } }", rows.clone()),
        ["feature \"a\": the schema asks for 2 levels of lists (at least 0 values; at least 0 values), \
             the data has 1 level of lists (3 times, first in record 0)"]
    );
    let nested = lists(&[2, 1], ints(&[Some(&[1]), Some(&[1, 2]), Some(&[])]));
    assert_eq!(
        found(
            "type: INT value_counts { value_count { min: 2 } value_count { min: 1 max: 1 } }",
            nested.clone()
        ),
        ["feature \"a\": the schema asks for 2 levels of lists (at least 2 values; 1 value), the data \
             has 1 value at level 1 (3 times, first in record 0)"]
    );
    // A single count of nested lists is that of the innermost ones.
    assert_eq!(
        found("type: INT value_count { min: 1 max: 2 }", nested.clone()),
        ["feature \"a\": the schema asks for 1 to 2 values, the data has 0 values (once, in record 1)"]
    );
    let shaped = found("type: INT presence { min_fraction: 1 } shape { dim { size: 3 } }", nested);
    assert_eq!(
        shaped[0],
        "feature \"a\": the schema asks for 3 values of shape [3], the data has 0 values (once, in record 1)"
    );
    let scalar: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let text = found("type: INT value_count { min: 2 }", scalar);
    assert_eq!(
        text[0],
        "feature \"a\": the schema asks for at least 2 values, the data has 1 value (once, in record 0)"
    );
}

#[test]
fn values_must_be_in_their_domain() {
    let rows = words(&[&["a", "b"], &["c", "d", "c"], &["e", "f"]]);
    assert_eq!(
        found("type: BYTES string_domain { value: \"b\" value: \"a\" }", rows.clone()),
        ["feature \"a\": the schema asks for values among \"a\", \"b\", the data has \"c\", \"d\", \
             \"e\", … (5 times, first in record 1)"]
    );
    let mass =
        "type: BYTES string_domain { value: \"a\" value: \"b\" } distribution_constraints { min_domain_mass:";
    assert_eq!(found(&format!("{mass} 0.25 }}"), rows.clone()), [""; 0]);
    assert_eq!(
        found(&format!("{mass} 0.5 }}"), rows),
        ["feature \"a\": the schema asks for at least 0.5 of all values among \"a\", \"b\", the data has \
             \"c\", \"d\", \"e\", … (5 times, first in record 1)"]
    );
    assert_eq!(
        found("type: BYTES int_domain { min: 3 }", words(&[&["3", "2", "x"]])),
        [
            "feature \"a\": the schema asks for values from 3 on, the data has \"2\", \"x\" (2 times, first in record 0)"
        ]
    );
    assert_eq!(
        found(
            "type: INT int_domain { max: 3 }",
            lists(&[1, 1], Arc::new(UInt64Array::from(vec![3, u64::MAX])))
        ),
        [
            "feature \"a\": the schema asks for values up to 3, the data has 18446744073709551615 (once, in record 1)"
        ]
    );
    let floats = lists(
        &[2, 2],
        Arc::new(Float64Array::from(vec![Some(0.5), Some(f64::NAN), None, Some(f64::INFINITY)])),
    );
    assert_eq!(
        found("type: FLOAT float_domain { min: 0 disallow_nan: true disallow_inf: true }", floats.clone())[0],
        "feature \"a\": the schema asks for values from 0.0 on, no NaN, no infinity, the data has NaN, inf \
         (2 times, first in record 0)"
    );
    assert_eq!(
        found("type: FLOAT float_domain { min: 0 max: 1 }", floats)[0],
        "feature \"a\": the schema asks for values in 0.0 to 1.0, the data has inf (once, in record 1)"
    );
    assert_eq!(
        found("type: INT bool_domain { }", ints(&[Some(&[0, 1, 2])])),
        [
            "feature \"a\": the schema asks for values \"\" and \"\", or 1 and 0, the data has 2 (once, in record 0)"
        ]
    );
    assert_eq!(
        found("type: BYTES bool_domain { true_value: \"yes\" false_value: \"no\" }", words(&[&["yes"]])),
        [""; 0]
    );
    let by_name = r#"feature { name: "a" type: BYTES domain: "d" } string_domain { name: "d" value: "x" }"#;
    let found = findings(by_name, &[batch(vec![("a", words(&[&[&"y".repeat(50)]]))])]);
    assert_eq!(found[0].found, format!("\"{}\"…", "y".repeat(40)));
    let lost = TfmdSchema::from_text("feature { name: \"a\" domain: \"d\" }").unwrap();
    let error = SchemaValidation::builder(&lost).build().unwrap_err();
    assert_eq!(*error.detail::<Kind>().unwrap(), Kind::InvalidSchema);
    assert_eq!(
        error.to_string(),
        "column \"a\": the feature refers to the domain \"d\", which the schema does not have"
    );
}

#[test]
fn features_in_structs_are_held_to_their_structs() {
    let schema = r#"feature { name: "s" type: STRUCT struct_domain {
        feature { name: "x" type: INT group_presence { required: true } }
        feature { name: "y" type: INT value_count { max: 1 } } } }"#;
    let x: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, None, Some(4)]));
    let y = ints(&[Some(&[1]), Some(&[1, 2]), None, Some(&[1, 2])]);
    let z = ints(&[Some(&[1][..]); 4]);
    // The second row has the structs 1 to 3, of which the last is not there.
    let people = lists(&[1, 3], structs(vec![("x", x), ("y", y), ("z", z)], &[true, true, true, false]));
    let without = lists(&[1], structs(vec![("y", ints(&[None]))], &[true]));
    let found = findings(schema, &[batch(vec![("s", people)]), batch(vec![("s", without)])]);
    let text: Vec<_> =
        found.iter().filter(|f| f.kind != FindingKind::Representation).map(ToString::to_string).collect();
    assert_eq!(
        text,
        [
            "feature \"s.x\": the schema asks for it in all structs, the data has it in 1 of 4 structs (3 \
             times, first in record 1)",
            "feature \"s.y\": the schema asks for at most 1 value, the data has 2 values (once, in record 1)",
            "feature \"s.z\": the schema has no such feature, the data has INT (3 times, first in record 0)",
        ]
    );
}

#[test]
fn a_tensor_of_a_column_that_nobody_knows_says_so() {
    let schema = r#"
        feature { name: "a" type: INT }
        tensor_representation_group { key: "bad" value { tensor_representation { key: "t" value {
            varlen_sparse_tensor { column_name: "nosuch" } } } } }"#;
    let schema = TfmdSchema::from_text(schema).unwrap();
    let validation = SchemaValidation::builder(&schema).group("bad".to_owned()).build().unwrap();
    let findings = findings_of(validation, &[batch(vec![("a", ints(&[Some(&[1]), None]))])]);
    assert_eq!(
        findings[0].to_string(),
        "tensor \"t\": the schema asks for a sparse tensor from column \"nosuch\", which cannot be made: the data has no \
         column \"nosuch\", and the schema no such feature; correct the column's name (2 times, first in record 0)"
    );
    assert_eq!(findings.len(), 1);
}

#[test]
fn tensors_must_be_possible() {
    let schema = r#"
        feature { name: "a" type: INT } feature { name: "i" type: INT } feature { name: "f" type: FLOAT }
        tensor_representation_group { key: "" value { tensor_representation { key: "d" value {
            dense_tensor { column_name: "a" shape { dim { size: 2 } } } } } } }
        tensor_representation_group { key: "sparse" value { tensor_representation { key: "s" value {
            sparse_tensor { dense_shape { dim { size: 3 } } index_column_names: "i" value_column_name: "a" } } } } }"#;
    let data = [
        batch(vec![("a", ints(&[Some(&[1, 2]), Some(&[1])])), ("i", ints(&[Some(&[0, 1]), Some(&[0])]))]),
        batch(vec![
            ("a", ints(&[Some(&[1, 2]), None, Some(&[3])])),
            ("i", ints(&[Some(&[0, 7]), None, Some(&[1])])),
        ]),
    ];
    let schema = TfmdSchema::from_text(schema).unwrap();
    let of = |group: Option<&str>| {
        let validation = SchemaValidation::builder(&schema).group(group.map(str::to_owned));
        findings_of(validation.build().unwrap(), &data)
    };
    let dense = of(None);
    assert_eq!(
        (dense[0].kind, dense[0].name.as_str(), dense[0].count, dense[0].first_row),
        (FindingKind::Representation, "d", 3, Some(1))
    );
    assert_eq!(dense.len(), 1);
    assert_eq!(
        dense[0].to_string(),
        "tensor \"d\": the schema asks for a dense tensor of shape [2] from column \"a\", which cannot be \
         made: 1 value, the shape of a row holds 2; a default of a feature spec would fill the rest (3 times, first in record 1)"
    );
    let sparse = of(Some("sparse"));
    assert_eq!((sparse[0].name.as_str(), sparse[0].count, sparse[0].first_row), ("s", 1, Some(2)));
    assert_eq!(
        sparse[0].to_string(),
        "tensor \"s\": the schema asks for a sparse tensor of shape [3] from columns \"i\", \"a\", which \
         cannot be made: the index 7 lies outside of the size 3 (once, in record 2)"
    );
    assert_eq!(sparse.len(), 1);
}

#[test]
fn a_column_that_a_batch_lacks_is_one_of_nulls() {
    let schema = |group: &str| {
        format!("feature {{ name: \"a\" type: FLOAT }} tensor_representation_group {{ value {{ {group} }} }}")
    };
    let empty = [batch(vec![("n", Arc::new(NullArray::new(2)))])];
    let tensors = |group: &str| {
        let found = findings(&schema(group), &empty);
        found
            .into_iter()
            .filter(|f| f.kind == FindingKind::Representation)
            .map(|f| f.count)
            .collect::<Vec<_>>()
    };
    let tensor = |kind: &str| format!("tensor_representation {{ key: \"t\" value {{ {kind} }} }}");
    assert_eq!(tensors(&tensor("varlen_sparse_tensor { column_name: \"a\" }")), [0u64; 0]);
    assert_eq!(tensors(&tensor("dense_tensor { column_name: \"a\" shape { } }")), [2]);
    let default = "dense_tensor { column_name: \"a\" shape { } default_value { float_value: 1 } }";
    assert_eq!(tensors(&tensor(default)), [0u64; 0]);
}

#[test]
fn an_environment_may_lack_features() {
    let schema = r#"
        default_environment: "TRAINING" default_environment: "SERVING"
        feature { name: "label" type: INT shape { } presence { min_fraction: 1 } not_in_environment: "SERVING" }
        feature { name: "a" type: INT presence { min_fraction: 1 } }
        feature { name: "extra" type: INT presence { min_fraction: 1 } in_environment: "DEBUG" not_in_environment: "TRAINING" not_in_environment: "SERVING" }"#;
    let data = [batch(vec![("a", ints(&[Some(&[1])]))])];
    let schema = TfmdSchema::from_text(schema).unwrap();
    let names = |environment: Option<&str>| {
        let validation = SchemaValidation::builder(&schema).environment(environment.map(str::to_owned));
        let found = findings_of(validation.build().unwrap(), &data);
        found.into_iter().map(|finding| finding.name).collect::<Vec<_>>()
    };
    assert_eq!(names(Some("SERVING")), [""; 0]);
    assert_eq!(names(Some("TRAINING")), ["label", "label"]);
    assert_eq!(names(Some("DEBUG")), ["extra"]);
    assert_eq!(names(None), ["label", "extra", "label"]);
}

/// Batches of other writers, where the environment names a folder with some.
#[test]
fn real_data_satisfies_what_is_inferred_of_it() {
    let Some(folder) = std::env::var_os("TFXIO_REALDATA_DIR").filter(|folder| !folder.is_empty()) else {
        println!("TFXIO_REALDATA_DIR is not set: no real data was read");
        return;
    };
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "arrows") {
            continue;
        }
        let reader =
            arrow_ipc::reader::StreamReader::try_new(std::fs::File::open(&path).unwrap(), None).unwrap();
        let batches: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
        let mut inference = tensor_repr::SchemaInference::default();
        batches.iter().for_each(|batch| inference.push(batch).unwrap());
        let schema = inference.finish().unwrap();
        assert_eq!(findings(&schema.to_text(), &batches), [], "{}", path.display());
        count += 1;
    }
    assert!(count > 0, "the folder has no Arrow stream");
}

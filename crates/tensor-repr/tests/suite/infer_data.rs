//! Schemas from data.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, LargeBinaryBuilder, LargeListBuilder, ListBuilder};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Float32Array, Float64Array, Int32Array, Int64Array,
    ListArray, NullArray, RecordBatch, RecordBatchOptions, StringArray, StringViewArray, StructArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields, Schema as ArrowSchema};
use proptest::prelude::*;
use tensor_repr::{
    Adapter, Finding, Kind, SchemaInference, SchemaInferenceOptions, SchemaValidation, TfmdSchema,
};

/// Returns the message of a schema.
fn proto(schema: &TfmdSchema) -> golden_cases::proto::metadata::v0::Schema {
    golden_cases::proto::schema(schema.as_binary())
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

fn empty_rows(rows: usize) -> RecordBatch {
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::new(ArrowSchema::empty()), Vec::new(), &options).unwrap()
}

/// Lists of integers; `None` is null.
fn ints(rows: &[Option<&[i64]>]) -> ArrayRef {
    let mut list = ListBuilder::new(Int64Builder::new());
    for row in rows {
        list.append_option(row.map(|row| row.iter().copied().map(Some)));
    }
    Arc::new(list.finish())
}

/// Lists of strings.
fn words(rows: &[&[&str]]) -> ArrayRef {
    let mut list = LargeListBuilder::new(LargeBinaryBuilder::new());
    for row in rows {
        list.append_value(row.iter().map(|word| Some(word.as_bytes())));
    }
    Arc::new(list.finish())
}

/// Returns lists of an array's elements, of these lengths.
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

fn infer(batches: &[RecordBatch]) -> TfmdSchema {
    let mut inference = SchemaInference::default();
    for batch in batches {
        inference.push(batch).unwrap();
    }
    assert_eq!(inference.rows(), batches.iter().map(|batch| batch.num_rows() as u64).sum::<u64>());
    inference.finish().unwrap()
}

fn findings(schema: &TfmdSchema, batches: &[RecordBatch]) -> Vec<Finding> {
    let mut validation = SchemaValidation::builder(schema).build().unwrap();
    for batch in batches {
        validation.push(batch).unwrap();
    }
    validation.finish()
}

/// Returns the features as text, without the group.
fn features(schema: &TfmdSchema) -> String {
    let text = schema.to_text();
    let end = text.find("tensor_representation_group").unwrap();
    text[..end].split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the default group, a line each.
fn group(schema: &TfmdSchema) -> String {
    let group = schema.group("").unwrap().unwrap();
    group.iter().map(|(name, representation)| format!("{name}: {}\n", representation.to_json())).collect()
}

#[test]
fn valency_and_presence_become_shapes_and_counts() {
    let first = batch(vec![
        ("always_two", ints(&[Some(&[1, 2]), Some(&[3, 4])])),
        ("sometimes_two", ints(&[Some(&[1, 2]), None])),
        ("at_most_one", ints(&[Some(&[1]), Some(&[])])),
        ("one_or_more", ints(&[Some(&[1]), Some(&[1, 2, 3])])),
        ("any", ints(&[Some(&[]), Some(&[1, 2, 3])])),
        ("empty", ints(&[Some(&[]), Some(&[])])),
        ("scalar", Arc::new(Float64Array::from(vec![1.0, 2.0]))),
        ("maybe", Arc::new(BooleanArray::from(vec![Some(true), None]))),
        ("nothing", Arc::new(NullArray::new(2))),
    ]);
    let second = batch(vec![
        ("always_two", ints(&[Some(&[5, 6])])),
        ("sometimes_two", ints(&[Some(&[1, 2])])),
        ("at_most_one", ints(&[Some(&[1])])),
        ("one_or_more", ints(&[Some(&[1])])),
        ("any", ints(&[Some(&[1])])),
        ("empty", ints(&[Some(&[])])),
        ("scalar", Arc::new(Float64Array::from(vec![1.0]))),
        ("late", ints(&[Some(&[7])])),
    ]);
    let batches = [first, second];
    let schema = infer(&batches);
    assert_eq!(
        features(&schema),
        "feature { name: \"always_two\" type: INT presence { min_fraction: 1.0 min_count: 1 } \
         shape { dim { size: 2 } } } \
         feature { name: \"sometimes_two\" value_count { min: 2 max: 2 } type: INT presence { min_count: 1 } } \
         feature { name: \"at_most_one\" value_count { min: 0 max: 1 } type: INT \
         presence { min_fraction: 1.0 min_count: 1 } } \
         feature { name: \"one_or_more\" value_count { min: 1 } type: INT \
         presence { min_fraction: 1.0 min_count: 1 } } \
         feature { name: \"any\" value_count { min: 0 } type: INT presence { min_fraction: 1.0 min_count: 1 } } \
         feature { name: \"empty\" value_count { min: 0 } type: INT \
         presence { min_fraction: 1.0 min_count: 1 } } \
         feature { name: \"scalar\" type: FLOAT presence { min_fraction: 1.0 min_count: 1 } shape { } } \
         feature { name: \"maybe\" type: INT presence { min_count: 1 } } \
         feature { name: \"nothing\" lifecycle_stage: PLANNED } \
         feature { name: \"late\" value_count { min: 1 max: 1 } type: INT presence { min_count: 1 } }"
    );
    assert_eq!(
        group(&schema),
        r#"always_two: {"kind":"dense","column":"always_two","shape":[2]}
any: {"kind":"varlen_sparse","column":"any"}
at_most_one: {"kind":"varlen_sparse","column":"at_most_one"}
empty: {"kind":"varlen_sparse","column":"empty"}
late: {"kind":"varlen_sparse","column":"late"}
maybe: {"kind":"dense","column":"maybe","shape":[],"default":-1}
one_or_more: {"kind":"varlen_sparse","column":"one_or_more"}
scalar: {"kind":"dense","column":"scalar","shape":[]}
sometimes_two: {"kind":"varlen_sparse","column":"sometimes_two"}
"#
    );
    schema.validate_group("").unwrap();
}

#[test]
fn sequence_features_are_features_in_a_struct() {
    let steps = lists(&[2, 1], ints(&[Some(&[1]), Some(&[2, 3]), None]));
    let images = lists(&[2, 1], ints(&[Some(&[1, 2]), Some(&[2, 3]), Some(&[4, 5])]));
    let rare = lists(&[0, 1], words(&[&["a"]]));
    let sequence = structs(vec![("steps", steps), ("images", images), ("rare", rare)], &[true, true]);
    let schema = infer(&[batch(vec![("id", ints(&[Some(&[1]), Some(&[2])])), ("##SEQUENCE##", sequence)])]);
    assert_eq!(
        features(&schema),
        "feature { name: \"id\" type: INT presence { min_fraction: 1.0 min_count: 1 } shape { dim { size: 1 } } } \
         feature { name: \"##SEQUENCE##\" type: STRUCT presence { min_fraction: 1.0 min_count: 1 } struct_domain { \
         feature { name: \"steps\" type: INT group_presence { required: true } \
         value_counts { value_count { min: 1 } value_count { min: 0 } } } \
         feature { name: \"images\" type: INT group_presence { required: true } \
         value_counts { value_count { min: 1 } value_count { min: 2 max: 2 } } } \
         feature { name: \"rare\" type: BYTES group_presence { required: true } \
         value_counts { value_count { min: 0 max: 1 } value_count { min: 1 max: 1 } } } } }"
    );
    assert_eq!(
        group(&schema),
        r###"##SEQUENCE##.images: {"kind":"ragged","column":["##SEQUENCE##","images"]}
##SEQUENCE##.rare: {"kind":"ragged","column":["##SEQUENCE##","rare"]}
##SEQUENCE##.steps: {"kind":"ragged","column":["##SEQUENCE##","steps"]}
id: {"kind":"dense","column":"id","shape":[1]}
"###
    );
    schema.validate_group("").unwrap();
}

#[test]
fn features_in_structs_are_counted_by_structs() {
    // Three structs in two rows, of which one is null; a struct in each.
    let inner = structs(
        vec![("deep", Arc::new(Int64Array::from(vec![Some(1), None, Some(3)])))],
        &[true, true, true],
    );
    let people = structs(
        vec![("age", Arc::new(Int32Array::from(vec![Some(1), Some(7), Some(2)]))), ("inner", inner)],
        &[true, false, true],
    );
    let people = lists(&[3, 0], people);
    let without = batch(vec![(
        "people",
        lists(&[1], structs(vec![("age", Arc::new(Int32Array::from(vec![9])))], &[true])),
    )]);
    let batches = [batch(vec![("people", people)]), without];
    let schema = infer(&batches);
    assert_eq!(
        features(&schema),
        "feature { name: \"people\" value_count { min: 0 } type: STRUCT presence { min_fraction: 1.0 min_count: 1 } \
         struct_domain { feature { name: \"age\" type: INT group_presence { required: true } } \
         feature { name: \"inner\" type: STRUCT struct_domain { \
         feature { name: \"deep\" type: INT group_presence { required: true } } } } } }"
    );
    assert_eq!(
        group(&schema),
        "people.age: {\"kind\":\"ragged\",\"column\":[\"people\",\"age\"]}\n\
         people.inner.deep: {\"kind\":\"ragged\",\"column\":[\"people\",\"inner\",\"deep\"]}\n"
    );
}

#[test]
fn a_few_strings_again_and_again_are_a_domain() {
    let ten = |words: &[&str]| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(words.iter().cycle().take(10)))
    };
    let long = "x".repeat(257);
    let columns = vec![
        ("city", ten(&["Rome", "Oslo"])),
        ("name", ten(&["a", "b", "c"])),
        ("long", ten(&[&long, "b"])),
        ("empty", ten(&[""])),
        ("view", Arc::new(StringViewArray::from_iter_values(["v"; 10])) as ArrayRef),
        ("int", Arc::new(Int64Array::from(vec![1; 10]))),
        ("bytes", words(&[&["ok"][..]; 10])),
    ];
    let schema = infer(&[batch(columns.clone())]);
    let text = features(&schema);
    let domains = &text[text.find("string_domain").unwrap()..];
    assert_eq!(
        domains,
        "string_domain { name: \"city\" value: \"Oslo\" value: \"Rome\" } string_domain { name: \"empty\" value: \"\" } \
         string_domain { name: \"view\" value: \"v\" } string_domain { name: \"bytes\" value: \"ok\" }"
    );
    assert!(text.contains("name: \"city\" type: BYTES domain: \"city\""), "{text}");
    assert_eq!(text.matches("domain: ").count(), 4);

    let mut options = SchemaInferenceOptions::default();
    options.max_domain_values = 1;
    options.max_domain_value_bytes = 1;
    options.min_domain_repeats = 10;
    let mut inference = SchemaInference::default().options(options);
    inference.push(&batch(columns)).unwrap();
    let schema = inference.finish().unwrap();
    let message = proto(&schema);
    let domains: Vec<_> = message.string_domain.iter().map(|domain| domain.name()).collect();
    assert_eq!(domains, ["empty", "view"]);
}

#[test]
fn a_column_that_changes_is_refused_and_leaves_no_trace() {
    let mut inference = SchemaInference::default();
    inference.push(&batch(vec![("a", ints(&[Some(&[1])])), ("n", Arc::new(NullArray::new(1)))])).unwrap();
    inference.push(&batch(vec![("n", ints(&[Some(&[1])]))])).unwrap();
    let before = inference.finish().unwrap();
    let cases: [(ArrayRef, Kind, &str); 3] = [
        (
            lists(&[1], Arc::new(Float32Array::from(vec![1.0]))),
            Kind::TypeMismatch,
            "column \"a\": FLOAT from row 2 on, INT from row 0 on",
        ),
        (
            Arc::new(Int64Array::from(vec![1])),
            Kind::TypeMismatch,
            "column \"a\": 0 levels of lists from row 2 on, 1 from row 0 on",
        ),
        (
            Arc::new(Date32Array::from(vec![1])),
            Kind::Unsupported,
            "column \"a\": no feature is of the type Date32: features are integers, floats or bytes",
        ),
    ];
    for (array, kind, text) in cases {
        let error = inference.push(&batch(vec![("new", ints(&[None])), ("a", array)])).unwrap_err();
        assert_eq!((*error.detail::<Kind>().unwrap(), error.to_string().as_str()), (kind, text));
        assert_eq!(inference.rows(), 2);
        assert_eq!(inference.finish().unwrap(), before);
    }
}

#[test]
fn no_rows_and_no_columns_are_a_schema_too() {
    assert_eq!(proto(&infer(&[])).feature, []);
    let typed = RecordBatch::new_empty(Arc::new(ArrowSchema::new(vec![Field::new(
        "a",
        DataType::new_list(DataType::Int64, true),
        true,
    )])));
    let schema = infer(&[typed.clone(), empty_rows(3)]);
    assert_eq!(features(&schema), "feature { name: \"a\" value_count { min: 0 } type: INT }");
    assert_eq!(findings(&schema, &[typed, empty_rows(3)]), []);
}

/// Returns a column of a random layout, with the same type for any number of rows.
fn column(kind: u8, rows: Vec<Option<Vec<Option<u8>>>>) -> ArrayRef {
    let lengths: Vec<usize> = rows.iter().map(|row| row.as_ref().map_or(0, Vec::len)).collect();
    let flat: Vec<Option<u8>> = rows.iter().flatten().flatten().copied().collect();
    let first = |row: &Option<Vec<Option<u8>>>| row.as_ref().and_then(|row| row.first().copied().flatten());
    match kind {
        0 => ints_of(&rows),
        1 => lists(
            &lengths,
            Arc::new(StringArray::from_iter(flat.iter().map(|v| v.map(|v| (v % 3).to_string())))),
        ),
        2 => Arc::new(Float32Array::from_iter(rows.iter().map(|row| first(row).map(f32::from)))),
        3 => lists(&lengths, lists(&vec![2; flat.len()], ints_flat(flat.len() * 2))),
        4 => {
            let valid: Vec<bool> = rows.iter().map(Option::is_some).collect();
            structs(vec![("x", ints_of(&rows)), ("y", lists(&lengths, ints_of(&split(&flat))))], &valid)
        }
        _ => {
            let valid: Vec<bool> = flat.iter().map(Option::is_some).collect();
            let x = ints_of(&split(&flat));
            lists(&lengths, structs(vec![("x", x)], &valid))
        }
    }
}

fn split(flat: &[Option<u8>]) -> Vec<Option<Vec<Option<u8>>>> {
    flat.iter().map(|value| value.map(|value| vec![Some(value); usize::from(value % 3)])).collect()
}

fn ints_flat(count: usize) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(0..count as i64))
}

fn ints_of(rows: &[Option<Vec<Option<u8>>>]) -> ArrayRef {
    let mut list = ListBuilder::new(Int64Builder::new());
    for row in rows {
        list.append_option(row.as_ref().map(|row| row.iter().map(|value| value.map(i64::from))));
    }
    Arc::new(list.finish())
}

proptest! {
    /// A schema inferred from data holds for the data, and its tensors can be made.
    #[test]
    fn data_satisfies_the_schema_that_was_made_of_it(
        kinds in proptest::collection::vec(0u8..6, 1..4),
        batches in proptest::collection::vec(
            proptest::collection::vec(proptest::option::of(proptest::collection::vec(any::<u8>().prop_map(Some), 0..4)), 0..6),
            1..4,
        ),
        cut in 0usize..3,
    ) {
        let names: Vec<String> = (0..kinds.len()).map(|at| format!("c{at}")).collect();
        let mut data = Vec::new();
        for rows in &batches {
            let columns = kinds.iter().zip(&names).map(|(&kind, name)| (name.as_str(), column(kind, rows.clone())));
            let whole = batch(columns.collect());
            let cut = cut.min(whole.num_rows());
            data.push(whole.slice(cut, whole.num_rows() - cut));
        }
        let schema = infer(&data);
        prop_assert_eq!(&TfmdSchema::from_text(&schema.to_text()).unwrap().to_text(), &schema.to_text());
        let found = findings(&schema, &data);
        prop_assert!(found.is_empty(), "{:?}\n{}", found, schema.to_text());
        let group = schema.group("").unwrap().unwrap();
        for batch in data {
            let adapter = Adapter::builder(batch.schema(), group.clone()).build().unwrap();
            adapter.tensors(&batch).unwrap();
        }
    }
}

//! Projections to some tensors.

use tfxio::{ExampleTfxIo, ReadOptions, SequenceExampleTfxIo, TensorReadOptions, TensorTfxIo, TfxIo};

use super::records::{File, example, ints, sequence_example, strings};
use super::schema;

const SCHEMA: &str = r#"
    feature { name: "a" type: INT shape { } presence { min_fraction: 1 } }
    feature { name: "b" type: INT }
    feature { name: "c" type: BYTES }
"#;

fn columns(dataset: &dyn TfxIo) -> Vec<String> {
    dataset.arrow_schema().unwrap().fields().iter().map(|field| field.name().clone()).collect()
}

fn originals(dataset: &dyn TensorTfxIo) -> Vec<String> {
    let adapter = dataset.tensor_adapter().unwrap();
    adapter.original_specs().iter().map(|(name, _)| name.to_string()).collect()
}

fn rows(dataset: &dyn TfxIo) -> usize {
    let splits = dataset.splits(1 << 20).unwrap();
    let read = |split| dataset.read(split, &ReadOptions::default()).unwrap();
    splits.iter().flat_map(read).map(|batch| batch.unwrap().num_rows()).sum()
}

#[test]
fn only_the_columns_of_the_tensors_are_read() {
    let file = File::new([
        example([("a", ints(&[1])), ("b", ints(&[2])), ("c", strings(&["x"]))]),
        // What is not read is not decoded: this one has another kind than the schema says.
        example([("a", ints(&[1])), ("b", ints(&[2])), ("c", ints(&[3]))]),
    ]);
    let builder = || ExampleTfxIo::builder([file.name()]).metadata_schema(schema(SCHEMA));
    let dataset = builder().raw_record_column("raw").build().unwrap();
    assert_eq!(columns(&dataset), ["a", "b", "c", "raw"]);
    let two = dataset.project(&["b", "a"]).unwrap();
    assert_eq!(columns(two.as_ref()), ["a", "b", "raw"]);
    assert_eq!(two.tensor_representations().unwrap().keys().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(originals(two.as_ref()), ["a", "b", "c"]);
    assert_eq!(rows(two.as_ref()), 2);

    // The first data set stays the original.
    let one = two.project(&["b"]).unwrap();
    assert_eq!((columns(one.as_ref()), originals(one.as_ref()).len()), (vec!["b".into(), "raw".into()], 3));
    let split = &one.splits(1 << 20).unwrap()[0];
    let batch = one.read_tensors(split, &TensorReadOptions::default()).unwrap().next().unwrap().unwrap();
    assert_eq!((batch.len(), super::ints(&batch[0].1)), (1, &[2, 2][..]));
    assert_eq!(
        one.project(&["a"]).map(drop).unwrap_err().to_string(),
        "there is no tensor \"a\"; there are: \"b\""
    );
    let column = ReadOptions::default().with_projection(["a"]);
    assert_eq!(
        one.read(split, &column).map(drop).unwrap_err().to_string(),
        "there is no column \"a\" in the projected data set"
    );

    let none = builder().build().unwrap().project(&[]).unwrap();
    assert_eq!((columns(none.as_ref()), originals(none.as_ref()).len(), rows(none.as_ref())), (vec![], 3, 2));
}

#[test]
fn fields_of_the_sequence_column_are_left_out_too() {
    let step = || vec![ints(&[1, 2]), ints(&[3])];
    let file = File::new([sequence_example([("user", ints(&[9]))], [("clicks", step()), ("views", step())])]);
    let text = r###"
        feature { name: "user" type: INT }
        feature { name: "##SEQUENCE##" type: STRUCT struct_domain {
            feature { name: "clicks" type: INT } feature { name: "views" type: INT } } }
    "###;
    let dataset = SequenceExampleTfxIo::builder([file.name()]).metadata_schema(schema(text)).build().unwrap();
    assert_eq!(columns(&dataset), ["user", "##SEQUENCE##"]);
    let views = dataset.project(&["##SEQUENCE##.views"]).unwrap();
    let fields = views.arrow_schema().unwrap();
    assert_eq!(fields.field(0).data_type().to_string().matches("views").count(), 1, "{fields}");
    assert!(!fields.to_string().contains("clicks") && fields.fields().len() == 1);
    let user = dataset.project(&["user"]).unwrap();
    assert_eq!((columns(user.as_ref()), rows(user.as_ref())), (vec!["user".to_owned()], 1));
}

//! Some of the tensors.

use tfxio::Tensors;
use tfxio::prelude::*;

use super::records::{File, example, ints, sequence_example, strings};
use super::{by_schema, tensors};

const SCHEMA: &str = r#"
    feature { name: "a" type: INT shape { } presence { min_fraction: 1 } }
    feature { name: "b" type: INT }
    feature { name: "c" type: BYTES }
"#;

fn columns(tensors: &Tensors) -> Vec<String> {
    let columns = tensors.request(ScanRequest::new()).columns.unwrap();
    columns.iter().map(|column| column.path.to_string()).collect()
}

fn names(tensors: &Tensors) -> Vec<&str> {
    tensors.specs().iter().map(|(name, _)| &**name).collect()
}

fn rows(tensors: &Tensors) -> usize {
    tensors.read(ScanRequest::new()).unwrap().map(|batch| batch.unwrap().num_rows()).sum()
}

#[test]
fn only_the_columns_of_the_tensors_are_read() {
    let file = File::new([
        example([("a", ints(&[1])), ("b", ints(&[2])), ("c", strings(&["x"]))]),
        // What is not read is not decoded: this one has another kind than the schema says.
        example([("a", ints(&[1])), ("b", ints(&[2])), ("c", ints(&[3]))]),
    ]);
    let dataset = by_schema(SCHEMA).open(file.name()).unwrap();
    let all = tensors(&dataset);
    assert_eq!(columns(&all), ["a", "b", "c"]);
    let two = all.select(["b", "a"]).unwrap();
    assert_eq!((columns(&two), names(&two)), (vec!["b".to_owned(), "a".to_owned()], vec!["b", "a"]));
    assert_eq!(two.original_specs().iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_eq!(rows(&two), 2);

    // The first tensors stay the originals.
    let one = two.select(["b"]).unwrap();
    assert_eq!((columns(&one), one.original_specs().len()), (vec!["b".to_owned()], 3));
    let partition = &dataset.partitions(1 << 20).unwrap()[0];
    let batch = one.scan(partition, &ScanRequest::new()).unwrap().next().unwrap().unwrap();
    assert_eq!((batch.len(), super::ints(&batch[0].1)), (1, &[2, 2][..]));
    assert_eq!(
        one.select(["word"]).map(drop).unwrap_err().to_string(),
        "there is no tensor \"word\"; the tensors are \"b\""
    );

    let none = all.select([""; 0]).unwrap();
    assert_eq!((columns(&none).len(), none.original_specs().len(), rows(&none)), (0, 3, 2));
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
    let options = OpenOptions::new().format("sequence_example").set("schema", text).unwrap();
    let dataset = options.open(file.name()).unwrap();
    let all = tensors(&dataset);
    let views = all.select(["##SEQUENCE##.views"]).unwrap();
    let fields = dataset.scan_schema(&views.request(ScanRequest::new())).unwrap();
    assert_eq!(fields.field(0).data_type().to_string().matches("views").count(), 1, "{fields}");
    assert!(!fields.to_string().contains("clicks") && fields.fields().len() == 1);
    let user = all.select(["user"]).unwrap();
    assert_eq!((columns(&user), rows(&user)), (vec!["user".to_owned()], 1));
}

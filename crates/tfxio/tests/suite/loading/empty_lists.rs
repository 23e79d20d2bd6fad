//! Lists of another kind without values are loaded as empty ones.

use tfxio::example_codec::{Example, Feature, SequenceExample};
use tfxio::prelude::*;
use tfxio::tfrecord_io::FileWriter;

use super::{config, in_every_way, loader};

const EMPTY: [Feature; 3] = [Feature::Int64(vec![]), Feature::Float(vec![]), Feature::Bytes(vec![])];

/// A file whose records have lists without values of a kind, where they have none of their own.
fn file(folder: &tempfile::TempDir, kinds: [usize; 3]) -> String {
    let file = folder.path().join("a.tfrecord").to_str().unwrap().to_owned();
    let mut writer = FileWriter::create(&file).unwrap();
    for row in 0..30_i64 {
        let [v, w, s] = kinds.map(|kind| EMPTY[kind].clone());
        let is_empty = row % 3 == 0;
        let record = Example::new()
            .int64("id", [row])
            .feature("v", if is_empty { v } else { Feature::int64(0..row % 5) })
            .feature("w", if is_empty { w } else { Feature::float([row as f32]) })
            .feature("s", if row % 4 == 1 { s } else { Feature::bytes([row.to_string()]) });
        writer.write(&record.to_vec()).unwrap();
    }
    writer.finish().unwrap();
    file
}

#[test]
fn of_features() {
    let folder = tempfile::tempdir().unwrap();
    let load = |kinds, more: &str| {
        let dataset = tfxio::open(file(&folder, kinds)).unwrap();
        let config = config(&["id", "v", "w", "s"], &format!(r#", "padding": true{more}"#));
        in_every_way(&|| loader(&dataset, &config), &format!("{kinds:?}"))
    };
    for more in ["", r#", "shuffle": true"#, r#", "filter": "id != 3""#] {
        let own = load([0, 1, 2], more);
        for kinds in [[1, 2, 0], [2, 0, 1]] {
            assert_eq!(load(kinds, more), own, "{kinds:?}");
        }
    }
}

#[test]
fn of_steps() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.tfrecord").to_str().unwrap().to_owned();
    let read = |kind: usize| {
        let mut writer = FileWriter::create(&file).unwrap();
        for row in 0..10_i64 {
            let steps = [EMPTY[kind].clone(), Feature::int64([row, 7]), EMPTY[kind].clone()];
            let context = Example::new().feature("c", EMPTY[kind].clone()).int64("id", [row]);
            writer.write(&SequenceExample::new().context(context).steps("s", steps).to_vec()).unwrap();
        }
        writer.finish().unwrap();
        let schema = r###"
            feature { name: "c" type: INT }
            feature { name: "id" type: INT shape { dim { size: 1 } } }
            feature { name: "##SEQUENCE##" type: STRUCT struct_domain { feature { name: "s" type: INT } } }"###;
        let open = |options: OpenOptions| {
            let dataset = options.format("sequence_example").open(file.as_str()).unwrap();
            let batches = dataset.read(ScanRequest::new()).unwrap();
            batches.map(|batch| batch.unwrap()).collect::<Vec<_>>()
        };
        let given = open(OpenOptions::new().set("schema", schema).unwrap());
        (given, open(OpenOptions::new()))
    };
    let own = read(0);
    assert_eq!(own.0[0].num_rows(), 10);
    for kind in [1, 2] {
        let (given, inferred) = read(kind);
        assert_eq!(given, own.0);
        // What never has a value has the kind of its lists.
        let types = inferred[0].schema().field(0).data_type().clone();
        assert_ne!(types, *own.1[0].schema().field(0).data_type());
        assert_eq!(inferred[0].columns()[1..], own.1[0].columns()[1..]);
    }
}

//! Files of other writers with the schemas that came with them. Set `TFXIO_REALDATA_DIR` to the folder that has them;
//! without it there is nothing to do here.

use std::path::{Path, PathBuf};

use arrow_array::{Array as _, RecordBatch};
use arrow_ipc::reader::StreamReader;
use tfxio::prelude::*;
use tfxio::tensor_repr::{Adapter, Tensor, TfmdSchema};

/// A file, its schema, and whether it has the columns that tfx-bsl decoded with it.
const FILES: &[(&str, &str, bool)] = &[
    ("tfx-penguin-eval.tfrecord.gz", "tfx-penguin-schema.pbtxt", true),
    ("tfx-penguin-train.tfrecord.gz", "tfx-penguin-schema.pbtxt", false),
    ("tfx-taxi-csvgen-eval-00007-of-00012.tfrecord.gz", "tfx-taxi-schema.pbtxt", true),
    ("tfx-taxi-evaluator-2019.tfrecord.gz", "tfx-taxi-user-schema.pbtxt", true),
    ("tfx-taxi-raw-2019-00000-of-00003.tfrecord.gz", "tfx-taxi-user-schema.pbtxt", false),
    ("tfx-sequence-eval.tfrecord.gz", "tfx-sequence-schema.pbtxt", true),
];

fn folder() -> Option<PathBuf> {
    std::env::var_os("TFXIO_REALDATA_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from)
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

fn expected(path: &Path) -> RecordBatch {
    let file = std::fs::File::open(path).unwrap();
    StreamReader::try_new(file, None).unwrap().next().unwrap().unwrap()
}

/// All rows of a file as one batch, and its tensors of one batch.
fn read(file: &Path, schema: &Path) -> (RecordBatch, Vec<(String, Tensor)>) {
    let format = if text(file).contains("sequence") { "sequence_example" } else { "example" };
    let options = OpenOptions::new().format(format).set("schema", text(schema)).unwrap();
    let dataset = options.open(file).unwrap();
    let rows = || ScanRequest::new().batch_rows(1 << 20);
    let batch = dataset.read(rows()).unwrap().next().unwrap().unwrap();
    let representations = dataset.representations().unwrap();
    let chosen = dataset.tensors(representations.clone()).unwrap();
    let tensors = chosen.read(rows()).unwrap().next().unwrap().unwrap();
    for ((name, tensor), (_, spec)) in tensors.iter().zip(chosen.specs()) {
        assert!(spec.accepts(tensor), "{name} is {}, its spec {spec}", tensor.spec());
        assert_eq!(tensor.rows(), batch.num_rows(), "{name}");
    }
    assert_eq!(tensors.len(), representations.len());
    let tensors = tensors.into_tensors().into_iter();
    (batch, tensors.map(|(name, tensor)| (name.to_string(), tensor)).collect())
}

#[test]
fn real_files_with_their_schemas() {
    let Some(folder) = folder() else { return };
    for (name, schema, has_columns) in FILES {
        let (file, schema) = (folder.join(name), folder.join(schema));
        let (batch, tensors) = read(&file, &schema);
        if !has_columns {
            continue;
        }
        let columns = expected(&folder.join(format!("{name}.with-schema.expected.arrows")));
        let data =
            |batch: &RecordBatch| batch.columns().iter().map(|column| column.to_data()).collect::<Vec<_>>();
        assert!(data(&batch) == data(&columns), "{name}: other columns");
        // Tensors that were read are those of the columns that tfx-bsl decoded.
        let schema = TfmdSchema::from_text(&std::fs::read_to_string(&schema).unwrap()).unwrap();
        let representations = schema.representations(None).unwrap();
        let adapter = Adapter::builder(columns.schema(), representations).build().unwrap();
        let theirs = adapter.tensors(&columns).unwrap();
        assert_eq!(tensors.len(), theirs.len());
        for ((name, ours), (_, theirs)) in tensors.iter().zip(&theirs) {
            assert_eq!(ours, theirs, "{name}");
        }
    }
}

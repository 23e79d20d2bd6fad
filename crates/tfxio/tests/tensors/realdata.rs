//! Files of other writers with the schemas that came with them. Set `TFXIO_REALDATA_DIR` to the folder that has them;
//! without it there is nothing to do here.

use std::path::{Path, PathBuf};

use arrow_array::{Array as _, RecordBatch};
use arrow_ipc::reader::StreamReader;
use tfxio::tensor_repr::{Adapter, Schema, Tensor};
use tfxio::{ExampleTfxIo, ReadOptions, SequenceExampleTfxIo, TensorReadOptions, TensorTfxIo};

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

/// All batches of a file as one, and its tensors of one batch.
fn read(file: &Path, schema: &Path) -> (RecordBatch, Vec<(String, Tensor)>) {
    fn of<F: tfxio::LogicalFormat>(
        builder: tfxio::TfRecordTfxIoBuilder<F>,
        schema: &Path,
    ) -> (RecordBatch, Vec<(String, Tensor)>) {
        let dataset = builder.schema_file(text(schema)).build().unwrap();
        let rows = ReadOptions::default().with_batch_size(1 << 20);
        let batch = dataset.read_all(&rows).unwrap().next().unwrap().unwrap();
        let reader =
            dataset.read_all_tensors(&TensorReadOptions::default().with_batch_size(1 << 20)).unwrap();
        let specs = reader.specs().to_vec();
        let tensors = super::only(reader);
        for ((name, tensor), (_, spec)) in tensors.iter().zip(&specs) {
            assert!(spec.accepts(tensor), "{name} is {}, its spec {spec}", tensor.spec());
            assert_eq!(tensor.rows(), batch.num_rows(), "{name}");
        }
        let representations = dataset.tensor_representations().unwrap();
        assert_eq!(tensors.len(), representations.len());
        (batch, tensors.into_iter().map(|(name, tensor)| (name.to_string(), tensor)).collect())
    }
    let name = [text(file)];
    if text(file).contains("sequence") {
        of(SequenceExampleTfxIo::builder(name), schema)
    } else {
        of(ExampleTfxIo::builder(name), schema)
    }
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
        let schema = Schema::from_text(&std::fs::read_to_string(&schema).unwrap()).unwrap();
        let representations = schema.representations(None).unwrap();
        let adapter = Adapter::builder(columns.schema(), representations).build().unwrap();
        let theirs = adapter.tensors(&columns).unwrap();
        assert_eq!(tensors.len(), theirs.len());
        for ((name, ours), (_, theirs)) in tensors.iter().zip(&theirs) {
            assert_eq!(ours, theirs, "{name}");
        }
    }
}

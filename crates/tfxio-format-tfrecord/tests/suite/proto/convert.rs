//! Messages become files of other formats, and messages again.

use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, RecordBatch};
use tfxio_convert::{Conversion, ConversionBuilder};
use tfxio_formats::OpenOptions;
use tfxio_formats::tfxio_core::{ColumnPath, ScanRequest};

use crate::proto::{With as _, fixture, read};

/// File of messages, and their type.
struct Messages {
    file: String,
    descriptor: String,
    message: &'static str,
    layout: &'static str,
}

impl Messages {
    fn options(&self) -> OpenOptions {
        let options = OpenOptions::new().format("proto").with("descriptor", &self.descriptor);
        options.with("message", self.message).with("layout", self.layout)
    }

    fn batch(&self, file: &str) -> RecordBatch {
        read(&self.options().open([file]).unwrap(), ScanRequest::new())
    }

    /// Converts to a file, and back; the columns are the same then, and the bytes if they were written in the usual order.
    fn round_trip(&self, between: &str) {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| -> PathBuf { folder.path().join(name) };
        let there = Conversion::builder([self.file.as_str()], at(between)).input_format("proto");
        let of_messages = |builder: ConversionBuilder| {
            let builder = builder.set("descriptor", self.descriptor.as_str()).unwrap();
            builder.set("message", self.message).unwrap()
        };
        let there = of_messages(there).set("layout", self.layout).unwrap();
        there.build().unwrap().run(|_| {}).unwrap();
        let back = Conversion::builder([at(between).to_str().unwrap()], at("back.tfrecord"));
        of_messages(back).prefer("layout", self.layout).lossless(true).build().unwrap().run(|_| {}).unwrap();
        assert_eq!(self.batch(at("back.tfrecord").to_str().unwrap()), self.batch(&self.file), "{between}");
    }
}

#[test]
fn messages_come_back_from_tables() {
    for layout in ["plain", "structured"] {
        let rides = Messages {
            file: fixture("rides.tfrecord"),
            descriptor: fixture("rides.proto"),
            message: "rides.Ride",
            layout,
        };
        assert_eq!(rides.batch(&rides.file).num_rows(), 40);
        rides.round_trip("rides.parquet");
        rides.round_trip("rides.arrow");
    }
}

/// Events of TensorBoard, by a part of their descriptor.
#[test]
fn events_of_tensorboard_are_read_and_converted() {
    // Without the variable there is nothing to read.
    let Some(folder) = std::env::var_os("TFXIO_REALDATA_DIR") else { return };
    let source = r#"syntax = "proto3"; package tensorflow;
        message Event {
            double wall_time = 1;
            int64 step = 2;
            oneof what {
                string file_version = 3;
                bytes graph_def = 4;
                Summary summary = 5;
                bytes meta_graph_def = 9;
            }
        }
        message Summary {
            message Value { string tag = 1; oneof value { float simple_value = 2; bytes tensor = 8; } string node_name = 7; }
            repeated Value value = 1;
        }"#;
    let here = tempfile::tempdir().unwrap();
    let descriptor = here.path().join("event.proto");
    std::fs::write(&descriptor, source).unwrap();
    let events = Messages {
        file: Path::new(&folder).join("tfx-events-eval-2019.tfevents").to_str().unwrap().to_owned(),
        descriptor: descriptor.to_str().unwrap().to_owned(),
        message: "tensorflow.Event",
        layout: "plain",
    };
    let batch = events.batch(&events.file);
    let kinds = (0..batch.num_rows()).map(|row| {
        let is_set = |name: &&&str| batch.column_by_name(name).unwrap().is_valid(row);
        let kinds = ["file_version", "graph_def", "summary", "meta_graph_def"];
        kinds.iter().filter(is_set).copied().collect::<Vec<_>>().join(" ")
    });
    let expected =
        ["file_version", "graph_def", "meta_graph_def", "summary", "summary", "summary", "summary"];
    assert_eq!(kinds.collect::<Vec<_>>(), expected);
    let versions = batch.column_by_name("file_version").unwrap().as_string::<i64>();
    assert_eq!(versions.value(0), "brain.Event:2");
    let tags = ColumnPath::new(["summary", "value", "tag"]);
    let data = events.options().open([events.file.as_str()]).unwrap();
    let tags = read(&data, ScanRequest::new().columns([tags]));
    assert_eq!((tags.num_rows(), tags.num_columns()), (7, 1));
    events.round_trip("events.parquet");
    events.round_trip("events.arrow");
    events.round_trip("events.jsonl");
}

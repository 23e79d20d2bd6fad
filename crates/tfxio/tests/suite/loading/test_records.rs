//! The same records in files of every format.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use golden_cases::proto::tensorflow::feature::Kind;
use golden_cases::proto::tensorflow::{BytesList, Example, Feature, Features, FloatList, Int64List};
use prost::Message as _;
use tfxio::convert::Conversion;
use tfxio::prelude::*;
use tfxio::tfrecord_io::FileWriter;

/// A record: `id` and `w` have one value, `v` a few, `s` one text. What is `None` is absent.
#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) id: i64,
    v: Option<Vec<i64>>,
    w: Option<f32>,
    s: Option<String>,
}

/// Features of the records.
pub(crate) const FEATURES: [&str; 4] = ["id", "v", "w", "s"];

/// Two files of records numbered on; of some every second feature is absent.
pub(crate) fn rows(absent: bool) -> [Vec<Row>; 2] {
    let row = |id: i64| Row {
        id,
        v: Some((0..=id % 4).map(|at| 10 * id + at).collect()).filter(|_| !absent || id % 3 > 0),
        w: Some(id as f32 + 0.5).filter(|_| !absent || id % 5 > 0),
        s: Some(format!("row {id}")).filter(|_| !absent || id % 2 > 0),
    };
    [(0..23).map(row).collect(), (23..34).map(row).collect()]
}

impl Row {
    pub(crate) fn example(&self) -> Vec<u8> {
        let ints = |value: &[i64]| Kind::Int64List(Int64List { value: value.to_vec() });
        let kinds = [
            ("id", Some(ints(&[self.id]))),
            ("v", self.v.as_deref().map(ints)),
            ("w", self.w.map(|value| Kind::FloatList(FloatList { value: vec![value] }))),
            (
                "s",
                self.s.as_ref().map(|text| Kind::BytesList(BytesList { value: vec![text.clone().into()] })),
            ),
        ];
        let present = kinds
            .into_iter()
            .filter_map(|(name, kind)| Some((name.to_owned(), Feature { kind: Some(kind?) })));
        Example { features: Some(Features { feature: present.collect() }) }.encode_to_vec()
    }

    /// A message of [`PROTO`].
    fn message(&self) -> Vec<u8> {
        #[derive(Clone, PartialEq, prost::Message)]
        struct Made {
            #[prost(int64, repeated, tag = "1")]
            id: Vec<i64>,
            #[prost(int64, repeated, tag = "2")]
            v: Vec<i64>,
            #[prost(float, repeated, tag = "3")]
            w: Vec<f32>,
            #[prost(string, repeated, tag = "4")]
            s: Vec<String>,
        }
        let (v, w) = (self.v.clone().unwrap_or_default(), self.w.into_iter().collect());
        Made { id: vec![self.id], v, w, s: self.s.clone().into_iter().collect() }.encode_to_vec()
    }
}

const PROTO: &str = "syntax = \"proto3\";
message Row { repeated int64 id = 1; repeated int64 v = 2; repeated float w = 3; repeated string s = 4; }\n";

/// A folder of files, two of each ending.
pub(crate) struct Made {
    folder: tempfile::TempDir,
    pub(crate) rows: [Vec<Row>; 2],
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

impl Made {
    pub(crate) fn new(rows: [Vec<Row>; 2]) -> Self {
        let made = Self { folder: tempfile::tempdir().unwrap(), rows };
        made.records("tfrecord", Row::example);
        made
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn records(&self, ending: &str, record: fn(&Row) -> Vec<u8>) -> [String; 2] {
        let names = self.names(ending);
        for (name, rows) in names.iter().zip(&self.rows) {
            let mut writer = FileWriter::create(name).unwrap();
            rows.iter().for_each(|row| writer.write(&record(row)).unwrap());
            writer.finish().unwrap();
        }
        names
    }

    pub(crate) fn names(&self, ending: &str) -> [String; 2] {
        ["a", "b"].map(|name| text(&self.path(&format!("{name}.{ending}"))))
    }

    /// Files of an ending, converted from TFRecord.
    pub(crate) fn converted(&self, ending: &str) -> [String; 2] {
        let (inputs, outputs) = (self.names("tfrecord"), self.names(ending));
        for (input, output) in inputs.into_iter().zip(&outputs) {
            let mut conversion = Conversion::builder([input], output.as_str());
            if ending.starts_with("csv") {
                conversion = conversion.set("secondary_delimiter", "|").unwrap();
            }
            if ending == "parquet" {
                conversion = conversion.set("row_group_rows", 5).unwrap();
            }
            conversion.build().unwrap().run(|_| {}).unwrap();
        }
        outputs
    }

    /// Files of messages.
    pub(crate) fn messages(&self) -> Arc<dyn Dataset> {
        std::fs::write(self.path("row.proto"), PROTO).unwrap();
        let options = OpenOptions::new().format("proto");
        let options = options.set("descriptor", text(&self.path("row.proto"))).unwrap();
        options.set("message", "Row").unwrap().open(self.records("messages.tfrecord", Row::message)).unwrap()
    }

    /// A data set of an ending, whose files are made.
    pub(crate) fn open(&self, ending: &str) -> Arc<dyn Dataset> {
        match ending {
            "tfrecord" => tfxio::open(self.names(ending)).unwrap(),
            "messages" => self.messages(),
            _ if ending.starts_with("csv") => {
                let options = OpenOptions::new().set("secondary_delimiter", "|").unwrap();
                let options = options.set("multivalent_columns", "v").unwrap();
                options.open(self.converted(ending)).unwrap()
            }
            _ => tfxio::open(self.converted(ending)).unwrap(),
        }
    }
}

/// Extensions of all formats. Files that end in `gz` can be neither split nor entered.
pub(crate) const ENDINGS: [&str; 10] =
    ["avro", "parquet", "arrow", "arrows", "csv", "jsonl", "messages", "tfrecord.gz", "csv.gz", "jsonl.gz"];

//! Records of any protobuf type, by their descriptor.

mod convert;
mod filtering;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{Array as _, RecordBatch};
use tfxio_formats::tfxio_core::{
    Cancel, ColumnPath, Dataset, DatasetSpec, ErrorKind, FormatOptions, Input, LocalStore, RecordFormat as _,
    ScanRequest, Store,
};
use tfxio_formats::{DatasetExt as _, Error, OpenOptions, ProtoFormat, SpecExt as _};

fn fixture(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/messages")
        .join(name)
        .to_str()
        .unwrap()
        .to_owned()
}

/// Options whose keys exist.
trait With {
    fn with(self, key: &str, value: &str) -> Self;
}

impl With for OpenOptions {
    fn with(self, key: &str, value: &str) -> Self {
        self.set(key, value).unwrap()
    }
}

fn rides() -> OpenOptions {
    OpenOptions::new().format("proto").with("descriptor", &fixture("rides.proto"))
}

fn open(options: OpenOptions) -> Result<Arc<dyn Dataset>, Error> {
    options.open([fixture("rides.tfrecord")])
}

fn read(data: &Arc<dyn Dataset>, request: ScanRequest) -> RecordBatch {
    let mut batches = data.read(request).unwrap();
    batches.next().unwrap().unwrap()
}

fn ride(options: OpenOptions) -> OpenOptions {
    options.with("message", "rides.Ride")
}

#[test]
fn columns_are_those_of_the_message() {
    let data = open(ride(rides())).unwrap();
    let names = data.schema().fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>();
    assert_eq!(names, ["id", "stops", "payment", "tip", "seconds", "extras", "name", "badge"]);
    assert_eq!(data.schema().field(0).data_type().to_string(), "LargeList(Int64)");
    assert_eq!(read(&data, ScanRequest::new()).num_rows(), 40);
    let plain =
        open(ride(rides()).with("layout", "plain").with("enums", "numbers").with("offsets", "32")).unwrap();
    assert_eq!(plain.schema().field(0).data_type().to_string(), "Int64");
    assert_eq!(plain.schema().field(2).data_type().to_string(), "Int32");
    assert_eq!(plain.schema().field(6).data_type().to_string(), "Utf8");
}

#[test]
fn a_request_has_its_columns_in_its_order() {
    let data = open(ride(rides()).with("layout", "plain")).unwrap();
    let all = read(&data, ScanRequest::new());
    let latitude = ColumnPath::new(["stops", "latitude"]);
    let columns = [ColumnPath::from("payment"), latitude, ColumnPath::from("id")];
    let some = read(&data, ScanRequest::new().columns(columns));
    assert_eq!((some.num_columns(), some.num_rows()), (3, 40));
    assert_eq!(some.column(0), all.column(2));
    assert_eq!(some.column(2), all.column(0));
    assert_eq!(
        some.column(1).data_type().to_string(),
        "LargeList(non-null Struct(\"latitude\": non-null Float64))"
    );
    let unknown = data.scan_schema(&ScanRequest::new().columns(["stop"])).unwrap_err();
    assert_eq!(unknown.to_string(), "there is no column \"stop\"; did you mean \"stops\"?");
}

#[test]
fn partitions_cover_every_record_once() {
    let data = open(ride(rides())).unwrap();
    let all = read(&data, ScanRequest::new());
    for target in [1, 300, 1 << 20] {
        let mut rows = Vec::new();
        for partition in data.partitions(target).unwrap() {
            let mut scan = data.scan(&partition, &ScanRequest::new().batch_rows(7)).unwrap();
            while let Some(batch) = scan.next_batch().unwrap() {
                rows.push(batch.columns().clone());
            }
        }
        assert_eq!(rows.iter().map(RecordBatch::num_rows).sum::<usize>(), 40);
        let mut at = 0;
        for batch in rows {
            assert_eq!(batch, all.slice(at, batch.num_rows()));
            at += batch.num_rows();
        }
    }
}

#[test]
fn another_process_needs_no_descriptor_file() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("rides.proto");
    std::fs::copy(fixture("rides.proto"), &source).unwrap();
    let options = OpenOptions::new().format("proto").with("descriptor", source.to_str().unwrap());
    let data = open(ride(options).with("layout", "plain")).unwrap();
    let spec = serde_json::to_string(&data.spec().unwrap()).unwrap();
    std::fs::remove_file(&source).unwrap();
    let spec: DatasetSpec = serde_json::from_str(&spec).unwrap();
    let again = spec.open().unwrap();
    assert_eq!(again.schema(), data.schema());
    assert_eq!(read(&again, ScanRequest::new()), read(&data, ScanRequest::new()));
}

#[test]
fn what_was_read_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    for layout in ["plain", "structured"] {
        let data = open(ride(rides()).with("layout", layout)).unwrap();
        let arrow = written(&folder, layout, &data);
        let again = ride(rides()).with("layout", layout).open([arrow.to_str().unwrap()]).unwrap();
        assert_eq!(read(&again, ScanRequest::new()), read(&data, ScanRequest::new()), "{layout}");
    }
}

/// Writes a data set as messages.
fn written(folder: &tempfile::TempDir, name: &str, data: &Arc<dyn Dataset>) -> PathBuf {
    let path = folder.path().join(format!("{name}.tfrecord"));
    let options = FormatOptions::default()
        .option("records", "proto")
        .option("descriptor", fixture("rides.proto"))
        .option("message", "rides.Ride");
    let formats = tfxio_formats::formats();
    let format = formats.file_format("tfrecord").unwrap();
    let mut sink = format.sink(path.to_str().unwrap(), data.schema(), &options).unwrap();
    for partition in data.partitions(u64::MAX).unwrap() {
        let mut scan = data.scan(&partition, &ScanRequest::new().batch_rows(9)).unwrap();
        while let Some(batch) = scan.next_batch().unwrap() {
            sink.write(&batch).unwrap();
        }
    }
    assert_eq!(sink.finish().unwrap().rows, 40);
    path
}

#[test]
fn what_is_wrong_is_said() {
    let text = |options: OpenOptions| open(options).unwrap_err().to_string();
    let source = fixture("rides.proto");
    assert_eq!(
        text(OpenOptions::new().format("proto")),
        "messages of any protobuf type need a descriptor; state a file with it: the option `descriptor`, on the command \
         line `--descriptor FILE`"
    );
    assert_eq!(
        text(rides()),
        format!(
            "{source}: the descriptors have several messages, and none was chosen; name one of them: \"rides.Stop\", \
             \"rides.Ride\"; the option is `message`, on the command line `--message NAME`"
        )
    );
    assert_eq!(
        text(rides().with("message", "Rides")),
        format!("{source}: there is no message \"Rides\"; the messages are \"rides.Stop\", \"rides.Ride\"")
    );
    assert_eq!(
        text(ride(OpenOptions::new().format("proto").with("descriptor", &fixture("rides.tfrecord")))),
        format!(
            "{}: this is not a FileDescriptorSet: it has a field 7 that no set has; write one by `protoc \
             --include_imports --descriptor_set_out=FILE`; the name of a source ends in .proto, and that of a set does not",
            fixture("rides.tfrecord")
        )
    );
    assert!(text(rides().with("descriptor", "no.proto")).starts_with("no.proto: "));
    assert!(
        text(rides().with("descriptor", "base64:?")).starts_with("the option \"descriptor\" is not base64: ")
    );
    let stop = open(rides().with("message", "rides.Stop")).unwrap();
    let error = stop.read(ScanRequest::new()).unwrap().next().unwrap().unwrap_err().to_string();
    assert!(
        error.contains("record 0, at latitude: the field 1 is written as a varint, and its type as 8 bytes"),
        "{error}"
    );
}

/// Files that are not the files of the same names on the disk.
#[derive(Debug)]
struct Remote;

impl Store for Remote {
    fn list(&self, pattern: &str) -> Result<Vec<Arc<str>>, Error> {
        LocalStore.list(pattern)
    }

    fn size(&self, name: &str) -> Result<Option<u64>, Error> {
        LocalStore.size(name)
    }

    fn open(&self, name: &str, range: Range<u64>, cancel: &Cancel) -> Result<Box<dyn Input>, Error> {
        LocalStore.open(name, range, cancel)
    }
}

#[test]
fn a_source_in_a_store_is_not_compiled() {
    let options = FormatOptions::default().option("descriptor", fixture("rides.proto"));
    let mut options = options.option("message", "rides.Ride");
    assert!(ProtoFormat.planner(&options).is_ok());
    options.store = Some(Arc::new(Remote));
    let error = ProtoFormat.planner(&options).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(
        error.to_string(),
        format!(
            "{}: a .proto source that is not a local file is not compiled; state a FileDescriptorSet: `protoc \
             --include_imports --descriptor_set_out=FILE` writes one",
            fixture("rides.proto")
        )
    );
    let path = Path::new(&fixture("rides.proto")).canonicalize().unwrap();
    let url = format!("file://{}", path.display());
    assert!(open(ride(OpenOptions::new().format("proto").with("descriptor", &url))).is_ok());
}

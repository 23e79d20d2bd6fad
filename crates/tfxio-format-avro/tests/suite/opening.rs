//! Meaning of the options and of the columns of a request.

use tfxio_core::{ColumnPath, ErrorKind, FileFormat as _, Files, FormatOptions, Formats, ScanRequest};
use tfxio_formats::AvroFormat;
use tfxio_formats::avro_path::container::Codec;

use crate::test_files::{BOTH, TestFiles, all, container, numbers, plain};

fn people() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/avro/people.avro").to_owned()
}

fn refused(options: FormatOptions) -> String {
    let made = TestFiles::new().file(0, &container(false, Codec::Null, 0..3, 50));
    let files = Files::local(made.files.clone()).unwrap();
    AvroFormat.open(files, &options).expect_err("refused").to_string()
}

#[test]
fn the_format_is_found_by_name_ending_and_first_bytes() {
    let formats = Formats::empty().register(AvroFormat).unwrap();
    assert_eq!(formats.file_format("avro").unwrap().name(), "avro");
    assert_eq!(formats.by_ending("a.AVRO").unwrap().name(), "avro");
    assert_eq!(formats.by_first_bytes(b"Obj\x01rest").unwrap().name(), "avro");
    assert!(formats.by_first_bytes(b"Obj\x02").is_none());
}

#[test]
fn what_is_wrong_with_options_is_said() {
    assert_eq!(
        refused(FormatOptions::default().option("layuot", "plain")),
        "the format avro has no option \"layuot\"; did you mean \"layout\"?"
    );
    assert!(refused(FormatOptions::default().option("keys", "n[")).contains("column 3"));
    assert!(refused(FormatOptions::default().option("keys", "m")).contains("\"m\""));
    assert_eq!(
        refused(FormatOptions::default().option("reader_schema", "/nowhere/a.avsc")),
        "/nowhere/a.avsc: opening the file failed: no such file; check the path"
    );
    let text = refused(FormatOptions::default().option("reader_schema", "{\"type\": \"lnog\"}"));
    assert!(text.starts_with("the option \"reader_schema\" is not an Avro schema: "), "{text}");
}

#[test]
fn the_schema_is_that_of_the_options() {
    let made = TestFiles::new().file(0, &container(false, Codec::Null, 0..3, 50));
    let types = |options| {
        let dataset = made.open(options);
        let fields = dataset.schema().fields().iter();
        fields.map(|field| format!("{}: {}", field.name(), field.data_type())).collect::<Vec<_>>()
    };
    assert_eq!(types(plain().option("offsets", "32"))[..2], ["n: Int64", "text: Utf8"]);
    assert_eq!(types(plain().option("fields", vec!["text".to_owned()])), ["text: LargeUtf8"]);
    assert_eq!(types(FormatOptions::default())[0], "n: LargeList(Int64)");
    assert_eq!(types(plain().option("keys", vec!["below[*]".to_owned()])), ["below[*]: LargeList(Int32)"]);
}

#[test]
fn columns_of_a_request_come_in_its_order() {
    let made = TestFiles::new().file(0, &container(false, Codec::Deflate, 0..9, 50));
    for options in
        [plain(), plain().option("keys", vec!["n".to_owned(), "text".to_owned(), "below[*]".to_owned()])]
    {
        let dataset = made.open(options);
        let whole = dataset.partitions(u64::MAX).unwrap().remove(0);
        let request = ScanRequest::new().columns(["text", "n"]);
        let mut scan = dataset.scan(&whole, &request).unwrap();
        let names = scan.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
        assert_eq!(names, ["text", "n"]);
        let batch = scan.next_batch().unwrap().unwrap();
        assert_eq!(numbers(&batch).values(), &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
        let error = dataset.scan(&whole, &ScanRequest::new().columns(["txet"])).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().starts_with("there is no column \"txet\""), "{error}");
    }
}

#[test]
fn a_field_of_a_column_leaves_the_others_out() {
    let files = Files::local([people()]).unwrap();
    let dataset = AvroFormat.open(files, &plain().option("max_depth", 1_u64)).unwrap();
    let whole = dataset.partitions(u64::MAX).unwrap().remove(0);
    let paths = [ColumnPath::new(["name", "first"]), ColumnPath::from("age")];
    let scan = dataset.scan(&whole, &ScanRequest::new().columns(paths)).unwrap();
    let fields = scan.schema().fields();
    assert_eq!(fields.iter().map(|field| field.name().as_str()).collect::<Vec<_>>(), ["name", "age"]);
    assert!(fields[0].data_type().to_string().contains("first"), "{}", fields[0].data_type());
    assert!(!fields[0].data_type().to_string().contains("last"), "{}", fields[0].data_type());
    let deep = ScanRequest::new().columns([ColumnPath::new(["nmae", "first"])]);
    let error = dataset.scan(&whole, &deep).err().unwrap();
    assert!(error.to_string().starts_with("there is no column \"nmae\""), "{error}");
}

#[test]
fn a_description_opens_the_same_data_set_without_looking_at_it() {
    let made = TestFiles::new().file(0, &container(false, Codec::Null, 0..40, 50));
    let dataset = made.open(plain().option("reader_schema", BOTH));
    let spec = serde_json::to_string(&dataset.spec().unwrap()).unwrap();
    let spec: tfxio_core::DatasetSpec = serde_json::from_str(&spec).unwrap();
    assert_eq!(spec.format, "avro");
    let mut options = FormatOptions::default();
    for (key, value) in spec.options {
        options = options.option(key, value);
    }
    options.schema = Some(spec.schema);
    let bytes = std::fs::read(&*made.files[0]).unwrap();
    std::fs::write(&*made.files[0], b"not now").unwrap();
    let again = AvroFormat.open(Files::local(spec.files).unwrap(), &options).unwrap();
    assert_eq!(again.schema(), dataset.schema());
    std::fs::write(&*made.files[0], bytes).unwrap();
    let whole = again.partitions(u64::MAX).unwrap().remove(0);
    assert_eq!(all(&mut *again.scan(&whole, &ScanRequest::new()).unwrap()), made.records);
    let text = refused(options.option("reader_schema", "\"long\""));
    assert!(text.starts_with("the columns are value: Int64, and n: Int64, text: LargeUtf8 when"), "{text}");
}

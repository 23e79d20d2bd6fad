//! Detection of formats, and opening of data sets by their descriptions.

use tfxio_formats::tfxio_core::{Dataset, DatasetSpec, ErrorKind, Formats, Partition, Result, ScanRequest};
use tfxio_formats::{OpenOptions, SpecExt as _, open};

use crate::seam::test_files::{FileLayout, write};

fn fixture(name: &str) -> String {
    format!("{}/../../fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn names(dataset: &dyn Dataset) -> Vec<String> {
    dataset.schema().fields().iter().map(|field| field.name().clone()).collect()
}

#[test]
fn first_bytes_say_the_format_whatever_the_name() {
    let folder = tempfile::tempdir().unwrap();
    for layout in FileLayout::ALL {
        let path = write(folder.path(), &format!("{layout:?}.data"), layout, 50);
        let dataset = OpenOptions::new().set("column", "x").unwrap().open(&path).unwrap();
        assert_eq!(names(&*dataset), ["x"]);
        assert_eq!(dataset.spec().unwrap().format, "tfrecord");
    }
    let empty = folder.path().join("empty.tfrecord-00000-of-00001");
    std::fs::write(&empty, b"").unwrap();
    assert_eq!(names(&*open(&empty).unwrap()), [""; 0]);
}

#[test]
fn records_say_their_format() {
    let sessions = open(fixture("tensors/sessions.tfrecord")).unwrap();
    let spec = sessions.spec().unwrap();
    assert_eq!(spec.options["records"], "sequence_example".into());
    assert!(names(&*sessions).contains(&"##SEQUENCE##".to_owned()));
    let features = OpenOptions::new().format("example").open(fixture("tensors/sessions.tfrecord")).unwrap();
    assert!(!names(&*features).contains(&"##SEQUENCE##".to_owned()));
}

#[test]
fn what_contradicts_or_is_not_known_is_said() {
    let text = |result: Result<_>| match result {
        Ok(_) => panic!("opened"),
        Err(error) => error.to_string(),
    };
    let folder = tempfile::tempdir().unwrap();
    let unknown = folder.path().join("a.txt");
    std::fs::write(&unknown, b"a,b\n1,2\n").unwrap();
    let name = unknown.to_str().unwrap();
    assert!(text(open(&unknown)).starts_with(&format!(
        "{name}: this is text, and neither its beginning nor the name says which format it is of; state its format: "
    )));
    let binary = folder.path().join("a.bin");
    std::fs::write(&binary, [0, 1, 2, 255]).unwrap();
    let name = binary.to_str().unwrap();
    assert!(
        text(open(&binary))
            .starts_with(&format!("{name}: the format is not known by the first bytes or the name; ")),
    );
    assert_eq!(
        text(OpenOptions::new().format("exmaple").open(&unknown)),
        "there is no format \"exmaple\"; did you mean \"example\"?"
    );
    let error = OpenOptions::new().set("infer_record", 3).map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "there is no option \"infer_record\"; did you mean \"infer_records\"?");
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    let digits = fixture("digits/digits@3.tfrecord");
    let raw = OpenOptions::new().format("raw").set("schema_", "x");
    assert!(raw.is_err());
    let raw = OpenOptions::new().format("raw").set("offsets", "32").unwrap().open(&digits);
    let error = text(raw);
    let expected =
        "the format of records raw has no option \"offsets\"; the options are \"column\", \"records\", ";
    assert!(error.starts_with(expected), "{error}");
    assert_eq!(text(OpenOptions::new().open([""; 0])), "no file is named; name at least one file or pattern");
}

#[test]
fn formats_that_a_build_lacks_are_named_with_their_feature() {
    let folder = tempfile::tempdir().unwrap();
    let error = |name: &str, bytes: &[u8], stated: Option<&str>| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let options = OpenOptions::new().formats(&Formats::default());
        let options = stated.map_or(options.clone(), |format| options.format(format));
        let error = options.open(&path).map(|_| ()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
        error.to_string().replace(&format!("{}/", folder.path().display()), "")
    };
    for (name, bytes, format, feature) in [
        ("a.avro", &b""[..], "avro", "avro"),
        ("a.bin", b"Obj\x01\x02", "avro", "avro"),
        ("a.bin", b"PAR1\x15", "parquet", "parquet"),
        ("a-00000-of-00001.parquet", b"\x01\xff", "parquet", "parquet"),
        ("a.bin", b"ARROW1\0\0", "arrow", "ipc"),
        ("a.feather", b"FEA1", "arrow", "ipc"),
        ("a.csv", b"a,b\n1,2\n", "csv", "csv"),
        ("a.ndjson", b"{}\n", "jsonl", "jsonl"),
    ] {
        let expected =
            format!("the format is {format}, which this build lacks; build with the feature `{feature}`");
        assert_eq!(error(name, bytes, None), format!("{name}: {expected}"));
        assert_eq!(error(name, bytes, Some(format)), expected);
    }
}

#[test]
fn a_description_opens_the_same_data_set_without_looking_at_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("digits.tfrecord");
    std::fs::copy(fixture("digits/digits-00000-of-00003.tfrecord"), &path).unwrap();
    let options = OpenOptions::new().source_column("from").set("raw_record_column", "raw").unwrap();
    let dataset = options.open(&path).unwrap();
    let partition = dataset.partitions(20_000).unwrap().remove(1);
    let text = serde_json::to_string(&(dataset.spec().unwrap(), &partition)).unwrap();
    // Another process, in which the file is not there yet.
    let (spec, shipped): (DatasetSpec, Partition) = serde_json::from_str(&text).unwrap();
    let away = folder.path().join("away");
    std::fs::rename(&path, &away).unwrap();
    let again = spec.open().unwrap();
    std::fs::rename(&away, &path).unwrap();
    assert_eq!(again.schema(), dataset.schema());
    assert_eq!(again.spec().unwrap(), dataset.spec().unwrap());
    let read = |dataset: &dyn Dataset, partition| {
        let mut scan = dataset.scan(partition, &ScanRequest::new()).unwrap();
        std::iter::from_fn(|| scan.next_batch().unwrap())
            .map(|batch| batch.into_columns())
            .collect::<Vec<_>>()
    };
    let batches = read(&*again, &shipped);
    assert!(!batches.is_empty());
    assert_eq!(batches, read(&*dataset, &partition));
}

#[test]
fn a_feature_that_appears_later_is_an_error_in_this_and_another_process() {
    let digits = fixture("digits/digits@3.tfrecord");
    let sessions = fixture("tensors/sessions.tfrecord");
    let options = OpenOptions::new().format("example").set("infer_records", "1000").unwrap();
    let dataset = options.open([digits, sessions.clone()]).unwrap();
    for dataset in [dataset.spec().unwrap().open().unwrap(), dataset] {
        assert_eq!(names(&*dataset), ["id", "image", "label"]);
        let last = dataset.partitions(u64::MAX).unwrap().pop().unwrap();
        let error = dataset.scan(&last, &ScanRequest::new()).unwrap().next_batch().unwrap_err().to_string();
        assert!(error.starts_with(&sessions), "{error}");
        assert!(error.contains("record 0"), "{error}");
    }
}

#[cfg(feature = "avro")]
#[test]
fn avro_files_are_opened_and_shipped() {
    let keys = OpenOptions::new().keys(["name.first", "friends[*].age"]);
    let dataset = keys.open(fixture("avro/people.avro")).unwrap();
    assert_eq!(names(&*dataset), ["name.first", "friends[*].age"]);
    let spec = dataset.spec().unwrap();
    assert_eq!(spec.format, "avro");
    assert_eq!(spec.open().unwrap().schema(), dataset.schema());
    let renamed = tempfile::tempdir().unwrap();
    let path = renamed.path().join("people.tfrecord");
    std::fs::copy(fixture("avro/people.avro"), &path).unwrap();
    let error = open(&path).unwrap_err().to_string();
    assert!(error.contains("the name says the format tfrecord, and the file begins like avro"), "{error}");
}

#[test]
fn preferred_options_are_for_formats_that_have_them() {
    let options = || OpenOptions::new().prefer("infer_records", 5).prefer("max_depth", 2);
    let digits = options().open(fixture("digits/digits@3.tfrecord")).unwrap().spec().unwrap();
    assert_eq!(digits.options["infer_records"], 5.into());
    assert!(!digits.options.contains_key("max_depth"));
    let found = options().set("infer_records", 7).unwrap().find(fixture("digits/digits@3.tfrecord")).unwrap();
    assert_eq!((found.format.name(), found.files.names().len()), ("tfrecord", 3));
    assert_eq!(found.options.count("infer_records"), Some(7));
}

//! Files that are looked into, repaired and copied.

use tfxio_core::{FactValue, FileFormat as _, Files, FormatOptions};
use tfxio_formats::AvroFormat;
use tfxio_formats::avro_path::AvroSchema;
use tfxio_formats::avro_path::container::{Codec, ContainerReader, ContainerWriter};

use crate::test_files::{BOTH, TestFiles, all, container, plain};

fn count(report: &tfxio_core::FileReport, key: &str) -> u64 {
    match report.get(key) {
        Some(FactValue::Count(count)) => *count,
        other => panic!("{key}: {other:?}"),
    }
}

#[test]
fn what_is_in_files_is_said() {
    let made = TestFiles::new()
        .file(0, &container(false, Codec::Deflate, 0..40, 50))
        .file(0, &container(true, Codec::Null, 0..9, 500));
    let files = Files::local(made.files.clone()).unwrap();
    let reports = AvroFormat.inspect().unwrap().inspect(&files, &FormatOptions::default()).unwrap();
    assert!(reports.iter().all(|report| report.errors.is_empty() && report.lost.is_empty()));
    assert_eq!(reports[0].get("codec"), Some(&FactValue::from("deflate")));
    assert_eq!(reports.iter().map(|report| count(report, "records")).collect::<Vec<_>>(), [40, 9]);
    assert_eq!(count(&reports[1], "blocks"), 1);
    // "row 0" with its length, and a number of one byte.
    assert_eq!((count(&reports[1], "payload_bytes"), count(&reports[1], "longest")), (9 * 7, 7));
    assert!(matches!(reports[1].get("crc32_of_payloads"), Some(FactValue::Checksum(crc)) if *crc != 0));
}

#[test]
fn whole_records_are_kept_of_a_damaged_file() {
    let whole = container(false, Codec::Null, 0..40, 50);
    let made = TestFiles::new().file(0, &whole);
    let mut bytes = whole;
    let at = bytes.windows(6).position(|window| window == b"row 20").unwrap();
    bytes[at] = 0xff;
    std::fs::write(&*made.files[0], bytes).unwrap();
    let files = Files::local(made.files.clone()).unwrap();
    let report = AvroFormat.inspect().unwrap().inspect(&files, &FormatOptions::default()).unwrap().remove(0);
    assert_eq!((report.errors.len(), count(&report, "records")), (1, 39));
    assert_eq!(report.errors[0].position().record, Some(20));
    let output = made.folder.path().join("good.avro");
    let output = output.to_str().unwrap();
    let repair = AvroFormat.repair().unwrap();
    let report = repair.repair(&files, output, &FormatOptions::default()).unwrap();
    assert_eq!((count(&report, "records"), report.lost.len()), (39, 1));
    assert_eq!((report.lost[0].records_before, report.lost[0].records), (20, Some(1)));
    assert_eq!(&*report.lost[0].reason, "records");
    let dataset = AvroFormat.open(Files::local([output]).unwrap(), &plain()).unwrap();
    let good = dataset.partitions(u64::MAX).unwrap().remove(0);
    let read = all(&mut *dataset.scan(&good, &Default::default()).unwrap());
    assert_eq!(
        read.iter().map(|record| record.n).collect::<Vec<_>>(),
        (0..20).chain(21..40).collect::<Vec<_>>()
    );
    let error = repair.repair(&files, &made.files[0], &FormatOptions::default()).unwrap_err();
    assert!(error.to_string().ends_with("the output is one of the inputs; write to another name"), "{error}");
}

#[test]
fn a_copy_keeps_records_and_metadata() {
    // A record within itself has no columns, and is copied.
    let schema =
        r#"{"type": "record", "name": "node", "fields": [{"name": "next", "type": ["null", "node"]}]}"#;
    let schema = AvroSchema::parse(schema).unwrap();
    let builder =
        ContainerWriter::builder(Vec::new(), &schema).codec(Codec::Null).metadata("made.by", "a test");
    let mut writer = builder.build().unwrap();
    let records = [vec![0], vec![2, 0], vec![2, 2, 2, 0]];
    records.iter().for_each(|record| writer.write(record).unwrap());
    let made = TestFiles::new().file(0, &writer.finish().unwrap());
    let output = made.folder.path().join("copy.avro");
    let output = output.to_str().unwrap();
    let files = Files::local(made.files.clone()).unwrap();
    let copy = AvroFormat.copy_records().unwrap();
    let report = copy.copy_records(&files, output, &FormatOptions::default(), &mut |_| {}).unwrap();
    assert_eq!(count(&report, "records"), 3);
    let mut reader = ContainerReader::open(output).unwrap();
    assert_eq!(reader.header().codec(), Codec::Deflate);
    assert_eq!(reader.header().metadata_value("made.by"), Some(&b"a test"[..]));
    assert_eq!(reader.next_block().unwrap().unwrap().bytes(), records.concat());
}

#[test]
fn a_copy_resolves_files_of_another_schema() {
    let made = TestFiles::new()
        .file(0, &container(false, Codec::Null, 0..40, 50))
        .file(40, &container(true, Codec::Deflate, 40..50, 50));
    let output = made.folder.path().join("copy.avro");
    let output = output.to_str().unwrap();
    let options = FormatOptions::default().option("reader_schema", BOTH).option("codec", "null");
    let copy = AvroFormat.copy_records().unwrap();
    let report =
        copy.copy_records(&Files::local(made.files.clone()).unwrap(), output, &options, &mut |_| {}).unwrap();
    assert_eq!(count(&report, "records"), 50);
    let dataset = AvroFormat.open(Files::local([output]).unwrap(), &plain()).unwrap();
    let whole = dataset.partitions(u64::MAX).unwrap().remove(0);
    let read = all(&mut *dataset.scan(&whole, &Default::default()).unwrap());
    assert_eq!(read.iter().map(|record| record.n).collect::<Vec<_>>(), (0..50).collect::<Vec<_>>());
}

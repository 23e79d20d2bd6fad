//! Skipped damage: the rows that remain, the report, and the budget.

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use tfxio::avro_path::AvroSchema;
use tfxio::avro_path::container::{Codec, ContainerWriter, WriterBuilder};
use tfxio::avro_path::datum::write;
use tfxio::prelude::*;
use tfxio::{Error, ErrorKind, OnError, Skip, SkipBudget};

use crate::avro::test_files::{all, file, open, rows};

fn request(threads: usize, skip: &Skip) -> ScanRequest {
    ScanRequest::new().threads(threads).on_error(OnError::Skip(skip.clone()))
}

/// The numbers of all rows of a file, and the error that ended them.
fn numbers_of(name: &str, skip: &Skip) -> (Vec<i64>, Option<Error>) {
    numbers(&mut open(name, &["n", "text"]).read(request(1, skip)).unwrap())
}

/// The numbers of the rows, and the error that ended them.
fn numbers(scan: &mut dyn Scan) -> (Vec<i64>, Option<Error>) {
    let (batches, error) = all(scan);
    let mut numbers = Vec::new();
    for batch in batches {
        numbers.extend(batch.column(0).as_primitive::<Int64Type>().values());
    }
    (numbers, error)
}

/// A hundred rows with a bad text in row 95; the offset of the row and its bytes.
fn bad_text(codec: Codec) -> Vec<u8> {
    let schema = AvroSchema::parse(crate::avro::test_files::SCHEMA).unwrap();
    let builder = WriterBuilder::default().codec(codec).sync_marker(*b"a marker of rows").check(false);
    let mut writer = builder.block_bytes(60).target(Vec::new(), &schema).build().unwrap();
    for n in 0..100 {
        let written = writer.write_with(|out| {
            write::long(out, n);
            out.extend(if n == 95 { [2, 2, 0xff] } else { [2, 2, b'x'] });
            out.push(0);
            Ok(())
        });
        written.unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn a_bad_record_is_left_out_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let expected = (0..100).filter(|n| *n != 95).collect::<Vec<i64>>();
    for codec in [Codec::Null, Codec::Deflate, Codec::Snappy] {
        let bytes = bad_text(codec);
        let name = file(&folder, "a.avro", &bytes);
        for threads in [1, 3] {
            let skip = Skip::default();
            let dataset = open(&name, &["n", "text"]);
            let request = request(threads, &skip).batch_rows(7);
            let (found, error) = numbers(&mut dataset.read(request.clone()).unwrap());
            assert!(error.is_none(), "{error:?}");
            assert_eq!(found, expected, "{codec}");
            let report = skip.report();
            assert_eq!((report.ranges, report.records, report.records_unknown), (1, 1, false), "{report}");
            let range = &report.listed[0];
            assert_eq!(range.file.as_deref(), Some(&*name));
            assert!(range.why().contains("at text: a string of 1 byte is not UTF-8"), "{report}");
            if codec == Codec::Null {
                let at = bytes.windows(3).position(|found| found == [2, 2, 0xff]).unwrap() as u64;
                // The number before the text has two bytes.
                assert_eq!((range.start, range.end), (at - 2, at + 4));
            }
            // A second read counts nothing twice, and partitions give the same.
            let mut of_partitions = Vec::new();
            for partition in dataset.partitions(300).unwrap() {
                of_partitions.extend(numbers(&mut *dataset.scan(&partition, &request).unwrap()).0);
            }
            assert_eq!(of_partitions, expected, "{codec}");
            assert_eq!(skip.report(), report);
        }
    }
}

#[test]
fn damaged_blocks_and_markers_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    for codec in [Codec::Null, Codec::Snappy] {
        let whole = rows(codec, 0..200, 100);
        let marker = b"a marker of rows";
        let ends = (16..=whole.len()).filter(|end| whole[end - 16..*end] == marker[..]).collect::<Vec<_>>();
        let mut bytes = whole.clone();
        bytes[ends[3] + 1] ^= 0x41; // the size of a block
        bytes[ends[6] - 2] ^= 1; // the marker after another
        bytes[ends[0] - 1] ^= 1; // the header's
        let name = file(&folder, "a.avro", &bytes);
        let skip = Skip::default();
        let (found, error) = numbers_of(&name, &skip);
        assert!(error.is_none(), "{error:?}");
        let report = skip.report();
        assert_eq!((report.ranges, report.records_unknown), (3, true), "{report}");
        let (all, _) = numbers_of(&file(&folder, "b.avro", &whole), &Skip::default());
        assert_eq!(all.len(), 200);
        assert!(found.len() > 180 && found.iter().all(|n| all.contains(n)), "{codec}: {}", found.len());
    }
}

#[test]
fn the_budget_ends_reading() {
    let folder = tempfile::tempdir().unwrap();
    let name = file(&folder, "a.avro", &bad_text(Codec::Null));
    for (budget, text) in [
        (SkipBudget::default().ranges(0), "1 damaged range, and the budget allows 0"),
        (SkipBudget::default().bytes(5), "6 damaged bytes, and the budget allows 5"),
        (SkipBudget::default().share(0.001), "the budget allows a share of 0.001"),
    ] {
        let skip = Skip::new(budget);
        let (_, error) = numbers_of(&name, &skip);
        let error = error.unwrap();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        assert!(error.to_string().starts_with(&name) && error.to_string().contains(text), "{error}");
        assert_eq!(skip.report().ranges, 1);
    }
}

#[test]
fn records_that_only_a_decoder_refuses_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let schema = r#"{"type": "record", "name": "r", "fields": [
        {"name": "n", "type": "long"}, {"name": "id", "type": {"type": "string", "logicalType": "uuid"}}]}"#;
    for codec in [Codec::Null, Codec::Deflate] {
        let builder = ContainerWriter::builder(Vec::new(), &AvroSchema::parse(schema).unwrap()).codec(codec);
        let mut writer = builder.build().unwrap();
        for n in 0..10 {
            let written = writer.write_with(|out| {
                write::long(out, n);
                let text = if n % 4 == 1 { "no such id" } else { "00112233445566778899aabbccddeeff" };
                write::string(out, text);
                Ok(())
            });
            written.unwrap();
        }
        let name = file(&folder, "a.avro", &writer.finish().unwrap());
        let skip = Skip::default();
        let dataset = tfxio::open(&name).unwrap();
        let (batches, error) = all(&mut dataset.read(request(1, &skip).batch_rows(3)).unwrap());
        assert!(error.is_none(), "{error:?}");
        assert_eq!(batches.iter().map(|batch| batch.num_rows()).collect::<Vec<_>>(), [3, 3, 1]);
        let report = skip.report();
        // Those of a compressed block are one range.
        assert_eq!(
            (report.ranges, report.records),
            (if codec == Codec::Null { 3 } else { 1 }, 3),
            "{report}"
        );
        assert!(report.listed[0].reason.contains("at id: the text \"no such id\" is not a UUID"), "{report}");
    }
}

#[cfg(all(feature = "example", feature = "ipc", feature = "parquet"))]
#[test]
fn conversions_skip() {
    use tfxio::avro_path::container::ContainerReader;
    use tfxio::convert::Conversion;

    let folder = tempfile::tempdir().unwrap();
    for codec in [Codec::Null, Codec::Deflate] {
        let name = file(&folder, "a.avro", &bad_text(codec));
        for output in ["b.arrow", "b.avro"] {
            let output = folder.path().join(output);
            let run = |budget| {
                let skip = Skip::new(budget);
                let request = ScanRequest::new().on_error(OnError::Skip(skip.clone()));
                let conversion = Conversion::builder([name.as_str()], &output).request(request);
                (conversion.build().unwrap().run(|_| {}), skip.report())
            };
            let (summary, report) = run(SkipBudget::default());
            assert_eq!((summary.unwrap().records, report.records), (99, 1), "{report}");
            let (refused, _) = run(SkipBudget::default().ranges(0));
            assert_eq!(refused.unwrap_err().kind(), ErrorKind::LimitExceeded);
        }
        let mut reader = ContainerReader::open(folder.path().join("b.avro")).unwrap();
        let mut count = 0;
        while let Some(block) = reader.next_block().unwrap() {
            count += block.count();
        }
        assert_eq!(count, 99);
    }
}

#[cfg(all(feature = "example", feature = "ipc", feature = "parquet"))]
#[test]
fn bytes_that_are_not_a_string_are_an_error_of_their_record() {
    use tfxio::convert::Conversion;

    let folder = tempfile::tempdir().unwrap();
    let schema = |ty: &str| {
        let text =
            format!(r#"{{"type": "record", "name": "r", "fields": [{{"name": "x", "type": "{ty}"}}]}}"#);
        AvroSchema::parse(&text).unwrap()
    };
    let mut writer = ContainerWriter::builder(Vec::new(), &schema("bytes")).build().unwrap();
    for record in [&[2, b'a'][..], &[2, 0xff]] {
        writer.write(record).unwrap();
    }
    let name = file(&folder, "bytes.avro", &writer.finish().unwrap());
    let output = folder.path().join("out.avro");
    let conversion =
        Conversion::builder([name.as_str()], &output).set("reader_schema", schema("string").text()).unwrap();
    let error = conversion.clone().build().unwrap().run(|_| {}).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Malformed);
    let text = error.to_string();
    assert!(text.starts_with(&name) && text.contains("record 1"), "{text}");
    assert!(text.ends_with("at x: a string of 1 byte is not UTF-8 from its byte 0"), "{text}");
    assert!(!output.exists());
    let skip = Skip::default();
    let request = ScanRequest::new().on_error(OnError::Skip(skip.clone()));
    let summary = conversion.request(request).build().unwrap().run(|_| {}).unwrap();
    assert_eq!((summary.records, summary.skipped.unwrap().records), (1, 1));
    assert_eq!(skip.report().records, 1);
}

//! Key expressions as columns, of whole files and of parts, on any number of threads.

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray as _;
use arrow_array::types::{Int32Type, Int64Type};
use tfxio::avro_path::container::{Codec, ContainerWriter};
use tfxio::avro_path::{self, AvroSchema};
use tfxio::prelude::*;

use crate::avro::test_files::{all, file, open, people, read, rows};

fn numbers(batches: &[RecordBatch]) -> Vec<i64> {
    let columns = batches.iter().map(|batch| batch.column_by_name("n").unwrap());
    columns.flat_map(|column| column.as_primitive::<Int64Type>().values().to_vec()).collect()
}

#[test]
fn each_key_is_a_column() {
    let dataset = open(people(), &["name.first", "friends[*].age", "colors=cars[*].color"]);
    let schema = dataset.schema();
    let fields = schema.fields().iter().map(|field| format!("{}: {}", field.name(), field.data_type()));
    assert_eq!(
        fields.collect::<Vec<_>>(),
        ["name.first: LargeBinary", "friends[*].age: LargeList(Int32)", "colors: LargeList(LargeBinary)"]
    );
    let [batch] = read(&dataset, ScanRequest::new()).try_into().unwrap();
    assert_eq!(batch.num_rows(), 2);
    assert_eq!(batch.column(0).as_binary::<i64>().value(0), b"Ada");
    let ages = batch.column(1).as_list::<i64>().value(0);
    assert_eq!(ages.as_primitive::<Int32Type>().iter().collect::<Vec<_>>(), [None, Some(40), Some(7)]);
    assert_eq!(batch.column(2).as_list::<i64>().value(0).as_binary::<i64>().value(1), b"green");
    assert_eq!(batch.column(2).as_list::<i64>().value_length(1), 0);
}

#[test]
fn a_projection_has_its_own_order() {
    let dataset = open(people(), &["name.first", "gender", "age"]);
    let [batch] = read(&dataset, ScanRequest::new().columns(["age", "name.first"])).try_into().unwrap();
    let names = batch.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
    assert_eq!(names, ["age", "name.first"]);
    let all = read(&dataset, ScanRequest::new()).remove(0);
    assert_eq!(batch, all.project(&[2, 0]).unwrap());
    let error = |column| dataset.read(ScanRequest::new().columns([column])).unwrap_err().to_string();
    assert_eq!(error("x"), "there is no column \"x\"; the columns are \"name.first\", \"gender\", \"age\"");
    assert_eq!(error("gendre"), "there is no column \"gendre\"; did you mean \"gender\"?");
}

#[test]
fn offsets_of_32_bits() {
    let options = OpenOptions::new().keys(["friends[*].name.first"]).set("offsets", "32").unwrap();
    let dataset = options.open(people()).unwrap();
    assert_eq!(dataset.schema().field(0).data_type().to_string(), "List(Binary)");
    let [batch] = read(&dataset, ScanRequest::new()).try_into().unwrap();
    assert_eq!(batch.column(0).as_list::<i32>().value(0).as_binary::<i32>().value(1), b"Bo");
}

#[test]
fn batches_are_full_but_for_the_last_whatever_the_files_and_blocks() {
    let folder = tempfile::tempdir().unwrap();
    for codec in [Codec::Null, Codec::Deflate, Codec::Snappy] {
        let files = [(0..100, 50), (100..101, 50), (101..101, 50), (101..400, 500)].map(|(part, block)| {
            file(&folder, &format!("{codec}-{}-{}.avro", part.start, part.end), &rows(codec, part, block))
        });
        for batch_size in [1, 7, 64, 400, 1000] {
            let dataset = open(&files[..], &["n", "text", "below[*]"]);
            let mut expected = None;
            for threads in [1, 2, 5] {
                let batches = read(&dataset, ScanRequest::new().batch_rows(batch_size).threads(threads));
                let expected_sizes = (0..400).step_by(batch_size).map(|at| batch_size.min(400 - at));
                let sizes = batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>();
                assert_eq!(sizes, expected_sizes.collect::<Vec<_>>());
                assert_eq!(numbers(&batches), (0..400).collect::<Vec<_>>());
                assert_eq!(*expected.get_or_insert_with(|| batches.clone()), batches, "{threads} threads");
            }
        }
    }
}

#[test]
fn batches_are_those_of_one_thread_wherever_its_runs_of_blocks_end() {
    let folder = tempfile::tempdir().unwrap();
    // A run has 64 KiB or more: many blocks, or a block.
    for (codec, block) in [(Codec::Null, 100), (Codec::Deflate, 20_000), (Codec::Null, 150_000)] {
        let files = [(0..20_000, "a.avro"), (20_000..30_000, "b.avro")]
            .map(|(part, name)| file(&folder, name, &rows(codec, part, block)));
        for batch_size in [64, 1000, 1 << 20] {
            let dataset = open(&files[..], &["n", "text", "below[*]"]);
            let request = |threads| ScanRequest::new().batch_rows(batch_size).threads(threads);
            let mut all = [1, 2, 3].map(|threads| read(&dataset, request(threads)));
            let [expected, others @ ..] = &mut all;
            assert_eq!(numbers(expected), (0..30_000).collect::<Vec<_>>());
            for found in others {
                assert!(found == expected, "blocks of {block}, batches of {batch_size}");
            }
        }
    }
}

#[test]
fn partitions_yield_every_record_once_and_in_order() {
    let folder = tempfile::tempdir().unwrap();
    for codec in [Codec::Null, Codec::Deflate] {
        let name = file(&folder, &format!("{codec}.avro"), &rows(codec, 0..300, 90));
        let dataset = open(&name, &["n", "text"]);
        for threads in [1, 2] {
            let request = ScanRequest::new().threads(threads);
            for target in [1 << 30, 1000, 333, 64] {
                let partitions = dataset.partitions(target).unwrap();
                assert!(partitions.len() > 1 || target > 10_000);
                let read = |partition| all(&mut *dataset.scan(partition, &request).unwrap());
                let parts = partitions.iter().map(read);
                let (batches, errors): (Vec<_>, Vec<_>) = parts.unzip();
                assert!(errors.iter().all(Option::is_none), "{errors:?}");
                assert_eq!(numbers(&batches.concat()), (0..300).collect::<Vec<_>>(), "{codec} {target}");
            }
        }
    }
}

#[test]
fn a_reader_that_is_dropped_stops_its_threads() {
    let folder = tempfile::tempdir().unwrap();
    let name = file(&folder, "rows.avro", &rows(Codec::Deflate, 0..20_000, 100));
    let mut reader = open(&name, &["n"]).read(ScanRequest::new().threads(3).batch_rows(10)).unwrap();
    assert_eq!(reader.next().unwrap().unwrap().num_rows(), 10);
    // Would wait for ever if a thread did not end.
    drop(reader);
}

#[test]
fn no_records_and_no_columns() {
    let folder = tempfile::tempdir().unwrap();
    let empty = file(&folder, "empty.avro", &rows(Codec::Null, 0..0, 100));
    let dataset = open(&empty, &["n"]);
    assert!(read(&dataset, ScanRequest::new()).is_empty());
    let partitions = dataset.partitions(10).unwrap();
    assert!(partitions.len() > 10, "nothing is read to cut a file");
    for partition in partitions {
        assert!(all(&mut *dataset.scan(&partition, &ScanRequest::new()).unwrap()).0.is_empty());
    }

    let dataset = open(people(), &[]);
    let [batch] = read(&dataset, ScanRequest::new()).try_into().unwrap();
    assert_eq!((batch.num_rows(), batch.num_columns()), (2, 0));
}

#[test]
fn records_without_bytes_are_not_in_memory_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let schema =
        AvroSchema::parse(r#"{"type": "record", "name": "r", "fields": [{"name": "a", "type": "null"}]}"#)
            .unwrap();
    let writer =
        ContainerWriter::builder(Vec::new(), &schema).sync_marker(*b"a marker of rows").build().unwrap();
    let mut bytes = writer.finish().unwrap();
    // Two blocks of 2^25 records without bytes, as far as their limit allows.
    for _ in 0..2 {
        avro_path::datum::write::long(&mut bytes, 1 << 25);
        bytes.push(0);
        bytes.extend_from_slice(b"a marker of rows");
    }
    let name = file(&folder, "bomb.avro", &bytes);
    for threads in [1, 2] {
        let request = ScanRequest::new().threads(threads).batch_rows(100);
        let mut reader = open(&name, &["a"]).read(request).unwrap();
        for _ in 0..50 {
            assert_eq!(reader.next().unwrap().unwrap().num_rows(), 100);
        }
    }
}

#[test]
fn records_without_bytes_are_rows() {
    let folder = tempfile::tempdir().unwrap();
    let schema = AvroSchema::parse("\"null\"").unwrap();
    let files = [30, 70].map(|count| {
        let mut writer = ContainerWriter::builder(Vec::new(), &schema).build().unwrap();
        (0..count).for_each(|_| writer.write(&[]).unwrap());
        file(&folder, &format!("{count}.avro"), &writer.finish().unwrap())
    });
    for threads in [1, 2] {
        let request = ScanRequest::new().threads(threads).batch_rows(40);
        let batches = read(&open(&files[..], &["@"]), request);
        assert_eq!(batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [40, 40, 20]);
    }
}

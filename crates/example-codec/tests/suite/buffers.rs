//! The memory of batches: used again, aligned, and no larger than it needs to be.

use crate::wire;

use std::collections::BTreeSet;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_data::ArrayData;
use example_codec::{
    ExampleDecoder, ExampleDecoderBuilder, ExampleSchema, FeatureField, FeatureKind, OffsetWidth,
};
use tfxio_core::{Origin, RecordDecoder};
use wire::{bytes, example, floats, ints};

/// Addresses of all buffers that hold something.
fn addresses(batch: &RecordBatch) -> BTreeSet<usize> {
    fn add(data: &ArrayData, to: &mut BTreeSet<usize>) {
        let nulls = data.nulls().map(|nulls| nulls.buffer());
        for buffer in data.buffers().iter().chain(nulls).filter(|buffer| !buffer.is_empty()) {
            to.insert(buffer.as_ptr() as usize);
        }
        data.child_data().iter().for_each(|child| add(child, to));
    }
    let mut all = BTreeSet::new();
    batch.columns().iter().for_each(|column| add(&column.to_data(), &mut all));
    all
}

fn records(rows: i64) -> Vec<Vec<u8>> {
    let record = |row: i64| {
        let values = (0..row % 5).collect::<Vec<_>>();
        let name = format!("row {row}");
        let mut features = vec![
            ("one", ints(&[row])),
            ("many", ints(&values)),
            ("float", floats(&[row as f32, 0.5])),
            ("name", bytes(&[name.as_bytes()])),
        ];
        if row % 3 == 0 {
            features.remove(0);
        }
        example(&features)
    };
    (0..rows).map(record).collect()
}

fn decode(decoder: &mut ExampleDecoder, records: &[Vec<u8>]) -> RecordBatch {
    for (index, record) in records.iter().enumerate() {
        decoder.push(record, Origin::new("file", 0, index as u64)).unwrap();
    }
    decoder.flush().unwrap()
}

fn builders() -> Vec<ExampleDecoderBuilder> {
    let schema = ExampleSchema::new([
        FeatureField::new("float", FeatureKind::Float).fixed_len(2),
        FeatureField::new("name", FeatureKind::Bytes),
        FeatureField::new("many", FeatureKind::Int64),
    ]);
    let builder = ExampleDecoder::builder;
    vec![
        builder(),
        builder().offsets(OffsetWidth::Bits32),
        builder().schema(schema.unwrap()).fixed_size_lists(true),
        builder().raw_record_column("raw").source_column("source"),
    ]
}

#[test]
fn every_buffer_is_aligned_to_64_bytes() {
    for builder in builders() {
        for rows in [1, 2, 7, 64, 1000] {
            let mut decoder = builder.clone().build().unwrap();
            for _ in 0..3 {
                let batch = decode(&mut decoder, &records(rows));
                for address in addresses(&batch) {
                    assert_eq!(address % 64, 0, "{rows} rows");
                }
            }
        }
    }
}

#[test]
fn memory_of_dropped_batches_is_used_again() {
    for builder in [ExampleDecoder::builder(), ExampleDecoder::builder().offsets(OffsetWidth::Bits32)] {
        let mut decoder = builder.build().unwrap();
        let records = records(1000);
        let expected = decode(&mut decoder, &records);
        let mut seen = addresses(&decode(&mut decoder, &records));
        seen.extend(addresses(&decode(&mut decoder, &records)));
        for _ in 0..5 {
            let batch = decode(&mut decoder, &records);
            assert_eq!(batch, expected);
            let again = addresses(&batch).iter().filter(|address| seen.contains(address)).count();
            assert!(again * 2 > addresses(&batch).len(), "{again} of {}", addresses(&batch).len());
            seen.extend(addresses(&batch));
        }
    }
}

#[test]
fn memory_of_batches_that_somebody_holds_is_not() {
    let mut decoder = ExampleDecoder::builder().build().unwrap();
    let (first, second) = (records(100), records(90));
    let held = (0..4).map(|_| decode(&mut decoder, &first)).collect::<Vec<_>>();
    let slice = held[0].slice(50, 10);
    let copies = held.iter().map(|batch| format!("{batch:?}")).collect::<Vec<_>>();
    let mut all = BTreeSet::new();
    let mut count = 0;
    for batch in &held {
        count += addresses(batch).len();
        all.extend(addresses(batch));
    }
    // Columns of one value in each row have the same offsets, which nobody writes to.
    let offsets = |batch: &RecordBatch| batch["name"].as_list::<i64>().offsets().inner().as_ptr();
    assert!(held.iter().all(|batch| offsets(batch) == offsets(&held[0])));
    assert_eq!(all.len(), count - 3, "no two batches share another buffer");
    let part = format!("{slice:?}");
    for _ in 0..3 {
        decode(&mut decoder, &second);
    }
    assert_eq!(held.iter().map(|batch| format!("{batch:?}")).collect::<Vec<_>>(), copies);
    drop(held);
    for _ in 0..3 {
        decode(&mut decoder, &second);
    }
    assert_eq!(format!("{slice:?}"), part, "a slice keeps its buffers");
}

#[test]
fn batches_may_outlive_the_decoder_and_cross_threads() {
    let mut decoder = ExampleDecoder::builder().build().unwrap();
    let expected = format!("{:?}", decode(&mut decoder, &records(10)));
    let batch = decode(&mut decoder, &records(10));
    drop(decoder);
    let text = std::thread::spawn(move || format!("{batch:?}")).join().unwrap();
    assert_eq!(text, expected);
}

#[test]
fn the_size_of_batches_changes_no_row() {
    let records = records(101);
    for builder in builders() {
        let expected = decode(&mut builder.clone().build().unwrap(), &records);
        for size in [1, 2, 3, 7, 64, 100] {
            // By the trait, as a reader does it.
            let mut decoder: Box<dyn RecordDecoder> = Box::new(builder.clone().build().unwrap());
            let mut batches = Vec::new();
            for (index, record) in records.iter().enumerate() {
                decoder.push(record, Origin::new("file", 0, index as u64)).unwrap();
                if decoder.rows() == size {
                    batches.push(decoder.flush().unwrap());
                }
            }
            batches.push(decoder.flush().unwrap());
            // Without a schema a batch may lack a column, or have it without a value.
            let mut at = 0;
            for batch in &batches {
                let part = expected.slice(at, batch.num_rows());
                at += batch.num_rows();
                for (field, column) in part.schema().fields().iter().zip(part.columns()) {
                    match batch.column_by_name(field.name()) {
                        Some(found) if found.data_type() == column.data_type() => assert_rows(found, column),
                        _ => assert_eq!(column.null_count(), column.len(), "{} of {size}", field.name()),
                    }
                }
            }
            assert_eq!(at, records.len());
        }
    }
}

/// Asserts that rows are equal; the dictionary of files is another one in each batch.
fn assert_rows(found: &ArrayRef, expected: &ArrayRef) {
    match found.as_struct_opt() {
        Some(found) => assert_eq!(found.column(1), expected.as_struct().column(1)),
        None => assert_eq!(found, expected),
    }
}

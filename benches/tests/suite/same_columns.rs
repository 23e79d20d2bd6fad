//! The comparison of `measure avro`: our decoder and arrow-avro make the same columns.
#![cfg(feature = "arrow-avro")]

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_schema::DataType;
use avro_path::container::{Codec, ContainerReader};
use avro_path::record::{Layout, RecordOptions, RecordPlan};
use bench_sets::containers::{self, Container};
use tfxio_core::Origin;

fn ours(container: &Container) -> RecordBatch {
    let mut reader = ContainerReader::new(&container.file[..]).unwrap();
    let options = RecordOptions::default().layout(Layout::Plain).large_offsets(false);
    let mut decoder =
        RecordPlan::builder(reader.header().schema()).options(options.clone()).build().unwrap().decoder();
    while let Some(block) = reader.next_block().unwrap() {
        let mut at = 0;
        for record in 0..block.count() {
            at += decoder.push_first(&block.bytes()[at..], Origin::record(record)).unwrap();
        }
    }
    decoder.flush().unwrap()
}

fn theirs(container: &Container) -> RecordBatch {
    let builder = arrow_avro::reader::ReaderBuilder::new().with_batch_size(container.records as usize);
    let mut batches = builder.build(&container.file[..]).unwrap().collect::<Result<Vec<_>, _>>().unwrap();
    assert_eq!(batches.len(), 1);
    batches.remove(0)
}

/// The type without the names that Arrow's readers give to the items of lists and maps.
fn shape(data_type: &DataType) -> String {
    match data_type {
        DataType::List(item) => format!("[{}]", shape(item.data_type())),
        DataType::Map(entries, _) => format!("map {}", shape(entries.data_type())),
        DataType::Struct(fields) => {
            let fields = fields.iter().map(|field| shape(field.data_type()));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

#[test]
fn the_types_are_the_same() {
    for container in [containers::flat(10, Codec::Null), containers::nested(10, Codec::Null)] {
        let container = container.unwrap();
        let (ours, theirs) = (ours(&container), theirs(&container));
        let shapes = |batch: &RecordBatch| {
            let schema = batch.schema();
            let fields = schema.fields().iter().map(|field| (field.name().clone(), shape(field.data_type())));
            fields.collect::<Vec<_>>()
        };
        assert_eq!(shapes(&ours), shapes(&theirs));
    }
}

#[test]
fn the_values_are_the_same() {
    let container = containers::flat(3000, Codec::Deflate).unwrap();
    assert_eq!(ours(&container).columns(), theirs(&container).columns());

    let container = containers::nested(3000, Codec::Snappy).unwrap();
    let (ours, theirs) = (ours(&container), theirs(&container));
    let label = |batch: &RecordBatch| batch["label"].as_primitive::<Int32Type>().clone();
    assert_eq!(label(&ours), label(&theirs));
    let optional = |batch: &RecordBatch| batch["opt"].as_primitive::<Float64Type>().clone();
    assert_eq!(optional(&ours), optional(&theirs));
    let user = |batch: &RecordBatch| {
        let user = batch["user"].as_struct();
        let tags = user["tags"].as_list::<i32>();
        (
            user["id"].as_primitive::<Int64Type>().clone(),
            user["name"].as_string::<i32>().clone(),
            tags.offsets().clone(),
            tags.values().as_string::<i32>().clone(),
        )
    };
    assert_eq!(user(&ours), user(&theirs));
    let features = |batch: &RecordBatch| {
        let pairs = batch["features"].as_list::<i32>();
        let pair = pairs.values().as_struct();
        (
            pairs.offsets().clone(),
            pair["name"].as_string::<i32>().clone(),
            pair["term"].as_string::<i32>().clone(),
            pair["value"].as_primitive::<Float32Type>().clone(),
        )
    };
    assert_eq!(features(&ours), features(&theirs));
    let attributes = |batch: &RecordBatch| {
        let map = batch["attrs"].as_map();
        (
            map.offsets().clone(),
            map.keys().as_string::<i32>().clone(),
            map.values().as_primitive::<Float64Type>().clone(),
        )
    };
    assert_eq!(attributes(&ours), attributes(&theirs));
}

//! The handwritten digits, as TensorFlow wrote them.

use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use example_codec::{ExampleDecoder, ExampleEncoder, ExampleSchema, FeatureField, FeatureKind};
use tfrecord_io::Reader;
use tfxio_core::Origin;

fn shards(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(folder);
    (0..3).map(|shard| folder.join(format!("digits-{shard:05}-of-00003.tfrecord"))).collect()
}

/// Returns all shards in one batch, and their records.
fn read(folder: &str, mut decoder: ExampleDecoder) -> (RecordBatch, Vec<Vec<u8>>) {
    let mut records = Vec::new();
    for shard in shards(folder) {
        let mut reader = Reader::open(&shard).unwrap();
        while let Some(record) = reader.next_record().unwrap() {
            decoder.push(record.data, Origin::new("digits", record.offset, record.index)).unwrap();
            records.push(record.data.to_vec());
        }
    }
    (decoder.flush().unwrap(), records)
}

#[test]
fn digits_decode_to_images_and_labels() {
    let schema = ExampleSchema::new([
        FeatureField::new("image", FeatureKind::Float).fixed_len(64).required(),
        FeatureField::new("label", FeatureKind::Int64).fixed_len(1).required(),
    ]);
    let builder = ExampleDecoder::builder().schema(schema.unwrap()).fixed_size_lists(true);
    let (batch, _) = read("digits", builder.build().unwrap());
    assert_eq!(batch.num_rows(), 1797);
    let images = batch.column(0).as_fixed_size_list();
    assert_eq!((images.value_length(), images.null_count()), (64, 0));
    let pixels = images.values().as_primitive::<Float32Type>().values();
    assert!(pixels.iter().all(|pixel| (0.0..=16.0).contains(pixel)));
    let labels = batch.column(1).as_fixed_size_list().values().as_primitive::<Int64Type>().values();
    let mut counts = [0; 10];
    labels.iter().for_each(|label| counts[usize::try_from(*label).unwrap()] += 1);
    // The counts that scikit-learn's description of the data set gives.
    assert_eq!(counts, [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
}

#[test]
fn compressed_digits_are_the_same() {
    let decoder = || ExampleDecoder::builder().build().unwrap();
    let (plain, _) = read("digits", decoder());
    assert_eq!(read("digits-gzip", decoder()).0, plain);
    assert_eq!(read("digits-zlib", decoder()).0, plain);
}

#[test]
fn digits_are_encoded_to_the_bytes_that_tensorflow_wrote() {
    // The fixtures were written with the map entries sorted by key, and so are our columns.
    let (batch, records) = read("digits", ExampleDecoder::builder().build().unwrap());
    let encoder = ExampleEncoder::builder(&batch.schema()).build().unwrap();
    assert!(encoder.encode_to_vec(&batch).unwrap() == records);
}

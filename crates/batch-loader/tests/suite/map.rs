//! A caller's function on each batch, which changes neither order, rows nor states.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{BooleanArray, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use batch_loader::config::{LoaderConfig, LoaderType, Shuffle, Stride};
use batch_loader::{Batch, BatchLoader, Error, Kind, LoaderBuilder, LoaderExt as _, MapError};
use tensor_repr::{DenseTensor, Values};
use tfxio_core::Dataset;
use tfxio_formats::{DatasetExt as _, OpenOptions};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/loader");

fn builder(config: LoaderConfig) -> LoaderBuilder {
    let formats = tfxio_formats::formats();
    BatchLoader::builder(config).formats(&formats).inputs(["image"]).targets(["label"]).base_dir(FOLDER)
}

fn config() -> LoaderConfig {
    let mut config = LoaderConfig::from_file(format!("{FOLDER}/digits.json")).unwrap().into_inner();
    config.shuffle = Shuffle::Off;
    config
}

fn labels(batch: &Batch) -> Vec<i64> {
    batch.get("label").unwrap().values().as_slice().unwrap().to_vec()
}

/// Adds the number of the epoch and of the record, which other threads must not change.
fn with_origins(mut batch: Batch) -> Result<Batch, MapError> {
    let epoch = batch.epoch() as i64;
    let records = batch.origins().map(|origin| origin.record as i64);
    let sums = labels(&batch)
        .into_iter()
        .zip(records)
        .map(|(label, record)| label + 100 * record + 1_000_000 * epoch);
    let sums = Values::from_vec(sums.collect::<Vec<_>>());
    let shape = batch.get("label")?.shape().to_vec();
    batch.replace("label", DenseTensor::try_new(shape, sums)?)?;
    Ok(batch)
}

#[test]
fn batches_are_mapped_in_order_whatever_the_threads_and_states_stay() {
    let config = config().epochs(2).shuffle_globally(7);
    let plain = builder(config.clone()).build().unwrap().collect::<Result<Vec<_>, _>>().unwrap();
    let expected = plain.into_iter().map(|batch| labels(&with_origins(batch).unwrap())).collect::<Vec<_>>();
    assert!(expected.len() > 4);
    for threads in [1, 2, 4] {
        let mut loader = builder(config.clone()).threads(threads).map(with_origins).build().unwrap();
        let mut got = Vec::new();
        for _ in 0..3 {
            got.push(labels(&loader.next_batch().unwrap().unwrap()));
        }
        let state = loader.state();
        // A state of the mapped loader is one of the loader without the function.
        let without = builder(config.clone()).state(state.clone()).build().unwrap();
        assert_eq!(without.count() + 3, expected.len());
        let rest = builder(config.clone()).threads(threads).map(with_origins).state(state).build().unwrap();
        got.extend(rest.map(|batch| labels(&batch.unwrap())));
        assert_eq!(got, expected, "{threads} threads");
    }
}

/// The odd digits, with a column of twice the label.
fn odd_doubled() -> Arc<dyn Dataset> {
    let files = format!("{FOLDER}/../digits/digits@3.tfrecord");
    let digits = OpenOptions::new().scalars(true).open(files.as_str()).unwrap();
    let labels = |batch: &tfxio_core::Batch| batch.columns().column(0).as_primitive::<Int64Type>().clone();
    let is_odd = |label: i64| label % 2 == 1;
    let odd = digits.filter_batches(["label"], move |batch| {
        Ok(labels(batch).iter().map(|label| label.map(is_odd)).collect::<BooleanArray>())
    });
    let makes = Arc::new(Schema::new(vec![Field::new("doubled", DataType::Int64, false)]));
    let schema = Arc::clone(&makes);
    let doubled = odd.unwrap().map_batches(["label"], makes, move |batch| {
        let doubled: Int64Array = labels(batch).unary(|label| label * 2);
        Ok(RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(doubled)])?)
    });
    doubled.unwrap()
}

#[test]
fn functions_before_batches_are_covered_by_states() {
    let dataset = odd_doubled();
    for config in [
        LoaderConfig::independent(32).epochs(2),
        LoaderConfig::independent(32).epochs(2).shuffle_globally(7),
        LoaderConfig::independent(32).epochs(2).shuffle_blocks(64 << 10, 7),
        LoaderConfig::independent(32).epochs(2).shuffle_buffer(100, 7),
    ] {
        let builder = |threads| {
            let builder = dataset.loader(config.clone()).inputs(["label"]).targets(["doubled"]);
            builder.batch_size(50).threads(threads)
        };
        let pairs = |batch: Result<Batch, Error>| {
            let batch = batch.unwrap();
            let doubled = batch.get("doubled").unwrap().values().as_slice::<i64>().unwrap().to_vec();
            labels(&batch).into_iter().zip(doubled).collect::<Vec<_>>()
        };
        let expected = builder(1).build().unwrap().map(pairs).collect::<Vec<_>>();
        assert_eq!(expected.iter().map(Vec::len).sum::<usize>(), 2 * 906);
        assert!(expected.iter().flatten().all(|(label, doubled)| label % 2 == 1 && *doubled == label * 2));
        for threads in [2, 4] {
            let mut loader = builder(threads).build().unwrap();
            let mut got = (0..7).map(|_| pairs(loader.next_batch().map(Option::unwrap))).collect::<Vec<_>>();
            got.extend(builder(threads).state(loader.state()).build().unwrap().map(pairs));
            assert_eq!(got, expected, "{config:?}, {threads} threads");
        }
    }
}

#[test]
fn an_error_before_batches_names_its_record() {
    let files = format!("{FOLDER}/../digits/digits@3.tfrecord");
    let digits = OpenOptions::new().scalars(true).open(files.as_str()).unwrap();
    let failing = digits.filter_batches(["label"], |_| Err("no label".into())).unwrap();
    let loader = failing.loader(LoaderConfig::independent(8)).inputs(["label"]).build();
    let error = loader.unwrap().next_batch().unwrap_err().to_string();
    let text = "digits-00000-of-00003.tfrecord, byte 0, record 0: the function given to filter_batches fails: no label";
    assert!(error.ends_with(text), "{error}");
}

#[test]
fn functions_are_applied_one_after_the_other() {
    let add = |by: i64| {
        move |mut batch: Batch| -> Result<Batch, MapError> {
            let shape = batch.get("label")?.shape().to_vec();
            let sums = labels(&batch).iter().map(|label| label * 2 + by).collect::<Vec<_>>();
            batch.replace("label", DenseTensor::try_new(shape, Values::from_vec(sums))?)?;
            Ok(batch)
        }
    };
    let plain = builder(config()).build().unwrap().next_batch().unwrap().unwrap();
    let mapped = builder(config()).map(add(1)).map(add(5)).build().unwrap().next_batch().unwrap().unwrap();
    let expected = labels(&plain).iter().map(|label| (label * 2 + 1) * 2 + 5).collect::<Vec<_>>();
    assert_eq!(labels(&mapped), expected);
}

#[test]
fn an_error_names_the_first_record_and_ends_the_loader() {
    let calls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&calls);
    let fails = move |batch: Batch| -> Result<Batch, MapError> {
        count.fetch_add(1, Ordering::Relaxed);
        if labels(&batch).len() == 3 { Err("no batch of three".into()) } else { Ok(batch) }
    };
    let mut loader = builder(config()).batch_size(3).threads(1).map(fails).build().unwrap();
    let error = loader.next_batch().unwrap_err();
    let text = error.to_string();
    assert!(
        text.ends_with(
            "digits-00000-of-00003.tfrecord, record 0: the function given to map fails: no batch of three"
        ),
        "{text}"
    );
    assert_eq!(error.detail(), Some(&Kind::Mapped));
    assert!(loader.next_batch().unwrap().is_none());
    assert!(calls.load(Ordering::Relaxed) >= 1);
}

#[test]
fn a_panic_of_the_function_is_its_error() {
    for threads in [1, 3] {
        let panics = |_: Batch| -> Result<Batch, MapError> { panic!("no {}", 7) };
        let error = builder(config()).threads(threads).map(panics).build().unwrap().next_batch().unwrap_err();
        let expected =
            "digits-00000-of-00003.tfrecord, record 0: the function given to map fails: it panicked: no 7";
        assert!(error.to_string().ends_with(expected), "{error}");
        assert_eq!(error.detail(), Some(&Kind::Mapped));
    }
}

#[test]
fn tensors_of_other_rows_and_other_batches_are_refused() {
    let short = |mut batch: Batch| -> Result<Batch, MapError> {
        batch.replace("label", DenseTensor::try_new(vec![1], Values::from_vec(vec![1_i64]))?)?;
        Ok(batch)
    };
    let error =
        builder(config()).batch_size(2).map(short).build().unwrap().next_batch().unwrap_err().to_string();
    assert!(error.contains("a tensor of shape [1] cannot be \"label\" of a batch of 2 rows"), "{error}");

    let unknown = |mut batch: Batch| -> Result<Batch, MapError> {
        let label = batch.get("label")?.clone();
        batch.replace("lable", label)?;
        Ok(batch)
    };
    let error = builder(config()).map(unknown).build().unwrap().next_batch().unwrap_err().to_string();
    assert!(error.contains("the batch has no tensor \"lable\""), "{error}");

    let first = builder(config()).batch_size(2).build().unwrap().next_batch().unwrap().unwrap();
    let another = move |_: Batch| -> Result<Batch, MapError> { Ok(first.clone()) };
    let mut loader = builder(config()).batch_size(2).map(another).build().unwrap();
    assert!(loader.next_batch().unwrap().is_some());
    let error = loader.next_batch().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the function given to map returns another batch than it was given; replace the tensors of the batch that it is given"
    );
}

#[test]
fn tensors_are_handed_over_without_a_copy() {
    for threads in [1, 3] {
        let builder = builder(config()).batch_size(50).threads(threads);
        let mut loader = builder.reuse_memory(false).build().unwrap();
        for _ in 0..5 {
            let batch = loader.next_batch().unwrap().unwrap();
            let memory = batch.get("image").unwrap().values().as_slice::<f32>().unwrap().as_ptr();
            let [label, image] = batch.into_tensors(["label", "image"]).unwrap();
            let pixels = image.into_parts().1.try_into_vec::<f32>().unwrap();
            assert_eq!((pixels.as_ptr(), pixels.len(), label.shape()), (memory, 50 * 64, &[50][..]));
        }
        let batch = loader.next_batch().unwrap().unwrap();
        let error = batch.into_tensors(["image", "lable"]).unwrap_err().to_string();
        assert_eq!(error, "the batch has no tensor \"lable\"; did you mean \"label\"?");
    }
}

#[test]
fn windows_and_shuffles_have_constructors() {
    let config = LoaderConfig::windows(8, 2..=4, Stride::steps(3)).shuffle_buffer(100, 5);
    let stride = Stride::Range { min: 3, max: 3 };
    assert_eq!(config.loader, LoaderType::ContinuousSequence { min_window: 2, max_window: 4, stride });
    let json = serde_json::to_string(&config).unwrap();
    assert_eq!(serde_json::from_str::<LoaderConfig>(&json).unwrap(), config);
    assert!(json.contains(r#""num_shuffle_buffer_elements":100"#), "{json}");

    let config = LoaderConfig::record_windows(8, 1..=4).shuffle_blocks(1 << 20, 5);
    assert_eq!(config.loader, LoaderType::DiscreteSequence { min_window: 1, max_window: 4 });
    assert_eq!(config.shuffle, Shuffle::Blocks { bytes: 1 << 20, streams: None });
    assert_eq!((config.seed, config.target_batch_size), (Some(5), 8));
}

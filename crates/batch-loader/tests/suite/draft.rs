//! Drafts: a manifest and a configuration from a look at the records, which load them at once.

use std::path::Path;
use std::sync::Arc;

use batch_loader::BatchLoader;
use batch_loader::config::{DatasetSource, DefaultValue, LoaderConfig};
use batch_loader::manifest::{Draft, Manifest};
use tfrecord_io::Compression;
use tfxio_core::{Dataset, LocalStore};

use crate::data;

fn open(dir: &Path) -> Arc<dyn Dataset> {
    tfxio_formats::open(dir.join("*.tfrecord").to_str().unwrap()).unwrap()
}

fn draft(dir: &Path, records: u64) -> Draft {
    let source = DatasetSource::Dir { data_dir: dir.to_path_buf() };
    Draft::of(&*open(dir), &LocalStore, source, records).unwrap()
}

/// Writes the manifest and the configuration of a draft, and loads all of it.
fn load(dir: &Path, draft: &Draft) -> BatchLoader {
    let (manifest, config) = (draft.manifest_json(), draft.config_json());
    assert_eq!(Manifest::from_json(&manifest).unwrap(), draft.manifest);
    std::fs::write(draft.manifest_file(), manifest).unwrap();
    assert_eq!(draft.manifest_file(), dir.join("__manifest__.json"));
    let config = LoaderConfig::from_json(&config).unwrap();
    assert_eq!(*config, draft.config);
    BatchLoader::builder(config)
        .formats(&tfxio_formats::formats())
        .inputs(draft.config.tensor_names())
        .build()
        .unwrap()
}

#[test]
fn features_that_are_absent_get_a_default_and_others_are_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let records = [data::example(7), data::list([3, 4]), data::list([5, 6])];
    data::write(dir.path(), "0.tfrecord", Compression::None, records);
    let draft = draft(dir.path(), u64::MAX);
    assert_eq!((draft.records, &draft.left_out[..]), (3, &[][..]));
    let features =
        draft.manifest.features.iter().map(|of| format!("{} {} {:?}", of.name, of.dtype, of.shape));
    assert_eq!(features.collect::<Vec<_>>(), ["id int64 []", "raw string []", "v int64 [2]"]);
    let defaults = draft.config.defaults.iter().map(|default| (&*default.tensor, &default.value));
    assert!(defaults.clone().all(|(_, value)| matches!(value, DefaultValue::Cells(_))));
    assert_eq!(defaults.map(|(name, _)| name).collect::<Vec<_>>(), ["id", "raw", "v"]);
    let batch = load(dir.path(), &draft).next_batch().unwrap().unwrap();
    assert_eq!(data::values(&batch, "id"), (vec![3], vec![7, 0, 0]));
    assert_eq!(data::values(&batch, "v"), (vec![3, 2], vec![0, 0, 3, 4, 5, 6]));

    // A length that differs is no shape.
    data::write(dir.path(), "1.tfrecord", Compression::None, [data::list([1, 2, 3])]);
    let draft = self::draft(dir.path(), u64::MAX);
    assert_eq!(draft.left_out.len(), 1);
    let (name, why) = &draft.left_out[0];
    assert_eq!((&**name, &**why), ("v", "has 2 to 3 values a record, and a manifest takes as many in each"));
    // Nobody has looked at what comes later.
    assert_eq!(self::draft(dir.path(), 3).left_out, []);
}

#[test]
fn sequences_are_padded_and_compression_is_seen() {
    for compression in [Compression::None, Compression::Gzip, Compression::Zlib] {
        let dir = tempfile::tempdir().unwrap();
        let records = [data::sequence([1, 2]), data::example(3), data::sequence([])];
        data::write(dir.path(), "0.tfrecord", compression, records);
        let draft = draft(dir.path(), u64::MAX);
        let mut loader = load(dir.path(), &draft);
        let batch = loader.next_batch().unwrap().unwrap();
        assert_eq!(data::values(&batch, "v"), (vec![3, 2], vec![1, 2, 0, 0, 0, 0]), "{compression}");
    }
}

#[test]
fn what_a_manifest_does_not_describe_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    data::write(dir.path(), "0.tfrecord", Compression::None, [data::list([1]), data::list([1, 2])]);
    let source = DatasetSource::Dir { data_dir: dir.path().to_path_buf() };
    let error = Draft::of(&*open(dir.path()), &LocalStore, source.clone(), 10).unwrap_err().to_string();
    assert!(
        error.contains(
            "no feature of the 2 records can be loaded by a manifest; \"v\" has 1 to 2 values a record"
        ),
        "{error}"
    );
    data::write(dir.path(), "1.tfrecord", Compression::Gzip, [data::list([1])]);
    let error = Draft::of(&*open(dir.path()), &LocalStore, source, 10).unwrap_err().to_string();
    assert!(
        error.contains("1.tfrecord: the file is compressed in another way than those before it"),
        "{error}"
    );
}

#[test]
fn features_of_any_number_of_values_have_a_description() {
    let dir = tempfile::tempdir().unwrap();
    let records = [data::example(7), data::list([3, 4]), data::list([5, 6])];
    data::write(dir.path(), "0.tfrecord", Compression::None, records);
    assert!(Draft::fits_manifest(&*open(dir.path()), u64::MAX).unwrap());
    data::write(dir.path(), "1.tfrecord", Compression::None, [data::list([1, 2, 3])]);
    let dataset = open(dir.path());
    assert!(!Draft::fits_manifest(&*dataset, u64::MAX).unwrap());
    assert!(Draft::fits_manifest(&*dataset, 3).unwrap(), "nobody has looked at what comes later");

    let source = DatasetSource::Spec { spec_file: dir.path().join("spec.json") };
    let draft = Draft::of(&*dataset, &LocalStore, source, u64::MAX).unwrap();
    assert_eq!((draft.records, &draft.left_out[..]), (4, &[][..]));
    std::fs::write(draft.manifest_file(), draft.manifest_json()).unwrap();
    let config = LoaderConfig::from_json(&draft.config_json()).unwrap();
    assert_eq!(*config, draft.config);
    let mut loader = BatchLoader::builder(config)
        .formats(&tfxio_formats::formats())
        .inputs(draft.config.tensor_names())
        .build()
        .unwrap();
    let batch = loader.next_batch().unwrap().unwrap();
    // One value a record is a value, as of a manifest; lists are padded.
    assert_eq!(data::values(&batch, "id"), (vec![4], vec![7, 0, 0, 0]));
    assert_eq!(data::values(&batch, "v"), (vec![4, 3], vec![0, 0, 0, 3, 4, 0, 5, 6, 0, 1, 2, 3]));

    // What a manifest cannot say of any feature is no error here.
    let dir = tempfile::tempdir().unwrap();
    data::write(dir.path(), "0.tfrecord", Compression::None, [data::list([1]), data::list([1, 2])]);
    assert!(!Draft::fits_manifest(&*open(dir.path()), u64::MAX).unwrap());
    let source = DatasetSource::Spec { spec_file: dir.path().join("spec.json") };
    let draft = Draft::of(&*open(dir.path()), &LocalStore, source, u64::MAX).unwrap();
    assert_eq!(draft.left_out, []);

    // What a comment proposes in place of padding can be loaded.
    std::fs::write(draft.manifest_file(), draft.manifest_json()).unwrap();
    let text = draft.config_json();
    let packed =
        text.split_once("of a language model: ").and_then(|(_, rest)| rest.split_once(".\n")).unwrap().0;
    let text = text.replace("\"padding\": true", packed);
    let loader = BatchLoader::builder(LoaderConfig::from_json(&text).unwrap())
        .formats(&tfxio_formats::formats())
        .inputs(["v"]);
    let batch = loader.build().unwrap().next_batch().unwrap().unwrap();
    let (shape, values) = data::values(&batch, "v");
    assert_eq!((shape, &values[..4]), (vec![1, 2048], &[1, 1, 2, 0][..]));
}

#[test]
fn steps_of_any_number_of_values_have_a_description() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, steps: Vec<Vec<i64>>| {
        data::write(dir.path(), name, Compression::None, [data::sequence_of(steps), data::sequence_of([])]);
    };
    let load = || {
        let source = DatasetSource::Spec { spec_file: dir.path().join("spec.json") };
        let draft = Draft::of(&*open(dir.path()), &LocalStore, source, u64::MAX).unwrap();
        assert_eq!(draft.left_out, []);
        std::fs::write(draft.manifest_file(), draft.manifest_json()).unwrap();
        let config = LoaderConfig::from_json(&draft.config_json()).unwrap();
        assert_eq!(*config, draft.config);
        let builder = BatchLoader::builder(config).formats(&tfxio_formats::formats()).inputs(["v"]);
        let batch = builder.build().unwrap().next_batch().unwrap().unwrap();
        data::values(&batch, "v")
    };
    // As many in each step: known before the first batch.
    write("0.tfrecord", vec![vec![1], vec![2]]);
    assert!(Draft::fits_manifest(&*open(dir.path()), u64::MAX).unwrap());
    assert_eq!(load(), (vec![2, 2], vec![1, 2, 0, 0]));
    write("0.tfrecord", vec![vec![1, 2], vec![3, 4]]);
    assert_eq!(load(), (vec![2, 2, 2], vec![1, 2, 3, 4, 0, 0, 0, 0]));
    write("0.tfrecord", vec![vec![1, 2], vec![]]);
    assert!(!Draft::fits_manifest(&*open(dir.path()), u64::MAX).unwrap());
    assert_eq!(load(), (vec![2, 2, 2], vec![1, 2, 0, 0, 0, 0, 0, 0]));
}

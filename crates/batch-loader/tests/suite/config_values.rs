//! Values of configurations and manifests, and their meaning.

use batch_loader::config::{
    BucketByLength, Constant, DTypeOf, DatasetSource, LoaderConfig, LoaderType, Normalization, OnError,
    Operation, Padding, PrimaryFeature, ProcessingStep, SecondaryFeature, ShapeOf, Shard, Shuffle, Stride,
    TensorPadding,
};
use batch_loader::manifest::{Deserialize, Endian, Manifest};
use tfxio_core::{DType, SkipBudget};

/// Returns a configuration of the required keys, with these further members.
fn read(loader: &str, members: &str) -> LoaderConfig {
    let text = format!(
        r#"{{
            "type": "{loader}", // comments are allowed
            "dataset": {{"type": "dir", "args": {{"data_dir": "data"}}}},
            "target_batch_size": 2, "drop_remainder": false, "epochs": 1,
            "num_read_buffer_bytes": 0, "num_prefetch": 2,
            "primary_features": [{{"from_name": "x/raw", "to_name": "x"}}]{members}
        }}"#
    );
    LoaderConfig::from_json(&text).unwrap().into_inner()
}

fn independent() -> LoaderConfig {
    let mut config = LoaderConfig::independent(2);
    config.dataset = Some(DatasetSource::Dir { data_dir: "data".into() });
    config.primary_features = vec![PrimaryFeature::new("x/raw", "x")];
    config
}

#[test]
fn what_is_left_out_has_the_defaults_of_the_constructor() {
    assert_eq!(read("independent", ""), independent());
}

#[test]
fn every_key_is_read() {
    let text = r#"{
        "type": "independent", "multi_load": false, "name": "train",
        "dataset": {"type": "list", "args": {"manifest_file": "m.json", "list_file": "l.txt"}},
        "target_batch_size": 64.0, "drop_remainder": true, "epochs": null,
        "num_parallel_reads": 3, "num_parallel_parses": 4, "num_read_buffer_bytes": 1048576, "num_prefetch": 0,
        "shuffle": true, "num_shuffle_buffer_elements": 1000, "num_filenames_shuffle_buffer": 10, "num_mix_files": 5,
        "sloppy_interleave": true,
        "num_interleave_out_buffer_elements": 6, "num_interleave_in_buffer_elements": 7,
        "primary_features": [{"from_name": "a", "to_name": "b"}, {"from_name": "a", "to_name": "c"}],
        "secondary_features": [
            {"to_name": "d", "type": "const", "args": {"shape": [2, 0], "dtype": "half", "value": -1.5}},
            {"to_name": "e", "type": "const", "args": {"shape": [], "dtype": "string", "value": "<s>"}},
            {"to_name": "f", "type": "const", "args": {"shape": "b", "dtype": "c", "value": null}},
            {"to_name": "g", "type": "ones", "args": {"shape": [1], "dtype": "bool"}}
        ],
        "processing_steps": [
            {"tensor": "b", "type": "slice", "args": {"slice": "[1:,-1]"}},
            {"tensor": "b", "type": "onehot", "args": {"depth": 10}},
            {"tensor": "c", "type": "onehot", "args": {"depth": 0, "dtype": "int64"}},
            {"tensor": "c", "type": "reshape", "args": {"shape": []}}
        ],
        "normalization": [{"tensor": "b", "axis": -1}],
        "padding": [
            {"tensor": "b", "shape": [-1, 3], "value": true},
            {"tensor": "c", "shape": null, "value": 18446744073709551615},
            {"tensor": "d"}
        ],
        "on_error": "skip",
        "error_budget": {"ranges": 3, "share": 0.25},
        "bucket_by_length": {"tensor": "b", "boundaries": [5, 10], "batch_sizes": [8, 4, 2]},
        "seed": 18446744073709551615,
        "shard": {"index": 1, "count": 2}
    }"#;
    let mut expected = LoaderConfig::independent(64);
    expected.dataset =
        Some(DatasetSource::List { manifest_file: "m.json".into(), list_file: "l.txt".into() });
    expected.primary_features = ["b", "c"].map(|name| PrimaryFeature::new("a", name)).into();
    expected.drop_remainder = true;
    expected.epochs = None;
    (expected.num_parallel_reads, expected.num_parallel_parses) = (3, 4);
    expected.num_prefetch = 0;
    expected.shuffle = Shuffle::Buffer { elements: 1000, filenames: 10, mix_files: 5 };
    expected.sloppy_interleave = true;
    let secondary = |name: &str, shape, dtype, value| {
        let mut feature = SecondaryFeature::new(name, shape, dtype);
        feature.value = value;
        feature
    };
    expected.secondary_features = vec![
        secondary(
            "d",
            ShapeOf::Given(vec![2, 0]),
            DTypeOf::Given(DType::Float16),
            Some(Constant::Float(-1.5)),
        ),
        secondary(
            "e",
            ShapeOf::Given(vec![]),
            DTypeOf::Given(DType::String),
            Some(Constant::String("<s>".to_owned())),
        ),
        secondary("f", ShapeOf::Tensor("b".into()), DTypeOf::Tensor("c".into()), None),
        secondary("g", ShapeOf::Given(vec![1]), DTypeOf::Given(DType::Bool), Some(Constant::Int(1))),
    ];
    let step = |tensor: &str, operation| ProcessingStep::new(tensor, operation);
    expected.processing_steps = vec![
        step("b", Operation::Slice("[1:,-1]".parse().unwrap())),
        step("b", Operation::OneHot { depth: 10, dtype: DType::Float32 }),
        step("c", Operation::OneHot { depth: 0, dtype: DType::Int64 }),
        step("c", Operation::Reshape(vec![])),
    ];
    expected.normalization = vec![Normalization::new("b", -1)];
    let pad = |tensor: &str, shape, value| {
        let mut padding = TensorPadding::new(tensor);
        (padding.shape, padding.value) = (shape, value);
        padding
    };
    expected.padding = Padding::List(vec![
        pad("b", Some(vec![None, Some(3)]), Some(Constant::Bool(true))),
        pad("c", None, Some(Constant::Int(u64::MAX.into()))),
        pad("d", None, None),
    ]);
    expected.on_error = OnError::Skip(SkipBudget::default().ranges(3).share(0.25));
    expected.bucket_by_length = Some(BucketByLength::new("b", vec![5, 10], vec![8, 4, 2]));
    expected.seed = Some(u64::MAX);
    expected.shard = Some(Shard { index: 1, count: 2 });
    assert_eq!(*LoaderConfig::from_json(text).unwrap(), expected);
}

#[test]
fn windows_have_lengths_and_strides() {
    let windows = r#", "min_window": 2, "max_window": 3"#;
    for (members, stride) in [
        ("", Stride::Window),
        (r#", "stride": null"#, Stride::Window),
        (r#", "stride": 4"#, Stride::Range { min: 4, max: 4 }),
        (r#", "min_stride": 1, "max_stride": 5"#, Stride::Range { min: 1, max: 5 }),
        (r#", "multi_load": false"#, Stride::Window),
    ] {
        let config = read("continuous_sequence", &format!("{windows}{members}"));
        assert_eq!(config.loader, LoaderType::ContinuousSequence { min_window: 2, max_window: 3, stride });
    }
    let discrete = LoaderType::DiscreteSequence { min_window: 2, max_window: 3 };
    assert_eq!(read("discrete_sequence", windows).loader, discrete);
}

#[test]
fn some_keys_mean_the_same() {
    for (members, padding) in [
        (r#", "padding": true"#, Padding::All),
        (r#", "padding": false"#, Padding::Off),
        (r#", "padding": []"#, Padding::Off),
    ] {
        assert_eq!(read("independent", members).padding, padding);
    }
    assert_eq!(read("independent", r#", "shuffle": "global""#).shuffle, Shuffle::Global);
    // Without shuffling its buffers are of no use, and any integers will do.
    let unused = r#", "shuffle": false, "num_shuffle_buffer_elements": 0, "num_mix_files": -1"#;
    assert_eq!(read("independent", unused), independent());
}

#[test]
fn every_way_to_describe_a_feature() {
    let features = r#"[
        {"name": "a", "dtype": "half", "shape": [2.0, 0], "deserialize_type": "float", "var_len": false},
        {"name": "b", "dtype": "string", "shape": [], "deserialize_type": "string", "deserialize_args": {}, "var_len": true},
        {"name": "c", "dtype": "int16", "shape": [3], "deserialize_type": "raw", "var_len": false,
         "deserialize_args": {"endian": "big", "len": 2}},
        {"name": "d", "dtype": "double", "shape": [3], "deserialize_type": "raw", "var_len": true,
         "deserialize_args": {"endian": "little", "len": -7}}
    ]"#;
    let read = Manifest::from_json(&format!(
        r#"{{"compression": "GZip", "allow_var_len": true, "features": {features}}}"#
    ))
    .unwrap();
    assert!(read.allow_var_len);
    assert_eq!(format!("{:?}", read.compression), "Gzip");
    let facts = read
        .features
        .iter()
        .map(|of| (&*of.name, of.dtype.name(), of.shape.as_slice(), of.var_len, of.deserialize));
    let raw = |endian, len| Deserialize::Raw { endian, len };
    assert_eq!(
        facts.collect::<Vec<_>>(),
        [
            ("a", "float16", &[2, 0][..], false, Deserialize::Float),
            ("b", "string", &[], true, Deserialize::String),
            ("c", "int16", &[3], false, raw(Endian::Big, 2)),
            ("d", "float64", &[3], true, raw(Endian::Little, 1)),
        ]
    );
}

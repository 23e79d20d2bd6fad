//! A configuration or a manifest that is written to JSON and read again is equal.

use std::sync::Arc;

use batch_loader::config::{
    BucketByLength, Constant, DTypeOf, DatasetSource, Even, KeepIndex, LoaderConfig, LoaderType,
    Normalization, OnError, Operation, Padding, PrimaryFeature, ProcessingStep, SecondaryFeature, ShapeOf,
    Shard, Shuffle, Slice, SliceAxis, Stride, TensorPadding,
};
use batch_loader::manifest::Manifest;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use tfxio_core::{DType, SkipBudget};

fn count() -> impl Strategy<Value = usize> {
    prop_oneof![1usize..5, Just(u32::MAX as usize)]
}

fn name() -> impl Strategy<Value = Arc<str>> {
    "[a-z/\"\\\\é ]{1,8}".prop_map(Arc::from)
}

/// Two lengths, the second not less than the first.
fn lengths() -> impl Strategy<Value = (usize, usize)> {
    (1usize..9, 0usize..9).prop_map(|(least, more)| (least, least + more))
}

fn constant() -> impl Strategy<Value = Constant> {
    prop_oneof![
        any::<bool>().prop_map(Constant::Bool),
        any::<i128>().prop_map(Constant::Int),
        any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(Constant::Float),
        Just(Constant::Float(-0.0)),
        ".{0,9}".prop_map(Constant::String),
    ]
}

fn dtype() -> impl Strategy<Value = DType> {
    proptest::sample::select(&DType::ALL[..])
}

fn loader() -> impl Strategy<Value = LoaderType> {
    let stride =
        prop_oneof![Just(Stride::Window), lengths().prop_map(|(min, max)| Stride::Range { min, max }),];
    prop_oneof![
        Just(LoaderType::Independent),
        (lengths(), stride).prop_map(|((min_window, max_window), stride)| {
            LoaderType::ContinuousSequence { min_window, max_window, stride }
        }),
        lengths()
            .prop_map(|(min_window, max_window)| LoaderType::DiscreteSequence { min_window, max_window }),
    ]
}

fn source() -> impl Strategy<Value = DatasetSource> {
    prop_oneof![
        name().prop_map(|path| DatasetSource::Dir { data_dir: path.as_ref().into() }),
        (name(), name()).prop_map(|(manifest, list)| DatasetSource::List {
            manifest_file: manifest.as_ref().into(),
            list_file: list.as_ref().into(),
        }),
    ]
}

fn shuffle() -> impl Strategy<Value = Shuffle> {
    let buffer = (count(), count(), 1usize..99)
        .prop_map(|(elements, filenames, mix_files)| Shuffle::Buffer { elements, filenames, mix_files });
    prop_oneof![Just(Shuffle::Off), Just(Shuffle::Global), buffer]
}

fn secondary() -> impl Strategy<Value = SecondaryFeature> {
    let shape = prop_oneof![vec(0usize..9, 0..3).prop_map(ShapeOf::Given), name().prop_map(ShapeOf::Tensor)];
    let other = name().prop_filter("not a dtype", |name| name.len() > 7 || !name.is_ascii());
    let dtype = prop_oneof![dtype().prop_map(DTypeOf::Given), other.prop_map(DTypeOf::Tensor)];
    (name(), shape, dtype, of(constant())).prop_map(|(to_name, shape, dtype, value)| {
        let mut feature = SecondaryFeature::new(to_name, shape, dtype);
        feature.value = value;
        feature
    })
}

fn step() -> impl Strategy<Value = ProcessingStep> {
    let bound = || of(any::<i64>());
    let range = (bound(), bound(), prop_oneof![Just(1), Just(-3), Just(i64::MIN)])
        .prop_map(|(start, stop, step)| SliceAxis::Range { start, stop, step });
    let axis = prop_oneof![any::<i64>().prop_map(SliceAxis::Index), range];
    let numbers = dtype().prop_filter("numbers", |dtype| !matches!(dtype, DType::Bool | DType::String));
    let operation = prop_oneof![
        vec(axis, 1..4).prop_map(|axes| Operation::Slice(Slice::new(axes))),
        (0usize..99, numbers).prop_map(|(depth, dtype)| Operation::OneHot { depth, dtype }),
        vec(count(), 0..3).prop_map(Operation::Reshape),
    ];
    (name(), operation).prop_map(|(tensor, operation)| ProcessingStep::new(tensor, operation))
}

fn padding() -> impl Strategy<Value = Padding> {
    let one = (name(), of(vec(of(0usize..9), 0..3)), of(constant())).prop_map(|(tensor, shape, value)| {
        let mut padding = TensorPadding::new(tensor);
        (padding.shape, padding.value) = (shape, value);
        padding
    });
    prop_oneof![Just(Padding::Off), Just(Padding::All), vec(one, 1..3).prop_map(Padding::List)]
}

fn buckets() -> impl Strategy<Value = BucketByLength> {
    (name(), vec(1usize..9, 1..4), vec(count(), 4)).prop_map(|(tensor, widths, mut batch_sizes)| {
        batch_sizes.truncate(widths.len() + 1);
        let boundaries = widths.iter().scan(0, |end, width| {
            *end += width;
            Some(*end)
        });
        BucketByLength::new(tensor, boundaries.collect(), batch_sizes)
    })
}

prop_compose! {
    fn counts()(
        target_batch_size in count(),
        drop_remainder: bool,
        sloppy_interleave: bool,
        epochs in of(1u64..9),
        (reads, parses) in (1usize..1024, 1usize..1024),
        num_prefetch in 0usize..65_536,
    ) -> LoaderConfig {
        let mut config = LoaderConfig::independent(target_batch_size);
        (config.drop_remainder, config.sloppy_interleave, config.epochs) = (drop_remainder, sloppy_interleave, epochs);
        (config.num_parallel_reads, config.num_parallel_parses) = (reads, parses);
        config.num_prefetch = num_prefetch;
        config
    }
}

prop_compose! {
    fn config()(
        mut config in counts(),
        (loader, dataset, shuffle) in (loader(), of(source()), shuffle()),
        primary in vec((name(), name()), 1..3),
        secondary in vec(secondary(), 0..3),
        (steps, window_steps) in (vec(step(), 0..3), vec(step(), 0..3)),
        normalization in vec((name(), any::<i64>()), 0..2),
        (padding, buckets) in (padding(), of(buckets())),
        budget in of((any::<u64>(), any::<u64>(), 0.0f64..=1.0)),
        (seed, shard) in (any::<Option<u64>>(), of((0u32..4, 4u32..9))),
        even in of(prop_oneof![Just(Even::Drop), Just(Even::Repeat)]),
        (index, index_dir) in prop_oneof![
            Just((KeepIndex::None, None)),
            Just((KeepIndex::Beside, None)),
            of(name()).prop_map(|dir| (KeepIndex::Cache, dir)),
        ],
    ) -> LoaderConfig {
        let feature = |(from_name, to_name)| PrimaryFeature::new(from_name, to_name);
        (config.loader, config.dataset, config.shuffle) = (loader, dataset, shuffle);
        config.primary_features = primary.into_iter().map(feature).collect();
        (config.secondary_features, config.processing_steps) = (secondary, steps);
        if config.loader != LoaderType::Independent {
            config.window_steps = window_steps;
        }
        let normalize = |(tensor, axis)| Normalization::new(tensor, axis);
        config.normalization = normalization.into_iter().map(normalize).collect();
        (config.padding, config.bucket_by_length) = (padding, buckets);
        if let Some((ranges, bytes, share)) = budget {
            let mut budget = SkipBudget::default();
            (budget.ranges, budget.bytes, budget.share) = (ranges, bytes, share);
            config.on_error = OnError::Skip(budget);
        }
        config.seed = seed;
        config.shard = shard.map(|(index, count)| Shard { index, count });
        (config.even, config.index) = (even, index);
        config.index_dir = index_dir.map(|dir| dir.as_ref().into());
        config
    }
}

proptest! {
    #[test]
    fn a_configuration_comes_back(config in config()) {
        let text = serde_json::to_string(&config).unwrap();
        prop_assert_eq!(LoaderConfig::from_json(&text).unwrap().into_inner(), config.clone(), "{}", text);
        let pretty = serde_json::to_string_pretty(&config).unwrap();
        prop_assert_eq!(LoaderConfig::from_json(&pretty).unwrap().into_inner(), config);
    }
}

#[test]
fn serde_reads_what_it_writes_and_refuses_what_a_text_may_not_be() {
    let config = LoaderConfig::independent(32).shuffle_globally(7).pad("x", 16);
    let value = serde_json::to_value(&config).unwrap();
    assert_eq!(serde_json::from_value::<LoaderConfig>(value.clone()).unwrap(), config);
    let mut wrong = value;
    wrong["padding"][0]["tensr"] = 1.into();
    let error = serde_json::from_value::<LoaderConfig>(wrong).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`padding[0].tensr`: \"tensr\" is not a key of a padding; did you mean \"tensor\"? The keys are \"tensor\", \
         \"shape\", \"value\""
    );
}

#[test]
fn a_manifest_comes_back() {
    let text = r#"{"compression": "zlib", "allow_var_len": true, "features": [
        {"name": "a", "dtype": "float16", "shape": [2, 0], "deserialize_type": "float", "var_len": false},
        {"name": "b", "dtype": "int16", "shape": [], "deserialize_type": "raw", "var_len": false,
         "deserialize_args": {"endian": "big", "len": 2}}]}"#;
    let manifest = Manifest::from_json(text).unwrap();
    let written = serde_json::to_string(&manifest).unwrap();
    assert_eq!(Manifest::from_json(&written).unwrap(), manifest);
    assert_eq!(serde_json::from_str::<Manifest>(&written).unwrap(), manifest);
}

#[test]
fn all_mistakes_are_said_at_once() {
    let text = r#"{
        "type": "discrete_sequence", "min_window": 3, "max_window": 2,
        "dataset": {"type": "dir", "args": {"data_dri": "x"}},
        "shufle": true, "target_batch_size": 0, "epochs": -1,
        "primary_features": [
            {"from_name": "a", "to_nam": "a"}, {"from_name": "b", "to_name": "b"}, {"from_name": "c"}
        ],
        "padding": [{"tensor": "a"}, {"tensor": "b", "shape": "x"}],
        "seed": "x", "shard": {"index": 5, "count": 5}, "on_error": "perhaps",
        "filter": "a >", "processing_steps": [{"tensor": "a", "type": "slise"}, 3]
    }"#;
    let error = LoaderConfig::from_json(text).unwrap_err();
    fn paths<'a>(error: &'a batch_loader::Error, all: &mut Vec<&'a str>) {
        all.push(error.position().json_path.as_deref().unwrap());
        error.others().iter().for_each(|other| paths(other, all));
    }
    let mut all = Vec::new();
    paths(&error, &mut all);
    assert_eq!(
        all,
        [
            "shufle",
            "max_window",
            "dataset.args.data_dir",
            "primary_features[0].to_name",
            "primary_features[2].to_name",
            "target_batch_size",
            "epochs",
            "on_error",
            "seed",
            "shard.index",
            "filter",
            "processing_steps[0].type",
            "processing_steps[1]",
            "padding[1].shape",
        ]
    );
    let lines = error.to_string();
    assert_eq!(lines.lines().count(), all.len());
    assert!(lines.starts_with("line 4, column 9, `shufle`: \"shufle\" is not a key of"), "{lines}");
    assert!(
        lines.contains("\nand line 4, column 46, `target_batch_size`: 0 is out of range; give"),
        "{lines}"
    );

    // Of very many there is a number.
    let features = vec!["{}"; 50].join(", ");
    let text = format!(r#"{{"type": "independent", "dataset": null, "primary_features": [{features}]}}"#);
    let lines = LoaderConfig::from_json(&text).unwrap_err().to_string();
    assert_eq!(lines.lines().count(), 22);
    assert!(lines.ends_with("\nand 29 more"), "{lines}");
}

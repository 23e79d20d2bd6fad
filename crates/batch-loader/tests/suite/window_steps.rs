//! Steps on windows: the values and shapes of each window, and refusals.

use std::path::Path;

use batch_loader::config::LoaderConfig;
use batch_loader::{BatchLoader, Kind, LoaderBuilder, LoaderState};
use tfrecord_io::Compression;

use crate::data;

/// The files of the data set: steps of each record. Steps are numbered over a file, from 1000 times its number.
const LENGTHS: [&[usize]; 3] = [&[3, 1, 0, 4, 2, 5, 1], &[1, 9], &[6, 6, 1, 2, 2]];

fn write(dir: &Path) {
    let lengths = LENGTHS.map(<[usize]>::to_vec);
    data::sequences(dir, &lengths, Compression::None);
}

/// A loader of the same feature under two names.
fn builder(dir: &Path, kind: &str, more: &str) -> LoaderBuilder {
    let text = format!(
        r#"{{"type": "{kind}", "dataset": {{"type": "dir", "args": {{"data_dir": "{}"}}}},
            "num_read_buffer_bytes": 0, "num_prefetch": 2, "drop_remainder": false, "primary_features": [
                {{"from_name": "v", "to_name": "x"}}, {{"from_name": "v", "to_name": "y"}}
            ], {more}}}"#,
        dir.display()
    );
    let config = LoaderConfig::from_json(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    BatchLoader::builder(config).formats(&tfxio_formats::formats()).inputs(["x"]).targets(["y"])
}

type Pair = [(Vec<usize>, Vec<i64>); 2];

fn rest(loader: &mut BatchLoader) -> Vec<Pair> {
    std::iter::from_fn(|| loader.next_batch().unwrap())
        .map(|batch| [data::values(&batch, "x"), data::values(&batch, "y")])
        .collect()
}

const SHIFT: &str = r#""window_steps": [
    {"tensor": "x", "type": "slice", "args": {"slice": "[:-1]"}},
    {"tensor": "y", "type": "slice", "args": {"slice": "[1:]"}}
]"#;

/// Windows of five steps, over the ends of records, as a model of the next step needs them.
#[test]
fn a_window_becomes_input_and_target() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path());
    let windows = |shuffle: &str| {
        let more = format!(
            r#""target_batch_size": 2, "epochs": 1, "min_window": 5, "max_window": 5, "stride": 2, {SHIFT} {shuffle}"#
        );
        let mut loader = builder(dir.path(), "continuous_sequence", &more).build().unwrap();
        let specs = loader.specs().iter().map(|(name, spec)| format!("{name}: {spec}")).collect::<Vec<_>>();
        assert_eq!(specs, ["x: dense int64 [?, 4]", "y: dense int64 [?, 4]"]);
        let mut out = Vec::new();
        for [(shape, x), (_, y)] in rest(&mut loader) {
            assert_eq!(shape[1..], [4]);
            out.extend(x.chunks(4).zip(y.chunks(4)).map(|(x, y)| (x.to_vec(), y.to_vec())));
        }
        out
    };
    let mut expected = Vec::new();
    for (file, lengths) in LENGTHS.iter().enumerate() {
        let (first, all) = (1000 * file as i64, lengths.iter().sum::<usize>() as i64);
        for start in (0..=all - 5).step_by(2).map(|start| first + start) {
            expected
                .push(((start..start + 4).collect::<Vec<_>>(), (start + 1..start + 5).collect::<Vec<_>>()));
        }
    }
    assert_eq!(windows(""), expected);
    // Records differ in length, and all windows are shuffled: they are the same ones.
    let mut shuffled = windows(r#", "shuffle": "global", "seed": 3"#);
    assert_ne!(shuffled, expected);
    shuffled.sort_unstable();
    assert_eq!(shuffled, expected);
}

/// Windows after each kind of step, and the shapes with and without padding.
#[test]
fn steps_of_every_kind() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![2, 1, 3]], Compression::None);
    let step = |kind: &str, args: &str| format!(r#"{{"tensor": "x", "type": "{kind}", "args": {{{args}}}}}"#);
    let slice = |text: &str| step("slice", &format!(r#""slice": "{text}""#));
    let onehot = step("onehot", r#""depth": 3, "dtype": "int64""#);
    let reshape = step("reshape", r#""shape": [3, 1]"#);
    type Case<'a> = (&'a str, Vec<String>, &'a str, &'a str, &'a [usize], &'a [i64]);
    let cases: [Case<'_>; 8] = [
        ("continuous_sequence", vec![slice("[::-1]")], "3", "[?, 3]", &[2, 3], &[2, 1, 0, 5, 4, 3]),
        ("continuous_sequence", vec![slice("[-1]")], "3", "[?]", &[2], &[2, 5]),
        ("continuous_sequence", vec![slice("[9:]")], "3", "[?, 0]", &[2, 0], &[]),
        (
            "continuous_sequence",
            vec![reshape.clone(), slice("[1:,0]")],
            "3",
            "[?, 2]",
            &[2, 2],
            &[1, 2, 4, 5],
        ),
        (
            "continuous_sequence",
            vec![slice("[:-1]"), onehot.clone(), slice("[:,1:]")],
            "3",
            "[?, 2, 2]",
            &[2, 2, 2],
            &[0, 0, 1, 0, 0, 0, 0, 0],
        ),
        ("discrete_sequence", vec![slice("[1:]")], "3", "[?, ?]", &[1, 5], &[1, 2, 3, 4, 5]),
        ("discrete_sequence", vec![slice("[-2:]")], "1", "[?, ?]", &[3, 2], &[0, 1, 2, 7, 4, 5]),
        ("discrete_sequence", vec![slice("[0]"), onehot], "2", "[?, 3]", &[1, 3], &[1, 0, 0]),
    ];
    for (kind, steps, window, spec, shape, values) in cases {
        let more = format!(
            r#""target_batch_size": 4, "epochs": 1, "min_window": {window}, "max_window": {window},
            "window_steps": [{}], "padding": [{{"tensor": "x", "value": 7}}]"#,
            steps.join(", ")
        );
        let mut loader = builder(dir.path(), kind, &more).build().unwrap();
        assert_eq!(loader.specs()[0].1.to_string(), format!("dense int64 {spec}"), "{steps:?}");
        let [x, _] = rest(&mut loader).swap_remove(0);
        assert_eq!(x, (shape.to_vec(), values.to_vec()), "{kind} {steps:?}");
    }
}

#[test]
fn lengths_of_records_follow_the_slices() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![2, 0, 1, 3]], Compression::None);
    let lengths = |slice: &str| {
        let more = format!(
            r#""target_batch_size": 4, "epochs": 1, "min_window": 4, "max_window": 4,
            "window_steps": [{{"tensor": "x", "type": "slice", "args": {{"slice": "{slice}"}}}}]"#
        );
        let mut loader = builder(dir.path(), "discrete_sequence", &more).build().unwrap();
        let batch = loader.next_batch().unwrap().unwrap();
        let of = |name: &str| {
            batch.row_lengths(name).map(|ragged| ragged.values().as_slice::<i64>().unwrap().to_vec())
        };
        assert_eq!(of("y"), Some(vec![2, 0, 1, 3]));
        of("x")
    };
    for (slice, expected) in [
        ("[:-1]", Some(vec![2, 0, 1, 2])),
        ("[1:]", Some(vec![1, 0, 1, 3])),
        ("[1:-2]", Some(vec![1, 0, 1, 1])),
        ("[::2]", Some(vec![1, 0, 1, 1])),
        ("[1::2]", Some(vec![1, 0, 0, 2])),
        ("[9:]", Some(vec![0, 0, 0, 0])),
        ("[::-1]", None),
        ("[0]", None),
    ] {
        assert_eq!(lengths(slice), expected, "{slice}");
    }
}

/// Buckets take the lengths after the steps.
#[test]
fn buckets_go_by_what_is_left() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path());
    let more = format!(
        r#""target_batch_size": 9, "epochs": 1, "min_window": 2, "max_window": 7, "seed": 5, "padding": true, {SHIFT},
        "bucket_by_length": {{"tensor": "x", "boundaries": [3, 5], "batch_sizes": [2, 2, 2]}}"#
    );
    let mut loader = builder(dir.path(), "continuous_sequence", &more).build().unwrap();
    let mut seen = [false; 3];
    while let Some(batch) = loader.next_batch().unwrap() {
        let (shape, values) = data::values(&batch, "x");
        let lengths =
            values.chunks(shape[1]).map(|row| row.iter().rposition(|value| *value != 0).unwrap_or(0) + 1);
        let bucket = |length: usize| usize::from(length >= 3) + usize::from(length >= 5);
        let buckets = lengths.map(bucket).collect::<Vec<_>>();
        assert!(buckets.iter().all(|bucket| *bucket == buckets[0]), "{values:?}");
        seen[buckets[0]] = true;
    }
    assert_eq!(seen, [true; 3]);
}

#[test]
fn states_are_restored_exactly() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path());
    let buffer = r#", "shuffle": true, "num_shuffle_buffer_elements": 4, "num_filenames_shuffle_buffer": 2, "num_mix_files": 2"#;
    for (kind, window, order) in [
        ("continuous_sequence", r#""min_window": 2, "max_window": 6, "min_stride": 1, "max_stride": 4"#, ""),
        ("continuous_sequence", r#""min_window": 2, "max_window": 6, "stride": 3"#, buffer),
        (
            "continuous_sequence",
            r#""min_window": 4, "max_window": 4, "stride": 1"#,
            r#", "shuffle": "global""#,
        ),
        ("discrete_sequence", r#""min_window": 1, "max_window": 3"#, buffer),
        ("discrete_sequence", r#""min_window": 2, "max_window": 2"#, r#", "shuffle": "global""#),
    ] {
        let more = format!(
            r#""target_batch_size": 3, "epochs": 2, "seed": 8, "padding": true, {window}, {SHIFT} {order}"#
        );
        let all = rest(&mut builder(dir.path(), kind, &more).build().unwrap());
        assert!(all.len() > 2);
        for stop in 0..=all.len() {
            let mut loader = builder(dir.path(), kind, &more).build().unwrap();
            for _ in 0..stop {
                loader.next_batch().unwrap().unwrap();
            }
            let state = LoaderState::from_json(&loader.state().to_json()).unwrap();
            let mut restored = builder(dir.path(), kind, &more).state(state).build().unwrap();
            assert_eq!(rest(&mut restored), all[stop..], "{kind}, {order}, after {stop} batches");
        }
    }
}

#[test]
fn what_cannot_be_done_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path());
    let window = r#""target_batch_size": 2, "epochs": 1, "min_window": 2, "max_window": 3"#;
    let step = |tensor: &str, kind: &str, args: &str| {
        format!(
            r#"{window}, "window_steps": [{{"tensor": "{tensor}", "type": "{kind}", "args": {{{args}}}}}]"#
        )
    };
    for (more, expected) in [
        (step("z", "slice", r#""slice": "[1:]""#), "`window_steps[0].tensor`: there is no tensor \"z\""),
        (
            step("x", "slice", r#""slice": "[1:,0]""#),
            "`window_steps[0].args.slice`: the slice [1:,0] has 2 axes",
        ),
        (
            format!(
                r#"{}, "padding": [{{"tensor": "x", "shape": [4, 1]}}]"#,
                step("x", "slice", r#""slice": "[0]""#)
            ),
            "`padding[0].shape`, tensor \"x\": the shape [4, 1] has 2 dimensions, the tensor of shape [] has 0",
        ),
    ] {
        let error = builder(dir.path(), "continuous_sequence", &more).build().unwrap_err();
        assert_eq!(error.detail(), Some(&Kind::InvalidValue));
        assert!(error.to_string().contains(expected), "{error}");
    }
    // What only a window can tell names the record with which it begins.
    let more = step("x", "slice", r#""slice": "[2]""#);
    let mut loader = builder(dir.path(), "continuous_sequence", &more).seed(1).build().unwrap();
    let error = loop {
        if let Err(error) = loader.next_batch() {
            break error.to_string();
        }
    };
    assert!(
        error.contains(".tfrecord, byte 0, record 0, ") && error.contains("takes a position of dimension 0"),
        "{error}"
    );
    // No windows, no steps on them.
    let text = r#"{"type": "independent", "dataset": {}, "target_batch_size": 1, "drop_remainder": false, "epochs": 1,
        "num_read_buffer_bytes": 0, "num_prefetch": 1, "primary_features": [], "window_steps": []}"#;
    let error = LoaderConfig::from_json(text).unwrap_err();
    assert!(error.to_string().contains("\"window_steps\" belongs to loaders of type"), "{error}");
}

#[test]
fn a_slice_of_records_that_are_parts_of_windows_warns() {
    let dir = tempfile::tempdir().unwrap();
    let warnings = |kind: &str, slice: &str| {
        let more = format!(
            r#""target_batch_size": 2, "epochs": 1, "min_window": 2, "max_window": 3,
            "processing_steps": [{{"tensor": "x", "type": "slice", "args": {{"slice": "{slice}"}}}}]"#
        );
        data::located(kind, dir.path(), "v", &format!(r#""drop_remainder": false, {more}"#)).warnings()
    };
    let found = warnings("continuous_sequence", "[:-1]");
    assert_eq!(
        found,
        [
            "line 4, column 85, `processing_steps[0].args.slice`: the slice [:-1] is taken of each record, before windows are \
          cut: steps are missing in windows that lie over the end of a record; to take a part of each window, use \
          `window_steps`"
        ]
    );
    assert_eq!(warnings("continuous_sequence", "[0]").len(), 1);
    for (kind, slice) in
        [("continuous_sequence", "[:]"), ("continuous_sequence", "[:,1]"), ("discrete_sequence", "[1:]")]
    {
        assert_eq!(warnings(kind, slice), [""; 0], "{kind} {slice}");
    }
}

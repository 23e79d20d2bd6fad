//! Serialized records.

use std::sync::Arc;

use tensor_repr::Values;
use tfrecord_io::FileWriter;
use tfxio_core::{DType, LocalStore, ScanRequest};

use super::{CONTINUOUS, INDEPENDENT, compile, failed, feature, limits, pipeline, source, whole};
use crate::column::RowShape;
use crate::config::KeepIndex;
use crate::manifest::{Compression, Manifest};
use crate::parse::{Importer, Parsed, chunk_of};
use crate::pipeline::Pipeline;
use crate::source::{Described, RecordPosition};

/// A field of a protobuf message that holds bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    let mut len = bytes.len();
    while len >= 128 {
        field.push(len as u8 | 128);
        len >>= 7;
    }
    field.push(len as u8);
    field.extend(bytes);
    field
}

/// Numbers below 128.
fn ints(numbers: &[u8]) -> Vec<u8> {
    field(3, &field(1, numbers))
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    field(2, &field(1, &numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>()))
}

fn strings(strings: &[&[u8]]) -> Vec<u8> {
    field(1, &strings.iter().flat_map(|string| field(1, string)).collect::<Vec<_>>())
}

fn entry(name: &str, value: &[u8]) -> Vec<u8> {
    field(1, &[field(1, name.as_bytes()), field(2, value)].concat())
}

fn example(features: &[(&str, Vec<u8>)]) -> Vec<u8> {
    field(1, &features.iter().flat_map(|(name, value)| entry(name, value)).collect::<Vec<_>>())
}

fn sequence_example(context: &[(&str, Vec<u8>)], lists: &[(&str, &[Vec<u8>])]) -> Vec<u8> {
    let list = |steps: &[Vec<u8>]| steps.iter().flat_map(|step| field(1, step)).collect::<Vec<_>>();
    let lists = lists.iter().flat_map(|(name, steps)| entry(name, &list(steps))).collect::<Vec<_>>();
    [example(context), field(2, &lists)].concat()
}

/// Decodes records as the data set of a manifest does, and makes tensors of them.
fn parse(pipeline: &Arc<Pipeline>, records: &[Vec<u8>]) -> Parsed {
    let mut features = pipeline.primary.iter().map(|primary| primary.feature.clone()).collect::<Vec<_>>();
    features.dedup_by(|second, first| second.name == first.name);
    let manifest = Manifest {
        compression: Compression::None,
        allow_var_len: features.iter().any(|feature| feature.var_len),
        features,
    };
    let read = manifest.features.iter().map(|feature| &feature.name).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("train.tfrecord");
    let mut writer = FileWriter::create(&path).unwrap();
    records.iter().for_each(|record| writer.write(record).unwrap());
    writer.finish().unwrap();
    let files = vec![path.to_str().unwrap().into()];
    let described =
        Described { manifest: &manifest, files, read, filter: None, keep: KeepIndex::None, index_dir: None };
    let (formats, store) = (tfxio_formats::formats(), Arc::new(LocalStore));
    let parts = crate::source::open(described, &formats, store, ScanRequest::new()).unwrap();
    let mut reader =
        parts.part(0).unwrap().open(RecordPosition::default(), &tfxio_core::Threading::new()).unwrap();
    let name = Arc::from("train.tfrecord");
    let raw = reader.read().unwrap().expect("records");
    assert_eq!(raw.batch.num_rows(), records.len());
    chunk_of(&mut Importer::new(limits()), pipeline, &raw.batch, source(&name, records.len()), &limits())
}

#[test]
fn features_become_tensors_of_their_dtype_and_shape() {
    let features = [
        feature("i", DType::Int64, &[2], "int", None),
        feature("b", DType::UInt8, &[], "int", None),
        feature("f", DType::Float64, &[1, 2], "float", None),
        feature("s", DType::String, &[2], "string", None),
        feature("r", DType::UInt16, &[2], r#"{"endian": "big"}"#, None),
        feature("n", DType::Bool, &[1], r#"{"endian": "little", "len": 2}"#, None),
        feature("none", DType::Int64, &[0], "int", None),
    ];
    let record = |first: u8| {
        example(&[
            ("other", ints(&[1; 9])),
            ("i", ints(&[first, 2])),
            ("b", ints(&[first])),
            ("f", floats(&[0.5, -1.0])),
            ("s", strings(&[b"a", b""])),
            ("r", strings(&[&[1, 0, 0, first]])),
            ("n", strings(&[&[7], &[0]])),
            ("none", ints(&[])),
        ])
    };
    let chunk = whole(parse(&pipeline(false, &features.join(","), INDEPENDENT), &[record(3), record(4)]));
    assert_eq!((chunk.file, &chunk.records[..], &chunk.bytes[..]), (3, &[10, 11][..], &[1000, 1100][..]));
    assert_eq!(chunk.steps, None);
    let expected = [
        (vec![2], Values::from_vec(vec![3i64, 2, 4, 2])),
        (vec![], Values::from_vec(vec![3u8, 4])),
        (vec![1, 2], Values::from_vec(vec![0.5f64, -1.0, 0.5, -1.0])),
        (vec![2], Values::from_strings(["a", "", "a", ""])),
        (vec![2], Values::from_vec(vec![256u16, 3, 256, 4])),
        (vec![2, 1], Values::from_bools([true, false, true, false])),
        (vec![0], Values::from_vec(Vec::<i64>::new())),
    ];
    for (column, (shape, values)) in chunk.columns.iter().zip(expected) {
        assert_eq!((&column.shape, &column.values), (&RowShape::Fixed(shape), &values));
    }
}

#[test]
fn feature_lists_become_sequences() {
    let features = [
        feature("c", DType::Int32, &[], "int", Some(false)),
        feature("v", DType::Int64, &[], "int", Some(true)),
        feature("w", DType::Float32, &[2], "float", Some(true)),
        feature("s", DType::String, &[], "string", Some(true)),
        feature("r", DType::Int16, &[1], r#"{"endian": "little", "len": 3}"#, Some(true)),
        // As the struct of sequences is named otherwise.
        feature("##SEQUENCE##", DType::Int64, &[], "int", Some(false)),
    ];
    let record = |steps: u8| {
        let all = |step: &dyn Fn(u8) -> Vec<u8>| (0..steps).map(step).collect::<Vec<_>>();
        sequence_example(
            &[("c", ints(&[steps])), ("##SEQUENCE##", ints(&[9]))],
            &[
                ("v", &all(&|step| ints(&[step]))),
                ("w", &all(&|step| floats(&[step.into(), 0.5]))),
                ("s", &all(&|step| strings(&[&[step]]))),
                ("r", &all(&|step| strings(&[&[step, 1]]))),
            ],
        )
    };
    let pipeline = pipeline(true, &features.join(","), INDEPENDENT);
    let chunk = whole(parse(&pipeline, &[record(2), record(0), record(1)]));
    let sequence = |inner: &[usize]| RowShape::Leading { offsets: vec![0, 2, 2, 3], inner: inner.to_vec() };
    let expected = [
        (RowShape::Fixed(vec![]), Values::from_vec(vec![2i32, 0, 1])),
        (sequence(&[]), Values::from_vec(vec![0i64, 1, 0])),
        (sequence(&[2]), Values::from_vec(vec![0f32, 0.5, 1.0, 0.5, 0.0, 0.5])),
        (sequence(&[]), Values::from_strings(["\0", "\x01", "\0"])),
        (sequence(&[1]), Values::from_vec(vec![256i16, 257, 256])),
        (RowShape::Fixed(vec![]), Values::from_vec(vec![9i64, 9, 9])),
    ];
    for (column, (shape, values)) in chunk.columns.iter().zip(expected) {
        assert_eq!((&column.shape, &column.values), (&shape, &values));
    }
    // Only records without steps.
    assert_eq!(
        whole(parse(&pipeline, &[record(0)])).columns[2].shape,
        RowShape::Leading { offsets: vec![0, 0], inner: vec![2] }
    );
}

#[test]
fn a_feature_of_two_names_is_read_once() {
    let features = feature("x", DType::Int64, &[], "int", None);
    let text = format!(r#"{{"compression": null, "allow_var_len": false, "features": [{features}]}}"#);
    let names = ["a", "b"].map(|name| (Arc::from("x"), Arc::from(name)));
    let pipeline = compile(&Manifest::from_json(&text).unwrap(), &names, INDEPENDENT);
    let chunk = whole(parse(&pipeline, &[example(&[("x", ints(&[7]))])]));
    let at = |column: usize| chunk.columns[column].values.buffer().map(|buffer| buffer.as_ptr());
    assert_eq!(chunk.columns[1].values, Values::from_vec(vec![7i64]));
    assert_eq!(at(0), at(1));
}

#[test]
fn records_before_a_wrong_one_are_kept() {
    let features = [
        feature("x", DType::Int64, &[], "int", None),
        feature("r", DType::Int16, &[2], r#"{"endian": "little"}"#, None),
        feature("e", DType::Int64, &[0], "int", None),
    ];
    let pipeline = pipeline(false, &features.join(","), INDEPENDENT);
    let record =
        |raw: &[u8], empty: &[u8]| example(&[("x", ints(&[1])), ("r", strings(&[raw])), ("e", ints(empty))]);
    let good = record(&[0; 4], &[]);
    let records = |bad: Vec<u8>| vec![good.clone(), good.clone(), bad, good.clone()];
    let wrong = |bad| failed(parse(&pipeline, &records(bad)));
    let hint = "correct the record, or what the manifest says of the feature";
    let at = "train.tfrecord, byte 1200, record 12, tensor";
    assert_eq!(
        wrong(record(&[0; 3], &[])),
        (
            2,
            format!(
                "{at} \"r\": a raw string has 3 bytes, which is not a multiple of the 2 of dtype \"int16\"; {hint}"
            )
        )
    );
    assert_eq!(
        wrong(record(&[0; 6], &[])),
        (
            2,
            format!(
                "{at} \"r\": a raw string has 6 bytes, a tensor of dtype \"int16\" and shape [2] has 4; {hint}"
            )
        )
    );
    assert_eq!(
        wrong(record(&[0; 4], &[1])),
        (2, format!("{at} \"e\": 1 value, the shape of a row holds 0; {hint}"))
    );
    // The first record counts, whichever feature is looked at first.
    let mut records = records(record(&[0; 3], &[]));
    records[1] = record(&[0; 4], &[1]);
    let (rows, text) = failed(parse(&pipeline, &records));
    assert_eq!(rows, 1);
    assert!(text.starts_with("train.tfrecord, byte 1100, record 11, tensor \"e\""), "{text}");
}

#[test]
fn steps_of_another_size_are_found_in_their_record() {
    let features = [
        feature("v", DType::Int64, &[2], "int", Some(true)),
        feature("r", DType::Int16, &[], r#"{"endian": "little"}"#, Some(true)),
    ];
    let pipeline = pipeline(true, &features.join(","), INDEPENDENT);
    let raw = |bytes: &[u8]| strings(&[bytes]);
    let record = |v: &[Vec<u8>], r: &[Vec<u8>]| sequence_example(&[], &[("v", v), ("r", r)]);
    let good = || record(&[ints(&[1, 2]), ints(&[3, 4])], &[raw(&[0; 2])]);
    let empty = || record(&[], &[]);
    let wrong = |bad| failed(parse(&pipeline, &[good(), empty(), bad, good()]));
    let hint = "correct the record, or what the manifest says of the feature";
    let at = "train.tfrecord, byte 1200, record 12, tensor";
    for step in [ints(&[1]), ints(&[]), vec![]] {
        let found = usize::from(step == ints(&[1]));
        let noun = if found == 1 { "value" } else { "values" };
        assert_eq!(
            wrong(record(&[ints(&[1, 2]), step], &[])),
            (2, format!("{at} \"v\": an item has {found} {noun}, the shape [2] holds 2; {hint}"))
        );
    }
    assert_eq!(
        wrong(record(&[], &[raw(&[0; 2]), strings(&[&[0; 2], &[0; 2]])])),
        (2, format!("{at} \"r\": an item has 2 values, the shape [] holds 1; {hint}"))
    );
    assert_eq!(
        wrong(record(&[], &[raw(&[0; 2]), raw(&[0; 3])])),
        (
            2,
            format!(
                "{at} \"r\": a raw string has 3 bytes, which is not a multiple of the 2 of dtype \"int16\"; {hint}"
            )
        )
    );
    assert_eq!(
        wrong(sequence_example(&[], &[("v", &[])])),
        (
            2,
            format!(
                "{at} \"r\": the record lacks the feature; every record needs each feature that is read, or set `defaults`"
            )
        )
    );
}

#[test]
fn continuous_sequences_have_steps() {
    let features = [
        feature("a", DType::Int64, &[], "int", Some(true)),
        feature("b", DType::Int64, &[], "int", Some(true)),
    ];
    let sequences = pipeline(true, &features.join(","), CONTINUOUS);
    let record = |a: usize, b: usize| {
        let steps = |count: usize| vec![ints(&[1]); count];
        sequence_example(&[], &[("a", &steps(a)), ("b", &steps(b))])
    };
    let chunk = whole(parse(&sequences, &[record(2, 2), record(0, 0), record(3, 3)]));
    assert_eq!(chunk.steps, Some(vec![0, 2, 2, 5]));
    let parsed = parse(&sequences, &[record(2, 2), record(1, 2)]);
    assert_eq!(parsed.chunk.steps, Some(vec![0, 2]));
    assert_eq!(
        failed(parsed),
        (
            1,
            "train.tfrecord, byte 1100, record 11: the tensor \"a\" has 1 step, \"b\" has 2; all tensors of a \
             continuous sequence have the same length along their first dimension"
                .to_owned()
        )
    );
    let fixed = pipeline(false, &feature("x", DType::Int64, &[2], "int", None), CONTINUOUS);
    let chunk = whole(parse(&fixed, &[example(&[("x", ints(&[1, 2]))]), example(&[("x", ints(&[3, 4]))])]));
    assert_eq!(chunk.steps, Some(vec![0, 2, 4]));
}

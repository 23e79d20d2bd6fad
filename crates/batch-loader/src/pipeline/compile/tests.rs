//! Compiled pipelines, and every reason for refusing a configuration without data.

use std::sync::Arc;

use tfxio_core::DType;

use crate::config::{LoaderConfig, Operation, ProcessingStep, Slice, SliceAxis};
use crate::manifest::{FeatureColumns, Manifest};
use crate::pipeline::{Cell, Pipeline};
use crate::shape::TensorInfo;
use crate::{Kind, Result};

const FIXED: &str = r#"{"compression": null, "allow_var_len": false, "features": [
    {"name": "image", "dtype": "uint8", "shape": [2, 3], "deserialize_type": "raw",
     "deserialize_args": {"endian": "little"}},
    {"name": "frames", "dtype": "int16", "shape": [2], "deserialize_type": "raw",
     "deserialize_args": {"endian": "big", "len": 4}},
    {"name": "label", "dtype": "int64", "shape": [], "deserialize_type": "int"},
    {"name": "weights", "dtype": "float32", "shape": [2], "deserialize_type": "float"},
    {"name": "small", "dtype": "int16", "shape": [2], "deserialize_type": "int"},
    {"name": "flag", "dtype": "bool", "shape": [2], "deserialize_type": "int"},
    {"name": "text", "dtype": "int32", "shape": [], "deserialize_type": "string"},
    {"name": "number", "dtype": "string", "shape": [], "deserialize_type": "int"},
    {"name": "huge", "dtype": "int64", "shape": [4294967295, 4294967295], "deserialize_type": "int"}
]}"#;

const SEQUENCES: &str = r#"{"compression": null, "allow_var_len": true, "features": [
    {"name": "tokens", "dtype": "int64", "shape": [], "deserialize_type": "int", "var_len": true},
    {"name": "vectors", "dtype": "float32", "shape": [3], "deserialize_type": "float", "var_len": true},
    {"name": "words", "dtype": "string", "shape": [], "deserialize_type": "string", "var_len": true},
    {"name": "label", "dtype": "int64", "shape": [], "deserialize_type": "int", "var_len": false},
    {"name": "pair", "dtype": "int64", "shape": [2], "deserialize_type": "int", "var_len": false}
]}"#;

/// Compiles a configuration that reads these features under their own names and makes all of its tensors inputs.
fn compile(manifest: &str, features: &[&str], rest: &str) -> Result<Pipeline> {
    compile_as(manifest, r#""type": "independent""#, features, rest)
}

fn compile_as(manifest: &str, loader: &str, features: &[&str], rest: &str) -> Result<Pipeline> {
    let config = config(loader, features, rest);
    let primary = config.primary_features.iter().map(|feature| &feature.to_name);
    let secondary = config.secondary_features.iter().map(|feature| &feature.to_name);
    let names = primary.chain(secondary).cloned().collect::<Vec<_>>();
    Pipeline::compile(
        &Manifest::from_json(manifest).unwrap(),
        &FeatureColumns::default(),
        &config,
        &names,
        &[],
    )
}

fn config(loader: &str, features: &[&str], rest: &str) -> LoaderConfig {
    let features = features.iter().map(|name| format!(r#"{{"from_name": "{name}", "to_name": "{name}"}}"#));
    let comma = if rest.is_empty() { "" } else { "," };
    let text = format!(
        r#"{{{loader}, "dataset": {{"type": "dir", "args": {{"data_dir": "data"}}}}, "target_batch_size": 2,
            "drop_remainder": false, "epochs": 1, "num_read_buffer_bytes": 0, "num_prefetch": 1,
            "primary_features": [{}]{comma} {rest}}}"#,
        features.collect::<Vec<_>>().join(", ")
    );
    LoaderConfig::from_json(&text).unwrap_or_else(|error| panic!("{error}: {text}")).into_inner()
}

#[track_caller]
fn refused(result: Result<Pipeline>, expected: &str) {
    let error = result.expect_err(expected);
    assert_eq!(error.to_string(), expected);
    assert_eq!(error.detail(), Some(&Kind::InvalidValue));
}

fn tensor(pipeline: &Pipeline, at: usize) -> (DType, Vec<Option<usize>>) {
    let TensorInfo { dtype, shape, .. } = &pipeline.tensors[at];
    (*dtype, shape.clone())
}

#[test]
fn shapes_and_dtypes_are_followed_through_all_stages() {
    let rest = r#"
        "secondary_features": [
            {"to_name": "mask", "type": "const", "args": {"shape": "vectors", "dtype": "tokens", "value": 2.0}},
            {"to_name": "empty", "type": "const", "args": {"shape": [], "dtype": "words"}}],
        "processing_steps": [
            {"tensor": "vectors", "type": "slice", "args": {"slice": "[:,1:]"}},
            {"tensor": "tokens", "type": "onehot", "args": {"depth": 5}},
            {"tensor": "tokens", "type": "slice", "args": {"slice": "[-1]"}},
            {"tensor": "mask", "type": "reshape", "args": {"shape": [2, 3]}}]"#;
    let pipeline = compile(SEQUENCES, &["tokens", "vectors", "words"], rest).unwrap();
    assert_eq!(tensor(&pipeline, 0), (DType::Float32, vec![Some(5)]));
    assert_eq!(tensor(&pipeline, 1), (DType::Float32, vec![None, Some(2)]));
    assert_eq!(tensor(&pipeline, 2), (DType::String, vec![None]));
    assert_eq!(tensor(&pipeline, 3), (DType::Int64, vec![Some(2), Some(3)]));
    assert_eq!(tensor(&pipeline, 4), (DType::String, vec![]));
    let before = pipeline.steps.iter().map(|step| (step.tensor, step.before.shape.len())).collect::<Vec<_>>();
    assert_eq!(before, [(1, 2), (0, 1), (0, 2), (3, 2)]);
    let mask = &pipeline.secondary[0];
    assert_eq!((mask.shape_of, &mask.info.shape), (Some(1), &vec![None, Some(3)]));
    assert_eq!(mask.value, Cell { dtype: DType::Int64, bytes: 2i64.to_ne_bytes().into() });
    assert_eq!(pipeline.secondary[1].value, Cell { dtype: DType::String, bytes: Arc::from([]) });
    assert_eq!(pipeline.padding.as_ref().map(Vec::len), None);
}

#[test]
fn raw_tensors_get_a_first_dimension_of_their_number() {
    let pipeline = compile(FIXED, &["frames", "image"], "").unwrap();
    assert_eq!(tensor(&pipeline, 0), (DType::Int16, vec![Some(4), Some(2)]));
    assert_eq!(tensor(&pipeline, 1), (DType::UInt8, vec![Some(2), Some(3)]));
}

#[test]
fn the_model_chooses_the_tensors() {
    let manifest = Manifest::from_json(FIXED).unwrap();
    let config = config(r#""type": "independent""#, &["image", "label"], "");
    let names = |names: &[&str]| names.iter().map(|name| Arc::from(*name)).collect::<Vec<Arc<str>>>();
    let compile = |inputs: &[&str], targets: &[&str]| {
        Pipeline::compile(&manifest, &FeatureColumns::default(), &config, &names(inputs), &names(targets))
    };
    let pipeline = compile(&["label", "image"], &["label"]).unwrap();
    assert_eq!((pipeline.inputs, pipeline.targets), (vec![1, 0], vec![1]));
    refused(
        compile(&["image"], &["lable"]),
        "tensor \"lable\": no feature makes the model's target \"lable\"; did you mean \"label\"?; give a primary \
         or secondary feature this to_name",
    );
    refused(
        compile(&["image", "depth"], &["label"]),
        "tensor \"depth\": no feature makes the model's input \"depth\"; the tensors are \"image\", \"label\"; give \
         a primary or secondary feature this to_name",
    );
    refused(
        compile(&["image", "image"], &["label"]),
        "tensor \"image\": the model's input \"image\" is named twice; name each once",
    );
    refused(
        compile(&["image"], &[]),
        "`primary_features[1].to_name`: the tensor \"label\" is neither an input nor a target of the model; name it \
         as one of these, or remove the feature",
    );
}

#[test]
fn names_that_are_not_there_or_twice() {
    refused(
        compile(FIXED, &["imag"], ""),
        "`primary_features[0].from_name`: the data set has no feature \"imag\"; did you mean \"image\"?",
    );
    refused(
        compile(FIXED, &["label", "label"], ""),
        "`primary_features[1].to_name`: a second tensor would be named \"label\"; every to_name must be another, \
         over both lists",
    );
    let ones = r#""secondary_features": [{"to_name": "label", "type": "ones", "args": {"shape": [1], "dtype": "int32"}}]"#;
    refused(
        compile(FIXED, &["label"], ones),
        "`secondary_features[0].to_name`: a second tensor would be named \"label\"; every to_name must be another, \
         over both lists",
    );
    let of = |key: &str, name: &str| {
        let (shape, dtype) = if key == "shape" { (name, "int32") } else { ("label", name) };
        format!(
            r#""secondary_features": [
                {{"to_name": "a", "type": "ones", "args": {{"shape": [1], "dtype": "int32"}}}},
                {{"to_name": "b", "type": "ones", "args": {{"shape": "{shape}", "dtype": "{dtype}"}}}}]"#
        )
    };
    refused(
        compile(FIXED, &["label"], &of("shape", "a")),
        "`secondary_features[1].args.shape`: there is no primary tensor \"a\"; the primary tensors are \"label\"",
    );
    refused(
        compile(FIXED, &["label"], &of("dtype", "lable")),
        "`secondary_features[1].args.dtype`: there is no primary tensor \"lable\"; did you mean \"label\"?",
    );
    for (rest, path) in [
        (
            r#""processing_steps": [{"tensor": "lable", "type": "slice", "args": {"slice": "[0]"}}]"#,
            "processing_steps[0].tensor",
        ),
        (r#""padding": [{"tensor": "lable"}]"#, "padding[0].tensor"),
        (r#""normalization": [{"tensor": "lable", "axis": 0}]"#, "normalization[0].tensor"),
        (
            r#""bucket_by_length": {"tensor": "lable", "boundaries": [1], "batch_sizes": [1, 1]}, "padding": true"#,
            "bucket_by_length.tensor",
        ),
    ] {
        let expected = format!("`{path}`: there is no tensor \"lable\"; did you mean \"label\"?");
        refused(compile(FIXED, &["label"], rest), &expected);
    }
}

#[test]
fn features_that_cannot_become_their_tensor() {
    refused(
        compile(FIXED, &["label", "text"], ""),
        "`primary_features[1].from_name`: the manifest says that feature \"text\" is stored as string, with dtype \
         \"int32\"; the dtype of strings is \"string\"; change dtype or deserialize_type in the manifest",
    );
    refused(
        compile(FIXED, &["number"], ""),
        "`primary_features[0].from_name`: the manifest says that feature \"number\" is stored as int, with dtype \
         \"string\"; numbers are cast to numbers only; change dtype or deserialize_type in the manifest",
    );
    refused(
        compile(FIXED, &["huge"], ""),
        "`primary_features[0].from_name`, tensor \"huge\": a tensor of shape [4294967295, 4294967295] has too many \
         elements; use smaller dimensions",
    );
    // Nobody asks for the others.
    assert!(compile(FIXED, &["label"], "").is_ok());
}

#[test]
fn constants_that_do_not_fit() {
    let with = |dtype: &str, value: &str| {
        let rest = format!(
            r#""secondary_features": [{{"to_name": "c", "type": "const",
                "args": {{"shape": [2], "dtype": "{dtype}", "value": {value}}}}}]"#
        );
        compile(FIXED, &["label"], &rest)
    };
    refused(
        with("uint8", "256"),
        "`secondary_features[0].args.value`: 256 is not a value of dtype \"uint8\"; give a number without a fraction \
         from 0 to 255",
    );
    refused(
        with("string", "1"),
        "`secondary_features[0].args.value`: 1 is not a value of dtype \"string\"; give a string",
    );
    assert_eq!(with("bool", "1").unwrap().secondary[0].value.bytes.to_vec(), [1]);
    let huge = r#""secondary_features": [{"to_name": "c", "type": "const",
        "args": {"shape": [4294967295, 4294967295], "dtype": "uint8"}}]"#;
    refused(
        compile(FIXED, &["label"], huge),
        "`secondary_features[0].args.shape`, tensor \"c\": a tensor of shape [4294967295, 4294967295] has too many \
         elements; use smaller dimensions",
    );
}

#[test]
fn steps_that_no_tensor_allows() {
    let step = |tensor: &str, kind: &str, args: &str| {
        let rest = format!(
            r#""processing_steps": [{{"tensor": "label", "type": "reshape", "args": {{"shape": [1]}}}},
                {{"tensor": "{tensor}", "type": "{kind}", "args": {args}}}]"#
        );
        compile(FIXED, &["label", "image", "weights", "small"], &rest)
    };
    let slice = |tensor: &str, slice: &str| step(tensor, "slice", &format!(r#"{{"slice": "{slice}"}}"#));
    refused(
        slice("image", "[3,:,4:,:-2,1:4]"),
        "`processing_steps[1].args.slice`: the slice [3,:,4:,:-2,1:4] has 5 axes, the tensor \"image\" of shape \
         [2, 3] has 2; give at most one entry for each dimension, the batch not counted",
    );
    refused(
        slice("image", "[:,3]"),
        "`processing_steps[1].args.slice`: the slice [:,3] takes position 3 of dimension 1, which has 3 in the tensor \
         \"image\" of shape [2, 3]; give a position from -3 to 2",
    );
    refused(
        slice("image", "[-3]"),
        "`processing_steps[1].args.slice`: the slice [-3] takes position -3 of dimension 0, which has 2 in the tensor \
         \"image\" of shape [2, 3]; give a position from -2 to 1",
    );
    refused(
        step("weights", "onehot", r#"{"depth": 3}"#),
        "`processing_steps[1].tensor`: the tensor \"weights\" has dtype \"float32\"; indices of one-hot vectors \
         have dtype \"int32\" or \"int64\"; the manifest's dtype casts them",
    );
    assert!(step("small", "onehot", r#"{"depth": 3}"#).is_err());
    refused(
        step("image", "reshape", r#"{"shape": [5]}"#),
        "`processing_steps[1].args.shape`: the shape [5] has 5 elements, the tensor \"image\" of shape [2, 3] has 6; \
         give a shape of as many elements",
    );
    let steps =
        r#""processing_steps": [{"tensor": "vectors", "type": "reshape", "args": {"shape": [2, 2]}}]"#;
    refused(
        compile(SEQUENCES, &["vectors"], steps),
        "`processing_steps[0].args.shape`: the shape [2, 2] has 4 elements, the tensor \"vectors\" of shape [?, 3] \
         has 3 in each step; give a shape of whole steps",
    );
    // A dimension that an index has dropped is not there for the next.
    let steps = r#""processing_steps": [
        {"tensor": "vectors", "type": "slice", "args": {"slice": "[0]"}},
        {"tensor": "vectors", "type": "slice", "args": {"slice": "[:,0]"}}]"#;
    refused(
        compile(SEQUENCES, &["vectors"], steps),
        "`processing_steps[1].args.slice`: the slice [:,0] has 2 axes, the tensor \"vectors\" of shape [3] has 1; \
         give at most one entry for each dimension, the batch not counted",
    );
}

/// Configurations are made by programs, too.
#[test]
fn steps_that_no_file_can_have() {
    let refused_step = |operation: Operation, expected: &str| {
        let mut config = config(r#""type": "independent""#, &["label", "weights"], "");
        config.processing_steps = vec![ProcessingStep { tensor: Arc::from("label"), operation }];
        let names = [Arc::from("label"), Arc::from("weights")];
        refused(
            Pipeline::compile(
                &Manifest::from_json(FIXED).unwrap(),
                &FeatureColumns::default(),
                &config,
                &names,
                &[],
            ),
            expected,
        );
    };
    refused_step(
        Operation::OneHot { depth: 3, dtype: DType::Bool },
        "`processing_steps[0].args.depth`: a one-hot vector of dtype \"bool\"; use a dtype of numbers, or leave it \
         out for \"float32\"",
    );
    refused_step(
        Operation::OneHot { depth: usize::MAX, dtype: DType::Int8 },
        "`processing_steps[0].args.depth`, tensor \"label\": a tensor of shape [18446744073709551615] has too many \
         elements; use smaller dimensions",
    );
    refused_step(
        Operation::Reshape(vec![usize::MAX, 2]),
        "`processing_steps[0].args.shape`: the shape [18446744073709551615, 2] has too many elements, the tensor \
         \"label\" of shape [] has 1; give a shape of as many elements",
    );
    let axes = vec![SliceAxis::Range { start: None, stop: None, step: 0 }];
    let mut config = config(r#""type": "independent""#, &["weights"], "");
    config.processing_steps =
        vec![ProcessingStep { tensor: Arc::from("weights"), operation: Operation::Slice(Slice { axes }) }];
    refused(
        Pipeline::compile(
            &Manifest::from_json(FIXED).unwrap(),
            &FeatureColumns::default(),
            &config,
            &[Arc::from("weights")],
            &[],
        ),
        "`processing_steps[0].args.slice`: the slice [::0] has a step of 0; a step is positive, or negative for \
         backwards",
    );
}

#[test]
fn paddings_that_do_not_fit() {
    let pad = |features: &[&str], pad: &str| compile(SEQUENCES, features, &format!(r#""padding": [{pad}]"#));
    refused(
        pad(&["vectors"], r#"{"tensor": "vectors", "shape": [3]}"#),
        "`padding[0].shape`, tensor \"vectors\": the shape [3] has 1 dimension, the tensor of shape [?, 3] has 2; \
         give a size for each dimension, the batch not counted; -1 for the largest of the batch",
    );
    refused(
        pad(&["vectors"], r#"{"tensor": "vectors", "shape": [-1, 2]}"#),
        "`padding[0].shape`, tensor \"vectors\": dimension 1 of the shape [-1, 2] is smaller than the 3 of the \
         tensor; tensors are not cut: give at least their size, or -1",
    );
    refused(
        pad(&["tokens"], r#"{"tensor": "tokens", "value": 1.5}"#),
        "`padding[0].value`, tensor \"tokens\": 1.5 is not a value of dtype \"int64\"; give a number without a fraction \
         from -9223372036854775808 to 9223372036854775807",
    );
    refused(
        pad(&["words"], r#"{"tensor": "words", "value": 0}"#),
        "`padding[0].value`, tensor \"words\": 0 is not a value of dtype \"string\"; give a string",
    );
    let error = pad(&["tokens"], r#"{"tensor": "tokens", "value": true}"#).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::InvalidType));

    let pads = pad(
        &["tokens", "vectors", "words"],
        r#"{"tensor": "tokens", "value": 2}, {"tensor": "vectors", "shape": [7, -1]}"#,
    );
    let pads = pads.unwrap().padding.unwrap();
    assert_eq!(pads[0].shape, [None]);
    assert_eq!(pads[0].value.bytes.to_vec(), 2i64.to_ne_bytes());
    assert_eq!(pads[1].shape, [Some(7), None]);
    assert_eq!(pads[2].value.bytes.to_vec(), b"");
}

#[test]
fn windows_are_padded_to_their_own_length() {
    let windows = |kind: &str, most: usize, pad: usize| {
        let loader = format!(r#""type": "{kind}", "min_window": 1, "max_window": {most}"#);
        compile_as(
            FIXED,
            &loader,
            &["weights"],
            &format!(r#""padding": [{{"tensor": "weights", "shape": [{pad}]}}]"#),
        )
    };
    assert!(windows("continuous_sequence", 3, 3).is_ok());
    refused(
        windows("continuous_sequence", 4, 3),
        "`padding[0].shape`, tensor \"weights\": dimension 0 of the shape [3] is smaller than the 4 of the tensor; \
         tensors are not cut: give at least their size, or -1",
    );
    assert!(windows("discrete_sequence", 3, 6).is_ok());
    refused(
        windows("discrete_sequence", 3, 5),
        "`padding[0].shape`, tensor \"weights\": dimension 0 of the shape [5] is smaller than the 6 of the tensor; \
         tensors are not cut: give at least their size, or -1",
    );
}

#[test]
fn normalizations_that_do_not_fit() {
    let normalize = |tensor: &str, axis: i64| {
        let rest = format!(r#""normalization": [{{"tensor": "{tensor}", "axis": {axis}}}]"#);
        compile(SEQUENCES, &["vectors", "tokens"], &rest)
    };
    assert_eq!(normalize("vectors", 1).unwrap().normalization, [(0, 1)]);
    assert_eq!(normalize("vectors", -2).unwrap().normalization, [(0, 0)]);
    for axis in [2, -3] {
        let expected = format!(
            "`normalization[0].axis`: the tensor \"vectors\" of shape [?, 3] has no axis {axis}; give one from -2 to \
             1, the batch not counted"
        );
        refused(normalize("vectors", axis), &expected);
    }
    refused(
        normalize("tokens", 0),
        "`normalization[0].tensor`: the tensor \"tokens\" has dtype \"int64\"; only float16, bfloat16, float32 and \
         float64 are normalised; the manifest's dtype casts",
    );
}

#[test]
fn windows_need_steps() {
    let continuous = r#""type": "continuous_sequence", "min_window": 1, "max_window": 2"#;
    let discrete = r#""type": "discrete_sequence", "min_window": 1, "max_window": 2"#;
    for loader in [continuous, discrete] {
        refused(
            compile_as(FIXED, loader, &["weights", "label"], ""),
            "`primary_features[1]`: the tensor \"label\" is a scalar, which has no steps to cut windows from; windows \
             need tensors with a first dimension; the step reshape to [1] makes a scalar one step",
        );
        refused(
            compile_as(SEQUENCES, loader, &["tokens", "pair"], ""),
            "`primary_features[1].from_name`: \"pair\" is a feature of the context, which has no steps to cut windows \
             from; choose features with var_len, or a loader of type \"independent\"; for records of one step each, \
             give every tensor a first dimension of 1",
        );
        assert!(compile_as(SEQUENCES, loader, &["tokens", "vectors"], "").is_ok());
        // Each record is one step.
        let reshape =
            r#""processing_steps": [{"tensor": "label", "type": "reshape", "args": {"shape": [1]}}]"#;
        assert!(compile_as(FIXED, loader, &["label"], "").is_err());
        assert!(compile_as(FIXED, loader, &["label"], reshape).is_ok());
        let columns = LoaderConfig { dataset: None, ..config(loader, &["label"], "") };
        let manifest = Manifest::from_json(FIXED).unwrap();
        let scalars =
            Pipeline::compile(&manifest, &FeatureColumns::default(), &columns, &[Arc::from("label")], &[])
                .unwrap();
        assert_eq!(scalars.examples.iter().map(|info| info.shape.len()).collect::<Vec<_>>(), [1]);
        let pairs =
            r#""processing_steps": [{"tensor": "pair", "type": "reshape", "args": {"shape": [1, 2]}}]"#;
        let pairs = compile_as(SEQUENCES, loader, &["pair"], pairs).unwrap();
        assert_eq!(pairs.examples.iter().map(|info| info.shape.len()).collect::<Vec<_>>(), [2]);
        let index =
            r#""processing_steps": [{"tensor": "tokens", "type": "slice", "args": {"slice": "[0]"}}]"#;
        assert!(compile_as(SEQUENCES, loader, &["tokens"], index).is_err());
    }
    let ones = r#""secondary_features": [{"to_name": "o", "type": "ones", "args": {"shape": [3], "dtype": "int32"}}]"#;
    refused(
        compile_as(FIXED, continuous, &["weights"], ones),
        "`secondary_features[0]`: the tensor \"o\" of shape [3] has 3 steps in each record, \"weights\" of shape [2] \
         has 2; all tensors of a continuous sequence have the same length along their first dimension",
    );
    assert!(compile_as(FIXED, discrete, &["weights"], ones).is_ok());
}

#[test]
fn lengths_for_buckets_need_a_dimension() {
    let buckets = |tensor: &str| {
        let rest = format!(
            r#""padding": true, "bucket_by_length": {{"tensor": "{tensor}", "boundaries": [4], "batch_sizes": [2, 1]}}"#
        );
        compile(SEQUENCES, &["tokens", "label"], &rest)
    };
    assert!(buckets("tokens").is_ok());
    refused(
        buckets("label"),
        "`bucket_by_length.tensor`: the tensor \"label\" is a scalar; a length is the first dimension of a tensor",
    );
}

#[test]
fn whole_batches_are_loaded_at_once_only_as_they_are() {
    let multi_load = r#""type": "independent", "multi_load": true"#;
    let ones = r#""secondary_features": [{"to_name": "o", "type": "ones", "args": {"shape": [3], "dtype": "int32"}}]"#;
    let slice = r#""processing_steps": [{"tensor": "weights", "type": "slice", "args": {"slice": "[0]"}}]"#;
    for (rest, beside) in [
        (ones, "secondary_features"),
        (slice, "processing_steps"),
        (r#""normalization": [{"tensor": "weights", "axis": 0}]"#, "normalization"),
        (r#""padding": true"#, "padding"),
        (r#""padding": [{"tensor": "weights"}]"#, "padding"),
    ] {
        let expected = format!("`multi_load`: multi_load is not possible with {beside}; set it to false");
        refused(compile_as(FIXED, multi_load, &["weights"], rest), &expected);
    }
    refused(
        compile_as(SEQUENCES, multi_load, &["pair"], ""),
        "`multi_load`: multi_load is not possible with a data set with allow_var_len; set it to false",
    );
    assert!(
        compile_as(FIXED, multi_load, &["weights"], r#""secondary_features": [], "padding": false"#).is_ok()
    );
}

//! Structs as tf.SequenceExamples.

use std::fmt;

use example_codec::{
    Example, Feature, FromExample, FromSequenceExample, Kind, Origin, SequenceExample, ToExample,
    ToSequenceExample,
};

fn round_trip<T>(value: &T) -> SequenceExample
where
    T: ToSequenceExample + for<'r> FromSequenceExample<'r> + PartialEq + fmt::Debug,
{
    let record = value.to_sequence_example_bytes().unwrap();
    assert_eq!(T::from_sequence_example(&record).unwrap(), *value);
    SequenceExample::parse(&record).unwrap()
}

fn refused<T: for<'r> FromSequenceExample<'r>>(record: &SequenceExample) -> String {
    let (record, origin) = (record.to_vec(), Origin::new("a.tfrecord", 960, 41));
    T::from_sequence_example_at(&record, origin).err().unwrap().to_string()
}

#[derive(Debug, Default, PartialEq, ToExample, FromExample)]
struct Camera {
    height: u16,
}

#[derive(Debug, Default, PartialEq, ToSequenceExample, FromSequenceExample)]
#[example(rename_all = "camelCase")]
struct Video {
    movie_title: String,
    #[example(flatten, prefix = "camera/")]
    camera: Camera,
    rating: Option<f32>,
    #[example(steps, rename = "frames/jpeg")]
    frames: Vec<Vec<u8>>,
    #[example(steps)]
    object_labels: Vec<Vec<u32>>,
    #[example(steps)]
    speaker: Vec<Option<String>>,
    #[example(steps, lossy)]
    loudness: Option<Vec<f64>>,
    #[example(steps, default)]
    pose: Vec<[f32; 2]>,
    // Another feature than that of the context.
    #[example(steps, rename = "rating")]
    ratings: Vec<i64>,
}

fn video() -> Video {
    Video {
        movie_title: "the sea".into(),
        camera: Camera { height: 720 },
        rating: Some(0.5),
        frames: vec![b"jpeg 0".to_vec(), vec![]],
        object_labels: vec![vec![3, 300], vec![], vec![u32::MAX]],
        speaker: vec![Some("ä".into()), None],
        loudness: Some(vec![0.25]),
        pose: vec![[1.0, 2.0]],
        ratings: vec![],
    }
}

#[test]
fn context_and_feature_lists() {
    let read = round_trip(&video());
    assert_eq!(read.context.get_int64("camera/height").unwrap(), [720]);
    assert_eq!(read.context.get_float("rating").unwrap(), [0.5]);
    assert_eq!(read.get("frames/jpeg").unwrap(), [Feature::bytes(["jpeg 0"]), Feature::bytes([""])]);
    let labels = [Feature::int64([3, 300]), Feature::int64([0; 0]), Feature::int64([i64::from(u32::MAX)])];
    assert_eq!(read.get("objectLabels").unwrap(), labels);
    assert_eq!(read.get("speaker").unwrap(), [Feature::bytes(["ä"]), Feature::Unset]);
    assert_eq!(read.get("rating").unwrap(), []);

    let empty = round_trip(&Video::default());
    assert!(empty.get("loudness").is_err() && empty.get("frames/jpeg").unwrap().is_empty());
    // The writer of values makes the same records.
    let again = Video::from_sequence_example(&read.to_vec()).map_err(|error| error.to_string());
    assert_eq!(again, Ok(video()));
}

#[derive(Debug, PartialEq, ToSequenceExample, FromSequenceExample)]
struct Borrowed<'a, T> {
    name: &'a str,
    #[example(steps)]
    words: Vec<Vec<&'a str>>,
    #[example(steps)]
    values: Vec<T>,
}

#[test]
fn values_may_be_borrowed_and_generic() {
    let value = Borrowed { name: "a", words: vec![vec!["b", "c"], vec![]], values: vec![5u8, 6] };
    let record = value.to_sequence_example_bytes().unwrap();
    let read = Borrowed::<u8>::from_sequence_example(&record).unwrap();
    assert_eq!(read, value);
    assert!(record.as_ptr_range().contains(&read.words[0][1].as_ptr()));
}

#[derive(Debug, PartialEq, ToSequenceExample, FromSequenceExample)]
#[example(deny_unknown_features)]
struct Strict {
    a: i64,
    #[example(steps)]
    s: Vec<Vec<u8>>,
    #[example(steps)]
    n: Vec<u8>,
}

#[test]
fn what_does_not_fit_is_said() {
    let record = || {
        let bytes = [Feature::bytes(["x"])];
        SequenceExample::new()
            .context(Example::new().int64("a", [1]))
            .steps("s", bytes)
            .steps("n", [Feature::int64([1]), Feature::int64([2])])
    };
    assert!(Strict::from_sequence_example(&record().to_vec()).is_ok());
    let at = "a.tfrecord, byte 960, record 41, column";
    let wrong = record().steps("n", [Feature::int64([1]), Feature::int64([300])]);
    assert_eq!(refused::<Strict>(&wrong), format!("{at} \"n\", at [1]: the value 300 does not fit `u8`"));
    let wrong = record().steps("n", [Feature::int64([1, 2])]);
    assert_eq!(
        refused::<Strict>(&wrong),
        format!("{at} \"n\", at [0]: the number of values is 2, where 1 is expected")
    );
    let wrong = record().steps("n", [Feature::int64([1]), Feature::Unset]);
    assert_eq!(refused::<Strict>(&wrong), format!("{at} \"n\", at [1]: the step has no values of any kind"));
    let mut wrong = record();
    wrong.remove("s");
    assert_eq!(
        refused::<Strict>(&wrong.steps("t", [])),
        format!(
            "{at} \"t\": the struct has no field for the feature; the features of the struct are \"a\", \"s\", \"n\""
        )
    );
    let mut wrong = record();
    wrong.remove("s");
    assert!(refused::<Strict>(&wrong).starts_with(&format!("{at} \"s\": the record lacks the feature")));
    let mut wrong = record();
    wrong.context = Example::new();
    assert!(refused::<Strict>(&wrong).starts_with(&format!("{at} \"a\": the record lacks the feature")));
    let error = Strict::from_sequence_example(b"\x12\x05\x0a").unwrap_err();
    assert!(
        error.to_string().starts_with("byte of the data 1: the record is not a tf.SequenceExample"),
        "{error}"
    );
    assert_eq!(error.position().record_byte, Some(1));
    assert!(matches!(error.detail::<Kind>(), Some(Kind::Malformed(_))));
}

#[derive(ToSequenceExample)]
struct Large {
    #[example(steps)]
    sizes: Vec<u64>,
}

#[test]
fn an_error_leaves_the_bytes_as_they_were() {
    let mut out = b"before".to_vec();
    let error = Large { sizes: vec![1, u64::MAX] }.append_sequence_example(&mut out).unwrap_err();
    assert_eq!(
        error.to_string(),
        "column \"sizes\", at [1]: the integer does not fit the 64 bits, with a sign, of a tf.Example"
    );
    assert_eq!(out, b"before");
    Large { sizes: vec![1] }.append_sequence_example(&mut out).unwrap();
    assert!(out.len() > 6);
}

#[test]
fn the_last_of_two_lists_counts() {
    let record = |value: u8| {
        let one = SequenceExample::new().steps("sizes", [Feature::int64([i64::from(value)])]);
        one.to_vec()
    };
    #[derive(FromSequenceExample)]
    struct Sizes {
        #[example(steps)]
        sizes: Vec<u8>,
    }
    let both = [record(1), record(2)].concat();
    assert_eq!(Sizes::from_sequence_example(&both).unwrap().sizes, [2]);
    assert_eq!(SequenceExample::parse(&both).unwrap().get("sizes").unwrap(), [Feature::int64([2])]);
}

//! Structs as tf.Examples.

use crate::wire;

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use example_codec::typed::{FromFeature, ToFeature};
use example_codec::{Error, Example, Feature, FromExample, Kind, Origin, ToExample};
use proptest::prelude::*;

fn round_trip<T: ToExample + for<'r> FromExample<'r> + PartialEq + fmt::Debug>(value: &T) -> Example {
    let record = value.to_example_bytes().unwrap();
    assert_eq!(T::from_example(&record).unwrap(), *value);
    Example::parse(&record).unwrap()
}

fn refused<'r, T: FromExample<'r>>(record: &'r [u8]) -> Error {
    T::from_example(record).err().unwrap()
}

#[derive(Debug, PartialEq, ToExample, FromExample)]
struct Digit {
    id: String,
    image: [f32; 64],
    label: i64,
}

#[test]
fn the_digits_are_read_and_written_byte_for_byte() {
    let mut rows = 0;
    for shard in 0..3 {
        let path = format!(
            "{}/../../fixtures/digits/digits-0000{shard}-of-00003.tfrecord",
            env!("CARGO_MANIFEST_DIR")
        );
        let mut reader = tfrecord_io::Reader::open(&path).unwrap();
        while let Some(record) = reader.next_record().unwrap() {
            let digit = Digit::from_example(record.data).unwrap();
            assert!((0..10).contains(&digit.label) && !digit.id.is_empty());
            assert_eq!(digit.to_example_bytes().unwrap(), record.data);
            rows += 1;
        }
    }
    assert_eq!(rows, 1797);
}

#[derive(Debug, Default, PartialEq, ToExample, FromExample)]
struct Scalars {
    a: bool,
    b: i8,
    c: i16,
    d: i32,
    e: i64,
    f: isize,
    g: u8,
    h: u16,
    i: u32,
    j: u64,
    k: usize,
    l: f32,
    #[example(lossy)]
    m: f64,
    n: String,
    o: Vec<u8>,
    p: [u8; 3],
}

#[test]
fn scalars() {
    let least = Scalars {
        b: i8::MIN,
        c: i16::MIN,
        d: i32::MIN,
        e: i64::MIN,
        f: isize::MIN,
        l: f32::MIN,
        m: -0.5,
        ..Scalars::default()
    };
    let most = Scalars {
        a: true,
        b: i8::MAX,
        c: i16::MAX,
        d: i32::MAX,
        e: i64::MAX,
        f: isize::MAX,
        g: u8::MAX,
        h: u16::MAX,
        i: u32::MAX,
        j: i64::MAX as u64,
        k: i64::MAX as usize,
        l: f32::INFINITY,
        m: 1e30_f32.into(),
        n: "ä".repeat(100),
        o: vec![0xff; 1000],
        p: *b"abc",
    };
    assert_eq!(round_trip(&least).get_int64("e").unwrap(), [i64::MIN]);
    let example = round_trip(&most);
    assert_eq!((example.len(), example.get_bytes("p").unwrap()), (16, &[b"abc".to_vec()][..]));

    let beyond = Scalars { j: 1 << 63, ..Scalars::default() };
    let mut out = b"before".to_vec();
    let error = beyond.append_example(&mut out).unwrap_err();
    assert_eq!(
        error.to_string(),
        "column \"j\": the integer does not fit the 64 bits, with a sign, of a tf.Example"
    );
    assert_eq!(out, b"before");
}

#[derive(Debug, PartialEq, ToExample, FromExample)]
struct Lists {
    ints: Vec<i64>,
    small: Vec<u16>,
    flags: [bool; 2],
    floats: Vec<f32>,
    three: [f32; 3],
    #[example(lossy)]
    doubles: Vec<f64>,
    texts: Vec<String>,
    blobs: Vec<Vec<u8>>,
    ids: Vec<[u8; 2]>,
    pair: [String; 2],
    maybe: Option<Vec<i32>>,
    other: Option<f32>,
    any: Feature,
}

#[test]
fn lists() {
    let some = Lists {
        ints: vec![i64::MIN, 0, 300],
        small: vec![1, 7_000],
        flags: [true, false],
        floats: vec![0.5; 100],
        three: [1.0, 2.0, 3.0],
        doubles: vec![0.5, -2.0],
        texts: vec!["rot".into(), String::new()],
        blobs: vec![vec![0xff; 300], vec![]],
        ids: vec![*b"ab", *b"cd"],
        pair: ["a".into(), "b".into()],
        maybe: Some(vec![]),
        other: None,
        any: Feature::int64([7]),
    };
    let example = round_trip(&some);
    assert_eq!(example.get("other"), None);
    assert_eq!(example.get_int64("maybe").unwrap(), [0_i64; 0]);
    let empty = Lists {
        ints: vec![],
        small: vec![],
        floats: vec![],
        doubles: vec![],
        texts: vec![],
        blobs: vec![],
        ids: vec![],
        maybe: None,
        other: Some(0.0),
        any: Feature::Unset,
        ..some
    };
    assert_eq!(round_trip(&empty).len(), 11);
}

#[derive(Debug, PartialEq, ToExample, FromExample)]
struct Borrowed<'a> {
    text: &'a str,
    bytes: &'a [u8],
    cow: Cow<'a, str>,
    parts: Vec<&'a [u8]>,
    cows: Option<Vec<Cow<'a, [u8]>>>,
}

#[test]
fn what_is_borrowed_is_not_copied() {
    let record = Borrowed {
        text: "text",
        bytes: b"\xff",
        cow: "cow".into(),
        parts: vec![b"a", b"b"],
        cows: Some(vec![Cow::Borrowed(b"x")]),
    }
    .to_example_bytes()
    .unwrap();
    let read = Borrowed::from_example(&record).unwrap();
    assert!(record.as_ptr_range().contains(&read.text.as_ptr()));
    assert!(matches!(read.cow, Cow::Borrowed("cow")));
    assert_eq!((read.bytes, &*read.parts), (&b"\xff"[..], &[&b"a"[..], b"b"][..]));
    assert_eq!(read.to_example_bytes().unwrap(), record);
}

mod seconds {
    use std::time::Duration;

    pub(super) fn to_feature(duration: &Duration) -> u64 {
        duration.as_secs()
    }

    pub(super) fn from_feature(seconds: i64) -> Result<Duration, String> {
        let seconds = u64::try_from(seconds).map_err(|_| format!("{seconds} seconds are not a duration"))?;
        Ok(Duration::from_secs(seconds))
    }
}

fn seven() -> u8 {
    7
}

#[derive(Debug, PartialEq, ToExample, FromExample)]
#[example(rename_all = "camelCase", deny_unknown_features)]
struct Attributes {
    image_format: String,
    #[example(rename = "image/encoded")]
    jpeg: Vec<u8>,
    #[example(default)]
    tags: Vec<String>,
    #[example(default = "seven")]
    quality: u8,
    #[example(skip)]
    cached: Option<Duration>,
    #[example(with = "seconds")]
    run_time: Duration,
    #[example(with = "seconds", default)]
    wait: Duration,
    #[example(flatten)]
    size: Size,
    #[example(flatten, prefix = "crop/")]
    crop: Boxed<Size>,
    r#type: i32,
}

#[derive(Debug, Default, PartialEq, ToExample, FromExample)]
struct Size {
    width: u32,
    height: u32,
}

#[derive(Debug, Default, PartialEq, ToExample, FromExample)]
struct Boxed<T> {
    #[example(flatten, prefix = "to/")]
    size: T,
    name: Option<String>,
}

fn attributes() -> Attributes {
    Attributes {
        image_format: "jpeg".into(),
        jpeg: b"\xff\xd8".to_vec(),
        tags: vec![],
        quality: 90,
        cached: None,
        run_time: Duration::from_secs(90),
        wait: Duration::ZERO,
        size: Size { width: 640, height: 480 },
        crop: Boxed { size: Size { width: 64, height: 48 }, name: None },
        r#type: 3,
    }
}

#[test]
fn attributes_of_serde() {
    let mut example = round_trip(&attributes());
    let names = example.iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(
        names,
        [
            "crop/to/height",
            "crop/to/width",
            "height",
            "image/encoded",
            "imageFormat",
            "quality",
            "runTime",
            "tags",
            "type",
            "wait",
            "width"
        ]
    );
    for name in ["tags", "quality", "wait"] {
        example.remove(name).unwrap();
    }
    assert_eq!(
        Attributes::from_example(&example.to_vec()).unwrap(),
        Attributes { quality: 7, ..attributes() }
    );

    let example = |change: &dyn Fn(&mut Example)| {
        let mut example = round_trip(&attributes());
        change(&mut example);
        example.to_vec()
    };
    let cases: [(Vec<u8>, &str); 5] = [
        (
            example(&|example| drop(example.insert("tag", Feature::bytes(["x"])))),
            "column \"tag\": the struct has no field for the feature; did you mean \"tags\"?",
        ),
        (
            example(&|example| drop(example.insert("x", Feature::int64([1])))),
            "column \"x\": the struct has no field for the feature; the features of the struct are \"imageFormat\", \
             \"image/encoded\", \"tags\", \"quality\", \"runTime\", \"wait\", \"type\", \"width\", \"height\", \"crop/name\", …",
        ),
        (
            example(&|example| drop(example.remove("crop/to/width"))),
            "column \"crop/to/width\": the record lacks the feature; the features are \"crop/to/height\", \"height\", \
             \"image/encoded\", \"imageFormat\", \"quality\", \"runTime\", \"tags\", \"type\", \"wait\", \"width\"",
        ),
        (
            example(&|example| drop(example.insert("crop/to/height", Feature::int64([-1])))),
            "column \"crop/to/height\": the value -1 does not fit `u32`",
        ),
        (
            example(&|example| drop(example.insert("runTime", Feature::int64([-5])))),
            "column \"runTime\": the value was refused: -5 seconds are not a duration",
        ),
    ];
    for (record, text) in cases {
        assert_eq!(refused::<Attributes>(&record).to_string(), text);
    }
}

#[derive(Debug, PartialEq, ToExample, FromExample)]
struct Generic<T, const N: usize> {
    value: T,
    all: [T; N],
    #[example(skip)]
    not: std::marker::PhantomData<T>,
}

#[test]
fn generics() {
    let numbers = Generic { value: 1_i16, all: [2, 3], not: std::marker::PhantomData };
    assert_eq!(round_trip(&numbers).get_int64("all").unwrap(), [2, 3]);
    let texts = Generic { value: "a".to_owned(), all: [], not: std::marker::PhantomData };
    round_trip(&texts);
}

#[derive(Debug, PartialEq, ToExample, FromExample)]
struct Row {
    label: i32,
    scores: Vec<f32>,
    word: Option<String>,
    flag: bool,
    pair: [i64; 2],
}

fn row() -> Example {
    Example::new().int64("label", [5]).float("scores", [0.5]).int64("flag", [0]).int64("pair", [1, 2])
}

#[test]
fn what_does_not_fit_is_said() {
    let cases = [
        (row().int64("label", [1_i64 << 40]), "the value 1099511627776 does not fit `i32`"),
        (row().int64("label", [1, 2]), "the number of values is 2, where 1 is expected"),
        (row().int64("label", [0_i64; 0]), "the number of values is 0, where 1 is expected"),
        (row().float("label", [1.0]), "the value is a float_list, not an int64_list"),
        (row().feature("label", Feature::Unset), "the record lacks the feature; did you mean \"label\"?"),
        (row().int64("flag", [2]), "the value 2 does not fit `bool`"),
        (row().int64("pair", [1]), "the number of values is 1, where 2 is expected"),
        (row().int64("scores", [1]), "the value is an int64_list, not a float_list"),
        (row().bytes("word", ["a", "b"]), "the number of values is 2, where 1 is expected"),
        (
            row().bytes("word", [b"a\xff"]),
            "the value of 2 bytes is not UTF-8 from its byte 1 on; read it as bytes, into a `Vec<u8>`",
        ),
    ];
    for (example, text) in cases {
        let record = example.to_vec();
        let error = Row::from_example_at(&record, Origin::new("a.tfrecord", 7, 3)).unwrap_err();
        let (position, said) =
            error.to_string().split_once(": ").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
        assert!(position.starts_with("a.tfrecord, byte 7, record 3, column \""), "{position}");
        assert_eq!(said, text);
    }
    assert_eq!(Row::from_example(&row().to_vec()).unwrap().word, None);
    let mut lacking = row().int64("lable", [5]);
    lacking.remove("label");
    assert_eq!(
        refused::<Row>(&lacking.to_vec()).to_string(),
        "column \"label\": the record lacks the feature; did you mean \"lable\"?"
    );
    assert_eq!(refused::<Row>(b"").detail(), Some(&Kind::MissingFeature));
    assert_eq!(refused::<Row>(b"\x10\x07").detail(), Some(&Kind::OtherMessage));
    assert_eq!(
        refused::<Row>(b"\x0a\x05\x0a\x03\x0a\x01\xff").to_string(),
        "the feature name \"\u{fffd}\" is not UTF-8"
    );
}

#[derive(Debug, PartialEq, FromExample)]
struct Ints {
    a: Vec<i64>,
}

#[test]
fn what_protobuf_allows() {
    // An entry that a later one of its name replaces, with its value in two parts and an unpacked number.
    let one = b"\x0a\x0c\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x05";
    let other = b"\x0a\x13\x0a\x11\x0a\x01a\x12\x04\x1a\x02\x08\x07\x12\x06\x1a\x04\x0a\x02\x08\x09";
    assert_eq!(Ints::from_example(&[&one[..], other].concat()).unwrap(), Ints { a: vec![7, 8, 9] });
    // What is replaced must be well-formed all the same.
    let damaged = b"\x0a\x0a\x0a\x08\x0a\x01a\x12\x03\x1a\x02\x08";
    assert!(Ints::from_example(&[&damaged[..], one].concat()).is_err());
    // Each cut is an error: of the bytes, or of a feature that is missing.
    let whole = row().to_vec();
    assert!((0..whole.len()).all(|cut| Row::from_example(&whole[..cut]).is_err()));
}

/// Gives another value each time.
struct Unsteady(std::cell::Cell<i64>);

impl ToExample for Unsteady {
    fn write_features(&self, out: &mut example_codec::typed::FeatureWriter<'_>) -> Result<(), Error> {
        self.0.set(self.0.get() * 1000);
        out.feature::<false, _>("a", &self.0.get())
    }
}

#[test]
fn lengths_that_change_are_an_error() {
    let mut out = b"before".to_vec();
    let error = Unsteady(1.into()).append_example(&mut out).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::InvalidValue));
    assert_eq!(out, b"before");
}

#[test]
fn types_of_ones_own_are_values() {
    /// Degrees, whose feature is a float.
    #[derive(Debug, PartialEq)]
    struct Degrees(f32);

    impl ToFeature for Degrees {
        fn kind(&self) -> Option<example_codec::FeatureKind> {
            ToFeature::<false>::kind(&self.0)
        }
        fn list_len(&self) -> Result<usize, Error> {
            ToFeature::<false>::list_len(&self.0)
        }
        fn write_list(&self, out: &mut Vec<u8>) {
            ToFeature::<false>::write_list(&self.0, out);
        }
    }

    impl<'r> FromFeature<'r> for Degrees {
        fn from_feature(feature: &example_codec::FeatureView<'r>) -> Result<Self, Error> {
            <f32 as FromFeature<'r>>::from_feature(feature).map(Self)
        }
    }

    #[derive(Debug, PartialEq, ToExample, FromExample)]
    struct Weather {
        outside: Degrees,
        inside: Option<Degrees>,
    }

    round_trip(&Weather { outside: Degrees(-3.5), inside: Some(Degrees(20.0)) });
}

/// The names that any examples have, and any values.
#[derive(Debug, PartialEq, ToExample, FromExample)]
struct Any {
    a: Feature,
    b: Feature,
    #[example(rename = "")]
    unnamed: Feature,
    cc: Feature,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_form_is_read_as_by_name(mut record in wire::any_example(), at in any::<prop::sample::Index>(), byte: u8, damage: bool) {
        if damage && !record.is_empty() {
            let at = at.index(record.len());
            record[at] = byte;
        }
        let struct_of = Any::from_example(&record);
        if let Ok(example) = Example::parse(&record) {
            let read = struct_of.unwrap();
            // By their text, in which NaN is like NaN.
            for (name, feature) in [("a", &read.a), ("b", &read.b), ("", &read.unnamed), ("cc", &read.cc)] {
                let expected = example.get(name).cloned().unwrap_or_default();
                prop_assert_eq!(format!("{feature:?}"), format!("{expected:?}"));
            }
            let again = Example::parse(&read.to_example_bytes().unwrap()).unwrap();
            let set = example.iter().filter(|(name, feature)| {
                ["a", "b", "", "cc"].contains(name) && feature.kind().is_some()
            });
            prop_assert_eq!(format!("{again:?}"), format!("{:?}", set.map(|(name, feature)| (name, feature.clone())).collect::<Example>()));
        }
    }
}

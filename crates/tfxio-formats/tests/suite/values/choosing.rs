//! Choice of the columns that become scalars and text.

use std::sync::Arc;

use tfxio_formats::example_codec::{Example, Feature, SequenceExample};
use tfxio_formats::tfxio_core::{
    ColumnPath, Dataset, Error, ErrorKind, FileFormat, Files, FormatOptions, OptionSpec, OptionType,
    OptionValue, Result, ScanRequest,
};
use tfxio_formats::{DatasetExt as _, OpenOptions, ValueOptions, ValuesExt as _, formats, open};

use super::test_files::{both, examples, rows, types};
use crate::seam::test_files::{FileLayout, write_records};

fn house(city: &str, rooms: i64, prices: &[f32]) -> Example {
    Example::new()
        .bytes("city", [city])
        .int64("rooms", [rooms])
        .float("prices", prices.iter().copied())
        .bytes("photo", [[0xff, 0xd8, rooms as u8]])
        .bytes("tags", ["new", "große"])
}

#[test]
fn one_value_in_each_record_is_a_scalar_and_utf8_is_text() {
    let folder = tempfile::tempdir().unwrap();
    let file = examples(
        folder.path(),
        "a.tfrecord",
        [house("Skokie", 3, &[1.0, 2.0]), house("Łódź", 4, &[]), house("", 5, &[0.5])],
    );
    let plain = open(&file).unwrap();
    let dataset = both().open(&file).unwrap();
    assert_eq!(
        types(&dataset),
        [
            "city: LargeUtf8",
            "photo: LargeBinary",
            "prices: LargeList(Float32)",
            "rooms: Int64",
            "tags: LargeList(LargeUtf8)"
        ]
    );
    assert_eq!(
        rows(&dataset, ScanRequest::new()).unwrap(),
        [
            r#""Skokie" b[255, 216, 3] [1,2] 3 ["new","große"]"#,
            r#""Łódź" b[255, 216, 4] [] 4 ["new","große"]"#,
            r#""" b[255, 216, 5] [0.5] 5 ["new","große"]"#
        ]
    );
    let scalars = OpenOptions::new().scalars(true).open(&file).unwrap();
    assert_eq!(types(&scalars)[0], "city: LargeBinary");
    assert_eq!(types(&scalars)[4], "tags: LargeList(LargeBinary)");
    let text = OpenOptions::new().text(true).open(&file).unwrap();
    assert_eq!(types(&text)[0], "city: LargeList(LargeUtf8)");
    assert_eq!(types(&text)[3], "rooms: LargeList(Int64)");
    // As an option by its name, and of a data set that is open.
    let set = OpenOptions::new().set("scalars", true).unwrap().set("text", "true").unwrap();
    assert_eq!(types(&set.open(&file).unwrap()), types(&dataset));
    let values = plain.values(&ValueOptions::new().scalars(true).text(true)).unwrap();
    assert_eq!(types(&values), types(&dataset));
    let nothing = plain.values(&ValueOptions::new()).unwrap();
    assert_eq!(types(&nothing), types(&plain));
    let off = OpenOptions::new().scalars(false).text(vec![]).open(&file).unwrap();
    assert_eq!(types(&off), types(&plain));
}

#[test]
fn a_feature_that_a_record_lacks_is_null() {
    let folder = tempfile::tempdir().unwrap();
    let records = [
        Example::new().int64("a", [1]).bytes("t", ["x"]),
        Example::new().bytes("t", ["yz"]),
        Example::new().int64("a", [3]),
        Example::new().int64("a", [4]).bytes("t", ["ä"]),
    ];
    let file = examples(folder.path(), "a.tfrecord", records);
    let dataset = both().open(&file).unwrap();
    assert_eq!(types(&dataset), ["a: Int64", "t: LargeUtf8"]);
    let expected = [r#"1 "x""#, r#"null "yz""#, "3 null", r#"4 "ä""#];
    for batch_rows in [1, 2, 3, 100] {
        assert_eq!(rows(&dataset, ScanRequest::new().batch_rows(batch_rows)).unwrap(), expected);
    }
}

#[test]
fn an_empty_list_is_no_scalar_and_what_has_no_value_stays() {
    let folder = tempfile::tempdir().unwrap();
    let records = [
        Example::new().int64("one", [1]).int64("empty", [1]).feature("none", Feature::bytes([""; 0])),
        Example::new().int64("one", [1]).int64("empty", [0; 0]),
    ];
    let file = examples(folder.path(), "a.tfrecord", records);
    let dataset = both().open(&file).unwrap();
    assert_eq!(types(&dataset), ["empty: LargeList(Int64)", "none: LargeList(LargeBinary)", "one: Int64"]);
}

#[test]
fn an_empty_data_set_has_the_columns_of_its_schema() {
    let folder = tempfile::tempdir().unwrap();
    let file = examples(folder.path(), "a.tfrecord", []);
    assert_eq!(types(&both().open(&file).unwrap()), [""; 0]);
    let schema = "feature { name: 'one' type: INT shape {} } feature { name: 'unsaid' type: INT }
        feature { name: 'text' type: BYTES shape { dim { size: 1 } } }";
    let options = || both().set("schema", schema).unwrap();
    let dataset = options().open(&file).unwrap();
    assert_eq!(types(&dataset), ["one: Int64", "unsaid: LargeList(Int64)", "text: LargeBinary"]);
    assert_eq!(rows(&dataset, ScanRequest::new()).unwrap(), [""; 0]);
    assert_eq!(dataset.count().unwrap(), 0);
}

#[test]
fn a_schema_says_which_features_are_scalars() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["shape", "size one", "counted", "two", "many", "maybe", "unsaid"];
    let record = || names.iter().fold(Example::new(), |record, name| record.int64(*name, [7]));
    let file = examples(folder.path(), "a.tfrecord", [record(), record()]);
    let schema = "feature { name: 'shape' type: INT shape {} }
        feature { name: 'size one' type: INT shape { dim { size: 1 } dim { size: 1 } } }
        feature { name: 'counted' type: INT value_count { min: 1 max: 1 } }
        feature { name: 'two' type: INT shape { dim { size: 2 } } }
        feature { name: 'many' type: INT value_count { min: 1 } }
        feature { name: 'maybe' type: INT value_count { max: 1 } }
        feature { name: 'unsaid' type: INT }";
    let dataset = both().set("schema", schema).unwrap().open(&file).unwrap();
    let list = "LargeList(Int64)";
    let expected = [
        "shape: Int64".to_owned(),
        "size one: Int64".to_owned(),
        "counted: Int64".to_owned(),
        format!("two: {list}"),
        format!("many: {list}"),
        "maybe: Int64".to_owned(),
        "unsaid: Int64".to_owned(),
    ];
    assert_eq!(types(&dataset), expected);
    // What the schema says needs no look at the records.
    let bad = examples(folder.path(), "b.tfrecord", [Example::new().int64("shape", [1, 2])]);
    let schema = "feature { name: 'shape' type: INT shape {} }";
    let dataset = OpenOptions::new().scalars(true).set("schema", schema).unwrap().open(&bad).unwrap();
    assert_eq!(types(&dataset), ["shape: Int64"]);
    let error = rows(&dataset, ScanRequest::new()).unwrap_err();
    assert!(error.to_string().contains("record 0, column \"shape\": the feature has 2 values"), "{error}");
}

#[test]
fn steps_of_one_value_are_values_and_have_text() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.tfrecord");
    let record = |name: &str| {
        SequenceExample::new()
            .context(Example::new().bytes("user", [name]))
            .steps("word", [Feature::bytes(["a", "b"]), Feature::bytes(["ö"])])
            .steps("image", [Feature::bytes([&[0xff_u8, 0][..]])])
            .steps("n", [Feature::int64([1]), Feature::int64([2])])
            .to_vec()
    };
    write_records(&file, FileLayout::Plain, ["x", "y"].map(record).into_iter());
    let dataset = both().open(&file).unwrap();
    let types = types(&dataset);
    assert_eq!(types[0], "user: LargeUtf8");
    let lists = [
        ("image", "LargeList(LargeBinary)"),
        ("n", "LargeList(Int64)"),
        ("word", "LargeList(LargeList(LargeUtf8))"),
    ];
    for (name, of) in lists {
        assert!(types[1].contains(&format!("\"{name}\": {of}")), "{name}: {}", types[1]);
    }
    let steps = r###""x" {[b[255, 0]],[1,2],[["a","b"],["ö"]]}"###;
    assert_eq!(rows(&dataset, ScanRequest::new()).unwrap()[0], steps);
    // A part of the struct.
    let path = ColumnPath::new(["##SEQUENCE##", "word"]);
    let part = rows(&dataset, ScanRequest::new().columns([path])).unwrap();
    assert_eq!(part[0], r#"{[["a","b"],["ö"]]}"#);
    // By name, as the description has it.
    let found = dataset.spec().unwrap();
    let OptionValue::List(scalars) = &found.options["scalars"] else { panic!("{found:?}") };
    assert_eq!(scalars, &["##SEQUENCE##.image", "##SEQUENCE##.n", "user"]);
    let named = OpenOptions::new().scalars(vec!["##SEQUENCE##.n".to_owned()]).open(&file).unwrap();
    assert!(
        self::types(&named)[1]
            .contains("\"n\": LargeList(Int64), \"word\": LargeList(LargeList(LargeBinary))")
    );
}

#[test]
fn columns_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = examples(folder.path(), "a.tfrecord", [house("Skokie", 3, &[1.0]), house("Oslo", 4, &[2.0])]);
    let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let options = OpenOptions::new().scalars(named(&["rooms"])).text(named(&["tags"]));
    let expected = [
        "city: LargeList(LargeBinary)",
        "photo: LargeList(LargeBinary)",
        "prices: LargeList(Float32)",
        "rooms: Int64",
        "tags: LargeList(LargeUtf8)",
    ];
    assert_eq!(types(&options.open(&file).unwrap()), expected);
    let text = |options: OpenOptions| {
        let error = options.open(&file).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        error.to_string()
    };
    assert_eq!(
        text(OpenOptions::new().scalars(named(&["room"]))),
        "there is no column \"room\", which the option scalars names; did you mean \"rooms\"?"
    );
    assert_eq!(
        text(OpenOptions::new().text(named(&["rooms"]))),
        "column \"rooms\": the column has the type LargeList(Int64), and the option text names it; name columns of bytes"
    );
    assert_eq!(
        OpenOptions::new().set("scalars", 3).unwrap().open(&file).unwrap_err().to_string(),
        "the option \"scalars\" is true, false or names of columns, and not 3"
    );
}

/// A format with an option that is called as ours is.
#[derive(Debug)]
struct Letters;

impl FileFormat for Letters {
    fn name(&self) -> &str {
        "letters"
    }

    fn endings(&self) -> &[&str] {
        &[".letters"]
    }

    fn options(&self) -> Vec<OptionSpec> {
        vec![OptionSpec::new("text", OptionType::Text, "Text.")]
    }

    fn open(&self, _: Files, options: &FormatOptions) -> Result<Arc<dyn Dataset>> {
        Err(Error::new(ErrorKind::Other, format!("the text is {:?}", options.text("text"))))
    }
}

#[test]
fn an_option_of_a_foreign_format_is_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.letters");
    std::fs::write(&path, "abc").unwrap();
    let formats = formats().register(Letters).unwrap();
    let options = OpenOptions::new().formats(&formats).set("text", "abc").unwrap();
    assert_eq!(options.open(&path).unwrap_err().to_string(), "the text is Some(\"abc\")");
}

#[test]
fn no_more_bytes_are_looked_at_than_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let row = |at: i64| {
        Example::new()
            .int64("n", if at < 40 { vec![at] } else { vec![at, at] })
            .bytes("b", [vec![b'a'; 10_000]])
    };
    let file = examples(folder.path(), "a.tfrecord", (0..50).map(row));
    let options = ValueOptions::new().scalars(true).text(true);
    let few = open(&file).unwrap().find_values(&options.clone().infer_bytes(200_000)).unwrap();
    assert_eq!((few.scalars, few.text), (vec!["b".to_owned(), "n".to_owned()], vec!["b".to_owned()]));
    let all = open(&file).unwrap().find_values(&options.infer_bytes(100 << 20)).unwrap();
    assert_eq!(all.scalars, ["b"]);
}

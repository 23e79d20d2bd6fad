//! Errors of sketches and accumulators, and their texts.

use arrow_array::{Array, BooleanArray, Float32Array, Float64Array, Int64Array, StringArray};
use arrow_schema::DataType;
use tfxio_base::ErrorKind;
use tfxio_stats::{
    Conflict, DatasetListAccumulator, Error, Kind, Kmv, MisraGries, Quantiles, SketchOption, ValueType,
};

fn refused<T: std::fmt::Debug>(result: Result<T, Error>, kind: Kind, text: &str) {
    let error = result.unwrap_err();
    assert_eq!((error.detail::<Kind>().unwrap(), error.to_string().as_str()), (&kind, text));
}

fn integers() -> Int64Array {
    Int64Array::from(vec![1, 2])
}

fn strings() -> StringArray {
    StringArray::from(vec!["a", "b"])
}

#[test]
fn a_count_of_distinct_values() {
    let text = "a sketch of 0 buckets; give it from 1 to 2147483647";
    refused(Kmv::new(0), Kind::InvalidBuckets, text);
    let text = "a sketch of 2147483648 buckets; give it from 1 to 2147483647";
    refused(Kmv::new(1 << 31), Kind::InvalidBuckets, text);

    let mut sketch = Kmv::new(2).unwrap();
    let text = "strings, integers, Float32 or Float64 expected, found Boolean";
    refused(sketch.add(&BooleanArray::from(vec![true])), Kind::UnsupportedType(DataType::Boolean), text);
    assert_eq!(sketch.value_type(), None);
    sketch.add(&integers()).unwrap();
    let before = sketch.to_bytes();
    let kind = Kind::OtherValues { stored: ValueType::Integer, given: ValueType::Bytes };
    let text = "the sketch is of integers, and the array is of strings; make a sketch for each column";
    refused(sketch.add(&strings()), kind, text);

    let mut other = Kmv::new(2).unwrap();
    other.add(&Float64Array::from(vec![1.0])).unwrap();
    let kind = Kind::MergedValues { ours: ValueType::Integer, theirs: ValueType::Float };
    let text = "a sketch of floats cannot be merged into one of integers; merge sketches of the same column";
    refused(sketch.merge(&other), kind, text);
    let text = "a sketch of 3 buckets cannot be merged into one of 2; make both with the same number";
    refused(sketch.merge(&Kmv::new(3).unwrap()), Kind::MergedBuckets { ours: 2, theirs: 3 }, text);
    assert_eq!(sketch.to_bytes(), before);
}

#[test]
fn a_count_of_frequent_values() {
    refused(
        MisraGries::builder(0).build(),
        Kind::InvalidBuckets,
        "a sketch of 0 buckets; give it from 1 to 2147483647",
    );
    let text = "large strings above 2147483648 bytes; give a threshold of at most 2147483647";
    let kind = Kind::InvalidOption(SketchOption::LargeStringThreshold);
    refused(MisraGries::builder(1).large_strings(1 << 31, "x").build(), kind, text);

    let mut sketch = MisraGries::builder(2).build().unwrap();
    let weights = |values: Vec<Option<f32>>| Float32Array::from(values);
    let text = "1 weights for 2 items; give each item one";
    let kind = Kind::WeightCount { items: 2, weights: 1 };
    refused(sketch.add_weighted(&strings(), &weights(vec![Some(1.0)])), kind, text);
    let text = "weights of Float32 expected, found Int64; cast them";
    refused(sketch.add_weighted(&strings(), &integers()), Kind::WeightType(DataType::Int64), text);
    for (weight, found) in [(None, "null"), (Some(f32::NAN), "NaN"), (Some(f32::INFINITY), "inf")] {
        let result = sketch.add_weighted(&strings(), &weights(vec![Some(1.0), weight]));
        let text = format!("row 1: a weight of {found}; weights must be finite numbers");
        refused(result, Kind::InvalidWeight, &text);
    }
    assert_eq!(sketch.estimate().len(), 0);
    // The weight of a null does not count.
    sketch.add_weighted(&StringArray::from(vec![None, Some("a")]), &weights(vec![None, Some(1.0)])).unwrap();
    assert_eq!(sketch.estimate().len(), 1);

    let base = || MisraGries::builder(2).invalid_utf8_placeholder("?").large_strings(3, "!");
    for (other, option, text) in [
        (
            base().invalid_utf8_placeholder("??"),
            SketchOption::InvalidUtf8Placeholder,
            "placeholders of strings that are not UTF-8",
        ),
        (base().large_strings(4, "!"), SketchOption::LargeStringThreshold, "lengths of large strings"),
        (
            base().large_strings(3, "!!"),
            SketchOption::LargeStringPlaceholder,
            "placeholders of large strings",
        ),
    ] {
        let text = format!("sketches of different {text} cannot be merged; make both with the same options");
        let result = base().build().unwrap().merge(&other.build().unwrap());
        refused(result, Kind::MergedOption(option), &text);
    }
}

#[test]
fn quantiles() {
    for (eps, shown) in [(0.0, "0"), (-1.0, "-1"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
        let text = format!("an error bound of {shown}; eps must be positive, as 0.01");
        refused(Quantiles::new(eps, 10, 1), Kind::InvalidEps, &text);
    }
    for number in [0, u64::MAX] {
        let text = format!("{number} values expected; max_elements must be from 1 to 9223372036854775807");
        refused(Quantiles::new(0.1, number, 1), Kind::InvalidMaxElements, &text);
    }
    for streams in [0, (1 << 24) + 1, usize::MAX] {
        let text = format!("a sketch of {streams} streams; give it from 1 to 16777216");
        refused(Quantiles::new(0.1, 10, streams), Kind::InvalidStreams, &text);
    }

    let mut sketch = Quantiles::new(0.1, 10, 2).unwrap();
    let before = sketch.to_bytes();
    let text = "3 values do not fill rows of 2; give each row a value of each stream, or null";
    refused(sketch.add(&Int64Array::from(vec![1, 2, 3])), Kind::ValueCount, text);
    let text = "2 weights for 2 values in rows of 2; give each row one weight";
    refused(sketch.add_weighted(&integers(), &integers()), Kind::RowWeightCount, text);
    let text = "integers, floats or booleans expected, found Utf8";
    refused(sketch.add(&strings()), Kind::UnsupportedType(DataType::Utf8), text);
    let infinite = Float64Array::from(vec![f64::INFINITY]);
    refused(
        sketch.add_weighted(&integers(), &infinite),
        Kind::InvalidWeight,
        "row 0: an infinite weight; weights must be finite",
    );
    let text = "a sketch of 1 streams cannot be merged into one of 2; make both with the same number";
    refused(
        sketch.merge(&Quantiles::new(0.1, 10, 1).unwrap()),
        Kind::MergedStreams { ours: 2, theirs: 1 },
        text,
    );
    assert_eq!(sketch.to_bytes(), before);
    for number in [0, 1, i32::MAX as usize, usize::MAX] {
        let text = format!("{number} quantiles; ask for 2 to 2147483646");
        refused(sketch.quantiles(number), Kind::InvalidQuantiles, &text);
    }
}

#[test]
fn shards_that_contradict_each_other() {
    let merged = |first: &[u8], second: &[u8]| {
        let mut all = DatasetListAccumulator::new();
        all.merge(first).unwrap();
        all.merge(second)
    };
    let help = "; merge shards of the statistics of one data set; sum up those of different ones elsewhere";
    for (first, second, conflict, text) in [
        (
            &b"\x10\x01"[..],
            &b"\x10\x02"[..],
            Conflict::NumExamples,
            "two numbers of examples of slice \"\": 1 and 2",
        ),
        (
            b"\x0a\x01s\x21\0\0\0\0\0\0\xf0\x3f",
            b"\x0a\x01s\x21\0\0\0\0\0\0\0\x40",
            Conflict::WeightedNumExamples,
            "two weighted numbers of examples of slice \"s\": 1 and 2",
        ),
        (
            b"\x1a\x05\x0a\x01x\x10\x01",
            b"\x1a\x05\x0a\x01x\x10\x02",
            Conflict::FeatureType,
            "two types of feature \"x\": 1 and 2",
        ),
        (
            b"\x1a\x07\x42\x03\x0a\x01x\x1a\0",
            b"\x1a\x07\x42\x03\x0a\x01x\x22\0",
            Conflict::FeatureStatistics,
            "two kinds of statistics of feature [\"x\"]",
        ),
        (
            b"\x1a\x08\x0a\x01x\x52\x03\x0a\x01a",
            b"\x1a\x08\x0a\x01x\x52\x03\x0a\x01b",
            Conflict::DerivedSource,
            "two sources of the derived feature \"x\"",
        ),
        (
            b"\x2a\x02\x18\x01",
            b"\x2a\x02\x18\x02",
            Conflict::CrossCount,
            "two counts of features [] and []: 1 and 2",
        ),
        (
            b"\x2a\x02\x22\0",
            b"\x2a\x02\x2a\0",
            Conflict::CrossStatistics,
            "two kinds of statistics of features [] and []",
        ),
    ] {
        refused(merged(first, second), Kind::Conflict(conflict), &format!("{text}{help}"));
    }
}

#[test]
fn bytes_that_are_no_state() {
    let kmv = |bytes: &[u8]| Kmv::from_bytes(bytes);
    let start = "not a k-minimum-values sketch: ";
    refused(kmv(b""), Kind::MalformedKmv, &format!("{start}it has 0 buckets"));
    refused(
        kmv(b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
        Kind::MalformedKmv,
        &format!("{start}it has -1 buckets"),
    );
    refused(kmv(b"\x08\x01\x20\x07"), Kind::MalformedKmv, &format!("{start}there is no type of values 7"));
    refused(
        kmv(b"\x08\x01\x12\x10aaaaaaaabbbbbbbb"),
        Kind::MalformedKmv,
        &format!("{start}2 hashes in 1 buckets"),
    );
    let text = format!("{start}its limit is 0, not {}", u64::MAX);
    refused(kmv(b"\x08\x02"), Kind::MalformedKmv, &text);
    assert_eq!(kmv(b"I am no proto").unwrap_err().kind(), ErrorKind::Malformed);

    let items = |bytes: &[u8]| MisraGries::from_bytes(bytes);
    let start = "not a Misra-Gries sketch: ";
    let one = b"\0\0\0\0\0\0\xf0\x3f";
    let with = |head: &[u8], weights: usize| {
        [head, &[0x1a, 8 * u8::try_from(weights).unwrap()], &one.repeat(weights)].concat()
    };
    refused(items(b""), Kind::MalformedMisraGries, &format!("{start}it has 0 buckets"));
    refused(
        items(&with(b"\x08\x01\x12\x01a", 2)),
        Kind::MalformedMisraGries,
        &format!("{start}2 counts of 1 items"),
    );
    refused(
        items(&with(b"\x08\x01\x12\x01a\x12\x01b", 2)),
        Kind::MalformedMisraGries,
        &format!("{start}2 items in 1 buckets"),
    );
    refused(
        items(&with(b"\x08\x02\x12\x01a\x12\x01a", 2)),
        Kind::MalformedMisraGries,
        &format!("{start}an item has two counts"),
    );
    refused(
        items(&with(b"\x08\x02\x58\x02\x12\x01a", 1)),
        Kind::MalformedMisraGries,
        &format!("{start}an item is not a float"),
    );
    refused(
        items(b"\x08\x02\x58\x09"),
        Kind::MalformedMisraGries,
        &format!("{start}there is no type of values 9"),
    );
    refused(
        items(b"\x08\x02\x60\x09"),
        Kind::MalformedMisraGries,
        &format!("{start}there is no order of ties 9"),
    );
    refused(
        items(b"\x08\x02\x21\0\0\0\0\0\0\xf0\x7f"),
        Kind::MalformedMisraGries,
        &format!("{start}a count of inf"),
    );
    assert_eq!(items(b"I am no proto").unwrap_err().kind(), ErrorKind::Malformed);

    let quantiles = |stream: &[u8]| {
        let length = u8::try_from(stream.len()).unwrap();
        Quantiles::from_bytes(&[&[0x0a, length], stream].concat())
    };
    let start = "not a sketch of quantiles: ";
    refused(Quantiles::from_bytes(b""), Kind::MalformedQuantiles, &format!("{start}it has no streams"));
    refused(quantiles(b""), Kind::MalformedQuantiles, &format!("{start}its error bound is 0"));
    let head = b"\x19\0\0\0\0\0\0\xf0\x3f\x20\x05";
    refused(quantiles(&head[..9]), Kind::MalformedQuantiles, &format!("{start}it expects 0 values"));
    let after = |rest: &[u8]| quantiles(&[&head[..], rest].concat());
    assert_eq!(after(b"").unwrap().streams(), 1);
    let value = b"\0\0\0\0\0\0\xf0\x3f";
    let buffer = [&b"\x12\x0a\x0a\x08"[..], value].concat();
    refused(after(&buffer), Kind::MalformedQuantiles, &format!("{start}0 weights of 1 values"));
    let buffer = [&b"\x12\x14\x0a\x08"[..], value, b"\x12\x08\0\0\0\0\0\0\0\0"].concat();
    refused(after(&buffer), Kind::MalformedQuantiles, &format!("{start}a value of 1 with a weight of 0"));
    let summary = [&b"\x0a\x0a\x0a\x08"[..], value].concat();
    refused(
        after(&summary),
        Kind::MalformedQuantiles,
        &format!("{start}[0, 0, 0] weights and ranks of 1 values"),
    );
    let entries = |count: usize| {
        let packed =
            |field: u8| [&[field, 8 * u8::try_from(count).unwrap()][..], &value.repeat(count)].concat();
        let summary = [packed(0x0a), packed(0x12), packed(0x1a), packed(0x22)].concat();
        [&[0x0a, u8::try_from(summary.len()).unwrap()][..], &summary].concat()
    };
    let text = format!("{start}the summary after its levels is not empty");
    refused(after(&entries(1)), Kind::MalformedQuantiles, &text);
    refused(
        after(&entries(2)),
        Kind::MalformedQuantiles,
        &format!("{start}the values of a summary do not ascend"),
    );
    let two = [[&[0x0a, 11][..], head].concat(), [&[0x0a, 13][..], head, b"\x28\x01"].concat()].concat();
    let text = format!("{start}its streams differ in their parameters");
    refused(Quantiles::from_bytes(&two), Kind::MalformedQuantiles, &text);

    let error = DatasetListAccumulator::new().merge(b"\xff\xff").unwrap_err();
    assert_eq!(
        (error.kind(), error.detail::<Kind>()),
        (ErrorKind::Malformed, Some(&Kind::MalformedStatistics))
    );
}

//! Statistics as JSON.

use tfxio_stats::StatisticsList;

/// Returns a field of a message: its number, and a message or text within it.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    assert!(content.len() < 0x80, "a length of one byte");
    [&[number << 3 | 2, content.len() as u8], content].concat()
}

fn double(number: u8, value: f64) -> Vec<u8> {
    [&[number << 3 | 1][..], &value.to_le_bytes()].concat()
}

#[test]
fn numbers_that_json_lacks_are_texts_and_paths_are_steps() {
    let common = [0x08, 3, 0x10, 1, 0x18, 1, 0x20, 2, 0x40, 4]; // 3 present, 1 missing, 1 to 2 values, 4 in all
    let bucket = [double(1, f64::NEG_INFINITY), double(2, 1.5), double(4, 4.0)].concat();
    let histogram = [vec![0x08, 1], field(3, &bucket), vec![0x20, 1]].concat();
    let numbers = [
        field(1, &common),
        double(2, f64::NAN),
        double(5, f64::NEG_INFINITY),
        double(7, f64::INFINITY),
        field(8, &histogram),
    ]
    .concat();
    let path = [field(1, b"a"), field(1, b"b \"c\"")].concat();
    let feature = [field(8, &path), vec![0x10, 1], field(3, &numbers)].concat();
    let dataset = [field(1, b"train"), vec![0x10, 4], field(3, &feature)].concat();
    let list = StatisticsList::from_bytes(&field(1, &dataset)).unwrap();
    let expected = concat!(
        r#"[{"name":"train","num_examples":4,"features":[{"path":["a","b \"c\""],"type":"FLOAT","present":3,"missing":1,"#,
        r#""values":{"total":4,"min":1,"mean":0.0,"max":2},"numeric":{"mean":"NaN","std_dev":0.0,"zeros":0,"nan":1,"#,
        r#""min":"-Infinity","median":0.0,"max":"Infinity","histograms":[{"kind":"quantiles","nan":1,"#,
        r#""buckets":[["-Infinity",1.5,4.0]]}]}}]}]"#
    );
    assert_eq!(list.to_json(), expected);
}

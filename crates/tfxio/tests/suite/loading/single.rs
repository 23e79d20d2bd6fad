//! Formats with one column: raw records, and a format of the program.

use tfxio::prelude::*;

use super::own_format::LinesFormat;
use super::test_records::{Made, Row, rows};
use super::{Plain, config, in_every_way, loader};

const ORDERS: [&str; 3] = [
    r#", "padding": true"#,
    r#", "padding": true, "shuffle": true, "num_shuffle_buffer_elements": 7, "num_mix_files": 2"#,
    r#", "padding": true, "shuffle": "global""#,
];

/// The numbers of the records, in their order.
fn ids(batches: &[Vec<Plain>], id: impl Fn(&str) -> i64) -> Vec<i64> {
    batches.iter().flatten().flat_map(|(_, values)| values).map(|value| id(value)).collect()
}

#[test]
fn raw_records_come_as_the_decoded_do() {
    let made = Made::new(rows(false));
    let records =
        made.rows.concat().iter().map(Row::example).map(|record| format!("{record:?}")).collect::<Vec<_>>();
    let raw = OpenOptions::new().format("raw").open(made.names("tfrecord")).unwrap();
    let column = raw.schema().field(0).name().clone();
    for order in ORDERS {
        let decoded = config(&["id"], order);
        let expected = in_every_way(&|| loader(&made.open("tfrecord"), &decoded), order);
        let config = config(&[&column], order);
        let found = in_every_way(&|| loader(&raw, &config), order);
        let number = |text: &str| records.iter().position(|record| record == text).unwrap() as i64;
        assert_eq!(ids(&found, number), ids(&expected, |text| text.parse().unwrap()), "{order}");
    }
}

#[test]
fn a_format_of_the_program_too() {
    let made = Made::new(rows(false));
    for (name, rows) in made.names("lines").iter().zip(&made.rows) {
        std::fs::write(name, rows.iter().map(|row| format!("{}\n", row.id)).collect::<String>()).unwrap();
    }
    let formats = tfxio::formats().register(LinesFormat).unwrap();
    let lines = OpenOptions::new().formats(&formats).open(made.names("lines")).unwrap();
    for order in ORDERS {
        let decoded = config(&["id"], order);
        let expected = in_every_way(&|| loader(&made.open("tfrecord"), &decoded), order);
        let config = config(&["line"], order);
        let found = in_every_way(&|| loader(&lines, &config), order);
        let number = |text: &str| {
            let bytes = text.trim_matches(['[', ']']).split(", ").map(|byte| byte.parse::<u8>().unwrap());
            String::from_utf8(bytes.collect()).unwrap().parse().unwrap()
        };
        assert_eq!(ids(&found, number), ids(&expected, |text| text.parse().unwrap()), "{order}");
    }
}

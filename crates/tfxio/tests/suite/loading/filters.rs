//! Parquet skips row groups and pages that hold no record for the filter, and nothing of that shows in the batches.

use std::sync::Arc;

use tfxio::batch_loader::config::Shard;
use tfxio::convert::Conversion;
use tfxio::prelude::*;
use tfxio::tfrecord_io::FileWriter;

use super::test_records::{Row, rows};
use super::{config, in_every_way, loader, rest};

const ORDERS: [&str; 3] = [
    "",
    r#", "shuffle": true, "num_shuffle_buffer_elements": 7, "num_mix_files": 2"#,
    r#", "shuffle": "global""#,
];

/// 20 records of each number, in two files of TFRecord and of Parquet with row groups of 40 rows.
fn datasets(folder: &tempfile::TempDir) -> [Arc<dyn Dataset>; 2] {
    let all = rows(false).concat();
    let file = |name: &str, rows: &[Row]| {
        let path = folder.path().join(name);
        let mut writer = FileWriter::create(&path).unwrap();
        for row in rows {
            (0..20).for_each(|_| writer.write(&row.example()).unwrap());
        }
        writer.finish().unwrap();
        path.to_str().unwrap().to_owned()
    };
    let records = [file("a.tfrecord", &all[..20]), file("b.tfrecord", &all[20..])];
    let tables = records.clone().map(|input| {
        let output = input.replace(".tfrecord", ".parquet");
        let conversion =
            Conversion::builder([input], output.as_str()).set("row_group_rows", 40).unwrap().scalars(true);
        conversion.build().unwrap().run(|_| {}).unwrap();
        output
    });
    [tfxio::open(records).unwrap(), tfxio::open(tables).unwrap()]
}

#[test]
fn row_groups_are_skipped_and_all_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let [records, table] = datasets(&folder);
    // In the middle of row groups, in the last, in none of the second file, and of nulls.
    for (filter, kept) in [("id >= 5 and id < 8", 60), ("id = 33", 20), ("id in (0, 19)", 40)] {
        for order in ORDERS {
            let more = format!(r#"{order}, "padding": true, "filter": "{filter}""#);
            let config = config(&["id", "v"], &more);
            let of = |dataset| {
                let mut loader = loader(dataset, &config).build().unwrap();
                let examples = rest(&mut loader).iter().map(|batch| batch[0].0[0]).sum::<usize>();
                (examples, loader.stats())
            };
            let ((examples, whole), (same, skipped)) = (of(&records), of(&table));
            assert_eq!((examples, same), (2 * kept, 2 * kept), "{filter}{order}");
            assert_eq!(skipped.records_filtered, whole.records_filtered, "{filter}{order}");
            // Groups of 40 rows: those that hold the others are not read.
            assert!(skipped.records_framed <= 2 * kept as u64 + 2 * 80, "{filter}{order}: {skipped:?}");
        }
    }
}

#[test]
fn positions_are_those_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let [records, table] = datasets(&folder);
    for order in ORDERS {
        let more = format!(r#"{order}, "padding": true, "filter": "id in (2, 11, 20, 33) and v >= 0""#);
        let config = config(&["id"], &more);
        let expected = in_every_way(&|| loader(&records, &config), order);
        let found = in_every_way(&|| loader(&table, &config), order);
        let values = |batches: &[Vec<super::Plain>]| {
            batches.iter().map(|batch| batch[0].1.clone()).collect::<Vec<_>>()
        };
        assert_eq!(values(&found), values(&expected), "{order}");
        for count in 1..4 {
            for index in 0..count {
                let host = |dataset| {
                    let builder = loader(dataset, &config).shard(Shard { index, count });
                    values(&rest(&mut builder.build().unwrap()))
                };
                assert_eq!(host(&table), host(&records), "{order}, {index} of {count}");
            }
        }
        let mut loader = loader(&table, &config).build().unwrap();
        while let Some(batch) = loader.next_batch().unwrap() {
            let ids = batch.get("id").unwrap().values().as_slice::<i64>().unwrap().to_vec();
            for (origin, id) in batch.origins().zip(ids) {
                let first = if origin.file.ends_with("b.parquet") { 20 } else { 0 };
                assert_eq!((first + origin.record / 20) as i64, id);
            }
        }
    }
}

#[test]
fn a_filter_that_leaves_nothing_is_told_where_nothing_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let [_, table] = datasets(&folder);
    for order in ORDERS {
        let config = config(&["id"], &format!(r#"{order}, "filter": "id > 1000""#));
        let error = loader(&table, &config).build().unwrap().next_batch().unwrap_err();
        let expected = "no example came of a whole epoch: no record satisfies the filter \"id > 1000\"";
        assert!(error.to_string().contains(expected), "{error}");
    }
}

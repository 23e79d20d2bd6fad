//! Filters that are applied while messages are decoded.

use std::sync::Arc;

use tfxio_formats::tfrecord_io::{Reader, WriterBuilder};
use tfxio_formats::tfxio_core::Dataset;

use crate::proto::{With as _, fixture, ride, rides};
use seam_laws::filters::{Asked, rows_are_those_of_decoding_all};

/// Opens a file with the rides of the fixture 20 times.
fn open(folder: &std::path::Path, layout: &str) -> Arc<dyn Dataset> {
    let path = folder.join("rides.tfrecord");
    let bytes = std::fs::read(fixture("rides.tfrecord")).unwrap();
    let mut writer = WriterBuilder::default().target(&path).create().unwrap();
    for _ in 0..20 {
        let mut reader = Reader::new(&bytes[..]);
        while let Some(record) = reader.next_record().unwrap() {
            writer.write(record.data).unwrap();
        }
    }
    writer.finish().unwrap();
    ride(rides()).with("layout", layout).open([path.to_str().unwrap()]).unwrap()
}

#[test]
fn rows_are_those_that_a_filter_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let filters = [
        "id = 7",
        "id < 20",
        "id >= 3",
        "stops.latitude > 40",
        "stops.latitude > 0 and not id in (1, 2, 3)",
        "payment = 'CARD' or tip is null",
        "name is null",
        "name < 'b'",
        "id < 0",
    ];
    for layout in ["structured", "plain"] {
        let dataset = open(folder.path(), layout);
        let columns =
            [None, Some(vec!["name", "id"]), Some(vec!["stops.longitude", "seconds"]), Some(vec![])];
        for (at, filter) in filters.into_iter().enumerate() {
            for (columns, limit) in columns.iter().zip([None, Some(37), None, Some(500)]) {
                let (filter, columns) = (filter.parse().unwrap(), columns.clone());
                let asked = Asked {
                    filter,
                    columns,
                    batch_rows: 50 + 60 * at,
                    limit,
                    target: 9000,
                    after: 1 + at % 3,
                };
                rows_are_those_of_decoding_all(&dataset, &asked);
            }
        }
    }
}

//! The programs of the folder `examples` run, and a format of one's own is a full member.
#![cfg(all(feature = "avro", feature = "ndarray", feature = "dlpack", feature = "loader"))]
#![allow(clippy::unwrap_used, reason = "a test")]

use std::sync::Arc;

use tfxio::prelude::*;
use tfxio::{DatasetSpec, Formats, LoaderConfig, Partition, Representation};

#[path = "../examples/engine.rs"]
mod engine;
#[path = "../examples/open.rs"]
mod open;
#[path = "../examples/own_format.rs"]
mod own_format;
#[path = "../examples/own_records.rs"]
mod own_records;
#[path = "../examples/tensors.rs"]
mod tensors;
#[path = "../examples/train.rs"]
mod train;

/// All tests work in the root of the repository, as the programs do.
fn in_the_repository() {
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
}

#[test]
fn the_programs_run() {
    in_the_repository();
    open::main().unwrap();
    engine::main().unwrap();
    own_format::main().unwrap();
    own_records::main().unwrap();
    train::main().unwrap();
    tensors::main().unwrap();
}

/// The code of the page, block after block, is that of the two programs.
#[test]
fn the_page_of_formats_of_ones_own_shows_the_programs() {
    let read =
        |path: &str| std::fs::read_to_string(format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let program = |name: &str| {
        let text = read(&format!("crates/tfxio/examples/{name}.rs"));
        text.get(text.find("use std::").unwrap()..).unwrap().to_owned()
    };
    let page = read("docs/custom-format.md");
    let blocks = page.split("```rust,ignore\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let blocks = blocks.collect::<Vec<_>>().join("\n");
    assert_eq!(blocks, [program("own_format"), program("own_records")].join("\n"));
}

#[test]
fn records_of_ones_own_are_converted_there_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let formats = tfxio::formats().register_records(own_records::PointFormat).unwrap();
    let points = path("points.tfrecord");
    let mut writer = tfxio::tfrecord_io::FileWriter::create(&points).unwrap();
    for at in 0..100_u8 {
        writer.write([f32::from(at).to_le_bytes(), (-0.5_f32).to_le_bytes()].as_flattened()).unwrap();
    }
    writer.finish().unwrap();
    let open = |name: &str| OpenOptions::new().formats(&formats).format("points").open(name);
    for target in [1, 100, 10_000] {
        let dataset = open(&points).unwrap();
        let partitions = dataset.partitions(target).unwrap();
        let rows = partitions.iter().map(|part| {
            let mut scan = dataset.scan(part, &ScanRequest::new().batch_rows(7)).unwrap();
            std::iter::from_fn(|| scan.next_batch().unwrap()).map(|batch| batch.num_rows()).sum::<usize>()
        });
        assert_eq!(rows.sum::<usize>(), 100);
    }
    let back = path("back.tfrecord");
    let conversion = tfxio::convert::Conversion::builder([points.as_str()], &back).formats(&formats);
    let conversion = conversion
        .input_format("points")
        .set("records", "points")
        .unwrap()
        .request(ScanRequest::new().columns(["x", "y"]));
    assert_eq!(conversion.build().unwrap().run(|_| {}).unwrap().records, 100);
    assert_eq!(std::fs::read(&back).unwrap(), std::fs::read(&points).unwrap());

    let bytes = std::fs::read(&points).unwrap();
    let short = path("short.tfrecord");
    let mut writer = tfxio::tfrecord_io::FileWriter::create(&short).unwrap();
    writer.write(&bytes[12..20]).unwrap();
    writer.write(&bytes[12..19]).unwrap();
    writer.finish().unwrap();
    let error = open(&short).unwrap().read(ScanRequest::new()).unwrap().find_map(Result::err).unwrap();
    assert_eq!(
        error.to_string(),
        format!("{short}, byte 24, record 1: a point has 8 bytes, the record has 7")
    );
}

fn formats() -> Formats {
    tfxio::formats().register(own_format::LinesFormat).unwrap()
}

fn poems() -> Arc<dyn Dataset> {
    in_the_repository();
    OpenOptions::new().formats(&formats()).open("fixtures/poems/*.txt").unwrap()
}

fn lines(scan: &mut dyn Scan) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(batch) = scan.next_batch().unwrap() {
        let column = arrow_array::cast::AsArray::as_string::<i32>(batch.columns().column(0));
        lines.extend(column.iter().flatten().map(str::to_owned));
    }
    lines
}

#[test]
fn a_format_of_ones_own_is_read_in_any_partitions() {
    let dataset = poems();
    let all = lines(&mut dataset.read(ScanRequest::new()).unwrap());
    assert_eq!((all.len(), dataset.count().unwrap()), (28, 28));
    assert_eq!(all[14], "Let me not to the marriage of true minds");
    for target in [1, 40, 300] {
        let read = |partition: &Partition| {
            let request = ScanRequest::new().columns(["line"]).batch_rows(3);
            lines(&mut *dataset.scan(partition, &request).unwrap())
        };
        assert_eq!(dataset.partitions(target).unwrap().iter().flat_map(read).collect::<Vec<_>>(), all);
    }
    let limited = dataset.read(ScanRequest::new().filter("line < 'B'".parse().unwrap()).limit(3)).unwrap();
    assert_eq!(limited.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 3);
    let error = dataset.read(ScanRequest::new().columns(["lines"])).unwrap_err().to_string();
    assert!(error.contains("did you mean \"line\"?"), "{error}");
}

#[test]
fn a_format_of_ones_own_has_tensors() {
    let tensors = poems().tensors([("line", Representation::dense([]))]).unwrap();
    let batches = tensors.read(ScanRequest::new().batch_rows(10)).unwrap();
    let shapes = batches.map(|batch| batch.unwrap().dense("line").unwrap().shape().to_vec());
    assert_eq!(shapes.collect::<Vec<_>>(), [[10], [4], [10], [4]]);
}

#[test]
fn a_format_of_ones_own_is_shipped_to_another_process() {
    let dataset = poems();
    let text = serde_json::to_string(&(dataset.spec().unwrap(), dataset.partitions(300).unwrap())).unwrap();
    let (spec, partitions): (DatasetSpec, Vec<Partition>) = serde_json::from_str(&text).unwrap();
    assert!(spec.open().is_err(), "the other process has registered it too");
    let again = spec.open_with(&formats()).unwrap();
    assert_eq!(again.schema(), dataset.schema());
    let request = ScanRequest::new();
    let read = partitions.iter().flat_map(|one| lines(&mut *again.scan(one, &request).unwrap()));
    assert_eq!(read.collect::<Vec<_>>(), lines(&mut dataset.read(request.clone()).unwrap()));
}

#[test]
fn a_format_of_ones_own_is_loaded() {
    let load = |state| {
        let config = LoaderConfig::independent(8).shuffle_globally(1).epochs(2);
        let loader = poems().loader(config).inputs(["line"]);
        match state {
            Some(state) => loader.state(state).build().unwrap(),
            None => loader.build().unwrap(),
        }
    };
    let mut loader = load(None);
    let first = loader.next_batch().unwrap().unwrap();
    assert_eq!(first.get("line").unwrap().shape(), [8]);
    let state = loader.state();
    let rest = loader.collect::<Result<Vec<_>, _>>().unwrap();
    assert_eq!(first.len() + rest.iter().map(|batch| batch.len()).sum::<usize>(), 2 * 28);
    // Another loader goes on from the state, with what would have followed.
    assert!(load(Some(state)).map(Result::unwrap).eq(rest));
}

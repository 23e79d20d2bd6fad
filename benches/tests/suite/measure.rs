//! `measure` on small files: every way of reading one does the same records.

use std::fs;
use std::path::Path;
use std::process::Command;

use avro_path::container::Codec;
use bench_sets::loading::{self, Way};
use bench_sets::random::Random;
use bench_sets::{containers, messages, sets};
use benches::clicks::{self, Click};
use benches::measure::{self, Figure, Options};
use benches::text::Table;
use clap::Parser;
use example_codec::ToExample as _;
use serde_json::Value;
use tfrecord_io::{Compression, Writer};

fn measured(line: &str, file: &Path) -> anyhow::Result<Figure> {
    let mut words = vec!["measure"];
    words.extend(line.split(' '));
    let file = file.to_string_lossy();
    words.insert(2, &file);
    measure::measure(&Options::try_parse_from(words)?)
}

fn compressed(set: &sets::Set, compression: Compression, path: &Path) {
    let mut writer = Writer::builder(Vec::new()).compression(compression).build().unwrap();
    for record in set.records() {
        writer.write(record).unwrap();
    }
    fs::write(path, writer.finish().unwrap()).unwrap();
}

#[test]
fn every_way_counts_the_same_records_and_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let set = sets::univalent(1000);
    let plain = folder.path().join("a.tfrecord");
    fs::write(&plain, &set.file).unwrap();
    let (gzip, zlib) = (folder.path().join("a.gz"), folder.path().join("a.zlib"));
    compressed(&set, Compression::Gzip, &gzip);
    compressed(&set, Compression::Zlib, &zlib);
    for file in [&plain, &gzip, &zlib] {
        for line in [
            "scan --repeat 1",
            "scan --repeat 1 --from file --batch 7",
            "scan --repeat 1 --from file --threads 2",
            "decode --repeat 1 --batch 300",
            "decode --repeat 1 --batch 300 --from file",
            "decode --repeat 1 --columns I3,C7",
            "encode --repeat 1 --batch 300 --threads 3",
            "decode --repeat 1 --threads 5 --batch 1",
            "stats --repeat 1 --batch 300",
        ] {
            let figure = measured(line, file).unwrap();
            assert_eq!((figure.records(), figure.bytes()), (1000, set.bytes()), "{line} {}", file.display());
        }
    }
    for line in ["scan", "decode"] {
        for from in ["memory", "file"] {
            let figure = measured(&format!("{line} --repeat 1 --threads 3 --from {from}"), &plain).unwrap();
            assert_eq!((figure.records(), figure.bytes()), (1000, set.bytes()), "{line} from {from}");
        }
    }
}

#[test]
fn files_are_converted_to_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let set = sets::univalent(1000);
    let file = folder.path().join("a.tfrecord");
    fs::write(&file, &set.file).unwrap();
    for line in [
        "convert --repeat 1 --to parquet",
        "convert --repeat 1 --to parquet --threads 2 --batch 100 --set output_compression=snappy",
        "convert --repeat 1 --to avro --threads 3 --batch 7",
        "convert --repeat 1 --to csv",
        "convert --repeat 1 --to tfrecord",
    ] {
        let figure = measured(line, &file).unwrap();
        assert_eq!((figure.records(), figure.bytes()), (1000, set.bytes()), "{line}");
    }
    let csv = folder.path().join("a.csv");
    measured(&format!("convert --repeat 1 --to csv --output {}", csv.display()), &file).unwrap();
    assert_eq!(measured("convert --repeat 1 --to tfrecord --threads 2", &csv).unwrap().records(), 1000);
    assert!(measured("convert --repeat 1 --to nothing", &file).is_err());
    let parquet = folder.path().join("a.parquet");
    measured(&format!("convert --repeat 1 --to parquet --output {}", parquet.display()), &file).unwrap();
    let peers: &[&str] = if cfg!(feature = "arrow-readers") { &[" --arrow"] } else { &[] };
    for peer in [""].iter().chain(peers) {
        let figure = measured(&format!("read --repeat 1 --batch 300{peer}"), &parquet).unwrap();
        assert_eq!((figure.records(), figure.bytes()), (1000, parquet.metadata().unwrap().len()));
    }
}

#[test]
fn sequence_examples_are_decoded_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let set = sets::sequence(50);
    let file = folder.path().join("a.tfrecord");
    fs::write(&file, &set.file).unwrap();
    for line in ["decode", "decode --from file --batch 7", "decode --threads 3 --batch 10"] {
        let figure = measured(&format!("{line} --repeat 1 --as sequence_example"), &file).unwrap();
        assert_eq!((figure.records(), figure.bytes()), (50, set.bytes()), "{line}");
    }
}

#[test]
fn messages_and_structs_are_decoded_and_encoded() {
    let folder = tempfile::tempdir().unwrap();
    let (file, descriptor) = (folder.path().join("a.tfrecord"), folder.path().join("a.descriptor"));
    let check = |records: &[Vec<u8>], lines: &[String]| {
        let mut writer = Writer::builder(Vec::new()).build().unwrap();
        records.iter().for_each(|record| writer.write(record).unwrap());
        let written = writer.finish().unwrap();
        fs::write(&file, &written).unwrap();
        for line in lines {
            let figure = measured(&format!("{line} --repeat 1"), &file).unwrap();
            assert_eq!(
                (figure.records(), figure.bytes()),
                (records.len() as u64, written.len() as u64),
                "{line}"
            );
        }
    };
    for name in messages::TYPES {
        let message = messages::message(name).unwrap();
        fs::write(&descriptor, message.to_descriptor_set()).unwrap();
        let of =
            format!("--as message --descriptor {} --message {}", descriptor.display(), message.full_name());
        let ways = ["decode", "encode"]
            .into_iter()
            .flat_map(|task| ["", " --plain --batch 7", " --prost"].map(|more| format!("{task} {of}{more}")));
        let reads = ["", " --plain --batch 7"].map(|more| format!("read {of}{more}"));
        check(&messages::records(name, 50), &ways.chain(reads).collect::<Vec<_>>());
        if name == "impressions" {
            let filtered = measured(&format!("read {of} --plain --filter user.age>40 --repeat 1"), &file);
            assert!((1..50).contains(&filtered.unwrap().records()));
        }
    }
    let clicks = (0..50).map(|number| Click::new(number).to_example_bytes().unwrap()).collect::<Vec<_>>();
    let lines = [
        "decode --as struct",
        "encode --as struct",
        "decode --as struct --prost",
        "encode --as struct --prost",
    ];
    check(&clicks, &lines.map(str::to_owned));
    let shuffled = clicks.iter().map(|click| clicks::shuffled(click, &mut Random::new(1)));
    for (number, record) in (0..).zip(shuffled) {
        assert_eq!(Click::from_prost(&record), Some(Click::new(number)));
    }
}

#[test]
fn tensors_are_made_of_batches_and_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let (file, schema) = (folder.path().join("a.tfrecord"), folder.path().join("a.pbtxt"));
    let set = sets::dense(100);
    fs::write(&file, &set.file).unwrap();
    let shape = "presence { min_fraction: 1 } shape { dim { size: 784 } }";
    fs::write(&schema, format!("feature {{ name: 'x' type: FLOAT {shape} }}")).unwrap();
    for line in ["", " --from file", " --fixed-size-lists", " --threads 2", " --threads 2 --from file"] {
        let line = format!("tensors --repeat 1 --batch 30 --schema {}{line}", schema.display());
        let figure = measured(&line, &file).unwrap();
        assert_eq!((figure.records(), figure.bytes()), (100, set.bytes()), "{line}");
        let json: Value = serde_json::from_str(&figure.to_json().unwrap()).unwrap();
        assert_eq!(json["tensor_bytes"], 100 * 784 * 4, "{line}");
        // A file read by two threads is cut somewhere.
        assert!((4..=5).contains(&json["tensors"].as_u64().unwrap()), "{line}");
        assert!(json["us_per_tensor"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn every_way_of_reading_a_container_does_the_same_records() {
    let folder = tempfile::tempdir().unwrap();
    let (file, features) = (folder.path().join("a.avro"), folder.path().join("a.json"));
    fs::write(
        &features,
        r#"{"label": {"kind": "FixedLen", "shape": [], "dtype": "int32"},
            "features[*].value": {"kind": "VarLen", "dtype": "float32", "rank": 1}}"#,
    )
    .unwrap();
    let features = features.display();
    for codec in [Codec::Null, Codec::Deflate, Codec::Snappy] {
        let container = containers::nested(2000, codec).unwrap();
        fs::write(&file, &container.file).unwrap();
        for line in [
            "avro",
            "avro --columns label,user",
            "avro --key features[*].term --key opt",
            &format!("avro --features {features}"),
            "scan",
        ] {
            for more in ["", " --from file", " --threads 2", " --from file --threads 3 --batch 100"] {
                let line = format!("{line}{more} --repeat 1");
                let figure = measured(&line, &file).unwrap();
                assert_eq!((figure.records(), figure.bytes()), (2000, container.bytes), "{codec} {line}");
            }
        }
        #[cfg(feature = "arrow-avro")]
        for line in ["avro --arrow-avro", "avro --arrow-avro --columns label,user --from file"] {
            let figure = measured(&format!("{line} --repeat 1"), &file).unwrap();
            assert_eq!((figure.records(), figure.bytes()), (2000, container.bytes), "{codec} {line}");
        }
    }
    let check = |line: &str, wanted: &str| {
        let message = format!("{:#}", measured(line, &file).unwrap_err());
        assert!(message.contains(wanted), "{message}");
    };
    check("avro --key features[*].trem", "trem");
    check("avro --columns nothing", "nothing");
    check("avro --features no-such-file", "cannot read no-such-file");
}

#[test]
fn text_is_read_as_arrow_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    for (name, table) in Table::ALL {
        for format in ["csv", "jsonl"] {
            if format == "csv" && table == Table::Nested {
                continue;
            }
            let (text, rows) = if format == "csv" { table.csv(50_000) } else { table.json(50_000) };
            let file = folder.path().join(format!("{name}.{format}"));
            fs::write(&file, &text).unwrap();
            let multivalent = table.multivalent_columns().join(",");
            let multivalent = match format {
                "csv" if !multivalent.is_empty() => format!(" --multivalent {multivalent}"),
                _ => String::new(),
            };
            let peers: &[&str] = if cfg!(feature = "arrow-readers") { &[" --arrow"] } else { &[] };
            for peer in [""].iter().chain(peers) {
                for infer in ["", " --infer"] {
                    let figure =
                        measured(&format!("read --repeat 1{multivalent}{infer}{peer}"), &file).unwrap();
                    assert_eq!(
                        (figure.records(), figure.bytes()),
                        (rows, text.len() as u64),
                        "{name} {format}"
                    );
                }
            }
        }
    }
}

#[test]
fn batches_are_loaded_as_the_configuration_says() {
    for way in Way::ALL {
        let folder = tempfile::tempdir().unwrap();
        let (file, bytes) = loading::write(folder.path(), way, 300, 50, 2).unwrap();
        // Windows of 64 steps, 16 apart, in each of two files.
        let examples = if way == Way::Windows { 2 * ((300 * 1000 - 64) / 16 + 1) } else { 600 };
        let figure = measured("load --repeat 2", &file).unwrap();
        assert_eq!((figure.records(), figure.bytes()), (examples, bytes), "{way:?}");
        let json: Value = serde_json::from_str(&figure.to_json().unwrap()).unwrap();
        assert_eq!((&json["batch"], &json["threads"]), (&128.into(), &1.into()));
        assert!(json["records_per_s"].as_f64().unwrap() > 0.0);
        let figure = measured("load --repeat 1 --batches 2", &file).unwrap();
        match way {
            // A batch within a budget has as many as fit.
            Way::Budget => assert!((1..600).contains(&figure.records())),
            // Sequences share rows: two batches of rows have them all.
            Way::Packed => assert_eq!(figure.records(), 600),
            _ => assert_eq!(figure.records(), 256, "{way:?}"),
        }
    }
}

#[test]
fn more_threads_than_records_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let set = sets::univalent(2);
    let file = folder.path().join("a.tfrecord");
    fs::write(&file, &set.file).unwrap();
    for line in ["scan", "decode", "encode", "scan --from file", "decode --from file"] {
        let figure = measured(&format!("{line} --repeat 1 --threads 5"), &file).unwrap();
        assert_eq!(figure.records(), 2, "{line}");
    }
}

#[test]
fn what_cannot_be_measured_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.tfrecord");
    let check = |line: &str, wanted: &str| {
        let message = format!("{:#}", measured(line, &file).unwrap_err());
        assert!(message.contains(wanted), "{message}");
    };
    check("scan --repeat 1", "no such file");
    fs::write(&file, b"").unwrap();
    for line in ["scan", "scan --from file", "decode", "decode --from file", "encode", "scan --threads 2"] {
        check(line, "holds no record");
    }
    fs::write(&file, &sets::univalent(3).file).unwrap();
    check("decode --columns nothing", "there is no column \"nothing\"");
    let mut set = sets::univalent(3);
    set.file.pop();
    fs::write(&file, &set.file).unwrap();
    for line in ["scan", "scan --from file", "decode", "decode --from file", "encode"] {
        check(line, "the input ends inside a record");
    }
}

#[test]
fn the_program_prints_one_line_with_these_keys() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.tfrecord");
    fs::write(&file, sets::dense(50).file).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_measure"))
        .args(["decode", &file.to_string_lossy(), "--batch", "20", "--repeat", "2", "--threads", "2"])
        .output()
        .unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    let line: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (&line["task"], &line["threads"], &line["batch"], &line["records"]),
        (&"decode".into(), &2.into(), &20.into(), &50.into())
    );
    assert_eq!(line["bytes"], fs::metadata(&file).unwrap().len());
    assert_eq!(line["file"], file.to_string_lossy().as_ref());
    let number = |key: &str| line[key].as_f64().unwrap();
    assert!(number("seconds_min") > 0.0 && number("seconds_median") >= number("seconds_min"));
    let speed = number("bytes") / number("seconds_min") / 1e6;
    assert!((number("mb_per_s") / speed - 1.0).abs() < 0.05, "{text}");
    assert_eq!(line["peak_rss_mb"].is_f64(), cfg!(target_os = "linux"));
    assert_eq!(line.as_object().unwrap().len(), 10);

    let output = Command::new(env!("CARGO_BIN_EXE_measure")).args(["scan", "no-such-file"]).output().unwrap();
    assert!(!output.status.success() && output.stdout.is_empty());
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("measure: no-such-file: "));
}

//! URLs as inputs, from a server on this machine.

use crate::run::{Run, command, json_lines, path, tfxio};
use crate::server::Server;

const SHARDS: [&str; 3] = [
    "digits-gzip/digits-00000-of-00003.tfrecord",
    "digits-gzip/digits-00001-of-00003.tfrecord",
    "digits-gzip/digits-00002-of-00003.tfrecord",
];
const DAMAGED: &str = "damaged/bit-in-length.tfrecord";

/// Runs the command where `s3://bucket/` is the server.
fn with_s3(server: &Server, args: &[&str]) -> Run {
    let output = command().args(args).envs(server.as_s3()).output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn every_reading_command_takes_urls() {
    let server = Server::start(&SHARDS);
    let folder = tempfile::tempdir().unwrap();
    let (url, local) =
        ("s3://bucket/digits-gzip/digits@3.tfrecord", "fixtures/digits-gzip/digits@3.tfrecord");
    for args in [&["head", "-n", "700", "--format", "json"][..], &["schema"], &["schema", "--format", "json"]]
    {
        let ours = with_s3(&server, &[args, &[url]].concat()).ok();
        assert_eq!(ours, tfxio([args, &[local]].concat()).ok(), "{args:?}");
    }
    let ours = json_lines(&with_s3(&server, &["inspect", "--json", url]).ok());
    let theirs = json_lines(&tfxio(["inspect", "--json", local]).ok());
    assert_eq!(ours.len(), 3);
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours["file"], theirs["file"].as_str().unwrap().replace("fixtures", "s3://bucket"));
        for key in ["compression", "records", "payload_bytes", "crc32_of_payloads", "errors"] {
            assert_eq!(ours[key], theirs[key]);
        }
    }
    let (from_url, from_file) = (path(&folder, "a.arrow"), path(&folder, "b.arrow"));
    with_s3(&server, &["convert", url, &from_url]).ok();
    tfxio(["convert", local, &from_file]).ok();
    assert!(std::fs::read(from_url).unwrap() == std::fs::read(from_file).unwrap());
}

#[test]
fn avro_files_too() {
    let server = Server::start(&["avro/people.avro"]);
    let (url, local) = ("s3://bucket/avro/*.avro", "fixtures/avro/people.avro");
    for (command, behind) in [
        ("head", &["--format", "json"][..]),
        ("schema", &["--format", "avro"]),
        ("avro-path", &["friends[*].name.first", "age"]),
        ("tensors", &["--features", "fixtures/avro/people.json"]),
    ] {
        let ours = with_s3(&server, &[&[command, url], behind].concat()).ok();
        assert_eq!(ours, tfxio([&[command, local], behind].concat()).ok(), "{command}");
    }
    let report = json_lines(&with_s3(&server, &["inspect", "--json", url]).ok()).remove(0);
    assert_eq!((&report["file"], &report["records"]), (&"s3://bucket/avro/people.avro".into(), &2.into()));
    let error = with_s3(&server, &["repair", "s3://bucket/avro/people.avro", "o.avro"]).fails(2);
    assert!(error.contains("only local files are repaired"), "{error}");
}

#[test]
fn a_file_on_the_web() {
    let server = Server::start(&SHARDS);
    let (url, local) = (server.url() + SHARDS[1], format!("fixtures/{}", SHARDS[1]));
    assert_eq!(with_s3(&server, &["head", &url]).ok(), tfxio(["head", &local]).ok());
}

#[test]
fn what_is_not_there() {
    let server = Server::start(&SHARDS);
    let missing = "s3://bucket/no.tfrecord";
    let error = with_s3(&server, &["head", missing]).fails(3);
    assert_eq!(error, format!("error: {missing}: no such object; check the bucket and the path"));
    let empty = "s3://bucket/no/*.tfrecord";
    let error = with_s3(&server, &["schema", empty]).fails(3);
    assert_eq!(
        error,
        format!(
            "error: {empty}: no file matches the pattern; check the directory and the pattern; quote it so that the shell \
             does not change it"
        )
    );
    let few = "s3://bucket/digits-gzip/digits@4.tfrecord";
    let error = with_s3(&server, &["head", few]).fails(3);
    assert!(error.starts_with(&format!("error: {few}: 4 of 4 shards are missing: ")), "{error}");
}

#[test]
fn damage_is_reported_with_the_url() {
    let server = Server::start(&[DAMAGED]);
    let url = format!("s3://bucket/{DAMAGED}");
    let run = with_s3(&server, &["inspect", "--json", &url]);
    assert_eq!(run.code, 1);
    assert_eq!(json_lines(&run.out)[0]["records"], 5);
    let folder = tempfile::tempdir().unwrap();
    let error = with_s3(&server, &["convert", &url, &path(&folder, "o.tfrecord")]).fails(1);
    assert_eq!(
        error,
        format!(
            "error: {url}, byte 158, record 2: the checksum of the record's length (79) does not match, so the length is not \
             to be trusted; the file is damaged here; salvage mode finds the next good record. To keep the records that are \
             whole: copy the file here, then tfxio repair COPY OUT"
        )
    );
}

#[test]
fn an_index_is_not_written_to_a_store() {
    let server = Server::start(&SHARDS);
    let url = format!("s3://bucket/{}", SHARDS[0]);
    let error = with_s3(&server, &["index", &url]).fails(2);
    assert_eq!(
        error,
        format!(
            "error: {url}: an index is written beside its file, and nothing is written to object stores; index the file \
             before it is copied there, and copy the index with it"
        )
    );
}

#[test]
fn urls_of_no_known_store() {
    let url = "hdfs://name/a.tfrecord";
    assert_eq!(
        tfxio(["head", url]).fails(2).split(" (").next().unwrap(),
        format!(
            "error: {url}: no stores of this kind are known; known are s3://, gs://, az://, abfs://, http:// and https://"
        )
    );
}

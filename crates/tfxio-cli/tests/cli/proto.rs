//! Records of any protobuf type.

use crate::run::{json_lines, tfxio};

const RIDES: [&str; 6] = [
    "fixtures/messages/rides.tfrecord",
    "--as",
    "proto",
    "--descriptor",
    "fixtures/messages/rides.proto",
    "--message=rides.Ride",
];

fn run(command: &str, more: &[&str]) -> crate::run::Run {
    tfxio([command].iter().chain(&RIDES).chain(more))
}

#[test]
fn rides_are_shown_and_described() {
    let rows = json_lines(&run("head", &["--format", "json", "-n", "2"]).ok());
    assert_eq!(rows[0]["id"], 1000);
    assert_eq!(rows[0]["stops"][0]["name"], "O'Hare");
    assert_eq!(rows[1]["payment"], "CASH");
    let some = run("head", &["--format", "json", "-n", "1", "--columns", "tip,id"]).ok();
    assert_eq!(some, "{\"tip\": null, \"id\": 1000}\n");
    assert!(run("schema", &[]).ok().contains("payment"));
}

#[test]
fn rides_go_to_parquet_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let name = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (parquet, again) = (name("rides.parquet"), name("again.tfrecord"));
    let said = run("convert", &[&parquet, "--layout", "plain"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let said = tfxio(["convert", &parquet, &again, RIDES[3], RIDES[4], RIDES[5]]);
    assert_eq!(said.code, 0, "{}", said.err);
    let head = |file: &str| {
        let shown = tfxio(["head", file, "-n", "40", "--format", "json"].iter().chain(&RIDES[1..]));
        json_lines(&shown.ok())
    };
    assert_eq!(head(&again), head(RIDES[0]));
}

#[test]
fn what_is_wrong_is_said() {
    let unknown = tfxio(["head"].iter().chain(&RIDES[..5]).chain(&["--message", "Rides"])).fails(2);
    assert!(unknown.contains("there is no message \"Rides\""), "{unknown}");
    let without = tfxio(["head"].iter().chain(&RIDES[..3])).fails(2);
    assert!(without.contains("--descriptor FILE"), "{without}");
}

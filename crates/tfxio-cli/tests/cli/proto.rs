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

/// A field of type `map` is printed as an object of its keys.
#[cfg(unix)]
#[test]
fn what_head_prints_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let again = folder.path().join("again.tfrecord").to_str().unwrap().to_owned();
    let head =
        |file: &str| tfxio(["head", file, "-n", "40", "--format", "json"].iter().chain(&RIDES[1..])).ok();
    let printed = head(RIDES[0]);
    let extras = json_lines(&printed).iter().filter(|row| row["extras"] != serde_json::json!({})).count();
    assert!(extras > 0 && extras < 40, "{extras}");
    let said = crate::run::piped(printed.as_bytes(), &["convert", "-", &again, RIDES[3], RIDES[4], RIDES[5]]);
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    assert_eq!(json_lines(&head(&again)), json_lines(&printed));
}

#[test]
fn what_is_wrong_is_said() {
    let unknown = tfxio(["head"].iter().chain(&RIDES[..5]).chain(&["--message", "Rides"])).fails(2);
    assert!(unknown.contains("there is no message \"Rides\""), "{unknown}");
    let without = tfxio(["head"].iter().chain(&RIDES[..3])).fails(2);
    assert!(without.contains("--descriptor FILE"), "{without}");
}

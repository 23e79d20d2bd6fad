//! Standard input in a program.

use std::io::Write as _;
use std::process::{Command, Stdio};

use tfxio_formats::tfxio_core::{ErrorKind, ScanRequest};
use tfxio_formats::{DatasetExt as _, open};

/// Says to this test that it is the program.
const CHILD: &str = "TFXIO_TEST_OF_STDIN";

/// Runs itself with a file on its standard input.
#[test]
fn a_data_set_of_standard_input() {
    if std::env::var_os(CHILD).is_some() {
        return read();
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/digits/digits-00000-of-00003.tfrecord");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "seam::stdin::a_data_set_of_standard_input", "--nocapture"])
        .env(CHILD, "1")
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&std::fs::read(file).unwrap()).unwrap();
    assert!(child.wait().unwrap().success());
}

fn read() {
    let dataset = open("-").unwrap();
    let labels = || {
        let batches = dataset.read(ScanRequest::new().columns(["label"]).batch_rows(100)).unwrap();
        batches.map(|batch| batch.unwrap().num_rows()).collect::<Vec<_>>()
    };
    // Any number of times, also after others have opened it.
    assert_eq!(labels(), [100, 100, 100, 100, 100, 99]);
    assert_eq!(open("-").unwrap().count().unwrap(), 599);
    assert_eq!(labels(), [100, 100, 100, 100, 100, 99]);
    assert_eq!(dataset.partitions(1000).unwrap().len(), 1);
    let error = dataset.spec().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(
        error.to_string(),
        "a data set of standard input has no description: no other process can read it; write it to a file first, and open \
         that"
    );
    assert_eq!(&*dataset.local_spec().unwrap().files[0], "-");
    let error = open(["-", "-"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "standard input: this input can be read once only, and it is named twice; name it once"
    );
}

//! Names that are URLs, in any build of the command; `cloud` tests the URLs that it reads.

#[cfg(unix)]
use crate::run::path;
use crate::run::tfxio;

#[cfg(unix)]
const SIX: &str = "fixtures/tfrecord/six-records.tfrecord";

#[cfg(unix)]
#[test]
fn an_output_may_be_a_file_url() {
    let folder = tempfile::tempdir().unwrap();
    let output = path(&folder, "o.tfrecord");
    tfxio(["convert", SIX, &format!("file://{output}")]).ok();
    tfxio(["repair", SIX, &format!("file://{output}")]).ok();
    assert!(std::fs::read(&output).unwrap() == std::fs::read(crate::run::root().join(SIX)).unwrap());
}

#[cfg(unix)]
#[test]
fn a_file_url_is_a_path() {
    let root = crate::run::root().canonicalize().unwrap();
    let digits = root.join("fixtures/digits/digits@3.tfrecord");
    let url = format!("file://{}", digits.to_str().unwrap());
    assert_eq!(tfxio(["schema", &url]).ok(), tfxio(["schema", digits.to_str().unwrap()]).ok());
}

#[test]
fn a_file_url_without_its_third_slash() {
    let error = tfxio(["head", "file://data/a.tfrecord"]).fails(2);
    assert_eq!(
        error,
        "error: file://data/a.tfrecord: this file URL names no file here; write three slashes before the path, as in \
         file:///data/train.tfrecord, and % as %25, or give the path itself"
    );
}

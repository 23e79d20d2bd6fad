//! Names that are URLs, whatever the command was built with; `cloud` has those that it reads.

use crate::run::{path, tfxio};

const SIX: &str = "fixtures/tfrecord/six-records.tfrecord";

#[cfg(not(feature = "cloud"))]
#[test]
fn without_the_feature_urls_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let says = "this is a URL, and this build reads local files only; build it with the feature `cloud`, which reads from \
                object stores, or copy the file to a local disk. For this command: cargo install --path crates/tfxio-cli \
                --features cloud";
    let url = "s3://bucket/train-*.tfrecord";
    for args in [
        &["head", url][..],
        &["inspect", url],
        &["schema", url],
        &["index", url],
        &["convert", url, &path(&folder, "o.parquet")],
    ] {
        assert_eq!(tfxio(args).fails(2), format!("error: {url}: {says}"));
    }
}

#[cfg(not(feature = "cloud"))]
#[test]
fn without_the_feature_nothing_is_written_to_a_url() {
    let error = tfxio(["convert", SIX, "gs://b/o.tfrecord"]).fails(2);
    assert_eq!(
        error,
        "error: gs://b/o.tfrecord: the output is a URL, and this build writes local files only; build it with the feature \
         `cloud`, which writes to object stores, or write to a local disk and copy the file to the store. For this command: \
         cargo install --path crates/tfxio-cli --features cloud"
    );
}

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

//! Reading whole data sets.

use tfxio_formats::tfxio_core::{Dataset, Scan as _, ScanRequest};
use tfxio_formats::{DatasetExt as _, open};

use crate::seam::test_files::{FileLayout, open as open_raw, write};

fn digits() -> std::sync::Arc<dyn Dataset> {
    open(format!("{}/../../fixtures/digits/digits@3.tfrecord", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn rows(request: ScanRequest) -> usize {
    digits().read(request).unwrap().map(|batch| batch.unwrap().num_rows()).sum()
}

#[test]
fn limits_count_rows_after_the_filter() {
    assert_eq!(rows(ScanRequest::new()), 1797);
    assert_eq!(rows(ScanRequest::new().limit(700).batch_rows(64)), 700);
    assert_eq!(rows(ScanRequest::new().limit(0)), 0);
    let sevens = || ScanRequest::new().filter("label = 7".parse().unwrap());
    let all = rows(sevens());
    assert!((100..300).contains(&all), "{all}");
    assert_eq!(rows(sevens().limit(150).threads(2)), 150);
    assert_eq!(rows(sevens().columns([""; 0])), all);
    assert_eq!(rows(ScanRequest::new().filter("not label = 7".parse().unwrap())), 1797 - all);
}

#[test]
fn columns_that_only_the_filter_reads_do_not_go_on() {
    let request = ScanRequest::new().columns(["id"]).filter("label = 7 and image > 0".parse().unwrap());
    let batches = digits().read(request).unwrap();
    for batch in batches {
        let batch = batch.unwrap();
        assert_eq!(batch.num_columns(), 1);
        assert_eq!(batch.schema().field(0).name(), "id");
    }
    let error =
        digits().read(ScanRequest::new().filter("lable = 7".parse().unwrap())).unwrap_err().to_string();
    assert!(error.contains("did you mean \"label\"?"), "{error}");
}

#[test]
fn a_limit_of_no_rows_keeps_the_columns_that_are_asked_for() {
    let none = || ScanRequest::new().limit(0);
    let batches = digits().read(none().columns(["id"])).unwrap();
    assert_eq!(batches.schema().fields().len(), 1);
    assert_eq!(batches.count(), 0);
    let filtered = none().columns(["id"]).filter("label = 7".parse().unwrap());
    assert_eq!(digits().read(filtered).unwrap().schema().fields().len(), 1);
    let error = digits().read(none().columns(["di"])).unwrap_err().to_string();
    assert!(error.contains("there is no column \"di\""), "{error}");
}

#[test]
fn rows_are_counted_however_files_lie() {
    let folder = tempfile::tempdir().unwrap();
    for layout in FileLayout::ALL {
        let files =
            [0, 1, 300].map(|records| write(folder.path(), &format!("{layout:?}{records}"), layout, records));
        assert_eq!(open_raw(&files).count().unwrap(), 301, "{layout:?}");
    }
    assert_eq!(digits().count().unwrap(), 1797);
    assert_eq!(digits().schema().fields().len(), 3);
}

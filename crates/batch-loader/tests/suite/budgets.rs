//! Budgets of tokens that a program gives, and tensors of more than one dimension in packed rows.

use std::path::Path;

use batch_loader::config::{LoaderConfig, MaxTokens, Pack};
use batch_loader::{Kind, LoaderBuilder};
use tfrecord_io::Compression;
use tfxio_core::Limits;

use crate::data;

fn builder(dir: &Path, change: impl FnOnce(LoaderConfig) -> LoaderConfig) -> LoaderBuilder {
    let more = r#""target_batch_size": 4, "drop_remainder": false, "epochs": 1"#;
    data::builder(change(data::config("independent", dir, "v", more)), "v")
}

/// Values that JSON refuses with their position are refused from a program as well.
#[test]
fn budgets_that_hold_nothing_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![3]], Compression::None);
    let refused = |budget: MaxTokens| {
        let error = builder(dir.path(), |config| config.max_tokens(budget)).check().unwrap_err();
        assert_eq!(error.detail(), Some(&Kind::InvalidValue));
        error.to_string()
    };
    assert_eq!(
        refused(MaxTokens::new(0)),
        "`max_tokens.tokens`: 0 tokens hold nothing; give a number from 1"
    );
    assert_eq!(
        refused(MaxTokens::new(9).max_examples(0)),
        "`max_tokens.max_examples`: batches of 0 examples hold nothing; give a number from 1"
    );
    let refused = builder(dir.path(), |config| config.pack(Pack::new(0))).check().unwrap_err().to_string();
    assert_eq!(refused, "`pack`: 0 tokens hold nothing; give a number from 1");
}

/// A budget that no data set fills makes one batch, which the limit of a batch bounds.
#[test]
fn a_huge_budget_is_bounded_by_the_limits() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![100], vec![1; 199]], Compression::None);
    let huge = || builder(dir.path(), |config| config.max_tokens(MaxTokens::new(usize::MAX)));
    let shapes = data::rest(&mut huge().build().unwrap(), "v").into_iter().map(|(shape, _)| shape);
    assert_eq!(shapes.collect::<Vec<_>>(), [[200, 100]]);
    let limits = Limits::default().batch_bytes(159_999);
    let error = huge().limits(limits).build().unwrap().next_batch().unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::LimitExceeded));
    assert_eq!(
        error.to_string(),
        "tensor \"v\": the tensor of shape [200, 100] takes 160000 bytes; the limit for a batch is 159999 bytes; \
         take smaller batches, shorter windows or a smaller pad shape, or raise the limit"
    );
}

#[test]
fn steps_of_several_values_are_packed_whole() {
    let dir = tempfile::tempdir().unwrap();
    let manifest = r#"{"compression": null, "allow_var_len": true, "features": [
        {"name": "v", "dtype": "int64", "shape": [2], "var_len": true, "deserialize_type": "int"}]}"#;
    std::fs::write(dir.path().join("__manifest__.json"), manifest).unwrap();
    let records = [vec![[1, 2], [3, 4], [5, 6]], vec![[7, 8]], vec![[9, 10], [11, 12]]];
    let records = records.map(|steps| data::sequence_of(steps.into_iter().map(Vec::from)));
    data::write(dir.path(), "0.tfrecord", Compression::None, records);
    let load = |pack: Pack| {
        let mut loader = builder(dir.path(), |config| config.pack(pack)).build().unwrap();
        let batch = loader.next_batch().unwrap().unwrap();
        assert!(loader.next_batch().unwrap().is_none());
        let ids = |name: &str| {
            let tensor = batch.get(name).unwrap();
            (tensor.shape().to_vec(), tensor.values().as_slice::<i32>().unwrap().to_vec())
        };
        (data::values(&batch, "v"), ids("segment_ids"), ids("positions"))
    };
    assert_eq!(
        load(Pack::new(4)),
        (
            (vec![2, 4, 2], vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 0, 0]),
            (vec![2, 4], vec![1, 1, 1, 2, 1, 1, 0, 0]),
            (vec![2, 4], vec![0, 1, 2, 0, 0, 1, 0, 0]),
        )
    );
    assert_eq!(
        load(Pack::new(5).split(true)),
        (
            (vec![2, 5, 2], vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 0, 0, 0, 0, 0, 0]),
            (vec![2, 5], vec![1, 1, 1, 2, 3, 1, 0, 0, 0, 0]),
            (vec![2, 5], vec![0, 1, 2, 0, 0, 1, 0, 0, 0, 0]),
        )
    );
}

/// All rows of all batches are written anew, whatever the memory held that a batch before has given back.
#[test]
fn memory_that_comes_back_is_written_anew() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(
        dir.path(),
        &[vec![7, 1, 8, 2, 3, 3, 8, 1, 6, 2, 5, 4, 1, 1, 1, 8, 8]],
        Compression::None,
    );
    let load = |rows: usize, keep: bool| {
        let builder = builder(dir.path(), |mut config| {
            config.target_batch_size = rows;
            config.pack(Pack::new(8).open_rows(2))
        });
        let (mut kept, mut all) = (Vec::new(), Vec::new());
        for batch in builder.threads(1).build().unwrap() {
            let batch = batch.unwrap();
            for name in ["segment_ids", "positions"] {
                all.extend_from_slice(batch.get(name).unwrap().values().as_slice::<i32>().unwrap());
            }
            all.push(i32::MIN);
            kept.extend(keep.then_some(batch));
        }
        all
    };
    for rows in 1..5 {
        assert_eq!(load(rows, true), load(rows, false), "{rows} rows a batch");
    }
}

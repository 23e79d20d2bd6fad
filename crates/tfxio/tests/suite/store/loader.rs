//! Batches of training data from objects.
#![cfg(feature = "loader")]

use std::error::Error as _;
use std::sync::Arc;

use tfxio::FileStore;
use tfxio::batch_loader::config::LoaderConfig;
use tfxio::batch_loader::{Batch, Kind, LoaderBuilder};

use crate::store::flaky::Flaky;
use crate::store::{digits, fixture, stores};

/// The digits of a folder of the fixtures, listed under this prefix.
fn builder(folder: &tempfile::TempDir, fixtures: &str, prefix: &str) -> LoaderBuilder {
    let list: String = digits(fixtures).iter().map(|(name, _)| format!("{prefix}{name}\n")).collect();
    std::fs::write(folder.path().join("files.txt"), list).unwrap();
    let manifest = fixture(&format!("{fixtures}/__manifest__.json"));
    std::fs::copy(manifest, folder.path().join("manifest.json")).unwrap();
    let text = std::fs::read_to_string(fixture("loader/digits.json")).unwrap();
    let (from, to) = (
        r#"{"type": "dir", "args": {"data_dir": "../digits"}}"#,
        r#"{"type": "list", "args": {"manifest_file": "manifest.json", "list_file": "files.txt"}}"#,
    );
    assert!(text.contains(from));
    let config = LoaderConfig::from_json(&text.replace(from, to)).unwrap();
    let names = config.tensor_names();
    tfxio::loader(config).inputs(names).base_dir(folder.path()).seed(7)
}

fn batches(builder: LoaderBuilder) -> Vec<Batch> {
    builder.build().unwrap().map(Result::unwrap).collect()
}

/// Whether batches hold the same rows of the same records. Files have other names in a store.
fn same(left: &[Batch], right: &[Batch]) -> bool {
    let origins = |batch: &Batch| {
        let file = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
        batch.origins().map(|origin| (file(origin.file), origin.record)).collect::<Vec<_>>()
    };
    let mut pairs = left.iter().zip(right);
    left.len() == right.len()
        && pairs.all(|(left, right)| {
            left.inputs().eq(right.inputs())
                && left.targets().eq(right.targets())
                && origins(left) == origins(right)
        })
}

#[test]
fn the_same_batches_as_from_files() {
    for fixtures in ["digits", "digits-gzip"] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("data")).unwrap();
        for (name, bytes) in digits(fixtures) {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        let local = batches(builder(&folder, fixtures, ""));
        assert_eq!(local.iter().map(Batch::len).sum::<usize>(), 1797);
        let files = Arc::new(FileStore::new(stores(Flaky::new(digits(fixtures)))));
        let stored = batches(builder(&folder, fixtures, "memory://here/").store(files.clone()));
        assert!(same(&stored, &local), "{fixtures}");
        // Paths stay paths.
        assert!(batches(builder(&folder, fixtures, "").store(files)) == local, "{fixtures}");
    }
}

#[test]
fn an_object_that_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let files = Arc::new(FileStore::new(stores(Flaky::new([]))));
    let builder = builder(&folder, "digits", "memory://here/").store(files);
    let error = builder.build().and_then(|mut loader| loader.next_batch()).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::NotFound));
    assert!(error.to_string().contains("memory://here/data/digits-0000"), "{error}");
    assert!(error.source().is_some());
}

//! Objects are found by patterns, through listings that fail or are out of order.

use std::sync::atomic::Ordering::SeqCst;

use object_store::ObjectStoreExt;
use object_store::memory::InMemory;
use object_store::path::Path;
use tfrecord_io::Kind;
use tfrecord_io::store::{Listing, Retry, expand};

use crate::store::flaky::Flaky;
use crate::store::objects::quick;

#[tokio::test]
async fn patterns_over_a_store() {
    let store = InMemory::new();
    for name in
        ["a/t-00000-of-00002", "a/t-00001-of-00002", "a/u.tfrecord", "a/b/v.tfrecord", "w-00000-of-00002"]
    {
        store.put(&Path::from(name), vec![1, 2, 3].into()).await.unwrap();
    }
    let names = async |pattern: &str| {
        let found = expand(&store, pattern, Retry::default(), Listing::Any).await;
        found
            .map(|found| found.iter().map(|meta| meta.location.to_string()).collect::<Vec<_>>())
            .map_err(|e| e.detail::<Kind>().copied())
    };
    let set = vec!["a/t-00000-of-00002".to_string(), "a/t-00001-of-00002".into()];
    for pattern in ["a/t@2", "a/t@*", "a/t-?????-of-00002", "a/t-*", "*/t-*"] {
        assert_eq!(names(pattern).await, Ok(set.clone()), "{pattern}");
    }
    assert_eq!(names("a/*.tfrecord").await, Ok(vec!["a/u.tfrecord".into()]));
    assert_eq!(names("a/**/*.tfrecord").await, Ok(vec!["a/b/v.tfrecord".into(), "a/u.tfrecord".into()]));
    assert_eq!(names("a/u.tfrecord").await, Ok(vec!["a/u.tfrecord".into()]));
    assert_eq!(names("w@2").await, Err(Some(Kind::MissingShard)));
    assert_eq!(names("w@*").await, Err(Some(Kind::MissingShard)));
    assert_eq!(names("none").await, Err(None));
    assert_eq!(names("none*").await, Err(Some(Kind::NoFilesMatched)));
    assert_eq!(names("a[").await, Err(Some(Kind::ShardPattern)));
}

#[tokio::test]
async fn looking_for_objects_is_tried_again() {
    let store = Flaky::default();
    store.inner.put(&Path::from("a-00000-of-00001"), vec![].into()).await.unwrap();
    for pattern in ["a-00000-of-00001", "a@1", "*"] {
        store.failures.store(3, SeqCst);
        let found = expand(&store, pattern, quick(), Listing::Any).await.unwrap();
        assert_eq!(found.len(), 1, "{pattern}");
    }
    store.failures.store(100, SeqCst);
    let error = expand(&store, "a//*", quick(), Listing::Any).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "a//*: listing the store failed: the store refused or broke off; it went on failing after 8 retries; try again later"
    );
}

#[tokio::test]
async fn listings_that_never_end_are_an_error() {
    for names in [&["a"][..], &["a", "b"], &["a", "b", "c", "d", "e", "f", "g"]] {
        for listing in [Listing::Any, Listing::Sorted] {
            let store = Flaky { goes_round: true, ..Flaky::default() };
            for name in names {
                store.inner.put(&Path::from(*name), vec![].into()).await.unwrap();
            }
            for pattern in ["*", "none*"] {
                let error = expand(&store, pattern, quick(), listing).await.unwrap_err();
                let text = error.to_string();
                let is_listed = |name: &&&str| {
                    let what = format!(
                        "{pattern}: the store lists the object {name} again and again; name each file by its URL"
                    );
                    text == what
                };
                assert!(names.iter().any(|name| is_listed(&name)), "{text}");
            }
        }
    }
    let store = Flaky { hangs: i64::MAX.into(), ..Flaky::default() };
    let retry = quick().patience(std::time::Duration::from_millis(20));
    let error = expand(&store, "a//*", retry, Listing::Any).await.unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("a//*: listing the store failed: no byte came for 0.02 seconds"), "{text}");
}

#[tokio::test]
async fn listings_out_of_order_lose_nothing_and_end() {
    for (listed, failures) in [(0, 3), (1, 1), (2, 1), (3, 2), (4, 8)] {
        let store = Flaky { is_unordered: true, listed, ..Flaky::default() };
        for name in ["a", "b", "c", "d"] {
            store.inner.put(&Path::from(name), vec![].into()).await.unwrap();
        }
        store.list_failures.store(failures, SeqCst);
        let found = expand(&store, "*", quick(), Listing::Any).await.unwrap();
        let found: Vec<_> = found.iter().map(|meta| meta.location.as_ref()).collect();
        assert_eq!(found, ["a", "b", "c", "d"], "{listed}, {failures}");
        store.list_failures.store(100, SeqCst);
        let error = expand(&store, "*", quick(), Listing::Any).await.unwrap_err();
        assert!(error.to_string().contains("it went on failing after 8 retries"), "{error}");
    }
}

#[tokio::test]
async fn a_long_listing_goes_on_where_it_was() {
    let store = Flaky { listed: 1500, list_failures: 1.into(), ..Flaky::default() };
    for number in 0..4000 {
        store.inner.put(&Path::from(format!("{number:04}")), vec![].into()).await.unwrap();
    }
    for listing in [Listing::Sorted, Listing::Any] {
        store.list_failures.store(1, SeqCst);
        store.objects_listed.store(0, SeqCst);
        let found = expand(&store, "*", quick().max_retries(1), listing).await.unwrap();
        assert!(found.iter().map(|meta| meta.location.to_string()).eq((0..4000).map(|n| format!("{n:04}"))));
        let listed = if listing == Listing::Sorted { 4000 } else { 1500 + 4000 };
        assert_eq!(store.objects_listed.load(SeqCst), listed, "{listing:?}");
    }
}

#[tokio::test]
async fn a_listing_that_has_looked_sorted_before_it_failed_loses_nothing() {
    let store = Flaky { listed: 1000, list_failures: 1.into(), is_rotated: true, ..Flaky::default() };
    for number in 0..2000 {
        store.inner.put(&Path::from(format!("{number:04}")), vec![].into()).await.unwrap();
    }
    // 1,000 names in order, then a failure; lower ones would have come after them.
    let found = expand(&store, "*", quick(), Listing::Any).await.unwrap();
    assert!(found.iter().map(|meta| meta.location.to_string()).eq((0..2000).map(|n| format!("{n:04}"))));
}

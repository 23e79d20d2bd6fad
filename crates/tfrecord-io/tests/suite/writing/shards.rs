//! Sets of shards.

use std::fs;
use std::path::Path;

use tfrecord_io::{ErrorKind, Kind, Sharding, Writer, WriterBuilder, shards};

use crate::writing::contents::{names, payloads};

#[test]
fn shards_in_turn() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("train@3.tfrecord").to_str().unwrap().to_string();
    let mut writer = Writer::builder(&name).create_sharded(Sharding::RoundRobin).unwrap();
    for i in 0..8u8 {
        writer.write(&[i]).unwrap();
    }
    assert_eq!(writer.records_written(), 8);
    let paths = writer.finish().unwrap();
    assert_eq!(
        names(folder.path()),
        ["train-00000-of-00003.tfrecord", "train-00001-of-00003.tfrecord", "train-00002-of-00003.tfrecord"]
    );
    assert_eq!(shards::expand(&name).unwrap(), paths);
    assert_eq!(payloads(&paths[1]), [[1], [4], [7]]);
}

#[test]
fn shards_by_size_keep_the_order() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().join("part@*").to_str().unwrap().to_string();
    let mut writer = Writer::builder(&name).create_sharded(Sharding::BySize(60)).unwrap();
    for i in 0..7u8 {
        writer.write(&[i; 4]).unwrap(); // 20 bytes each, so 3 to a shard
    }
    assert!(names(folder.path()).iter().all(|name| name.ends_with(".tmp")));
    let paths = writer.finish().unwrap();
    assert_eq!(names(folder.path()), ["part-00000-of-00003", "part-00001-of-00003", "part-00002-of-00003"]);
    assert_eq!(shards::expand(&name).unwrap(), paths);
    let all: Vec<_> = paths.iter().flat_map(|path| payloads(path)).collect();
    assert_eq!(all, (0..7u8).map(|i| vec![i; 4]).collect::<Vec<_>>());
}

#[test]
fn dropped_shards_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for (name, sharding) in [("a@3", Sharding::RoundRobin), ("b@*", Sharding::BySize(10))] {
        let name = folder.path().join(name).to_str().unwrap().to_string();
        let mut writer = Writer::builder(&name).create_sharded(sharding).unwrap();
        for _ in 0..10 {
            writer.write(b"payload").unwrap();
        }
        drop(writer);
        assert!(names(folder.path()).is_empty());
    }
}

#[test]
fn a_set_that_cannot_be_whole_is_not_begun() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a-00002-of-00003"), b"precious").unwrap();
    let name = folder.path().join("a@3").to_str().unwrap().to_string();
    let builder = WriterBuilder::default().overwrite(false);
    assert_eq!(
        builder.target(&name).create_sharded(Sharding::RoundRobin).unwrap_err().kind(),
        ErrorKind::AlreadyExists
    );
    assert_eq!(names(folder.path()), ["a-00002-of-00003"]);

    let name = folder.path().join("a@*").to_str().unwrap().to_string();
    let mut writer = builder.target(&name).create_sharded(Sharding::BySize(1)).unwrap();
    for _ in 0..3 {
        writer.write(b"x").unwrap();
    }
    assert_eq!(writer.finish().unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert_eq!(names(folder.path()), ["a-00002-of-00003"]);
    for (name, sharding) in [
        ("a@3", Sharding::BySize(5)),
        ("a@*", Sharding::RoundRobin),
        ("a", Sharding::RoundRobin),
        ("a@*", Sharding::BySize(0)),
    ] {
        let error = builder.target(name).create_sharded(sharding).unwrap_err();
        assert_eq!(error.detail(), Some(&Kind::ShardPattern), "{name}");
    }
}

#[test]
fn empty_sets_and_files_are_valid() {
    let folder = tempfile::tempdir().unwrap();
    for (name, sharding) in [("a@2", Sharding::RoundRobin), ("b@*", Sharding::BySize(10))] {
        let name = folder.path().join(name).to_str().unwrap().to_string();
        let paths = Writer::builder(&name).create_sharded(sharding).unwrap().finish().unwrap();
        for path in paths {
            assert!(payloads(&path).is_empty());
        }
    }
}

#[test]
fn records_are_dealt_out_to_shards_by_index() {
    use tfrecord_io::shards::ShardSet;

    let folder = tempfile::tempdir().unwrap();
    let create = |name: &str, sharding| {
        let open = |path: &Path, overwrite| Writer::builder(path).overwrite(overwrite).create();
        ShardSet::create(folder.path().join(name).to_str().unwrap(), sharding, true, open).unwrap()
    };
    let mut turns = create("turns@3", Sharding::RoundRobin);
    assert_eq!((turns.sharding(), turns.count()), (Sharding::RoundRobin, 3));
    for index in [2, 0, 2] {
        turns.write_to(index, |shard| shard.write(&[index as u8])).unwrap();
    }
    let error = turns.write_to(3, |_| Ok(())).unwrap_err().to_string();
    assert_eq!(
        error,
        "shard 3 cannot be written to: there are 3 shards; write to the last shard, or to one of all"
    );
    let files = turns.finish().unwrap();
    let counts = files.iter().map(|(path, _)| payloads(path).len()).collect::<Vec<_>>();
    assert_eq!(counts, [1, 0, 2]);

    let mut sized = create("sized@*", Sharding::BySize(1));
    for index in [0, 2] {
        sized.write_to(index, |shard| shard.write(b"x")).unwrap();
    }
    // An earlier one is closed.
    assert_eq!(sized.write_to(1, |_| Ok(())).unwrap_err().detail::<Kind>(), Some(&Kind::ShardPattern));
    let files = sized.finish().unwrap();
    assert_eq!(files.iter().map(|(path, _)| payloads(path).len()).collect::<Vec<_>>(), [1, 0, 1]);
}

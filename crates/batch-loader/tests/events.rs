//! Events that are reported through `tracing`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

#[path = "suite/data.rs"]
mod data;

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use batch_loader::config::OnError;
use tfrecord_io::Compression;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Keeps the events as lines.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<(Level, String)>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.0, "{}={value:?} ", field.name()).unwrap();
    }
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("batch_loader")
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        self.0.lock().unwrap().push((*event.metadata().level(), line.0));
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn a_loader_tells_what_it_opens_leaves_out_and_does_not_find() {
    let lines = Lines::default();
    tracing::subscriber::set_global_default(lines.clone()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[2], Compression::None);
    data::write(dir.path(), "001.tfrecord", Compression::None, [b"\xff".to_vec(), data::example(5)]);
    let more = r#""target_batch_size": 1, "drop_remainder": false, "epochs": 2"#;
    let mut config = data::config("independent", dir.path(), "id", more);
    config.on_error = OnError::Skip(tfxio_core::SkipBudget::default());
    let mut loader = data::builder(config, "id").seed(3).build().unwrap();
    assert_eq!(data::rest(&mut loader, "id").len(), 6);
    drop(loader);
    let take = || std::mem::take(&mut *lines.0.lock().unwrap());
    let all = take();
    let told = |level: Level, part: &str| {
        all.iter().filter(|(of, line)| *of == level && line.contains(part)).count()
    };
    assert_eq!(told(Level::INFO, "message=loading seed=3 files=2 restored=false"), 1, "{all:?}");
    assert_eq!(told(Level::DEBUG, "001.tfrecord\""), 2, "{all:?}");
    assert_eq!(told(Level::DEBUG, "message=end of an epoch epoch=0 examples=3"), 1, "{all:?}");
    assert_eq!(told(Level::WARN, "left out records that are damaged"), 2, "{all:?}");

    let folder = tempfile::tempdir().unwrap();
    data::sequences(folder.path(), &[vec![1, 2]], Compression::None);
    let more =
        r#""target_batch_size": 1, "drop_remainder": false, "epochs": 3, "min_window": 9, "max_window": 9"#;
    let config = data::config("continuous_sequence", folder.path(), "v", more);
    let mut loader = data::builder(config, "v").build().unwrap();
    assert_eq!(data::rest(&mut loader, "v").len(), 0);
    let warned = "message=no example came of the whole data set epoch=0 leftover=3";
    assert!(take().iter().any(|(level, line)| *level == Level::WARN && line.contains(warned)));
}

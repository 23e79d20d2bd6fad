//! Statements on two workers, one of which may be killed.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use tfxio_sql::datafusion::arrow::array::RecordBatch;
use tfxio_sql::datafusion::arrow::util::pretty::pretty_format_batches;
use tfxio_sql::datafusion::prelude::{SessionConfig, SessionContext};
use tfxio_sql::{FileTables, SessionContextExt as _};
use tfxio_sql_cluster::coordinator::{self, Workers};
use tfxio_sql_cluster::worker::EXIT_AT;
use url::Url;

/// Files of 599 records.
const FILES: usize = 12;

/// A worker, which is ended when this is dropped.
struct Process {
    child: Child,
    url: Url,
    lines: Receiver<String>,
}

impl Process {
    fn start(exit_at: Option<u64>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tfxio-sql-cluster"));
        command.arg("worker").stdout(Stdio::piped()).env_remove(EXIT_AT);
        command.envs(exit_at.map(|batch| (EXIT_AT, batch.to_string())));
        let mut child = command.spawn().expect("the worker starts");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let url = lines.recv_timeout(Duration::from_secs(60)).expect("the URL of the worker");
        Self { child, url: Url::parse(&url).expect("a URL"), lines }
    }

    /// Returns the rows that the worker reports to have read. It reports them when a partition ends, which may be after
    /// the answer.
    fn rows(&self, partitions: usize) -> usize {
        let mut rows = 0;
        for _ in 0..partitions {
            let line = self.lines.recv_timeout(Duration::from_secs(60)).expect("a line of the worker");
            let said = line.strip_prefix("partition ").and_then(|line| line.split_once(": "));
            let said = said.and_then(|(_, rows)| rows.strip_suffix(" rows"));
            rows += said.unwrap_or_else(|| panic!("{line}")).parse::<usize>().expect("a number");
        }
        rows
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn fixture(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../fixtures").join(name).display().to_string()
}

/// A folder with each file of the digits four times. A scan gives a batch of each at least: six to a worker.
fn digits() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for file in 0..FILES {
        let from = fixture(&format!("digits/digits-0000{}-of-00003.tfrecord", file % 3));
        let name = format!("digits-{file:05}-of-{FILES:05}.tfrecord");
        std::fs::copy(from, folder.path().join(name)).expect("a copy");
    }
    folder
}

fn statement(folder: &tempfile::TempDir) -> String {
    let digits = folder.path().join("digits-*.tfrecord").display().to_string();
    format!(
        "select label, count(*) as n, min(bucket(id, 1000)) as least from '{digits}' group by label order by label"
    )
}

fn config() -> SessionConfig {
    SessionConfig::new().with_target_partitions(4)
}

fn cluster(processes: &[&Process]) -> (Workers, SessionContext) {
    let workers = Workers::new(processes.iter().map(|process| process.url.clone()).collect());
    let context = coordinator::session(&workers, config()).expect("a session");
    (workers, context)
}

fn text(batches: &[RecordBatch]) -> String {
    pretty_format_batches(batches).expect("a table").to_string()
}

/// Returns the answer of a single process.
async fn expected(statement: &str) -> String {
    let context = SessionContext::new_with_config(config());
    context.register_functions();
    context.enable_files(FileTables::new());
    let frame = context.sql(statement).await.expect("a statement");
    let text = text(&frame.collect().await.expect("an answer"));
    assert!(text.contains("| 7     | 716 |"), "{text}");
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn both_workers_read() {
    let folder = digits();
    let statement = statement(&folder);
    let (first, second) = (Process::start(None), Process::start(None));
    let (workers, context) = cluster(&[&first, &second]);
    let batches = coordinator::run(&context, &workers, &statement, 0).await.expect("an answer");
    assert_eq!(text(&batches), expected(&statement).await);
    // A task each, of two partitions.
    let (first, second) = (first.rows(2), second.rows(2));
    assert_eq!(first + second, FILES * 599);
    assert!(first > 0 && second > 0, "{first} and {second}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_is_right_when_a_worker_is_lost_in_the_middle() {
    let folder = digits();
    let statement = statement(&folder);
    let (first, mut second) = (Process::start(None), Process::start(Some(5)));
    let (workers, context) = cluster(&[&first, &second]);
    let batches = coordinator::run(&context, &workers, &statement, 1).await.expect("an answer");
    assert_eq!(text(&batches), expected(&statement).await);
    assert_eq!(second.child.wait().expect("its end").code(), Some(3));
    assert_eq!(workers.urls(), [first.url.clone()]);
    // More than half: the worker that is left has read what the other should have.
    let mut rows = 0;
    while rows < FILES * 599 {
        rows += first.rows(1);
    }
    assert!(second.lines.iter().any(|line| line == "exits at batch 5"));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_retry_the_lost_worker_is_named() {
    let folder = digits();
    let statement = statement(&folder);
    let (first, second) = (Process::start(None), Process::start(Some(5)));
    let (workers, context) = cluster(&[&first, &second]);
    let error = coordinator::run(&context, &workers, &statement, 0).await.expect_err("a worker is lost");
    assert!(error.to_string().contains(&format!("worker {}", second.url)), "{error}");
    // With nobody left, a retry does not help.
    drop((first, second));
    let error = coordinator::run(&context, &workers, &statement, 5).await.expect_err("all are lost");
    assert!(error.to_string().contains("worker http://127.0.0.1:"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_of_the_data_is_not_tried_again() {
    let (first, second) = (Process::start(None), Process::start(None));
    let (workers, context) = cluster(&[&first, &second]);
    let folder = digits();
    let dataset = tfxio_formats::open(&folder.path().join("digits@12.tfrecord")).expect("a data set");
    context.register_tfxio("t", dataset).expect("a table");
    // The coordinator has read it; the worker finds it damaged.
    let damaged = folder.path().join("digits-00001-of-00012.tfrecord");
    let mut bytes = std::fs::read(&damaged).expect("a file");
    bytes[332 * 300 + 20] ^= 1;
    std::fs::write(&damaged, bytes).expect("a file");
    let statement = "select label, count(*) from t group by label";
    let error = coordinator::run(&context, &workers, statement, 5).await.expect_err("a record is damaged");
    let error = error.to_string();
    assert!(error.contains("worker http://127.0.0.1:"), "{error}");
    assert!(error.contains("digits-00001-of-00012.tfrecord"), "{error}");
    assert!(error.contains("record 300"), "{error}");
    assert_eq!(workers.urls().len(), 2);
}

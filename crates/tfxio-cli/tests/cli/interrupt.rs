//! Ctrl-C while a store keeps the command waiting.

use std::io::Read as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use s3_bed::{Fault, Proxy};

use crate::outputs::command_that_hears;
use crate::run::{names, path};
use crate::server::Server;

const DIGITS: &str = "digits/digits-00000-of-00003.tfrecord";

#[test]
fn an_interrupt_ends_the_wait_for_a_body() {
    let server = Server::start(&[DIGITS, "avro/people.avro"]);
    let proxy = Proxy::start(server.url().trim_end_matches('/'));
    let folder = tempfile::tempdir().unwrap();
    let (gzip, parquet) = (path(&folder, "a.tfrecord.gz"), path(&folder, "a.parquet"));
    for (args, file) in [
        (&["head"][..], DIGITS),
        (&["head"], "avro/people.avro"),
        (&["inspect"], DIGITS),
        (&["convert", "--threads", "2"], DIGITS),
        (&["convert", "--threads", "1", "--as", "raw"], DIGITS),
    ] {
        for after in [0, 50] {
            let (stalls, stalled) = mpsc::channel();
            proxy.set_rule(move |request| {
                if request.method != "GET" {
                    return Fault::None;
                }
                // Nobody may listen any more.
                let _ = stalls.send(());
                Fault::Stall(after)
            });
            let mut command = command_that_hears();
            command.args(args).arg(format!("{}/{file}", proxy.url())).env("NO_PROXY", "127.0.0.1");
            if args[0] == "convert" {
                command.arg(if args.contains(&"raw") { &gzip } else { &parquet });
            }
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
            stalled.recv().unwrap();
            assert!(child.try_wait().unwrap().is_none(), "{args:?}");
            let id = child.id().to_string();
            assert!(Command::new("kill").args(["-s", "INT", &id]).status().unwrap().success());
            let deadline = Instant::now() + Duration::from_secs(60);
            let status = loop {
                if let Some(status) = child.try_wait().unwrap() {
                    break status;
                }
                assert!(Instant::now() < deadline, "{args:?} goes on");
                std::thread::yield_now();
            };
            // Shells say 130.
            assert_eq!(status.signal(), Some(2), "{args:?}");
            let mut said = String::new();
            child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
            assert_eq!(said, "error: interrupted\n", "{args:?}");
            assert_eq!(names(&folder), [""; 0], "{args:?}");
        }
    }
}

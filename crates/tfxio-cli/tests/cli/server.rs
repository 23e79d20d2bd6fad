//! A server on this machine that speaks as much of HTTP and of S3's protocol as reading needs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::thread;

use crate::run::root;

/// Serves files of the fixtures until the test program ends.
pub struct Server {
    port: u16,
    requests: Arc<AtomicU64>,
}

type Objects = BTreeMap<String, Vec<u8>>;

impl Server {
    /// A server whose bucket `bucket` has these files under their paths in the fixtures.
    pub fn start(files: &[&str]) -> Self {
        Self::serving(files, true)
    }

    /// The same, but every request for a range is answered with all of the object.
    pub fn without_ranges(files: &[&str]) -> Self {
        Self::serving(files, false)
    }

    fn serving(files: &[&str], ranges: bool) -> Self {
        let read =
            |file: &&str| ((*file).to_owned(), std::fs::read(root().join("fixtures").join(file)).unwrap());
        let objects: Arc<Objects> = Arc::new(files.iter().map(read).collect());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (objects, counted) = (Arc::clone(&objects), Arc::clone(&counted));
                thread::spawn(move || serve(&stream.unwrap(), &objects, ranges, &counted));
            }
        });
        Self { port, requests }
    }

    /// Number of requests that were answered.
    pub fn requests(&self) -> u64 {
        self.requests.load(SeqCst)
    }

    /// Its root, with a slash at the end.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    /// Variables of the environment that make it S3.
    pub fn as_s3(&self) -> [(&'static str, String); 4] {
        [
            ("AWS_ENDPOINT", format!("http://127.0.0.1:{}", self.port)),
            ("AWS_ALLOW_HTTP", "true".into()),
            ("AWS_SKIP_SIGNATURE", "true".into()),
            ("NO_PROXY", "127.0.0.1".into()),
        ]
    }
}

/// Answers the requests of a connection, until it is closed or a request is said to be the last.
fn serve(stream: &TcpStream, objects: &Objects, ranges: bool, requests: &AtomicU64) {
    let mut lines = BufReader::new(stream).lines();
    while let Some(Ok(request)) = lines.next() {
        let (mut range, mut is_last) = (None, false);
        for header in lines.by_ref().map_while(Result::ok).take_while(|line| !line.is_empty()) {
            let header = header.to_ascii_lowercase();
            is_last |= header == "connection: close";
            if let Some(bytes) = header.strip_prefix("range: bytes=").filter(|_| ranges) {
                let (start, end) = bytes.split_once('-').unwrap();
                range = Some((start.parse().unwrap(), end.parse::<usize>().unwrap() + 1));
            }
        }
        let mut words = request.split(' ');
        let (method, target) = (words.next().unwrap(), words.next().unwrap());
        let mut out = Vec::new();
        requests.fetch_add(1, SeqCst);
        answer(&mut out, method, target, range, objects);
        if (&*stream).write_all(&out).is_err() || is_last {
            return;
        }
    }
}

fn answer(out: &mut Vec<u8>, method: &str, target: &str, range: Option<(usize, usize)>, objects: &Objects) {
    if !["GET", "HEAD"].contains(&method) {
        return respond(out, "501 Not Implemented", "", b"", true);
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let key = path.strip_prefix("/bucket").unwrap_or(path).trim_start_matches('/');
    if query.contains("list-type=2") {
        let prefix = query.split('&').find_map(|part| part.strip_prefix("prefix=")).unwrap_or("");
        let list = list(&prefix.replace("%2F", "/"), objects);
        return respond(out, "200 OK", "", list.as_bytes(), true);
    }
    let Some(object) = objects.get(key) else { return respond(out, "404 Not Found", "", b"", true) };
    let (start, end) = range.unwrap_or((0, object.len()));
    let end = end.min(object.len());
    let (status, more) = match range {
        Some(_) => {
            ("206 Partial Content", format!("Content-Range: bytes {start}-{}/{}\r\n", end - 1, object.len()))
        }
        None => ("200 OK", String::new()),
    };
    respond(out, status, &more, &object[start..end], method != "HEAD");
}

fn list(prefix: &str, objects: &Objects) -> String {
    let mut list = String::from("<ListBucketResult><IsTruncated>false</IsTruncated>");
    for (key, object) in objects.iter().filter(|(key, _)| key.starts_with(prefix)) {
        let (time, size) = ("2024-01-01T00:00:00.000Z", object.len());
        write!(
            list,
            "<Contents><Key>{key}</Key><LastModified>{time}</LastModified><ETag>\"1\"</ETag><Size>{size}</Size></Contents>"
        )
        .unwrap();
    }
    list + "</ListBucketResult>"
}

fn respond(out: &mut Vec<u8>, status: &str, more: &str, body: &[u8], with_body: bool) {
    write!(
        out,
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nETag: \"1\"\r\nLast-Modified: Mon, 01 Jan 2024 00:00:00 GMT\r\n{more}\r\n",
        body.len()
    )
    .unwrap();
    if with_body {
        out.extend_from_slice(body);
    }
}

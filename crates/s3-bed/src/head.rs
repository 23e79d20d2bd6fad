//! The head of an HTTP message.

use std::io::{self, BufRead};
use std::ops::Range;

/// A request as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// `GET`, `PUT` and so on.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Bytes that were asked for.
    pub range: Option<Range<u64>>,
    /// The version that was asked for.
    pub if_match: Option<String>,
}

impl Request {
    /// Returns whether it asks for bytes of an object.
    #[must_use]
    pub fn is_read(&self) -> bool {
        self.method == "GET" && self.range.is_some()
    }

    /// Returns whether it asks for a page of a listing.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.method == "GET" && self.target.contains("list-type=2")
    }

    pub(crate) fn new(head: &Head) -> Self {
        let mut words = head.first.split(' ').map(str::to_owned);
        let range = head.get("range").and_then(|text| {
            let (start, last) = text.strip_prefix("bytes=")?.split_once('-')?;
            Some(start.parse().ok()?..last.parse::<u64>().ok()? + 1)
        });
        Self {
            method: words.next().unwrap_or_default(),
            target: words.next().unwrap_or_default(),
            range,
            if_match: head.get("if-match").map(str::to_owned),
        }
    }
}

/// First line and headers.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) first: String,
    headers: Vec<String>,
}

impl Head {
    /// Reads a head; `None` at the end of the connection.
    pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if input.read_line(&mut line)? == 0 {
                return Ok(None);
            }
            let line = line.trim_end().to_owned();
            if line.is_empty() {
                break;
            }
            lines.push(line);
        }
        let first = if lines.is_empty() { String::new() } else { lines.remove(0) };
        Ok(Some(Self { first, headers: lines }))
    }

    /// Returns the value of a header.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.headers.iter().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// Returns the bytes of the body that the head promises.
    pub(crate) fn body_bytes(&self) -> u64 {
        self.get("content-length").and_then(|text| text.parse().ok()).unwrap_or_default()
    }

    /// Returns the head as it is sent on: the connection serves one request.
    pub(crate) fn sent_on(&self) -> Vec<u8> {
        let is_of_connection = |line: &&String| !line.to_ascii_lowercase().starts_with("connection:");
        let mut text = format!("{}\r\n", self.first);
        for line in self.headers.iter().filter(is_of_connection) {
            text.push_str(&format!("{line}\r\n"));
        }
        text.push_str("Connection: close\r\n\r\n");
        text.into_bytes()
    }
}

//! A proxy that makes requests fail as told, and keeps a list of them.

use std::fmt;
use std::io::{self, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use socket2::SockRef;

use crate::head::{Head, Request};

/// Fault that the proxy causes in a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// It is served.
    #[default]
    None,
    /// It is answered with this status, and never reaches the server.
    Status(u16),
    /// The connection is reset after this number of bytes of the body.
    Reset(u64),
    /// The connection is closed in order after this number of bytes of the body, of which more were promised.
    Cut(u64),
    /// The body comes a few bytes at a time.
    Drip,
    /// After this number of bytes of the body nothing more comes, and the connection stays open.
    Stall(u64),
    /// The answer begins this much later.
    Delay(Duration),
}

/// Chooses what happens to a request.
type Rule = Box<dyn FnMut(&Request) -> Fault + Send>;

/// A proxy before a server. Each request has a connection of its own.
#[derive(Debug)]
pub struct Proxy {
    url: String,
    shared: Arc<Shared>,
}

struct Shared {
    upstream: String,
    rule: Mutex<Rule>,
    requests: Mutex<Vec<Request>>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("upstream", &self.upstream).finish_non_exhaustive()
    }
}

impl Proxy {
    /// Starts a proxy before the server at a URL, which serves every request. It runs until the program ends.
    ///
    /// # Panics
    /// When no port is free.
    #[must_use]
    pub fn start(upstream: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let upstream = upstream.trim_start_matches("http://").to_owned();
        let rule: Rule = Box::new(|_| Fault::None);
        let shared = Arc::new(Shared { upstream, rule: Mutex::new(rule), requests: Mutex::default() });
        let served = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let shared = Arc::clone(&served);
                // Whoever breaks off knows it.
                thread::spawn(move || drop(shared.serve(&client)));
            }
        });
        Self { url, shared }
    }

    /// Returns its URL, without a slash at the end.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Sets the rule that chooses the fault of each request from now on, and forgets earlier requests.
    pub fn set_rule(&self, rule: impl FnMut(&Request) -> Fault + Send + 'static) {
        *lock(&self.shared.rule) = Box::new(rule);
        lock(&self.shared.requests).clear();
    }

    /// Returns the requests since the rule was set, in the order in which they came.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.shared.requests).clone()
    }
}

impl Shared {
    /// Serves the one request of a connection.
    fn serve(&self, client: &TcpStream) -> io::Result<()> {
        client.set_nodelay(true)?;
        let mut input = BufReader::new(client);
        let Some(head) = Head::read(&mut input)? else { return Ok(()) };
        let request = Request::new(&head);
        let fault = (lock(&self.rule))(&request);
        lock(&self.requests).push(request);
        let mut body = input.by_ref().take(head.body_bytes());
        if let Fault::Status(status) = fault {
            io::copy(&mut body, &mut io::sink())?;
            let answer = format!("HTTP/1.1 {status} Fault\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            return { client }.write_all(answer.as_bytes());
        }
        let mut server = TcpStream::connect(&self.upstream)?;
        server.write_all(&head.sent_on())?;
        io::copy(&mut body, &mut server)?;
        let mut answer = BufReader::with_capacity(64 << 10, server);
        let Some(head) = Head::read(&mut answer)? else { return Ok(()) };
        if let Fault::Delay(time) = fault {
            thread::sleep(time);
        }
        let mut out = client;
        out.write_all(&head.sent_on())?;
        match fault {
            Fault::Reset(after) => {
                io::copy(&mut answer.take(after), &mut out)?;
                SockRef::from(client).set_linger(Some(Duration::ZERO))
            }
            Fault::Cut(after) => io::copy(&mut answer.take(after), &mut out).map(drop),
            Fault::Stall(after) => {
                io::copy(&mut answer.take(after), &mut out)?;
                // Until the client has enough of it.
                io::copy(&mut input, &mut io::sink()).map(drop)
            }
            Fault::Drip => drip(&mut answer, out),
            _ => {
                io::copy(&mut answer, &mut out)?;
                client.shutdown(Shutdown::Write)
            }
        }
    }
}

/// Sends a body in parts of 1 to 200 bytes, each a write of its own.
fn drip(body: &mut impl Read, mut out: &TcpStream) -> io::Result<()> {
    let mut part = [0; 200];
    for len in (1..=part.len()).cycle().step_by(67) {
        let count = body.read(&mut part[..len])?;
        if count == 0 {
            break;
        }
        out.write_all(&part[..count])?;
    }
    Ok(())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

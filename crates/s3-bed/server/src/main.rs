//! An S3-compatible server on this machine, for tests: `tfxio-s3-server FOLDER ACCESS_KEY SECRET_KEY`.
//!
//! Serves the folders of FOLDER as buckets, on a port of its own. Writes the URL to stdout when it is ready, and ends when
//! stdin does, so that no server outlives the test that started it.

use std::error::Error;

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use s3s_fs::FileSystem;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

#[tokio::main(worker_threads = 2)]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(folder), Some(access_key), Some(secret_key)) = (args.next(), args.next(), args.next()) else {
        return Err("usage: tfxio-s3-server FOLDER ACCESS_KEY SECRET_KEY".into());
    };
    let files = FileSystem::new(folder).map_err(|error| format!("{error:?}"))?;
    let mut service = S3ServiceBuilder::new(files);
    service.set_auth(SimpleAuth::from_single(access_key, secret_key));
    let service = service.build();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    let mut end = Vec::new();
    let mut stdin = tokio::io::stdin();
    let mut ended = std::pin::pin!(stdin.read_to_end(&mut end));
    loop {
        let (stream, _) = tokio::select! {
            stream = listener.accept() => stream?,
            _ = &mut ended => break,
        };
        let service = service.clone();
        tokio::spawn(async move {
            // A connection that breaks off is the client's affair.
            let _ = Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
        });
    }
    // Reading from stdin does not end with the runtime.
    std::process::exit(0);
}

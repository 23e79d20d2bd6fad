//! `tfxio-sql-cluster worker [ADDRESS]` and `tfxio-sql-cluster run STATEMENT URL…`.

use std::error::Error;

use tfxio_sql::datafusion::arrow::util::pretty::pretty_format_batches;
use tfxio_sql::datafusion::prelude::SessionConfig;
use tfxio_sql_cluster::coordinator::{self, Workers};
use tfxio_sql_cluster::worker;
use tokio::net::TcpListener;
use url::Url;

const USAGE: &str = "usage: tfxio-sql-cluster worker [ADDRESS] | run STATEMENT URL...";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args = std::env::args().skip(1).collect::<Vec<_>>();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["worker", rest @ ..] if rest.len() < 2 => {
            let listener = TcpListener::bind(rest.first().unwrap_or(&"127.0.0.1:0")).await?;
            println!("http://{}", listener.local_addr()?);
            let exit_at = std::env::var(worker::EXIT_AT).ok().map(|number| number.parse()).transpose()?;
            worker::serve(listener, exit_at).await?;
        }
        ["run", statement, urls @ ..] if !urls.is_empty() => {
            let urls = urls.iter().map(|url| Url::parse(url)).collect::<Result<Vec<_>, _>>()?;
            let (retries, partitions) = (urls.len() - 1, urls.len() * 2);
            let workers = Workers::new(urls);
            let config = SessionConfig::new().with_target_partitions(partitions);
            let context = coordinator::session(&workers, config)?;
            let batches = coordinator::run(&context, &workers, statement, retries).await?;
            println!("{}", pretty_format_batches(&batches)?);
        }
        _ => return Err(USAGE.into()),
    }
    Ok(())
}

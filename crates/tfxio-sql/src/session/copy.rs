//! `copy … to 'x.parquet'`: the rows of a query, written by the sinks of formats.

use std::sync::Arc;

use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result};
use datafusion::scalar::ScalarValue;
use datafusion::sql::parser::{CopyToSource, CopyToStatement, Statement};
use datafusion::sql::sqlparser::ast::Value;
use futures::StreamExt as _;
use tfxio_convert::{BatchOutput, Summary};
use tfxio_core::{Batch, Error, ErrorKind, Threading, suggest};
use tokio::runtime::Handle;

use super::Session;
use crate::error::{carried, ours};
use crate::exec::Pool;

/// Options that are not of a format.
const OWN: [&str; 3] = ["format", "overwrite", "shards"];

pub(super) async fn run(
    session: &Session,
    copy: CopyToStatement,
    parameters: &[(String, ScalarValue)],
) -> Result<Summary> {
    if !copy.partitioned_by.is_empty() {
        let what = "copy writes one file or a set of shards, and does not part rows by columns";
        return Err(carried(Error::new(ErrorKind::Unsupported, what).help("leave out partitioned by")));
    }
    let mut output = output(session, &copy).map_err(carried)?;
    let query = match copy.source {
        CopyToSource::Query(query) => query.to_string(),
        CopyToSource::Relation(name) => format!("select * from {name}"),
    };
    let Some(query) = crate::statement::parse(&query)?.pop_front() else {
        return datafusion::common::plan_err!("copy takes a query or a table");
    };
    let Statement::Statement(_) = &query else {
        return datafusion::common::plan_err!("copy takes a query or a table");
    };
    let mut rows = session.rows(query, parameters).await?;
    let schema = rows.schema();
    let handle = Handle::current();
    let threads = session.context.state().config().target_partitions();
    output = output.threading(Threading::new().threads(threads).spawn(Arc::new(Pool(handle.clone()))));
    let write = move || {
        output.write(&schema, move || {
            let next = handle.block_on(rows.next());
            next.transpose().map_err(ours).map(|batch| batch.map(Batch::from))
        })
    };
    let written = SpawnedTask::spawn_blocking(write).await;
    written.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))?.map_err(carried)
}

/// Returns the output that a statement names.
fn output(session: &Session, copy: &CopyToStatement) -> tfxio_core::Result<BatchOutput> {
    let mut output = BatchOutput::new(&copy.target).notes_of(&session.files.open);
    if let Some(formats) = &session.files.formats {
        output = output.formats(formats);
    }
    if let Some(format) = &copy.stored_as {
        output = output.output_format(format.to_lowercase());
    }
    for (key, value) in &copy.options {
        let text = text(value);
        output = match key.as_str() {
            "format" => output.output_format(text.to_lowercase()),
            "overwrite" => match text.to_ascii_lowercase().parse() {
                Ok(overwrite) => output.overwrite(overwrite),
                Err(_) => {
                    let what = format!("the value of overwrite is true or false, and not {text:?}");
                    return Err(Error::new(ErrorKind::InvalidArgument, what));
                }
            },
            "shards" => match text.parse() {
                Ok(shards) if shards > 0 => output.shards(shards),
                _ => {
                    let what = format!("the value of shards is a number of files, and not {text:?}");
                    return Err(Error::new(ErrorKind::InvalidArgument, what));
                }
            },
            // What is nearly one of ours is not an option of the format.
            other => match suggest::nearest(other, OWN) {
                Some(meant) if !is_of_formats(session, other) => {
                    let what = format!("there is no option {other:?}");
                    return Err(
                        Error::new(ErrorKind::InvalidArgument, what).help(format!("did you mean {meant:?}?"))
                    );
                }
                _ => output.set(other, text)?,
            },
        };
    }
    Ok(output)
}

fn is_of_formats(session: &Session, key: &str) -> bool {
    let formats = session.files.formats.clone().unwrap_or_else(tfxio_formats::formats);
    formats.files().iter().any(|format| format.options().iter().any(|spec| spec.key == key))
}

fn text(value: &Value) -> String {
    match value {
        Value::SingleQuotedString(text)
        | Value::DoubleQuotedString(text)
        | Value::EscapedStringLiteral(text) => text.clone(),
        other => other.to_string(),
    }
}

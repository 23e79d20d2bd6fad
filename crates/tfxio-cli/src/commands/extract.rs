//! `tfxio extract`: writes payloads to files.

use std::io::Write as _;

use tfxio::extract::Extraction;
use tfxio::{ColumnPath, ErrorKind};

use crate::args::Extract;
use crate::context::Context;
use crate::failure::{Failure, say};
use crate::output::Output;
use crate::selection::Selection;
use crate::table::counted;
use crate::{Done, leaves, on_error};

pub(crate) fn run(args: &Extract, context: &Context) -> Done {
    let skip = args.on_damage.skip()?;
    let extracted = || -> Result<u64, Failure> {
        let mut selection = Selection::open(&args.files, None, None, context)?;
        selection.set_rows(args.filter.as_ref(), skip.as_ref());
        let column = |name: &String| -> Result<ColumnPath, Failure> {
            let chosen = leaves::choose(&selection.leaves, std::slice::from_ref(name), "")?;
            match chosen.as_slice() {
                [one] => Ok(one.path.clone()),
                several => Err(Failure::Usage(format!(
                    "{name:?} names {}; name one",
                    counted(several.len() as u64, "column")
                ))),
            }
        };
        let mut request = selection.request.clone();
        request.limit = args.rows;
        let mut builder = Extraction::builder(selection.dataset.clone(), &args.output)
            .request(request)
            .overwrite(args.force);
        if let Some(name) = &args.column {
            builder = builder.column(column(name)?);
        }
        if let Some(name) = &args.name_by {
            builder = builder.name_by(column(name)?);
        }
        let explain = |error: tfxio::Error| {
            let is_unchosen = args.column.is_none() && error.kind() == ErrorKind::InvalidArgument;
            match error.kind() {
                ErrorKind::AlreadyExists => error.and_help("for this command: --force").into(),
                _ if is_unchosen => error
                    .and_help("for this command: --column NAME, or --as raw for the records as they are")
                    .into(),
                _ => selection.explain(error),
            }
        };
        let done = builder.build().and_then(|extraction| extraction.run()).map_err(explain)?;
        let mut out = Output::new();
        let folder = args.output.display();
        writeln!(out, "{} in {folder}: {}", counted(done.files, "file"), counted(done.bytes, "byte"))?;
        out.finish()?;
        if done.without_value > 0 {
            say(format_args!("note: {} without a value", counted(done.without_value, "record")));
        }
        if done.renamed > 0 {
            let examples = done.examples.iter().map(|(asked, name)| format!("{asked:?} is {name:?}"));
            let (examples, more) =
                (examples.collect::<Vec<_>>().join(", "), if done.renamed > 3 { ", …" } else { "" });
            let names = if done.renamed == 1 { "file is" } else { "files are" };
            say(format_args!(
                "note: {} {names} called otherwise than the data say: {examples}{more}",
                crate::table::count(done.renamed)
            ));
        }
        Ok(done.files.saturating_add(done.without_value))
    };
    let done = extracted();
    on_error::report(skip.as_ref());
    on_error::refuse_nothing(skip.as_ref(), done?)
}

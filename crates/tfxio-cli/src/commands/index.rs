//! `tfxio index`: writes an index beside each file.

use tfxio::{FactValue, FileReport, is_url, not_offered};

use super::for_each_file;
use super::inspect::{cell, title};
use crate::args::{DASH, Index};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::Output;
use crate::table::Table;
use crate::{Done, progress};

pub(crate) fn run(args: &Index, context: &Context) -> Done {
    let mut reports: Vec<FileReport> = Vec::new();
    let _progress = context.watch("indexing", &args.files);
    let done = for_each_file(&args.files, context, |path| {
        progress::title(format!("indexing {path}"));
        // A directory is refused in the words of all commands.
        let is_special = || std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
        if path == DASH || (!is_url(path) && is_special()) {
            let path = if path == DASH { "standard input" } else { path };
            return Err(Failure::Usage(format!(
                "{path}: an index is written beside its file, and this is a pipe or a device; write it to a file first, and \
                 index that"
            )));
        }
        let found = context.open_options()?.find(path)?;
        let Some(index) = found.format.index() else {
            let error = not_offered(found.format.name(), "indexes").help("its records are found without one");
            return Err(error.in_file(path).into());
        };
        reports.extend(index.write_index(&found.files, &found.options)?);
        Ok(())
    });
    if let Some(first) = reports.first() {
        let mut table = Table::new(first.facts.iter().map(|fact| title(fact.key)));
        for report in &reports {
            let value = |key| report.get(key).unwrap_or(&FactValue::Unknown);
            table.push(first.facts.iter().map(|fact| cell(value(fact.key))).collect());
        }
        let mut out = Output::new();
        table.write_fitting(&mut out, "index")?;
        out.finish()?;
    }
    done
}

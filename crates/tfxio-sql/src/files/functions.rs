//! `read_tfxio`, and a function for each format: `read_tfrecord`, `read_avro`, and so on.

use std::sync::Arc;

use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::error::Result;
use datafusion::logical_expr::Expr;
use datafusion::prelude::SessionContext;
use tfxio_core::{Error, ErrorKind};

use super::Opener;
use crate::blocking::blocking;
use crate::error::carried;

pub(super) fn register(context: &SessionContext, files: &Arc<Opener>) {
    for function in functions(files) {
        context.register_udtf(&function.name.clone(), Arc::new(function));
    }
}

/// Takes the functions from a session that [`register`] has given it.
pub(super) fn deregister(context: &SessionContext, files: &Arc<Opener>) {
    for function in functions(files) {
        context.deregister_udtf(&function.name);
    }
}

fn functions(files: &Arc<Opener>) -> Vec<Function> {
    let function = |format: Option<&str>| {
        let name = format!("read_{}", format.unwrap_or("tfxio"));
        let format = format.map(str::to_owned);
        Function { name, format, files: Arc::clone(files) }
    };
    let formats = files.files.formats.clone().unwrap_or_else(tfxio_formats::formats);
    let of_formats = formats.files().iter().map(|format| function(Some(format.name())));
    of_formats.chain([function(None)]).collect()
}

/// A table function: files, then options as `'key=value'`.
#[derive(Debug)]
struct Function {
    name: String,
    format: Option<String>,
    files: Arc<Opener>,
}

impl TableFunctionImpl for Function {
    fn call_with_args(&self, args: TableFunctionArgs<'_, '_>) -> Result<Arc<dyn TableProvider>> {
        let table = self.texts(args.exprs()).and_then(|texts| self.table(texts));
        table.map_err(carried)
    }
}

impl Function {
    fn texts(&self, args: &[Expr]) -> tfxio_core::Result<Vec<String>> {
        let text = |arg: &Expr| match arg {
            Expr::Literal(value, _) => value.try_as_str().flatten().map(str::to_owned),
            _ => None,
        };
        let texts = args.iter().map(text).collect::<Option<Vec<_>>>();
        texts.filter(|texts| !texts.is_empty()).ok_or_else(|| {
            let what = format!("{} takes names of files, and options of formats", self.name);
            let help = format!("write them between quotes: {}('train-*', 'infer_records=100')", self.name);
            Error::new(ErrorKind::InvalidArgument, what).help(help)
        })
    }

    fn table(&self, texts: Vec<String>) -> tfxio_core::Result<Arc<dyn TableProvider>> {
        let mut open = self.files.files.open.clone();
        if let Some(format) = &self.format {
            open = open.format(format.as_str());
        }
        let mut patterns = Vec::new();
        for (at, text) in texts.into_iter().enumerate() {
            match text.split_once('=').filter(|(key, _)| at > 0 && is_key(key)) {
                Some(("format", name)) => open = open.format(name),
                Some((key, value)) => open = open.set(key, value)?,
                None => patterns.push(text),
            }
        }
        let files = Arc::clone(&self.files);
        let table = blocking(move || files.open(&open, &patterns))??;
        Ok(Arc::new(table))
    }
}

fn is_key(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|char| char.is_ascii_lowercase() || char == '_')
}

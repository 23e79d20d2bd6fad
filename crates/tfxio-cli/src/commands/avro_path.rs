//! `tfxio avro-path`: `head --keys`, with the types of the columns if they are asked for.

use std::io::Write as _;

use crate::args::{AvroPath, Head, Shown};
use crate::context::Context;
use crate::failure::{Failure, with_mark};
use crate::output::Output;
use crate::{Done, arrow_type, escape};

pub(crate) fn run(args: &AvroPath, context: &Context) -> Done {
    let is_repeated = |(at, key): &(usize, &String)| args.keys.iter().take(*at).any(|other| other == *key);
    if let Some((at, key)) = args.keys.iter().enumerate().find(is_repeated) {
        let text = format!("key {} is {key:?}, which was given before; leave it out", at + 1);
        return Err(Failure::Usage(text));
    }
    let context = context.clone().set("keys", args.keys.clone());
    if args.types {
        let dataset = context.open_options()?.open(&args.file).map_err(with_mark)?;
        let mut out = Output::new();
        for field in dataset.schema().fields() {
            let line = format!("{}: {}", field.name(), arrow_type::name(field.data_type()));
            writeln!(out, "{}", escape::line(&line))?;
        }
        return Ok(out.finish()?);
    }
    let head = Head {
        files: vec![args.file.clone()],
        rows: args.rows,
        skip: 0,
        shown: Shown {
            columns: None,
            filter: None,
            format: args.format,
            opening: args.opening.clone(),
            on_damage: args.on_damage.clone(),
        },
    };
    super::head::run(&head, &context)
}

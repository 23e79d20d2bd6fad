//! All key expressions of an Avro schema.

use std::io::Write as _;

use tfxio::avro_path::Schema;
use tfxio::avro_path::key::list;

use crate::args::SchemaFormat;
use crate::json::Object;
use crate::output::Output;
use crate::table::Table;
use crate::{Done, arrow_type};

/// Lists the keys with so many names of fields at most; 0 is any number.
pub(super) fn show(schema: &Schema, depth: usize, format: SchemaFormat, out: &mut Output) -> Done {
    let found = list(schema, (depth > 0).then_some(depth));
    let mut table = Table::new(["key", "Avro", "Arrow"]);
    for listed in &found.keys {
        let arrow = listed.data_type.as_ref().map(arrow_type::name);
        match format {
            SchemaFormat::Json => {
                let mut line = String::new();
                let mut object = Object::new(&mut line);
                object.text("key", Some(&listed.key));
                object.text("avro", Some(&listed.avro));
                object.text("arrow", arrow.as_deref());
                object.finish();
                writeln!(out, "{line}")?;
            }
            SchemaFormat::Arrow => {
                if let Some(arrow) = arrow {
                    writeln!(out, "{}: {arrow}", listed.key)?;
                }
            }
            _ => {
                let arrow = arrow.unwrap_or_else(|| "goes on".to_owned());
                table.push(vec![listed.key.clone(), listed.avro.clone(), arrow]);
            }
        }
    }
    if format == SchemaFormat::Table {
        table.write_fitting(out, "key")?;
    }
    if found.is_cut {
        let count = found.keys.len();
        crate::failure::say(format_args!(
            "note: there are more than these {count} keys; --keys=DEPTH lists those of few names"
        ));
    }
    Ok(())
}

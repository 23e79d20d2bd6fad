//! The schemas of Avro files.

use std::io::Write as _;
use std::sync::Arc;

use tfxio::RecordOptions;
use tfxio::avro_path::Schema;
use tfxio::avro_path::schema::Type;

use crate::args::{Schema as Args, SchemaFormat};
use crate::failure::Failure;
use crate::json::Object;
use crate::output::Output;
use crate::table::Table;
use crate::{Done, avro};

pub(super) fn run(args: &Args, files: &[Arc<str>], options: &RecordOptions) -> Done {
    let refused = if args.validate.is_some() {
        Some("--validate holds tf.Examples and tf.SequenceExamples against a schema of TensorFlow Metadata")
    } else if args.sample.is_some() {
        Some("--records says from how many records a schema is inferred")
    } else if args.records.message.is_some() {
        Some("--as says what TFRecord files hold")
    } else if args.format == SchemaFormat::Pbtxt {
        Some("--format pbtxt infers a schema from tf.Examples and tf.SequenceExamples")
    } else {
        None
    };
    if let Some(refused) = refused {
        let text =
            format!("{refused}, and these are Avro files, which have their schema in them; leave it out");
        return Err(Failure::Usage(text));
    }
    let schemas = files.iter().map(|file| Ok(avro::open(file, options)?.header().schema().clone()));
    let schemas = schemas.collect::<Result<Vec<_>, Failure>>()?;
    let Some(schema) = schemas.first() else { return Ok(()) };
    let mut out = Output::new();
    match args.format {
        SchemaFormat::Avro => writeln!(out, "{}", schema.text())?,
        SchemaFormat::Json => {
            for field in fields(schema) {
                writeln!(out, "{}", field.json())?;
            }
        }
        _ => {
            let mut table = Table::new(["field", "Avro"]);
            for field in fields(schema) {
                table.push(vec![field.name, field.avro]);
            }
            table.write(&mut out)?;
            let plural = if files.len() == 1 { "file" } else { "files" };
            writeln!(out, "{} of {} {plural}", avro::title(schema), files.len())?;
        }
    }
    out.finish()?;
    let canonical = schema.canonical_form();
    let others = files.iter().zip(&schemas).filter(|(_, other)| other.canonical_form() != canonical);
    for (file, _) in others {
        crate::failure::say(format_args!("note: {file} has another schema than {}", files[0]));
    }
    Ok(())
}

struct Field {
    name: String,
    avro: String,
}

/// The fields of the root.
fn fields(schema: &Schema) -> Vec<Field> {
    match schema.get(schema.root()) {
        Type::Record(record) => {
            let fields = record.fields().iter();
            fields
                .map(|field| Field { name: field.name().to_owned(), avro: schema.describe(field.type_id()) })
                .collect()
        }
        _ => vec![Field { name: "value".to_owned(), avro: avro::title(schema) }],
    }
}

impl Field {
    fn json(&self) -> String {
        let mut line = String::new();
        let mut object = Object::new(&mut line);
        object.text("name", Some(&self.name));
        object.text("avro", Some(&self.avro));
        object.finish();
        line
    }
}

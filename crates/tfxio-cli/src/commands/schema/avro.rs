//! The schemas of Avro files.

use std::io::Write as _;
use std::sync::Arc;

use tfxio::RecordOptions;
use tfxio::avro_path::Schema;
use tfxio::avro_path::record::{Layout, RecordOptions as RecordLayout, RecordPlan};
use tfxio::avro_path::schema::Type;

use crate::args::{Schema as Args, SchemaFormat};
use crate::failure::Failure;
use crate::json::Object;
use crate::output::Output;
use crate::table::Table;
use crate::{Done, arrow_type, avro};

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
    // As `convert` writes them.
    let options = RecordLayout::default().with_layout(Layout::Plain);
    let columns = RecordPlan::new(schema, &options).map(|plan| plan.arrow_schema());
    let mut out = Output::new();
    match args.format {
        SchemaFormat::Arrow => {
            for field in columns?.fields() {
                writeln!(out, "{}: {}", field.name(), arrow_type::name(field.data_type()))?;
            }
        }
        SchemaFormat::Avro => writeln!(out, "{}", schema.text())?,
        SchemaFormat::Json => {
            for field in fields(schema, columns.ok().as_deref()) {
                writeln!(out, "{}", field.json())?;
            }
        }
        _ => {
            // Records that contain themselves make no columns.
            let has_columns = columns.is_ok();
            let mut table =
                Table::new(["field", "Avro", "Arrow"].into_iter().take(if has_columns { 3 } else { 2 }));
            for field in fields(schema, columns.ok().as_deref()) {
                table.push([field.name, field.avro].into_iter().chain(field.arrow).collect());
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
    arrow: Option<String>,
}

/// The fields of the root, and the columns that they become.
fn fields(schema: &Schema, columns: Option<&arrow_schema::Schema>) -> Vec<Field> {
    let arrow = |at: usize| columns?.fields().get(at).map(|field| arrow_type::name(field.data_type()));
    match schema.get(schema.root()) {
        Type::Record(record) => {
            let fields = record.fields().iter().enumerate();
            let fields = fields.map(|(at, field)| Field {
                name: field.name().to_owned(),
                avro: schema.describe(field.type_id()),
                arrow: arrow(at),
            });
            fields.collect()
        }
        _ => vec![Field { name: "value".to_owned(), avro: avro::title(schema), arrow: arrow(0) }],
    }
}

impl Field {
    fn json(&self) -> String {
        let mut line = String::new();
        let mut object = Object::new(&mut line);
        object.text("name", Some(&self.name));
        object.text("avro", Some(&self.avro));
        object.text("arrow", self.arrow.as_deref());
        object.finish();
        line
    }
}

//! The schemas of Avro files.

use std::io::Write as _;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use tfxio::RecordOptions;
use tfxio::avro_path::Schema;
use tfxio::avro_path::record::{Layout, RecordOptions as RecordLayout, RecordPlan};
use tfxio::avro_path::schema::Type;

use super::keys;
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
    } else if args.keys.is_some() && args.format == SchemaFormat::Avro {
        let text = "--keys lists key expressions, and --format avro prints the schema; choose one of them";
        return Err(Failure::Usage(text.to_owned()));
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
    if let Some(depth) = args.keys {
        keys::show(schema, depth, args.format, &mut out)?;
    } else {
        show(schema, args.format, files.len(), &mut out)?;
    }
    out.finish()?;
    let canonical = schema.canonical_form();
    let others = files.iter().zip(&schemas).filter(|(_, other)| other.canonical_form() != canonical);
    for (file, _) in others {
        crate::failure::say(format_args!("note: {file} has another schema than {}", files[0]));
    }
    Ok(())
}

/// Shows the fields of the root.
fn show(schema: &Schema, format: SchemaFormat, files: usize, out: &mut Output) -> Done {
    match format {
        SchemaFormat::Arrow => {
            for field in columns(schema, None)?.fields() {
                writeln!(out, "{}: {}", field.name(), arrow_type::name(field.data_type()))?;
            }
        }
        SchemaFormat::Avro => writeln!(out, "{}", schema.text())?,
        SchemaFormat::Json => {
            for field in fields(schema) {
                writeln!(out, "{}", field.json())?;
            }
        }
        _ => {
            let fields = fields(schema);
            let mut table = Table::new(["field", "Avro", "Arrow"]);
            let recursive = fields.iter().filter(|field| field.is_recursive).count();
            for field in fields {
                let arrow = if field.is_recursive { Some("recursive".to_owned()) } else { field.arrow };
                table.push(vec![field.name, field.avro, arrow.unwrap_or_default()]);
            }
            table.write(out)?;
            let plural = if files == 1 { "file" } else { "files" };
            writeln!(out, "{} of {files} {plural}", avro::title(schema))?;
            if recursive > 0 {
                let fields =
                    if recursive == 1 { "1 field holds" } else { &*format!("{recursive} fields hold") };
                writeln!(
                    out,
                    "{fields} records that contain themselves: a column needs convert --max-depth N or --key KEY"
                )?;
            }
        }
    }
    Ok(())
}

struct Field {
    name: String,
    avro: String,
    arrow: Option<String>,
    /// Whether there is no type because a record contains itself.
    is_recursive: bool,
}

/// The columns as `convert` writes them, of all fields or of one.
fn columns(schema: &Schema, field: Option<&str>) -> tfxio::avro_path::Result<SchemaRef> {
    let options = RecordLayout::default().with_layout(Layout::Plain);
    let options = match field {
        Some(field) => options.with_columns([field]),
        None => options,
    };
    RecordPlan::new(schema, &options).map(|plan| plan.arrow_schema())
}

/// The fields of the root, and the columns that they become.
fn fields(schema: &Schema) -> Vec<Field> {
    let whole = columns(schema, None);
    let type_of = |columns: &SchemaRef, at: usize| {
        columns.fields().get(at).map(|field| arrow_type::name(field.data_type()))
    };
    let Type::Record(record) = schema.get(schema.root()) else {
        let arrow = whole.as_ref().ok().and_then(|columns| type_of(columns, 0));
        let is_recursive = whole.is_err();
        return vec![Field { name: "value".to_owned(), avro: avro::title(schema), arrow, is_recursive }];
    };
    let fields = record.fields().iter().enumerate();
    let fields = fields.map(|(at, field)| {
        // Where all fields together make no columns, each may make one.
        let arrow = match &whole {
            Ok(columns) => type_of(columns, at),
            Err(_) => columns(schema, Some(field.name())).ok().and_then(|columns| type_of(&columns, 0)),
        };
        let avro = schema.describe(field.type_id());
        Field { name: field.name().to_owned(), avro, is_recursive: arrow.is_none(), arrow }
    });
    fields.collect()
}

impl Field {
    fn json(&self) -> String {
        let mut line = String::new();
        let mut object = Object::new(&mut line);
        object.text("name", Some(&self.name));
        object.text("avro", Some(&self.avro));
        object.text("arrow", self.arrow.as_deref());
        if self.is_recursive {
            object.key("recursive").push_str("true");
        }
        object.finish();
        line
    }
}

//! The schemas of Avro files.

use std::io::Write as _;
use std::sync::Arc;

use tfxio::RecordOptions;
use tfxio::avro_path::Schema;
use tfxio::avro_path::record::{Layout, RecordOptions as RecordLayout, RecordPlan};
use tfxio::avro_path::schema::{Type, TypeId};

use super::keys;
use crate::args::{Schema as Args, SchemaFormat};
use crate::failure::Failure;
use crate::json::Object;
use crate::output::Output;
use crate::table::Table;
use crate::{Done, arrow_type, avro, escape};

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
            let columns = RecordPlan::new(schema, &layout())?.arrow_schema();
            for field in columns.fields() {
                let line = format!("{}: {}", field.name(), arrow_type::name(field.data_type()));
                writeln!(out, "{}", escape::line(&line))?;
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
            table.write_fitting(out, "field")?;
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

/// Fields that are chosen by their names where others are recursive: each name is held against each field.
const CHOSEN: usize = 1000;

struct Field {
    name: String,
    avro: String,
    arrow: Option<String>,
    /// Whether there is no type because a record contains itself.
    is_recursive: bool,
}

/// As `convert` writes columns.
fn layout() -> RecordLayout {
    RecordLayout::default().with_layout(Layout::Plain)
}

/// The fields of the root, and the columns that they become. Where none can be made for another reason than that a record
/// contains itself, a note says why.
fn fields(schema: &Schema) -> Vec<Field> {
    let finite = finite(schema);
    let is_recursive = |id: TypeId| !finite.get(id.index()).copied().unwrap_or_default();
    let plan = |options: RecordLayout| match RecordPlan::new(schema, &options) {
        Ok(plan) => {
            plan.arrow_schema().fields().iter().map(|field| arrow_type::name(field.data_type())).collect()
        }
        Err(error) => {
            crate::failure::say(format_args!("note: there are no Arrow types: {error}"));
            Vec::new()
        }
    };
    let root = schema.root();
    let Type::Record(record) = schema.get(root) else {
        let is_recursive = is_recursive(root);
        let arrow = if is_recursive { None } else { plan(layout()).pop() };
        return vec![Field { name: "value".to_owned(), avro: avro::title(schema), arrow, is_recursive }];
    };
    let plain = record.fields().iter().filter(|field| !is_recursive(field.type_id()));
    let mut plain = plain.map(|field| field.name()).collect::<Vec<_>>();
    let columns = if plain.len() == record.fields().len() {
        plan(layout())
    } else {
        if plain.len() > CHOSEN {
            let text = "note: beside recursive fields, the Arrow types are those of the first";
            crate::failure::say(format_args!("{text} {CHOSEN} others"));
            plain.truncate(CHOSEN);
        }
        plan(layout().with_columns(plain))
    };
    let mut columns = columns.into_iter();
    let fields = record.fields().iter().map(|field| {
        let is_recursive = is_recursive(field.type_id());
        let arrow = if is_recursive { None } else { columns.next() };
        let avro = schema.describe(field.type_id());
        Field { name: field.name().to_owned(), avro, is_recursive, arrow }
    });
    fields.collect()
}

/// For each type whether no record within its values contains itself.
fn finite(schema: &Schema) -> Vec<bool> {
    let mut above = vec![Vec::new(); schema.len()];
    // How many of the types below are not known to be finite.
    let mut left = vec![0_usize; schema.len()];
    let mut known = Vec::new();
    for (id, ty) in schema.types() {
        let below = match ty {
            Type::Record(record) => record.fields().iter().map(|field| field.type_id()).collect(),
            Type::Array(inner) | Type::Map(inner) => vec![*inner],
            Type::Union(branches) => branches.to_vec(),
            _ => Vec::new(),
        };
        for inner in &below {
            if let Some(above) = above.get_mut(inner.index()) {
                above.push(id.index());
            }
        }
        if let Some(left) = left.get_mut(id.index()) {
            *left = below.len();
        }
        if below.is_empty() {
            known.push(id.index());
        }
    }
    let mut finite = vec![false; schema.len()];
    while let Some(at) = known.pop() {
        if let Some(finite) = finite.get_mut(at) {
            *finite = true;
        }
        for &above in above.get(at).into_iter().flatten() {
            if let Some(left) = left.get_mut(above) {
                *left = left.saturating_sub(1);
                if *left == 0 {
                    known.push(above);
                }
            }
        }
    }
    finite
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

//! Comparison of records with a schema.

use std::io::Write as _;

use tfxio::schema::read;
use tfxio::tensor_repr::{Finding, FindingKind, SchemaValidation};

use super::batches;
use crate::Done;
use crate::args::{Schema, SchemaFormat};
use crate::context::Context;
use crate::escape;
use crate::failure::{DATA, Failure};
use crate::json::Object;
use crate::output::Output;
use crate::table::counted;

pub(super) fn run(args: &Schema, schema: &str, context: &Context) -> Done {
    if !matches!(args.format, SchemaFormat::Table | SchemaFormat::Json) {
        let text =
            "--validate prints what it finds as text or as JSON; leave --format out or write --format json";
        return Err(Failure::Usage(text.to_owned()));
    }
    let schema = read(schema)?;
    let mut validation = SchemaValidation::builder(&schema)
        .group(args.group.clone())
        .environment(args.environment.clone())
        .build()?;
    batches::each(args, context, |batch| Ok(validation.push(batch)?))?;

    let findings = validation.finish();
    let mut out = Output::new();
    for finding in &findings {
        match args.format {
            SchemaFormat::Json => writeln!(out, "{}", json(finding))?,
            _ => writeln!(out, "{}", escape::line(&finding.to_string()))?,
        }
    }
    if args.format != SchemaFormat::Json {
        let records = counted(validation.rows(), "record");
        match findings.len() {
            0 if validation.rows() == 1 => writeln!(out, "1 record satisfies the schema")?,
            0 => writeln!(out, "{records} satisfy the schema")?,
            found => writeln!(out, "{} in {records}", counted(found as u64, "finding"))?,
        }
    }
    out.finish()?;
    if findings.is_empty() { Ok(()) } else { Err(Failure::Reported(DATA)) }
}

fn json(finding: &Finding) -> String {
    let kind = match finding.kind {
        FindingKind::MissingFeature => "missing_feature",
        FindingKind::Presence => "presence",
        FindingKind::Type => "type",
        FindingKind::ValueCount => "value_count",
        FindingKind::Domain => "domain",
        FindingKind::UnknownFeature => "unknown_feature",
        FindingKind::Representation => "representation",
        _ => "other",
    };
    let mut line = String::new();
    let mut object = Object::new(&mut line);
    object.text("kind", Some(kind));
    object.text("name", Some(&finding.name));
    object.text("expected", Some(&finding.expected));
    object.text("found", Some(&finding.found));
    object.number("count", finding.count);
    match finding.first_row {
        Some(row) => object.number("first_row", row),
        None => object.text("first_row", None),
    }
    object.finish();
    line
}

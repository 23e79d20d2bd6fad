//! Choosing the columns that become scalars, and those that become text.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema};
use tfxio_core::{ColumnPath, Dataset, Error, ErrorKind, Position, Result, suggest};

use super::options::{SCALARS, TEXT, ValueColumns, ValueOptions};
use super::{names, sample};
use crate::cast::{may_be_single, text_leaves};

/// Columns that become scalars, and bytes that become text.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    pub(super) scalars: HashSet<String>,
    pub(super) texts: BTreeSet<ColumnPath>,
}

/// Chooses columns as the options say, by the types of the columns, then by the schema of TensorFlow Metadata with which the data set was
/// opened, then by its first records.
pub(super) fn choose(dataset: &Arc<dyn Dataset>, options: &ValueOptions) -> Result<Chosen> {
    let schema = dataset.schema();
    let mut chosen = Chosen::default();
    let paths = text_paths(schema);
    // A name that several columns have stands for none of them.
    let once = once(schema);
    match &options.scalars {
        ValueColumns::Nothing | ValueColumns::Found => {}
        ValueColumns::Named(given) => {
            for name in given {
                chosen.scalars.extend(scalar(schema, name)?);
            }
        }
    }
    match &options.text {
        ValueColumns::Nothing | ValueColumns::Found => {}
        ValueColumns::Named(given) => {
            for name in given {
                chosen.texts.extend(texts(schema, &paths, name)?);
            }
        }
    }
    let mut wanted = sample::Wanted::default();
    if options.scalars == ValueColumns::Found {
        let said = said(dataset);
        for field in schema
            .fields()
            .iter()
            .filter(|field| may_be_single(field) && once.contains(field.name().as_str()))
        {
            match (field.data_type(), said.get(field.name())) {
                (DataType::FixedSizeList(_, 1), _) | (_, Some(true)) => {
                    chosen.scalars.insert(field.name().clone());
                }
                (DataType::FixedSizeList(..), _) | (_, Some(false)) => {}
                (_, None) => {
                    wanted.scalars.insert(field.name().clone());
                }
            }
        }
    }
    if options.text == ValueColumns::Found {
        let is_once = |path: &&ColumnPath| path.initial_step().is_ok_and(|name| once.contains(name));
        wanted.texts.extend(paths.iter().filter(is_once).cloned());
    }
    sample::look(dataset, wanted, options, &mut chosen)?;
    Ok(chosen)
}

/// Returns the names that one column has.
fn once(schema: &Schema) -> HashSet<&str> {
    let mut counts = HashMap::new();
    for field in schema.fields() {
        *counts.entry(field.name().as_str()).or_insert(0u32) += 1;
    }
    counts.into_iter().filter(|(_, count)| *count == 1).map(|(name, _)| name).collect()
}

/// Returns the paths of all bytes.
fn text_paths(schema: &Schema) -> Vec<ColumnPath> {
    let mut paths = Vec::new();
    for field in schema.fields() {
        text_leaves(field, &ColumnPath::from(field.name().as_str()), &mut paths);
    }
    paths
}

/// Returns the column that is named as one of scalars; nothing where it is no list already.
fn scalar(schema: &Schema, name: &str) -> Result<Option<String>> {
    // A name with dots in it may be written as that of something in a struct is.
    let is_named = |field: &&Arc<Field>| {
        field.name() == name || names::name(&ColumnPath::from(field.name().as_str())) == name
    };
    let mut found = schema.fields().iter().filter(is_named);
    let Some(field) = found.next() else { return Err(unknown(schema, name, SCALARS)) };
    if found.next().is_some() {
        return Err(named_twice(name));
    }
    if may_be_single(field) {
        return match field.data_type() {
            DataType::FixedSizeList(_, size) if *size != 1 => {
                let what = format!(
                    "each record has a list of {size} values, and the option scalars names the column"
                );
                let error =
                    Error::new(ErrorKind::InvalidArgument, what).help("name columns of one value a record");
                Err(error.at(Position::new().column(name)))
            }
            _ => Ok(Some(field.name().clone())),
        };
    }
    if !field.data_type().is_nested() {
        return Ok(None);
    }
    let what = format!("the column has the type {}, and the option scalars names it", field.data_type());
    let error = Error::new(ErrorKind::InvalidArgument, what).help("name columns of lists of values");
    Err(error.at(Position::new().column(name)))
}

/// Returns the bytes that are named as text; none where they are text already.
fn texts(schema: &Schema, paths: &[ColumnPath], name: &str) -> Result<Vec<ColumnPath>> {
    let found = names::named(name, paths);
    let once = once(schema);
    let is_twice = |path: &&ColumnPath| path.initial_step().is_ok_and(|step| !once.contains(step));
    if found.iter().any(is_twice) {
        return Err(named_twice(name));
    }
    if !found.is_empty() {
        return Ok(found.into_iter().cloned().collect());
    }
    let Some(field) = schema.fields().iter().find(|field| field.name() == name) else {
        return Err(unknown(schema, name, TEXT));
    };
    let mut has_text = false;
    crate::cast::leaves(field.data_type(), &mut |values| has_text |= values.is_string());
    if has_text {
        return Ok(Vec::new());
    }
    let what = format!("the column has the type {}, and the option text names it", field.data_type());
    let error = Error::new(ErrorKind::InvalidArgument, what).help("name columns of bytes");
    Err(error.at(Position::new().column(name)))
}

fn unknown(schema: &Schema, name: &str, option: &str) -> Error {
    let what = format!("there is no column {name:?}, which the option {option} names");
    let hint = suggest::hint(name, schema.fields().iter().map(|field| field.name().as_str()), "columns");
    Error::new(ErrorKind::InvalidArgument, what).help(hint)
}

fn named_twice(name: &str) -> Error {
    let what = "two columns have this name, and columns are known by their names";
    let error = Error::new(ErrorKind::InvalidArgument, what).help("rename one in the input");
    error.at(Position::new().column(name))
}

/// Returns the columns of which the schema of TensorFlow Metadata says how many values a record has, each with whether it is one.
#[cfg(feature = "tensors")]
fn said(dataset: &Arc<dyn Dataset>) -> HashMap<String, bool> {
    use crate::record_formats::options::SCHEMA;

    let spec = dataset.local_spec();
    let Some(tfxio_core::OptionValue::Text(text)) =
        spec.as_ref().ok().and_then(|spec| spec.options.get(SCHEMA))
    else {
        return HashMap::new();
    };
    // An option of this name of a foreign format may be something else.
    let Ok(schema) = crate::schema::read_or_parse(text) else { return HashMap::new() };
    let mut said = HashMap::<_, Option<bool>>::new();
    for feature in schema.features() {
        // Of two features of one name the first counts.
        said.entry(feature.name().to_owned()).or_insert(feature.is_single());
    }
    said.into_iter().filter_map(|(name, is_single)| Some((name, is_single?))).collect()
}

/// Without schemas nothing says it.
#[cfg(not(feature = "tensors"))]
fn said(_: &Arc<dyn Dataset>) -> HashMap<String, bool> {
    HashMap::new()
}

//! The columns that are shown.

use std::collections::{HashMap, HashSet};

use arrow_array::cast::AsArray as _;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, FieldRef, Fields, Schema};
use tfxio::tfxio_core::suggest;
use tfxio::{ColumnPath, NamePattern};

use crate::failure::Failure;

/// A column that is shown: one of the data set, or a field of the column of sequence features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// The steps, joined by dots.
    pub(crate) name: String,
    pub(crate) path: ColumnPath,
    /// Index of a column among all, where others have its name, too.
    twin: Option<usize>,
}

/// Returns the columns that are shown of a schema. Sequence features, which are lists of lists in one struct, are shown each
/// by itself.
pub(crate) fn leaves(schema: &Schema) -> Result<Vec<Leaf>, Failure> {
    let mut leaves = Vec::with_capacity(schema.fields().len());
    let mut push = |path: ColumnPath, twin| leaves.push(Leaf { name: path.to_string(), path, twin });
    let mut counts = HashMap::new();
    schema.fields().iter().for_each(|field| *counts.entry(field.name()).or_insert(0u32) += 1);
    for (index, field) in schema.fields().iter().enumerate() {
        let path = ColumnPath::from(field.name().as_str());
        if counts.get(field.name()) > Some(&1) {
            push(path, Some(index));
            continue;
        }
        match field.data_type() {
            DataType::Struct(fields)
                if !fields.is_empty() && fields.iter().all(|field| is_steps(field.data_type())) =>
            {
                fields.iter().for_each(|field| push(path.child(field.name().as_str()), None));
            }
            _ => push(path, None),
        }
    }
    let mut seen = HashSet::new();
    match leaves.iter().find(|leaf| leaf.twin.is_none() && !seen.insert(leaf.name.as_str())) {
        None => Ok(leaves),
        Some(twice) => Err(Failure::Usage(format!(
            "a feature and a feature list are both called {:?}; name the column of the lists otherwise: \
             --sequence-column NAME",
            twice.name
        ))),
    }
}

/// Whether a type is that of a sequence feature: steps, each with a list of values, or none that ever had a value.
fn is_steps(data_type: &DataType) -> bool {
    match data_type {
        DataType::List(steps) | DataType::LargeList(steps) => matches!(
            steps.data_type(),
            DataType::Null | DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..)
        ),
        other => *other == DataType::Null,
    }
}

/// Returns the columns of these names, in their order. The name of a struct means all of its fields, and a pattern all
/// columns that it matches and that are not named themselves. `of` names the data in an error.
pub(crate) fn choose(all: &[Leaf], names: &[String], of: &str) -> Result<Vec<Leaf>, Failure> {
    let mut chosen: Vec<Leaf> = Vec::new();
    for name in names {
        let before = chosen.len();
        chosen.extend(all.iter().filter(|leaf| leaf.name == *name).cloned());
        if chosen.len() == before {
            let is_field = |leaf: &&Leaf| leaf.path.len() > 1 && *leaf.path.prefix(1).to_string() == **name;
            chosen.extend(all.iter().filter(is_field).cloned());
        }
        let pattern = NamePattern::new(name);
        if chosen.len() == before && pattern.is_pattern() {
            if !all.iter().any(|leaf| pattern.fits(&leaf.name)) {
                let hint = hint(all, &name.replace(['*', '?'], ""));
                return Err(Failure::Usage(format!("no column matches {name:?}; {hint}{of}")));
            }
            let known = names.iter().chain(chosen.iter().map(|leaf| &leaf.name)).collect::<HashSet<_>>();
            let is_new = |leaf: &&Leaf| pattern.fits(&leaf.name) && !known.contains(&leaf.name);
            let matching = all.iter().filter(is_new).cloned().collect::<Vec<_>>();
            chosen.extend(matching);
            continue;
        }
        if chosen.len() == before {
            return Err(Failure::Usage(format!("there is no column {name:?}; {}{of}", hint(all, name))));
        }
        if let Some(twin) = chosen.iter().find(|leaf| leaf.twin.is_some()) {
            return Err(Failure::Usage(format!(
                "several columns are called {:?}, and a name cannot choose one of them; show all columns",
                twin.name
            )));
        }
        let mut seen = HashSet::new();
        if let Some(twice) = chosen.iter().find(|leaf| !seen.insert(leaf.name.as_str())) {
            return Err(Failure::Usage(format!("the column {:?} is named twice; name it once", twice.name)));
        }
    }
    Ok(chosen)
}

fn hint(all: &[Leaf], name: &str) -> String {
    // The field of a name is nearer than any column.
    let field = all.iter().find(|leaf| leaf.path.len() > 1 && leaf.path.suffix(1).to_string() == name);
    match field {
        Some(field) => format!("did you mean {:?}?", field.name),
        None => suggest::hint(name, all.iter().map(|leaf| leaf.name.as_str()), "columns"),
    }
}

/// Returns the arrays of columns in a batch.
pub(crate) fn arrays(batch: &RecordBatch, leaves: &[Leaf]) -> Vec<(FieldRef, ArrayRef)> {
    let schema = batch.schema();
    let columns = by_name(schema.fields(), batch.columns());
    // Structs that were looked into, by where their fields are: each is gone over once, however many of its fields are shown.
    let mut structs = HashMap::new();
    let array = |leaf: &Leaf| {
        if let Some(index) = leaf.twin {
            return schema.fields().get(index).cloned().zip(batch.columns().get(index).cloned());
        }
        let (first, rest) = leaf.path.steps().split_first()?;
        let (mut field, mut array) = *columns.get(&**first)?;
        for step in rest {
            let of = array.as_struct_opt()?;
            let columns =
                structs.entry(std::ptr::from_ref(of)).or_insert_with(|| by_name(of.fields(), of.columns()));
            (field, array) = *columns.get(&**step)?;
        }
        Some((FieldRef::clone(field), ArrayRef::clone(array)))
    };
    leaves.iter().filter_map(array).collect()
}

/// Returns columns by their names, the first of those with the same.
fn by_name<'a>(
    fields: &'a Fields,
    columns: &'a [ArrayRef],
) -> HashMap<&'a str, (&'a FieldRef, &'a ArrayRef)> {
    let mut found = HashMap::with_capacity(columns.len());
    for (field, column) in fields.iter().zip(columns) {
        found.entry(field.name().as_str()).or_insert((field, column));
    }
    found
}

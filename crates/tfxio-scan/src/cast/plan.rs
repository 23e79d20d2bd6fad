//! A plan of what becomes of the columns of a schema.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, BooleanArray, GenericListArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use arrow_select::nullif::nullif;
use tfxio_core::{Batch, Error, ErrorKind, Loss, Position, Remedy, Result, suggest};

use super::column_change::{ColumnChange, Failed, item};
use super::leaf::Leaf;
use super::{CastOptions, CastType, shape};

/// The most columns that a message names.
const NAMED: usize = 8;

/// Output format of a plan.
#[allow(missing_debug_implementations, reason = "it holds functions")]
pub struct Target<'a> {
    /// Name of the format.
    pub name: &'a str,
    /// Returns whether the format takes a column.
    pub takes: &'a dyn Fn(&Field) -> bool,
    /// Returns what is lost of a column that it takes.
    pub losses: &'a dyn Fn(&Field) -> Vec<String>,
}

/// Casts of the columns of a schema. Compiled once; batches of the schema go through it.
#[derive(Debug)]
pub struct CastPlan {
    schema: SchemaRef,
    columns: Vec<Planned>,
    losses: Vec<Loss>,
    is_same: bool,
}

/// A column of the result.
#[derive(Debug)]
struct Planned {
    name: String,
    /// Index of the column, and of a field in each struct on the way.
    path: Vec<usize>,
    /// One after the other, each with whether it must be exact.
    changes: Vec<(ColumnChange, bool)>,
    /// Whether a value becomes a list of one.
    is_wrapped: bool,
}

impl CastPlan {
    /// Finds out what becomes of each column: it stays where the format takes it, and becomes the nearest type that the format
    /// takes otherwise.
    ///
    /// # Errors
    /// `Unsupported` for columns that become nothing that the format takes, each with its type, and, where nothing may be
    /// lost, for all that something is lost of; `InvalidArgument` for a cast of a column that is not there.
    pub fn new(schema: &SchemaRef, options: &CastOptions, target: &Target<'_>) -> Result<Self> {
        let mut planner = Planner {
            options,
            target,
            columns: Vec::new(),
            fields: Vec::new(),
            losses: Vec::new(),
            unfit: Vec::new(),
        };
        for (index, field) in schema.fields().iter().enumerate() {
            planner.column(field, vec![index], field.name())?;
        }
        planner.refuse_unknown_casts(schema)?;
        let Planner { columns, fields, losses, unfit, .. } = planner;
        refuse_unfit(&unfit, target.name)?;
        let mut counts = HashMap::new();
        for planned in &columns {
            *counts.entry(planned.name.as_str()).or_insert(0u32) += 1;
        }
        let is_twice =
            |planned: &&Planned| planned.path.len() > 1 && counts.get(planned.name.as_str()) > Some(&1);
        if let Some(twice) = columns.iter().find(is_twice) {
            let what = "a field of a struct, taken apart, would have the name of another column";
            let error =
                Error::new(ErrorKind::Unsupported, what).help("leave one of the two out, or rename it");
            return Err(error.at(Position::new().column(twice.name.as_str())));
        }
        if let Some(twice) = columns.iter().find(|planned| counts.get(planned.name.as_str()) > Some(&1)) {
            let what = "two columns have this name, and columns are known by their names";
            let error = Error::new(ErrorKind::Unsupported, what).help("rename one in the input");
            return Err(error.at(Position::new().column(twice.name.as_str())));
        }
        if options.is_lossless {
            refuse_losses(&losses)?;
        }
        let is_same = columns.iter().enumerate().all(|(index, planned)| {
            planned.path == [index] && planned.changes.is_empty() && !planned.is_wrapped
        }) && columns.len() == schema.fields().len();
        let schema = match is_same {
            true => Arc::clone(schema),
            false => Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())),
        };
        Ok(Self { schema, columns, losses, is_same })
    }

    /// Returns the columns that batches become.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns what is lost.
    pub fn losses(&self) -> &[Loss] {
        &self.losses
    }

    /// Changes a batch of the schema that was planned for.
    ///
    /// # Errors
    /// `SchemaMismatch`, with column and record, for a value that does not fit.
    pub fn apply(&self, batch: Batch) -> Result<Batch> {
        if self.is_same {
            return Ok(batch);
        }
        let columns = self.columns.iter().map(|planned| {
            planned.apply(batch.columns()).map_err(|failed| match failed {
                Failed::Unfit(unfit) => {
                    let position = Position::new().column(planned.name.as_str()).row(unfit.index as u64);
                    let help = "leave the column out, or cast it to another type";
                    let error = Error::new(ErrorKind::SchemaMismatch, unfit.what).help(help).at(position);
                    batch.locate(error.remedied_by(Remedy::CastColumn))
                }
                Failed::Other(error) => error,
            })
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let columns = RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?;
        Ok(Batch::new(columns, batch.into_parts().1))
    }
}

impl Planned {
    fn apply(&self, batch: &RecordBatch) -> Result<ArrayRef, Failed> {
        let mut steps = self.path.iter();
        let mut array = Arc::clone(batch.column(steps.next().copied().unwrap_or_default()));
        for field in steps {
            let structs = array.as_struct();
            let inner = structs.column(*field);
            // A field of a struct without a value has none.
            array = match structs.nulls().filter(|nulls| nulls.null_count() > 0) {
                Some(nulls) if *inner.data_type() != DataType::Null => {
                    nullif(inner, &BooleanArray::new(!nulls.inner(), None))?
                }
                _ => Arc::clone(inner),
            };
        }
        for (change, is_exact) in &self.changes {
            array = change.apply(&array, *is_exact)?;
        }
        if !self.is_wrapped {
            return Ok(array);
        }
        let item = wrapped_item(array.data_type());
        let (offsets, nulls) = (OffsetBuffer::from_repeated_length(1, array.len()), array.logical_nulls());
        Ok(Arc::new(GenericListArray::<i64>::try_new(item, offsets, array, nulls)?))
    }
}

fn wrapped_item(values: &DataType) -> FieldRef {
    Arc::new(Field::new_list_field(values.clone(), true))
}

struct Planner<'a> {
    options: &'a CastOptions,
    target: &'a Target<'a>,
    columns: Vec<Planned>,
    fields: Vec<Field>,
    losses: Vec<Loss>,
    unfit: Vec<(String, DataType)>,
}

impl Planner<'_> {
    /// Plans a column, or a field of one.
    fn column(&mut self, field: &Field, path: Vec<usize>, name: &str) -> Result<()> {
        let named = field.clone().with_name(name);
        let mut changes = Vec::new();
        let mut field = named;
        if let (Some(is_nullable), Some(item)) = (self.options.single.get(name), item(field.data_type())) {
            let to = item.data_type().clone();
            changes.push((ColumnChange::Single(*is_nullable), false));
            field = changed(&field, to).with_nullable(*is_nullable);
        }
        if self.options.texts.contains(name)
            && let Some((change, to)) = ColumnChange::of(field.data_type(), &|_| Some(Leaf::Text))
        {
            changes.push((change, false));
            field = changed(&field, to);
        }
        if let Some(cast) = self.options.cast(name) {
            let leaf = cast.leaf();
            let from = field.data_type().clone();
            let Some((change, to)) = ColumnChange::of(&from, &|values| leaf.of(values).map(|_| leaf)) else {
                return Err(not_castable(name, &from, cast));
            };
            // What is rounded is an error of its value where nothing may be lost; a time zone is lost of all values.
            if !self.options.is_lossless || leaf == Leaf::Text {
                self.lose(name, &from, &|_| Some(leaf));
            }
            changes.push((change, self.options.is_lossless));
            field = changed(&field, to);
        }
        if self.fits(&field, &path, name, &changes) {
            return Ok(());
        }
        let from = field.data_type().clone();
        // What loses its shape comes last.
        if let Some((to, what)) = shape::flat(&from) {
            let flat = changed(&field, to);
            let changes = changes.iter().cloned().chain([(ColumnChange::Flatten, false)]).collect::<Vec<_>>();
            if self.fits(&flat, &path, name, &changes) {
                self.losses.push(Loss::new(name, what));
                return Ok(());
            }
        }
        // A struct that is cast as a whole is not taken apart.
        if let (DataType::Struct(fields), true) = (&from, changes.is_empty())
            && !fields.is_empty()
        {
            let before = self.unfit.len();
            for (index, field) in fields.iter().enumerate() {
                let path = path.iter().copied().chain([index]).collect();
                let name = format!("{name}.{}", field.name());
                if !self.options.excluded.iter().any(|excluded| excluded.fits(&name)) {
                    self.column(field, path, &name)?;
                }
            }
            if self.unfit.len() == before {
                let mut what = "a struct becomes a column for each of its fields".to_owned();
                if field.is_nullable() {
                    what += ", and one without a value is like one whose fields have none";
                }
                self.losses.push(Loss::new(name, what));
            }
            return Ok(());
        }
        self.unfit.push((name.to_owned(), from));
        Ok(())
    }

    /// Plans a column as the nearest type that the format takes, after some changes. Returns whether there is one.
    fn fits(&mut self, field: &Field, path: &[usize], name: &str, changes: &[(ColumnChange, bool)]) -> bool {
        let from = field.data_type().clone();
        for (leaf, is_list) in CANDIDATES {
            // What is nested already is not made a list of one.
            if is_list
                && (from.is_nested()
                    && !matches!(from, DataType::Dictionary(..) | DataType::RunEndEncoded(..)))
            {
                continue;
            }
            let Some((change, to)) = leaf
                .and_then(|leaf| ColumnChange::of(&from, &leaf))
                .or_else(|| leaf.is_none().then(|| (ColumnChange::Keep, from.clone())))
            else {
                continue;
            };
            let mut fitting = if to == from { field.clone() } else { changed(field, to.clone()) };
            if is_list {
                fitting = changed(field, DataType::LargeList(wrapped_item(&to)));
            }
            if !(self.target.takes)(&fitting) {
                continue;
            }
            if let Some(leaf) = leaf {
                self.lose(name, &from, &leaf);
            }
            let lost = (self.target.losses)(&fitting).into_iter();
            self.losses.extend(lost.map(|what| Loss::new(name, what)));
            let mut changes = changes.to_vec();
            if change != ColumnChange::Keep {
                changes.push((change, false));
            }
            let path = path.to_vec();
            self.columns.push(Planned { name: name.to_owned(), path, changes, is_wrapped: is_list });
            self.fields.push(fitting);
            return true;
        }
        false
    }

    /// Notes what is lost of the values of a column.
    fn lose(&mut self, name: &str, data_type: &DataType, leaf: &dyn Fn(&DataType) -> Option<Leaf>) {
        let mut found = Vec::new();
        leaves(data_type, &mut |values| {
            let loss = leaf(values).and_then(|leaf| leaf.loss(values));
            found.extend(loss.filter(|loss| !found.contains(loss)));
        });
        self.losses.extend(found.into_iter().map(|what| Loss::new(name, what)));
    }

    /// Refuses a cast of a column that is not there.
    fn refuse_unknown_casts(&self, schema: &Schema) -> Result<()> {
        let planned = self.columns.iter().map(|planned| planned.name.as_str());
        let unfit = self.unfit.iter().map(|(name, _)| name.as_str());
        let known = planned.chain(unfit);
        let is_known =
            |name: &String| known.clone().any(|known| known == name) || schema.field_with_name(name).is_ok();
        if let Some((name, _)) = self.options.casts.iter().find(|(name, _)| !is_known(name)) {
            let what = format!("there is no column {name:?} to cast");
            let hint = suggest::hint(name, known.clone(), "columns");
            return Err(Error::new(ErrorKind::InvalidArgument, what).help(hint));
        }
        Ok(())
    }
}

type OfValues = fn(&DataType) -> Option<Leaf>;

/// Candidate casts of columns, the nearest first, each with whether a value becomes a list of one.
const CANDIDATES: [(Option<OfValues>, bool); 8] = [
    (None, false),
    (Some(plain), false),
    (Some(plain), true),
    (Some(common), false),
    (Some(wider_but_nothing), false),
    (Some(wider), false),
    (Some(wider), true),
    (None, true),
];

fn plain(_: &DataType) -> Option<Leaf> {
    Some(Leaf::Plain)
}

/// Returns what values of a type become that are the same in another unit.
fn common(values: &DataType) -> Option<Leaf> {
    Some(if super::times::common(values).is_some() { Leaf::Common } else { Leaf::Plain })
}

/// Returns what values of a type become where they cannot stay.
fn wider(values: &DataType) -> Option<Leaf> {
    Some(match values {
        DataType::Float16 | DataType::Float64 => Leaf::Float32,
        DataType::FixedSizeBinary(_) => Leaf::Bytes,
        DataType::Boolean => Leaf::Int64,
        DataType::Null => Leaf::Nothing,
        values if values.is_integer() || super::times::unit(values).is_some() => Leaf::Int64,
        _ => Leaf::Plain,
    })
}

/// Returns the same, and lets stay what never has a value: a feature list whose steps have none, among others.
fn wider_but_nothing(values: &DataType) -> Option<Leaf> {
    if *values == DataType::Null { Some(Leaf::Plain) } else { wider(values) }
}

/// Returns a field of another type, without the metadata of the one before.
fn changed(field: &Field, to: DataType) -> Field {
    field.clone().with_data_type(to).with_metadata(Default::default())
}

/// Calls a function with the types of all values of a column.
pub fn leaves(data_type: &DataType, visit: &mut dyn FnMut(&DataType)) {
    match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::RunEndEncoded(_, item) => leaves(item.data_type(), visit),
        DataType::Dictionary(_, values) => leaves(values, visit),
        DataType::Map(entries, _) => leaves(entries.data_type(), visit),
        DataType::Struct(fields) => fields.iter().for_each(|field| leaves(field.data_type(), visit)),
        values => visit(values),
    }
}

/// Returns whether a column has values of a type.
pub fn has(data_type: &DataType, wanted: &DataType) -> bool {
    let mut found = false;
    leaves(data_type, &mut |values| found |= values == wanted);
    found
}

/// Returns a type as a message shows it.
fn shown(data_type: &DataType) -> String {
    const MOST: usize = 60;
    let text = data_type.to_string();
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// Returns the casts that values of a type have.
fn casts_of(data_type: &DataType) -> String {
    let fits = |cast: &&CastType| {
        let leaf = cast.leaf();
        ColumnChange::of(data_type, &|values| leaf.of(values).map(|_| leaf)).is_some()
    };
    let names = CastType::ALL.iter().filter(fits).map(|cast| cast.name());
    names.collect::<Vec<_>>().join(", ")
}

fn not_castable(name: &str, data_type: &DataType, cast: CastType) -> Error {
    let what = format!("the column has the type {}, which has no cast to {}", shown(data_type), cast.name());
    let error = Error::new(ErrorKind::Unsupported, what).at(Position::new().column(name));
    match casts_of(data_type) {
        casts if casts.is_empty() => error.help("it has no casts; leave the column out"),
        casts => error
            .help(format!("cast it to one of {casts}, or leave the column out"))
            .remedied_by(Remedy::CastColumn),
    }
}

fn refuse_unfit(unfit: &[(String, DataType)], format: &str) -> Result<()> {
    let Some(((name, data_type), others)) = unfit.split_first() else { return Ok(()) };
    let what = format!("the format {format} does not take a column of the type {}", shown(data_type));
    let casts = casts_of(data_type);
    let mut help = match &*casts {
        "" => "leave the column out".to_owned(),
        casts => format!("leave the column out, or cast it to one of {casts}"),
    };
    if !others.is_empty() {
        help += "; the same is true of ";
        list(&mut help, others.iter().map(|(name, data_type)| format!("{name:?} ({})", shown(data_type))));
    }
    let error = Error::new(ErrorKind::Unsupported, what).help(help).at(Position::new().column(name.as_str()));
    Err(if casts.is_empty() { error } else { error.remedied_by(Remedy::CastColumn) })
}

/// Refuses to lose anything.
pub fn refuse_losses(losses: &[Loss]) -> Result<()> {
    if losses.is_empty() {
        return Ok(());
    }
    let mut what = "something would be lost: ".to_owned();
    list(&mut what, losses.iter().map(|loss| format!("column {:?}: {}", loss.column, loss.what)));
    let help = "leave the columns out, cast them, or allow the losses";
    Err(Error::new(ErrorKind::Unsupported, what).help(help).remedied_by(Remedy::CastColumn))
}

/// Appends the first of some texts, and how many there are beside them.
fn list(out: &mut String, texts: impl ExactSizeIterator<Item = String>) {
    let more = texts.len().saturating_sub(NAMED);
    *out += &texts.take(NAMED).collect::<Vec<_>>().join("; ");
    if more > 0 {
        let _ = write!(out, "; and {more} more");
    }
}

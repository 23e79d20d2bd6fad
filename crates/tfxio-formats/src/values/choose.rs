//! Choice of the columns that become scalars, and of the ones that become text.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Schema};
use tfxio_core::{ColumnPath, Dataset, Error, ErrorKind, Position, Result, suggest};
use tfxio_scan::cast::{leaves, may_be_single, text_leaves};

use super::names::{self, Names};
use super::options::{SCALARS, TEXT, ValueColumns, ValueOptions};
use super::{sample, steps};

/// Columns that become scalars, and bytes that become text.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    pub(super) scalars: HashSet<String>,
    /// Sequence features whose steps become values.
    pub(super) steps: BTreeSet<ColumnPath>,
    pub(super) texts: BTreeSet<ColumnPath>,
}

/// Chooses columns according to the options, by the types of the columns, then by the schema of TensorFlow Metadata with which the data set
/// was opened, then by its first records.
pub(super) fn choose(dataset: &Arc<dyn Dataset>, options: &ValueOptions) -> Result<Chosen> {
    let schema = dataset.schema();
    let mut paths = Vec::new();
    for field in schema.fields() {
        text_leaves(field, &ColumnPath::from(field.name().as_str()), &mut paths);
    }
    let columns = NamedColumns::new(schema);
    let (mut chosen, mut wanted) = (Chosen::default(), sample::Wanted::default());
    match &options.scalars {
        ValueColumns::Nothing => {}
        ValueColumns::Named(given) => {
            let sequences = steps::sequences(schema).map(|path| (names::name(&path), path));
            let mut sequences = sequences.collect::<HashMap<_, _>>();
            for name in given {
                match sequences.remove(name) {
                    Some(path) => _ = chosen.steps.insert(path),
                    None => chosen.scalars.extend(columns.scalar(name)?),
                }
            }
        }
        ValueColumns::Found => {
            let is_once = |path: &ColumnPath| path.initial_step().is_ok_and(|name| columns.has_once(name));
            wanted.steps = steps::sequences(schema).filter(is_once).collect();
            let said = said(dataset);
            for field in
                schema.fields().iter().filter(|field| may_be_single(field) && columns.has_once(field.name()))
            {
                let name = || field.name().clone();
                match (field.data_type(), said.get(field.name())) {
                    (DataType::FixedSizeList(_, 1), _) | (_, Some(true)) => _ = chosen.scalars.insert(name()),
                    (DataType::FixedSizeList(..), _) | (_, Some(false)) => {}
                    (_, None) => _ = wanted.scalars.insert(name()),
                }
            }
        }
    }
    match &options.text {
        ValueColumns::Nothing => {}
        ValueColumns::Named(given) => {
            let names = Names::new(&paths);
            for name in given {
                chosen.texts.extend(columns.texts(name, &names)?);
            }
        }
        ValueColumns::Found => {
            let is_once = |path: &&ColumnPath| path.initial_step().is_ok_and(|name| columns.has_once(name));
            wanted.texts.extend(paths.iter().filter(is_once).cloned());
        }
    }
    sample::look(dataset, wanted, options, &mut chosen)?;
    Ok(chosen)
}

/// Columns of a data set by their names; an option may name a column with dots in its name like one within a struct.
struct NamedColumns<'a> {
    schema: &'a Schema,
    /// The first column of a name, and how many have it.
    by_name: HashMap<&'a str, (&'a FieldRef, u32)>,
    by_written: HashMap<String, &'a str>,
}

impl<'a> NamedColumns<'a> {
    fn new(schema: &'a Schema) -> Self {
        let (mut by_name, mut by_written) = (HashMap::new(), HashMap::new());
        for field in schema.fields() {
            let name = field.name().as_str();
            by_name.entry(name).or_insert((field, 0u32)).1 += 1;
            by_written.insert(names::name(&ColumnPath::from(name)), name);
        }
        Self { schema, by_name, by_written }
    }

    /// Returns whether exactly one column has the name: a name of several means none of them.
    fn has_once(&self, name: &str) -> bool {
        self.by_name.get(name).is_some_and(|(_, count)| *count == 1)
    }

    /// Returns the column that an option names.
    fn named(&self, name: &str, option: &str) -> Result<&'a Field> {
        let known = self.by_written.get(name).copied().unwrap_or(name);
        match self.by_name.get(known) {
            Some((field, 1)) => Ok(field),
            Some(_) => Err(named_twice(name)),
            None => Err(unknown(self.schema, name, option)),
        }
    }

    /// Returns the column that is named as one of scalars; nothing where its values are not lists already.
    fn scalar(&self, name: &str) -> Result<Option<String>> {
        let field = self.named(name, SCALARS)?;
        let refused = |what: String, help: &str| {
            let error = Error::new(ErrorKind::InvalidArgument, what).help(help);
            Err(error.at(Position::new().column(field.name().as_str())))
        };
        match field.data_type() {
            DataType::FixedSizeList(_, size) if *size != 1 => {
                let what = format!(
                    "each record has a list of {size} values, and the option scalars names the column"
                );
                refused(what, "name columns of one value a record")
            }
            _ if may_be_single(field) => Ok(Some(field.name().clone())),
            data_type if data_type.is_nested() => {
                let what = format!("the column has the type {data_type}, and the option scalars names it");
                refused(what, "name columns of lists of values")
            }
            _ => Ok(None),
        }
    }

    /// Returns the bytes that are named as text; none where they are text already.
    fn texts(&self, name: &str, names: &Names<'_>) -> Result<Vec<ColumnPath>> {
        let found = names.of(name).collect::<Vec<_>>();
        let is_once = |path: &&ColumnPath| path.initial_step().is_ok_and(|name| self.has_once(name));
        if !found.iter().all(is_once) {
            return Err(named_twice(name));
        }
        if !found.is_empty() {
            return Ok(found.into_iter().cloned().collect());
        }
        let field = self.named(name, TEXT)?;
        let mut has_text = false;
        leaves(field.data_type(), &mut |values| has_text |= values.is_string());
        if has_text {
            return Ok(Vec::new());
        }
        let what = format!("the column has the type {}, and the option text names it", field.data_type());
        let error = Error::new(ErrorKind::InvalidArgument, what).help("name columns of bytes");
        Err(error.at(Position::new().column(field.name().as_str())))
    }
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

/// Returns the columns for which the schema of TensorFlow Metadata declares the number of values a record, each with whether it is one.
#[cfg(feature = "tensors")]
fn said(dataset: &Arc<dyn Dataset>) -> HashMap<String, bool> {
    use tensor_repr::schema_file;
    use tfxio_core::shared_options::SCHEMA;

    let spec = dataset.local_spec();
    let Some(tfxio_core::OptionValue::Text(text)) =
        spec.as_ref().ok().and_then(|spec| spec.options.get(SCHEMA))
    else {
        return HashMap::new();
    };
    // An option of this name of a foreign format may be something else.
    let Ok(schema) = schema_file::parse(text) else { return HashMap::new() };
    let mut said = HashMap::<_, Option<bool>>::new();
    for feature in schema.features() {
        // Of two features of one name the first counts.
        said.entry(feature.name().to_owned()).or_insert(feature.is_single());
    }
    said.into_iter().filter_map(|(name, is_single)| Some((name, is_single?))).collect()
}

/// Returns none: without the feature, data sets have no such schema.
#[cfg(not(feature = "tensors"))]
fn said(_: &Arc<dyn Dataset>) -> HashMap<String, bool> {
    HashMap::new()
}

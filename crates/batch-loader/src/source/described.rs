//! The data set that a manifest describes.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema};
use tfxio_core::suggest::hint;
use tfxio_core::{ColumnPath, DatasetSpec, Formats, OptionValue, Predicate, ScanRequest, Store};

use super::Parts;
use super::explain::Explain;
use super::filter::Filter;
use crate::config::KeepIndex;
use crate::error::Locate as _;
use crate::manifest::{Compression, Deserialize, FORMAT, Feature, Manifest};
use crate::{Error, Kind, Result};

/// Data set as a manifest and a configuration describe it.
pub(crate) struct Described<'a> {
    pub(crate) manifest: &'a Manifest,
    pub(crate) files: Vec<Arc<str>>,
    /// Names of the features that are read.
    pub(crate) read: Vec<&'a Arc<str>>,
    pub(crate) filter: Option<&'a Predicate>,
    pub(crate) keep: KeepIndex,
    pub(crate) index_dir: Option<PathBuf>,
}

/// Opens the data set that a manifest describes.
///
/// # Errors
/// When the format of the files is not among the given ones, and the errors of the format.
pub(crate) fn open(
    described: Described<'_>,
    formats: &Formats,
    store: Arc<dyn Store>,
    request: ScanRequest,
) -> Result<Parts> {
    let (manifest, read) = (described.manifest, described.read.clone());
    let explain = Explain::manifest(manifest.compression != Compression::None);
    if formats.file_format(FORMAT).is_err() {
        let what =
            format!("the files of a manifest have the format {FORMAT}, which the loader was not given");
        return Err(Error::new(Kind::MissingArgument, what)
            .help("give it formats that include it: `LoaderBuilder::formats`"));
    }
    described.check_filter()?;
    let predicate = described.filter;
    let (spec, mut columns) = described.spec();
    let filter = predicate.map(|predicate| {
        let column = |name: &str| columns.iter().find(|column| is_of(column, name)).cloned();
        Filter::new(predicate, &column)
    });
    let read = read.iter().map(|name| &***name).collect::<HashSet<&str>>();
    columns.retain(|column| column.steps().last().is_some_and(|last| read.contains(&**last)));
    let dataset = formats.open(&spec, store, request.clone()).map_err(|error| explain.error(error))?;
    Parts::new(dataset, columns, filter, request, explain)
}

/// Returns whether a column is that of a feature.
fn is_of(column: &ColumnPath, name: &str) -> bool {
    column.steps().last().is_some_and(|last| **last == *name)
}

/// Returns the size of a file.
///
/// # Errors
/// When the file does not exist.
pub(crate) fn size(store: &dyn Store, name: &str) -> Result<Option<u64>> {
    store.size(name).map_err(|error| Explain::manifest(false).error(error))
}

impl<'a> Described<'a> {
    /// Refuses a filter on what the manifest does not describe.
    fn check_filter(&self) -> Result<()> {
        let known = |name: &str| self.manifest.features.iter().any(|feature| *feature.name == *name);
        match self.filtered().find(|name| !known(name)) {
            Some(name) => {
                let features = self.manifest.features.iter().map(|feature| &*feature.name);
                let what = format!("the filter names the feature {name:?}, which the data set does not have");
                let hint = hint(name, features, "features of the manifest");
                Err(Error::new(Kind::InvalidValue, what).help(hint).at_json("filter"))
            }
            None => Ok(()),
        }
    }

    /// The names of the features of the filter.
    fn filtered(&self) -> impl Iterator<Item = &'a str> {
        let mut columns = Vec::new();
        if let Some(filter) = self.filter {
            filter.columns(&mut columns);
        }
        columns.into_iter().filter_map(|column| column.steps().first().map(|step| &**step))
    }

    /// Returns the description of the data set, and its columns.
    fn spec(self) -> (DatasetSpec, Vec<ColumnPath>) {
        let filtered = self.filtered().collect::<Vec<_>>();
        let Self { manifest, files, read, keep, index_dir, .. } = self;
        let read =
            read.iter().map(|name| &***name).chain(filtered.iter().copied()).collect::<HashSet<&str>>();
        let is_read = |feature: &&Feature| read.contains(&*feature.name);
        let features = manifest.features.iter().filter(is_read);
        let (lists, context): (Vec<_>, Vec<_>) = features.partition(|feature| feature.var_len);
        let mut fields = context.iter().map(|feature| field(feature)).collect::<Vec<_>>();
        let mut columns = context.iter().map(|feature| ColumnPath::from(&*feature.name)).collect::<Vec<_>>();
        let mut options = BTreeMap::new();
        let mut set = |key: &str, value: OptionValue| options.insert(key.to_owned(), value);
        if manifest.allow_var_len {
            // Not the name of a feature.
            let mut column = "##SEQUENCE##".to_owned();
            while manifest.features.iter().any(|feature| *feature.name == *column) {
                column.push('#');
            }
            columns.extend(lists.iter().map(|feature| ColumnPath::new([column.as_str(), &*feature.name])));
            let lists = lists.iter().map(|feature| field(feature)).collect::<Fields>();
            fields.push(Field::new(column.as_str(), DataType::Struct(lists), true));
            set("sequence_column", column.into());
        }
        set("records", if manifest.allow_var_len { "sequence_example" } else { "example" }.into());
        let compression = match manifest.compression {
            Compression::None => "none",
            Compression::Gzip => "gzip",
            Compression::Zlib => "zlib",
        };
        set("compression", compression.into());
        // A manifest need not describe every feature.
        set("unknown_features", "ignore".into());
        set("fixed_size_lists", true.into());
        match keep {
            KeepIndex::None => {}
            KeepIndex::Beside => _ = set("keep_index", "beside".into()),
            KeepIndex::Cache => _ = set("keep_index", "cache".into()),
        }
        if let Some(folder) = index_dir {
            set("index_dir", folder.to_string_lossy().into_owned().into());
        }
        let schema = Arc::new(Schema::new(fields));
        (DatasetSpec::new(FORMAT, files, schema).options(options), columns)
    }
}

/// Returns the column of a feature.
fn field(feature: &Feature) -> Field {
    let value = match feature.deserialize {
        Deserialize::Int => DataType::Int64,
        Deserialize::Float => DataType::Float32,
        Deserialize::String | Deserialize::Raw { .. } => DataType::LargeBinary,
    };
    let list = |value| Arc::new(Field::new("item", value, true));
    let data_type = if feature.var_len {
        DataType::LargeList(list(DataType::LargeList(list(value))))
    } else {
        match i32::try_from(feature.values()) {
            // Other lengths are compared when tensors are made.
            Ok(len @ 1..) => DataType::FixedSizeList(list(value), len),
            _ => DataType::LargeList(list(value)),
        }
    };
    Field::new(&*feature.name, data_type, true)
}

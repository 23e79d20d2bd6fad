//! A manifest and a first configuration from a look at a data set.

mod record_statistics;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::Array as _;
use arrow_schema::{DataType, Field};
use tensor_repr::Values;
use tfxio_core::{Cancel, ColumnPath, Count, DType, Dataset, DatasetSpec, OptionValue, Store};

use self::record_statistics::{FeatureStatistics, RecordStatistics, read_first};
use super::{Compression, Deserialize, FILE_NAME, FORMAT, Feature, Manifest, derive};
use crate::by_name::ByName;
use crate::config::{
    Constant, DatasetSource, DefaultValue, LoaderConfig, Operation, Padding, PrimaryFeature, ProcessingStep,
    Slice, SliceAxis, TensorDefault, write,
};
use crate::{Error, Kind, Result};

/// The option of records that makes lists of a fixed length of features that have one.
const FIXED_SIZE_LISTS: &str = "fixed_size_lists";
/// Bytes that tell how a file is compressed.
const START: u64 = 8;

/// Draft of a manifest and a first configuration, inferred from the records of a data set, which load it at once.
///
/// The data set is one of TFRecord files with tf.Examples or tf.SequenceExamples, as a manifest describes them; or, where the source is
/// a [description](DatasetSource::Spec), any that has one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Draft {
    /// The manifest.
    pub manifest: Manifest,
    /// The configuration: all features of the manifest, in order, in batches of 32.
    pub config: LoaderConfig,
    /// Columns that are in neither, each with the reason.
    pub left_out: Vec<(Arc<str>, String)>,
    /// Records that were read.
    pub records: u64,
    /// The description of the data set, where it replaces the manifest. The names of its files may be changed.
    pub spec: Option<DatasetSpec>,
}

/// Returns the step that takes the only value of a tensor out of its list, or that of each of its steps.
fn first_of(tensor: Arc<str>, of_steps: bool) -> ProcessingStep {
    let all = SliceAxis::Range { start: None, stop: None, step: 1 };
    let axes = of_steps.then_some(all).into_iter().chain([SliceAxis::Index(0)]).collect();
    ProcessingStep { tensor, operation: Operation::Slice(Slice { axes }) }
}

impl Draft {
    /// Infers a draft from the first `records` records of a data set, whose files are in the store and are named by the
    /// source.
    ///
    /// # Errors
    /// - [`Kind::InvalidValue`] if the files are not TFRecord files, or are compressed in several ways.
    /// - [`Kind::InvalidValue`] if no feature can be loaded.
    /// - Whatever is wrong with the records.
    pub fn of(dataset: &dyn Dataset, store: &dyn Store, source: DatasetSource, records: u64) -> Result<Self> {
        let spec = dataset.spec()?;
        if matches!(source, DatasetSource::Spec { .. }) {
            return Self::of_any(dataset, spec, source, records);
        }
        if spec.format != FORMAT {
            let what =
                format!("a manifest describes files of the format {FORMAT}, these have {}", spec.format);
            return Err(Error::new(Kind::InvalidValue, what)
                .help("load them in a program, by `BatchLoader::over`, or convert them"));
        }
        let RecordStatistics { columns, features, records: read } = RecordStatistics::at(dataset, records)?;
        let is_sequence = columns.iter().any(|(parent, _)| parent.is_some());
        let mut draft = Self {
            manifest: Manifest {
                compression: compression(store, &spec.files)?,
                allow_var_len: is_sequence,
                features: Vec::new(),
            },
            config: LoaderConfig { dataset: Some(source), ..LoaderConfig::independent(32) },
            left_out: Vec::new(),
            records: read,
            spec: None,
        };
        for ((parent, field), feature) in columns.iter().zip(features) {
            draft.add(field, parent.is_some(), feature);
        }
        if draft.manifest.features.is_empty() && read == 0 {
            return Err(no_records());
        }
        if draft.manifest.features.is_empty() {
            let why =
                draft.left_out.first().map(|(name, why)| format!("; {name:?} {why}")).unwrap_or_default();
            let what =
                format!("no feature of the {} can be loaded by a manifest{why}", Count::of(read, "record"));
            return Err(Error::new(Kind::InvalidValue, what)
                .help("load the data set in a program, by `BatchLoader::over`"));
        }
        Ok(draft)
    }

    /// Returns whether a manifest describes a data set: whether its files are TFRecord files with tf.Examples or tf.SequenceExamples.
    #[must_use]
    pub fn is_of_manifest(spec: &DatasetSpec) -> bool {
        let records = spec.options.get("records");
        let is_example = |records: &OptionValue| matches!(records, OptionValue::Text(name) if name == "example" || name == "sequence_example");
        spec.format == FORMAT && records.is_none_or(is_example)
    }

    /// Returns whether a manifest can declare the number of values of each feature, judging by the first `records`
    /// records: a feature of tf.Examples needs the same number in each record that has it, a feature list in each step; and no feature list
    /// has the name of a feature of the context. Where a manifest cannot, a [description](DatasetSource::Spec) can.
    ///
    /// # Errors
    /// Whatever is wrong with the records.
    pub fn fits_manifest(dataset: &dyn Dataset, records: u64) -> Result<bool> {
        let RecordStatistics { columns, features, .. } = RecordStatistics::at(dataset, records)?;
        let mut names = HashSet::new();
        let is_once = columns.iter().all(|(_, field)| names.insert(field.name()));
        let is_even = |feature: &FeatureStatistics| feature.values.is_none_or(|(least, most)| least == most);
        Ok(is_once && features.iter().all(is_even))
    }

    /// Looks at the records of a data set of any format, whose features are what a loader over it has.
    fn of_any(
        dataset: &dyn Dataset,
        mut spec: DatasetSpec,
        source: DatasetSource,
        records: u64,
    ) -> Result<Self> {
        let mut singles = Vec::new();
        if Self::is_of_manifest(&spec) {
            (spec.schema, singles) = RecordStatistics::at(dataset, records)?.schema(dataset.schema());
            spec.options.insert(FIXED_SIZE_LISTS.to_owned(), OptionValue::Bool(true));
        }
        let derived = derive(&spec.schema);
        let features = &derived.manifest.features;
        let mut absent = vec![0u64; features.len()];
        let read = read_first(dataset, records, |batch| {
            let mut columns = ByName::new(batch);
            for (feature, absent) in features.iter().zip(&mut absent) {
                let steps = derived.column(&feature.name).and_then(|path| columns.steps(&path));
                let column = steps.as_ref().and_then(|steps| steps.last());
                let nulls = column.map_or(0, |column| column.logical_null_count() as u64);
                *absent = absent.saturating_add(nulls);
            }
        })?;
        let mut config = LoaderConfig { dataset: Some(source), ..LoaderConfig::independent(32) };
        let single = |path: &ColumnPath| {
            let named =
                features.iter().find(|feature| derived.column(&feature.name).as_ref() == Some(path))?;
            Some(first_of(Arc::clone(&named.name), named.var_len))
        };
        config.processing_steps = singles.iter().filter_map(single).collect();
        for (feature, absent) in features.iter().zip(absent) {
            let name = || Arc::clone(&feature.name);
            config.primary_features.push(PrimaryFeature { from_name: name(), to_name: name() });
            if feature.var_len {
                config.padding = Padding::All;
            }
            if absent > 0 {
                let value = match (feature.var_len, &feature.deserialize) {
                    (true, _) => DefaultValue::List(Vec::new()),
                    (false, Deserialize::String) => DefaultValue::Cells(Constant::String(String::new())),
                    (false, _) => DefaultValue::Cells(Constant::Int(0)),
                };
                config.defaults.push(TensorDefault::new(name(), value));
            }
        }
        if config.primary_features.is_empty() && read == 0 {
            return Err(no_records());
        }
        if config.primary_features.is_empty() {
            let refused = derived.refused.first();
            let why =
                refused.map(|(name, of)| format!("; {name:?} has the Arrow type {of}")).unwrap_or_default();
            let what = format!("no column of the data set can be loaded{why}");
            let help = "load columns of numbers, booleans, strings or binary values, or of one list of these";
            return Err(Error::new(Kind::InvalidValue, what).help(help));
        }
        let refused = derived.refused.iter();
        let left_out = refused.map(|(name, of)| (Arc::clone(name), format!("has the Arrow type {of}")));
        let left_out = left_out.collect();
        Ok(Self { manifest: derived.manifest, config, left_out, records: read, spec: Some(spec) })
    }

    fn add(&mut self, field: &Field, var_len: bool, feature: FeatureStatistics) {
        let name: Arc<str> = field.name().as_str().into();
        let mut data_type = field.data_type();
        while let DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) =
            data_type
        {
            data_type = item.data_type();
        }
        let kind = match Values::dtype_of(data_type) {
            Some(DType::Int64) => Some((DType::Int64, Deserialize::Int, Constant::Int(0))),
            Some(DType::Float32) => Some((DType::Float32, Deserialize::Float, Constant::Int(0))),
            Some(DType::String) => {
                Some((DType::String, Deserialize::String, Constant::String(String::new())))
            }
            _ => None,
        };
        let shape = match feature.values {
            Some((least, most)) if least == most && most == 1 => Ok(Vec::new()),
            Some((least, most)) if least == most && most > 1 => Ok(vec![most]),
            // A sequence whose steps are none has steps of single values as far as can be seen.
            None if var_len && feature.absent < self.records => Ok(Vec::new()),
            None | Some((0, 0)) => Err("has no value in these records".to_owned()),
            Some((least, most)) => {
                let of = if var_len { "a step" } else { "a record" };
                Err(format!("has {least} to {most} values {of}, and a manifest takes as many in each"))
            }
        };
        match (kind, shape) {
            (Some((dtype, deserialize, value)), Ok(shape)) => {
                let primary = PrimaryFeature { from_name: Arc::clone(&name), to_name: Arc::clone(&name) };
                self.config.primary_features.push(primary);
                if var_len {
                    self.config.padding = Padding::All;
                }
                if feature.absent > 0 {
                    let value =
                        if var_len { DefaultValue::List(Vec::new()) } else { DefaultValue::Cells(value) };
                    self.config.defaults.push(TensorDefault::new(Arc::clone(&name), value));
                }
                self.manifest.features.push(Feature { name, dtype, shape, var_len, deserialize });
            }
            (None, _) => self.left_out.push((name, format!("has the Arrow type {}", field.data_type()))),
            (_, Err(why)) => self.left_out.push((name, why)),
        }
    }

    /// Returns the text of the manifest, or of the description that replaces it.
    #[must_use]
    pub fn manifest_json(&self) -> String {
        if let Some(spec) = &self.spec {
            return write::json(spec) + "\n";
        }
        let Manifest { compression, allow_var_len, features } = &self.manifest;
        let compression = match compression {
            Compression::None => "null",
            Compression::Gzip => "\"gzip\"",
            Compression::Zlib => "\"zlib\"",
        };
        let features = features.iter().map(write::json).collect::<Vec<_>>();
        format!(
            "{{\n  \"compression\": {compression},\n  \"allow_var_len\": {allow_var_len},\n  \"features\": [\n    {}\n  ]\n}}\n",
            features.join(",\n    ")
        )
    }

    /// Returns the text of the configuration, with comments on what to choose.
    #[must_use]
    pub fn config_json(&self) -> String {
        let config = &self.config;
        let list = |items: Vec<String>| format!("[\n    {}\n  ]", items.join(",\n    "));
        let mut text = "{\n  \"type\": \"independent\",\n".to_owned();
        let mut put = |comment: &str, key: &str, value: String| {
            if !comment.is_empty() {
                _ = writeln!(text, "  // {comment}");
            }
            _ = writeln!(text, "  \"{key}\": {value},");
        };
        put("", "dataset", write::json(&config.dataset));
        put("How many examples a batch has.", "target_batch_size", config.target_batch_size.to_string());
        put("How often the data set is read; null for no end.", "epochs", "1".to_owned());
        put(
            "false for the order of the files, \"blocks\" for a random order of all records.",
            "shuffle",
            "false".to_owned(),
        );
        if !config.processing_steps.is_empty() {
            let steps = config.processing_steps.iter().map(write::json).collect();
            put(
                "One value a record, or a step, is a value, and not a list of one.",
                "processing_steps",
                list(steps),
            );
        }
        if config.padding == Padding::All {
            let comment =
                format!("What fills up sequences that are shorter than others.{}", self.instead_of_padding());
            put(&comment, "padding", "true".to_owned());
        }
        if !config.defaults.is_empty() {
            let defaults = config.defaults.iter().map(write::json).collect();
            put("Values of features that some records lack.", "defaults", list(defaults));
        }
        let features = config.primary_features.iter().map(write::json).collect::<Vec<_>>();
        _ = write!(
            text,
            "  // The tensors; the program says which are inputs and which targets.\n  \"primary_features\": {}\n}}\n",
            list(features)
        );
        text
    }

    /// Returns comments on what sequences may become in place of padded rows, by what they hold.
    fn instead_of_padding(&self) -> String {
        let has = |dtype: DType| self.manifest.features.iter().any(|of| of.var_len && of.dtype == dtype);
        let mut text = String::new();
        if has(DType::Int64) {
            text += "\n  // Instead, rows of several records, as of the tokens of a language model: \"pack\": {\"length\": 2048}.";
        }
        if has(DType::Float32) || has(DType::Float64) {
            text += "\n  // Windows that cross the records of a signal: \"type\": \"continuous_sequence\", \"min_window\": 32, \"max_window\": 32.";
        }
        text
    }

    /// Returns the manifest file of the source, or the description.
    #[must_use]
    pub fn manifest_file(&self) -> PathBuf {
        match &self.config.dataset {
            Some(DatasetSource::Dir { data_dir }) => data_dir.join(FILE_NAME),
            Some(DatasetSource::List { manifest_file, .. }) => manifest_file.clone(),
            Some(DatasetSource::Spec { spec_file }) => spec_file.clone(),
            None => PathBuf::new(),
        }
    }
}

/// Returns the error of a data set that has nothing to look at.
fn no_records() -> Error {
    Error::new(Kind::InvalidValue, "the data set has no records, and records say which features there are")
        .help("name files with records")
}

/// Returns how files are compressed, by their first bytes.
fn compression(store: &dyn Store, files: &[Arc<str>]) -> Result<Compression> {
    let mut found = None;
    for file in files {
        let mut start = Vec::new();
        let input = store.open(file, 0..START, &Cancel::default())?;
        let read = input.take(START).read_to_end(&mut start);
        read.map_err(|error| Error::io(error, "reading").in_file(Arc::clone(file)))?;
        let of_file = match start[..] {
            [] => continue,
            [0x1f, 0x8b, ..] => Compression::Gzip,
            // A length of a record has zeros where a zlib stream has data.
            [_, _, _, _, 0, 0, 0, 0] => Compression::None,
            [first, second, ..] if first & 0x0f == 8 && u16::from_be_bytes([first, second]) % 31 == 0 => {
                Compression::Zlib
            }
            _ => Compression::None,
        };
        if found.is_some_and(|found| found != of_file) {
            let what =
                "the file is compressed in another way than those before it, and a manifest has one for all";
            return Err(Error::new(Kind::InvalidValue, what)
                .help("compress all files in one way, such as by `tfxio convert`")
                .in_file(Arc::clone(file)));
        }
        found = Some(of_file);
    }
    Ok(found.unwrap_or_default())
}

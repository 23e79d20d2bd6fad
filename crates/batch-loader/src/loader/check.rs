//! Checks of a build before it reads a record.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use tensor_repr::{RecordValidation, TfmdSchema};
use tfxio_core::{Cancel, Dataset, ScanRequest, Skip};

use super::builder::LoaderBuilder;
use super::mixture::{self, same_columns, same_tensors};
use super::over::{Over, over};
use super::plan::{fits, needs_units, order};
use super::settings::settings;
use crate::config::{DatasetSource, LoaderConfig, OnError, SchemaSource, Shard, write};
use crate::error::Locate as _;
use crate::files::{self, Files, described, is_url};
use crate::manifest::{Compression, FeatureColumns, Manifest};
use crate::pipeline::Pipeline;
use crate::shape::is_of_lists;
use crate::source::{self, Described, IndexFor, Parts};
use crate::state::{LoaderState, Settings, VERSION};
use crate::stats::Counters;
use crate::validate;
use crate::{Error, Kind, Result};

/// Result of the checks before a record is read.
pub(super) struct Checked {
    pub(super) config: LoaderConfig,
    pub(super) members: Vec<Member>,
    /// The files of all data sets.
    pub(super) parts: Arc<Parts>,
    /// The shares of data sets that are mixed.
    pub(super) weights: Vec<u64>,
    /// Settings of the mixture; nothing for one data set.
    pub(super) settings: Settings,
    pub(super) counters: Arc<Counters>,
}

/// One of the data sets of a loader.
pub(super) struct Member {
    pub(super) pipeline: Arc<Pipeline>,
    /// The numbers of its files.
    pub(super) files: Range<u32>,
    pub(super) settings: Settings,
    /// Rules that its records are compared with.
    pub(super) validation: Option<RecordValidation>,
}

/// A data set that was opened.
struct Opened {
    /// The configuration, with what is read without being named there.
    config: LoaderConfig,
    inputs: Vec<Arc<str>>,
    targets: Vec<Arc<str>>,
    manifest: Manifest,
    columns: FeatureColumns,
    parts: Parts,
    /// The files that a configuration names, as they were found.
    found: Option<Files>,
}

impl LoaderBuilder {
    /// Checks everything that can be wrong before a record is read.
    pub(super) fn checked(&self, cancel: &Cancel) -> Result<Checked> {
        for warning in self.config.warnings() {
            tracing::warn!("{warning}");
        }
        if let Some(Shard { index, count }) = self.config.shard
            && index >= count
        {
            let what = format!("there is no shard {index} of {count}");
            let error = Error::new(Kind::InvalidValue, what)
                .help("shards are numbered from 0 to one less than their count");
            return Err(self.locate(error.at_json("shard.index")));
        }
        if self.config.target_batch_size == 0 {
            let error = Error::new(Kind::InvalidValue, "batches of 0 examples hold nothing")
                .help("give a size of at least 1");
            return Err(self.locate(error.at_json("target_batch_size")));
        }
        let budget = match self.config.on_error {
            OnError::Fail => None,
            OnError::Skip(budget) => Some(budget),
        };
        let allowed = budget.unwrap_or_default();
        let skip = self.skip.as_ref().map_or_else(|| Skip::new(allowed), |shared| shared.continued(allowed));
        let on_error = budget.map_or(tfxio_core::OnError::Fail, |_| tfxio_core::OnError::Skip(skip.clone()));
        let request = ScanRequest::new().cancel(cancel.clone()).limits(self.limits).on_error(on_error);
        let mut opened = self.open(&request)?.into_iter();
        let Some(mut first) = opened.next() else { return Err(mixture::no_data_set()) };
        let weights = mixture::weights(self.datasets.as_deref().unwrap_or_default())?;
        let mixed = mixture::settings(&weights);
        let states = match &self.state {
            Some(state) => state.of_mixture(&mixed, opened.len() + 1)?,
            None => &[],
        };
        let schema = self.schema()?;
        let schema = schema.as_ref();
        let mut members = vec![self.member(&first, 0, states.first(), schema)?];
        for (number, other) in opened.enumerate() {
            let number = number + 1;
            let start = members.last().map_or(0, |member| member.files.end);
            let member = self.member(&other, start, states.get(number), schema);
            let member = member.map_err(|error| mixture::of_data_set(error, number))?;
            same_tensors(members.first().map(|first| &*first.pipeline), &member.pipeline, number)?;
            members.push(member);
            first.parts.append(other.parts);
        }
        if let Some(state) = &self.state {
            state.check_files(&(0..members.last().map_or(0, |member| member.files.end)))?;
            if let Some(seed) = self.config.seed.filter(|&seed| seed != state.seed()) {
                let what = format!("the state is of a loader with the seed {}, not {seed}", state.seed());
                return Err(
                    Error::new(Kind::State, what).help("leave the seed out, or restore a state of this one")
                );
            }
        }
        Ok(Checked {
            config: first.config,
            members,
            parts: Arc::new(first.parts),
            weights,
            settings: mixed,
            counters: Arc::new(Counters { skip, ..Counters::default() }),
        })
    }

    /// Opens the data sets.
    fn open(&self, request: &ScanRequest) -> Result<Vec<Opened>> {
        let Some(datasets) = &self.datasets else {
            if let Some(DatasetSource::Spec { spec_file }) = &self.config.dataset {
                let dataset = self.of_description(spec_file, request).map_err(|error| self.locate(error))?;
                return Ok(vec![self.open_given(&dataset, None, request)?]);
            }
            let (manifest, parts, found) = self.described(request)?;
            let (inputs, targets) = (self.inputs.clone(), self.targets.clone());
            let config = self.config.clone().into_inner();
            let columns = FeatureColumns::default();
            return Ok(vec![Opened {
                config,
                inputs,
                targets,
                manifest,
                columns,
                parts,
                found: Some(found),
            }]);
        };
        if self.config.dataset.is_some() {
            let what = "the program gives a data set, and the configuration names another";
            let error = Error::new(Kind::InvalidValue, what).help("remove one of them");
            return Err(self.locate(error.at_json("dataset")));
        }
        let mut all: Vec<Opened> = Vec::with_capacity(datasets.len());
        for (number, (dataset, _)) in datasets.iter().enumerate() {
            let opened = self.open_given(dataset, all.first(), request);
            let is_mixed = datasets.len() > 1;
            all.push(opened.map_err(
                |error| {
                    if is_mixed { mixture::of_data_set(error, number) } else { error }
                },
            )?);
        }
        Ok(all)
    }

    /// Opens a data set, with the inputs and targets of the first of a mixture.
    fn open_given(
        &self,
        dataset: &Arc<dyn Dataset>,
        first: Option<&Opened>,
        request: &ScanRequest,
    ) -> Result<Opened> {
        let mut config = self.config.clone().into_inner();
        let names = first.map_or((&self.inputs, &self.targets), |first| (&first.inputs, &first.targets));
        let (mut inputs, mut targets) = (names.0.clone(), names.1.clone());
        let read = over(dataset, &mut config, [&mut inputs, &mut targets], request.clone());
        let Over { manifest, columns, parts } = read.map_err(|error| self.locate(error))?;
        if let Some(first) = first.filter(|_| self.inputs.is_empty() && self.targets.is_empty()) {
            same_columns(&first.manifest, &manifest)?;
        }
        Ok(Opened { config, inputs, targets, manifest, columns, parts, found: None })
    }

    /// Opens the data set of a description.
    fn of_description(&self, file: &Path, request: &ScanRequest) -> Result<Arc<dyn Dataset>> {
        let at = |error: Error| error.at_json("dataset.args.spec_file");
        let spec = described(file, self.base.as_deref(), self.store.as_deref()).map_err(at)?;
        self.formats.open(&spec, self.any_store(), request.clone())
    }

    /// Checks a data set, whose first file has the number `start`.
    fn member(
        &self,
        opened: &Opened,
        start: u32,
        state: Option<&LoaderState>,
        schema: Option<&TfmdSchema>,
    ) -> Result<Member> {
        let Opened { config, inputs, targets, manifest, columns, parts, found } = opened;
        let pipeline = Pipeline::compile(manifest, columns, config, inputs, targets);
        let pipeline = Arc::new(pipeline.map_err(|error| self.locate(error))?);
        if parts.names().is_empty() {
            return Err(Error::new(Kind::InvalidValue, "the data set has no files"));
        }
        let end = u32::try_from(parts.names().len()).ok().and_then(|count| start.checked_add(count));
        let end = end
            .ok_or_else(|| Error::new(Kind::LimitExceeded, "the data set has more than 4294967295 files"))?;
        fits(config, &pipeline, self.limits.batch_bytes).map_err(|error| self.locate(error))?;
        order(config, None, 0).map_err(|error| self.locate(error))?;
        let purpose = needs_units(config).map_err(|error| self.locate(error))?;
        if let (Some(IndexFor::AnyOrder), Some(_), true) =
            (purpose, found, manifest.compression != Compression::None)
        {
            // Whether compressed files can be entered shows in the first.
            parts.part(0)?.index(IndexFor::AnyOrder).map_err(|error| self.locate(error))?;
        }
        let sizes = (0..parts.names().len()).zip(parts.names()).map(|(part, name)| {
            // Asking a store for every size would take longer than loading the first batches.
            match found {
                _ if is_url(name) => Ok(None),
                Some(found) => {
                    source::size(&*self.any_store(), name).map_err(|error| found.locate(part, error))
                }
                None => parts.part(part)?.size(),
            }
        });
        let sizes = sizes.collect::<Result<Vec<_>>>()?;
        let of_lists = pipeline.primary.iter().filter(|primary| is_of_lists(&primary.info.shape));
        let of_lists = of_lists.map(|primary| Arc::clone(&primary.info.name)).collect::<Vec<_>>();
        let settings = |version: u32| {
            let names = [&inputs[..], targets];
            let mut settings = settings(config, manifest, names, parts.names(), &sizes, version);
            // Their dtypes and the names of features do not tell them from others.
            if !of_lists.is_empty() {
                settings.note("of_lists", write::json(&of_lists));
            }
            settings
        };
        if let Some(state) = state {
            state.check(&settings(state.version()), &(start..end), config.epochs)?;
        }
        let validation = match (&config.validate, schema) {
            (Some(validate), Some(schema)) => {
                let validation = validate::of_columns(schema, validate, parts.columns());
                Some(validation.map_err(|error| self.locate(error))?)
            }
            _ => None,
        };
        Ok(Member { pipeline, files: start..end, settings: settings(VERSION), validation })
    }

    /// Reads the schema that records are compared with.
    fn schema(&self) -> Result<Option<TfmdSchema>> {
        let Some(validate) = &self.config.validate else { return Ok(None) };
        let schema = match &validate.schema {
            SchemaSource::Text(text) => {
                validate::read_text(text).map_err(|error| error.at_json("validate.schema"))
            }
            SchemaSource::File(file) => {
                files::contents(file, "schema", self.base.as_deref(), self.store.as_deref())
                    .and_then(|(name, bytes)| validate::read_file(name, &bytes))
                    .map_err(|error| error.at_json("validate.schema_file"))
            }
        };
        schema.map(Some).map_err(|error| self.locate(error))
    }

    /// The data set that a manifest describes, and where its files were found.
    fn described(&self, request: &ScanRequest) -> Result<(Manifest, Parts, Files)> {
        let config = &self.config;
        let store = self.store.as_deref();
        let named = config.dataset.as_ref().ok_or_else(|| {
            let error = Error::new(Kind::MissingArgument, "the configuration names no data set")
                .help("set `dataset`, or give one to `BatchLoader::over`");
            self.locate(error.at_json("dataset"))
        })?;
        let mut found =
            Files::find(named, self.base.as_deref(), store).map_err(|error| self.locate(error))?;
        let manifest = found.manifest(store)?;
        if let (None, Some(at)) = (store, found.files.iter().position(|file| is_url(file))) {
            let error = Error::new(Kind::InvalidValue, "this is a URL, and the loader was given no store")
                .help("give paths on this machine, or a store that knows such URLs: `LoaderBuilder::store`")
                .in_file(Arc::clone(found.files.get(at).unwrap_or(&found.manifest)));
            return Err(found.locate(at, error));
        }
        let index_dir = config.index_dir.as_ref().map(|folder| match &self.base {
            Some(base) => base.join(folder),
            None => folder.clone(),
        });
        let described = Described {
            manifest: &manifest,
            files: std::mem::take(&mut found.files),
            read: config.primary_features.iter().map(|feature| &feature.from_name).collect(),
            filter: config.filter.as_ref(),
            keep: config.index,
            index_dir,
        };
        let parts = source::open(described, &self.formats, self.any_store(), request.clone())
            .map_err(|error| self.locate(error))?;
        Ok((manifest, parts, found))
    }
}

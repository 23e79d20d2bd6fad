//! What the batch loader is built from.

use std::collections::BTreeMap;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tfxio::batch_loader::LoaderBuilder;
use tfxio::batch_loader::config::{Located, MaxTokens, OnError, OnLeave, Shard, Shuffle, Validate};
use tfxio::prelude::*;
use tfxio::{LoaderConfig, Result, SkipBudget};

use crate::dataset::Dataset;
use crate::errors::OrRaise;
use crate::reading::Reading;
use crate::request::thread_count;
use crate::skipped::{self, Skipped};

/// How batches of single records are made, said by keywords instead of a configuration.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Independent {
    batch_size: usize,
    shuffle: bool,
    seed: Option<u64>,
    epochs: Option<u64>,
    drop_remainder: bool,
    filter: Option<String>,
    pad: BTreeMap<String, usize>,
    max_tokens: Option<usize>,
    on_error: Option<String>,
}

/// What records are compared with: the text of a schema, what happens when one leaves it, and the environment.
pub(crate) type Validation = (String, String, Option<String>);

fn validation((schema, on_leave, environment): Validation) -> PyResult<Validate> {
    let on_leave = match &*on_leave {
        "stop" => OnLeave::Stop,
        "warn" => OnLeave::Warn,
        other => {
            let what = format!("on_leave is {other:?}; give \"stop\" or \"warn\"");
            return Err(PyValueError::new_err(what));
        }
    };
    Ok(Validate::text(schema).on_leave(on_leave).environment(environment))
}

impl Independent {
    /// Returns whether damaged records are skipped; of data sets all of which were opened so, unless it is said.
    fn skips(&self, datasets: &[(PyRef<'_, Dataset>, f64)]) -> PyResult<bool> {
        match &self.on_error {
            Some(on_error) => Ok(skipped::on_error(on_error)?.skip().is_some()),
            None => Ok(!datasets.is_empty() && datasets.iter().all(|(dataset, _)| dataset.skips())),
        }
    }

    fn configuration(self, skips: bool) -> Result<LoaderConfig> {
        let mut config = LoaderConfig::independent(self.batch_size);
        if skips {
            config.on_error = OnError::Skip(SkipBudget::default());
        }
        config.drop_remainder = self.drop_remainder;
        config.epochs = self.epochs;
        config.seed = self.seed;
        if self.shuffle {
            config.shuffle = Shuffle::Global;
        }
        if let Some(filter) = self.filter {
            config = config.filter(filter.parse()?);
        }
        if let Some(tokens) = self.max_tokens {
            config = config.max_tokens(MaxTokens::new(tokens));
        }
        Ok(self.pad.into_iter().fold(config, |config, (tensor, size)| config.pad(tensor, size)))
    }
}

/// How batches are made: by keywords, or by a configuration in JSON or in a file.
#[derive(FromPyObject)]
pub(crate) enum Config {
    Text(String),
    Independent(Independent),
}

impl Config {
    /// Returns whether nothing that is read is left out.
    pub(crate) fn is_whole(&self, datasets: &[(PyRef<'_, Dataset>, f64)]) -> bool {
        let skips = |keywords: &Independent| keywords.skips(datasets).unwrap_or(true);
        matches!(self, Self::Independent(keywords) if keywords.filter.is_none() && !skips(keywords))
    }

    fn read(self, py: Python<'_>, datasets: &[(PyRef<'_, Dataset>, f64)]) -> PyResult<Located<LoaderConfig>> {
        let config = match self {
            Self::Independent(keywords) => {
                let skips = keywords.skips(datasets)?;
                keywords.configuration(skips).map(Located::from)
            }
            Self::Text(json) if json.trim_start().starts_with('{') => LoaderConfig::from_json(&json),
            Self::Text(path) => LoaderConfig::from_file(path),
        };
        config.or_raise(py)
    }
}

/// What else a loader is given.
pub(crate) struct How {
    pub(crate) batch_size: Option<usize>,
    pub(crate) base_dir: Option<String>,
    pub(crate) seed: Option<u64>,
    pub(crate) shard: Option<(u32, u32)>,
    pub(crate) threads: usize,
    pub(crate) validate: Option<Validation>,
    /// Takes what is skipped.
    pub(crate) skipped: Option<Skipped>,
}

impl How {
    /// Returns the builder of a loader of the data sets, or of what the configuration names.
    pub(crate) fn builder(
        self,
        py: Python<'_>,
        config: Config,
        datasets: &[(PyRef<'_, Dataset>, f64)],
        reading: &Reading,
    ) -> PyResult<LoaderBuilder> {
        let config = config.read(py, datasets)?;
        let shared = datasets.iter().map(|(dataset, weight)| Ok((dataset.shared(py)?, *weight)));
        let shared = shared.collect::<PyResult<Vec<_>>>()?;
        let builder = match shared.as_slice() {
            [] => tfxio::loader(config),
            [(dataset, _)] => dataset.loader(config),
            _ => tfxio::BatchLoader::mixed(shared, config),
        };
        let mut builder: LoaderBuilder =
            builder.threads(thread_count(self.threads)).cancel(reading.cancel.clone()).spawn(reading.spawn());
        if let Some(size) = self.batch_size {
            builder = builder.batch_size(size);
        }
        if let Some(folder) = self.base_dir {
            builder = builder.base_dir(folder);
        }
        if let Some(seed) = self.seed {
            builder = builder.seed(seed);
        }
        if let Some((index, count)) = self.shard {
            builder = builder.shard(Shard { index, count });
        }
        if let Some(validate) = self.validate {
            builder = builder.validate(validation(validate)?);
        }
        if let Some(skipped) = self.skipped {
            builder = builder.skip_report(&skipped.0);
        }
        Ok(builder)
    }
}

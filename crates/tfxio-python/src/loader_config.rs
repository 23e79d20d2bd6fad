//! Arguments of the batch loader.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tfxio::batch_loader::LoaderBuilder;
use tfxio::batch_loader::config::{Located, OnError, OnLeave, Shard, Validate};
use tfxio::prelude::*;
use tfxio::{LoaderConfig, Result};

use crate::dataset::Dataset;
use crate::errors::OrRaise;
use crate::reading::Reading;
use crate::request::thread_count;
use crate::skipped::Skipped;

/// Schema for records: its text, the treatment of a record that violates it, and the environment.
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

/// Reads a configuration: JSON, or a file of it.
fn read(config: &str) -> Result<Located<LoaderConfig>> {
    if config.trim_start().starts_with('{') {
        return LoaderConfig::from_json(config);
    }
    LoaderConfig::from_file(config)
}

/// Further arguments of a loader.
pub(crate) struct How {
    pub(crate) batch_size: Option<usize>,
    pub(crate) base_dir: Option<String>,
    pub(crate) seed: Option<u64>,
    pub(crate) shard: Option<(u32, u32)>,
    pub(crate) threads: usize,
    pub(crate) validate: Option<Validation>,
    /// Report that skipped ranges are added to.
    pub(crate) skipped: Option<Skipped>,
}

impl How {
    /// Returns the builder of a loader of the data sets, or of what the configuration names, and whether nothing that is read is left
    /// out.
    pub(crate) fn builder(
        self,
        py: Python<'_>,
        config: &str,
        datasets: &[(PyRef<'_, Dataset>, f64)],
        reading: &Reading,
    ) -> PyResult<(LoaderBuilder, bool)> {
        let config = read(config).or_raise(py)?;
        let is_whole = config.filter.is_none() && config.on_error == OnError::Fail;
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
        Ok((builder, is_whole))
    }
}

//! Tables and scans as bytes, for engines that run a plan on several machines.

mod envelope;
mod message;
mod table;

use std::sync::Arc;

use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::ScalarUDF;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use tfxio_core::{Dataset, DatasetSpec, Error, ErrorKind};
use tfxio_formats::OpenOptions;

use self::envelope::Kind;
use crate::blocking::blocking;
use crate::error::carried;
use crate::exec::stamps::Stamps;
use crate::{TfxioExec, functions};

/// Makes bytes of scans and tables of data sets, and scans and tables of bytes, in this or another process: what an engine that
/// runs plans of DataFusion on several machines needs beside DataFusion's own.
///
/// A scan is sent as the [description](DatasetSpec) of its data set, its partitions, columns and condition. What opens the
/// files stays on each machine, and comes from the [options](Self::options) there: credentials, stores and formats of one's
/// own are never among the bytes. Paths have to lead to the same files everywhere.
///
/// ```
/// use datafusion::prelude::{SessionConfig, SessionContext};
/// use tfxio_sql::datafusion_proto::bytes::{
///     physical_plan_from_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
/// };
/// use tfxio_sql::{SessionContextExt as _, TfxioCodec};
/// # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
/// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
/// # runtime.block_on(async {
///
/// let context = SessionContext::new();
/// context.register_tfxio("digits", tfxio_formats::open(digits)?)?;
/// let plan = context.sql("select label, count(*) from digits group by label").await?.create_physical_plan().await?;
/// let bytes = physical_plan_to_bytes_with_extension_codec(plan, &TfxioCodec::new())?;
///
/// // Another process, which has never seen the table.
/// let worker = SessionContext::new();
/// let plan = physical_plan_from_bytes_with_extension_codec(&bytes, &worker.task_ctx(), &TfxioCodec::new())?;
/// let batches = datafusion::physical_plan::collect(plan, worker.task_ctx()).await?;
/// assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Encoding fails for a data set that another process cannot open, such as one in memory or of standard input, and for a scan of
/// more than 64 MiB or more than 127 levels. Decoding fails where bytes were cut or changed, or written by another version, and
/// where the format or an option is not known. Where a file has another size or version than it had when the plan was encoded,
/// reading it fails. [`dataset_error`](crate::dataset_error) finds all of these in an error of DataFusion.
#[derive(Clone, Debug)]
pub struct TfxioCodec {
    options: OpenOptions,
    check_files: bool,
}

impl Default for TfxioCodec {
    fn default() -> Self {
        Self { options: OpenOptions::new(), check_files: true }
    }
}

impl TfxioCodec {
    /// Returns a codec that opens data sets with the formats of this build.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how data sets are opened: stores with their credentials, custom formats. The format options of a scan take
    /// precedence over the ones set here. Default: the options of [`OpenOptions::new`].
    #[must_use]
    pub fn options(mut self, options: OpenOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets whether scans record the size of each file, and its version where the store knows that, so that reading
    /// another file of the same name fails. The store is asked once for each file of a scan that is encoded, and once
    /// for each partition that is read. Default true.
    #[must_use]
    pub fn check_files(mut self, check_files: bool) -> Self {
        self.check_files = check_files;
        self
    }

    /// Opens the data set that a message describes; it blocks.
    fn open(&self, spec: &DatasetSpec) -> tfxio_core::Result<Arc<dyn Dataset>> {
        self.options.open_spec(spec)
    }

    fn encode_scan(&self, scan: &TfxioExec, out: &mut Vec<u8>) -> tfxio_core::Result<()> {
        let spec = spec(&*scan.dataset, scan.plan.groups.iter().flatten().next().map(|part| &part.file))?;
        let files = match &scan.stamps {
            Some(stamps) => stamps.among(&scan.plan),
            None if self.check_files => {
                let (store, plan) =
                    (Arc::clone(self.options.spec_files(&spec).store()), Arc::clone(&scan.plan));
                let taken = blocking(move || Stamps::take(store, &plan))?;
                taken.map_err(|error| error.and_help("give the codec the options that opened the files"))?.of
            }
            None => Default::default(),
        };
        let (sizes, whole) = message::sizes(&scan.plan);
        let message = message::Scan {
            dataset: spec,
            columns: message::columns(&scan.outputs),
            partitions: scan.plan.groups.clone(),
            sizes,
            whole,
            filter: scan.filter.clone(),
            fetch: scan.fetch.map(|rows| rows as u64),
            threads: u32::try_from(scan.threads).unwrap_or(u32::MAX),
            files,
        };
        envelope::seal(Kind::Scan, &message, out)
    }

    fn decode_scan(&self, bytes: &[u8]) -> tfxio_core::Result<TfxioExec> {
        let message::Scan { dataset: spec, columns, partitions, sizes, whole, filter, fetch, threads, files } =
            envelope::unseal(Kind::Scan, bytes)?;
        let codec = self.clone();
        let (dataset, spec) = blocking(move || Ok::<_, Error>((codec.open(&spec)?, spec)))??;
        let outputs = message::outputs(&columns, &*dataset)?;
        let plan = message::plan(partitions, sizes, whole, &spec)?;
        // This machine may have fewer.
        let most = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let threads = usize::try_from(threads).unwrap_or(most).clamp(1, most);
        let mut scan = TfxioExec::new(dataset, plan, outputs, filter, threads);
        scan.fetch = fetch.map(|rows| usize::try_from(rows).unwrap_or(usize::MAX));
        if !files.is_empty() {
            let store = Arc::clone(self.options.spec_files(&spec).store());
            scan.stamps = Some(Arc::new(Stamps { store, of: files }));
        }
        Ok(scan)
    }
}

/// Returns the description of a data set, one of whose files is `file`.
fn spec(dataset: &dyn Dataset, file: Option<&Arc<str>>) -> tfxio_core::Result<DatasetSpec> {
    dataset.spec().map_err(|error| {
        let what = format!("the data set cannot be sent to another process: {}", error.what());
        let hint = error.hint().map(str::to_owned);
        let unsent = Error::new(error.kind(), what).at(error.position().clone()).in_file_if_known(file);
        match hint {
            Some(hint) => unsent.help(hint),
            None => unsent,
        }
    })
}

/// Returns the error of something that is not ours.
fn foreign(what: &str, name: &str) -> Error {
    Error::new(
        ErrorKind::Unsupported,
        format!("the codec of tfxio encodes {what} of data sets, and not {name}"),
    )
    .help("add a codec that does")
}

impl PhysicalExtensionCodec for TfxioCodec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        _: &TaskContext,
        _: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if !inputs.is_empty() {
            let error = Error::new(ErrorKind::Malformed, "a scan of a data set has plans below it");
            return Err(carried(error.help("run the same version of tfxio-sql on all machines")));
        }
        Ok(Arc::new(self.decode_scan(bytes).map_err(carried)?))
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        out: &mut Vec<u8>,
        _: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        match node.downcast_ref::<TfxioExec>() {
            Some(scan) => self.encode_scan(scan, out).map_err(carried),
            None => Err(carried(foreign("scans", node.name()))),
        }
    }

    /// Marks [functions over features](crate::SessionContextExt::register_functions), so that they are not taken for
    /// the functions of DataFusion with the same names.
    fn try_encode_udf(&self, function: &ScalarUDF, out: &mut Vec<u8>) -> Result<()> {
        functions::mark(function, out);
        Ok(())
    }

    /// Returns one of the [functions over features](crate::SessionContextExt::register_functions), which need not be registered.
    fn try_decode_udf(&self, name: &str, _: &[u8]) -> Result<Arc<ScalarUDF>> {
        functions::find(name)
    }
}

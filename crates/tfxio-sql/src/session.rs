//! Sessions that run statements over files.

mod cancel;
mod copy;
mod memory;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::common::ParamValues;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::dataframe::DataFrame;
use datafusion::error::Result;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion::scalar::ScalarValue;
use datafusion::sql::parser::Statement;
use tfxio_convert::Summary;
use tfxio_core::Cancel;

use crate::deep::Deep;
use crate::files::Asked;
use crate::output::Virtual;
use crate::{FileTables, files, functions, statement};

/// Result of a statement.
pub enum Answer {
    /// Rows.
    Rows(SendableRecordBatchStream),
    /// Summary of a `copy`.
    Written(Summary),
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rows(rows) => f.debug_tuple("Rows").field(&rows.schema()).finish(),
            Self::Written(summary) => f.debug_tuple("Written").field(summary).finish(),
        }
    }
}

/// A session that runs statements over files, as `tfxio sql` does: names of files are tables, `copy` writes every format that can
/// be written, and a statement that names `_file`, `_record` or `_offset` has these columns.
///
/// ```
/// use tfxio_sql::{Answer, FileTables, Session};
/// # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
/// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
/// # runtime.block_on(async {
/// # let folder = tempfile::tempdir()?;
/// # let output = folder.path().join("sevens.tfrecord").display().to_string();
///
/// let session = Session::new(FileTables::new(), 2);
/// let text = format!("copy (select * from '{digits}' where label = $label) to '{output}' (shards 2)");
/// for statement in Session::parse(&text)? {
///     let answer = session.run(statement, &[("label".to_owned(), 7i64.into())]).await?;
///     assert!(matches!(answer, Answer::Written(summary) if summary.records == 179));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Session {
    context: SessionContext,
    files: Arc<FileTables>,
    asked: Arc<Asked>,
    /// Names of the columns of tables that statements have named.
    columns: Mutex<BTreeSet<String>>,
    /// Ends statements.
    cancel: Mutex<Cancel>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("files", &self.files).finish_non_exhaustive()
    }
}

impl Session {
    /// Returns a session whose plans have at most this many partitions, which run on the runtime that polls them. Its
    /// statements hold at most three quarters of the memory that the process may take, as far as the system reports
    /// that limit.
    #[must_use]
    pub fn new(files: FileTables, partitions: usize) -> Self {
        Self::build(files, partitions, memory::of_process())
    }

    /// Returns a session whose statements hold at most this many bytes at a time. Sorts and groups go to temporary
    /// files beyond that, other steps end with an error. For a batch of rows, one call of `repeat`, `lpad`, `rpad`,
    /// `array_repeat`, `array_resize`, `range` or `generate_series` may return at most an eighth of it.
    ///
    /// Results of the other functions and operators are not counted: `replace`, `concat`, `||` and `string_agg` make
    /// long texts of long texts.
    ///
    /// ```
    /// use futures::TryStreamExt as _;
    /// use tfxio_core::ErrorKind;
    /// use tfxio_sql::{Answer, FileTables, Session, dataset_error};
    /// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    /// # runtime.block_on(async {
    /// let session = Session::limited(FileTables::new(), 1, 64 << 20);
    /// for statement in Session::parse("select repeat('a', 1000000000)")? {
    ///     let Answer::Rows(rows) = session.run(statement, &[]).await? else { unreachable!("a query") };
    ///     let error = rows.try_collect::<Vec<_>>().await.unwrap_err();
    ///     assert_eq!(dataset_error(&error).unwrap().kind(), ErrorKind::LimitExceeded);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn limited(files: FileTables, partitions: usize, memory_bytes: usize) -> Self {
        Self::build(files, partitions, Some(memory_bytes))
    }

    fn build(files: FileTables, partitions: usize, memory_bytes: Option<usize>) -> Self {
        let mut config =
            SessionConfig::new().with_target_partitions(partitions.max(1)).with_information_schema(true);
        // So that errors say where they are.
        config.options_mut().sql_parser.collect_spans = true;
        let mut runtime = RuntimeEnvBuilder::new();
        if let Some(bytes) = memory_bytes {
            runtime = runtime.with_memory_limit(bytes, 1.0);
        }
        let context = match runtime.build_arc() {
            Ok(runtime) => SessionContext::new_with_config_rt(config, runtime),
            // Without temporary files.
            Err(_) => SessionContext::new_with_config(config),
        };
        functions::register(&context);
        if let Some(bytes) = memory_bytes {
            functions::bound(&context, bytes as u64 / 8);
        }
        let asked = Arc::<Asked>::default();
        let files = Arc::new(files);
        files::enable(&context, Arc::clone(&files), Some(Arc::clone(&asked)));
        Self { context, files, asked, columns: Mutex::default(), cancel: Mutex::default() }
    }

    /// Returns the session of DataFusion.
    #[must_use]
    pub fn context(&self) -> &SessionContext {
        &self.context
    }

    /// Returns the names of the columns of all tables and files that statements have read from so far, in alphabetical order: what a
    /// prompt offers to complete.
    ///
    /// ```
    /// use tfxio_sql::{FileTables, Session};
    /// # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
    /// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    /// # runtime.block_on(async {
    /// let session = Session::new(FileTables::new(), 2);
    /// for statement in Session::parse(&format!("select label from '{digits}' limit 1"))? {
    ///     session.run(statement, &[]).await?;
    /// }
    /// assert_eq!(session.columns_read(), ["id", "image", "label"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn columns_read(&self) -> Vec<String> {
        self.columns.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Sets what cancels the statements that are run from now on, and the rows that these return: they end with an error of the kind
    /// `Cancelled`, and a `copy` leaves no file. By default, nothing does.
    ///
    /// ```
    /// use tfxio_core::{Cancel, ErrorKind};
    /// use tfxio_sql::{FileTables, Session, dataset_error};
    /// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    /// # runtime.block_on(async {
    /// let session = Session::new(FileTables::new(), 2);
    /// let cancel = Cancel::new();
    /// session.cancel(cancel.clone());
    /// // Another thread does this while a statement runs.
    /// cancel.cancel();
    /// for statement in Session::parse("select 1")? {
    ///     let error = session.run(statement, &[]).await.unwrap_err();
    ///     assert_eq!(dataset_error(&error).unwrap().kind(), ErrorKind::Cancelled);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cancel(&self, cancel: Cancel) {
        *self.cancel.lock().unwrap_or_else(PoisonError::into_inner) = cancel;
    }

    /// Keeps the names of the columns of the tables that a plan reads from.
    fn keep_columns(&self, plan: &LogicalPlan) -> Result<()> {
        let mut columns = self.columns.lock().unwrap_or_else(PoisonError::into_inner);
        plan.apply_with_subqueries(|node| {
            if let LogicalPlan::TableScan(scan) = node {
                columns.extend(scan.source.schema().fields().iter().map(|field| field.name().clone()));
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(())
    }

    /// Takes a text apart into its statements.
    ///
    /// # Errors
    /// When it is not SQL; [`mark`](crate::mark) shows where.
    pub fn parse(text: &str) -> Result<VecDeque<Statement>> {
        statement::parse(text)
    }

    /// Runs a statement, with values of its parameters: `$name`.
    ///
    /// A statement has at most 3,000 levels, such as a sum of as many terms. It reads from at most 2,000 tables and
    /// queries, where a view or a query in `with` counts each time it is read from; its plan has at most 20,000 steps.
    /// A deeply nested statement is planned and run on a stack of its own and with one partition; a thread of the
    /// runtime that runs a part of a union with such an expression needs 64 MiB (`thread_stack_size` of tokio's
    /// `Builder`).
    ///
    /// # Errors
    /// What DataFusion finds wrong with the statement, and what data sets do: see [`dataset_error`](crate::dataset_error). Of the kind
    /// `Cancelled` when it was [cancelled](Self::cancel), `LimitExceeded` when it is nested too deep.
    pub async fn run(&self, statement: Statement, parameters: &[(String, ScalarValue)]) -> Result<Answer> {
        Deep::new(self.run_here(statement, parameters)).await
    }

    async fn run_here(&self, statement: Statement, parameters: &[(String, ScalarValue)]) -> Result<Answer> {
        let text = statement.to_string().to_lowercase();
        let is_named = Virtual::ALL.iter().any(|column| text.contains(column.name()));
        self.asked.virtual_columns.store(is_named, Ordering::Relaxed);
        *self.asked.creates.lock().unwrap_or_else(PoisonError::into_inner) = statement::creates(&statement);
        match statement {
            Statement::CopyTo(copy) => copy::run(self, copy, parameters).await.map(Answer::Written),
            statement => self.rows(statement, parameters).await.map(Answer::Rows),
        }
    }

    async fn rows(
        &self,
        statement: Statement,
        parameters: &[(String, ScalarValue)],
    ) -> Result<SendableRecordBatchStream> {
        let cancel = self.cancel.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let rows = cancel::until(&cancel, self.planned(statement, parameters)).await;
        let rows = rows.map_err(statement::as_text::explained)?;
        Ok(cancel::rows(cancel, rows))
    }

    async fn planned(
        &self,
        statement: Statement,
        parameters: &[(String, ScalarValue)],
    ) -> Result<SendableRecordBatchStream> {
        let is_deep = statement::is_deep(&statement);
        let plan = self.context.state().statement_to_plan(statement).await?;
        let is_deep = statement::depth::check_plan(&plan)? > statement::depth::FLAT || is_deep;
        statement::as_text::check(&plan)?;
        self.keep_columns(&plan)?;
        let plan = if parameters.is_empty() {
            plan
        } else {
            let values = parameters.iter().map(|(name, value)| (name.clone(), value.clone().into()));
            plan.with_param_values(ParamValues::Map(values.collect::<HashMap<_, _>>()))?
        };
        let frame = self.context.execute_logical_plan(plan).await?;
        if !is_deep {
            return frame.execute_stream().await;
        }
        let (mut state, plan) = frame.into_parts();
        state.config_mut().options_mut().execution.target_partitions = 1;
        let rows = DataFrame::new(state, plan).execute_stream().await?;
        Ok(Box::pin(RecordBatchStreamAdapter::new(rows.schema(), Deep::new(rows))))
    }
}

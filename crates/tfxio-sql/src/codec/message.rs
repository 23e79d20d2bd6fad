//! Messages that are sent to other processes: descriptions only, never data and never secrets.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tfxio_core::{
    Dataset, DatasetSpec, Error, ErrorKind, Estimate, Partition, PartitionStatistics, Predicate, Result,
};

use crate::exec::stamps::Stamp;
use crate::output::{ColumnSource, Output, Virtual};
use crate::plan::PartitionPlan;
use crate::sql_column::SqlColumn;

/// A scan.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scan {
    pub(super) dataset: DatasetSpec,
    pub(super) columns: Vec<Column>,
    pub(super) partitions: Vec<Vec<Partition>>,
    /// Statistics of each partition; `whole` has the statistics of the files.
    pub(super) sizes: Vec<Vec<Size>>,
    pub(super) whole: Vec<Size>,
    pub(super) filter: Option<Predicate>,
    pub(super) fetch: Option<u64>,
    pub(super) threads: u32,
    /// Stamps of the files; empty where files are not compared.
    pub(super) files: BTreeMap<Arc<str>, Stamp>,
}

/// A table.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    pub(super) dataset: DatasetSpec,
    pub(super) columns: Vec<Column>,
}

/// A column of a plan. Its type follows from that of the data set.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(super) enum Column {
    /// A column of the data set, by its name there and its name in the plan.
    Whole { column: String, name: String, single: bool, text: bool },
    /// A field within structs.
    Nested { column: String, fields: Vec<String>, name: String },
    /// A virtual column: the file, number or offset of a row's record.
    Virtual { column: String, name: String },
}

/// Numbers of rows and bytes. What is known of columns is used where a plan is made, and not where it is run.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Size(Estimate<u64>, Estimate<u64>);

impl Size {
    fn of(known: &PartitionStatistics) -> Self {
        Self(known.rows, known.bytes)
    }

    fn statistics(self) -> PartitionStatistics {
        let mut known = PartitionStatistics::default();
        (known.rows, known.bytes) = (self.0, self.1);
        known
    }
}

pub(super) fn columns(outputs: &[Output]) -> Vec<Column> {
    let column = |output: &Output| {
        let name = output.field.name().clone();
        match &output.source {
            ColumnSource::Whole(column) => Column::Whole {
                column: column.source.name().clone(),
                name,
                single: column.is_single(),
                text: column.is_text(),
            },
            ColumnSource::Nested(root, fields) => {
                Column::Nested { column: root.name().clone(), fields: fields.clone(), name }
            }
            ColumnSource::Virtual(column) => Column::Virtual { column: column.name().to_owned(), name },
        }
    };
    outputs.iter().map(column).collect()
}

/// Returns the columns of a data set that a message names.
///
/// # Errors
/// When the data set does not have one.
pub(super) fn outputs(columns: &[Column], dataset: &dyn Dataset) -> Result<Vec<Output>> {
    let field = |name: &str| {
        let found = dataset.schema().fields().find(name).map(|(_, field)| field);
        found.ok_or_else(|| missing(format!("the data set has no column {name:?}")))
    };
    let output = |column: &Column| match column {
        Column::Whole { column, name, single, text } => {
            Ok(Output::whole(SqlColumn::new(field(column)?, *single, *text)).named(name))
        }
        Column::Nested { column, fields, name } => {
            let whole = Output::whole(SqlColumn::as_is(field(column)?));
            let found = whole.within(fields, name).filter(|_| !fields.is_empty());
            found.ok_or_else(|| {
                missing(format!("the column {column:?} has no field {:?} within structs", fields.join(".")))
            })
        }
        Column::Virtual { column, name } => {
            let found = Virtual::ALL.into_iter().find(|known| known.name() == column);
            let found = found.ok_or_else(|| missing(format!("rows do not know their {column:?}")))?;
            Ok(Output::virtual_column(found).named(name))
        }
    };
    columns.iter().map(output).collect()
}

fn missing(what: String) -> Error {
    Error::new(ErrorKind::Malformed, what).help("run the same version of tfxio-sql on all machines")
}

pub(super) fn sizes(plan: &PartitionPlan) -> (Vec<Vec<Size>>, Vec<Size>) {
    let all = |known: &Vec<PartitionStatistics>| known.iter().map(Size::of).collect::<Vec<_>>();
    (plan.statistics.iter().map(all).collect(), all(&plan.whole))
}

/// Returns the plan of a message.
///
/// # Errors
/// When its parts do not fit one another.
pub(super) fn plan(
    partitions: Vec<Vec<Partition>>,
    sizes: Vec<Vec<Size>>,
    whole: Vec<Size>,
    spec: &DatasetSpec,
) -> Result<PartitionPlan> {
    let files = spec.files.iter().collect::<HashSet<_>>();
    if let Some(part) = partitions.iter().flatten().find(|part| !files.contains(&part.file)) {
        return Err(missing(format!("the partition {part} is not of the data set of the scan")));
    }
    let lengths = sizes.iter().map(Vec::len);
    if !partitions.iter().map(Vec::len).eq(lengths) {
        return Err(missing("the partitions of the scan and what is known of them do not fit".to_owned()));
    }
    let statistics = |sizes: Vec<Size>| sizes.into_iter().map(Size::statistics).collect::<Vec<_>>();
    Ok(PartitionPlan {
        groups: partitions,
        statistics: sizes.into_iter().map(statistics).collect(),
        whole: statistics(whole),
    })
}

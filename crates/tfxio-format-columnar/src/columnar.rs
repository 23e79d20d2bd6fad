//! Files with a footer that indexes their rows: the parts that Parquet and Arrow IPC share.

mod columns;
mod counted;
mod dataset;
mod dealer;
mod decode;
mod format;
mod group_encoder;
mod group_part;
mod inspect;
mod known_file;
mod limits;
mod magic;
mod nesting;
mod scan;
mod sink;
mod threads;

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use tfxio_core::{ColumnPath, ColumnStatistics, Input, Predicate, Projection, ScanRequest};

#[cfg(feature = "parquet")]
pub(crate) use self::columns::even_parts;
pub(crate) use self::format::{Columnar, columnar_format};
#[cfg(feature = "parquet")]
pub(crate) use self::group_encoder::GroupEncoder;
#[cfg(feature = "parquet")]
pub(crate) use self::group_part::{AppendPart, PartEncoder};
pub(crate) use self::magic::without_footer;
pub(crate) use self::nesting::refuse_deep;
pub(crate) use self::sink::{BatchWriter, ColumnarSink};

/// An error of a reader, of which only the text is shown.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The footer of a file.
pub(crate) trait Footer: fmt::Debug + Send + Sync {
    /// Returns the schema of the file.
    fn schema(&self) -> &SchemaRef;

    /// Returns the groups of rows, in order: row groups, or record batches.
    fn groups(&self) -> &[Group];

    /// Returns whether the file is one group that is read from its beginning only, as a pipe is. Default: no.
    fn is_sequential(&self) -> bool {
        false
    }

    /// Returns the number of rows of a group, which may read its head. May panic if that is damaged.
    fn rows(&self, group: usize, input: &mut dyn Input) -> Result<u64, Failure>;

    /// Inserts the names of the compressions of a group, which may read its head. May panic if that is damaged.
    fn compressions(
        &self,
        group: usize,
        input: &mut dyn Input,
        names: &mut BTreeSet<String>,
    ) -> Result<(), Failure>;

    /// Returns the statistics of columns in some groups, or in some of their rows only. Default: none.
    fn statistics(&self, groups: Range<usize>, some_rows: bool) -> Vec<(ColumnPath, ColumnStatistics)> {
        let _ = (groups, some_rows);
        Vec::new()
    }

    /// Returns whether rows of a group may satisfy a predicate, according to the footer. Default: they may.
    fn may_hold(&self, group: usize, filter: &Predicate) -> bool {
        let _ = (group, filter);
        true
    }

    /// Returns about how many bytes each column that a projection reads takes in some groups when it is decoded, where columns can be
    /// decoded by themselves. Default: they cannot.
    fn decoded_bytes(&self, groups: Range<usize>, projection: &Projection) -> Option<Vec<u64>> {
        let _ = (groups, projection);
        None
    }

    /// Returns a reader of the columns of a projection. May panic if the file is damaged.
    fn reader(
        self: Arc<Self>,
        input: Box<dyn Input>,
        projection: &Projection,
        request: &ScanRequest,
        batch_rows: usize,
    ) -> Result<Box<dyn GroupReader>, Failure>;
}

/// Rows that are stored together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    /// Offset of its first byte.
    pub(crate) start: u64,
    /// Number of bytes, as they are stored.
    pub(crate) bytes: u64,
    /// Number of rows, if the footer contains it.
    pub(crate) rows: Option<u64>,
}

/// Reads one group after the other. After an error or a panic it is not used again.
pub(crate) trait GroupReader: Send {
    /// Says that all of the rows are read of each group that is entered, and which groups that are, if it is known, so that what
    /// they need may be asked for at once. Default: does nothing.
    fn read_whole(&mut self, groups: Option<Range<usize>>) {
        let _ = groups;
    }

    /// Announces that statistics are compared with the values that are read, which are all of each group. Default: there are none.
    fn compare_statistics(&mut self) {}

    /// Enters a group to read some of its rows; the range may end after its last row. Returns the rows that will be read, which may leave
    /// out rows that do not satisfy the filter of the request.
    fn enter(&mut self, group: usize, rows: Range<u64>) -> Result<Vec<Range<u64>>, Failure>;

    /// Returns the maximum number of rows of the next batch if it may extend past the end of the group that was entered last; 0 if batches
    /// end with the group. Default: they do.
    fn reach(&self) -> usize {
        0
    }

    /// Enters the next group as well, to read all of its rows after the remaining ones, so that a batch may have rows of both; `None` if no
    /// group follows. Returns whether it did. If not, batches end at the ends of the groups that were entered.
    fn follow(&mut self, group: Option<usize>) -> Result<bool, Failure> {
        let _ = group;
        Ok(false)
    }

    /// Returns the next of these rows; `None` after the last.
    fn next(&mut self) -> Result<Option<RecordBatch>, Failure>;
}

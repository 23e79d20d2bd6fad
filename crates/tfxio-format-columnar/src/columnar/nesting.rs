//! Columns that are nested deeper than readers follow them.

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;

use arrow_schema::{DataType, Schema, SchemaRef};
use tfxio_core::foreign::guarded;
use tfxio_core::{Count, Error, ErrorKind, FormatOptions, Input, Limits, Position, Result};

use super::Failure;
use super::format::OpenFooter;

/// Levels that every reader follows.
const SHALLOW: usize = 8;

/// Refuses a column that is nested so deep that `open` refuses a file of it, under the default limits. `write` returns such a
/// file, without rows.
///
/// # Errors
/// `Unsupported`, with the column.
pub(crate) fn refuse_deep(
    schema: &Schema,
    output: &str,
    title: &str,
    write: impl Fn(SchemaRef) -> Result<Vec<u8>, Failure>,
    open: OpenFooter,
) -> Result<()> {
    for field in schema.fields() {
        let depth = depth(field.data_type());
        if depth <= SHALLOW {
            continue;
        }
        let is_read = || {
            let file = write(Arc::new(Schema::new(vec![Arc::clone(field)])))?;
            let size = file.len() as u64;
            open(Box::new(Memory(Cursor::new(file))), size, &FormatOptions::default())
        };
        let is_within_limits = depth <= Limits::default().nesting as usize;
        if is_within_limits && guarded(is_read).is_ok_and(|footer| footer.is_ok()) {
            continue;
        }
        let depth = Count::of(depth, "level");
        let what =
            format!("the column is nested {depth} deep, and {title} files of it could not be read again");
        let position = Position::new().file(output).column(field.name().as_str());
        let help = "leave out the column, or write JSON lines (.jsonl)";
        return Err(Error::new(ErrorKind::Unsupported, what).help(help).at(position));
    }
    Ok(())
}

/// Returns the maximum number of lists, structs and maps around a value.
fn depth(data_type: &DataType) -> usize {
    match data_type {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::RunEndEncoded(_, field)
        | DataType::Map(field, _) => 1 + depth(field.data_type()),
        DataType::Struct(fields) => {
            1 + fields.iter().map(|field| depth(field.data_type())).max().unwrap_or(0)
        }
        DataType::Union(fields, _) => {
            1 + fields.iter().map(|(_, field)| depth(field.data_type())).max().unwrap_or(0)
        }
        DataType::Dictionary(_, value) => depth(value),
        _ => 0,
    }
}

/// A file in memory.
struct Memory(Cursor<Vec<u8>>);

impl Read for Memory {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.read(out)
    }
}

impl Seek for Memory {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

impl Input for Memory {
    fn size(&self) -> Option<u64> {
        Some(self.0.get_ref().len() as u64)
    }
}

#[cfg(test)]
#[cfg(all(feature = "parquet", feature = "ipc"))]
mod tests {
    use arrow_array::{ArrayRef, RecordBatch, new_null_array};
    use arrow_schema::Field;
    use tfxio_core::{Batch, FileFormat, Files, FormatOptions, ScanRequest};

    use super::*;

    fn lists(depth: usize) -> DataType {
        (0..depth).fold(DataType::Int64, |item, _| DataType::new_large_list(item, true))
    }

    fn structs(depth: usize) -> DataType {
        (0..depth)
            .fold(DataType::Int64, |inner, _| DataType::Struct(vec![Field::new("a", inner, true)].into()))
    }

    /// Writes a column of this type. Returns whether it is read again, or the error.
    fn round_trip(format: &dyn FileFormat, name: &str, data_type: &DataType) -> Result<(), String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let path = path.to_str().unwrap();
        let column: ArrayRef = new_null_array(data_type, 3);
        let batch = RecordBatch::try_from_iter_with_nullable([("deep", column, true)]).unwrap();
        let options = FormatOptions::default();
        let mut sink = format.sink(path, &batch.schema(), &options).map_err(|error| error.to_string())?;
        sink.write(&Batch::from(batch)).unwrap();
        sink.finish().unwrap();
        let dataset = format.open(Files::local([path]).unwrap(), &options).unwrap();
        let mut scan = dataset.scan(&dataset.partitions(u64::MAX).unwrap()[0], &ScanRequest::new()).unwrap();
        assert_eq!(scan.next_batch().unwrap().unwrap().num_rows(), 3);
        Ok(())
    }

    /// Columns of every depth are read again, or refused before they are written.
    fn is_read_again_or_refused() {
        let formats: [(&dyn FileFormat, &str, &str); 3] = [
            (&crate::ParquetFormat, "a.parquet", "Parquet"),
            (&crate::IpcFormat, "a.arrow", "Arrow"),
            (&crate::IpcFormat, "a.arrows", "Arrow"),
        ];
        for (format, name, title) in formats {
            for of in [lists as fn(usize) -> DataType, structs] {
                let mut refused = 0;
                for depth in (1..=110).chain([400]) {
                    let Err(error) = round_trip(format, name, &of(depth)) else {
                        assert_eq!(refused, 0, "{name}: {depth}");
                        continue;
                    };
                    let what = format!(
                        "{name}, column \"deep\": the column is nested {depth} levels deep, and {title} files of it could \
                         not be read again; leave out the column, or write JSON lines (.jsonl)"
                    );
                    assert!(error.ends_with(&what), "{error}");
                    refused += 1;
                }
                assert!((12..=80).contains(&refused), "{name}: {refused}");
            }
        }
    }

    #[test]
    fn what_is_too_deep_to_be_read_is_not_written() {
        // Writers and readers call themselves for each level, without optimisation on much stack.
        let thread = std::thread::Builder::new().stack_size(64 << 20);
        thread.spawn(is_read_again_or_refused).unwrap().join().unwrap();
    }
}

//! Metadata whose numbers old writers have got wrong.

use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaData, ParquetMetaDataBuilder, RowGroupMetaData,
};
use parquet::schema::types::Type;

/// Bytes that the head of a dictionary has at most.
const DICTIONARY_HEAD: i64 = 100;
/// Offset of the first value of a file, after `PAR1`.
const FIRST: i64 = 4;

/// Returns whether a group has no children: the reader leaves it out of batches, and not of the schema.
pub(super) fn has_empty_groups(schema: &Type) -> bool {
    schema.is_group()
        && schema
            .get_fields()
            .iter()
            .any(|field| field.is_group() && (field.get_fields().is_empty() || has_empty_groups(field)))
}

/// Returns the metadata with the number of rows that the row groups have, columns that end after their dictionaries, and dictionaries
/// where there may be some. All columns end before the footer.
pub(super) fn counts(metadata: ParquetMetaData, footer: u64) -> ParquetMetaData {
    let file = metadata.file_metadata();
    let rows = metadata.row_groups().iter().map(RowGroupMetaData::num_rows).fold(0, i64::saturating_add);
    let is_short = file.created_by().is_some_and(leaves_out_heads);
    let mut columns = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
    let has_no_dictionary =
        columns.any(|column| column.dictionary_page_offset().is_some_and(|at| at < FIRST));
    if rows == file.num_rows() && !is_short && !has_no_dictionary {
        return metadata;
    }
    let file = FileMetaData::new(
        file.version(),
        rows,
        file.created_by().map(str::to_owned),
        file.key_value_metadata().cloned(),
        file.schema_descr_ptr(),
        file.column_orders().cloned(),
    );
    let groups = metadata.row_groups().iter();
    let mut starts = if is_short { starts(&metadata) } else { Vec::new() };
    starts.extend(i64::try_from(footer).ok().filter(|_| is_short));
    let groups = groups.map(|group| mended(group, &starts)).collect();
    ParquetMetaDataBuilder::new(file).set_row_groups(groups).build()
}

/// Returns whether a writer has left out the head of the dictionary of the length of a column: parquet-mr up to 1.2.8 (PARQUET-816).
fn leaves_out_heads(created_by: &str) -> bool {
    let Some(version) = created_by.strip_prefix("parquet-mr") else { return false };
    let version = version.trim_start_matches(" version").trim();
    let version = version.split([' ', '-']).next().unwrap_or_default();
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().unwrap_or_default());
    let mut next = || numbers.next().unwrap_or_default();
    (next(), next(), next()) <= (1, 2, 8)
}

/// Returns where the columns begin, in order.
fn starts(metadata: &ParquetMetaData) -> Vec<i64> {
    let columns = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
    let mut starts = columns.map(start).collect::<Vec<_>>();
    starts.sort_unstable();
    starts
}

fn start(column: &ColumnChunkMetaData) -> i64 {
    column.dictionary_page_offset().unwrap_or_else(|| column.data_page_offset())
}

/// Lets the columns of a row group go on by the head of a dictionary, as far as the next column, where it is known where columns begin,
/// and leaves out dictionaries before the first byte of values.
fn mended(group: &RowGroupMetaData, starts: &[i64]) -> RowGroupMetaData {
    let columns = group.columns().iter().map(|column| {
        let dictionary = column.dictionary_page_offset().filter(|at| *at >= FIRST);
        let at = dictionary.unwrap_or_else(|| column.data_page_offset());
        let next = starts.get(starts.partition_point(|start| *start <= at)).copied();
        let bytes = column.compressed_size();
        let room = next.map_or(0, |next| next.saturating_sub(at).saturating_sub(bytes));
        let bytes = bytes.saturating_add(room.clamp(0, DICTIONARY_HEAD));
        let column = column.clone().into_builder().set_dictionary_page_offset(dictionary);
        column.set_total_compressed_size(bytes).build()
    });
    let columns = columns.collect::<Result<Vec<_>, _>>();
    let mended =
        columns.and_then(|columns| group.clone().into_builder().set_column_metadata(columns).build());
    mended.unwrap_or_else(|_| group.clone())
}

#[cfg(test)]
mod tests {
    use super::leaves_out_heads;

    #[test]
    fn writers_are_known_by_their_versions() {
        for (created_by, is_short) in [
            ("parquet-mr", true),
            ("parquet-mr version 1.2.8-SNAPSHOT", true),
            ("parquet-mr version 1.2.5", true),
            ("parquet-mr version 1.2.9", false),
            ("parquet-mr version 1.10.0 (build abc)", false),
            ("parquet-cpp version 1.0.0", false),
            ("impala version 1.2.0", false),
        ] {
            assert_eq!(leaves_out_heads(created_by), is_short, "{created_by}");
        }
    }
}

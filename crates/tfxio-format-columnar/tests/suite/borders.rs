//! Batches of Parquet that span the borders of row groups.

use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder, MapBuilder, StringBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, FixedSizeListArray, Int64Array, RecordBatch, StructArray};
use arrow_select::concat::concat_batches;
use parquet::file::metadata::{
    ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter, RowGroupMetaData,
};
use proptest::prelude::*;
use tfxio_core::{ErrorKind, ScanRequest};
use tfxio_formats::DatasetExt as _;

use crate::test_files::write;

/// Rows with nulls, empty lists, and lists within each other.
fn rows(count: i64) -> RecordBatch {
    let n: ArrayRef = Arc::new(Int64Array::from_iter_values(0..count));
    let words = (0..count).map(|n| (n % 5 != 0).then(|| format!("word {}", n % 11)));
    let words: DictionaryArray<Int32Type> = words.collect::<Vec<_>>().iter().map(Option::as_deref).collect();
    let mut lists = ListBuilder::new(Int64Builder::new());
    let mut nested = ListBuilder::new(ListBuilder::new(Int64Builder::new()));
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    for n in 0..count {
        let list = (0..n % 4).map(|item| (item != 1).then_some(n));
        lists.append_option((n % 3 != 1).then_some(list));
        for item in 0..n % 3 {
            nested.values().append_option((item != 1).then(|| (0..n % 5).map(Some)));
        }
        nested.append(n % 7 != 2);
        for key in 0..n % 3 {
            map.keys().append_value(format!("key {key}"));
            map.values().append_option((n % 2 == 0).then_some(key));
        }
        map.append(n % 6 != 5).unwrap();
    }
    let lists: ArrayRef = Arc::new(lists.finish());
    let both = StructArray::try_from(vec![("lists", Arc::clone(&lists)), ("n", Arc::clone(&n))]).unwrap();
    let columns: [(&str, ArrayRef); 6] = [
        ("n", n),
        ("words", Arc::new(words)),
        ("lists", lists),
        ("nested", Arc::new(nested.finish())),
        ("map", Arc::new(map.finish())),
        ("both", Arc::new(both)),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Cuts rows into groups.
fn cut(rows: &RecordBatch, sizes: &[usize]) -> Vec<RecordBatch> {
    let mut start = 0;
    let group = |size: &usize| {
        start += size;
        rows.slice(start - size, *size)
    };
    sizes.iter().map(group).collect()
}

/// Reads a file in batches of these rows.
fn read(path: &Path, request: ScanRequest) -> tfxio_core::Result<Vec<RecordBatch>> {
    let batches = tfxio_formats::open(path.to_str().unwrap())?.read(request)?;
    batches.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn rows_are_the_same_for_any_groups_and_batches(
        sizes in prop::collection::vec(1..40_usize, 1..7), batch_rows in 1..90_usize, threads in 1..3_usize,
    ) {
        let total = sizes.iter().sum::<usize>();
        let rows = rows(total as i64);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        write(&path, &cut(&rows, &sizes));
        for columns in [vec!["n", "words", "lists", "nested", "map", "both"], vec!["nested", "n"], vec!["both"]] {
            let request = ScanRequest::new().batch_rows(batch_rows).threads(threads).columns(columns.clone());
            let batches = read(&path, request).unwrap();
            let (last, full) = batches.split_last().unwrap();
            prop_assert!(full.iter().all(|batch| batch.num_rows() == batch_rows));
            prop_assert_eq!(last.num_rows(), total - full.len() * batch_rows);
            let read = concat_batches(&batches[0].schema(), &batches).unwrap();
            for column in columns {
                prop_assert_eq!(&read[column], &rows[column], "{}", column);
            }
        }
    }
}

/// Values under null rows of these are not in the file, so that they have a reader for each row group.
#[test]
fn lists_of_one_length_end_with_their_row_group() {
    let pairs =
        (0..25).map(|n| (n % 4 != 0).then(|| [Some(n), (n % 3 != 0).then_some(n)])).collect::<Vec<_>>();
    let pairs: ArrayRef = Arc::new(FixedSizeListArray::from_iter_primitive::<Int32Type, _, _>(pairs, 2));
    let rows = RecordBatch::try_from_iter([("pairs", pairs)]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    write(&path, &cut(&rows, &[10, 1, 14]));
    let batches = read(&path, ScanRequest::new().batch_rows(8)).unwrap();
    assert_eq!(batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>(), [8, 8, 8, 1]);
    let read = concat_batches(&batches[0].schema(), &batches).unwrap();
    assert_eq!(&read["pairs"], &rows["pairs"]);
}

/// Returns a column of another file, whose bytes begin at an offset.
fn moved(chunk: &ColumnChunkMetaData, by: i64) -> ColumnChunkMetaData {
    let builder = chunk.clone().into_builder().set_data_page_offset(chunk.data_page_offset() + by);
    builder.set_dictionary_page_offset(chunk.dictionary_page_offset().map(|at| at + by)).build().unwrap()
}

/// Appends a footer to the bytes of files.
fn write_footer(path: &Path, bytes: &[u8], metadata: &ParquetMetaData, groups: Vec<RowGroupMetaData>) {
    let metadata = metadata.clone().into_builder().set_row_groups(groups);
    let metadata = metadata.set_column_index(None).set_offset_index(None).build();
    let mut bytes = bytes.to_vec();
    ParquetMetaDataWriter::new(&mut bytes, &metadata).finish().unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// A column that has other rows in a row group than the others would go on in the next one by itself.
#[test]
fn columns_of_other_rows_are_refused() {
    let rows = rows(60).project(&[0, 2, 3, 4]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    let file = |sizes: &[usize]| {
        write(&path, &cut(&rows, sizes));
        let metadata =
            ParquetMetaDataReader::new().parse_and_finish(&std::fs::File::open(&path).unwrap()).unwrap();
        (std::fs::read(&path).unwrap(), metadata)
    };
    let (bytes, right) = file(&[20, 20, 20]);
    for sizes in [[19, 21, 20], [21, 19, 20], [20, 19, 21]] {
        let (others, wrong) = file(&sizes);
        for (leaf, name) in [(0, "n"), (1, "lists.list.item"), (2, "nested.list.item.list.item")] {
            let groups = right.row_groups().iter().zip(wrong.row_groups()).map(|(group, other)| {
                let mut columns = group.columns().to_vec();
                columns[leaf] = moved(other.column(leaf), bytes.len() as i64);
                group.clone().into_builder().set_column_metadata(columns).build().unwrap()
            });
            write_footer(&path, &[bytes.as_slice(), &others].concat(), &right, groups.collect());
            for batch_rows in [1, 7, 20, 60] {
                let error = read(&path, ScanRequest::new().batch_rows(batch_rows)).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Malformed, "{error}");
                let group = usize::from(sizes[0] == 20);
                let whole = format!(
                    "{}, column {name:?}: the Parquet file cannot be read: the column has other rows in row group {group} than \
                     the footer says; the file is damaged; copy or download it again",
                    path.display()
                );
                assert_eq!(error.to_string(), whole, "{batch_rows}");
            }
        }
    }
}

/// Pages with fewer values than the footer declares let their column go on in the next row group.
#[test]
fn pages_of_fewer_values_are_refused() {
    let rows = rows(60).project(&[0, 2]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    write(&path, &cut(&rows, &[20, 20, 20]));
    let metadata =
        ParquetMetaDataReader::new().parse_and_finish(&std::fs::File::open(&path).unwrap()).unwrap();
    let mut groups = metadata.row_groups().to_vec();
    let columns = groups[0]
        .columns()
        .iter()
        .map(|chunk| chunk.clone().into_builder().set_num_values(chunk.num_values() + 1).build().unwrap());
    let columns = columns.collect();
    groups[0] =
        groups[0].clone().into_builder().set_column_metadata(columns).set_num_rows(21).build().unwrap();
    write_footer(&path, &std::fs::read(&path).unwrap(), &metadata, groups);
    let error = read(&path, ScanRequest::new().batch_rows(50)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Malformed, "{error}");
    let text = format!(
        "{}, column \"n\": the Parquet file cannot be read: the pages of the column in row group 0 have 1 value fewer than the \
         footer says; the file is damaged; copy or download it again",
        path.display()
    );
    assert_eq!(error.to_string(), text);
}

//! Single pages, inflated.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Compression;
use parquet::column::page::{Page, PageReader as _};
use parquet::errors::Result;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::ColumnDescPtr;

/// Returns the page of a column that these bytes are, its head first.
pub(super) fn page(column: &ColumnDescPtr, compression: Compression, page: Bytes) -> Result<Option<Page>> {
    let bytes = i64::try_from(page.len()).unwrap_or(i64::MAX);
    let chunk = ColumnChunkMetaData::builder(Arc::clone(column));
    let chunk = chunk.set_compression(compression).set_data_page_offset(0).set_total_compressed_size(bytes);
    SerializedPageReader::new(Arc::new(page), &chunk.build()?, 0, None)?.get_next_page()
}

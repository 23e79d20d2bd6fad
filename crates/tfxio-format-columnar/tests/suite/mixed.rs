//! A table of columns of many types, with nulls, NaN, both zeros, long text and empty lists, and files of it.

use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{Float32Builder, Int32Builder, ListBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{
    Array as _, ArrayRef, BinaryArray, BooleanArray, DictionaryArray, Float32Array, Float64Array, Int8Array,
    Int64Array, RecordBatch, StringArray, StructArray, UInt32Array,
};
use arrow_schema::{DataType, Field};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::{EnabledStatistics, WriterProperties};

/// Layout of a file of the table.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub rows: usize,
    pub seed: u64,
    /// Rows of a row group and of a page.
    pub group_rows: usize,
    pub page_rows: usize,
    /// Bytes of bounds.
    pub bound_bytes: usize,
    pub statistics: u8,
}

/// Numbers that look random.
fn draw(seed: u64, row: usize, column: u64) -> u64 {
    let mut z =
        seed ^ (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ column.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Makes rows of which near ones have near values; `n` is the number of the row.
pub fn table(layout: &Layout) -> RecordBatch {
    let rows = 0..layout.rows;
    let at = |row: usize, column: u64| draw(layout.seed, row, column);
    let near = |row: usize, column: u64| row as i64 / 4 + (at(row, column) % 4) as i64;
    let null = |row: usize, column: u64| at(row / 8, column + 100) % 4 == 0 && at(row, column + 200) % 8 != 0;
    let float = |row: usize, column: u64| match at(row, column) % 9 {
        0 => f64::NAN,
        1 => -0.0,
        2 => 0.0,
        _ => near(row, column) as f64 / 2.0 - 8.0,
    };
    let text = |row: usize, column: u64| {
        let stem =
            ["", "ä", "long and equal at the beginning ", "\u{10ffff}"][(near(row, column) as usize / 8) % 4];
        format!("{stem}{:03}", near(row, column))
    };
    let small =
        Int8Array::from_iter(rows.clone().map(|row| (!null(row, 1)).then(|| (near(row, 1) - 20) as i8)));
    let unsigned =
        rows.clone().map(|row| (!null(row, 2)).then(|| (near(row, 2) as u32).wrapping_mul(1 << 26)));
    let double = Float64Array::from_iter(rows.clone().map(|row| (!null(row, 3)).then(|| float(row, 3))));
    let single = Float32Array::from_iter_values(rows.clone().map(|row| float(row, 4) as f32));
    let texts = rows.clone().map(|row| (!null(row, 5)).then(|| text(row, 5)));
    let texts = texts.collect::<StringArray>();
    let bytes = rows.clone().map(|row| (!null(row, 6)).then(|| vec![0xff, near(row, 6) as u8, 0xff]));
    let words = rows.clone().map(|row| (!null(row, 7)).then(|| text(row, 7)));
    let words = words.collect::<Vec<_>>();
    let words: DictionaryArray<Int32Type> = words.iter().map(|word| word.as_deref()).collect();
    let flags = BooleanArray::from_iter(rows.clone().map(|row| (!null(row, 8)).then_some(row % 32 < 16)));
    let mut lists = ListBuilder::new(Int32Builder::new());
    let mut floats = ListBuilder::new(Float32Builder::new());
    for row in rows.clone() {
        for item in 0..at(row, 9) % 4 {
            lists.values().append_option((at(row, 10 + item) % 5 > 0).then(|| near(row, 10 + item) as i32));
            floats.values().append_value(float(row, 20 + item) as f32);
        }
        lists.append(!null(row, 9));
        floats.append(true);
    }
    let inner = Int64Array::from_iter(rows.clone().map(|row| (!null(row, 30)).then(|| near(row, 30))));
    let floats = floats.finish();
    let fields = vec![
        Arc::new(Field::new("x", DataType::Int64, true)),
        Arc::new(Field::new("floats", floats.data_type().clone(), true)),
    ];
    let valid = rows.clone().map(|row| !null(row, 31)).collect::<Vec<_>>();
    let of = StructArray::new(
        fields.into(),
        vec![Arc::new(inner) as ArrayRef, Arc::new(floats)],
        Some(valid.into()),
    );
    let columns: [(&str, ArrayRef); 11] = [
        ("n", Arc::new(Int64Array::from_iter_values(rows.map(|row| row as i64)))),
        ("small", Arc::new(small)),
        ("unsigned", Arc::new(unsigned.collect::<UInt32Array>())),
        ("double", Arc::new(double)),
        ("single", Arc::new(single)),
        ("text", Arc::new(texts)),
        ("bytes", Arc::new(bytes.collect::<BinaryArray>())),
        ("words", Arc::new(words)),
        ("flag", Arc::new(flags)),
        ("lists", Arc::new(lists.finish())),
        ("of", Arc::new(of)),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true))).unwrap()
}

/// Writes a Parquet file.
pub fn write_parquet(path: &Path, batch: &RecordBatch, layout: &Layout) {
    let statistics = match layout.statistics % 4 {
        0 => EnabledStatistics::None,
        1 => EnabledStatistics::Chunk,
        _ => EnabledStatistics::Page,
    };
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(layout.group_rows.max(1)))
        .set_data_page_row_count_limit(layout.page_rows.max(1))
        .set_write_batch_size(layout.page_rows.max(1))
        .set_statistics_truncate_length(Some(layout.bound_bytes.max(1)))
        .set_column_index_truncate_length(Some(layout.bound_bytes.max(1)))
        .set_statistics_enabled(statistics)
        .build();
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

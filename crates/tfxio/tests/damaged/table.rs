//! A small table with columns of many types, in every format.

use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, LargeBinaryBuilder, LargeListBuilder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, BooleanArray, DictionaryArray, RecordBatch, StructArray, types::Int32Type};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use tfxio::convert::Conversion;

/// Lists, which become features.
pub fn lists() -> RecordBatch {
    let mut ints = LargeListBuilder::new(Int64Builder::new());
    let mut bytes = LargeListBuilder::new(LargeBinaryBuilder::new());
    let mut texts = ListBuilder::new(StringBuilder::new());
    for row in 0..6i64 {
        if row == 3 {
            ints.append(false);
        } else {
            (0..row).for_each(|value| ints.values().append_value(value * 1000));
            ints.append(true);
        }
        bytes.values().append_value([row as u8; 5]);
        bytes.append(true);
        texts.values().append_value(format!("row {row}"));
        texts.values().append_value("");
        texts.append(row % 2 == 0);
    }
    let columns: [(&str, ArrayRef); 3] = [
        ("ints", Arc::new(ints.finish())),
        ("bytes", Arc::new(bytes.finish())),
        ("texts", Arc::new(texts.finish())),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true))).unwrap()
}

/// Types that only Arrow has.
pub fn nested() -> RecordBatch {
    let words: DictionaryArray<Int32Type> = ["a", "b", "a", "c", "b", "a"].into_iter().collect();
    let flags =
        Arc::new(BooleanArray::from(vec![Some(true), None, Some(false), None, Some(true), Some(true)]));
    let field = Arc::new(arrow_schema::Field::new("flag", arrow_schema::DataType::Boolean, true));
    let columns: [(&str, ArrayRef); 2] =
        [("words", Arc::new(words)), ("of", Arc::new(StructArray::from(vec![(field, flags as ArrayRef)])))];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true))).unwrap()
}

pub fn arrow(batch: &RecordBatch, compression: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
    writer.write(batch).unwrap();
    writer.write(&batch.slice(1, 3)).unwrap();
    writer.into_inner().unwrap()
}

pub fn parquet(folder: &Path, compression: &str) -> Vec<u8> {
    let (input, output) = (folder.join("whole.arrow"), folder.join("whole.parquet"));
    std::fs::write(&input, arrow(&lists(), None)).unwrap();
    let conversion = Conversion::builder([input.to_str().unwrap()], &output);
    conversion.set("output_compression", compression).unwrap().build().unwrap().run(|_| {}).unwrap();
    std::fs::read(&output).unwrap()
}

//! Each trait with an implementation that is not ours: a data set of lines of text.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use tfxio_core::{
    BoxedBatchReader, Error, ErrorKind, Origin, Position, ReadOptions, RecordDecoder, Split, TfxIo,
};

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new("line", DataType::Utf8, false)]))
}

#[derive(Default)]
struct Lines(Vec<String>);

impl RecordDecoder for Lines {
    fn schema(&self) -> Option<SchemaRef> {
        Some(schema())
    }

    fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error> {
        let line = std::str::from_utf8(record).map_err(|error| {
            let position = Position::new().record(origin.index);
            Error::new(ErrorKind::Malformed, "the line is not UTF-8").at(position).because(error)
        })?;
        self.0.push(line.to_owned());
        Ok(())
    }

    fn rows(&self) -> usize {
        self.0.len()
    }

    fn flush(&mut self) -> Result<RecordBatch, Error> {
        let lines: ArrayRef = Arc::new(StringArray::from(std::mem::take(&mut self.0)));
        Ok(RecordBatch::try_new(schema(), vec![lines])?)
    }
}

/// Text in memory; a split is a range of its bytes.
struct Text(&'static str);

impl TfxIo for Text {
    fn arrow_schema(&self) -> Result<SchemaRef, Error> {
        Ok(schema())
    }

    fn splits(&self, target_bytes: u64) -> Result<Vec<Split>, Error> {
        let cuts = (0..self.0.len() as u64).step_by(target_bytes as usize);
        let split = |start| Split { end: start + target_bytes, start, ..Split::whole("text") };
        Ok(cuts.map(split).collect())
    }

    fn read(&self, split: &Split, options: &ReadOptions) -> Result<BoxedBatchReader, Error> {
        if let Some(columns) = &options.projection
            && columns.iter().any(|column| &**column != "line")
        {
            return Err(Error::new(ErrorKind::InvalidArgument, "there is only the column \"line\""));
        }
        let mut at = 0;
        let mut decoder = Lines::default();
        let mut batches: Vec<Result<RecordBatch, ArrowError>> = Vec::new();
        for (index, line) in self.0.split_inclusive('\n').enumerate() {
            if (split.start..split.end).contains(&at) {
                decoder.push(line.trim_end().as_bytes(), Origin::new("text", at, index as u64))?;
                if decoder.rows() == options.batch_size {
                    batches.push(Ok(decoder.flush()?));
                }
            }
            at += line.len() as u64;
        }
        if decoder.rows() > 0 {
            batches.push(Ok(decoder.flush()?));
        }
        Ok(Box::new(RecordBatchIterator::new(batches, schema())))
    }
}

const TEXT: Text = Text("to be\nor not\nto be\nthat is\nthe question\n");

fn lines(reader: BoxedBatchReader) -> Vec<String> {
    let mut lines = Vec::new();
    for batch in reader {
        let batch = batch.unwrap();
        lines.extend(batch.column(0).as_string::<i32>().iter().flatten().map(str::to_owned));
    }
    lines
}

#[test]
fn the_splits_of_a_foreign_data_set_yield_each_record_once() {
    let io: &dyn TfxIo = &TEXT;
    for target in [1, 5, 7, 100] {
        let mut all = Vec::new();
        for split in io.splits(target).unwrap() {
            let reader = io.read(&split, &ReadOptions::default().with_batch_size(2)).unwrap();
            all.extend(lines(reader));
        }
        assert_eq!(all, ["to be", "or not", "to be", "that is", "the question"], "cut every {target} bytes");
    }
}

#[test]
fn a_foreign_data_set_refuses_what_it_does_not_have() {
    let error = TEXT.read(&Split::whole("text"), &ReadOptions::default().with_projection(["word"])).err();
    assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::InvalidArgument));
}

#[test]
fn a_foreign_decoder_goes_on_after_a_record_that_it_refused() {
    let mut decoder: Box<dyn RecordDecoder> = Box::<Lines>::default();
    decoder.push(b"a", Origin::record(0)).unwrap();
    let error = decoder.push(b"\xff", Origin::record(1)).unwrap_err();
    assert_eq!(error.to_string(), "record 1: the line is not UTF-8");
    decoder.push(b"b", Origin::record(2)).unwrap();
    assert_eq!(decoder.flush().unwrap().num_rows(), 2);
}

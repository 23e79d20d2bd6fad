//! The traits are enough for somebody else's data set: one that is made of numbers in memory works wherever ours do.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::UInt64Type;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchIterator, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use tfxio::{BoxedBatchReader, Error, ErrorKind, ReadOptions, Split, TfxIo};

/// The squares of the numbers below a bound; "bytes" of its only file are numbers.
struct Squares(u64);

impl Squares {
    fn schema() -> SchemaRef {
        let fields = ["number", "square"].map(|name| Field::new(name, DataType::UInt64, false));
        Arc::new(Schema::new(fields.to_vec()))
    }

    fn batch(numbers: std::ops::Range<u64>) -> RecordBatch {
        let number: ArrayRef = Arc::new(UInt64Array::from_iter_values(numbers.clone()));
        let square: ArrayRef = Arc::new(UInt64Array::from_iter_values(numbers.map(|number| number * number)));
        RecordBatch::try_new(Self::schema(), vec![number, square]).unwrap()
    }
}

impl TfxIo for Squares {
    fn arrow_schema(&self) -> Result<SchemaRef, Error> {
        Ok(Self::schema())
    }

    fn splits(&self, target_bytes: u64) -> Result<Vec<Split>, Error> {
        let step = target_bytes.max(1);
        let starts = (0..self.0).step_by(usize::try_from(step).unwrap());
        let split = |start: u64| {
            let end = (start + step).min(self.0);
            Split { start, end, records: Some(end - start), ..Split::whole("numbers") }
        };
        Ok(starts.map(split).collect())
    }

    fn read(&self, split: &Split, options: &ReadOptions) -> Result<BoxedBatchReader, Error> {
        let schema = Self::schema();
        let places = match &options.projection {
            None => vec![0, 1],
            Some(names) => {
                let place = |name: &Arc<str>| {
                    schema
                        .index_of(name)
                        .map_err(|_| Error::new(ErrorKind::InvalidArgument, format!("no {name}")))
                };
                names.iter().map(place).collect::<Result<Vec<_>, _>>()?
            }
        };
        let (end, size) = (split.end.min(self.0), options.batch_size as u64);
        let starts = (split.start..end).step_by(options.batch_size);
        let projected = Arc::new(schema.project(&places)?);
        let batches = starts.map(move |start| -> Result<RecordBatch, ArrowError> {
            Self::batch(start..(start + size).min(end)).project(&places)
        });
        Ok(Box::new(RecordBatchIterator::new(batches, projected)))
    }
}

/// A consumer that knows nothing of the data set.
fn sum(dataset: &dyn TfxIo, column: &str, target_bytes: u64) -> Result<u64, Error> {
    let options = ReadOptions::default().with_batch_size(7).with_projection([column]);
    let mut sum = 0;
    for split in dataset.splits(target_bytes)? {
        for batch in dataset.read(&split, &options)? {
            let batch = batch?;
            sum += batch.column(0).as_primitive::<UInt64Type>().values().iter().sum::<u64>();
        }
    }
    Ok(sum)
}

#[test]
fn a_foreign_data_set_is_read_like_ours() {
    let dataset: Box<dyn TfxIo> = Box::new(Squares(100));
    for target in [1, 10, 33, 1000] {
        assert_eq!(sum(dataset.as_ref(), "number", target).unwrap(), 4950);
        assert_eq!(sum(dataset.as_ref(), "square", target).unwrap(), 328_350);
    }
    assert_eq!(sum(dataset.as_ref(), "cube", 10).unwrap_err().to_string(), "no cube");
    assert_eq!(dataset.arrow_schema().unwrap().fields().len(), 2);
}

#[test]
fn a_foreign_split_may_be_sent_to_another_thread() {
    let dataset: Arc<dyn TfxIo> = Arc::new(Squares(1000));
    let reader = {
        let dataset = Arc::clone(&dataset);
        std::thread::spawn(move || dataset.read(&Split::whole("numbers"), &ReadOptions::default()))
    };
    let rows = reader.join().unwrap().unwrap().map(|batch| batch.unwrap().num_rows()).sum::<usize>();
    assert_eq!(rows, 1000);
}

//! The trait is enough for somebody else's data set, with somebody else's adapter.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, RecordBatchIterator};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use tfxio::tensor_repr::{
    DenseTensor, NamedTensor, Representation, Tensor, TensorAdapter, TensorBatch, TensorSpec, Values,
    VarLenSparseRepresentation,
};
use tfxio::{
    BoxedBatchReader, DType, Error, ErrorKind, ReadOptions, Split, TensorReadOptions, TensorTfxIo, TfxIo,
};

/// The numbers below a bound.
#[derive(Debug)]
struct Numbers {
    below: i64,
    tensors: Vec<&'static str>,
}

/// Makes squares and cubes of them, which no representation says.
#[derive(Debug)]
struct Powers(Vec<(Arc<str>, TensorSpec)>);

impl TensorAdapter for Powers {
    fn specs(&self) -> &[(Arc<str>, TensorSpec)] {
        &self.0
    }

    fn to_tensors(&self, batch: &RecordBatch, names: Option<&[&str]>) -> Result<TensorBatch, Error> {
        let numbers = batch.column(0).as_primitive::<Int64Type>().values();
        let make = |name: &str| {
            let power = match name {
                "square" => 2,
                "cube" => 3,
                other => return Err(Error::new(ErrorKind::InvalidArgument, format!("no {other}"))),
            };
            let values =
                Values::from_vec(numbers.iter().map(|number| number.pow(power)).collect::<Vec<i64>>());
            Ok((name.into(), Tensor::Dense(DenseTensor::try_new(vec![numbers.len()], values)?)))
        };
        let tensors: Result<Vec<NamedTensor>, Error> = match names {
            Some(names) => names.iter().map(|name| make(name)).collect(),
            None => self.0.iter().map(|(name, _)| make(name)).collect(),
        };
        TensorBatch::new(batch.num_rows(), tensors?)
    }
}

impl Numbers {
    fn columns() -> SchemaRef {
        Arc::new(Schema::new(vec![Field::new("number", DataType::Int64, false)]))
    }
}

impl TfxIo for Numbers {
    fn arrow_schema(&self) -> Result<SchemaRef, Error> {
        Ok(Self::columns())
    }

    fn splits(&self, _: u64) -> Result<Vec<Split>, Error> {
        Ok(vec![Split::whole("numbers")])
    }

    fn read(&self, _: &Split, options: &ReadOptions) -> Result<BoxedBatchReader, Error> {
        let (below, size) = (self.below, options.batch_size as i64);
        let batches = (0..below).step_by(options.batch_size).map(move |start| {
            let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(start..(start + size).min(below)));
            RecordBatch::try_new(Self::columns(), vec![numbers])
        });
        Ok(Box::new(RecordBatchIterator::new(batches, Self::columns())))
    }
}

impl TensorTfxIo for Numbers {
    fn tensor_representations(&self) -> Result<BTreeMap<String, Representation>, Error> {
        let number = VarLenSparseRepresentation::default().column("number");
        Ok(self.tensors.iter().map(|name| ((*name).to_owned(), number.clone().into())).collect())
    }

    fn tensor_adapter(&self) -> Result<Box<dyn TensorAdapter>, Error> {
        let spec = TensorSpec::Dense { dtype: DType::Int64, shape: vec![None] };
        Ok(Box::new(Powers(self.tensors.iter().map(|name| ((*name).into(), spec.clone())).collect())))
    }

    fn project(&self, tensors: &[&str]) -> Result<Box<dyn TensorTfxIo>, Error> {
        let kept = self.tensors.iter().filter(|name| tensors.contains(name)).copied().collect();
        Ok(Box::new(Self { below: self.below, tensors: kept }))
    }
}

/// A consumer that knows nothing of the data set.
fn sums(dataset: &dyn TensorTfxIo, options: &TensorReadOptions) -> Result<Vec<(String, i64)>, Error> {
    let mut sums = BTreeMap::new();
    for split in dataset.splits(1 << 20)? {
        for batch in dataset.read_tensors(&split, options)? {
            for (name, tensor) in batch? {
                *sums.entry(name.to_string()).or_default() += super::ints(&tensor).iter().sum::<i64>();
            }
        }
    }
    Ok(sums.into_iter().collect())
}

#[test]
fn a_foreign_data_set_is_read_like_ours() {
    let dataset: Box<dyn TensorTfxIo> = Box::new(Numbers { below: 100, tensors: vec!["square", "cube"] });
    let all = TensorReadOptions::default().with_batch_size(7);
    let (square, cube) = (("square".to_owned(), 328_350), ("cube".to_owned(), 24_502_500));
    assert_eq!(sums(dataset.as_ref(), &all).unwrap(), [cube.clone(), square.clone()]);
    assert_eq!(sums(dataset.as_ref(), &all.clone().with_tensors(["square"])).unwrap(), [square]);
    assert_eq!(
        sums(dataset.as_ref(), &all.with_tensors(["root"])).unwrap_err().to_string(),
        "the adapter has no tensor \"root\""
    );
    let reader = dataset.read_tensors(&Split::whole("numbers"), &TensorReadOptions::default()).unwrap();
    assert_eq!(reader.copy_count(), None);
    // It is a data set of columns as well.
    let columns: &dyn TfxIo = dataset.as_ref();
    assert_eq!(columns.arrow_schema().unwrap().fields().len(), 1);
}

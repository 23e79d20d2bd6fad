//! The trait is enough for somebody else's data set, with somebody else's adapter.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use tfxio::prelude::*;
use tfxio::tensor_repr::{
    DenseTensor, NamedTensor, Representation, Tensor, TensorAdapter, TensorBatch, TensorSpec, Values,
};
use tfxio::{Batch, DType, Error, ErrorKind, Partition, Tensors};

/// The numbers below a bound.
#[derive(Debug)]
struct Numbers {
    below: i64,
    schema: SchemaRef,
}

/// Makes squares and cubes of integers, as tensors that no representation describes.
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
        TensorBatch::try_new(batch.num_rows(), tensors?)
    }
}

impl Numbers {
    fn below(below: i64) -> Arc<dyn Dataset> {
        let field = Field::new("number", DataType::Int64, false);
        Arc::new(Self { below, schema: Arc::new(Schema::new(vec![field])) })
    }
}

impl Dataset for Numbers {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn partitions(&self, _: u64) -> Result<Vec<Partition>, Error> {
        Ok(vec![Partition::whole("numbers")])
    }

    fn scan(&self, _: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>, Error> {
        Ok(Box::new(Count {
            next: 0,
            below: self.below,
            rows: request.batch_rows as i64,
            schema: Arc::clone(&self.schema),
        }))
    }
}

struct Count {
    next: i64,
    below: i64,
    rows: i64,
    schema: SchemaRef,
}

impl Scan for Count {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn next_batch(&mut self) -> Result<Option<Batch>, Error> {
        let end = (self.next + self.rows).min(self.below);
        if self.next == end {
            return Ok(None);
        }
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(self.next..end));
        self.next = end;
        Ok(Some(RecordBatch::try_new(Arc::clone(&self.schema), vec![numbers])?.into()))
    }
}

/// A consumer that knows nothing of the data set.
fn sums(tensors: &Tensors) -> Result<BTreeMap<String, i64>, Error> {
    let mut sums = BTreeMap::new();
    for batch in tensors.read(ScanRequest::new().batch_rows(7))? {
        for (name, tensor) in batch?.into_tensors() {
            *sums.entry(name.to_string()).or_default() += super::ints(&tensor).iter().sum::<i64>();
        }
    }
    Ok(sums)
}

#[test]
fn a_foreign_data_set_is_read_like_ours_with_a_foreign_adapter() {
    let dataset = Numbers::below(100);
    let spec = TensorSpec::Dense { dtype: DType::Int64, shape: vec![None] };
    let powers = Powers(vec![("square".into(), spec.clone()), ("cube".into(), spec)]);
    let all = dataset.tensors_with(Arc::new(powers)).unwrap();
    let (square, cube) = (("square".to_owned(), 328_350), ("cube".to_owned(), 24_502_500));
    assert_eq!(sums(&all).unwrap(), [cube.clone(), square.clone()].into());
    let squares = all.select(["square"]).unwrap();
    assert_eq!(sums(&squares).unwrap(), [square].into());
    assert_eq!((squares.specs().len(), squares.original_specs().len()), (1, 2));
    assert_eq!(
        all.select(["root"]).unwrap_err().to_string(),
        "there is no tensor \"root\"; the tensors are \"square\", \"cube\""
    );
    assert_eq!(dataset.representations().unwrap_err().kind(), ErrorKind::SchemaRequired);
    // Ours works on it as well.
    let tensors = dataset.tensors([("number", Representation::dense([]))]).unwrap();
    assert_eq!(sums(&tensors).unwrap(), [("number".to_owned(), 4950)].into());
}

//! Checks of an adapter before it touches data, and the columns that it touches.

use std::sync::Arc;

use arrow_array::{ArrayRef, Date32Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use tensor_repr::{Adapter, Kind, Representation, Tensor, TensorAdapter, TensorBatch, TensorSpec};
use tfxio_core::{DType, Limits};

use crate::columns::*;

fn two() -> (RecordBatch, Adapter) {
    let batch = batch(&[("x", lists(&[Some(1), Some(1)], ints(&[1, 2]))), ("y", strings(&["a", "b"]))]);
    let y = dense(&[]).column("y");
    let representations: [(&str, Representation); 2] = [("one", varlen().into()), ("two", y.into())];
    let adapter = Adapter::builder(batch.schema(), representations).build().unwrap();
    (batch, adapter)
}

#[test]
fn tensors_come_in_the_order_of_the_names() {
    let (batch, adapter) = two();
    let names = |chosen: Option<&[&str]>| {
        let tensors = adapter.to_tensors(&batch, chosen).unwrap();
        tensors.iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(None), ["one", "two"]);
    assert_eq!(names(Some(&["two", "one", "two"])), ["two", "one", "two"]);
    assert_eq!(names(Some(&[])), [""; 0]);
    let error = adapter.to_tensors(&batch, Some(&["three"])).unwrap_err();
    assert_eq!(*error.detail::<Kind>().unwrap(), Kind::UnknownTensor);
    assert_eq!(error.position().tensor.as_deref(), Some("three"));
    assert_eq!(
        error.to_string(),
        "tensor \"three\": there is no such tensor; the tensors are \"one\", \"two\""
    );
}

#[test]
fn a_column_that_no_chosen_tensor_needs_is_not_looked_at() {
    let good = lists(&[Some(1)], ints(&[1]));
    let bad = lists(&[Some(1)], optional(&[None]));
    let batch = batch(&[("x", good), ("bad", bad)]);
    let on_bad = varlen().column("bad");
    let adapter = Adapter::builder(
        batch.schema(),
        [("good", varlen()), ("bad", on_bad)].map(|(name, varlen)| (name, Representation::from(varlen))),
    )
    .build()
    .unwrap();
    assert!(adapter.to_tensors(&batch, Some(&["good"])).is_ok());
    let error = adapter.tensors(&batch).unwrap_err();
    assert_eq!(
        (*error.detail::<Kind>().unwrap(), error.position().tensor.as_deref()),
        (Kind::NullValue, Some("bad"))
    );
    assert_eq!(error.position().column.as_deref(), Some("bad"));
    assert_eq!(error.position().row, Some(0));
}

#[test]
fn a_batch_of_another_schema_is_refused() {
    let (_, adapter) = two();
    let check = |columns: &[(&str, ArrayRef)], text: &str| {
        let error = adapter.tensors(&batch(columns)).unwrap_err();
        assert_eq!(
            (*error.detail::<Kind>().unwrap(), error.to_string().as_str()),
            (Kind::SchemaMismatch, text)
        );
    };
    let x = || lists(&[Some(1)], ints(&[1]));
    check(
        &[("x", ints(&[1])), ("y", strings(&["a"]))],
        "column 0 of the batch is \"x\" (Int64), the adapter was made for \"x\" (LargeList(Int64))",
    );
    check(
        &[("x", x()), ("z", strings(&["a"]))],
        "column 1 of the batch is \"z\" (LargeBinary), the adapter was made for \"y\" (LargeBinary)",
    );
    check(&[("x", x())], "the batch has 1 column, the adapter was made for 2");
    let strict = Schema::new(vec![
        Field::new("x", x().data_type().clone(), false),
        Field::new("y", DataType::LargeBinary, true),
    ]);
    let strict = RecordBatch::try_new(Arc::new(strict), vec![x(), strings(&["a"])]).unwrap();
    let text = "column 0 of the batch is \"x\" (LargeList(Int64), not nullable), the adapter was made for \"x\" (LargeList(Int64))";
    assert_eq!(error(adapter.tensors(&strict)), text);
}

#[test]
fn metadata_and_the_names_of_list_items_do_not_count() {
    let (batch, adapter) = two();
    let element = Arc::new(Field::new("element", DataType::Int64, true));
    let list = arrow_array::LargeListArray::new(
        element.clone(),
        arrow_buffer::OffsetBuffer::from_lengths([1, 1]),
        ints(&[1, 2]),
        None,
    );
    let schema = Schema::new(vec![
        Field::new("x", DataType::LargeList(element), true)
            .with_metadata([("a".to_owned(), "b".to_owned())].into()),
        batch.schema().field(1).clone(),
    ]);
    let other =
        RecordBatch::try_new(Arc::new(schema), vec![Arc::new(list), batch.column(1).clone()]).unwrap();
    assert_eq!(adapter.tensors(&other).unwrap(), adapter.tensors(&batch).unwrap());
}

#[test]
fn what_the_schema_lacks_is_refused_at_once() {
    let of = |column: ArrayRef, path: &[&str]| {
        let batch = batch(&[("a", column)]);
        let error = adapter(&batch, ragged(path, &[])).unwrap_err();
        (*error.detail::<Kind>().unwrap(), error.to_string())
    };
    let (kind, text) = of(ints(&[1]), &["b"]);
    assert_eq!(kind, Kind::MissingColumn);
    assert_eq!(text, "tensor \"t\", column \"b\": there is no such column in the batch; it has \"a\"");
    let (kind, text) = of(lists(&[Some(1)], Arc::new(Date32Array::from(vec![1]))), &["a"]);
    assert_eq!(kind, Kind::TypeMismatch);
    assert_eq!(text, "tensor \"t\", column \"a\": values of the Arrow type Date32 have no dtype");
    let many = (0..10).map(|at| (format!("c{at}"), ints(&[1]))).collect::<Vec<_>>();
    let many = batch(&many.iter().map(|(name, column)| (name.as_str(), column.clone())).collect::<Vec<_>>());
    let text = "tensor \"t\", column \"x\": there is no such column in the batch; it has \"c0\", \"c1\", \"c2\", \"c3\", \
                \"c4\", \"c5\", \"c6\", \"c7\" and 2 more";
    assert_eq!(error(adapter(&many, varlen())), text);
    let twice = Adapter::builder(many.schema(), [("t", column("c0")), ("t", column("c1"))]).build();
    let error = twice.unwrap_err();
    assert_eq!(*error.detail::<Kind>().unwrap(), Kind::InvalidArgument);
    assert_eq!(error.to_string(), "tensor \"t\": two representations have this name");
}

fn column(name: &str) -> Representation {
    dense(&[]).column(name).into()
}

#[test]
fn shapes_that_cannot_be_are_refused_at_once() {
    let flat = || lists(&[Some(1)], ints(&[1]));
    let nested = || lists(&[Some(1)], flat());
    let text = |text: &str| format!("tensor \"t\", column \"x\": {text}");
    assert_eq!(
        error(of_column(nested(), dense(&[Some(1), Some(1), Some(1)]))),
        text(
            "the column has 2 levels of lists, the shape [1, 1, 1] has 3 dimensions; they must be equal, or the column \
             have one level, or the first size be unknown"
        )
    );
    assert_eq!(
        error(of_column(lists(&[Some(1)], nested()), dense(&[None]))),
        text(
            "the column has 3 levels of lists, the shape [?] has 1 dimension; the shape needs one for each level but \
             the innermost"
        )
    );
    assert_eq!(
        error(of_column(nested(), dense(&[None, None, Some(1)]))),
        text(
            "the column has 2 levels of lists, the shape [?, ?, 1] has 3 dimensions; the innermost level holds several, \
             whose sizes must be known"
        )
    );
    assert_eq!(
        error(of_column(flat(), dense(&[None, Some(usize::MAX), Some(2)]))),
        text(&format!("the shape [?, {}, 2] has more cells than can be counted", usize::MAX))
    );
    assert_eq!(
        error(of_column(flat(), dense(&[Some(usize::MAX), Some(2)]))),
        text(&format!("the shape [{}, 2] has more cells than can be counted", usize::MAX))
    );
    assert_eq!(
        error(of_column(flat(), dense(&[None, Some(0)]))),
        text("the shape [?, 0] has items without values, whose number the column cannot say")
    );
}

#[test]
fn original_specs_must_hold_the_adapters() {
    let spec = |dtype| TensorSpec::Dense { dtype, shape: vec![None] };
    let of = |specs: Vec<(&str, TensorSpec)>| {
        let batch = batch(&[("c", ints(&[1]))]);
        let adapter = Adapter::builder(batch.schema(), [("c", column("c"))]);
        let alone = adapter.clone().build().unwrap();
        assert_eq!(alone.original_specs(), alone.specs());
        adapter.original_specs(specs.into_iter().map(|(name, spec)| (name.into(), spec)).collect()).build()
    };
    let both = of(vec![("c", spec(DType::Int64)), ("d", spec(DType::String))]).unwrap();
    assert_eq!((both.specs().len(), both.original_specs().len()), (1, 2));
    let text = "tensor \"c\": the original spec is dense string [?], the adapter's dense int64 [?]";
    assert_eq!(error(of(vec![("c", spec(DType::String))])), text);
    assert_eq!(
        error(of(vec![("d", spec(DType::Int64))])),
        "tensor \"c\": there is no original spec of this tensor"
    );
}

#[test]
fn padding_beyond_the_limit_is_refused() {
    let column = lists(&[Some(1000), Some(0), Some(0)], ints(&[1; 1000]));
    let batch = batch(&[("x", column)]);
    let limits = Limits::default().batch_bytes(23_999);
    let padded: Representation = padded(&[None], 0).into();
    let limited = |limits| Adapter::builder(batch.schema(), [("t", padded.clone())]).limits(limits).build();
    let adapter = limited(limits).unwrap();
    let error = adapter.tensors(&batch).unwrap_err();
    assert_eq!(*error.detail::<Kind>().unwrap(), Kind::Overflow);
    assert_eq!(
        error.to_string(),
        "tensor \"t\", column \"x\": the tensor needs room for 3000 elements of 8 bytes, the limit is 23999 bytes; take \
         smaller batches or raise the limit"
    );
    let limits = Limits::default().batch_bytes(24_000);
    assert!(limited(limits).unwrap().tensors(&batch).is_ok());
}

/// An adapter that is not ours: the first column as it is.
#[derive(Debug)]
struct First(Vec<(Arc<str>, TensorSpec)>);

impl TensorAdapter for First {
    fn specs(&self) -> &[(Arc<str>, TensorSpec)] {
        &self.0
    }

    fn to_tensors(&self, batch: &RecordBatch, _: Option<&[&str]>) -> Result<TensorBatch, tfxio_core::Error> {
        let values = tensor_repr::Values::from_array(batch.column(0))?;
        let tensor = tensor_repr::DenseTensor::try_new(vec![batch.num_rows()], values)?;
        TensorBatch::try_new(batch.num_rows(), [(self.0[0].0.clone(), Tensor::Dense(tensor))])
    }
}

#[test]
fn a_foreign_adapter_composes_with_ours() {
    let (batch, ours) = two();
    let spec = TensorSpec::Dense { dtype: DType::String, shape: vec![None] };
    let foreign = First(vec![("two".into(), spec)]);
    let adapters: [Box<dyn TensorAdapter>; 2] = [Box::new(ours), Box::new(foreign)];
    let just_y = batch.project(&[1]).unwrap();
    let [of_ours, of_foreign] =
        [adapters[0].to_tensors(&batch, Some(&["two"])), adapters[1].to_tensors(&just_y, None)];
    assert_eq!(of_ours.unwrap(), of_foreign.unwrap());
    assert_eq!(adapters[1].specs()[0], adapters[0].specs()[1]);
    let error = adapters[0].to_tensors(&just_y, None).unwrap_err();
    assert_eq!(error.kind(), tfxio_core::ErrorKind::SchemaMismatch);
}

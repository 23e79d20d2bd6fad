//! Tensors as record batches: the inverse of the adapter.

mod builder;
mod column;
mod names;
mod plan;
mod sparse;
mod structured;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{FieldRef, Schema, SchemaRef};

use self::plan::TensorPlan;
use crate::kind::Locate as _;
use crate::{Error, Kind, Representation, Tensor, TensorSpec};

use self::builder::Options;
pub use self::builder::TensorsToArrowBuilder;

/// Turns tensors of known specs into the record batches that a [`TensorAdapter`](crate::TensorAdapter)
/// makes the same tensors of.
///
/// Made once from the specs; gives the Arrow schema, the representations for the way back, and batches.
///
/// | tensor | columns | representation |
/// | --- | --- | --- |
/// | dense `[batch] + shape` | one `LargeList` of all cells of a row | dense, of that shape |
/// | dense with sizes unknown but for the batch | one `LargeList` for each dimension, inside of each other | dense, of that shape |
/// | sparse `[batch, unknown]` | one `LargeList`: the values of each row, which must be at 0, 1, 2, … | varlen sparse |
/// | any other sparse of rank 2 and more, and tensors that the options name | a `LargeList` of values, and one of int64 for each dimension but the batch | sparse |
/// | ragged | one `LargeList` for each level of row splits, inside of each other; uniform inner dimensions flat in the innermost | ragged, with a uniform partition for each inner dimension |
/// | structured `[batch]` | one for each field, of its name: dense fields `[batch]` as bare values, ragged ones as lists, structured ones as structs in as many lists as they have levels of row splits | structured |
///
/// Columns come in the order of the tensors' names. Strings become `LargeBinary`, bools `Boolean`,
/// numbers what they are. Values are shared, and row splits of 64 bits too; bools become bits, and
/// strings with 32-bit offsets get wider ones.
///
/// A size that the spec leaves open comes back as small as the values allow, as the adapter takes it from them.
///
/// # Example
///
/// ```
/// use arrow_array::{Array, cast::AsArray, types::Int64Type};
/// use tensor_repr::{Adapter, DenseTensor, Tensor, TensorsToArrow, Values};
///
/// let image = Tensor::Dense(DenseTensor::try_new(vec![2, 3], Values::from_vec(vec![1i64, 2, 3, 4, 5, 6]))?);
/// let converter = TensorsToArrow::builder([("image", image.spec())]).build()?;
/// let tensors = [("image".into(), image)];
/// let batch = converter.convert(&tensors)?;
/// assert_eq!(batch.column(0).as_list::<i64>().value(1).as_primitive::<Int64Type>().values().as_ref(), [4, 5, 6]);
///
/// let back = converter.tensor_representations().iter().cloned();
/// let adapter = Adapter::builder(batch.schema(), back).build()?;
/// assert_eq!(adapter.tensors(&batch)?[..], tensors);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TensorsToArrow {
    plans: Vec<TensorPlan>,
    schema: SchemaRef,
    representations: Vec<(Arc<str>, Representation)>,
}

impl TensorsToArrow {
    /// Returns a builder of a converter of tensors of these names and specs.
    pub fn builder<N: Into<Arc<str>>>(
        specs: impl IntoIterator<Item = (N, TensorSpec)>,
    ) -> TensorsToArrowBuilder {
        TensorsToArrowBuilder::new(specs)
    }

    fn new(specs: Vec<(Arc<str>, TensorSpec)>, options: &Options) -> Result<Self, Error> {
        let mut sorted: BTreeMap<Arc<str>, TensorSpec> = BTreeMap::new();
        for (name, spec) in specs {
            if sorted.insert(Arc::clone(&name), spec).is_some() {
                let error = Error::new(Kind::InvalidArgument, "the name occurs twice");
                return Err(error.in_tensor(&name));
            }
        }
        options.check(&sorted)?;
        let plans = sorted.into_iter().map(|(name, spec)| {
            TensorPlan::of(Arc::clone(&name), spec, options).map_err(|error| error.in_tensor(&name))
        });
        let plans = plans.collect::<Result<Vec<_>, Error>>()?;
        let mut fields: Vec<FieldRef> = Vec::new();
        let mut owners: HashMap<String, Arc<str>> = HashMap::new();
        for plan in &plans {
            for field in &plan.fields {
                if let Some(other) = owners.insert(field.name().clone(), Arc::clone(&plan.name)) {
                    let text = format!("tensor {other:?} has a column of this name too");
                    let error = Error::new(Kind::InvalidArgument, text);
                    return Err(error.in_tensor(&plan.name).in_column(field.name()));
                }
                fields.push(Arc::clone(field));
            }
        }
        let representations =
            plans.iter().map(|plan| (Arc::clone(&plan.name), plan.representation.clone())).collect();
        Ok(Self { plans, schema: Arc::new(Schema::new(fields)), representations })
    }

    /// Returns the schema of every batch.
    #[must_use]
    pub fn arrow_schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the representations that make the tensors from the columns again, in the order of their names.
    #[must_use]
    pub fn tensor_representations(&self) -> &[(Arc<str>, Representation)] {
        &self.representations
    }

    /// Returns the batch of these tensors: all that the converter was made for, in any order.
    ///
    /// # Errors
    ///
    /// Each names the tensor.
    ///
    /// - [`Kind::UnknownTensor`] if one is missing, given twice or not known.
    /// - [`Kind::TypeMismatch`] if one does not fit its spec.
    /// - [`Kind::ShapeMismatch`] if one has another number of rows than those before it.
    /// - [`Kind::InvalidTensor`] if the entries of a sparse tensor are not in the order of their rows,
    ///   or one that becomes lists has gaps.
    /// - [`Kind::Overflow`] if memory does not suffice.
    pub fn convert(&self, tensors: &[(Arc<str>, Tensor)]) -> Result<RecordBatch, Error> {
        let given = self.given(tensors)?;
        let mut rows = None;
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(self.schema.fields().len());
        for (plan, tensor) in self.plans.iter().zip(given) {
            let expected = *rows.get_or_insert(tensor.rows());
            plan.convert(tensor, expected, &mut columns).map_err(|error| error.in_tensor(&plan.name))?;
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows.unwrap_or(0)));
        Ok(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?)
    }

    /// Returns the tensors in the order of the plans.
    fn given<'t>(&self, tensors: &'t [(Arc<str>, Tensor)]) -> Result<Vec<&'t Tensor>, Error> {
        let unknown = |name: &str, text: &str| Err(Error::new(Kind::UnknownTensor, text).in_tensor(name));
        let mut given: HashMap<&str, &Tensor> = HashMap::with_capacity(tensors.len());
        for (name, tensor) in tensors {
            if given.insert(name, tensor).is_some() {
                return unknown(name, "given twice");
            }
        }
        let mut ordered = Vec::with_capacity(self.plans.len());
        for plan in &self.plans {
            match given.remove(plan.name.as_ref()) {
                Some(tensor) => ordered.push(tensor),
                None => return unknown(&plan.name, "not given"),
            }
        }
        match tensors.iter().find(|(name, _)| given.contains_key(name.as_ref())) {
            Some((name, _)) => unknown(name, "the converter was not made for a tensor of this name"),
            None => Ok(ordered),
        }
    }
}

//! Tensors from record batches.

mod batch;
mod builder;
mod converted;
mod cursor;
mod dense;
mod dictionaries;
mod lengths;
mod ragged;
mod recycle;
mod route;
mod sequence;
mod sparse;
mod splits;
mod structured;
mod varlen;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_schema::SchemaRef;
use bytemuck::Pod;
use tfxio_base::Limits;

pub use self::builder::AdapterBuilder;
use self::dictionaries::Dictionaries;
use self::recycle::{Recycler, Room};
use self::route::SchemaColumns;
use crate::kind::Locate as _;
use crate::tensor::unknown;
use crate::{CopyCount, Error, Representation, Tensor, TensorBatch, TensorSpec};

/// Turns the record batches of one schema into tensors.
///
/// [`Adapter`] is the one for any columns. A format may bring its own.
pub trait TensorAdapter: fmt::Debug + Send + Sync {
    /// Returns the names and specs of all tensors. Every tensor of the adapter conforms to its spec.
    fn specs(&self) -> &[(Arc<str>, TensorSpec)];

    /// Returns the names and specs of the whole data set of which this adapter makes a part, after a projection for
    /// instance. They include [`specs`](Self::specs), and are the same by default.
    fn original_specs(&self) -> &[(Arc<str>, TensorSpec)] {
        self.specs()
    }

    /// Returns the tensors of a batch: the tensors of these names, in their order, or all, in the order of
    /// [`specs`](Self::specs). Columns that no chosen tensor needs are not looked at.
    ///
    /// # Errors
    /// When the batch has another schema, a name is unknown, or the data do not fit a representation.
    fn to_tensors(&self, batch: &RecordBatch, names: Option<&[&str]>) -> Result<TensorBatch, Error>;
}

/// Turns record batches into tensors by representations.
///
/// Everything that the schema decides is checked once, by [`build`](AdapterBuilder::build). Values are shared
/// with the columns wherever the layout allows it:
///
/// | tensor | shared | written |
/// | --- | --- | --- |
/// | dense of `FixedSizeList`s, or of lists that all have the length, without nulls | values | nothing |
/// | dense in which a default fills cells | – | values; of strings the offsets, and the bytes only if the default is not empty |
/// | varlen sparse, sparse | values (unless they must be sorted) | indices |
/// | lengths | – | lengths |
/// | sequence | values; row splits of the column's own width that begin at 0 | other row splits |
/// | raw bytes in native order and aligned | values | nothing |
/// | raw bytes in another order, and cast values | – | values |
/// | ragged, structured | values; row splits of the column's own width that begin at 0 | other row splits |
/// | any of bools | – | values, a byte each |
///
/// Rules for the data:
///
/// - Every row must have exactly its values, whatever other rows have; a default fills what is missing.
/// - A null element is an error that names the row, unless a default fills shortfalls.
/// - Every row must have as many indices as values, each within the shape.
/// - Bools are read like numbers, and a bare primitive column is a dense tensor of shape `[]`.
/// - Dictionaries, also inside lists and structs, are read as their values, which are copied.
///
/// Slices of batches and null lists that hide values are handled like any others; hidden values between
/// others cost a copy. Written memory is used again once the tensors that hold it are dropped, so the adapter keeps
/// a few buffers for each tensor. An adapter can be shared by threads.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::types::Int64Type;
/// use arrow_array::{ArrayRef, LargeListArray, RecordBatch};
/// use tensor_repr::{Adapter, Representation};
///
/// let column = LargeListArray::from_iter_primitive::<Int64Type, _, _>([Some(vec![Some(7), Some(8)]), None]);
/// let batch = RecordBatch::try_from_iter([("x", Arc::new(column) as ArrayRef)])?;
/// let adapter = Adapter::builder(batch.schema(), [("x", Representation::varlen_sparse())]).build()?;
///
/// let tensors = adapter.tensors(&batch)?;
/// let x = tensors.sparse("x")?;
/// assert_eq!((&x.indices()[..], x.dense_shape()), (&[0, 0, 0, 1][..], &[2, 2][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Adapter {
    schema: SchemaRef,
    specs: Vec<(Arc<str>, TensorSpec)>,
    original_specs: Option<Vec<(Arc<str>, TensorSpec)>>,
    dictionaries: Option<Dictionaries>,
    tensors: Vec<Compiled>,
    by_name: Arc<HashMap<Arc<str>, usize>>,
    limits: Limits,
}

/// One tensor, ready to be made.
struct Compiled {
    plan: AdapterPlan,
    recycler: Recycler,
}

#[derive(Debug)]
enum AdapterPlan {
    Dense(dense::DensePlan),
    VarLen(varlen::VarLenPlan),
    Sparse(sparse::SparsePlan),
    Ragged(ragged::RaggedPlan),
    Structured(structured::StructuredPlan),
    Lengths(lengths::LengthsPlan),
    Sequence(sequence::SequencePlan),
    Converted(converted::ConvertedPlan),
}

/// The making of one tensor of one batch.
struct TensorRun<'a> {
    recycler: &'a Recycler,
    limit: u64,
    count: CopyCount,
}

impl TensorRun<'_> {
    fn room<T: Pod>(&self, count: usize) -> Result<Room, Error> {
        self.recycler.room::<T>(count, self.limit)
    }

    fn finish(&self, room: Room) -> Buffer {
        self.recycler.finish(room)
    }

    /// Refuses more elements than the limit allows. Lists without items and nulls without a type take no memory, so
    /// that a column may claim any number of them.
    fn claim<T>(&self, count: usize) -> Result<(), Error> {
        recycle::bytes::<T>(count, self.limit).map(drop)
    }

    /// Returns an empty vector with memory for `count` elements.
    fn reserved<T>(&self, count: usize) -> Result<Vec<T>, Error> {
        let bytes = recycle::bytes::<T>(count, self.limit)?;
        let mut vec = Vec::new();
        vec.try_reserve_exact(count).map_err(|error| recycle::no_memory(bytes).because(error))?;
        Ok(vec)
    }
}

impl Adapter {
    /// Returns a builder of an adapter for batches of this schema. A representation without a column is of the column
    /// of the tensor's name.
    pub fn builder<I, N>(schema: SchemaRef, representations: I) -> AdapterBuilder
    where
        I: IntoIterator<Item = (N, Representation)>,
        N: Into<Arc<str>>,
    {
        AdapterBuilder::new(schema, representations)
    }

    /// Returns the schema of the batches.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the names and specs of all tensors.
    #[must_use]
    pub fn specs(&self) -> &[(Arc<str>, TensorSpec)] {
        &self.specs
    }

    /// Returns the specs of the whole data set: those given to the
    /// [builder](AdapterBuilder::original_specs), or the adapter's own.
    #[must_use]
    pub fn original_specs(&self) -> &[(Arc<str>, TensorSpec)] {
        self.original_specs.as_deref().unwrap_or(&self.specs)
    }

    /// Returns the tensors of a batch, in the order of [`specs`](Self::specs).
    ///
    /// # Errors
    /// - `SchemaMismatch` if the batch has another schema.
    ///
    /// And, each with tensor, column and row:
    /// - `ShapeMismatch` if a row does not have the values that its shape needs;
    /// - `AbsentValue` if a row, `NullValue` if an element is null and no default fills it;
    /// - `InvalidIndex` if an index column is not as long as the value column, or an index is negative or outside
    ///   of the shape;
    /// - `InvalidPartition` if row lengths do not divide the values;
    /// - `Overflow` if a tensor would be larger than the limit, a column claims more lists or values than the limit has
    ///   room for, or row splits do not fit their type.
    pub fn tensors(&self, batch: &RecordBatch) -> Result<TensorBatch, Error> {
        let by_name = Arc::clone(&self.by_name);
        self.make(batch, 0..self.tensors.len(), by_name)
    }

    /// Returns the tensors of these names, in their order. Columns that no chosen tensor needs are not looked at.
    ///
    /// # Errors
    /// Those of [`tensors`](Self::tensors), and
    /// - `UnknownTensor` if a name is not the adapter's.
    pub fn tensors_of(&self, batch: &RecordBatch, names: &[&str]) -> Result<TensorBatch, Error> {
        let mut chosen = Vec::with_capacity(names.len());
        let mut by_name = HashMap::with_capacity(names.len());
        for name in names {
            let known = || self.specs.iter().map(|(name, _)| &**name);
            let (key, at) = self.by_name.get_key_value(*name).ok_or_else(|| unknown(name, known()))?;
            by_name.entry(Arc::clone(key)).or_insert(chosen.len());
            chosen.push(*at);
        }
        self.make(batch, chosen.into_iter(), Arc::new(by_name))
    }

    fn make(
        &self,
        batch: &RecordBatch,
        chosen: impl ExactSizeIterator<Item = usize>,
        by_name: Arc<HashMap<Arc<str>, usize>>,
    ) -> Result<TensorBatch, Error> {
        batch::check(&self.schema, batch)?;
        let limit = self.limits.batch_bytes;
        let unpacked =
            self.dictionaries.as_ref().map(|columns| columns.unpacked(batch, limit)).transpose()?;
        let batch = unpacked.as_ref().unwrap_or(batch);
        let mut count = CopyCount::default();
        let mut tensors = Vec::with_capacity(chosen.len());
        for at in chosen {
            let (Some((name, _)), Some(compiled)) = (self.specs.get(at), self.tensors.get(at)) else {
                continue;
            };
            let mut run = TensorRun { recycler: &compiled.recycler, limit, count };
            let tensor = compiled.plan.run(batch, &mut run).map_err(|error| error.in_tensor(name))?;
            count = run.count;
            tensors.push((Arc::clone(name), tensor));
        }
        Ok(TensorBatch::of_adapter(batch.num_rows(), tensors, by_name, count))
    }
}

impl TensorAdapter for Adapter {
    fn specs(&self) -> &[(Arc<str>, TensorSpec)] {
        &self.specs
    }

    fn original_specs(&self) -> &[(Arc<str>, TensorSpec)] {
        self.original_specs()
    }

    fn to_tensors(&self, batch: &RecordBatch, names: Option<&[&str]>) -> Result<TensorBatch, Error> {
        match names {
            Some(names) => self.tensors_of(batch, names),
            None => self.tensors(batch),
        }
    }
}

impl fmt::Debug for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let specs = self.specs.iter().map(|(name, spec)| (name, spec.to_string()));
        f.debug_map().entries(specs).finish()
    }
}

impl AdapterPlan {
    fn of(columns: &SchemaColumns<'_>, representation: &Representation) -> Result<(Self, TensorSpec), Error> {
        Ok(match representation {
            Representation::Dense(dense) => {
                let (plan, spec) = dense::DensePlan::of(columns, dense)?;
                (Self::Dense(plan), spec)
            }
            Representation::VarLenSparse(sparse) => {
                let (plan, spec) = varlen::VarLenPlan::of(columns, sparse)?;
                (Self::VarLen(plan), spec)
            }
            Representation::Sparse(sparse) => {
                let (plan, spec) = sparse::SparsePlan::of(columns, sparse)?;
                (Self::Sparse(plan), spec)
            }
            Representation::Ragged(ragged) => {
                let (plan, spec) = ragged::RaggedPlan::of(columns, ragged)?;
                (Self::Ragged(plan), spec)
            }
            Representation::VarLenRagged(ragged) => {
                let (plan, spec) = ragged::RaggedPlan::of_lists(columns, ragged)?;
                (Self::Ragged(plan), spec)
            }
            Representation::Structured(structured) => {
                let (plan, spec) = structured::StructuredPlan::of(columns, structured)?;
                (Self::Structured(plan), spec)
            }
            Representation::Lengths(lengths) => {
                let (plan, spec) = lengths::LengthsPlan::of(columns, lengths)?;
                (Self::Lengths(plan), spec)
            }
            Representation::Sequence(sequence) => {
                let (plan, spec) = sequence::SequencePlan::of(columns, sequence)?;
                (Self::Sequence(plan), spec)
            }
            Representation::Converted(converted) => {
                let (plan, spec) = converted::ConvertedPlan::of(columns, converted)?;
                (Self::Converted(plan), spec)
            }
        })
    }

    fn run(&self, batch: &RecordBatch, run: &mut TensorRun<'_>) -> Result<Tensor, Error> {
        match self {
            Self::Dense(plan) => plan.run(batch, run).map(Tensor::Dense),
            Self::VarLen(plan) => plan.run(batch, run).map(Tensor::Sparse),
            Self::Sparse(plan) => plan.run(batch, run).map(Tensor::Sparse),
            Self::Ragged(plan) => plan.run(batch, run).map(Tensor::Ragged),
            Self::Structured(plan) => plan.run(batch, run).map(Tensor::Structured),
            Self::Lengths(plan) => plan.run(batch, run).map(Tensor::Dense),
            Self::Sequence(plan) => plan.run(batch, run).map(Tensor::Ragged),
            Self::Converted(plan) => plan.run(batch, run),
        }
    }
}

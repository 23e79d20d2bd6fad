//! Tensors from record batches.

mod batch;
mod cursor;
mod dense;
mod lengths;
mod ragged;
mod recycle;
mod route;
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
use tfxio_base::{Limits, suggest};

use self::recycle::{Recycler, Room};
use self::route::Columns;
use crate::kind::Locate as _;
use crate::{Error, Kind, Representation, Tensor, TensorSpec};

/// A tensor and its name.
pub type NamedTensor = (Arc<str>, Tensor);

/// Turns the record batches of one schema into tensors.
///
/// [`DefaultTensorAdapter`] is the one for any columns. A format may bring its own.
pub trait TensorAdapter: fmt::Debug + Send + Sync {
    /// The names and specs of all tensors. Every tensor of the adapter conforms to its spec.
    fn specs(&self) -> &[(Arc<str>, TensorSpec)];

    /// The names and specs of the data set of which this adapter makes a part, after a projection say; those of
    /// [`specs`](Self::specs) are among them. As given here, they are the same.
    fn original_specs(&self) -> &[(Arc<str>, TensorSpec)] {
        self.specs()
    }

    /// The tensors of a batch: those of these names, in their order, or all, in the order of
    /// [`specs`](Self::specs). Columns that no chosen tensor needs are not looked at.
    ///
    /// # Errors
    /// When the batch has another schema, a name is unknown, or the data do not fit a representation.
    fn to_tensors(&self, batch: &RecordBatch, names: Option<&[&str]>) -> Result<Vec<NamedTensor>, Error>;
}

/// What was written to make tensors, in bytes. Whatever is shared with the columns counts nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopyCount {
    /// Bytes of values, and of the offsets of strings.
    pub values: u64,
    /// Bytes of indices and row splits.
    pub computed: u64,
}

/// Turns record batches into tensors as representations say.
///
/// Everything that the schema decides is checked once, in [`try_new`](Self::try_new). Values are shared
/// with the columns wherever the layout allows it:
///
/// | tensor | shared | written |
/// | --- | --- | --- |
/// | dense of `FixedSizeList`s, or of lists that all have the length, without nulls | values | nothing |
/// | dense in which a default fills cells | – | values; of strings the offsets, and the bytes only if the default is not empty |
/// | varlen sparse, sparse | values (unless they must be sorted) | indices |
/// | lengths | – | lengths |
/// | ragged, structured | values; row splits of the column's own width that begin at 0 | other row splits |
/// | any of bools | – | values, a byte each |
///
/// What data must keep to:
///
/// - Every row must have exactly its values, whatever other rows have; a default fills what is missing.
/// - A null element is an error that names the row, unless a default fills shortfalls.
/// - Every row must have as many indices as values, each within the shape.
/// - Bools are read like numbers, and a bare primitive column is a dense tensor of shape `[]`.
///
/// Slices of batches and null lists that hide values are handled like any others; hidden values between
/// others cost a copy. Written memory is used again once the tensors that hold it are dropped, so the adapter keeps
/// a few buffers for each tensor. An adapter can be shared by threads.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::types::Int64Type;
/// use arrow_array::{ArrayRef, LargeListArray, RecordBatch};
/// use tensor_repr::{DefaultTensorAdapter, Representation, Tensor, VarLenSparseRepresentation};
///
/// let column = LargeListArray::from_iter_primitive::<Int64Type, _, _>([Some(vec![Some(7), Some(8)]), None]);
/// let batch = RecordBatch::try_from_iter([("x", Arc::new(column) as ArrayRef)])?;
/// let sparse = VarLenSparseRepresentation { column: "x".into(), ..Default::default() };
/// let adapter = DefaultTensorAdapter::try_new(batch.schema(), [("x", Representation::VarLenSparse(sparse))])?;
///
/// let tensors = adapter.to_tensors(&batch, None)?;
/// let (name, Tensor::Sparse(tensor)) = &tensors[0] else { unreachable!() };
/// assert_eq!((&**name, &tensor.indices()[..], tensor.dense_shape()), ("x", &[0, 0, 0, 1][..], &[2, 2][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DefaultTensorAdapter {
    schema: SchemaRef,
    specs: Vec<(Arc<str>, TensorSpec)>,
    original_specs: Option<Vec<(Arc<str>, TensorSpec)>>,
    tensors: Vec<Compiled>,
    by_name: HashMap<Arc<str>, usize>,
    limits: Limits,
}

/// One tensor, ready to be made.
struct Compiled {
    plan: Plan,
    recycler: Recycler,
}

enum Plan {
    Dense(dense::DensePlan),
    VarLen(varlen::VarLenPlan),
    Sparse(sparse::SparsePlan),
    Ragged(ragged::RaggedPlan),
    Structured(structured::StructuredPlan),
    Lengths(lengths::LengthsPlan),
}

/// The making of one tensor of one batch.
struct Run<'a> {
    recycler: &'a Recycler,
    limit: u64,
    count: CopyCount,
}

impl Run<'_> {
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

    /// An empty vector with memory for so many elements.
    fn reserved<T>(&self, count: usize) -> Result<Vec<T>, Error> {
        let bytes = recycle::bytes::<T>(count, self.limit)?;
        let mut vec = Vec::new();
        vec.try_reserve_exact(count).map_err(|error| recycle::no_memory(bytes).because(error))?;
        Ok(vec)
    }
}

impl DefaultTensorAdapter {
    /// An adapter for batches of this schema.
    ///
    /// # Errors
    /// Each names the tensor and, where it is about one, the column:
    /// - `MissingColumn` if a column, or a field on a path, is not in the schema;
    /// - `TypeMismatch` if a column has another type than its representation needs, or says;
    /// - `InvalidRepresentation` if a path is empty, a default does not fit the dtype or the shape, or
    ///   sizes and index columns are not equally many;
    /// - `InvalidArgument` if two tensors have one name.
    pub fn try_new<I, N>(schema: SchemaRef, representations: I) -> Result<Self, Error>
    where
        I: IntoIterator<Item = (N, Representation)>,
        N: Into<Arc<str>>,
    {
        let all = Arc::clone(&schema);
        let columns = Columns::new(&all);
        let mut adapter = Self {
            schema,
            specs: Vec::new(),
            original_specs: None,
            tensors: Vec::new(),
            by_name: HashMap::new(),
            limits: Limits::default(),
        };
        for (name, representation) in representations {
            let name = name.into();
            let (plan, spec) = Plan::of(&columns, &representation).map_err(|error| error.in_tensor(&name))?;
            if adapter.by_name.insert(name.clone(), adapter.tensors.len()).is_some() {
                let error = Error::new(Kind::InvalidArgument, "two representations have this name");
                return Err(error.in_tensor(&name));
            }
            adapter.specs.push((name, spec));
            adapter.tensors.push(Compiled { plan, recycler: Recycler::default() });
        }
        Ok(adapter)
    }

    /// The same adapter with the specs of a data set of which it makes a part: after a projection, those
    /// of the tensors before it.
    ///
    /// # Errors
    /// `InvalidArgument` if a tensor of the adapter is not among them with the same spec.
    pub fn with_original_specs(mut self, original: Vec<(Arc<str>, TensorSpec)>) -> Result<Self, Error> {
        for (name, spec) in &self.specs {
            let message = match original.iter().find(|(other, _)| other == name) {
                Some((_, other)) if other == spec => continue,
                Some((_, other)) => format!("the original spec is {other}, the adapter's {spec}"),
                None => "there is no original spec of this tensor".to_owned(),
            };
            return Err(Error::new(Kind::InvalidArgument, message).in_tensor(name));
        }
        self.original_specs = Some(original);
        Ok(self)
    }

    /// The same adapter with other limits. `batch_bytes` bounds what is written for one tensor: padding can make
    /// it many times what is in the batch. Default 8 GiB.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The schema of the batches.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The names and specs of all tensors.
    #[must_use]
    pub fn specs(&self) -> &[(Arc<str>, TensorSpec)] {
        &self.specs
    }

    /// The specs of the whole data set: those given to
    /// [`with_original_specs`](Self::with_original_specs), or the adapter's own.
    #[must_use]
    pub fn original_specs(&self) -> &[(Arc<str>, TensorSpec)] {
        self.original_specs.as_deref().unwrap_or(&self.specs)
    }

    /// The tensors of a batch: those of these names, in their order, or all, in the order of
    /// [`specs`](Self::specs). Columns that no chosen tensor needs are not looked at.
    ///
    /// # Errors
    /// - `SchemaMismatch` if the batch has another schema;
    /// - `UnknownTensor` if a name is not the adapter's.
    ///
    /// And, each with tensor, column and row:
    /// - `ShapeMismatch` if a row does not have the values that its shape needs;
    /// - `NullValue` if a row or an element is null where no default stands for it;
    /// - `InvalidIndex` if an index column is not as long as the value column, or an index is negative or outside
    ///   of the shape;
    /// - `InvalidPartition` if row lengths do not divide the values;
    /// - `Overflow` if a tensor would be larger than the limit, a column claims more lists or values than the limit has
    ///   room for, or row splits do not fit their type.
    pub fn to_tensors(&self, batch: &RecordBatch, names: Option<&[&str]>) -> Result<Vec<NamedTensor>, Error> {
        self.to_tensors_counting(batch, names).map(|(tensors, _)| tensors)
    }

    /// [`to_tensors`](Self::to_tensors), and how much was written rather than shared.
    ///
    /// # Errors
    /// Those of [`to_tensors`](Self::to_tensors).
    pub fn to_tensors_counting(
        &self,
        batch: &RecordBatch,
        names: Option<&[&str]>,
    ) -> Result<(Vec<NamedTensor>, CopyCount), Error> {
        batch::check(&self.schema, batch)?;
        let mut count = CopyCount::default();
        let mut tensors = Vec::with_capacity(names.map_or(self.tensors.len(), <[_]>::len));
        let mut make = |at: usize| {
            let (Some((name, _)), Some(compiled)) = (self.specs.get(at), self.tensors.get(at)) else {
                return Ok::<_, Error>(());
            };
            let mut run = Run { recycler: &compiled.recycler, limit: self.limits.batch_bytes, count };
            let tensor = compiled.plan.run(batch, &mut run).map_err(|error| error.in_tensor(name))?;
            count = run.count;
            tensors.push((name.clone(), tensor));
            Ok(())
        };
        match names {
            None => (0..self.tensors.len()).try_for_each(make)?,
            Some(names) => {
                for name in names {
                    let at = self.by_name.get(*name).ok_or_else(|| {
                        let known = self.specs.iter().map(|(name, _)| &**name);
                        Error::new(Kind::UnknownTensor, "there is no such tensor")
                            .help(suggest::hint(name, known, "tensors"))
                            .in_tensor(name)
                    })?;
                    make(*at)?;
                }
            }
        }
        Ok((tensors, count))
    }
}

impl TensorAdapter for DefaultTensorAdapter {
    fn specs(&self) -> &[(Arc<str>, TensorSpec)] {
        &self.specs
    }

    fn original_specs(&self) -> &[(Arc<str>, TensorSpec)] {
        self.original_specs()
    }

    fn to_tensors(&self, batch: &RecordBatch, names: Option<&[&str]>) -> Result<Vec<NamedTensor>, Error> {
        Self::to_tensors(self, batch, names)
    }
}

impl fmt::Debug for DefaultTensorAdapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let specs = self.specs.iter().map(|(name, spec)| (name, spec.to_string()));
        f.debug_map().entries(specs).finish()
    }
}

impl Plan {
    fn of(columns: &Columns<'_>, representation: &Representation) -> Result<(Self, TensorSpec), Error> {
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
        })
    }

    fn run(&self, batch: &RecordBatch, run: &mut Run<'_>) -> Result<Tensor, Error> {
        match self {
            Self::Dense(plan) => plan.run(batch, run).map(Tensor::Dense),
            Self::VarLen(plan) => plan.run(batch, run).map(Tensor::Sparse),
            Self::Sparse(plan) => plan.run(batch, run).map(Tensor::Sparse),
            Self::Ragged(plan) => plan.run(batch, run).map(Tensor::Ragged),
            Self::Structured(plan) => plan.run(batch, run).map(Tensor::Structured),
            Self::Lengths(plan) => plan.run(batch, run).map(Tensor::Dense),
        }
    }
}

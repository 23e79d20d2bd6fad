//! Examples into batches.

mod lists;

use std::sync::Arc;

use arrow_buffer::ScalarBuffer;
use bytemuck::Pod;
use tensor_repr::{DenseTensor, RaggedTensor, RowSplits, TensorSpec, Values};
use tfxio_core::DType;

use super::failure::{self, ExamplePosition};
use super::layout::{Layout, product};
use super::normalize::normalize;
use super::origin::Origins;
use super::packed::{self, Ids};
use super::pool::{Pool, Room};
use super::runs::{self, Runs, row_lengths};
use super::windows::{self, Windows};
use super::{Batch, Roles, fixed, text};
use crate::error::{Locate as _, outside};
use crate::item::{Item, Unit};
use crate::packing::Packing;
use crate::pipeline::{Pad, Pipeline, PipelineStep};
use crate::shape::{TensorInfo, is_of_lists};
use crate::{Error, Kind, Result};

/// Makes the batches of a loader. Several threads may share one.
pub(crate) struct Batcher {
    pipeline: Arc<Pipeline>,
    unit: Unit,
    limit: u64,
    roles: Arc<Roles>,
    /// The tensor of the pipeline of each name of the roles.
    tensors: Vec<Tensor>,
    /// The memory of the two tensors that tell packed examples apart.
    ids: [Pool; 2],
}

/// A tensor of the batches.
struct Tensor {
    /// Its number in the pipeline.
    at: usize,
    /// The axes along which it is normalised, one after the other.
    axes: Vec<usize>,
    values: Pool,
    strings: text::Pools,
}

/// One batch in the making.
struct BatchRun<'a> {
    /// The examples, and what the numbers of their parts count.
    items: &'a [Item],
    unit: Unit,
    /// Positions of the examples in rows; `None` for a row each.
    packing: Option<&'a Packing>,
    /// The column of the tensor in the examples' chunks.
    at: usize,
    /// The examples as they were cut, for their positions in errors.
    cut: &'a [Item],
    files: &'a [Arc<str>],
    /// Bytes of the tensors before.
    used: u64,
}

impl Batcher {
    /// A batcher of examples of a kind, whose batches have at most `limit` bytes. Their memory serves for later ones, or is one of vectors.
    pub(crate) fn new(pipeline: Arc<Pipeline>, unit: Unit, limit: u64, reuses_memory: bool) -> Self {
        let mut used = [&pipeline.inputs[..], &pipeline.targets[..]].concat();
        used.sort_unstable();
        used.dedup();
        let ids = pipeline.pack.as_ref().map_or(&[][..], |pack| &pack.names);
        used.retain(|&at| at < pipeline.tensors.len() + ids.len());
        let name = |at: usize| match pipeline.tensors.get(at) {
            Some(tensor) => Arc::clone(&tensor.name),
            None => ids.get(at - pipeline.tensors.len()).cloned().unwrap_or_default(),
        };
        let positions =
            |tensors: &[usize]| tensors.iter().filter_map(|at| used.binary_search(at).ok()).collect();
        let roles = Roles {
            names: used.iter().map(|&at| name(at)).collect(),
            inputs: positions(&pipeline.inputs),
            targets: positions(&pipeline.targets),
            unnamed: Arc::default(),
        };
        let axes = |at: usize| pipeline.normalization.iter().filter(move |(tensor, _)| *tensor == at);
        let pool = |dtype: Option<DType>| match dtype.and_then(DType::width) {
            Some(width) if !reuses_memory => Pool::of_own_memory(width),
            _ => Pool::default(),
        };
        let tensor = |at| Tensor {
            at,
            axes: axes(at).map(|(_, axis)| *axis).collect(),
            values: pool(pipeline.examples.get(at).map(|info| info.dtype)),
            strings: text::Pools::default(),
        };
        // The tensors that tell packed examples apart come last, and are made for each batch.
        let tensors = used.iter().filter(|at| **at < pipeline.tensors.len()).map(|&at| tensor(at)).collect();
        let ids = [(); 2].map(|()| pool(pipeline.pack.as_ref().map(|pack| pack.dtype)));
        Self { unit, limit, roles: Arc::new(roles), tensors, ids, pipeline }
    }

    /// Returns the names, dtypes and shapes of the tensors of every batch. A tensor that is both input and target comes
    /// once.
    pub(crate) fn specs(&self) -> Vec<(Arc<str>, TensorSpec)> {
        let spec = |tensor: &Tensor| {
            let info = &self.pipeline.examples[tensor.at];
            let pad = self.pad(tensor);
            let is_known = self.unit == Unit::Row || !self.steps(tensor).is_empty();
            let size = |(dimension, &own): (usize, &Option<usize>)| {
                let own = own.filter(|_| dimension > 0 || is_known);
                pad.and_then(|pad| pad.shape.get(dimension).copied().flatten()).or(own)
            };
            let mut shape =
                std::iter::once(None).chain(info.shape.iter().enumerate().map(size)).collect::<Vec<_>>();
            if let (Some(pack), Some(first)) = (&self.pipeline.pack, shape.get_mut(1)) {
                *first = Some(pack.length);
            }
            (Arc::clone(&info.name), TensorSpec::Dense { dtype: info.dtype, shape })
        };
        let mut specs = self.tensors.iter().map(spec).collect::<Vec<_>>();
        if let Some(pack) = &self.pipeline.pack {
            let spec = || TensorSpec::Dense { dtype: pack.dtype, shape: vec![None, Some(pack.length)] };
            specs.extend(pack.names.iter().map(|name| (Arc::clone(name), spec())));
        }
        specs
    }

    /// The batch of some examples, a row each.
    #[cfg(test)]
    pub(crate) fn batch(&self, items: &[Item], files: &[Arc<str>]) -> Result<Batch> {
        self.make(items, None, files)
    }

    /// The batch of some examples, a row each or packed. `files` are the names of the data set's files.
    ///
    /// # Errors
    /// `Record` if shapes differ without padding, or are larger than the pad shape; `LimitExceeded` for a batch that is
    /// too large.
    pub(crate) fn make(
        &self,
        items: &[Item],
        packing: Option<&Packing>,
        files: &[Arc<str>],
    ) -> Result<Batch> {
        let mut used = 0;
        let mut tensors = Vec::with_capacity(self.tensors.len());
        let mut lengths = Vec::new();
        for tensor in &self.tensors {
            let info = &self.pipeline.examples[tensor.at];
            let named = |error: Error| error.of_tensor(Arc::clone(&info.name));
            let steps = self.steps(tensor);
            let mut run =
                BatchRun { items, unit: self.unit, packing, at: tensor.at, cut: items, files, used };
            let windows;
            if !steps.is_empty() {
                let given = Windows { items, unit: self.unit, tensor: tensor.at, files, limit: self.limit };
                windows = given.after(&self.pipeline.tensors[tensor.at], steps).map_err(named)?;
                (run.items, run.unit, run.at) = (&windows, Unit::Row, 0);
            }
            tensors.push(self.tensor(tensor, info, &mut run).map_err(named)?);
            used = run.used;
            if self.unit == Unit::Rows && packing.is_none() {
                lengths.push(ragged(items, tensor.at, steps).map_err(named)?);
            }
        }
        let rows = items.iter().map(|item| item.position(self.unit)).collect();
        let mut origins = Origins { rows, ..Origins::default() };
        if let (Some(packing), Some(pack)) = (packing, &self.pipeline.pack) {
            let Ids { segments, positions } = packed::ids(packing, pack.dtype, &self.ids, used, self.limit)?;
            tensors.extend([segments, positions]);
            origins.row_ends.clone_from(&packing.ends);
        }
        let examples = packing.map_or(items.len(), |packing| packing.ends.len());
        let roles = Arc::clone(&self.roles);
        Ok(Batch { examples, roles, tensors, row_lengths: lengths, origins })
    }

    /// Returns the steps that a tensor of windows takes.
    fn steps(&self, tensor: &Tensor) -> &[PipelineStep] {
        self.pipeline.window_steps_of(tensor.at)
    }

    fn pad(&self, tensor: &Tensor) -> Option<&Pad> {
        self.pipeline.padding.as_ref().and_then(|padding| padding.get(tensor.at))
    }

    fn tensor(&self, tensor: &Tensor, info: &TensorInfo, run: &mut BatchRun<'_>) -> Result<DenseTensor> {
        if is_of_lists(&info.shape) {
            return self.lists(tensor, info, run);
        }
        match info.dtype.width() {
            Some(1) => self.fixed::<u8>(tensor, info, run),
            Some(2) => self.fixed::<u16>(tensor, info, run),
            Some(4) => self.fixed::<u32>(tensor, info, run),
            Some(_) => self.fixed::<u64>(tensor, info, run),
            None => self.strings(tensor, info, run),
        }
    }

    fn fixed<T: Pod>(
        &self,
        tensor: &Tensor,
        info: &TensorInfo,
        run: &mut BatchRun<'_>,
    ) -> Result<DenseTensor> {
        if let Some(tensor) = self.records::<T>(tensor, info, run)? {
            return Ok(tensor);
        }
        let own = inner(info)?;
        let cells = product(&own).ok_or_else(outside)?;
        let runs = run.rows(fixed::find::<T>(run.items, run.unit, run.at, cells)?, cells)?;
        let layout = self.layout(own, &runs, tensor, info, run)?;
        let shape = shape(&layout, info, runs.examples.len());
        let cells = layout.cells(runs.examples.len());
        let bytes = cells.and_then(|cells| cells.checked_mul(size_of::<T>()));
        run.take(bytes, &shape, self.limit)?;
        let pad = self.pad(tensor).map(|pad| &*pad.value.bytes).unwrap_or_default();
        let room = fixed::write(&runs, &layout, cells.unwrap_or_default(), pad, &tensor.values)?;
        finish(tensor, info, room, shape)
    }

    /// The tensor of records that have one known shape, which needs no padding. `None` for all others.
    fn records<T: Pod>(
        &self,
        tensor: &Tensor,
        info: &TensorInfo,
        run: &mut BatchRun<'_>,
    ) -> Result<Option<DenseTensor>> {
        let Some(own) = info.shape.iter().copied().collect::<Option<Vec<_>>>() else { return Ok(None) };
        let pad = self.pad(tensor).map(|pad| pad.shape.iter().zip(&own));
        let padded = pad.is_some_and(|mut sizes| sizes.any(|(pad, own)| pad.is_some_and(|pad| pad != *own)));
        if run.unit != Unit::Row || padded || run.packing.is_some() {
            return Ok(None);
        }
        let shape = [&[run.items.len()], &own[..]].concat();
        let bytes = product(&shape).and_then(|cells| cells.checked_mul(size_of::<T>()));
        let before = run.used;
        run.take(bytes, &shape, self.limit)?;
        let mut room = tensor.values.room(bytes.unwrap_or_default())?;
        if fixed::records::<T>(run.items, run.at, &own, &mut room).is_none() {
            run.used = before;
            return Ok(None);
        }
        finish(tensor, info, room, shape).map(Some)
    }

    fn strings(&self, tensor: &Tensor, info: &TensorInfo, run: &mut BatchRun<'_>) -> Result<DenseTensor> {
        let own = inner(info)?;
        let inner = product(&own).ok_or_else(outside)?;
        let runs = run.rows(text::find(run.items, run.unit, run.at, inner)?, inner)?;
        let layout = self.layout(own, &runs, tensor, info, run)?;
        let shape = shape(&layout, info, runs.examples.len());
        let pad = self.pad(tensor).map(|pad| &*pad.value.bytes).unwrap_or_default();
        let steps = runs.examples.iter().map(|example| example.steps).sum::<usize>();
        let sizes = layout.cells(runs.examples.len()).and_then(|cells| {
            let padding = cells.checked_sub(steps.checked_mul(inner)?)?;
            Some((cells, text::bytes(&runs, padding, pad)?))
        });
        let bytes = sizes.and_then(|(cells, bytes)| cells.checked_add(1)?.checked_mul(8)?.checked_add(bytes));
        run.take(bytes, &shape, self.limit)?;
        let (cells, bytes) = sizes.unwrap_or_default();
        let values = text::write(&runs, &layout, cells, bytes, pad, &tensor.strings)?;
        DenseTensor::try_new(shape, values).map_err(broken)
    }

    /// The common shape of all examples.
    fn layout<R>(
        &self,
        own: Vec<usize>,
        runs: &Runs<R>,
        tensor: &Tensor,
        info: &TensorInfo,
        run: &BatchRun<'_>,
    ) -> Result<Layout> {
        let steps = || runs.examples.iter().map(|example| example.steps);
        let position =
            |at: usize| run.cut.get(at).map(|item| ExamplePosition::of(item, self.unit, run.files));
        let whole = |steps: usize| [&[steps], &own[..]].concat();
        if info.shape.is_empty() {
            let wrong = steps().position(|steps| steps != 1).and_then(position);
            return match wrong {
                Some(position) => Err(failure::no_dimension(position)),
                None => Ok(Layout { steps: 1, padded: own.clone(), own }),
            };
        }
        if let Some(packing) = run.packing {
            return Ok(Layout { steps: packing.length, padded: own.clone(), own });
        }
        let Some(pad) = self.pad(tensor) else {
            let first = steps().next().unwrap_or(0);
            let wrong = steps().position(|steps| steps != first);
            if let Some((at, other)) = wrong.and_then(|at| Some((at, position(0)?)))
                && let Some(here) = position(at)
            {
                let steps = runs.examples.get(at).map_or(0, |example| example.steps);
                return Err(failure::differs(self.unit, here, &whole(steps), &other, &whole(first)));
            }
            return Ok(Layout { steps: first, padded: own.clone(), own });
        };
        let longest = steps().max().unwrap_or(0);
        let size = |dimension: usize, own: usize| pad.shape.get(dimension).copied().flatten().unwrap_or(own);
        let layout = Layout {
            steps: size(0, longest),
            padded: own.iter().enumerate().map(|(at, &own)| size(at.saturating_add(1), own)).collect(),
            own,
        };
        let fits = layout.own.iter().zip(&layout.padded).all(|(own, padded)| own <= padded);
        if longest <= layout.steps && fits {
            return Ok(layout);
        }
        let at = steps().position(|steps| !fits || steps > layout.steps).unwrap_or(0);
        let steps = runs.examples.get(at).map_or(0, |example| example.steps);
        let shape = [&[steps], &layout.own[..]].concat();
        Err(match position(at) {
            Some(position) => failure::exceeds(self.unit, position, &shape, &pad.shape),
            None => outside(),
        })
    }
}

impl BatchRun<'_> {
    /// Returns the runs of the batch's rows.
    fn rows<R: runs::CellRun>(&self, runs: Runs<R>, inner: usize) -> Result<Runs<R>> {
        match self.packing {
            Some(packing) => runs.packed(packing, inner).ok_or_else(outside),
            None => Ok(runs),
        }
    }

    /// Counts the bytes of a tensor before it is made.
    fn take(&mut self, bytes: Option<usize>, shape: &[usize], limit: u64) -> Result<()> {
        let bytes = bytes.and_then(|bytes| u64::try_from(bytes).ok());
        match bytes.and_then(|bytes| self.used.checked_add(bytes)).filter(|&all| all <= limit) {
            Some(all) => {
                self.used = all;
                Ok(())
            }
            None => Err(failure::too_large(shape, bytes, self.used, limit)),
        }
    }
}

/// Normalises the values in `room`, and makes them a tensor.
fn finish(tensor: &Tensor, info: &TensorInfo, mut room: Room, shape: Vec<usize>) -> Result<DenseTensor> {
    for &axis in &tensor.axes {
        normalize(&mut room, info.dtype, &shape, axis)?;
    }
    let values = Values::try_new(info.dtype, room.finish()).map_err(broken)?;
    DenseTensor::try_new(shape, values).map_err(broken)
}

/// The dimensions after the first, which are known before there is data.
fn inner(info: &TensorInfo) -> Result<Vec<usize>> {
    info.shape.iter().skip(1).map(|size| size.ok_or_else(outside)).collect()
}

/// Returns the shape of the tensor of `examples` examples.
fn shape(layout: &Layout, info: &TensorInfo, examples: usize) -> Vec<usize> {
    let first = (!info.shape.is_empty()).then_some(layout.steps);
    std::iter::once(examples).chain(first).chain(layout.padded.iter().copied()).collect()
}

/// Returns the length of each record of each window; `None` if the steps do not leave whole records in order.
fn ragged(items: &[Item], tensor: usize, steps: &[PipelineStep]) -> Result<Option<RaggedTensor>> {
    let (splits, mut lengths) = row_lengths(items, tensor)?;
    for step in steps {
        if windows::cut_lengths(&step.operation, &splits, &mut lengths).is_none() {
            return Ok(None);
        }
    }
    let splits = RowSplits::Int64(ScalarBuffer::from(splits));
    RaggedTensor::try_new(vec![splits], Vec::new(), Values::from_vec(lengths)).map(Some).map_err(broken)
}

#[cold]
pub(super) fn broken(error: Error) -> Error {
    Error::new(Kind::Record, "the examples do not become a tensor").because(error)
}

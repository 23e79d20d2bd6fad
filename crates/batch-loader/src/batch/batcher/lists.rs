//! Tensors whose steps are lists of any number of values: each becomes as long as the longest of the batch, or as its padding.

use arrow_array::LargeBinaryArray;
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use tensor_repr::{DenseTensor, Values};

use super::{BatchRun, Batcher, Tensor, broken, finish};
use crate::batch::failure::{self, ExamplePosition};
use crate::batch::layout::product;
use crate::batch::runs::Runs;
use crate::batch::text::{self, Strings};
use crate::column::{count, texts};
use crate::error::outside;
use crate::shape::TensorInfo;
use crate::{Error, Result};

/// Shape of the steps of a batch.
struct Lists {
    /// Steps of each example, or row.
    steps: usize,
    /// Values of each step.
    values: usize,
    /// Cells of a value.
    cells: usize,
}

impl Batcher {
    /// Makes the tensor of steps that are lists.
    pub(super) fn lists(
        &self,
        tensor: &Tensor,
        info: &TensorInfo,
        run: &mut BatchRun<'_>,
    ) -> Result<DenseTensor> {
        let rest =
            info.shape.iter().skip(2).map(|size| size.ok_or_else(outside)).collect::<Result<Vec<_>>>()?;
        let cells = product(&rest).ok_or_else(outside)?;
        let runs = run.rows(text::find(run.items, run.unit, run.at, 1)?, 1)?;
        let steps = self.layout(Vec::new(), &runs, tensor, info, run)?.steps;
        let values = self.longest(&runs, cells, tensor, info, run)?;
        let lists = Lists { steps, values, cells };
        let examples = runs.examples.len();
        let shape = [&[examples, steps, values], &rest[..]].concat();
        let elements = product(&shape);
        let pad = self.pad(tensor).map(|pad| &*pad.value.bytes).unwrap_or_default();
        let Some(width) = info.dtype.width() else {
            let bytes = elements.and_then(|elements| lists.text_bytes(&runs, elements, pad));
            let all = bytes.and_then(|bytes| elements?.checked_add(1)?.checked_mul(8)?.checked_add(bytes));
            run.take(all, &shape, self.limit)?;
            let sizes = (elements.unwrap_or_default(), bytes.unwrap_or_default());
            let values = lists.texts(&runs, sizes, pad, &tensor.strings)?;
            return DenseTensor::try_new(shape, values).map_err(broken);
        };
        let bytes = elements.and_then(|elements| elements.checked_mul(width));
        run.take(bytes, &shape, self.limit)?;
        let mut room = tensor.values.room(bytes.unwrap_or_default())?;
        let pad = if pad.is_empty() { vec![0; width] } else { pad.to_vec() };
        lists.numbers(&runs, &pad, room.values::<u8>()).ok_or_else(outside)?;
        finish(tensor, info, room, shape)
    }

    /// Returns how many values each step has in the batch.
    ///
    /// # Errors
    /// `Record` for a step with more than padding has, or, without padding, with others than the first.
    fn longest(
        &self,
        runs: &Runs<Strings<'_>>,
        cells: usize,
        tensor: &Tensor,
        info: &TensorInfo,
        run: &BatchRun<'_>,
    ) -> Result<usize> {
        let pad = self.pad(tensor);
        let most = pad.and_then(|pad| pad.shape.get(1).copied().flatten());
        // Rows that are packed are filled up anyway.
        let is_padded = pad.is_some() || run.packing.is_some();
        let (mut longest, mut first) = (0usize, None);
        for (example, (_, lists)) in runs.iter().enumerate() {
            for (step, list) in lists.iter().flat_map(|run| run.each()).enumerate() {
                let values = list.and_then(|list| count(list, info.dtype)?.checked_div(cells.max(1)));
                let values = values.ok_or_else(outside)?;
                longest = longest.max(values);
                let first = *first.get_or_insert(values);
                let what = match most {
                    Some(most) if values > most => failure::long_list(step, values, most),
                    None if !is_padded && values != first => failure::uneven_list(step, values, first),
                    _ => continue,
                };
                return Err(self.at_example(example, run, what));
            }
        }
        Ok(most.unwrap_or(longest))
    }

    /// Adds the position of an example; of rows that are packed there is none.
    fn at_example(&self, example: usize, run: &BatchRun<'_>, error: Error) -> Error {
        match run.cut.get(example).filter(|_| run.packing.is_none()) {
            Some(item) => ExamplePosition::of(item, self.unit, run.files).add_to(error),
            None => error,
        }
    }
}

impl Lists {
    /// Calls `list` with each list of each example, and `None` where one is missing, in order.
    fn each<'a>(
        &self,
        runs: &Runs<Strings<'a>>,
        mut list: impl FnMut(Option<&'a [u8]>) -> Option<()>,
    ) -> Option<()> {
        for (steps, lists) in runs.iter() {
            for each in lists.iter().flat_map(|run| run.each()) {
                list(Some(each?))?;
            }
            for _ in 0..self.steps.checked_sub(steps)? {
                list(None)?;
            }
        }
        Some(())
    }

    /// Writes numbers, and the pad value where there is none.
    fn numbers(&self, runs: &Runs<Strings<'_>>, pad: &[u8], out: &mut [u8]) -> Option<()> {
        let mut rest = out;
        let size = self.values.checked_mul(self.cells)?.checked_mul(pad.len())?;
        self.each(runs, |list| {
            let (to, after) = std::mem::take(&mut rest).split_at_mut_checked(size)?;
            rest = after;
            let (own, fill) = to.split_at_mut_checked(list.map_or(0, <[u8]>::len))?;
            own.copy_from_slice(list.unwrap_or_default());
            match pad {
                _ if pad.iter().all(|byte| byte == pad.first().unwrap_or(byte)) => {
                    fill.fill(pad.first().copied().unwrap_or_default());
                }
                _ => fill.chunks_exact_mut(pad.len()).for_each(|cell| cell.copy_from_slice(pad)),
            }
            Some(())
        })?;
        rest.is_empty().then_some(())
    }

    /// Returns the bytes of all strings, the pad values among them.
    fn text_bytes(&self, runs: &Runs<Strings<'_>>, elements: usize, pad: &[u8]) -> Option<usize> {
        let (mut bytes, mut own) = (0usize, 0usize);
        self.each(runs, |list| {
            for text in texts(list.unwrap_or_default()) {
                bytes = bytes.checked_add(text?.len())?;
                own = own.checked_add(1)?;
            }
            Some(())
        })?;
        bytes.checked_add(elements.checked_sub(own)?.checked_mul(pad.len())?)
    }

    /// Writes strings, and the pad value where there is none.
    fn texts(
        &self,
        runs: &Runs<Strings<'_>>,
        (elements, bytes): (usize, usize),
        pad: &[u8],
        pools: &text::Pools,
    ) -> Result<Values> {
        let room = elements.checked_add(1).and_then(|offsets| offsets.checked_mul(8)).ok_or_else(outside)?;
        let (mut offsets, mut data) = (pools.offsets.room(room)?, pools.data.room(bytes)?);
        let write = |offsets: &mut [i64], data: &mut [u8]| {
            let mut ends = offsets.iter_mut();
            let (mut end, mut rest) = (0usize, data);
            *ends.next()? = 0;
            let size = self.values.checked_mul(self.cells)?;
            self.each(runs, |list| {
                let own = texts(list.unwrap_or_default()).chain(std::iter::repeat(Some(pad)));
                for text in own.take(size) {
                    let text = text?;
                    let (to, after) = std::mem::take(&mut rest).split_at_mut_checked(text.len())?;
                    to.copy_from_slice(text);
                    rest = after;
                    end = end.checked_add(text.len())?;
                    *ends.next()? = i64::try_from(end).ok()?;
                }
                Some(())
            })?;
            (rest.is_empty() && ends.next().is_none()).then_some(())
        };
        write(offsets.values::<i64>(), data.values::<u8>()).ok_or_else(outside)?;
        let offsets = OffsetBuffer::new(ScalarBuffer::<i64>::from(offsets.finish()));
        let array = LargeBinaryArray::try_new(offsets, data.finish(), None);
        let array = array.map_err(|error| Error::new(crate::Kind::Record, error.to_string()))?;
        Values::from_array(&array).map_err(broken)
    }
}

//! Slices: all rows, and the rows of each value of a column.

use std::collections::HashMap;

use arrow_array::{RecordBatch, UInt32Array};
use tfxio_base::Result;

use super::{StatisticsOptions, errors, rows};

/// All rows, and the rows of each value of a column.
#[derive(Clone, Debug)]
pub(super) struct Slices {
    /// All rows are the first.
    slices: Vec<Slice>,
    index: HashMap<Vec<u8>, usize>,
}

/// The rows of one value.
#[derive(Clone, Debug, Default)]
pub(super) struct Slice {
    value: Vec<u8>,
    pub(super) rows: u64,
    pub(super) weight: f64,
}

/// The name of the slice of all rows.
const ALL: &str = "All Examples";

impl Default for Slices {
    fn default() -> Self {
        Self { slices: vec![Slice::default()], index: HashMap::new() }
    }
}

impl Slices {
    pub(super) fn all(&self) -> &Slice {
        &self.slices[0]
    }

    pub(super) fn len(&self) -> usize {
        self.slices.len()
    }

    /// Returns value, rows and weight of each slice, all rows first.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[u8], u64, f64)> {
        self.slices.iter().map(|slice| (&*slice.value, slice.rows, slice.weight))
    }

    /// Returns slices of values, rows and weights, all rows first; nothing where a value occurs twice, or there is none.
    pub(super) fn from_parts(parts: impl Iterator<Item = (Vec<u8>, u64, f64)>) -> Option<Self> {
        let mut slices = Self { slices: Vec::new(), index: HashMap::new() };
        for (value, rows, weight) in parts {
            let at = slices.slices.len();
            if at > 0 && slices.index.insert(value.clone(), at).is_some() {
                return None;
            }
            slices.slices.push(Slice { value, rows, weight });
        }
        (slices.len() > 0).then_some(slices)
    }

    /// Counts the rows of a batch, and returns which are in which slice, all rows left out.
    pub(super) fn rows(
        &mut self,
        batch: &RecordBatch,
        weights: Option<&[f64]>,
        options: &StatisticsOptions,
    ) -> Result<Vec<(usize, UInt32Array)>> {
        let all = &mut self.slices[0];
        all.rows = all.rows.saturating_add(batch.num_rows() as u64);
        all.weight += weights.map_or(0.0, |weights| weights.iter().sum());
        let Some(by) = &options.by else { return Ok(Vec::new()) };
        let mut of_slices: Vec<(usize, Vec<u32>)> = Vec::new();
        let mut positions: HashMap<usize, usize> = HashMap::new();
        let mut refused = Ok(());
        rows::slice_values(batch, by, |row, value| {
            let slice = match self.slice(value, options) {
                Ok(slice) => slice,
                Err(error) => {
                    refused = Err(error);
                    return;
                }
            };
            let at = *positions.entry(slice).or_insert(of_slices.len());
            if at == of_slices.len() {
                of_slices.push((slice, Vec::new()));
            }
            let row = u32::try_from(row).unwrap_or(u32::MAX);
            if let Some((_, rows)) = of_slices.get_mut(at)
                && rows.last() != Some(&row)
            {
                rows.push(row);
            }
        })?;
        refused?;
        for (slice, rows) in &of_slices {
            if let Some(slice) = self.slices.get_mut(*slice) {
                slice.rows = slice.rows.saturating_add(rows.len() as u64);
                let weight = |row: &u32| weights.and_then(|weights| weights.get(*row as usize));
                slice.weight += rows.iter().filter_map(weight).sum::<f64>();
            }
        }
        Ok(of_slices.into_iter().map(|(slice, rows)| (slice, rows.into())).collect())
    }

    /// Returns the index of the slice of a value.
    fn slice(&mut self, value: &[u8], options: &StatisticsOptions) -> Result<usize> {
        if let Some(slice) = self.index.get(value) {
            return Ok(*slice);
        }
        if self.index.len() >= options.max_slices {
            let by = options.by.clone().unwrap_or_default();
            return Err(errors::too_many_slices(&by, options.max_slices));
        }
        self.index.insert(value.to_vec(), self.slices.len());
        self.slices.push(Slice { value: value.to_vec(), ..Slice::default() });
        Ok(self.slices.len() - 1)
    }

    /// Adds the rows of others, and returns the index here of each of theirs.
    pub(super) fn merge(&mut self, other: &Self, options: &StatisticsOptions) -> Result<Vec<usize>> {
        let mut indices = Vec::with_capacity(other.slices.len());
        for (at, theirs) in other.slices.iter().enumerate() {
            let index = if at == 0 { 0 } else { self.slice(&theirs.value, options)? };
            if let Some(ours) = self.slices.get_mut(index) {
                ours.rows = ours.rows.saturating_add(theirs.rows);
                ours.weight += theirs.weight;
            }
            indices.push(index);
        }
        Ok(indices)
    }

    /// Returns the slices with their indices and names: all rows, then numbers in their order, then texts in theirs.
    pub(super) fn in_order<'a>(
        &'a self,
        options: &'a StatisticsOptions,
    ) -> impl Iterator<Item = (usize, String, &'a Slice)> {
        let mut order: Vec<usize> = (0..self.slices.len()).collect();
        let key = |index: &usize| {
            let value = self.slices.get(*index).map_or(&[][..], |slice| &slice.value);
            let number = std::str::from_utf8(value).ok().and_then(|text| text.parse::<i128>().ok());
            (*index > 0, number.is_none(), number, value)
        };
        order.sort_by(|a, b| key(a).cmp(&key(b)));
        order.into_iter().filter_map(move |index| {
            let slice = self.slices.get(index)?;
            let name = match (&options.by, index) {
                (None, _) => String::new(),
                (Some(_), 0) => ALL.to_owned(),
                (Some(by), _) => match std::str::from_utf8(&slice.value) {
                    Ok(value) => format!("{by}_{value}"),
                    Err(_) => format!("{by}_{}", slice.value.escape_ascii()),
                },
            };
            Some((index, name, slice))
        })
    }
}

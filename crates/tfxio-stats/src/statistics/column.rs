//! A column of the batches, in each slice.

use std::sync::Arc;

use arrow_array::{ArrayRef, UInt32Array};
use arrow_schema::DataType;
use arrow_select::take::take;
use tfxio_base::Result;
use tfxio_core::ColumnPath;

use super::StatisticsOptions;
use super::column_tree::ColumnNode;

/// A column of the batches: of all rows, and of each slice.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    name: Arc<str>,
    data_type: DataType,
    nodes: Vec<ColumnNode>,
}

/// Context of the rows of a batch that columns need.
#[derive(Clone, Debug)]
pub(crate) struct BatchRows {
    pub(super) weights: Option<Vec<f64>>,
    /// Slices that have rows of the batch, by their index, and the rows.
    pub(super) slices: Vec<(usize, UInt32Array)>,
    pub(super) options: Arc<StatisticsOptions>,
}

impl Column {
    pub(super) fn new(name: Arc<str>, data_type: &DataType) -> Self {
        Self { name, data_type: data_type.clone(), nodes: vec![ColumnNode::of_type(data_type)] }
    }

    /// Returns a column of nodes of all rows, and of slices.
    pub(super) fn from_nodes(name: Arc<str>, nodes: Vec<ColumnNode>) -> Self {
        Self { name, data_type: DataType::Null, nodes }
    }

    pub(super) fn nodes(&self) -> &[ColumnNode] {
        &self.nodes
    }

    pub(super) fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Adds the values of the rows of a batch.
    pub(crate) fn update(&mut self, array: &ArrayRef, rows: &BatchRows) -> Result<()> {
        let path = ColumnPath::new([Arc::clone(&self.name)]);
        self.node(0).update(&path, array, rows.weights.as_deref(), &rows.options)?;
        for (slice, of_slice) in &rows.slices {
            let values = take(array, of_slice, None)?;
            let weight = |row: &u32| {
                let weights = rows.weights.as_ref()?;
                weights.get(*row as usize).copied()
            };
            let weights: Option<Vec<f64>> =
                rows.weights.is_some().then(|| of_slice.values().iter().filter_map(weight).collect());
            self.node(*slice).update(&path, &values, weights.as_deref(), &rows.options)?;
        }
        Ok(())
    }

    fn node(&mut self, slice: usize) -> &mut ColumnNode {
        let data_type = &self.data_type;
        while self.nodes.len() <= slice {
            self.nodes.push(ColumnNode::of_type(data_type));
        }
        &mut self.nodes[slice]
    }

    /// Adds what another column has, whose slices have other indices here.
    pub(super) fn merge(
        &mut self,
        other: &Self,
        slices: &[usize],
        options: &StatisticsOptions,
    ) -> Result<()> {
        let path = ColumnPath::new([Arc::clone(&self.name)]);
        for (node, slice) in other.nodes.iter().zip(slices) {
            self.node(*slice).merge(&path, node, options)?;
        }
        Ok(())
    }

    /// Calls a function with the node of a slice.
    pub(super) fn with_node(
        &self,
        slice: usize,
        options: &StatisticsOptions,
        each: impl FnOnce(&ColumnNode),
    ) {
        match (self.nodes.get(slice), self.nodes.first()) {
            (Some(node), _) => each(node),
            // No batch with rows of the slice had the column.
            (None, Some(all)) => each(&all.without_values(options)),
            (None, None) => {}
        }
    }
}

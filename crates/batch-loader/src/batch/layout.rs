//! The shape of a tensor of a batch, and the order in which its cells are written.

use super::runs::{CellRun, Runs};

/// Destination of cells.
pub(super) trait Out<R> {
    /// Writes the cells of a run; `None` if they do not fit.
    fn copy(&mut self, run: R) -> Option<()>;
    /// Writes the pad value `cells` times.
    fn fill(&mut self, cells: usize) -> Option<()>;
}

/// Shape of a batch's tensor, made of the shapes of its examples.
pub(super) struct Layout {
    /// The size of the first dimension of every example in the batch; 1 if there is none.
    pub(super) steps: usize,
    /// The other dimensions as they are.
    pub(super) own: Vec<usize>,
    /// The other dimensions in the batch, none of them smaller.
    pub(super) padded: Vec<usize>,
}

impl Layout {
    /// Returns the number of cells of `examples` examples.
    pub(super) fn cells(&self, examples: usize) -> Option<usize> {
        // One dimension of size 0 makes it 0, however large the others.
        if examples == 0 || self.steps == 0 {
            return Some(0);
        }
        examples.checked_mul(self.steps)?.checked_mul(product(&self.padded)?)
    }

    /// Writes all cells, in row-major order. `None` if the number of cells does not match the shape.
    pub(super) fn write<R: CellRun>(&self, runs: &Runs<R>, out: &mut impl Out<R>) -> Option<()> {
        let (own, padded) = (product(&self.own)?, product(&self.padded)?);
        if self.own == self.padded {
            for (steps, runs) in runs.iter() {
                for &run in runs {
                    out.copy(run)?;
                }
                out.fill(self.steps.checked_sub(steps)?.checked_mul(own)?)?;
            }
            return Some(());
        }
        if own == 0 {
            return out.fill(self.cells(runs.examples.len())?);
        }
        let mut lines = Lines::new(&self.own, &self.padded);
        for (steps, runs) in runs.iter() {
            let mut left = steps;
            for &run in runs {
                let mut from = 0;
                while left > 0 {
                    let Some(step) = run.part(from, from.checked_add(own)?) else { break };
                    lines.write(step, out)?;
                    (from, left) = (from + own, left - 1);
                }
            }
            out.fill(self.steps.checked_sub(steps)?.checked_mul(padded)?)?;
        }
        Some(())
    }
}

/// The cells of a shape. One dimension of size 0 makes it 0, however large the others.
pub(super) fn product(shape: &[usize]) -> Option<usize> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1usize, |cells, &size| cells.checked_mul(size))
}

/// A step whose inner dimensions are padded, as lines: the largest parts of which nothing but the end is padding.
struct Lines<'a> {
    /// The dimensions outside of lines.
    own: &'a [usize],
    padded: &'a [usize],
    /// Cells of a line.
    own_line: usize,
    padded_line: usize,
    /// The index of a line in the outer dimensions.
    index: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(own: &'a [usize], padded: &'a [usize]) -> Self {
        let at = own.iter().zip(padded).rposition(|(own, padded)| own != padded).unwrap_or(0);
        let cells = |shape: &[usize]| shape.get(at..).and_then(product).unwrap_or(0);
        Self {
            own: own.get(..at).unwrap_or_default(),
            padded: padded.get(..at).unwrap_or_default(),
            own_line: cells(own),
            padded_line: cells(padded),
            index: vec![0; at],
        }
    }

    fn write<R: CellRun>(&mut self, step: R, out: &mut impl Out<R>) -> Option<()> {
        let mut from = 0;
        self.index.fill(0);
        loop {
            if self.index.iter().zip(self.own).all(|(at, own)| at < own) {
                let to = from + self.own_line;
                out.copy(step.part(from, to)?)?;
                from = to;
                out.fill(self.padded_line.checked_sub(self.own_line)?)?;
            } else {
                out.fill(self.padded_line)?;
            }
            // The next index, the last dimension fastest.
            let more = self.index.iter_mut().zip(self.padded).rev().any(|(at, &size)| {
                *at += 1;
                let inside = *at < size;
                if !inside {
                    *at = 0;
                }
                inside
            });
            if !more {
                return Some(());
            }
        }
    }
}

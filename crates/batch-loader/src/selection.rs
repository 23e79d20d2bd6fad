//! Positions that a slice takes of a dimension.

use crate::config::SliceAxis;

/// The positions that an entry of a slice takes of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Selection {
    /// The first position.
    pub(crate) start: usize,
    /// From one position to the next.
    pub(crate) step: isize,
    /// Number of positions.
    pub(crate) count: usize,
    /// Whether the dimension is dropped.
    pub(crate) drops: bool,
}

impl Selection {
    /// Returns the selection of an entry in a dimension of this size, as Python does; `None` for an index out of
    /// bounds, and for a step of 0.
    pub(crate) fn of(axis: &SliceAxis, size: usize) -> Option<Self> {
        let end = i64::try_from(size).ok()?;
        match *axis {
            SliceAxis::Index(index) => {
                let position = if index < 0 { index.checked_add(end)? } else { index };
                let start = usize::try_from(position).ok().filter(|position| *position < size)?;
                Some(Self { start, step: 1, count: 1, drops: true })
            }
            SliceAxis::Range { start, stop, step } => {
                let forwards = step > 0;
                let (least, most) = if forwards { (0, end) } else { (-1, end - 1) };
                let position = |position: i64| {
                    (if position < 0 { position.saturating_add(end) } else { position }).clamp(least, most)
                };
                let start = start.map_or(if forwards { 0 } else { end - 1 }, position);
                let stop = stop.map_or(if forwards { end } else { -1 }, position);
                let distance = if forwards { stop - start } else { start - stop };
                let count = match u64::try_from(distance) {
                    Ok(distance @ 1..) => (distance - 1).checked_div(step.unsigned_abs())? + 1,
                    _ if step == 0 => return None,
                    _ => 0,
                };
                Some(Self {
                    start: if count == 0 { 0 } else { usize::try_from(start).ok()? },
                    // With one position the step does not matter, and with more it is smaller than the dimension.
                    step: if count > 1 { isize::try_from(step).ok()? } else { 1 },
                    count: usize::try_from(count).ok()?,
                    drops: false,
                })
            }
        }
    }

    pub(crate) fn whole(size: usize) -> Self {
        Self { start: 0, step: 1, count: size, drops: false }
    }

    /// Whether it takes every position in order.
    pub(crate) fn is_whole(&self, size: usize) -> bool {
        self.count == size && self.step == 1
    }

    pub(crate) fn positions(self) -> impl Iterator<Item = usize> {
        (0..self.count).map(move |at| self.start.wrapping_add_signed(self.step.wrapping_mul(at as isize)))
    }
}

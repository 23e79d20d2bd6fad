//! Walking into nested columns so that the values come out without gaps.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, UInt64Array};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_select::take::take;
use tfxio_core::DType;

use super::TensorRun;
use super::route::{Route, RouteStep};
use super::splits::Splits;
use crate::kind::Locate as _;
use crate::tensor::with_element;
use crate::{Error, Kind, Values};

/// The slots of an array that belong to a tensor.
#[derive(Clone, Debug)]
enum Window {
    /// A run of slots.
    Range { start: usize, end: usize },
    /// Single slots, in order: there are gaps between them.
    Picked(Vec<u64>),
}

/// A position in a nested column.
#[derive(Clone, Debug)]
pub(super) struct Cursor {
    array: ArrayRef,
    window: Window,
    /// Nulls of the structs around the array; as long as the array.
    outer_nulls: Option<NullBuffer>,
}

/// The lists on the way to the values, outermost first, and the position of the values.
#[derive(Debug)]
pub(super) struct Lists {
    pub(super) levels: Vec<Splits>,
    pub(super) end: Cursor,
}

impl Cursor {
    /// Returns a cursor over a whole array.
    pub(super) fn new(array: &ArrayRef) -> Self {
        let window = Window::Range { start: 0, end: array.len() };
        Self { array: array.clone(), window, outer_nulls: None }
    }

    /// Returns the number of slots.
    pub(super) fn len(&self) -> usize {
        match &self.window {
            Window::Range { start, end } => end - start,
            Window::Picked(slots) => slots.len(),
        }
    }

    fn nulls(&self) -> Option<NullBuffer> {
        let nulls = NullBuffer::union(self.outer_nulls.as_ref(), self.array.nulls());
        nulls.filter(|nulls| nulls.null_count() > 0)
    }

    /// Returns a field of the structs here.
    pub(super) fn field(&self, field: usize) -> Self {
        let nulls = self.nulls();
        match self.array.as_struct_opt().and_then(|array| array.columns().get(field)) {
            Some(column) => Self { array: column.clone(), window: self.window.clone(), outer_nulls: nulls },
            None => Self { outer_nulls: nulls, ..self.clone() },
        }
    }

    /// Goes through a route.
    fn follow(mut self, steps: &[RouteStep], run: &TensorRun<'_>) -> Result<Lists, Error> {
        let mut levels = Vec::new();
        for step in steps {
            if !matches!(step, RouteStep::Field(_)) {
                run.claim::<i64>(self.len())?;
            }
            let (splits, next) = match step {
                RouteStep::Field(field) => {
                    self = self.field(*field);
                    continue;
                }
                RouteStep::List => {
                    let Some(list) = self.array.as_list_opt::<i32>() else { break };
                    self.enter(list.offsets(), list.values(), Splits::Small, run)?
                }
                RouteStep::LargeList => {
                    let Some(list) = self.array.as_list_opt::<i64>() else { break };
                    self.enter(list.offsets(), list.values(), Splits::Large, run)?
                }
                RouteStep::FixedSizeList(size) => {
                    let Some(list) = self.array.as_fixed_size_list_opt() else { break };
                    self.enter_fixed(*size, list.values(), run)?
                }
            };
            levels.push(splits);
            self = next;
        }
        run.claim::<u8>(self.len())?;
        Ok(Lists { levels, end: self })
    }

    fn enter<O: super::splits::Offset + arrow_array::OffsetSizeTrait>(
        &self,
        offsets: &OffsetBuffer<O>,
        values: &ArrayRef,
        splits: impl Fn(arrow_buffer::ScalarBuffer<O>) -> Splits,
        run: &TensorRun<'_>,
    ) -> Result<(Splits, Self), Error> {
        let nulls = self.nulls();
        if let Window::Range { start, end } = self.window {
            let window = offsets.slice(start, end - start);
            if nulls.as_ref().is_none_or(|nulls| !hides_items(nulls, start, &window)) {
                let range = Window::Range {
                    start: window.first().map_or(0, |offset| offset.as_usize()),
                    end: window.last().map_or(0, |offset| offset.as_usize()),
                };
                let next = Self { array: values.clone(), window: range, outer_nulls: None };
                return Ok((splits(window.into_inner()), next));
            }
        }
        let bounds = |slot: usize| {
            let at = |slot: usize| offsets.get(slot).map_or(0, |offset| offset.as_usize());
            (at(slot), at(slot + 1))
        };
        self.gather(nulls.as_ref(), values, bounds, run)
    }

    fn enter_fixed(
        &self,
        size: usize,
        values: &ArrayRef,
        run: &TensorRun<'_>,
    ) -> Result<(Splits, Self), Error> {
        let nulls = self.nulls();
        if let Window::Range { start, end } = self.window
            && nulls.as_ref().is_none_or(|nulls| nulls.slice(start, end - start).null_count() == 0)
        {
            let range = Window::Range { start: start * size, end: end * size };
            let next = Self { array: values.clone(), window: range, outer_nulls: None };
            return Ok((Splits::Fixed { size, lists: end - start }, next));
        }
        self.gather(nulls.as_ref(), values, |slot| (slot * size, (slot + 1) * size), run)
    }

    /// Gathers the items of lists when there is something between them: null slots that hide values.
    fn gather(
        &self,
        nulls: Option<&NullBuffer>,
        values: &ArrayRef,
        bounds: impl Fn(usize) -> (usize, usize),
        run: &TensorRun<'_>,
    ) -> Result<(Splits, Self), Error> {
        let items = |slot: usize| {
            let valid = nulls.is_none_or(|nulls| nulls.is_valid(slot));
            if valid { bounds(slot) } else { (0, 0) }
        };
        // Items may take no memory, so that there may be any number of them: they are counted before they are picked.
        let mut count = 0usize;
        self.each_slot(|slot| {
            let (from, to) = items(slot);
            count = count.saturating_add(to.saturating_sub(from));
        });
        let mut ends = run.reserved::<i64>(self.len().saturating_add(1))?;
        let mut picked = run.reserved::<u64>(count)?;
        ends.push(0);
        self.each_slot(|slot| {
            let (from, to) = items(slot);
            picked.extend(from as u64..to as u64);
            ends.push(picked.len() as i64);
        });
        let next = Self { array: values.clone(), window: Window::Picked(picked), outer_nulls: None };
        Ok((Splits::of_ends(ends), next))
    }

    fn each_slot(&self, mut f: impl FnMut(usize)) {
        match &self.window {
            Window::Range { start, end } => (*start..*end).for_each(f),
            Window::Picked(slots) => slots.iter().for_each(|&slot| f(slot as usize)),
        }
    }

    /// Returns the values here, one a slot. `Err` holds the slot (counted within the window) that is null.
    pub(super) fn values(&self, dtype: DType, run: &mut TensorRun<'_>) -> Result<Values, ValuesFault> {
        if let Some(nulls) = self.nulls() {
            let mut at = 0;
            let mut null = None;
            self.each_slot(|slot| {
                if null.is_none() && nulls.is_null(slot) {
                    null = Some(at);
                }
                at += 1;
            });
            if let Some(slot) = null {
                return Err(ValuesFault::Null(slot));
            }
        }
        if self.array.data_type() == &arrow_schema::DataType::Null {
            return if self.len() == 0 { Ok(empty(dtype)) } else { Err(ValuesFault::Null(0)) };
        }
        let array = match &self.window {
            Window::Range { start: 0, end } if *end == self.array.len() => self.array.clone(),
            Window::Range { start, end } => self.array.slice(*start, end - start),
            Window::Picked(slots) => {
                let taken = take(&self.array, &UInt64Array::from(slots.clone()), None);
                let taken = taken.map_err(|error| ValuesFault::Other(error.into()))?;
                run.count.values += taken.get_array_memory_size() as u64;
                taken
            }
        };
        if dtype == DType::Bool {
            run.count.values += array.len() as u64;
        }
        Values::of_slots(array.as_ref()).ok_or_else(|| {
            let message = format!("values of the Arrow type {} have no dtype", array.data_type());
            ValuesFault::Other(Error::new(Kind::TypeMismatch, message))
        })
    }
}

/// Returns whether a null list has items, of the lists from slot `start` of `nulls` on.
fn hides_items<O: PartialEq>(nulls: &NullBuffer, start: usize, offsets: &[O]) -> bool {
    let lists = offsets.len().saturating_sub(1);
    let chunks = nulls.inner().inner().bit_chunks(nulls.offset() + start, lists);
    let mut first = 0;
    // Null by null: usually there are few.
    chunks.iter_padded().any(|valid| {
        let own = offsets.get(first..).unwrap_or_default();
        let used = own.len().saturating_sub(1);
        first += 64;
        let mut null = if used < 64 { !valid & ((1 << used) - 1) } else { !valid };
        let mut hides = false;
        // Of the length that is known no index needs to be checked.
        if let Some(own) = own.first_chunk::<65>() {
            while null != 0 {
                let list = null.trailing_zeros() as usize & 63;
                hides |= own[list] != own[list + 1];
                null &= null - 1;
            }
        }
        while null != 0 {
            let list = null.trailing_zeros() as usize;
            hides |= own.get(list) != own.get(list + 1);
            null &= null - 1;
        }
        hides
    })
}

/// Reason why values are missing.
pub(super) enum ValuesFault {
    /// This slot is null.
    Null(usize),
    Other(Error),
}

/// Returns an empty list of values of a dtype.
pub(super) fn empty(dtype: DType) -> Values {
    with_element!(dtype, T => Values::from_vec(Vec::<T>::new()), _ => match dtype {
        DType::Bool => Values::from_bools([]),
        _ => Values::from_strings(Vec::<&[u8]>::new()),
    })
}

impl Lists {
    /// Returns the lists and values of a route. A column of nulls has `null_levels` levels of lists, of which the outermost
    /// are empty.
    ///
    /// # Errors
    /// `Overflow` if there are more lists or items than the limit has room for.
    pub(super) fn of(
        cursor: Cursor,
        route: &Route,
        null_levels: usize,
        run: &TensorRun<'_>,
    ) -> Result<Self, Error> {
        let mut lists = cursor.follow(&route.steps, run)?;
        if route.is_null() && lists.levels.is_empty() {
            let mut rows = lists.end.len();
            for _ in 0..null_levels {
                lists.levels.push(Splits::Fixed { size: 0, lists: rows });
                lists.end.window = Window::Range { start: 0, end: 0 };
                rows = 0;
            }
        }
        Ok(lists)
    }

    /// Does the same, with one list around each bare value, empty where the value is null.
    pub(super) fn of_bare(cursor: Cursor, route: &Route, run: &TensorRun<'_>) -> Result<Self, Error> {
        let mut lists = Self::of(cursor, route, 1, run)?;
        if lists.levels.is_empty() {
            let end = &lists.end;
            let (splits, next) = match end.nulls() {
                None => (Splits::Fixed { size: 1, lists: end.len() }, end.clone()),
                Some(nulls) => end.gather(Some(&nulls), &end.array, |slot| (slot, slot + 1), run)?,
            };
            lists = Self { levels: vec![splits], end: next };
        }
        Ok(lists)
    }

    /// Returns the row of the value in a slot.
    pub(super) fn row_of(&self, slot: usize) -> usize {
        self.levels.iter().rev().fold(slot, |item, splits| splits.list_of(item))
    }

    /// Returns the values; a null among them is an error that names the row.
    pub(super) fn values(&self, dtype: DType, run: &mut TensorRun<'_>) -> Result<Values, Error> {
        self.end.values(dtype, run).map_err(|fault| match fault {
            ValuesFault::Null(slot) => {
                let message = "an element is null; only a dense tensor with a default for shortfalls has a value for it";
                Error::new(Kind::NullValue, message).in_row(self.row_of(slot))
            }
            ValuesFault::Other(error) => error,
        })
    }
}

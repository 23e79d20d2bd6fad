//! Random columns, examples and paddings against the plainest way to do the same.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::Index;
use tensor_repr::Values;
use tfxio_core::DType;

use super::{batcher, files, item, pad, pipeline, tensor};
use crate::Kind;
use crate::column::{Column, RowShape};
use crate::item::{Chunk, Item, Unit};

/// Cells as strings of what is in them, whatever their dtype.
type Cells = Vec<String>;

const DTYPES: [DType; 6] =
    [DType::Bool, DType::Int16, DType::Float32, DType::Int64, DType::UInt8, DType::String];

fn values(dtype: DType, cells: &[u8]) -> Values {
    let string = |&cell: &u8| "x".repeat(usize::from(cell % 5)) + &cell.to_string();
    match dtype {
        DType::Bool => Values::from_bools(cells.iter().map(|cell| cell % 2 == 1)),
        DType::Int16 => Values::from_vec(cells.iter().map(|&cell| i16::from(cell) - 100).collect()),
        DType::Float32 => Values::from_vec(cells.iter().map(|&cell| f32::from(cell) / 4.0).collect()),
        DType::Int64 => Values::from_vec(cells.iter().map(|&cell| i64::from(cell) << 40).collect()),
        DType::UInt8 => Values::from_vec(cells.to_vec()),
        _ => Values::from_strings(cells.iter().map(string)),
    }
}

fn cells(values: &Values) -> Cells {
    let show = |at: usize| match values.dtype() {
        DType::Bool => values.as_bools().unwrap()[at].to_string(),
        DType::Int16 => values.as_slice::<i16>().unwrap()[at].to_string(),
        DType::Float32 => values.as_slice::<f32>().unwrap()[at].to_string(),
        DType::Int64 => values.as_slice::<i64>().unwrap()[at].to_string(),
        DType::UInt8 => values.as_slice::<u8>().unwrap()[at].to_string(),
        _ => String::from_utf8_lossy(values.as_strings().unwrap().get(at).unwrap()).into_owned(),
    };
    (0..values.len()).map(show).collect()
}

/// Chunks of rows with these numbers of steps, and examples cut from them.
#[derive(Clone, Debug)]
struct Case {
    dtype: DType,
    /// The steps of each row of each chunk.
    chunks: Vec<Vec<usize>>,
    /// Whether all rows have the same steps, which is known before.
    known: bool,
    /// Whether the columns have a fixed shape, too.
    fixed: bool,
    inner: Vec<usize>,
    unit: Unit,
    /// Start and length of each example, as fractions of what is available.
    cuts: Vec<(Index, Index)>,
    /// The excess of each dimension over its minimum; `None` for the largest of the batch.
    pad: Option<Vec<Option<usize>>>,
    value: u8,
}

fn case() -> impl Strategy<Value = Case> {
    use proptest::collection::vec;
    let pad = proptest::option::of(vec(proptest::option::of(0usize..3), 4));
    let units = vec![Unit::Row, Unit::Rows, Unit::Steps];
    (
        proptest::sample::select(DTYPES.to_vec()),
        vec(vec(0usize..5, 1..5), 1..4),
        any::<(bool, bool)>(),
        vec(0usize..4, 0..3),
        proptest::sample::select(units),
        vec(any::<(Index, Index)>(), 1..6),
        pad,
        any::<u8>(),
    )
        .prop_map(|(dtype, mut chunks, (known, fixed), inner, unit, cuts, pad, value)| {
            if known {
                let steps = chunks[0][0];
                chunks.iter_mut().flatten().for_each(|row| *row = steps);
            }
            Case { dtype, chunks, known, fixed: known && fixed, inner, unit, cuts, pad, value }
        })
}

/// The chunks of a case, each with its cells.
fn chunks(case: &Case) -> Vec<(Arc<Chunk>, Cells)> {
    let step_cells = case.inner.iter().product::<usize>();
    let mut number = 0u8;
    let mut chunk = |(file, rows): (usize, &Vec<usize>)| {
        let ends = rows.iter().scan(0, |end, steps| {
            *end += steps;
            Some(*end)
        });
        let offsets = std::iter::once(0).chain(ends).collect::<Vec<usize>>();
        let mut next = || {
            number = number.wrapping_add(1);
            number
        };
        let bytes = (0..offsets[rows.len()] * step_cells).map(|_| next()).collect::<Vec<_>>();
        let values = values(case.dtype, &bytes);
        let own = cells(&values);
        let shape = if case.fixed {
            RowShape::Fixed([&[rows[0]], &case.inner[..]].concat())
        } else {
            RowShape::Leading { offsets: offsets.clone(), inner: case.inner.clone() }
        };
        let columns = vec![Column { rows: rows.len(), shape, values }];
        let records = (0..rows.len() as u64).collect();
        let chunk = Chunk { file: file as u32, records, columns, steps: Some(offsets), ..Chunk::default() };
        (Arc::new(chunk), own)
    };
    case.chunks.iter().enumerate().map(&mut chunk).collect()
}

/// An example as its parts, and the cells and the number of its steps.
fn cut(
    case: &Case,
    chunks: &[(Arc<Chunk>, Cells)],
    (begin, length): &(Index, Index),
) -> (Item, Cells, usize) {
    let step_cells = case.inner.iter().product::<usize>();
    // All units that there are: the chunk, the number in it, the cells, and the steps.
    let mut units = Vec::new();
    for (number, (chunk, cells)) in chunks.iter().enumerate() {
        let offsets = chunk.steps.as_ref().unwrap();
        let part = |from: usize, to: usize| cells[from * step_cells..to * step_cells].to_vec();
        for (row, ends) in offsets.windows(2).enumerate() {
            if case.unit == Unit::Steps {
                units.extend((ends[0]..ends[1]).map(|step| (number, step, part(step, step + 1), 1)));
            } else {
                units.push((number, row, part(ends[0], ends[1]), ends[1] - ends[0]));
            }
        }
    }
    if units.is_empty() {
        return (item(&[(&chunks[0].0, 0, 0)]), Vec::new(), 0);
    }
    let begin = begin.index(units.len());
    let length = if case.unit == Unit::Row { 1 } else { 1 + length.index(units.len() - begin) };
    let taken = &units[begin..begin + length];
    let mut spans: Vec<(&Arc<Chunk>, u32, u32)> = Vec::new();
    for &(chunk, at, ..) in taken {
        match spans.last_mut().filter(|span| Arc::ptr_eq(span.0, &chunks[chunk].0)) {
            Some(span) => span.2 += 1,
            None => spans.push((&chunks[chunk].0, at as u32, 1)),
        }
    }
    let cells = taken.iter().flat_map(|(_, _, cells, _)| cells.clone()).collect();
    (item(&spans), cells, taken.iter().map(|unit| unit.3).sum())
}

/// The cells of an example with padding.
fn padded(own: &Cells, own_shape: &[usize], shape: &[usize], value: &str) -> Cells {
    let cell = |cell: usize| {
        let (mut rest, mut at, mut scale, mut inside) = (cell, 0, 1, true);
        for (&own, &size) in own_shape.iter().zip(shape).rev() {
            inside &= rest % size < own;
            at += (rest % size) * scale;
            scale *= own;
            rest /= size;
        }
        if inside { own[at].clone() } else { value.to_owned() }
    };
    (0..shape.iter().product()).map(cell).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn batches_hold_the_cells_of_their_examples(case in case()) {
        let chunks = chunks(&case);
        let examples = case.cuts.iter().map(|at| cut(&case, &chunks, at)).collect::<Vec<_>>();
        let items = examples.iter().map(|example| example.0.clone()).collect::<Vec<_>>();
        let longest = examples.iter().map(|example| example.2).max().unwrap();
        let own_shape = |steps: usize| [&[steps], &case.inner[..]].concat();

        let value = values(case.dtype, &[case.value]);
        let bytes = match value.buffer() {
            Some(buffer) => buffer.as_slice(),
            None => value.as_strings().unwrap().get(0).unwrap(),
        };
        let pad_shape = case.pad.as_ref().map(|more| {
            let sizes = own_shape(longest).into_iter().zip(more);
            sizes.map(|(least, more)| more.map(|more| least + more)).collect::<Vec<_>>()
        });
        let dims = std::iter::once(case.known.then(|| case.chunks[0][0])).chain(case.inner.iter().copied().map(Some)).collect::<Vec<_>>();
        let padding = pad_shape.as_ref().map(|shape| vec![pad(case.dtype, shape, bytes)]);
        let batcher = batcher(pipeline(vec![tensor("v", case.dtype, &dims)], padding), case.unit);
        // Leaves memory with other contents after.
        prop_assert!(batcher.batch(&items[..1], &files()).is_ok());
        let result = batcher.batch(&items, &files());

        if case.pad.is_none() && examples.iter().any(|example| example.2 != longest) {
            prop_assert!(result.unwrap_err().is(Kind::Record));
            return Ok(());
        }
        let batch = result.unwrap();
        let sizes = own_shape(longest).into_iter().zip(pad_shape.unwrap_or(vec![None; dims.len()]));
        let shape = sizes.map(|(least, pad)| pad.unwrap_or(least)).collect::<Vec<_>>();
        let value = &cells(&value)[0];
        let expected = examples.iter().flat_map(|(_, own, steps)| padded(own, &own_shape(*steps), &shape, value));
        let found = batch.get("v").unwrap();
        prop_assert_eq!(found.shape(), [&[items.len()], &shape[..]].concat());
        prop_assert_eq!(cells(found.values()), expected.collect::<Vec<_>>());

        let lengths = batch.row_lengths("v");
        prop_assert_eq!(lengths.is_some(), case.unit == Unit::Rows);
        if let Some(lengths) = lengths {
            let splits = lengths.row_splits()[0].iter().collect::<Vec<_>>();
            let all = lengths.values().as_slice::<i64>().unwrap();
            for (window, (item, _, steps)) in splits.windows(2).zip(&examples) {
                let lengths = &all[window[0] as usize..window[1] as usize];
                prop_assert_eq!(lengths.iter().sum::<i64>() as usize, *steps);
                prop_assert_eq!(lengths.len(), item.spans().map(|span| span.len as usize).sum::<usize>());
            }
        }
    }
}

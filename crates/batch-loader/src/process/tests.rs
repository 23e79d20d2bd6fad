//! Processing compared with programs that do it cell by cell.

use std::ops::Range;
use std::sync::Arc;

use proptest::prelude::*;
use tensor_repr::Values;
use tfxio_core::{DType, Limits};

use super::apply;
use crate::column::{Column, RowError, RowShape};
use crate::config::{LoaderType, Operation, Slice, SliceAxis};
use crate::pipeline::{Cell, Pipeline, PipelineStep, Secondary};
use crate::shape::TensorInfo;
use crate::{Error, Kind};

/// A tensor of one row: its shape and its cells.
type Row = (Vec<usize>, Vec<i64>);

fn info(dtype: DType) -> TensorInfo {
    TensorInfo { name: Arc::from("x"), dtype, shape: Vec::new() }
}

fn pipeline(operations: Vec<Operation>, secondary: Vec<Secondary>) -> Pipeline {
    let step =
        |operation| PipelineStep { tensor: 0, operation, before: info(DType::Int64), truncates: false };
    Pipeline {
        loader: LoaderType::Independent,
        primary: Vec::new(),
        secondary,
        steps: operations.into_iter().map(step).collect(),
        tensors: Vec::new(),
        window_steps: Vec::new(),
        examples: Vec::new(),
        padding: None,
        normalization: Vec::new(),
        pack: None,
        budget: Vec::new(),
        inputs: Vec::new(),
        targets: Vec::new(),
    }
}

fn process(column: Column, operation: Operation) -> Result<Column, RowError> {
    let rows = column.rows;
    let columns = apply(&pipeline(vec![operation], Vec::new()), vec![column], rows, &Limits::default())?;
    Ok(columns.into_iter().next().unwrap())
}

/// A column of counted cells.
fn column(shape: RowShape, rows: usize) -> Column {
    let cells = match &shape {
        RowShape::Fixed(shape) => rows * shape.iter().product::<usize>(),
        RowShape::Leading { offsets, inner } => offsets.last().unwrap() * inner.iter().product::<usize>(),
    };
    Column { rows, shape, values: Values::from_vec((0..cells as i64).collect()) }
}

fn leading(steps: &[usize], inner: &[usize]) -> Column {
    let mut offsets = vec![0];
    offsets.extend(steps.iter().scan(0, |end, steps| {
        *end += steps;
        Some(*end)
    }));
    column(RowShape::Leading { offsets, inner: inner.to_vec() }, steps.len())
}

fn rows(column: &Column) -> Vec<Row> {
    let values = column.values.as_slice::<i64>().unwrap();
    let row = |row: usize| {
        let Range { start, end } = column.cells(row..row + 1);
        (column.shape_of(row), values[start..end].to_vec())
    };
    (0..column.rows).map(row).collect()
}

/// The positions that Python takes, found by walking; `None` for an index that raises an error.
fn positions(axis: &SliceAxis, size: usize) -> Option<Vec<usize>> {
    let size = size as i64;
    match *axis {
        SliceAxis::Index(index) => {
            let position = if index < 0 { index + size } else { index };
            (0..size).contains(&position).then(|| vec![position as usize])
        }
        SliceAxis::Range { start, stop, step } => {
            let bound = |bound: i64| {
                let bound = if bound < 0 { bound + size } else { bound };
                if step > 0 { bound.max(0).min(size) } else { bound.max(-1).min(size - 1) }
            };
            let mut position = start.map_or(if step > 0 { 0 } else { size - 1 }, bound);
            let stop = stop.map_or(if step > 0 { size } else { -1 }, bound);
            let mut positions = Vec::new();
            while (step > 0 && position < stop) || (step < 0 && position > stop) {
                positions.push(position as usize);
                position += step;
            }
            Some(positions)
        }
    }
}

fn slice_row((shape, cells): &Row, axes: &[SliceAxis]) -> Option<Row> {
    let all = SliceAxis::Range { start: None, stop: None, step: 1 };
    let mut starts = vec![0];
    let mut after = Vec::new();
    for (at, size) in shape.iter().enumerate() {
        let axis = axes.get(at).unwrap_or(&all);
        let taken = positions(axis, *size)?;
        starts = starts
            .iter()
            .flat_map(|start| taken.iter().map(move |position| start * size + position))
            .collect();
        if matches!(axis, SliceAxis::Range { .. }) {
            after.push(taken.len());
        }
    }
    Some((after, starts.into_iter().map(|at| cells[at]).collect()))
}

fn range(start: Option<i64>, stop: Option<i64>, step: i64) -> SliceAxis {
    SliceAxis::Range { start, stop, step }
}

fn any_range() -> impl Strategy<Value = SliceAxis> {
    let bound = || prop_oneof![Just(None), (-7i64..8).prop_map(Some), any::<i64>().prop_map(Some)];
    let step = prop_oneof![4 => Just(1i64), 2 => Just(-1), 4 => -3i64..4, 1 => any::<i64>()];
    (bound(), bound(), step.prop_filter("no step of 0", |step| *step != 0))
        .prop_map(|(start, stop, step)| range(start, stop, step))
}

/// An entry for a dimension of that size.
fn any_axis(size: usize) -> BoxedStrategy<SliceAxis> {
    let all = Just(range(None, None, 1));
    match size as i64 {
        0 => prop_oneof![any_range(), all].boxed(),
        size => prop_oneof![any_range(), all, (-size..size).prop_map(SliceAxis::Index)].boxed(),
    }
}

/// A shape and entries for some of its dimensions.
fn any_slice() -> impl Strategy<Value = (Vec<usize>, Vec<SliceAxis>)> {
    prop::collection::vec(0usize..5, 1..5).prop_flat_map(|shape| {
        let axes = shape.iter().map(|size| any_axis(*size)).collect::<Vec<_>>();
        let len = 1..shape.len() + 1;
        (Just(shape), axes, len).prop_map(|(shape, mut axes, len)| {
            axes.truncate(len);
            (shape, axes)
        })
    })
}

/// The same cells in other dtypes.
fn as_every_dtype(column: &Column) -> Vec<Column> {
    let numbers = column.values.as_slice::<i64>().unwrap();
    let with = |values: Values| Column { values, ..column.clone() };
    let mut columns =
        vec![with(Values::from_strings(numbers.iter().map(|number| "s".repeat(*number as usize % 7))))];
    for dtype in [DType::Bool, DType::Int8, DType::Float16, DType::UInt32, DType::Float64] {
        columns.push(with(column.values.clone().cast(dtype).unwrap()));
    }
    // Strings that do not begin where their bytes do.
    let longer = ["before"].into_iter().map(str::to_owned).chain(numbers.iter().map(i64::to_string));
    columns.push(with(Values::from_strings(longer).slice(1, numbers.len()).unwrap()));
    columns
}

/// Checks that slices of all dtypes select the same cells.
fn same_for_every_dtype(before: &Column, after: &Column, operation: &Operation) {
    let taken = after.values.as_slice::<i64>().unwrap();
    for typed in as_every_dtype(before) {
        let sliced = process(typed.clone(), operation.clone()).unwrap();
        assert_eq!(sliced.shape, after.shape);
        let cell = |at: i64| typed.values.slice(at as usize, 1).unwrap();
        assert_eq!(sliced.values.len(), taken.len());
        for (at, number) in taken.iter().enumerate() {
            assert_eq!(sliced.values.slice(at, 1).unwrap(), cell(*number));
        }
    }
}

proptest! {
    #[test]
    fn slices_of_fixed_shapes_are_pythons((shape, axes) in any_slice(), rows_count in 0usize..4) {
        let before = column(RowShape::Fixed(shape), rows_count);
        let expected = rows(&before).iter().map(|row| slice_row(row, &axes)).collect::<Option<Vec<_>>>().unwrap();
        let operation = Operation::Slice(Slice { axes });
        let after = process(before.clone(), operation.clone()).unwrap();
        prop_assert_eq!(rows(&after), expected);
        prop_assert!(matches!(after.shape, RowShape::Fixed(_)));
        same_for_every_dtype(&before, &after, &operation);
    }

    #[test]
    fn slices_of_sequences_are_pythons(
        (inner, mut axes) in any_slice(),
        first in prop_oneof![3 => any_range(), 1 => (-3i64..3).prop_map(SliceAxis::Index)],
        steps in prop::collection::vec(0usize..6, 0..5),
    ) {
        axes.insert(0, first);
        let before = leading(&steps, &inner);
        let expected = rows(&before).iter().map(|row| slice_row(row, &axes)).collect::<Vec<_>>();
        let operation = Operation::Slice(Slice { axes });
        match process(before.clone(), operation.clone()) {
            Ok(after) => {
                prop_assert_eq!(rows(&after), expected.into_iter().collect::<Option<Vec<_>>>().unwrap());
                prop_assert_eq!(matches!(after.shape, RowShape::Fixed(_)), matches!(first, SliceAxis::Index(_)));
                same_for_every_dtype(&before, &after, &operation);
            }
            Err(RowError { row, error }) => {
                prop_assert_eq!(row, expected.iter().position(Option::is_none));
                prop_assert!(row.is_some());
                prop_assert_eq!(error.detail(), Some(&Kind::Record));
            }
        }
    }
}

fn at(column: &Column) -> *const u8 {
    column.values.buffer().unwrap().as_ptr()
}

fn slice(text: &str) -> Operation {
    Operation::Slice(text.parse().unwrap())
}

#[test]
fn what_changes_nothing_copies_nothing() {
    let fixed = column(RowShape::Fixed(vec![1, 3, 2]), 4);
    let sequence = leading(&[2, 0, 3], &[2]);
    for text in ["[:]", "[0:]", "[:,:]", "[0,:,:]", "[-1]", "[::-1,:3]"] {
        let after = process(fixed.clone(), slice(text)).unwrap();
        assert_eq!(at(&after), at(&fixed), "{text}");
        assert_eq!(after.values.len(), 24);
    }
    for text in ["[:]", "[0:]", "[:3,:2]", "[-7:]"] {
        let after = process(sequence.clone(), slice(text)).unwrap();
        assert_eq!((at(&after), &after.shape), (at(&sequence), &sequence.shape), "{text}");
    }
    let reshaped = process(fixed.clone(), Operation::Reshape(vec![6])).unwrap();
    assert_eq!((at(&reshaped), reshaped.shape), (at(&fixed), RowShape::Fixed(vec![6])));
    let backwards = process(sequence.clone(), slice("[::-1]")).unwrap();
    assert_eq!(backwards.values.as_slice::<i64>().unwrap(), [2, 3, 0, 1, 8, 9, 6, 7, 4, 5]);
}

#[test]
fn an_index_needs_its_position_in_every_row() {
    let RowError { row, error } = process(leading(&[2, 1, 0], &[]), slice("[-2]")).unwrap_err();
    assert_eq!(row, Some(1));
    assert_eq!(
        error.to_string(),
        "tensor \"x\": the slice [-2] takes a position of dimension 0 that does not exist: it has 1; an index needs its \
         position in every record; a range such as -1: takes what there is"
    );
}

#[test]
fn sequences_are_reshaped_where_all_have_as_many_values() {
    let after = process(leading(&[2, 2], &[3]), Operation::Reshape(vec![3, 2])).unwrap();
    assert_eq!(after.shape, RowShape::Fixed(vec![3, 2]));
    let RowError { row, error } =
        process(leading(&[2, 2, 1], &[3]), Operation::Reshape(vec![6])).unwrap_err();
    assert_eq!(row, Some(2));
    assert_eq!(
        error.to_string(),
        "tensor \"x\": 3 values cannot take the shape [6], which has 6; all records need as many values for a \
         reshape; pad the tensor instead"
    );
}

#[test]
fn one_hot_vectors_have_a_one_where_there_is_a_position() {
    let mut before = leading(&[2, 3], &[]);
    before.values = Values::from_vec(vec![1i32, 0, -1, 2, i32::MIN]);
    let after = process(before, Operation::OneHot { depth: 2, dtype: DType::Float32 }).unwrap();
    assert_eq!(after.shape, RowShape::Leading { offsets: vec![0, 2, 5], inner: vec![2] });
    assert_eq!(after.values.as_slice::<f32>().unwrap(), [0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);

    for dtype in DType::ALL.into_iter().filter(|dtype| !matches!(dtype, DType::String | DType::Bool)) {
        let before =
            Column { values: Values::from_vec(vec![i64::MAX, 1]), ..column(RowShape::Fixed(vec![]), 2) };
        let after = process(before, Operation::OneHot { depth: 3, dtype }).unwrap();
        assert_eq!((after.values.dtype(), after.shape), (dtype, RowShape::Fixed(vec![3])));
        let numbers = after.values.cast(DType::Int64).unwrap();
        assert_eq!(numbers.as_slice::<i64>().unwrap(), [0, 0, 0, 0, 1, 0], "{dtype}");
    }
    let before = column(RowShape::Fixed(vec![2]), 2);
    let after = process(before, Operation::OneHot { depth: 0, dtype: DType::Int8 }).unwrap();
    assert_eq!((after.values.len(), after.shape), (0, RowShape::Fixed(vec![2, 0])));
}

fn secondary(shape: Vec<Option<usize>>, shape_of: Option<usize>, dtype: DType, bytes: &[u8]) -> Secondary {
    let info = TensorInfo { shape, ..info(dtype) };
    Secondary { info, shape_of, steps_only: false, value: Cell { dtype, bytes: bytes.into() } }
}

#[test]
fn constants_fill_given_and_copied_shapes() {
    let made = vec![
        secondary(vec![Some(2)], None, DType::Float32, &1.5f32.to_ne_bytes()),
        secondary(vec![None, Some(2)], Some(0), DType::Int64, &7i64.to_ne_bytes()),
        secondary(vec![], None, DType::String, b"ab"),
        secondary(vec![], None, DType::Bool, &[1]),
        secondary(vec![Some(1)], None, DType::BFloat16, &half::bf16::ONE.to_ne_bytes()),
    ];
    // Made before the step that shortens the tensor.
    let pipeline = pipeline(vec![slice("[1:]")], made);
    let columns = apply(&pipeline, vec![leading(&[1, 2], &[2])], 2, &Limits::default()).unwrap();
    assert_eq!(columns[0].values.as_slice::<i64>().unwrap(), [4, 5]);
    assert_eq!(columns[1].values.as_slice::<f32>().unwrap(), [1.5; 4]);
    assert_eq!(columns[2].values.as_slice::<i64>().unwrap(), [7; 6]);
    assert_eq!(columns[2].shape, RowShape::Leading { offsets: vec![0, 1, 3], inner: vec![2] });
    assert_eq!(columns[3].values, Values::from_strings(["ab", "ab"]));
    assert_eq!(columns[4].values.as_bools(), Some(&[1, 1][..]));
    assert_eq!(columns[5].values.as_slice::<half::bf16>().unwrap(), [half::bf16::ONE; 2]);
}

#[test]
fn what_would_be_too_large_is_not_made() {
    let limits = Limits::default().batch_bytes(1 << 20);
    let text = "tensor \"x\": the records that are parsed together would have more than 1048576 bytes of it; make it \
                smaller, or raise the limit of batch_bytes";
    let refused = |error: Error| {
        assert_eq!((error.detail(), error.to_string().as_str()), (Some(&Kind::LimitExceeded), text));
    };
    let constant = secondary(vec![Some(usize::MAX / 16)], None, DType::Float64, &[0; 8]);
    refused(apply(&pipeline(vec![], vec![constant]), vec![], 100, &limits).unwrap_err().error);
    let constant = secondary(vec![Some(1 << 15)], None, DType::String, &[b'a'; 30]);
    refused(apply(&pipeline(vec![], vec![constant]), vec![], 1, &limits).unwrap_err().error);
    let hot = Operation::OneHot { depth: usize::MAX / 2, dtype: DType::Int8 };
    let before = column(RowShape::Fixed(vec![3]), 1);
    refused(apply(&pipeline(vec![hot], vec![]), vec![before], 1, &limits).unwrap_err().error);
}

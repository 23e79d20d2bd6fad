//! Normalised tensors.

use half::{bf16, f16};
use tensor_repr::{Element, Values};
use tfxio_core::DType;

use super::{batcher, chunk, files, fixed, item, pad, pipeline, sequences, tensor};
use crate::batch::normalize::normalize;
use crate::batch::pool::Pool;
use crate::item::Unit;

/// The formula, series by series.
fn naive(values: &[f64], shape: &[usize], axis: usize) -> Vec<f64> {
    let inner = shape[axis + 1..].iter().product::<usize>();
    let length = shape[axis];
    let mut out = values.to_vec();
    for begin in (0..values.len()).filter(|at| (at / inner).is_multiple_of(length)) {
        let positions = (0..length).map(|at| begin + at * inner).collect::<Vec<_>>();
        let mean = positions.iter().map(|&at| values[at]).sum::<f64>() / length as f64;
        let variance = positions.iter().map(|&at| (values[at] - mean).powi(2)).sum::<f64>() / length as f64;
        for at in positions {
            out[at] = (values[at] - mean) / ((variance + 1e-8).sqrt() + 1e-8);
        }
    }
    out
}

/// A tensor of shape [3, 5, 4, 11], normalised along each axis after the first.
fn check<T: Element>(of: impl Fn(f64) -> T, to: impl Fn(T) -> f64, tolerance: f64) {
    let shape = [3usize, 5, 4, 11];
    let numbers = (0..shape.iter().product()).map(|at: usize| of((at as f64 * 0.7).sin() * 5.0 + 2.0));
    let numbers = numbers.collect::<Vec<T>>();
    for axis in 0..3 {
        let mut room = Pool::default().room(size_of_val(numbers.as_slice())).unwrap();
        room.values::<T>().copy_from_slice(&numbers);
        normalize(&mut room, T::DTYPE, &shape, axis).unwrap();
        let given = numbers.iter().map(|&number| to(number)).collect::<Vec<_>>();
        let expected = naive(&given, &shape, axis + 1);
        for (&found, expected) in room.values::<T>().iter().zip(expected) {
            let found = to(found);
            assert!((found - expected).abs() <= tolerance * expected.abs().max(0.01), "{found}, {expected}");
        }
    }
}

#[test]
fn every_floating_point_dtype_along_every_axis() {
    check(|value| value, |value| value, 1e-12);
    check(|value| value as f32, f64::from, 1e-6);
    check(f16::from_f64, f16::to_f64, 1e-3);
    check(bf16::from_f64, bf16::to_f64, 1e-2);
}

#[test]
fn equal_numbers_become_exactly_zero() {
    for (length, inner) in [(7usize, 1usize), (7, 3), (1, 1), (1, 4)] {
        let mut room = Pool::default().room(length * inner * 8).unwrap();
        room.values::<f64>().fill(0.1);
        normalize(&mut room, DType::Float64, &[1, length, inner], 0).unwrap();
        assert_eq!(room.values::<f64>(), vec![0.0; length * inner]);
    }
}

#[test]
fn no_numbers_stay_none() {
    for shape in [[0usize, 2, 3], [2, 0, 3], [2, 3, 0]] {
        let mut room = Pool::default().room(0).unwrap();
        normalize(&mut room, DType::Float32, &shape, 0).unwrap();
        normalize(&mut room, DType::Float32, &shape, 1).unwrap();
    }
}

#[test]
fn what_cannot_be_normalised() {
    let mut room = Pool::default().room(8).unwrap();
    let error = normalize(&mut room, DType::Int64, &[1, 1], 0).unwrap_err();
    assert_eq!(error.what(), "int64 cannot be normalised, only float16, bfloat16, float32 and float64");
    let error = normalize(&mut room, DType::Float64, &[1, 1], 1).unwrap_err();
    assert_eq!(error.what(), "axis 1 is not below the 1 dimension");
}

#[test]
fn after_padding_and_within_each_example() {
    let pad = pad(DType::Float32, &[None], &4f32.to_ne_bytes());
    let mut pipeline = pipeline(vec![tensor("v", DType::Float32, &[None])], Some(vec![pad]));
    pipeline.normalization = vec![(0, 0)];
    let mut column = sequences(&[&[0, 0], &[9]]);
    column.values = Values::from_vec(vec![0f32, 8.0, 0.0]);
    let rows = chunk(0, 0, vec![column]);
    let items = [item(&[(&rows, 0, 1)]), item(&[(&rows, 1, 1)])];
    let batch = batcher(pipeline, Unit::Row).batch(&items, &files()).unwrap();
    let values = batch.get("v").unwrap().values().as_slice::<f32>().map(<[f32]>::to_vec);
    assert_eq!(values, Some(vec![-1.0, 1.0, -1.0, 1.0]));
}

#[test]
fn along_several_axes_in_turn() {
    let mut pipeline = pipeline(vec![tensor("v", DType::Float32, &[Some(2), Some(2)])], None);
    pipeline.normalization = vec![(0, 0), (0, 1)];
    let rows = chunk(0, 0, vec![fixed(&[2, 2], Values::from_vec(vec![1f32, 5.0, 3.0, 1.0]))]);
    let batch = batcher(pipeline, Unit::Row).batch(&[item(&[(&rows, 0, 1)])], &files()).unwrap();
    let values = batch.get("v").unwrap().values().as_slice::<f32>().map(<[f32]>::to_vec);
    assert_eq!(values, Some(vec![-1.0, 1.0, 1.0, -1.0]));
}

//! Tensors leave without a copy: as ndarray views and through DLPack.
#![cfg(any(feature = "ndarray", feature = "dlpack"))]

use arrow_buffer::Buffer;
use tensor_repr::{DenseTensor, Values};
use tfxio_core::DType;

fn dense(buffer: &Buffer, shape: &[usize]) -> DenseTensor {
    DenseTensor::try_new(shape.to_vec(), Values::try_new(DType::Int64, buffer.clone()).unwrap()).unwrap()
}

#[cfg(feature = "ndarray")]
mod views {
    use tensor_repr::{RaggedTensor, RowSplits, SparseTensor};

    use super::*;

    #[test]
    fn views_look_at_the_same_memory() {
        let buffer = Buffer::from_vec((0..6i64).collect::<Vec<_>>());
        let tensor = dense(&buffer, &[3, 2]);
        let view = tensor.ndarray::<i64>().unwrap();
        assert_eq!(view.as_ptr().cast::<u8>(), buffer.as_ptr());
        assert_eq!((view.shape(), view[[2, 1]]), (&[3, 2][..], 5));
        assert!(tensor.ndarray::<f64>().is_err());
        let splits = vec![RowSplits::Int64(vec![0, 1, 3].into())];
        let ragged = RaggedTensor::try_new(splits, vec![2], tensor.values().clone()).unwrap();
        assert_eq!(ragged.values_ndarray::<i64>().unwrap(), view);
        let sparse =
            SparseTensor::try_new(vec![0, 1, 1, 0].into(), Values::from_strings(["a", "b"]), vec![2, 2])
                .unwrap();
        assert_eq!(sparse.indices_ndarray().unwrap()[[1, 0]], 1);
    }
}

#[cfg(feature = "dlpack")]
mod dlpack {
    use tensor_repr::Kind;
    use tensor_repr::dlpack::{DLDataType, DLDevice, DLPackVersion, READ_ONLY};

    use super::*;

    #[test]
    fn a_managed_tensor_keeps_the_values_until_its_deleter_is_called() {
        let buffer = Buffer::from_vec((0..6i64).collect::<Vec<_>>());
        let before = buffer.strong_count();
        let given = dense(&buffer, &[3, 2]).to_dlpack().unwrap();
        assert_eq!(buffer.strong_count(), before + 1, "the tensor is gone, its values are held");
        let tensor = given.tensor();
        assert_eq!(tensor.data.cast::<u8>().cast_const(), buffer.as_ptr());
        assert_eq!((tensor.ndim, tensor.byte_offset), (2, 0));
        assert_eq!(tensor.device, DLDevice { device_type: 1, device_id: 0 });
        assert_eq!(tensor.dtype, DLDataType { code: 0, bits: 64, lanes: 1 });
        // SAFETY: the tensor has two dimensions.
        let (shape, strides) = unsafe {
            (std::slice::from_raw_parts(tensor.shape, 2), std::slice::from_raw_parts(tensor.strides, 2))
        };
        assert_eq!((shape, strides), (&[3, 2][..], &[2, 1][..]));
        let raw = given.into_raw();
        assert_eq!(buffer.strong_count(), before + 1);
        // SAFETY: what a consumer does when it no longer needs the tensor.
        unsafe { (*raw).deleter.unwrap()(raw) };
        assert_eq!(buffer.strong_count(), before);
    }

    #[test]
    fn a_versioned_tensor_says_that_it_must_not_be_written_to() {
        let buffer = Buffer::from_vec((0..6i64).collect::<Vec<_>>());
        let before = buffer.strong_count();
        let given = dense(&buffer, &[3, 2]).to_dlpack_versioned().unwrap();
        assert_eq!((given.version(), given.flags()), (DLPackVersion { major: 1, minor: 0 }, READ_ONLY));
        assert_eq!(given.tensor().data.cast::<u8>().cast_const(), buffer.as_ptr());
        assert_eq!(buffer.strong_count(), before + 1, "the tensor is gone, its values are held");
        let raw = given.into_raw();
        // SAFETY: what a consumer does: it reads the tensor, which has two dimensions, and releases it.
        unsafe {
            let tensor = &(*raw).dl_tensor;
            assert_eq!(std::slice::from_raw_parts(tensor.shape, 2), [3, 2]);
            assert_eq!(std::slice::from_raw_parts(tensor.strides, 2), [2, 1]);
            (*raw).deleter.unwrap()(raw);
        }
        assert_eq!(buffer.strong_count(), before);
    }

    #[test]
    fn the_values_of_a_copy_may_be_written_to() {
        let buffer = Buffer::from_vec(vec![1i64, 2]);
        let before = buffer.strong_count();
        let given = dense(&buffer, &[2]).to_dlpack_copied().unwrap();
        assert_eq!((given.flags() & READ_ONLY, given.flags() != 0), (0, true));
        assert!(given.is_aligned());
        assert_eq!(buffer.strong_count(), before, "nothing is shared");
        let copy = dense(&buffer, &[2]).copied().unwrap();
        assert_eq!(copy, dense(&buffer, &[2]));
        assert_ne!(copy.values().buffer().unwrap().as_ptr(), buffer.as_ptr());
        let strings = DenseTensor::try_new(vec![1], Values::from_strings(["a"])).unwrap();
        assert_eq!(strings.copied().unwrap(), strings);
        assert_eq!(*strings.to_dlpack_copied().unwrap_err().detail::<Kind>().unwrap(), Kind::Unsupported);
    }

    #[test]
    fn a_tensor_that_is_not_given_away_is_released() {
        let buffer = Buffer::from_vec(vec![1i64]);
        let before = buffer.strong_count();
        drop(dense(&buffer, &[1]).to_dlpack().unwrap());
        drop(dense(&buffer, &[1]).to_dlpack_versioned().unwrap());
        assert_eq!(buffer.strong_count(), before);
    }

    #[test]
    fn it_says_whether_the_values_are_aligned() {
        // Of any nine neighbours of 8 bytes, one lies at a multiple of 64, and its next does not.
        let buffer = Buffer::from_vec(vec![0i64; 16]);
        let at = buffer.as_ptr().align_offset(64);
        let aligned =
            |from: usize| dense(&buffer.slice_with_length(from, 8), &[1]).to_dlpack().unwrap().is_aligned();
        assert!(aligned(at));
        assert!(!aligned(at + 8));
    }

    #[test]
    fn every_dtype_but_strings_goes() {
        let types = DType::ALL.map(|dtype| {
            let values = match dtype.width() {
                None => Values::from_strings(["a"]),
                Some(width) => {
                    Values::try_new(dtype, Buffer::from_vec(vec![0u64; 1]).slice_with_length(0, width))
                        .unwrap()
                }
            };
            let given = DenseTensor::try_new(vec![], values).unwrap().to_dlpack();
            given
                .map(|given| (given.tensor().dtype.code, given.tensor().dtype.bits))
                .map_err(|error| *error.detail::<Kind>().unwrap())
        });
        let expected = [
            Ok((6, 8)),
            Ok((0, 8)),
            Ok((0, 16)),
            Ok((0, 32)),
            Ok((0, 64)),
            Ok((1, 8)),
            Ok((1, 16)),
            Ok((1, 32)),
            Ok((1, 64)),
            Ok((2, 16)),
            Ok((4, 16)),
            Ok((2, 32)),
            Ok((2, 64)),
            Err(Kind::Unsupported),
        ];
        assert_eq!(types, expected);
    }
}

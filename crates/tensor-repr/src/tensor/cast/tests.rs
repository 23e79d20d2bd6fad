//! Casts by table: the expected values are from NumPy 2.4 on x86-64 (`np.array([...], a).astype(b)`), and from ml_dtypes
//! for bfloat16.

use crate::Values;
use half::{bf16, f16};
use tfxio_core::DType;

use crate::Kind;

macro_rules! casts {
    ($name:ident: $from:expr => $to:ident $expected:expr) => {
        #[test]
        fn $name() {
            let values = Values::from_vec($from).cast(DType::$to).unwrap();
            assert_eq!(values, Values::from_vec($expected));
        }
    };
}

casts!(int64_to_int8: vec![0i64, 1, -1, 127, 128, 300, -129, 1 << 40] => Int8 vec![0i8, 1, -1, 127, -128, 44, 127, 0]);
casts!(int64_to_uint8: vec![-1i64, 256, 511] => UInt8 vec![255u8, 0, 255]);
casts!(int64_to_uint16: vec![-1i64, 65536, 65537] => UInt16 vec![u16::MAX, 0, 1]);
casts!(int64_to_int32: vec![i64::MAX, i64::MIN, 1 << 31] => Int32 vec![-1i32, 0, i32::MIN]);
casts!(int64_to_uint32: vec![-1i64, 1 << 32] => UInt32 vec![u32::MAX, 0]);
casts!(int64_to_uint64: vec![-1i64, i64::MIN] => UInt64 vec![u64::MAX, 1 << 63]);
casts!(uint64_to_int64: vec![u64::MAX, 1 << 63] => Int64 vec![-1i64, i64::MIN]);
casts!(uint64_to_float32: vec![u64::MAX, 1] => Float32 vec![18446744073709551616f32, 1.0]);
casts!(uint64_to_float64: vec![u64::MAX, (1 << 53) + 1] => Float64 vec![18446744073709551616f64, 9007199254740992.0]);
casts!(int16_to_int64: vec![-2i16, 3] => Int64 vec![-2i64, 3]);
casts!(int8_to_uint32: vec![-2i8, 3] => UInt32 vec![4294967294u32, 3]);
casts!(int64_to_float32: vec![16777217i64, -16777219] => Float32 vec![16777216f32, -16777220.0]);
casts!(int64_to_float16: vec![2049i64, 2051, 65519, 65520, -65520]
    => Float16 vec![f16::from_f32(2048.0), f16::from_f32(2052.0), f16::MAX, f16::INFINITY, f16::NEG_INFINITY]);
casts!(int64_to_bfloat16: vec![257i64, 259] => BFloat16 vec![bf16::from_f32(256.0), bf16::from_f32(260.0)]);
// Through float32 these would be rounded twice, to a value below.
casts!(int64_to_bfloat16_once: vec![16842753i64, -16842753, (1 << 62) + (1 << 54) + 1, i64::MIN, i64::MAX]
=> BFloat16 vec![
    bf16::from_f32(16908288.0), bf16::from_f32(-16908288.0), bf16::from_f32(4647714815446351872.0),
    bf16::from_f32(-9223372036854775808.0), bf16::from_f32(9223372036854775808.0)
]);
casts!(uint64_to_bfloat16_once: vec![u64::MAX, (1 << 63) + (1 << 55) + 1]
    => BFloat16 vec![bf16::from_f32(18446744073709551616.0), bf16::from_f32(9295429630892703744.0)]);
casts!(float64_to_bfloat16_once: vec![1.0 + 2f64.powi(-8) + 2f64.powi(-40), 1.0 + 2f64.powi(-8)]
    => BFloat16 vec![bf16::from_bits(0x3f81), bf16::ONE]);
casts!(float32_to_int64: vec![-1.9f32, 1.9, f32::NAN, f32::INFINITY, 1e19, -9.223372e18]
    => Int64 vec![-1i64, 1, i64::MIN, i64::MIN, i64::MIN, i64::MIN]);
casts!(float32_to_uint8: vec![-1.0f32, 1.9, 255.0, 256.0, 300.7, f32::NAN, f32::NEG_INFINITY]
    => UInt8 vec![255u8, 1, 255, 0, 44, 0, 0]);
casts!(float64_to_int8: vec![127.9f64, -128.9, 128.0] => Int8 vec![127i8, -128, -128]);
casts!(float64_to_int32: vec![3e9f64, -2147483648.9, -2147483649.0, 2147483647.9, f64::NAN, -1.0]
    => Int32 vec![i32::MIN, i32::MIN, i32::MIN, i32::MAX, i32::MIN, -1]);
casts!(float64_to_uint16: vec![65537f64, -1.0, 4294967808.0, -3e9] => UInt16 vec![1u16, 65535, 0, 0]);
casts!(float32_to_uint32: vec![3e9f32, 4294967808.0, -3e9, -1.0, f32::NAN, f32::INFINITY, 1e19]
    => UInt32 vec![3000000000u32, 512, 1294967296, u32::MAX, 0, 0, 0]);
casts!(float64_to_uint64: vec![-1.5f64, 9223372036854775808.0, 1.8e19, 1e20, f64::NAN]
    => UInt64 vec![u64::MAX, 1 << 63, 18000000000000000000, 0, 1 << 63]);
casts!(float64_to_float32: vec![0.1f64, 1e300] => Float32 vec![0.1f32, f32::INFINITY]);
// Through float32 the first would be rounded twice, to 1.
casts!(float64_to_float16: vec![1.0 + 2f64.powi(-11) + 2f64.powi(-40), 1.0 + 2f64.powi(-11)]
    => Float16 vec![f16::from_bits(0x3c01), f16::ONE]);
casts!(float32_to_float16: vec![0.1f32, 65519.9, 65520.0, -0.0, 6e-8, 2e-8]
=> Float16 vec![
    f16::from_bits(0x2e66), f16::MAX, f16::INFINITY, f16::NEG_ZERO, f16::from_bits(1), f16::from_bits(0)
]);
casts!(float32_to_bfloat16: vec![1.0 + 2f32.powi(-8), 1.0 + 3.0 * 2f32.powi(-8), 3.4e38]
    => BFloat16 vec![bf16::ONE, bf16::from_f32(1.015625), bf16::INFINITY]);
casts!(float16_to_float64: vec![f16::from_f32(0.1)] => Float64 vec![0.0999755859375f64]);
casts!(float16_to_int32: vec![f16::from_f32(-2.5), f16::INFINITY] => Int32 vec![-2i32, i32::MIN]);
casts!(bfloat16_to_float16: vec![bf16::from_f32(3.140625), bf16::MAX]
    => Float16 vec![f16::from_f32(3.140625), f16::INFINITY]);

#[test]
fn whatever_is_not_zero_is_true() {
    let truth = |values: Values| values.cast(DType::Bool).unwrap().as_bools().map(<[u8]>::to_vec);
    assert_eq!(truth(Values::from_vec(vec![0i64, 1, -1, 256])), Some(vec![0, 1, 1, 1]));
    assert_eq!(
        truth(Values::from_vec(vec![0.0f32, -0.0, 0.1, f32::NAN, f32::INFINITY])),
        Some(vec![0, 0, 1, 1, 1])
    );
    assert_eq!(truth(Values::from_vec(vec![f16::NEG_ZERO, f16::from_bits(1)])), Some(vec![0, 1]));
}

#[test]
fn bools_are_zero_and_one() {
    let bools = || Values::from_bools([true, false]);
    assert_eq!(bools().cast(DType::Float32).unwrap(), Values::from_vec(vec![1f32, 0.0]));
    assert_eq!(bools().cast(DType::Int64).unwrap(), Values::from_vec(vec![1i64, 0]));
    assert_eq!(bools().cast(DType::BFloat16).unwrap(), Values::from_vec(vec![bf16::ONE, bf16::ZERO]));
}

#[test]
fn every_number_becomes_every_other() {
    let numbers = || DType::ALL.into_iter().filter(|dtype| *dtype != DType::String);
    for from in numbers() {
        let one = Values::from_vec(vec![1i64, 0]).cast(from).unwrap();
        for to in numbers() {
            let cast_on = one.clone().cast(to).unwrap();
            assert_eq!(cast_on.dtype(), to);
            let back = cast_on.cast(DType::Int64).unwrap();
            assert_eq!(back, Values::from_vec(vec![1i64, 0]), "{from} to {to}");
        }
    }
}

#[test]
fn the_same_dtype_is_shared() {
    let values = Values::from_vec(vec![1.5f32; 4]);
    let at = values.buffer().map(|buffer| buffer.as_ptr());
    assert_eq!(values.cast(DType::Float32).unwrap().buffer().map(|buffer| buffer.as_ptr()), at);
    let strings = Values::from_strings(["a", "b"]);
    assert_eq!(strings.clone().cast(DType::String).unwrap(), strings);
}

#[test]
fn strings_are_no_numbers() {
    for (values, to) in
        [(Values::from_strings(["1"]), DType::Int64), (Values::from_vec(vec![1i64]), DType::String)]
    {
        let from = values.dtype();
        let error = values.cast(to).unwrap_err();
        assert_eq!(error.detail(), Some(&Kind::TypeMismatch));
        let expected =
            format!("values of dtype \"{from}\" are not cast to \"{to}\"; numbers are cast to numbers only");
        assert_eq!(error.to_string(), expected);
    }
}

//! Raw bytes, casts, sequences, and nested lists as one.

use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, BinaryArray, FixedSizeBinaryArray};
use tensor_repr::{
    Adapter, DType, DenseRepresentation, Endian, Limits, RawBytes, Representation, SequenceRepresentation,
    Tensor, Values,
};

use crate::columns::{batch, error, ints, lists, of_column, strings};

fn raw(dtype: DType, shape: &[usize]) -> RawBytes {
    RawBytes::new(dtype).shape(shape.to_vec())
}

fn x(representation: Representation) -> Representation {
    representation.column("x")
}

fn binary(rows: &[&[u8]]) -> ArrayRef {
    Arc::new(BinaryArray::from_iter_values(rows))
}

#[track_caller]
fn dense(column: ArrayRef, representation: Representation) -> (Vec<usize>, Values) {
    match of_column(column, x(representation)).unwrap() {
        Tensor::Dense(tensor) => (tensor.shape().to_vec(), tensor.values().clone()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn raw_bytes_are_numbers_of_either_order() {
    let bytes = binary(&[&[1, 0, 2, 0], &[3, 0, 4, 1]]);
    let little = raw(DType::UInt16, &[2]);
    let both =
        [(little.clone(), vec![1u16, 2, 3, 260]), (little.endian(Endian::Big), vec![256, 512, 768, 1025])];
    for (raw, expected) in both {
        let values = dense(bytes.clone(), Representation::dense([]).raw(raw));
        assert_eq!(values, (vec![2, 2], Values::from_vec(expected)));
    }
    let bools = dense(binary(&[&[0, 7]]), Representation::dense([]).raw(raw(DType::Bool, &[2])));
    assert_eq!(bools.1, Values::from_bools([false, true]));
    let cast = Representation::dense([]).raw(raw(DType::UInt8, &[4])).cast(DType::Float32);
    assert_eq!(dense(bytes.clone(), cast).1, Values::from_vec(vec![1f32, 0.0, 2.0, 0.0, 3.0, 0.0, 4.0, 1.0]));
    let fixed: ArrayRef =
        Arc::new(FixedSizeBinaryArray::try_from_iter([[1u8, 0], [2, 0], [3, 0]].into_iter()).unwrap());
    let single = Representation::dense([]).raw(raw(DType::UInt16, &[]));
    assert_eq!(dense(fixed.slice(1, 2), single), (vec![2], Values::from_vec(vec![2u16, 3])));
}

#[test]
fn raw_bytes_in_native_order_are_shared() {
    let numbers = [1.5f32, -2.0, 3.0, 4.0];
    let column = BinaryArray::from_iter_values(numbers.chunks(2).map(bytemuck::cast_slice::<f32, u8>));
    let at = column.value_data().as_ptr();
    let batch = batch(&[("x", Arc::new(column) as ArrayRef)]);
    let native = if cfg!(target_endian = "little") { Endian::Little } else { Endian::Big };
    let x = Representation::dense([]).raw(raw(DType::Float32, &[2]).endian(native));
    let adapter = Adapter::builder(batch.schema(), [("x", x)]).build().unwrap();
    let tensors = adapter.tensors(&batch).unwrap();
    let values = tensors.dense("x").unwrap().values();
    assert_eq!((values.as_slice::<f32>(), tensors.copied_bytes()), (Some(&numbers[..]), 0));
    assert_eq!(values.buffer().unwrap().as_ptr(), at);
}

#[test]
fn several_strings_a_row_come_before_the_shape_of_one() {
    let column = lists(&[Some(2), Some(2)], strings(&["ab", "cd", "ef", "gh"]));
    let two = Representation::dense([2]).raw(raw(DType::UInt8, &[1, 2]));
    assert_eq!(dense(column.clone(), two), (vec![2, 2, 1, 2], Values::from_vec(b"abcdefgh".to_vec())));
    let Tensor::Ragged(steps) =
        of_column(column, x(Representation::sequence([]).raw(raw(DType::UInt8, &[2])))).unwrap()
    else {
        panic!()
    };
    assert_eq!((steps.inner_shape(), steps.values().len()), (&[2][..], 8));
    let column = lists(&[Some(0), None, Some(2)], strings(&["ab", "cd"]));
    let Tensor::Sparse(sparse) =
        of_column(column, x(Representation::varlen_sparse().raw(raw(DType::UInt16, &[])).cast(DType::Int64)))
            .unwrap()
    else {
        panic!()
    };
    let expected: Vec<i64> = [*b"ab", *b"cd"].map(|bytes| i64::from(u16::from_le_bytes(bytes))).to_vec();
    assert_eq!(sparse.values(), &Values::from_vec(expected));
}

#[test]
fn a_raw_string_of_another_size_is_an_error_of_its_row() {
    let three = binary(&[b"abcd", b"abcd", b"abc"]);
    let wrong = |column: &ArrayRef, representation| error(of_column(column.clone(), x(representation)));
    let pair = || raw(DType::UInt16, &[2]);
    assert_eq!(
        wrong(&three, Representation::dense([]).raw(pair())),
        "tensor \"t\", column \"x\", row 2: a raw string has 3 bytes, which is not a multiple of the 2 of dtype \"uint16\""
    );
    let lists = lists(&[Some(2), Some(0), Some(1)], strings(&["abcd", "abcd", "ab"]));
    assert_eq!(
        wrong(&lists, Representation::sequence([]).raw(pair())),
        "tensor \"t\", column \"x\", row 2: a raw string has 2 bytes, a tensor of dtype \"uint16\" and shape [2] has 4"
    );
    assert_eq!(
        wrong(&lists, Representation::varlen_sparse().raw(pair())),
        "tensor \"t\", column \"x\": the raw bytes of a sparse tensor are single values; their shape must be []"
    );
    assert_eq!(
        wrong(&lists.slice(2, 1), Representation::varlen_sparse().raw(raw(DType::UInt8, &[]))),
        "tensor \"t\", column \"x\", row 0: a raw string has 2 bytes, a tensor of dtype \"uint8\" and shape [] has 1"
    );
    let refused = [
        (
            Representation::dense([]).raw(raw(DType::String, &[])),
            "raw bytes are numbers or bools; a string is read as it is",
        ),
        (
            Representation::dense([]).raw(raw(DType::Int64, &[usize::MAX])),
            "the shape of the raw bytes has more cells than can be counted",
        ),
        (
            Representation::dense([]).cast(DType::Int64),
            "values of dtype \"string\" are not cast to \"int64\"; numbers are cast to numbers only",
        ),
    ];
    for (representation, text) in refused {
        assert_eq!(wrong(&three, representation), format!("tensor \"t\", column \"x\": {text}"));
    }
    assert_eq!(
        wrong(&ints(&[1]), Representation::dense([]).raw(pair())),
        "tensor \"t\", column \"x\": the values are int64 (Int64), the representation says string"
    );
    let fields = Representation::structured(["x"]).cast(DType::Int64);
    assert_eq!(
        error(of_column(three, fields)),
        "tensor \"t\", column \"\": the fields of a structured tensor are not converted; give each a tensor of its own"
    );
}

#[test]
fn casts_are_held_to_the_limit() {
    let batch = batch(&[("x", ints(&[1; 100]))]);
    let of = |limit| {
        let limits = Limits::default().batch_bytes(limit);
        let x = Representation::dense([]).cast(DType::Float64);
        Adapter::builder(batch.schema(), [("x", x)]).limits(limits).build().unwrap().tensors(&batch)
    };
    assert_eq!(of(800).unwrap().copied_bytes(), 800);
    assert!(of(799).unwrap_err().to_string().contains("the limit is 799 bytes"));
}

#[test]
fn nested_lists_count_as_one_where_they_are_flat() {
    let nested =
        lists(&[Some(2), Some(1)], lists(&[Some(2), Some(2), Some(4)], ints(&[1, 2, 3, 4, 5, 6, 7, 8])));
    let flat =
        |shape: &[Option<usize>]| DenseRepresentation::default().column("x").shape(shape.to_vec()).flat(true);
    let tensor = dense(nested.clone(), flat(&[Some(4)]).into());
    assert_eq!(tensor, (vec![2, 4], Values::from_vec(vec![1i64, 2, 3, 4, 5, 6, 7, 8])));
    let same = lists(&[Some(2), Some(2)], lists(&[Some(2); 4], ints(&[1, 2, 3, 4, 5, 6, 7, 8])));
    let tensor = dense(same.slice(1, 1), flat(&[Some(2), Some(2)]).into());
    assert_eq!(tensor, (vec![1, 2, 2], Values::from_vec(vec![5i64, 6, 7, 8])));
    assert_eq!(
        error(of_column(nested, flat(&[Some(3)]))),
        "tensor \"t\", column \"x\", row 0: 4 values, the shape of a row holds 3"
    );
}

#[test]
fn a_sequence_has_items_of_one_shape() {
    let column = lists(&[Some(2), Some(0), Some(1)], lists(&[Some(2); 3], ints(&[1, 2, 3, 4, 5, 6])));
    let pairs = || SequenceRepresentation::default().column("x").shape(vec![2]);
    let ragged = |column: &ArrayRef, representation: SequenceRepresentation| match of_column(
        column.clone(),
        representation,
    ) {
        Ok(Tensor::Ragged(tensor)) => tensor,
        other => panic!("{other:?}"),
    };
    let tensor = ragged(&column, pairs());
    assert_eq!(
        (tensor.row_splits()[0].iter().collect::<Vec<_>>(), tensor.inner_shape()),
        (vec![0, 2, 2, 3], &[2][..])
    );
    assert_eq!(tensor.values(), &Values::from_vec(vec![1i64, 2, 3, 4, 5, 6]));
    assert_eq!(ragged(&column.slice(2, 1), pairs()).values(), &Values::from_vec(vec![5i64, 6]));
    // Single values need no lists of their own.
    let flat = lists(&[Some(1), Some(2)], ints(&[7, 8, 9]));
    let single = SequenceRepresentation::default().column("x");
    assert_eq!(ragged(&flat, single.clone()).row_splits()[0].iter().collect::<Vec<_>>(), [0, 1, 3]);
    let absent = lists(&[Some(1), None, Some(2)], ints(&[7, 8, 9]));
    let optional = single.clone().optional(true);
    assert_eq!(ragged(&absent, optional).row_splits()[0].iter().collect::<Vec<_>>(), [0, 1, 1, 3]);
    let refused =
        |column: ArrayRef, representation: SequenceRepresentation| error(of_column(column, representation));
    assert_eq!(
        refused(absent, single.clone()),
        "tensor \"t\", column \"x\", row 1: the sequence is absent; the representation does not say that it is optional"
    );
    let ill =
        lists(&[Some(1), Some(0), Some(2)], lists(&[Some(2), Some(2), Some(1)], ints(&[1, 2, 3, 4, 5])));
    assert_eq!(
        refused(ill, pairs()),
        "tensor \"t\", column \"x\", row 2: an item has 1 value, the shape [2] holds 2"
    );
    assert_eq!(
        refused(ints(&[1]), single.clone()),
        "tensor \"t\", column \"x\": a sequence needs a column of lists, the values are bare Int64"
    );
    assert_eq!(
        refused(flat, single.shape(vec![usize::MAX, 3])),
        format!(
            "tensor \"t\", column \"x\": the shape [{}, 3] has more cells than can be counted",
            usize::MAX
        )
    );
}

#[test]
fn json_says_all_of_it() {
    let representations = [
        Representation::dense([2])
            .raw(raw(DType::Float32, &[3]).endian(Endian::Big))
            .cast(DType::Float64)
            .column("x"),
        Representation::sequence([2, 3]).column("x"),
        SequenceRepresentation::default().column("x").optional(true).dtype(DType::Int64).into(),
        DenseRepresentation::default().column("x").flat(true).into(),
    ];
    for representation in representations {
        assert_eq!(Representation::from_json(&representation.to_json()).unwrap(), representation);
        assert!(representation.to_proto().unwrap_err().to_string().contains("cannot say"));
    }
    let text = r#"{"kind": "converted", "of": {"kind": "dense", "column": "x", "shape": [2]}, "raw": {"dtype": "int8", "endian": "middle"}}"#;
    assert_eq!(
        Representation::from_json(text).unwrap_err().to_string(),
        "line 1, column 84: \"raw\" is {\"dtype\":\"int8\",\"endian\":\"middle\"}; it must be {\"dtype\": NAME, \"endian\": \"little\" or \
         \"big\", \"shape\": a list of sizes}"
    );
}

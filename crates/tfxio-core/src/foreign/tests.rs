//! Tests of the validation of foreign arrays.

use std::sync::Arc;

use arrow_array::builder::{BinaryViewBuilder, ListBuilder, StringBuilder, StringDictionaryBuilder};
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::*;
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer, ToByteSlice as _};
use arrow_data::ArrayDataBuilder;
use arrow_schema::{DataType, Field, Schema, UnionFields, UnionMode};
use tfxio_base::random::Stream;

use super::*;

fn found(data: ArrayData, text: Text) -> Result<(), String> {
    Foreign::new().data(&data, text, 0)
}

fn builder(data_type: DataType, len: usize, buffers: &[&[u8]]) -> ArrayDataBuilder {
    let buffers = buffers.iter().map(|bytes| Buffer::from(*bytes)).collect();
    ArrayDataBuilder::new(data_type).len(len).buffers(buffers)
}

/// Makes an array without a look at it.
fn unchecked(builder: ArrayDataBuilder) -> ArrayData {
    // SAFETY: nothing but the validation reads it.
    unsafe { builder.build_unchecked() }
}

fn bytes_of<T: ArrowNativeType>(values: &[T]) -> Vec<u8> {
    values.to_byte_slice().to_vec()
}

/// Returns text of these values, whatever they are.
fn text_of(values: &[&[u8]]) -> ArrayData {
    let offsets = OffsetBuffer::<i32>::from_lengths(values.iter().map(|value| value.len()));
    let offsets = bytes_of(&offsets);
    unchecked(builder(DataType::Utf8, values.len(), &[&offsets, &values.concat()]))
}

/// Views of these values, whatever they are.
fn views_of(values: &[&[u8]]) -> ArrayData {
    let mut views = BinaryViewBuilder::new();
    values.iter().for_each(|value| views.append_value(value));
    let data = views.finish().into_data();
    unchecked(data.into_builder().data_type(DataType::Utf8View))
}

#[test]
fn text_that_is_not_utf8() {
    let long = "é".repeat(40);
    let cases: [(&[&[u8]], Option<usize>); 8] = [
        (&[], None),
        (&[b"", "é".as_bytes(), b""], None),
        (&[b"abc\xf0"], Some(0)),
        (&[b"abc", b"\xff"], Some(1)),
        (&[b"a", b"\xc3", b"\xa9"], Some(1)),
        (&[long.as_bytes(), b"\xa9"], Some(1)),
        (&[long.as_bytes(), &long.as_bytes()[..79]], Some(1)),
        (&[&long.as_bytes()[1..], b"a"], Some(0)),
    ];
    for (values, bad) in cases {
        let expected = bad.map(|row| format!("value {row} is not UTF-8, and its type is text"));
        assert_eq!(found(text_of(values), Text::Unread).err(), expected, "{values:?}");
        assert_eq!(found(views_of(values), Text::Unread).err(), expected, "views of {values:?}");
        // Slices know which row they begin with.
        if let Some(row) = bad.filter(|row| *row > 0) {
            assert!(found(text_of(values).slice(row, 1), Text::Unread).is_err(), "{values:?}");
            assert!(found(views_of(values).slice(row, 1), Text::Unread).is_err(), "{values:?}");
            assert_eq!(found(text_of(values).slice(0, row), Text::Unread), Ok(()), "{values:?}");
        }
    }
}

#[test]
fn values_that_were_read_together_may_be_cut_within_a_character() {
    let long = format!("{}é", "a".repeat(20)).into_bytes();
    let (head, tail) = long.split_at(long.len() - 1);
    for values in [&[&b"a\xc3"[..], b"\xa9b"][..], &[head, tail], &[b"x", head, &[tail, &long].concat()]] {
        assert!(found(text_of(values), Text::ReadTogether).is_err(), "{values:?}");
        assert!(found(views_of(values), Text::ReadTogether).is_err(), "views of {values:?}");
    }
    for values in [&[&b"a"[..], "é".as_bytes(), b"", &long][..], &[]] {
        assert_eq!(found(text_of(values), Text::ReadTogether), Ok(()));
        assert_eq!(found(views_of(values), Text::ReadTogether), Ok(()));
    }
}

/// A value in many rows is read once.
#[test]
fn views_of_one_long_value_are_read_once() {
    let value = "é".repeat(16 << 20);
    let view = arrow_data::ByteView::new(value.len() as u32, &value.as_bytes()[..4]).as_u128();
    let views = vec![view; 100_000];
    let views = unchecked(builder(DataType::Utf8View, views.len(), &[&bytes_of(&views), value.as_bytes()]));
    let views = make_array(views);
    assert!(Foreign::new().array(&views, Text::Unread).is_ok());
}

#[test]
fn offsets_keys_and_runs() {
    let item = || Arc::new(Field::new_list_field(DataType::Int8, true));
    let items = || Int8Array::from(vec![1, 2, 3]).into_data();
    let i32s = |values: &[i32]| bytes_of(values);
    let three = |data_type: DataType| builder(data_type, 2, &[&i32s(&[0, 1, 3])]);
    let bad_list = |offsets: &[i32]| {
        unchecked(builder(DataType::List(item()), 2, &[&i32s(offsets)]).add_child_data(items()))
    };
    let dictionary = |key: i8, values: ArrayData| {
        let kind = DataType::Dictionary(DataType::Int8.into(), DataType::Utf8.into());
        unchecked(builder(kind, 1, &[&bytes_of(&[key])]).add_child_data(values))
    };
    let words = || StringArray::from(vec!["a"]).into_data();
    let ends = |ends: &[i32], len: usize| {
        let ends_field = Arc::new(Field::new("run_ends", DataType::Int32, false));
        let kind = DataType::RunEndEncoded(ends_field, Arc::new(Field::new("values", DataType::Int8, true)));
        let values = Int8Array::from(vec![7; ends.len()]).into_data();
        let ends = Int32Array::from(ends.to_vec()).into_data();
        unchecked(builder(kind, len, &[]).add_child_data(ends).add_child_data(values))
    };
    let union = |id: i8| {
        let fields = UnionFields::try_new([0], [Field::new("a", DataType::Int8, true)]).unwrap();
        unchecked(
            builder(DataType::Union(fields, UnionMode::Sparse), 1, &[&bytes_of(&[id])])
                .add_child_data(items()),
        )
    };
    let bad: [(&str, ArrayData); 22] = [
        ("list beyond", bad_list(&[0, 1, 4])),
        ("list back", bad_list(&[0, 3, 1])),
        ("list negative", bad_list(&[-1, 1, 3])),
        ("list short", bad_list(&[0, 1])),
        ("list of another type", unchecked(three(DataType::List(item())).add_child_data(words()))),
        ("list of nothing", unchecked(three(DataType::List(item())))),
        ("text beyond", unchecked(three(DataType::Utf8).add_buffer(Buffer::from(b"a")))),
        ("text back", unchecked(builder(DataType::Utf8, 2, &[&i32s(&[0, 3, 1]), b"aaa"]))),
        ("text negative", unchecked(builder(DataType::Utf8, 2, &[&i32s(&[-1, 0, 1]), b"aaa"]))),
        ("binary beyond", unchecked(builder(DataType::Binary, 2, &[&i32s(&[0, 3, 9]), b"aaa"]))),
        ("numbers short", unchecked(builder(DataType::Int64, 2, &[&[0; 15]]))),
        ("key beyond", dictionary(1, words())),
        ("key negative", dictionary(-1, words())),
        ("dictionary of another type", dictionary(0, items())),
        ("dictionary of bad text", dictionary(0, text_of(&[b"\xff"]))),
        ("dictionary without values", dictionary(0, StringBuilder::new().finish().into_data())),
        ("runs back", ends(&[3, 2], 2)),
        ("runs of nothing", ends(&[2, 2], 2)),
        ("runs negative", ends(&[-1, 2], 2)),
        ("runs short", ends(&[1, 2], 3)),
        ("union of another", union(1)),
        ("union negative", union(-1)),
    ];
    for (name, data) in bad {
        assert!(found(data.clone(), Text::Unread).is_err(), "{name}");
        // In a struct as well.
        let kind = DataType::Struct(vec![Field::new("a", data.data_type().clone(), true)].into());
        let within = unchecked(builder(kind, data.len(), &[]).add_child_data(data));
        assert!(found(within, Text::ReadTogether).is_err(), "{name} in a struct");
    }
    for good in [bad_list(&[0, 1, 3]), dictionary(0, words()), ends(&[1, 2], 2), union(0)] {
        assert_eq!(found(good, Text::Unread), Ok(()));
    }
}

/// As the C data interface gives the slice of no rows of a longer array.
#[test]
fn an_array_without_rows_may_have_the_offset_of_another() {
    for kind in [DataType::Utf8, DataType::Binary] {
        let data = unchecked(builder(kind, 0, &[&bytes_of(&[0, 1]), b""]).offset(1));
        assert_eq!(found(data, Text::Unread), Ok(()));
    }
}

#[test]
fn claims_that_have_no_end() {
    let item = Arc::new(Field::new_list_field(DataType::Null, true));
    let lists = builder(DataType::FixedSizeList(item, i32::MAX), usize::MAX / 2, &[]);
    let lists = unchecked(lists.add_child_data(NullArray::new(5).into_data()));
    assert!(found(lists, Text::Unread).unwrap_err().contains("are too many"));
    let nulls = unchecked(builder(DataType::Null, usize::MAX, &[]).offset(2));
    assert!(found(nulls, Text::Unread).unwrap_err().contains("has no end"));
    let values =
        builder(DataType::Int8, 2, &[b"ab"]).null_bit_buffer(Some(Buffer::from(&[0b01]))).null_count(2);
    assert!(found(unchecked(values), Text::Unread).unwrap_err().contains("null_count"));
}

#[test]
fn columns_that_are_nested_too_deep() {
    let deep = |levels: usize| {
        (0..levels).fold(Int8Array::from(vec![1]).into_data(), |inner, _| {
            let kind = DataType::Struct(vec![Field::new("a", inner.data_type().clone(), true)].into());
            unchecked(builder(kind, 1, &[]).add_child_data(inner))
        })
    };
    assert_eq!(found(deep(MOST_LEVELS), Text::Unread), Ok(()));
    let error = found(deep(MOST_LEVELS + 1), Text::Unread).unwrap_err();
    assert_eq!(error, "the column is nested more than 128 levels deep");
}

#[test]
fn values_of_a_dictionary_that_batches_share_are_read_once() {
    let mut words = StringDictionaryBuilder::<Int32Type>::new();
    words.append_value("a");
    let words = words.finish();
    let mut foreign = Foreign::new();
    for _ in 0..3 {
        foreign.array(&words, Text::Unread).unwrap();
    }
    assert_eq!((foreign.before.len(), foreign.now.len()), (1, 1));
    for _ in 0..100 {
        let others = DictionaryArray::<Int8Type>::from_iter(["b"]);
        foreign.array(&others, Text::Unread).unwrap();
    }
    // Those of earlier ones are not kept in memory.
    assert_eq!((foreign.before.len(), foreign.now.len()), (1, 1));
}

#[test]
fn a_batch_names_the_column() {
    let schema =
        Schema::new(vec![Field::new("n", DataType::Int8, true), Field::new("j", DataType::Utf8, true)]);
    let text = make_array(text_of(&[b"a", b"\xff"]));
    let columns: Vec<ArrayRef> = vec![Arc::new(Int8Array::from(vec![1, 2])), text];
    let batch = RecordBatch::try_new(schema.into(), columns).unwrap();
    let error = Foreign::new().batch(&batch, Text::Unread).unwrap_err();
    assert_eq!(error.to_string(), "column \"j\": value 1 is not UTF-8, and its type is text");
    assert_eq!(error.kind(), ErrorKind::Malformed);
}

#[test]
fn arrays_of_ours_are_valid() {
    let numbers =
        RunArray::<Int32Type>::try_new(&Int32Array::from(vec![2, 5]), &StringArray::from(vec!["a", "b"]));
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(StringViewArray::from(vec![Some("a"), None, Some("longer than twelve bytes")])),
        Arc::new(LargeStringArray::from(vec!["é", ""])),
        Arc::new(BinaryViewArray::from(vec![&b"\xff"[..], b"longer than twelve \xff"])),
        Arc::new(FixedSizeBinaryArray::new(2, Buffer::from(b"abcd"), None)),
        Arc::new(numbers.unwrap()),
        Arc::new(ListArray::new_null(Arc::new(Field::new_list_field(DataType::Utf8, true)), 3)),
        Arc::new(PrimitiveArray::<Int32Type>::new(ScalarBuffer::from(vec![1, 2]), None)),
    ];
    for array in arrays {
        for array in [array.slice(0, 0), array.slice(1, 1), array] {
            Foreign::new().array(&array, Text::Unread).unwrap();
            Foreign::new().array(&array, Text::ReadTogether).unwrap();
        }
    }
}

/// Changes bytes of the buffers of an array, and of its children's, as another library may have given them.
fn changed(data: &ArrayData, random: &mut Stream) -> ArrayData {
    let change = |buffer: &Buffer, random: &mut Stream| {
        let mut bytes = buffer.to_vec();
        if random.below(3) == 0 && !bytes.is_empty() {
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] = [0, 1, 0x7f, 0x80, 0xff, random.below(256) as u8][random.below(6) as usize];
        }
        Buffer::from_vec(bytes)
    };
    let buffers = data.buffers().iter().map(|buffer| change(buffer, random)).collect();
    let children = data.child_data().iter().map(|child| changed(child, random)).collect();
    // The one offset of an empty array is not looked at.
    let length = if random.below(8) == 0 { 1 + random.below(20) as usize } else { data.len() };
    let builder = ArrayDataBuilder::new(data.data_type().clone()).len(length).offset(data.offset());
    unchecked(
        builder
            .nulls(data.nulls().filter(|nulls| nulls.len() == length).cloned())
            .buffers(buffers)
            .child_data(children),
    )
}

/// Arrays of every layout.
fn layouts() -> Vec<ArrayData> {
    let texts = ["", "a", "é", "a longer text than a view holds", "b", "zz"];
    let words = texts.into_iter().collect::<DictionaryArray<Int32Type>>();
    let mut lists = ListBuilder::new(StringBuilder::new());
    for row in 0..6 {
        (0..row).for_each(|item| lists.values().append_value(texts[item]));
        lists.append(row != 2);
    }
    let lists = lists.finish();
    let ends = Int32Array::from(vec![2, 3, 6]);
    let runs = RunArray::try_new(&ends, &StringArray::from(vec!["x", "é", "z"])).unwrap();
    let field = Arc::new(Field::new("l", lists.data_type().clone(), true));
    let nested = StructArray::from(vec![(field, Arc::new(lists.clone()) as ArrayRef)]);
    vec![
        StringArray::from(texts.to_vec()).into_data(),
        LargeStringArray::from(texts.to_vec()).into_data(),
        StringViewArray::from(texts.to_vec()).into_data(),
        BinaryViewArray::from_iter_values(texts).into_data(),
        words.into_data(),
        lists.into_data(),
        nested.into_data(),
        runs.into_data(),
        Int64Array::from_iter_values(0..6).into_data(),
        BooleanArray::from(vec![true; 6]).into_data(),
    ]
}

/// `TFXIO_MUTATIONS` is the number of arrays.
#[test]
fn changed_arrays_are_refused_or_valid() {
    let count = std::env::var("TFXIO_MUTATIONS").map_or(20_000, |text| text.parse().unwrap());
    let layouts = layouts();
    let (mut good, mut refused) = (0_u64, 0_u64);
    for at in 0..count {
        let mut random = Stream::new(tfxio_base::random::mix(at));
        let data = changed(&layouts[random.below(layouts.len() as u64) as usize], &mut random);
        match found(data.clone(), Text::Unread) {
            Ok(()) => {
                data.validate_full()
                    .unwrap_or_else(|error| panic!("array {at}: {error}: {:?}", data.data_type()));
                good += 1;
            }
            Err(_) => refused += 1,
        }
    }
    println!("{count} arrays, of which {good} are valid and {refused} refused");
    assert!(good > 0 && refused > 0);
}

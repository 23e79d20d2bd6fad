//! Random batches: what is written is what stood in the columns, for us and for another implementation.

use std::sync::Arc;

use apache_avro::types::Value as Apache;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int8Type, Int32Type, Int64Type};
use arrow_array::*;
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields};
use avro_path::encode::EncodePlan;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::encode::choices::Choices;
use crate::encode::test_data::{container, decoded, json};

fn nulls(choices: &mut Choices<'_>, length: usize) -> Option<NullBuffer> {
    let share = choices.below(3);
    (share > 0).then(|| (0..length).map(|_| choices.below(4) >= share).collect())
}

fn random_array(choices: &mut Choices<'_>, length: usize, depth: usize) -> ArrayRef {
    let text = |choices: &mut Choices<'_>| ["", "a", "grün", "more than twelve bytes"][choices.below(4)];
    match choices.below(if depth == 0 { 6 } else { 11 }) {
        0 => Arc::new(Int32Array::new(
            (0..length).map(|_| choices.below(1 << 16) as i32 - 5).collect(),
            nulls(choices, length),
        )),
        1 => Arc::new(Int64Array::new(
            (0..length).map(|_| i64::MIN >> choices.below(64)).collect(),
            nulls(choices, length),
        )),
        2 => Arc::new(Float64Array::new(
            (0..length).map(|_| choices.below(100) as f64 / 8.0).collect(),
            nulls(choices, length),
        )),
        3 => Arc::new(BooleanArray::new(
            (0..length).map(|_| choices.below(2) == 1).collect(),
            nulls(choices, length),
        )),
        4 => {
            let texts = (0..length).map(|_| (choices.below(4) > 0).then(|| text(choices)));
            match texts.collect::<Vec<_>>() {
                texts if length.is_multiple_of(2) => Arc::new(StringArray::from(texts)),
                texts => Arc::new(StringViewArray::from(texts)),
            }
        }
        5 => {
            let texts = (0..length).map(|_| (choices.below(4) > 0).then(|| text(choices)));
            Arc::new(texts.collect::<DictionaryArray<Int8Type>>())
        }
        6 | 7 => {
            let lengths = (0..length).map(|_| choices.below(4)).collect::<Vec<_>>();
            let items = random_array(choices, lengths.iter().sum(), depth - 1);
            let item = Arc::new(Field::new_list_field(items.data_type().clone(), true));
            Arc::new(ListArray::new(item, OffsetBuffer::from_lengths(lengths), items, nulls(choices, length)))
        }
        8 => {
            let size = choices.below(3);
            let items = random_array(choices, size * length, depth - 1);
            let item = Arc::new(Field::new_list_field(items.data_type().clone(), true));
            let validity = nulls(choices, length);
            Arc::new(
                FixedSizeListArray::try_new_with_length(item, size as i32, items, validity, length).unwrap(),
            )
        }
        9 => {
            let lengths = (0..length).map(|_| choices.below(3)).collect::<Vec<_>>();
            let count = lengths.iter().sum();
            let keys: ArrayRef =
                Arc::new(StringArray::from_iter_values((0..count).map(|key| format!("k{key}"))));
            let values = random_array(choices, count, depth - 1);
            let fields = Fields::from(vec![
                Field::new("keys", DataType::Utf8, false),
                Field::new("values", values.data_type().clone(), true),
            ]);
            let entries = StructArray::new(fields, vec![keys, values], None);
            let field = Arc::new(Field::new("entries", entries.data_type().clone(), false));
            Arc::new(MapArray::new(
                field,
                OffsetBuffer::from_lengths(lengths),
                entries,
                nulls(choices, length),
                false,
            ))
        }
        _ => {
            let columns = (0..1 + choices.below(3)).map(|_| random_array(choices, length, depth - 1));
            let columns = columns.collect::<Vec<_>>();
            let fields = columns.iter().enumerate();
            let fields =
                fields.map(|(at, column)| Field::new(format!("f{at}"), column.data_type().clone(), true));
            Arc::new(StructArray::new(fields.collect(), columns, nulls(choices, length)))
        }
    }
}

/// Returns a value as JSON, by Arrow's own access to it.
fn value(array: &ArrayRef, row: usize) -> Value {
    if array.logical_nulls().is_some_and(|nulls| nulls.is_null(row)) {
        return Value::Null;
    }
    let all = |list: ArrayRef| (0..list.len()).map(|item| value(&list, item)).collect();
    match array.data_type() {
        DataType::Int32 => json!(array.as_primitive::<Int32Type>().value(row)),
        DataType::Int64 => json!(array.as_primitive::<Int64Type>().value(row)),
        DataType::Float64 => json!(array.as_primitive::<Float64Type>().value(row)),
        DataType::Boolean => json!(array.as_boolean().value(row)),
        DataType::Utf8 => json!(array.as_string::<i32>().value(row)),
        DataType::Utf8View => json!(array.as_string_view().value(row)),
        DataType::Dictionary(..) => {
            let dictionary = array.as_dictionary::<Int8Type>();
            value(dictionary.values(), usize::try_from(dictionary.keys().value(row)).unwrap())
        }
        DataType::List(_) => all(array.as_list::<i32>().value(row)),
        DataType::FixedSizeList(..) => all(array.as_fixed_size_list().value(row)),
        DataType::Map(..) => {
            let entries = array.as_map().value(row);
            let keys = entries.column(0).as_string::<i32>();
            let entry = |at| (keys.value(at).to_owned(), value(entries.column(1), at));
            Value::Object((0..entries.len()).map(entry).collect::<Map<_, _>>())
        }
        DataType::Struct(fields) => {
            let columns = fields.iter().zip(array.as_struct().columns());
            Value::Object(columns.map(|(field, column)| (field.name().clone(), value(column, row))).collect())
        }
        other => panic!("{other}"),
    }
}

/// Returns a value read by another implementation, as JSON.
fn shown(value: Apache) -> Value {
    match value {
        Apache::Null => Value::Null,
        Apache::Boolean(value) => json!(value),
        Apache::Int(value) => json!(value),
        Apache::Long(value) => json!(value),
        Apache::Double(value) => json!(value),
        Apache::String(text) => json!(text),
        Apache::Union(_, value) => shown(*value),
        Apache::Array(items) => items.into_iter().map(shown).collect(),
        Apache::Map(entries) => {
            Value::Object(entries.into_iter().map(|(key, value)| (key, shown(value))).collect())
        }
        Apache::Record(fields) => {
            Value::Object(fields.into_iter().map(|(name, value)| (name, shown(value))).collect())
        }
        other => panic!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn rows_come_out_as_they_stand_in_the_columns(
        choices in prop::collection::vec(any::<u16>(), 0..400),
        rows in 0_usize..6,
        cut in 0_usize..3,
    ) {
        let choices = &mut Choices(choices.iter());
        let columns = (0..1 + choices.below(4)).map(|at| (format!("c{at}"), random_array(choices, rows, 3), true));
        let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
        let cut = cut.min(rows);
        let batch = batch.slice(cut, rows - cut);
        let plan = EncodePlan::builder(&batch.schema()).build().unwrap();
        let file = container(&plan, &batch).unwrap();

        let whole: ArrayRef = Arc::new(StructArray::from(batch.clone()));
        let expected = (0..batch.num_rows()).map(|row| value(&whole, row)).collect::<Vec<_>>();
        prop_assert_eq!(json(&file), expected.clone());
        // Read back as columns and written again, it is the same file.
        let again = decoded(&file);
        let columns: ArrayRef = Arc::new(StructArray::from(again.clone()));
        let found = (0..again.num_rows()).map(|row| value(&columns, row)).collect::<Vec<_>>();
        prop_assert_eq!(found, expected.clone());
        let plan = EncodePlan::builder(&again.schema()).build().unwrap();
        prop_assert_eq!(container(&plan, &again).unwrap(), file.clone());
        let theirs = apache_avro::Reader::new(&file[..]).unwrap().map(|record| shown(record.unwrap()));
        prop_assert_eq!(theirs.collect::<Vec<_>>(), expected);
    }
}

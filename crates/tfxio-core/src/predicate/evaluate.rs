//! Evaluating predicates.

mod compare;
mod path;
mod truths;

use arrow_array::{BooleanArray, RecordBatch};
use tfxio_base::{Error, ErrorKind, Result, suggest};

use self::compare::Test;
use self::truths::Truths;
use super::Predicate;

impl Predicate {
    /// Returns for each row of a batch whether it satisfies the predicate; null where a value that decides is null. A batch
    /// without rows tells whether its schema fits.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use arrow_array::{ArrayRef, Int32Array, RecordBatch};
    /// use tfxio_core::Predicate;
    ///
    /// let labels = Arc::new(Int32Array::from(vec![Some(3), None, Some(7)])) as ArrayRef;
    /// let batch = RecordBatch::try_from_iter([("label", labels)]).expect("one column");
    /// let mask = "label >= 5".parse::<Predicate>()?.evaluate(&batch)?;
    /// assert!(mask.iter().eq([Some(false), None, Some(true)]));
    /// # Ok::<(), tfxio_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` when a column does not exist, or has a type that cannot be compared with the value.
    pub fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray> {
        truths(self, batch).map(Truths::into_array)
    }
}

fn truths(predicate: &Predicate, batch: &RecordBatch) -> Result<Truths> {
    let join = |all: &[Predicate], start, join: fn(Truths, &Truths) -> Truths| {
        let start = Truths::all(batch.num_rows(), Some(start));
        all.iter().try_fold(start, |joined, each| Ok(join(joined, &truths(each, batch)?)))
    };
    match predicate {
        Predicate::And(all) => join(all, true, Truths::and),
        Predicate::Or(any) => join(any, false, Truths::or),
        Predicate::Not(inner) => truths(inner, batch).map(Truths::not),
        Predicate::Compare { path, comparison, value } => {
            path::test(batch, path, &Test::Compare(*comparison, value))
        }
        Predicate::In { path, values } => path::test(batch, path, &Test::In(values)),
        Predicate::IsNull { path } => path::test(batch, path, &Test::IsNull),
    }
}

/// Returns the error of a name that is not found.
fn not_found<'a, I>(what: &str, name: &str, known: I) -> Error
where
    I: IntoIterator<Item = &'a str, IntoIter: Clone>,
{
    let hint = suggest::hint(name, known, if what == "column" { "columns" } else { "fields" });
    Error::new(
        ErrorKind::InvalidArgument,
        format!("the filter names the {what} {name:?}, which does not exist"),
    )
    .help(hint)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::builder::{Int64Builder, LargeListBuilder};
    use arrow_array::types::{ArrowPrimitiveType, Float16Type};
    use arrow_array::{
        ArrayRef, Date32Array, Decimal128Array, DictionaryArray, Float16Array, Float32Array, Float64Array,
        Int32Array, RecordBatch, StringArray, StructArray, TimestampSecondArray, UInt64Array,
    };
    use arrow_schema::{DataType, Field};

    use tfxio_base::ErrorKind;

    use crate::Predicate;

    type Half = <Float16Type as ArrowPrimitiveType>::Native;

    fn batch() -> RecordBatch {
        let mut lists = LargeListBuilder::new(Int64Builder::new());
        lists.append_value([Some(1), Some(7)]);
        lists.append_value([]);
        lists.append_null();
        lists.append_value([Some(1), None]);
        let text = Arc::new(StringArray::from(vec![Some("a"), None, Some("b"), Some("it's")])) as ArrayRef;
        let number = Arc::new(Int32Array::from(vec![Some(1), Some(2), None, Some(4)])) as ArrayRef;
        let inner = StructArray::from(vec![
            (Arc::new(Field::new("text", DataType::Utf8, true)), Arc::clone(&text)),
            (Arc::new(Field::new("number", DataType::Int32, true)), number),
        ]);
        let words: DictionaryArray<arrow_array::types::Int8Type> =
            vec![Some("x"), Some("y"), None, Some("x")].into_iter().collect();
        RecordBatch::try_from_iter_with_nullable([
            ("lists", Arc::new(lists.finish()) as ArrayRef, true),
            ("s", Arc::new(inner) as ArrayRef, true),
            ("f", Arc::new(Float32Array::from(vec![0.1, 1.5, f32::NAN, -2.0])) as ArrayRef, true),
            ("words", Arc::new(words) as ArrayRef, true),
        ])
        .expect("a batch")
    }

    #[test]
    fn truth_has_three_values_and_lists_hold_when_any_value_does() {
        let batch = batch();
        // One letter a row: true, false, or neither.
        let cases = [
            ("lists = 7", "tf--"),
            ("lists = 1", "tf-t"),
            ("lists > 0 and lists < 2", "tf-t"),
            ("not lists = 7", "ft--"),
            ("lists is null", "fftf"),
            ("lists in (7, 8)", "tf--"),
            ("lists in ()", "ff--"),
            ("s.text = 'it''s'", "f-ft"),
            ("s.text < 'b' or s.number = 2", "tt-f"),
            ("s.number is null", "fftf"),
            ("s is null", "ffff"),
            ("s.number != 1.5", "tt-t"),
            ("s.number <= 1.5", "tf-f"),
            ("f = 0.1", "tfff"),
            ("f != 0", "tttt"),
            ("f < 1", "tfft"),
            ("words = 'x'", "tf-t"),
            ("words is not null and words != 'y'", "tfft"),
            ("s.number > 1 and lists = 7", "ff--"),
            ("true", "tttt"),
            ("false or lists = 7", "tf--"),
        ];
        for (text, expected) in cases {
            let predicate = text.parse::<Predicate>().expect(text);
            let letters = |batch: &RecordBatch| {
                let truths = predicate.evaluate(batch).expect(text);
                truths
                    .iter()
                    .map(|truth| truth.map_or('-', |truth| if truth { 't' } else { 'f' }))
                    .collect::<String>()
            };
            assert_eq!(letters(&batch), expected, "{text}");
            assert_eq!(letters(&batch.slice(1, 2)), expected[1..3], "{text}, a part");
            assert_eq!(letters(&batch.slice(0, 0)), "", "{text}, nothing");
        }
    }

    #[test]
    fn long_lists_hold_when_any_value_does() {
        for (len, seven) in (1..70).flat_map(|len| [(len, 0), (len, len / 2), (len, len - 1)]) {
            let mut lists = LargeListBuilder::new(Int64Builder::new());
            let list = |is: bool| (0..len).map(move |at| Some(if is && at == seven { 7 } else { 1 }));
            [false, true, true, false].into_iter().for_each(|is| lists.append_value(list(is)));
            // One value is null.
            lists.append_value(list(true).chain([None]));
            lists.append_value(list(false).chain([None]));
            let array = Arc::new(lists.finish()) as ArrayRef;
            let batch = RecordBatch::try_from_iter([("x", array)]).expect("a column");
            let truths = "x = 7".parse::<Predicate>().expect("a predicate").evaluate(&batch).expect("truths");
            let expected = [Some(false), Some(true), Some(true), Some(false), Some(true), None];
            assert!(truths.iter().eq(expected), "{len}, {seven}");
        }
    }

    #[test]
    fn numbers_are_compared_by_their_value() {
        let array = |array: ArrayRef| RecordBatch::try_from_iter([("x", array)]).expect("a column");
        let floats = || array(Arc::new(Float32Array::from(vec![f32::INFINITY, f32::MAX, 0.0, 1e-45])));
        let doubles = || array(Arc::new(Float64Array::from(vec![f64::INFINITY, f64::MAX, 0.0, 5e-324])));
        let halves =
            || array(Arc::new(Float16Array::from_iter_values([0.1, 65504.0, 0.0].map(Half::from_f64))));
        let (even, max) = (9_007_199_254_740_992, u64::MAX);
        let unsigned = || array(Arc::new(UInt64Array::from(vec![even, even + 1, max - 1, max])));
        let decimals = || {
            let decimals = Decimal128Array::from(vec![-1, 150, 200, 151]);
            array(Arc::new(decimals.with_precision_and_scale(10, 2).expect("a scale")))
        };
        let dates = || array(Arc::new(Date32Array::from(vec![0, 1])));
        let times = || array(Arc::new(TimestampSecondArray::from(vec![0, 1]).with_timezone("Asia/Tokyo")));
        let cases = [
            ("x = 1e39", floats(), "ffff"),
            ("x > 1e39", floats(), "tfff"),
            ("x < 1e39", floats(), "fttt"),
            ("x = 1e-60", floats(), "ffff"),
            ("x > 1e-60", floats(), "ttft"),
            ("x in (1e39, 0.0)", floats(), "fftf"),
            ("x = 1e400", doubles(), "ffff"),
            ("x > 1e400", doubles(), "tfff"),
            ("x <= 1e-400", doubles(), "fftf"),
            ("x = inf", doubles(), "tfff"),
            ("x = 0.1", halves(), "tff"),
            ("x < 1e6", halves(), "ttt"),
            ("x = 9007199254740993.0", unsigned(), "ftff"),
            ("x >= 18446744073709551615.0", unsigned(), "ffft"),
            ("x < 18446744073709551614.5", unsigned(), "tttf"),
            ("x = 1.5", decimals(), "ftff"),
            ("x >= 1.505", decimals(), "fftt"),
            ("x in (2, -1e-2)", decimals(), "tftf"),
            ("x = '1970-01-02'", dates(), "ft"),
            ("x < '1970-01-01T00:00:01'", dates(), "tf"),
            ("x = '1970-01-01T02:00:01+02:00'", times(), "ft"),
            ("x > '1970-01-01'", times(), "ft"),
        ];
        for (text, batch, expected) in cases {
            let truths = text.parse::<Predicate>().expect(text).evaluate(&batch).expect(text);
            let letters = truths.iter().map(|truth| if truth == Some(true) { 't' } else { 'f' });
            assert_eq!(letters.collect::<String>(), expected, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_compared_is_said() {
        let cases = [
            (
                "list = 7",
                "the filter names the column \"list\", which does not exist; did you mean \"lists\"?",
            ),
            (
                "s.txt = 'a'",
                "the filter names the field \"txt\", which does not exist; did you mean \"text\"?",
            ),
            ("s.text.x = 1", "the filter names the field \"x\" of Arrow type Utf8, which has no fields"),
            (
                "lists = 'a'",
                "the column has Arrow type Int64, which cannot be compared with 'a'; compare numbers",
            ),
            ("s = 1", "which cannot be compared with 1; compare numbers with numbers"),
        ];
        for (text, expected) in cases {
            let error = text.parse::<Predicate>().expect(text).evaluate(&batch()).expect_err(text);
            assert!(error.to_string().contains(expected), "{text}: {error}");
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{text}");
        }
    }
}

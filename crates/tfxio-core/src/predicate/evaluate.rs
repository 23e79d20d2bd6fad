//! Evaluating predicates.

mod compare;
mod path;

use arrow_array::{BooleanArray, RecordBatch};
use tfxio_base::{Error, ErrorKind, Result, suggest};

use self::compare::Test;
use self::path::Truth;
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
    /// When a column does not exist, or has a type that cannot be compared with the value.
    pub fn evaluate(&self, batch: &RecordBatch) -> Result<BooleanArray> {
        truths(self, batch).map(BooleanArray::from)
    }
}

fn truths(predicate: &Predicate, batch: &RecordBatch) -> Result<Vec<Truth>> {
    match predicate {
        Predicate::And(all) => fold(all, batch, Some(true), |a, b| match (a, b) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        }),
        Predicate::Or(any) => fold(any, batch, Some(false), path::or),
        Predicate::Not(inner) => {
            Ok(truths(inner, batch)?.into_iter().map(|truth| truth.map(|truth| !truth)).collect())
        }
        Predicate::Compare { path, comparison, value } => {
            path::test(batch, path, &Test::Compare(*comparison, value))
        }
        Predicate::In { path, values } => path::test(batch, path, &Test::In(values)),
        Predicate::IsNull { path } => path::test(batch, path, &Test::IsNull),
    }
}

fn fold(
    all: &[Predicate],
    batch: &RecordBatch,
    start: Truth,
    join: impl Fn(Truth, Truth) -> Truth,
) -> Result<Vec<Truth>> {
    let mut joined = vec![start; batch.num_rows()];
    for each in all {
        for (truth, other) in joined.iter_mut().zip(truths(each, batch)?) {
            *truth = join(*truth, other);
        }
    }
    Ok(joined)
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
    use arrow_array::{
        ArrayRef, DictionaryArray, Float32Array, Int32Array, RecordBatch, StringArray, StructArray,
    };
    use arrow_schema::{DataType, Field};

    use crate::Predicate;

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
            let error =
                text.parse::<Predicate>().expect(text).evaluate(&batch()).expect_err(text).to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}

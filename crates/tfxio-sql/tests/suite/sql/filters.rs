//! Conditions that a scan is given, and that rows come out the same with them.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float32Array, Float64Array, Int32Array, RecordBatch, StringArray};
use datafusion::datasource::MemTable;
use tfxio_core::{FileFormat as _, FormatOptions};
use tfxio_formats::IpcFormat;
use tfxio_formats::example_codec::Example;
use tfxio_formats::tfrecord_io::FileWriter;
use tfxio_sql::TableOptions;

use crate::sql::counting::Counting;
use crate::sql::session::{plan, rows, with_table};

fn batch() -> RecordBatch {
    let numbers = Int32Array::from(vec![Some(1), Some(2), None, Some(-4), Some(5), Some(6)]);
    let floats = vec![Some(0.1), Some(f32::NAN), None, Some(-0.0), Some(0.0), Some(2.5)];
    let doubles = vec![Some(0.1), Some(f64::INFINITY), None, Some(-0.0), Some(f64::NAN), Some(-2.5)];
    let texts = StringArray::from(vec![Some("a"), Some("b"), None, Some(""), Some("it's"), Some("ü")]);
    let flags = BooleanArray::from(vec![Some(true), Some(false), None, Some(true), Some(false), None]);
    let columns: [(&str, ArrayRef); 5] = [
        ("i", Arc::new(numbers)),
        ("f", Arc::new(Float32Array::from(floats))),
        ("d", Arc::new(Float64Array::from(doubles))),
        ("s", Arc::new(texts)),
        ("b", Arc::new(flags)),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// A data set whose scans apply the filter that they are given, and nothing else does.
mod applying {
    use super::*;
    use arrow_schema::SchemaRef;
    use datafusion::arrow::compute::filter_record_batch;
    use tfxio_core::{Batch, Dataset, Partition, Projection, Result, Scan, ScanRequest};

    /// Its rows, their schema, and whether it declares that it applies filters.
    #[derive(Debug)]
    pub struct Applying(pub RecordBatch, pub SchemaRef, pub bool);

    impl Dataset for Applying {
        fn schema(&self) -> &SchemaRef {
            &self.1
        }

        fn partitions(&self, _: u64) -> Result<Vec<Partition>> {
            Ok(vec![Partition::whole("memory")])
        }

        fn applies_filter(&self, _: &ScanRequest) -> bool {
            self.2
        }

        fn scan(&self, _: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>> {
            let kept = match &request.filter {
                Some(filter) => filter_record_batch(&self.0, &filter.evaluate(&self.0)?)?,
                None => self.0.clone(),
            };
            let projection = Projection::new(&self.1, request)?;
            let batch = projection.batch(kept.columns().to_vec())?;
            Ok(Box::new(Once(projection.schema().clone(), Some(batch))))
        }
    }

    struct Once(SchemaRef, Option<RecordBatch>);

    impl Scan for Once {
        fn schema(&self) -> &SchemaRef {
            &self.0
        }

        fn next_batch(&mut self) -> Result<Option<Batch>> {
            Ok(self.1.take().map(Batch::from))
        }
    }
}

#[tokio::test]
async fn rows_are_the_same_as_without_a_scan_that_filters() {
    for says_so in [false, true] {
        compare_rows(says_so).await;
    }
}

/// Compares the rows of many conditions with the rows of a table of DataFusion.
async fn compare_rows(says_so: bool) {
    let batch = batch();
    let applying = Arc::new(applying::Applying(batch.clone(), batch.schema(), says_so));
    let context = with_table(applying, &TableOptions::new());
    let memory = MemTable::try_new(batch.schema(), vec![vec![batch]]).unwrap();
    context.register_table("expected", Arc::new(memory)).unwrap();
    let mut conditions = Vec::new();
    let of_floats = ["0", "2.5", "0.1", "1e40", "cast('nan' as double)"].as_slice();
    for (column, numbers) in [("i", ["2", "2.5"].as_slice()), ("f", of_floats), ("d", of_floats)] {
        for comparison in ["=", "!=", "<", "<=", ">", ">="] {
            conditions.extend(numbers.iter().map(|number| format!("{column} {comparison} {number}")));
        }
        conditions.push(format!("{column} in (1, 2.5, 0)"));
        conditions.push(format!("{column} not in (1, 2.5)"));
        conditions.push(format!("{column} not in (1, null)"));
        conditions.push(format!("{column} between 0 and 2"));
        conditions.push(format!("{column} is null"));
        conditions.push(format!("3 > {column}"));
    }
    for text in ["'a'", "''", "'ü'", "'it''s'"] {
        conditions.extend(["=", "!=", "<", ">="].map(|comparison| format!("s {comparison} {text}")));
    }
    conditions.extend(
        ["b", "not b", "b is not true", "b = false", "s is not null", "s like 'a%'"].map(str::to_owned),
    );
    let negated =
        conditions.iter().step_by(2).map(|condition| format!("not ({condition})")).collect::<Vec<_>>();
    let joined = conditions
        .windows(7)
        .map(|some| format!("({} and {}) or not ({} or {})", some[0], some[3], some[6], some[1]));
    let joined = joined.step_by(11).collect::<Vec<_>>();
    for condition in conditions.iter().chain(&negated).chain(&joined) {
        let columns = format!("i, f, d, s, b from {{}} where {condition}");
        let [found, expected] =
            ["t", "expected"].map(|table| format!("select {}", columns.replace("{}", table)));
        assert_eq!(rows(&context, &found).await, rows(&context, &expected).await, "{condition}");
    }
}

#[tokio::test]
async fn scans_are_given_what_they_can_use() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("all.arrow");
    let batch = batch();
    let mut sink =
        IpcFormat.sink(file.to_str().unwrap(), &batch.schema(), &FormatOptions::default()).unwrap();
    sink.write(&batch.into()).unwrap();
    sink.finish().unwrap();
    let counting = Counting::new(tfxio_formats::open(&file).unwrap());
    let context = with_table(Arc::clone(&counting) as _, &TableOptions::new());
    for (condition, expected) in [
        ("i = 5", Some("i = 5")),
        ("5 < i", Some("i > 5")),
        ("i in (1, 2, 3, 4)", Some("i in (1, 2, 3, 4)")),
        ("i > 1 and s = 'a'", Some("i > 1 and s = 'a'")),
        ("i > 1 and length(s) = 1", Some("i > 1")),
        ("i > 1 or length(s) = 1", None),
        ("s is null", Some("s is null")),
        ("not b", Some("not b = true")),
        ("f > 0.1", Some("not f < 0.10000000149011612")),
        ("d > 2.5", Some("not d <= 2.5")),
        ("i + 1 = 2", None),
    ] {
        counting.reset();
        rows(&context, &format!("select s from t where {condition}")).await;
        assert_eq!(counting.filter().as_deref(), expected, "{condition}");
    }
}

#[tokio::test]
async fn conditions_that_a_scan_applies_are_evaluated_by_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("labels.tfrecord");
    let mut writer = FileWriter::create(&file).unwrap();
    for label in 0..100 {
        writer.write(&Example::new().int64("label", [label]).float("score", [0.5]).to_vec()).unwrap();
    }
    writer.finish().unwrap();
    let context = with_table(tfxio_formats::open(&file).unwrap(), &TableOptions::new());
    for (condition, is_exact) in [
        ("label = 7", true),
        ("label > 7 and label < 12", true),
        ("not label in (1, 2)", true),
        // Zeros of either sign are one value to a scan.
        ("score >= 0.0", false),
        ("label > 7 and label + 1 > 3", false),
    ] {
        let plan = plan(&context, &format!("select label from t where {condition}")).await;
        assert_eq!(!plan.contains("FilterExec"), is_exact, "{condition}: {plan}");
    }
    // The limit counts the rows that are left, and reaches the scan.
    let plan = plan(&context, "select label from t where label > 7 limit 3").await;
    assert!(plan.contains("limit=3") && !plan.contains("FilterExec"), "{plan}");
    assert_eq!(rows(&context, "select label from t where label > 97 limit 3").await, "98; 99");
}

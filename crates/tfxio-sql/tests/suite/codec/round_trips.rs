//! Plans and tables that come back from bytes as they were.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field};
use datafusion::physical_plan::{ExecutionPlan, collect, collect_partitioned, displayable};
use tfxio_core::{Dataset, FileFormat as _, FormatOptions};
use tfxio_formats::{OpenOptions, ParquetFormat};
use tfxio_sql::datafusion_proto::bytes::{
    logical_plan_from_bytes_with_extension_codec, logical_plan_to_bytes_with_extension_codec,
    physical_plan_from_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
};
use tfxio_sql::{TfxioCodec, TfxioExec};

use crate::codec::{decode, digits, encode, fixtures, plan, with_table, worker};

fn shown(plan: &Arc<dyn ExecutionPlan>) -> String {
    displayable(&**plan).indent(true).to_string()
}

/// Sends plans of statements to another process, and back, and compares what they return.
async fn check(dataset: &Arc<dyn Dataset>, statements: &[&str]) {
    for statement in statements {
        for partitions in [1, 3] {
            let context = with_table(Arc::clone(dataset), partitions);
            let before = plan(&context, statement).await;
            let codec = TfxioCodec::new();
            let bytes =
                physical_plan_to_bytes_with_extension_codec(Arc::clone(&before), &codec).expect(statement);
            let worker = worker();
            let after = physical_plan_from_bytes_with_extension_codec(&bytes, &worker.task_ctx(), &codec)
                .expect(statement);
            assert_eq!(shown(&after), shown(&before), "{statement}");
            // A machine with fewer threads uses fewer; everything else stays, however often a plan is sent.
            let again = physical_plan_to_bytes_with_extension_codec(Arc::clone(&after), &codec).unwrap();
            let twice =
                physical_plan_from_bytes_with_extension_codec(&again, &worker.task_ctx(), &codec).unwrap();
            let twice = physical_plan_to_bytes_with_extension_codec(twice, &codec).unwrap();
            assert!(again == twice, "{statement}");
            // Groups come in any order.
            let expected = sorted(collect_partitioned(before, context.task_ctx()).await.unwrap());
            let found = sorted(collect_partitioned(after, worker.task_ctx()).await.unwrap());
            assert!(!expected.is_empty(), "{statement}");
            assert_eq!(found, expected, "{statement}");
        }
    }
}

/// The rows of each partition.
fn sorted(partitions: Vec<Vec<RecordBatch>>) -> Vec<String> {
    let rows = partitions.iter().map(|batches| {
        let text = datafusion::arrow::util::pretty::pretty_format_batches(batches).unwrap().to_string();
        let mut lines = text.lines().map(str::to_owned).collect::<Vec<_>>();
        lines.sort_unstable();
        lines.join("\n")
    });
    rows.collect()
}

#[tokio::test]
async fn plans_over_tfrecord_come_back() {
    let statements = [
        "select * from t",
        "select label, count(*) from t group by label",
        "select count(*) from t",
        "select id as name, label from t where label = 7 and id > 'digit-1'",
        "select id from t where label in (1, 2) or label between 5 and 6 or id is null",
        "select label from t limit 5",
        "select _file, _record, _offset, label from t where _record < 3",
        "select bucket(id, 10), feature_len(image), element_at(image, 3) from t where label < 2",
    ];
    check(&digits(), &statements).await;
}

#[tokio::test]
async fn plans_over_avro_come_back() {
    let options = OpenOptions::new().set("max_depth", 1).unwrap().set("layout", "plain").unwrap();
    let whole = options.open(&fixtures().join("avro/people.avro")).unwrap();
    check(&whole, &["select * from t", "select t.name['first'], age from t where age > 20"]).await;
    let keys = OpenOptions::new().keys(["name.first", "friends[*].age"]);
    let keys = keys.open(&fixtures().join("avro/people.avro")).unwrap();
    check(&keys, &[r#"select "name.first", "friends[*].age" from t"#]).await;
}

/// A file of numbers and structs.
fn parquet(folder: &tempfile::TempDir) -> PathBuf {
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..1000));
    let halves: ArrayRef = Arc::new(Float64Array::from_iter_values((0..1000).map(|n| f64::from(n) / 2.0)));
    let names: ArrayRef = Arc::new(StringArray::from_iter_values((0..1000).map(|n| format!("name {n}"))));
    let field = |name: &str, data_type: &DataType| Arc::new(Field::new(name, data_type.clone(), true));
    let inner = StructArray::from(vec![(field("name", &DataType::Utf8), names)]);
    let inner: ArrayRef = Arc::new(inner);
    let structs = StructArray::from(vec![
        (field("id", &DataType::Int64), Arc::clone(&numbers)),
        (field("inner", inner.data_type()), inner),
    ]);
    let columns = [("n", numbers), ("half", halves), ("s", Arc::new(structs) as ArrayRef)];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = folder.path().join("structs.parquet");
    let options = FormatOptions::default();
    let mut sink = ParquetFormat.sink(file.to_str().unwrap(), &batch.schema(), &options).unwrap();
    sink.write(&batch.into()).unwrap();
    sink.finish().unwrap();
    file
}

#[tokio::test]
async fn plans_over_parquet_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = tfxio_formats::open(&parquet(&folder)).unwrap();
    let statements = [
        "select * from t where n = 3",
        "select s['inner']['name'] as name, s['id'] from t where s['id'] > 990",
        "select s['inner'], n from t limit 3",
        "select count(*) from t where half < 'infinity'::double and half >= 0.5",
        "select sum(n), max(half) from t",
    ];
    check(&dataset, &statements).await;
}

#[tokio::test]
async fn tables_come_back() {
    let context = with_table(digits(), 2);
    let statement = "select label, count(*) from t where _record < 100 group by label order by label";
    let before = context.sql(statement).await.unwrap().into_optimized_plan().unwrap();
    let codec = TfxioCodec::new();
    let bytes = logical_plan_to_bytes_with_extension_codec(&before, &codec).unwrap();
    let worker = worker();
    let after = logical_plan_from_bytes_with_extension_codec(&bytes, &worker.task_ctx(), &codec).unwrap();
    assert_eq!(after.display_indent().to_string(), before.display_indent().to_string());
    let rows = worker.execute_logical_plan(after).await.unwrap().collect().await.unwrap();
    assert_eq!(rows, context.sql(statement).await.unwrap().collect().await.unwrap());
    assert_eq!(rows[0].num_rows(), 10);
}

#[tokio::test]
async fn a_divided_scan_reads_each_record_once() {
    let context = with_table(digits(), 3);
    let before = plan(&context, "select id from t").await;
    let expected = rows(Arc::clone(&before)).await;
    for (tasks, each) in [(1, 3), (2, 2), (3, 1), (5, 1), (0, 3)] {
        let parts = before.downcast_ref::<TfxioExec>().unwrap().divide(tasks);
        assert_eq!(parts.len(), tasks.max(1));
        let mut found = Vec::new();
        for part in parts {
            assert_eq!(part.properties().output_partitioning().partition_count(), each, "{tasks}");
            let codec = TfxioCodec::new();
            let bytes = encode(&codec, &(Arc::new(part) as _)).unwrap();
            found.extend(rows(decode(&codec, &bytes).unwrap()).await);
        }
        found.sort_unstable();
        assert_eq!(found, expected, "{tasks}");
    }
}

/// The rows of a plan, sorted.
async fn rows(plan: Arc<dyn ExecutionPlan>) -> Vec<String> {
    let batches = collect(plan, worker().task_ctx()).await.unwrap();
    let text = datafusion::arrow::util::pretty::pretty_format_batches(&batches).unwrap().to_string();
    let mut rows = text.lines().filter(|line| line.contains("digit-")).map(str::to_owned).collect::<Vec<_>>();
    rows.sort_unstable();
    rows
}

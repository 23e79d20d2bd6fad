//! Plans and tables as bytes: what comes back, and what is refused.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field, SchemaRef};
use datafusion::error::DataFusionError;
use datafusion::physical_plan::statistics::{StatisticsArgs, StatisticsContext};
use datafusion::physical_plan::{ExecutionPlan, collect, collect_partitioned, displayable};
use datafusion::prelude::{SessionConfig, SessionContext, col, lit};
use serde_json::{Value, json};
use tfxio_core::{
    Cancel, Dataset, FileFormat as _, FormatOptions, Input, LocalStore, Partition, Result, Scan, ScanRequest,
    Store,
};
use tfxio_formats::{OpenOptions, ParquetFormat};
use tfxio_sql::datafusion_proto::bytes::{
    logical_plan_from_bytes_with_extension_codec, logical_plan_to_bytes_with_extension_codec,
    physical_plan_from_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
};
use tfxio_sql::datafusion_proto::physical_plan::{DefaultPhysicalProtoConverter, PhysicalExtensionCodec};
use tfxio_sql::{SessionContextExt as _, TableOptions, TfxioCodec, TfxioExec, dataset_error};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn digits() -> Arc<dyn Dataset> {
    tfxio_formats::open(&fixtures().join("digits/digits@3.tfrecord")).unwrap()
}

/// A session with functions over features and one table, `t`.
fn with_table(dataset: Arc<dyn Dataset>, partitions: usize) -> SessionContext {
    let config = SessionConfig::new().with_target_partitions(partitions).with_batch_size(100);
    let context = SessionContext::new_with_config(config);
    context.register_functions();
    let options = TableOptions::new().virtual_columns(true);
    context.register_tfxio_with("t", dataset, &options).unwrap();
    context
}

/// A session of another process: without tables and without functions.
fn worker() -> SessionContext {
    SessionContext::new_with_config(SessionConfig::new().with_batch_size(100))
}

async fn plan(context: &SessionContext, statement: &str) -> Arc<dyn ExecutionPlan> {
    let frame = context.sql(statement).await.unwrap_or_else(|error| panic!("{statement}: {error}"));
    frame.create_physical_plan().await.unwrap()
}

/// The scan of a plan.
fn scan(plan: &Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    match plan.children().first() {
        Some(below) => scan(below),
        None => Arc::clone(plan),
    }
}

fn encode(codec: &TfxioCodec, plan: &Arc<dyn ExecutionPlan>) -> datafusion::error::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    codec.try_encode(scan(plan), &mut bytes, &DefaultPhysicalProtoConverter {})?;
    Ok(bytes)
}

fn decode(codec: &TfxioCodec, bytes: &[u8]) -> datafusion::error::Result<Arc<dyn ExecutionPlan>> {
    codec.try_decode(bytes, &[], &worker().task_ctx(), &DefaultPhysicalProtoConverter {})
}

fn text(error: &DataFusionError) -> String {
    dataset_error(error).unwrap_or_else(|| panic!("{error}")).to_string()
}

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

/// A data set of nothing but memory.
#[derive(Debug)]
struct Memory(Arc<dyn Dataset>);

impl Dataset for Memory {
    fn schema(&self) -> &SchemaRef {
        self.0.schema()
    }

    fn partitions(&self, _: u64) -> Result<Vec<Partition>> {
        Ok(vec![Partition::whole("memory of the test")])
    }

    fn scan(&self, _: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        self.0.scan(&self.0.partitions(u64::MAX)?[0], request)
    }
}

#[tokio::test]
async fn a_data_set_that_no_other_process_can_open_is_named() {
    let context = with_table(Arc::new(Memory(digits())), 2);
    let before = plan(&context, "select label from t").await;
    let error = encode(&TfxioCodec::new(), &before).unwrap_err();
    assert_eq!(
        text(&error),
        "memory of the test: the data set cannot be sent to another process: the data set has no description to open it \
         by in another process; open it with OpenOptions"
    );
    let table = context.sql("select label from t").await.unwrap().into_unoptimized_plan();
    let error = logical_plan_to_bytes_with_extension_codec(&table, &TfxioCodec::new()).unwrap_err();
    assert!(text(&error).starts_with("t: the data set cannot be sent"), "{error}");
}

#[tokio::test]
async fn other_nodes_are_left_to_other_codecs() {
    let context = worker();
    let values = plan(&context, "values (1)").await;
    let error = encode(&TfxioCodec::new(), &values).unwrap_err();
    assert_eq!(
        text(&error),
        "the codec of tfxio encodes scans of data sets, and not DataSourceExec; add a codec that does"
    );
    let error = TfxioCodec::new().try_decode_udf("buckets", &[]);
    assert!(error.unwrap_err().to_string().contains("there is no function buckets here"));
    // `PhysicalExtensionCodec::try_decode` takes no plans below a scan.
    let bytes =
        encode(&TfxioCodec::new(), &plan(&with_table(digits(), 1), "select id from t").await).unwrap();
    let converter = DefaultPhysicalProtoConverter {};
    let error = TfxioCodec::new().try_decode(&bytes, &[values], &context.task_ctx(), &converter).unwrap_err();
    assert!(text(&error).starts_with("a scan of a data set has plans below it"), "{error}");
}

#[tokio::test]
async fn bytes_that_were_cut_or_changed_are_refused() {
    let context = with_table(digits(), 2);
    let codec = TfxioCodec::new();
    let bytes = encode(&codec, &plan(&context, "select id from t where label = 7").await).unwrap();
    assert!(decode(&codec, &bytes).is_ok());
    for end in 0..bytes.len() {
        let error = text(&decode(&codec, &bytes[..end]).unwrap_err());
        assert!(
            error.contains("the bytes do not begin as a scan") || error.contains("was cut"),
            "{end}: {error}"
        );
    }
    for at in 0..bytes.len() {
        for flip in [1, 0x20, 0x80] {
            let mut changed = bytes.clone();
            changed[at] ^= flip;
            assert!(decode(&codec, &changed).is_err(), "byte {at}");
        }
    }
    let changed = |at: usize| {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        text(&decode(&codec, &changed).unwrap_err())
    };
    assert_eq!(
        changed(0),
        "the bytes do not begin as a scan of tfxio does; give the codec of tfxio what it has written, in the order of the \
         codecs that has written it"
    );
    assert_eq!(
        changed(9),
        "the scan was written by version 257 of the codec, and this is version 1; run the same version of tfxio-sql on all \
         machines"
    );
    assert_eq!(
        changed(bytes.len() - 1),
        "the scan was changed on its way: its checksum does not match; send it again"
    );
    assert_eq!(
        text(&decode(&codec, &bytes[..20]).unwrap_err()),
        "the scan was cut: it has 20 bytes, and its head alone 23; send it again"
    );
    let mut joined = bytes.clone();
    joined.push(b' ');
    let error = text(&decode(&codec, &joined).unwrap_err());
    assert!(error.starts_with("the scan was cut or joined: it has "), "{error}");
}

/// A message as the codec writes it.
fn sealed(message: &Value) -> Vec<u8> {
    sealed_text(message.to_string().as_bytes())
}

fn sealed_text(text: &[u8]) -> Vec<u8> {
    let mut bytes = b"tfxioSQL\x01\x00\x01".to_vec();
    bytes.extend(crc32fast::hash(text).to_le_bytes());
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text);
    bytes
}

/// The message of a scan of the labels of the digits.
async fn message() -> Value {
    let context = with_table(digits(), 2);
    let bytes = encode(&TfxioCodec::new(), &plan(&context, "select label from t").await).unwrap();
    serde_json::from_slice(&bytes[23..]).unwrap()
}

#[tokio::test]
async fn a_message_that_says_what_cannot_be_is_refused() {
    let message = message().await;
    let codec = TfxioCodec::new();
    assert!(decode(&codec, &sealed(&message)).is_ok());
    let with = |pointer: &str, value: Value| {
        let mut message = message.clone();
        *message.pointer_mut(pointer).expect(pointer) = value;
        text(&decode(&codec, &sealed(&message)).unwrap_err())
    };
    let cases = [
        ("", json!({}), "the scan cannot be read: missing field"),
        ("", json!([]), "the scan cannot be read: "),
        ("/threads", json!(-1), "the scan cannot be read: invalid value"),
        ("/fetch", json!(1.5), "the scan cannot be read: invalid type"),
        ("/dataset/format", json!("tfrecor"), r#"there is no format of files "tfrecor""#),
        ("/dataset/options", json!({"shema": {"text": "x"}}), "the scan cannot be read: "),
        ("/columns/0/whole/column", json!("lable"), r#"the data set has no column "lable""#),
        ("/columns/0", json!({"virtual": {"column": "_x", "name": "x"}}), r#"rows do not know their "_x""#),
        (
            "/columns/0",
            json!({"nested": {"column": "label", "fields": ["a", "b"], "name": "x"}}),
            r#"the column "label" has no field "a.b" within structs"#,
        ),
        (
            "/columns/0",
            json!({"nested": {"column": "label", "fields": [], "name": "x"}}),
            r#"the column "label" has no field "" within structs"#,
        ),
        ("/sizes", json!([]), "the partitions of the scan and what is known of them do not fit"),
        ("/sizes/0", json!([]), "the partitions of the scan and what is known of them do not fit"),
        ("/filter", json!({"and": [{"not": 1}]}), "the scan cannot be read: "),
    ];
    for (pointer, value, expected) in cases {
        let found = with(pointer, value);
        assert!(found.starts_with(expected), "{pointer}: {found}");
    }
    // An option that the format does not have.
    let mut options = message.clone();
    options["dataset"]["options"] = json!({"shema": "x"});
    let found = text(&decode(&codec, &sealed(&options)).unwrap_err());
    assert!(found.contains(r#"no option "shema""#), "{found}");
    // As deep as one likes.
    let deep = format!(r#"{{"filter":{}"#, r#"{"not":"#.repeat(100_000));
    let found = text(&decode(&codec, &sealed_text(deep.as_bytes())).unwrap_err());
    assert!(found.contains("recursion limit exceeded"), "{found}");
    assert!(text(&decode(&codec, &sealed_text(b"\xff")).unwrap_err()).starts_with("the scan cannot be read"));
}

#[tokio::test]
async fn numbers_are_claims() {
    let mut message = message().await;
    message["threads"] = json!(u32::MAX);
    message["fetch"] = json!(u64::MAX);
    let file = message["dataset"]["files"][0].clone();
    message["partitions"][0] =
        json!([{"file": file, "start": u64::MAX, "end": 0, "skip": u64::MAX, "records": u64::MAX}]);
    message["sizes"][0] = json!([[{"exact": u64::MAX}, {"bound": u64::MAX}]]);
    let after = decode(&TfxioCodec::new(), &sealed(&message)).unwrap();
    assert!(StatisticsContext::default().compute(&*after, &StatisticsArgs::default()).is_ok());
    let error = text(&collect(after, worker().task_ctx()).await.unwrap_err());
    assert!(error.contains("the file ends before record 0"), "{error}");
    message["partitions"][0][0]["file"] = json!("/etc/passwd");
    let error = text(&decode(&TfxioCodec::new(), &sealed(&message)).unwrap_err());
    assert!(error.starts_with("the partition /etc/passwd[18446744073709551615..0]"), "{error}");
    assert!(error.contains("is not of the data set of the scan"), "{error}");
}

#[tokio::test]
async fn conditions_that_are_too_deep_are_refused() {
    let context = with_table(digits(), 1);
    let nested = async |levels: i64| {
        let label = || col("label");
        // `and` and `or` by turns, so that nothing is joined.
        let condition = (0..levels).fold(label().eq(lit(1)), |inner, level| match level % 2 {
            0 => label().gt(lit(level)).and(inner),
            _ => label().lt(lit(level)).or(inner),
        });
        let frame = context.table("t").await.unwrap().filter(condition).unwrap();
        encode(&TfxioCodec::new(), &frame.create_physical_plan().await.unwrap())
    };
    assert!(nested(20).await.is_ok());
    let error = nested(90).await.unwrap_err();
    assert_eq!(
        text(&error),
        "a scan with types or conditions that are nested more than 127 deep cannot be sent to another process; choose \
         columns that are less deep"
    );
}

#[tokio::test]
async fn a_file_that_changed_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("digits.tfrecord");
    let shard = fs::read(fixtures().join("digits/digits-00000-of-00003.tfrecord")).unwrap();
    fs::write(&file, &shard).unwrap();
    let context = with_table(tfxio_formats::open(&file).unwrap(), 2);
    let before = plan(&context, "select id from t").await;
    let (checks, none) = (TfxioCodec::new(), TfxioCodec::new().with_file_checks(false));
    let (checked, unchecked) = (encode(&checks, &before).unwrap(), encode(&none, &before).unwrap());
    // A record less, which nothing else would notice.
    fs::write(&file, &shard[..shard.len() - 332]).unwrap();
    let run = async |bytes: &[u8]| collect(decode(&checks, bytes).unwrap(), worker().task_ctx()).await;
    let error = run(&checked).await.unwrap_err();
    assert_eq!(
        text(&error),
        format!(
            "{}: the file has 198536 bytes here, and had 198868 where the plan was made; let all machines see the same \
             files, and run the statement again",
            file.display()
        )
    );
    assert!(run(&unchecked).await.is_ok());
    fs::remove_file(&file).unwrap();
    assert!(text(&run(&checked).await.unwrap_err()).contains("no such file"));
    assert!(
        text(&encode(&checks, &before).unwrap_err())
            .contains("give the codec the options that opened the files")
    );
}

/// Local files with versions, and a secret to open them.
#[derive(Debug)]
struct Versions {
    secret: &'static str,
    version: Mutex<String>,
}

impl Store for Versions {
    fn list(&self, pattern: &str) -> Result<Vec<Arc<str>>> {
        assert_eq!(self.secret, "hunter2");
        LocalStore.list(pattern)
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        LocalStore.size(name)
    }

    fn open(&self, name: &str, range: Range<u64>, cancel: &Cancel) -> Result<Box<dyn Input>> {
        LocalStore.open(name, range, cancel)
    }

    fn version(&self, _: &str) -> Result<Option<String>> {
        Ok(Some(self.version.lock().unwrap().clone()))
    }
}

#[tokio::test]
async fn stores_stay_where_they_are_and_versions_are_compared() {
    let store = Arc::new(Versions { secret: "hunter2", version: Mutex::new("\"abc\"".to_owned()) });
    let options = OpenOptions::new().store(Arc::clone(&store) as _);
    let dataset = options.open(fixtures().join("digits/digits-00000-of-00003.tfrecord").to_str().unwrap());
    let context = with_table(dataset.unwrap(), 1);
    let codec = TfxioCodec::new().with_options(options);
    let bytes = encode(&codec, &plan(&context, "select id from t").await).unwrap();
    assert!(!String::from_utf8_lossy(&bytes).contains("hunter2"));
    assert!(String::from_utf8_lossy(&bytes).contains("abc"));
    let after = decode(&codec, &bytes).unwrap();
    assert_eq!(collect(after, worker().task_ctx()).await.unwrap().len(), 6);
    *store.version.lock().unwrap() = "\"abd\"".to_owned();
    let error = collect(decode(&codec, &bytes).unwrap(), worker().task_ctx()).await.unwrap_err();
    assert!(
        text(&error).contains(r#"the file is version "abd" here, and was "abc" where the plan was made"#),
        "{error}"
    );
}

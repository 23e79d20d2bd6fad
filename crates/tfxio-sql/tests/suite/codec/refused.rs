//! Plans that cannot be sent to another process.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use datafusion::prelude::{col, lit};
use tfxio_core::{Dataset, Partition, Result, Scan, ScanRequest};
use tfxio_sql::TfxioCodec;
use tfxio_sql::datafusion_proto::bytes::logical_plan_to_bytes_with_extension_codec;
use tfxio_sql::datafusion_proto::physical_plan::{DefaultPhysicalProtoConverter, PhysicalExtensionCodec};

use crate::codec::{digits, encode, plan, text, with_table, worker};

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

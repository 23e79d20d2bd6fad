//! Kind `tfxio_describe` of Parquet files, of which columns are named.

use std::fs::File;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema};
use golden_cases::{Failure, arrow, base64, check, equal};
use parquet::arrow::ArrowWriter;
use serde_json::Value;
use tfxio::Error;
use tfxio::prelude::*;

/// Writes a file that has the features of a schema as columns, in the order of the schema.
fn write(schema: &str, path: &std::path::Path) {
    let value =
        |line: &str, key: &str| line.trim().strip_prefix(key).map(|value| value.trim_matches('"').to_owned());
    let names = schema.lines().filter_map(|line| value(line, "name: "));
    let kinds = schema.lines().filter_map(|line| value(line, "type: "));
    let columns = names.zip(kinds).map(|(name, kind)| {
        let item = match kind.as_str() {
            "INT" => DataType::Int64,
            "FLOAT" => DataType::Float32,
            _ => DataType::LargeBinary,
        };
        Field::new(name, DataType::LargeList(Arc::new(Field::new_list_field(item, true))), true)
    });
    let columns = Arc::new(Schema::new(columns.collect::<Vec<_>>()));
    let writer = ArrowWriter::try_new(File::create(path).unwrap(), columns, None).unwrap();
    writer.close().unwrap();
}

pub(super) fn describe(inputs: &Value, expected: &Value) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let (path, schema) = (folder.path().join("a.parquet"), folder.path().join("schema.pb"));
    std::fs::write(&schema, base64(&inputs["schema"]["b64"])).unwrap();
    write(inputs["schema"]["text"].as_str().expect("a schema"), &path);
    let names = inputs["column_names"].as_array().expect("names").iter();
    let names = names.map(|name| name.as_str().expect("a name")).collect::<Vec<_>>();
    let described = || {
        let options = OpenOptions::new().set("schema", schema.to_str().unwrap())?;
        let dataset = options.open(path.to_str().unwrap())?;
        let partition = dataset.partitions(u64::MAX)?.remove(0);
        let scan = dataset.scan(&partition, &ScanRequest::new().columns(names))?;
        Ok::<_, Error>((Arc::clone(scan.schema()), dataset.representations()?))
    };
    check(described().map_err(Failure::early), expected, |(columns, representations), ok| {
        if inputs["method"] == "ArrowSchema" {
            return equal(columns.fields(), arrow::schema(ok).fields());
        }
        equal(representations, &super::describe::recorded(ok))
    })
}

//! A custom record format: points of two floats in TFRecord files, as rows `x: Float32, y: Float32`. The files are
//! ordinary TFRecord files, with compression, shards, splits and an index. `cargo run -p tfxio --example own_records`
use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::types::Float32Type;
use arrow_array::{Array, ArrayRef, Float32Array, RecordBatch, cast::AsArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use tfxio::prelude::*;
use tfxio::tfrecord_io::FileWriter;
use tfxio::{Error, ErrorKind, FormatOptions, OptionValue, Origin, Projection, RecordDecoder};
use tfxio::{RecordEncoder, RecordFormat, RecordPlan, RecordPlanner};

#[derive(Debug)]
pub(crate) struct PointFormat;

impl RecordFormat for PointFormat {
    fn name(&self) -> &str {
        "points"
    }
    fn planner(&self, _: &FormatOptions) -> tfxio::Result<Box<dyn RecordPlanner>> {
        let fields = ["x", "y"].map(|name| Field::new(name, DataType::Float32, false));
        Ok(Box::new(PointPlan { schema: Arc::new(Schema::new(fields.to_vec())) }))
    }
    fn encoder(&self, schema: &SchemaRef, _: &FormatOptions) -> tfxio::Result<Box<dyn RecordEncoder>> {
        let index = |name| {
            schema.index_of(name).ok().filter(|at| *schema.field(*at).data_type() == DataType::Float32)
        };
        match (index("x"), index("y")) {
            (Some(x), Some(y)) => Ok(Box::new(PointEncoder { x, y })),
            _ => Err(Error::new(ErrorKind::Unsupported, "a point has the columns x and y of 32-bit floats")),
        }
    }
}

#[derive(Debug)]
struct PointPlan {
    schema: SchemaRef,
}

impl RecordPlanner for PointPlan {
    fn needs_records(&self) -> bool {
        false // the schema is always the same; otherwise `push` sees records before `finish`
    }
    fn push(&mut self, _: &[u8], _: Origin<'_>) -> tfxio::Result<()> {
        Ok(())
    }
    fn finish(self: Box<Self>) -> tfxio::Result<Arc<dyn RecordPlan>> {
        Ok(Arc::new(*self))
    }
}

impl RecordPlan for PointPlan {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }
    fn options(&self) -> BTreeMap<String, OptionValue> {
        BTreeMap::new() // what another process must be told, so that it need not look at records again
    }
    fn decoder(&self, request: &ScanRequest) -> tfxio::Result<Box<dyn RecordDecoder + Send>> {
        let projection = Projection::new(&self.schema, request)?;
        Ok(Box::new(PointDecoder { projection, x: Vec::new(), y: Vec::new() }))
    }
}

struct PointDecoder {
    projection: Projection,
    x: Vec<f32>,
    y: Vec<f32>,
}

impl RecordDecoder for PointDecoder {
    fn schema(&self) -> Option<SchemaRef> {
        Some(Arc::clone(self.projection.schema()))
    }
    fn push(&mut self, record: &[u8], origin: Origin<'_>) -> tfxio::Result<()> {
        let ([x, y], []) = record.as_chunks() else {
            let text = format!("a point has 8 bytes, the record has {}", record.len());
            return Err(Error::new(ErrorKind::Malformed, text).at(origin.position()));
        };
        self.x.push(f32::from_le_bytes(*x));
        self.y.push(f32::from_le_bytes(*y));
        Ok(())
    }
    fn rows(&self) -> usize {
        self.x.len()
    }
    fn flush(&mut self) -> tfxio::Result<RecordBatch> {
        let columns = [&mut self.x, &mut self.y].map(std::mem::take).map(Float32Array::from);
        self.projection.batch(columns.map(|column| Arc::new(column) as ArrayRef).to_vec())
    }
}

struct PointEncoder {
    x: usize,
    y: usize,
}

impl RecordEncoder for PointEncoder {
    fn encode(
        &mut self,
        batch: &RecordBatch,
        take: &mut dyn FnMut(&[u8]) -> tfxio::Result<()>,
    ) -> tfxio::Result<()> {
        let [x, y] = [self.x, self.y].map(|at| batch.column(at).as_primitive::<Float32Type>());
        if x.null_count() + y.null_count() > 0 {
            return Err(Error::new(ErrorKind::Unsupported, "a point has no null"));
        }
        for (x, y) in x.values().iter().zip(y.values()) {
            take([x.to_le_bytes(), y.to_le_bytes()].as_flattened())?;
        }
        Ok(())
    }
}

pub(crate) fn main() -> tfxio::Result<()> {
    let formats = tfxio::formats().register_records(PointFormat)?;
    let path = std::env::temp_dir().join(format!("points-{}.tfrecord", std::process::id()));
    let mut writer = FileWriter::create(&path)?;
    for point in [[0.5_f32, 1.0], [2.0, -1.0]] {
        writer.write(point.map(f32::to_le_bytes).as_flattened())?;
    }
    writer.finish()?;
    let dataset = OpenOptions::new().formats(&formats).format("points").open(path.display().to_string())?;
    for batch in dataset.read(ScanRequest::new().columns(["y"]).filter("x > 1".parse()?))? {
        println!("{:?}", batch?);
    }
    std::fs::remove_file(&path)?;
    Ok(())
}

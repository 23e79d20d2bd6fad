//! Avro as a format of files.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use avro_path::encode::EncodePlan;
use tfxio_core::{
    CopyRecords, Dataset, Describe, FileFormat, Files, FormatOptions, Inspect, OptionSpec, Repair, Result,
    Sink,
};
use tfxio_scan::cast::{leaves, meaning, zone_losses};

use super::dataset::AvroDataset;
use super::settings;
use super::sink;

/// Avro object containers: a column for each field of the records, or for each of some
/// [key expressions](avro_path::key).
///
/// ```
/// use tfxio_core::{FileFormat, Files, FormatOptions, ScanRequest};
/// use tfxio_formats::AvroFormat;
/// # let people = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/avro/people.avro");
///
/// let keys = vec!["name.first".to_owned(), "friends[*].age".to_owned()];
/// let options = FormatOptions::default().option("keys", keys);
/// let dataset = AvroFormat.open(Files::local([people])?, &options)?;
/// assert_eq!(dataset.schema().field(1).name(), "friends[*].age");
/// let mut rows = 0;
/// for partition in dataset.partitions(64 << 20)? {
///     let mut scan = dataset.scan(&partition, &ScanRequest::new())?;
///     while let Some(batch) = scan.next_batch()? {
///         rows += batch.num_rows();
///     }
/// }
/// assert_eq!(rows, 2);
/// # Ok::<(), tfxio_core::Error>(())
/// ```
///
/// All files are read with one schema, the one of the first file unless another is given. Files can be cut at any byte, whatever their
/// codec: a block belongs to the partition in which it begins. With several threads, blocks are decompressed and decoded side by side; the
/// batches are the same. Where damage is skipped, one thread reads; records that cannot be decoded are left out and reported: one by one in
/// a block that is not compressed, as one range in a compressed block.
#[derive(Clone, Copy, Debug, Default)]
pub struct AvroFormat;

impl FileFormat for AvroFormat {
    fn name(&self) -> &str {
        "avro"
    }

    fn endings(&self) -> &[&str] {
        &[".avro"]
    }

    fn sniff(&self, first_bytes: &[u8]) -> bool {
        first_bytes.starts_with(b"Obj\x01")
    }

    fn options(&self) -> Vec<OptionSpec> {
        settings::options()
    }

    fn open(&self, files: Files, options: &FormatOptions) -> Result<Arc<dyn Dataset>> {
        let options = options.clone().checked(self.name(), &settings::options())?;
        Ok(Arc::new(AvroDataset::open(files, &options)?))
    }

    fn sink(&self, output: &str, schema: &SchemaRef, options: &FormatOptions) -> Result<Box<dyn Sink>> {
        let options = options.clone().checked(self.name(), &settings::options())?;
        sink::sink(output, schema, &options)
    }

    fn takes(&self, column: &Field, options: &FormatOptions) -> bool {
        // A schema that is given says more than the type of one column.
        let Ok(settings) = settings::encoding(options) else { return true };
        settings.schema.is_some()
            || EncodePlan::builder(&Schema::new(vec![column.clone()]))
                .options(settings.clone())
                .build()
                .is_ok()
    }

    /// Avro has no type of its own for durations and for nanoseconds of a day: their numbers are stored. A schema that is given has
    /// no names of time zones.
    fn losses(&self, column: &Field, options: &FormatOptions) -> Vec<String> {
        let has_zones = settings::encoding(options).is_ok_and(|settings| settings.schema.is_none());
        let mut found = if has_zones { Vec::new() } else { zone_losses(column.data_type()) };
        leaves(column.data_type(), &mut |values| {
            if matches!(values, DataType::Duration(_) | DataType::Time64(TimeUnit::Nanosecond)) {
                found.extend(meaning(values, None).filter(|loss| !found.contains(loss)));
            }
        });
        found
    }

    fn describe(&self) -> Option<&dyn Describe> {
        Some(self)
    }

    fn inspect(&self) -> Option<&dyn Inspect> {
        Some(self)
    }

    fn repair(&self) -> Option<&dyn Repair> {
        Some(self)
    }

    fn copy_records(&self) -> Option<&dyn CopyRecords> {
        Some(self)
    }
}

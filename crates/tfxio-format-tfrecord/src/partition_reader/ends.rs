//! Ends of partitions, and what is lost before them.

use std::sync::Arc;

use tfrecord_io::salvage::SalvageReader;
use tfxio_core::{Count, Error, ErrorKind, Position, Result, Skip};

use super::PartitionReader;
use super::bounded_input::BoundedInput;
use crate::partition_offsets::PartitionOffsets;
use crate::salvage;

impl PartitionReader {
    /// Refuses an end that is not that of the partition.
    pub(super) fn check_end(&self, offset: u64) -> Result<()> {
        let wanted = self.offsets.partition.records;
        if self.is_range && wanted.is_some() && self.left > 0 {
            let partition = &self.offsets.partition;
            let record = self.offsets.record.saturating_add(self.read);
            let what = format!("the file ends before record {record}");
            let position = Position::new().file(Arc::clone(&partition.file)).byte(offset);
            return Err(Error::new(ErrorKind::Malformed, what)
                .help("take the numbers and offsets from the file as it is now")
                .at(position));
        }
        if let Some(holds) = self.holds
            && self.read != holds
        {
            return Err(self.wrong_members(holds));
        }
        let Some(next) = self.ends_at.filter(|next| *next != offset) else { return Ok(()) };
        let partition = &self.offsets.partition;
        let what = format!(
            "the records of the partition {partition} end here, but the next partition begins with a record at byte {next}"
        );
        let help = "either the file is damaged between the two, or its payloads hold TFRecord data themselves; partition it \
                    by an index, which is always exact";
        let position = Position::new().file(Arc::clone(&partition.file)).byte(offset);
        Err(Error::new(ErrorKind::Malformed, what).help(help).at(position))
    }

    pub(super) fn wrong_members(&self, holds: u64) -> Error {
        let partition = &self.offsets.partition;
        let (said, least) = (Count::of(holds, "record"), if self.read > holds { "at least " } else { "" });
        let what = format!("the gzip members say that they hold {said}, and they hold {least}{}", self.read);
        let position = Position::new().file(Arc::clone(&partition.file)).stored_byte(partition.start);
        Error::new(ErrorKind::Malformed, what)
            .help("the file is damaged; copy it again, or read it whole")
            .at(position)
    }
}

/// Reports the damage that a reader has met.
pub(super) fn report(
    reader: &mut SalvageReader<BoundedInput>,
    skip: Option<&Skip>,
    offsets: &PartitionOffsets,
    at_end: bool,
) -> Result<()> {
    let Some(skip) = skip else { return Ok(()) };
    let mut damages = reader.take_damages();
    for damage in &mut damages {
        let added = if damage.compressed { offsets.stored_byte } else { offsets.byte };
        damage.start = damage.start.saturating_add(added);
        damage.end = damage.end.saturating_add(added);
    }
    let file = &offsets.partition.file;
    salvage::add(skip, file, damages, reader.report().unlisted)?;
    if at_end {
        let found = reader.report();
        let framed = found.records.saturating_mul(16).saturating_add(found.payload_bytes);
        skip.end_of_file(file, found.lost_bytes, framed.saturating_add(found.lost_bytes))?;
    }
    Ok(())
}

//! The records of a case's files, in the order in which tensorflow-io's data set reads them.

use std::collections::VecDeque;

use avro_path::container::{Block, ContainerReader};
use avro_path::datum::{DatumReader, SkipPlan};
use avro_path::{AvroSchema, Error, Resolution};

use golden_cases::{Case, base64};

use super::run::number;

/// Result of reading a file, or all files: records of the reader's schema, and the error that ended them early.
#[derive(Default)]
pub(super) struct Records {
    pub(super) records: Vec<Vec<u8>>,
    pub(super) error: Option<String>,
}

/// Reads all records of all files, `at_once` of each in turn if several are read side by side.
pub(super) fn read(case: &Case, reader: Option<&AvroSchema>) -> Records {
    let files = case.inputs["files"].as_array().expect("files");
    let mut files = files.iter().map(|file| file_of(&base64(&file["b64"]), reader)).collect::<VecDeque<_>>();
    let turns = number(case, "num_parallel_reads").unwrap_or(1);
    let mut all = Records::default();
    if turns == 1 {
        for file in files {
            all.records.extend(file.records);
            if file.error.is_some() {
                return Records { error: file.error, ..all };
            }
        }
        return all;
    }
    // As many files at a time, and as many records of each before it is the next one's turn.
    let mut open = files.drain(..turns.min(files.len())).collect::<VecDeque<_>>();
    while let Some(mut file) = open.pop_front() {
        let rest = file.records.split_off(turns.min(file.records.len()));
        all.records.append(&mut file.records);
        if !rest.is_empty() {
            open.push_back(Records { records: rest, ..file });
        } else if file.error.is_some() {
            return Records { error: file.error, ..all };
        } else {
            open.extend(files.pop_front());
        }
    }
    all
}

fn file_of(bytes: &[u8], reader: Option<&AvroSchema>) -> Records {
    let mut records = Records::default();
    if let Err(error) = fill(bytes, reader, &mut records.records) {
        records.error = Some(error.to_string());
    }
    records
}

fn fill(bytes: &[u8], reader: Option<&AvroSchema>, records: &mut Vec<Vec<u8>>) -> Result<(), Error> {
    let mut container = ContainerReader::new(bytes)?;
    let writer = container.header().schema().clone();
    let resolution = Resolution::new(&writer, reader.unwrap_or(&writer))?;
    let plan = SkipPlan::new(&writer);
    while let Some(block) = container.next_block()? {
        of_block(&block, &writer, &plan, &resolution, records)?;
    }
    Ok(())
}

fn of_block(
    block: &Block<'_>,
    writer: &AvroSchema,
    plan: &SkipPlan,
    resolution: &Resolution,
    records: &mut Vec<Vec<u8>>,
) -> Result<(), Error> {
    for record in block.records(writer, plan) {
        let mut resolved = Vec::new();
        resolution.apply(&mut DatumReader::new(record?), &mut resolved)?;
        records.push(resolved);
    }
    Ok(())
}

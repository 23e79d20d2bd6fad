//! Containers that follow another one in the same file.

use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use super::{Reason, SalvageReader};
use crate::container::codec::Decompressor;
use crate::container::frame::{Head, Parsed, Window, is_from_below};
use crate::container::header::{Header, HeaderParser, MAGIC};
use crate::container::input::Mark;
use crate::container::sift::{Sieve, Sifted};
use crate::datum::{DatumReader, SkipPlan};
use crate::schema::AvroSchema;
use crate::{Error, ErrorKind, Resolution, Result};

/// Bytes of a header that is looked for in the middle of a file.
const MOST: usize = 16 << 20;
/// Maximum number of bytes of false headers that are tried: each may be as long as the rest of the file.
const MOST_TRIED: u64 = 256 << 20;

/// A container after the first.
#[derive(Debug)]
pub(super) struct Another {
    turn: Turn,
    /// Offset of the first refused block, and the records of all of them.
    refused: Option<(u64, u64)>,
    /// Buffer for the resolved records of a block.
    resolved: Vec<u8>,
}

/// Treatment of its records.
#[derive(Debug)]
enum Turn {
    /// Kept: they have the same schema.
    Same,
    Resolved(Box<Resolution>),
    /// Lost, for this reason.
    Refused(Arc<str>),
}

/// Returns the treatment of records of one schema that are wanted in another.
fn turn(written: &AvroSchema, wanted: &AvroSchema) -> Turn {
    if written.text() == wanted.text() {
        return Turn::Same;
    }
    match Resolution::new(written, wanted) {
        Ok(resolution) if resolution.is_identity() => Turn::Same,
        Ok(resolution) => Turn::Resolved(Box::new(resolution)),
        Err(error) => {
            let at = error.position().path.as_ref().map_or_else(String::new, |path| format!("at {path}: "));
            Turn::Refused(format!("{at}{}", error.what()).into())
        }
    }
}

impl<R> SalvageReader<R> {
    /// Returns whether another marker than that of the first container ends the blocks.
    pub(super) fn is_foreign(&self) -> bool {
        self.another.is_some() && self.marker != self.first_marker
    }

    /// Returns whether records are resolved to another schema.
    pub(super) fn is_resolved(&self) -> bool {
        matches!(&self.another, Some(Another { turn: Turn::Resolved(_), .. }))
    }
}

impl<R: Read> SalvageReader<R> {
    /// Notes a block whose records are not wanted. Returns whether it is one.
    pub(super) fn refuse(&mut self, head: &Head) -> bool {
        let start = self.input.offset();
        let Some(Another { turn: Turn::Refused(_), refused, .. }) = &mut self.another else { return false };
        let (_, records) = refused.get_or_insert((start, 0));
        *records = records.saturating_add(head.count);
        true
    }

    /// Reports the refused blocks up to here as one damage.
    pub(super) fn settle_refused(&mut self) {
        let Some(another) = &mut self.another else { return };
        let (Some((start, records)), Turn::Refused(why)) = (another.refused.take(), &another.turn) else {
            return;
        };
        let detail =
            format!("its records are not read as those of the first: {why}; cut the file there to read them");
        self.lost = self.lost.saturating_add(records);
        let end = self.input.offset();
        self.lose(start..end, Some(records), Reason::AnotherFile, 0, Some(detail.into()));
    }

    /// Continues with the first container.
    pub(super) fn move_to_first(&mut self) -> Result<()> {
        if self.another.is_some() {
            let header = Arc::clone(&self.header);
            self.use_header(&header)?;
            (self.another, self.marker) = (None, self.first_marker);
        }
        Ok(())
    }

    /// Passes over the header of another container, if one is next, and goes on with its blocks.
    pub(super) fn pass_header(&mut self) -> Result<bool> {
        let Some(header) = self.next_header()? else { return Ok(false) };
        self.settle_refused();
        let start = self.input.offset();
        let turn = turn(header.schema(), self.header.schema());
        let codec = header.codec();
        let detail = match &turn {
            Turn::Same => "another Avro file begins here; its records follow".to_owned(),
            Turn::Resolved(resolution) if resolution.drops_fields() => {
                "another Avro file begins here, with another schema; its records follow, made those of the first schema, without the \
                 fields that it lacks"
                    .to_owned()
            }
            Turn::Resolved(_) => {
                "another Avro file begins here, with another schema; its records follow, made those of the first schema".to_owned()
            }
            Turn::Refused(_) => "another Avro file begins here, with another schema".to_owned(),
        };
        let turn = match self.use_header(&header) {
            Ok(()) => turn,
            // This build lacks the codec.
            Err(error) => Turn::Refused(format!("the codec {codec}: {}", error.what()).into()),
        };
        self.marker = header.sync_marker();
        // The size that the window has is that of memory.
        self.input.take(usize::try_from(header.len()).unwrap_or(usize::MAX));
        let end = self.input.offset();
        self.lose(start..end, Some(0), Reason::AnotherFile, 0, Some(detail.into()));
        self.another = Some(Another { turn, refused: None, resolved: Vec::new() });
        self.after_marker = true;
        Ok(true)
    }

    /// Reads blocks with the codec and the schema of a header.
    fn use_header(&mut self, header: &Header) -> Result<()> {
        self.decompressor = Decompressor::new(header.codec()).map_err(|error| self.position.locate(error))?;
        self.codec = header.codec();
        self.gate.move_to(header);
        let Sieve { limits, values, .. } = self.sieve;
        let (schema, plan) = (header.schema().clone(), SkipPlan::new(header.schema()));
        self.sieve = Sieve { schema, plan, limits, values };
        Ok(())
    }

    /// Returns the header that is next, if there is one.
    fn next_header(&mut self) -> Result<Option<Header>> {
        if !self.input.window().bytes.starts_with(&MAGIC) || self.tried > MOST_TRIED {
            return Ok(None);
        }
        let mut parser = HeaderParser::new(self.schema_limits);
        let parsed = self.input.look(|window: Window<'_>| match parser.parse(window) {
            Ok(Parsed::Need(bytes)) if bytes > MOST => Ok(Parsed::Done(None)),
            Ok(Parsed::Need(bytes)) => Ok(Parsed::Need(bytes)),
            Ok(Parsed::Done(header)) => Ok(Parsed::Done(Some(header))),
            Err(_) => Ok(Parsed::Done(None)),
        });
        let header: Option<Header> = match parsed {
            Err(error) if is_from_below(&error) => return Err(self.position.locate(error)),
            found => found.ok().flatten(),
        };
        if header.is_none() {
            self.tried = self.tried.saturating_add(parser.parsed() as u64);
        }
        Ok(header)
    }

    /// Takes bytes up to where a block may begin: after the next marker, or at the header of another container. Whether there was one;
    /// otherwise everything was taken.
    pub(super) fn skip_to_block(&mut self) -> Result<bool> {
        loop {
            let found = self.input.skip_to(&self.marker, self.tried <= MOST_TRIED);
            match found.map_err(|error| self.position.locate(error))? {
                Some(Mark::Sync) => return Ok(true),
                None => return Ok(false),
                Some(Mark::Header) => {
                    if self.next_header()?.is_some() {
                        return Ok(true);
                    }
                    self.input.take(MAGIC.len());
                }
            }
        }
    }

    /// Resolves the good records of a block to the first schema. Records that do not resolve are lost.
    pub(super) fn resolved(&mut self, sifted: Sifted, start: u64, stored: &Range<usize>, end: u64) -> Sifted {
        let Some(Another { turn: Turn::Resolved(resolution), resolved, .. }) = &mut self.another else {
            return sifted;
        };
        let mut out = std::mem::take(resolved);
        out.clear();
        let bytes = match self.codec {
            crate::container::Codec::Null => {
                self.input.window().bytes.get(stored.clone()).unwrap_or_default()
            }
            _ => &self.data,
        };
        let (mut good, mut lost, mut first) = (0_u64, 0_u64, None::<Error>);
        let most = self.sieve.limits.batch_bytes;
        let mut push = |record: &[u8]| {
            let made = match out.len() as u64 > most {
                // Defaults make records longer.
                true => {
                    Err(Error::new(ErrorKind::LimitExceeded, format!("a block of more than {most} bytes")))
                }
                false => resolution.apply(&mut DatumReader::new(record), &mut out),
            };
            match made {
                Ok(()) => good += 1,
                Err(error) => {
                    lost += 1;
                    first.get_or_insert(error);
                }
            }
        };
        for run in &sifted.runs {
            let mut records = DatumReader::new(bytes.get(run.clone()).unwrap_or_default());
            while !records.rest().is_empty() {
                let record = records.position();
                let ended = self.sieve.plan.skip(self.sieve.schema.root(), &mut records);
                // They were good before.
                if ended.is_err() || records.position() == record {
                    break;
                }
                push(records.since(record));
            }
        }
        // Records without bytes may have some now.
        if sifted.runs.is_empty() {
            (0..sifted.good).for_each(|_| push(&[]));
        }
        if let Some(error) = first {
            let at = error.position().path.as_ref().map_or_else(String::new, |path| format!(", at {path}"));
            let detail = format!("a record{at}: {}", error.what());
            self.lost = self.lost.saturating_add(lost);
            self.lose(start..end, Some(lost), Reason::Records, good, Some(detail.into()));
        }
        // The memory that was used is used again.
        let run = 0..out.len();
        let data = std::mem::replace(&mut self.data, out);
        if let Some(another) = &mut self.another {
            another.resolved = data;
        }
        let runs = if run.is_empty() { Vec::new() } else { vec![run] };
        Sifted { good, runs, bad: sifted.bad, lost_borders: sifted.lost_borders }
    }
}

//! Threads that meet where they seldom would by themselves.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

use arrow_array::RecordBatch;
use tfxio_core::ScanCounts;

use super::{Engine, Halt, Setup, Shared, Start, Worker};
use crate::item::{Chunk, Held};
use crate::source::{IndexFor, PartReader, Parts, Place, Raw, Run};
use crate::stats::Counters;
use crate::{Error, Kind, Result};

/// A part of two pieces, of a record each.
struct TwoPieces(Vec<Arc<str>>);

struct Reader(u64);

impl PartReader for Reader {
    fn read(&mut self) -> Result<Option<Raw>> {
        let first = self.0;
        self.0 += 1;
        let next = Place { record: first + 1, byte: 0 };
        let batch = RecordBatch::new_empty(Arc::new(arrow_schema::Schema::empty()));
        let raw = Raw { batch, records: vec![first], bytes: vec![0], next, cost: ScanCounts::default() };
        Ok((first < 2).then_some(raw))
    }
}

impl Parts for TwoPieces {
    fn names(&self) -> &[Arc<str>] {
        &self.0
    }

    fn size(&self, _: usize) -> Result<Option<u64>> {
        Ok(None)
    }

    fn open(&self, _: usize, _: Place) -> Result<Box<dyn PartReader>> {
        Ok(Box::new(Reader(0)))
    }

    fn fetch(&self, _: usize, _: Vec<Run>) -> Result<Box<dyn PartReader>> {
        Ok(Box::new(Reader(0)))
    }

    fn index(&self, _: usize, _: IndexFor) -> Result<crate::source::PartRecords> {
        Err(Error::new(Kind::Source, "there is no index"))
    }
}

/// Where the two pieces wait for each other.
#[derive(Default)]
struct Meeting {
    second_began: AtomicBool,
    first_was_taken: AtomicBool,
}

fn until(flag: &AtomicBool) {
    while !flag.load(Ordering::SeqCst) {
        std::thread::yield_now();
    }
}

/// Finds an error behind the record of the first piece, while the second is being parsed.
struct Parser(Arc<Meeting>);

impl Worker for Parser {
    fn parse(&mut self, file: u32, raw: Raw) -> (Chunk, Option<Error>) {
        let error = if raw.records == [0] {
            until(&self.0.second_began);
            Some(Error::new(Kind::Record, "what is behind the first record"))
        } else {
            self.0.second_began.store(true, Ordering::SeqCst);
            until(&self.0.first_was_taken);
            None
        };
        let (records, bytes, columns) = (raw.records, raw.bytes, Vec::new());
        (Chunk { file, records, bytes, columns, steps: None, held: Held::default() }, error)
    }
}

/// The numbers of the records that the planner got, and the error at the end.
fn plan(shared: &Shared, meeting: &Meeting, told: &Sender<(Vec<u64>, Option<Error>)>) {
    let feed = shared.open(0, Start::From(Place::default()));
    let mut records = Vec::new();
    let error = loop {
        match shared.next(feed) {
            Ok(Some(parsed)) => records.extend(&parsed.chunk.records),
            Ok(None) | Err(Halt::Stopped) => break None,
            Err(Halt::Failed(error)) => break Some(error),
        }
        meeting.first_was_taken.store(true, Ordering::SeqCst);
        // Both parsers wait when the second piece is parsed.
        while shared.lock().idle.parsers < 2 {
            std::thread::yield_now();
        }
    };
    told.send((records, error)).unwrap();
}

#[test]
fn a_piece_that_is_parsed_late_does_not_hide_the_error_before_it() {
    let meeting = Arc::new(Meeting::default());
    let worker = || -> Box<dyn Worker> { Box::new(Parser(Arc::clone(&meeting))) };
    let setup = Setup {
        parts: Arc::new(TwoPieces(vec![Arc::from("part")])),
        tasks: Arc::default(),
        counters: Arc::new(Counters::default()),
        workers: vec![worker(), worker()],
        helper: worker(),
        assemble: Box::new(|_| Err(Error::new(Kind::Source, "there are no batches"))),
        readers: 1,
        read_ahead: 2,
        parse_ahead: 2,
        prefetch: 1,
    };
    let (tell, told) = channel();
    let at = Arc::clone(&meeting);
    let planner = Mutex::new(tell);
    let engine = Engine::start(setup, move |shared| {
        plan(shared, &at, &planner.into_inner().unwrap());
        Ok(())
    });
    let engine = engine.unwrap();
    let (records, error) = told.recv().unwrap();
    assert_eq!(records, [0]);
    assert!(error.is_some_and(|error| error.is(Kind::Record)));
    drop(engine);
}

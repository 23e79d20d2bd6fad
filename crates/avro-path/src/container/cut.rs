//! Cuts a container into blocks as they are stored, and into runs of them.

use std::io::{Empty, Read, Seek, empty};
use std::ops::Range;
use std::sync::Arc;

use super::block::BlockPlace;
use super::frame::{self, Head, SYNC};
use super::header::Header;
use super::input::{Input, Piece};
use crate::{Error, ErrorKind, Result};

/// Cuts a container into blocks as they are stored.
#[derive(Debug)]
pub(super) struct Frames<R> {
    pub(super) input: Input<R>,
    pub(super) header: Arc<Header>,
    place: BlockPlace,
    /// The most bytes of a block.
    most: u64,
    /// Bytes of the window that the last block has, which was lent.
    taken: usize,
    /// Where in the window its stored bytes are.
    stored: Range<usize>,
    /// Records of what was lent last.
    count: u64,
    next_block: u64,
    /// The first byte at which no block of this reader begins.
    end: u64,
    /// What comes behind the blocks that were lent.
    behind: Option<Error>,
    ended: bool,
}

/// A block as it is stored.
pub(super) struct Frame<'a> {
    pub(super) count: u64,
    pub(super) stored: &'a [u8],
    pub(super) place: &'a BlockPlace,
    pub(super) header: &'a Header,
    /// What is wrong behind the block: then it is in doubt whether this is one.
    pub(super) behind: &'a mut Option<Error>,
    /// Set when nothing may follow.
    pub(super) ended: &'a mut bool,
}

/// Consecutive blocks as they are stored, in memory of their own.
#[derive(Debug)]
pub(super) struct Run {
    piece: Piece,
    /// Where the first one stands.
    place: BlockPlace,
}

impl<R: Read> Frames<R> {
    pub(super) fn new(input: Input<R>, header: Arc<Header>, place: BlockPlace, most: u64) -> Self {
        Self {
            input,
            header,
            place,
            most,
            taken: 0,
            stored: 0..0,
            count: 0,
            next_block: 0,
            end: u64::MAX,
            behind: None,
            ended: false,
        }
    }

    /// The next block. `None` at the end, and after an error.
    pub(super) fn next(&mut self) -> Result<Option<Frame<'_>>> {
        self.advance()?;
        if self.ended {
            return Ok(None);
        }
        let head = match self.head() {
            Ok(Some(head)) => head,
            Ok(None) => {
                self.ended = true;
                return Ok(None);
            }
            Err(error) => match Head::parse(self.input.window(), self.most) {
                Ok(head) if error.kind() == ErrorKind::Sync => {
                    self.behind = Some(self.place.locate(error));
                    head
                }
                _ => {
                    self.ended = true;
                    return Err(self.place.locate(error));
                }
            },
        };
        self.taken = head.whole();
        self.count = head.count;
        self.next_block += 1;
        self.stored = head.length..head.length.saturating_add(head.size);
        let stored = self.input.window().get(self.stored.clone()).unwrap_or_default();
        Ok(Some(Frame {
            count: head.count,
            stored,
            place: &self.place,
            header: &self.header,
            behind: &mut self.behind,
            ended: &mut self.ended,
        }))
    }

    /// The block that [`next`](Self::next) lent last: its records, its stored bytes, its place.
    pub(super) fn last(&self) -> Option<(u64, &[u8], &BlockPlace)> {
        if self.taken == 0 || self.ended {
            return None;
        }
        let stored = self.input.window().get(self.stored.clone()).unwrap_or_default();
        Some((self.count, stored, &self.place))
    }

    /// Blocks of `target` bytes or less, but at least one. `None` at the end, and after an error.
    ///
    /// Of the errors only those of the source are found here. Where a block is damaged, the run ends with what is there
    /// of it, so that who reads the run finds the error. `spare` becomes the memory of what follows.
    pub(super) fn next_run(&mut self, target: usize, spare: Vec<u8>) -> Result<Option<Run>> {
        self.advance()?;
        if self.ended {
            return Ok(None);
        }
        // What was read before an error counts first.
        let failed = self.input.fill_up(target).err();
        let mut bytes = 0;
        while let Some(head) = self.whole_block(bytes) {
            bytes += head.whole();
            self.count = self.count.saturating_add(head.count);
            self.next_block += 1;
        }
        let place = self.place.clone();
        let run = |piece| Some(Run { piece, place });
        if bytes > 0 {
            let piece = self.input.cut(bytes, spare);
            self.behind = failed.map(|error| {
                let at =
                    BlockPlace { number: self.next_block, offset: self.input.offset(), ..self.place.clone() };
                at.locate(error)
            });
            return Ok(run(piece));
        }
        match failed.map_or_else(|| self.head(), Err) {
            Ok(Some(head)) => {
                (self.count, self.next_block) = (head.count, self.next_block + 1);
                Ok(run(self.input.cut(head.whole(), spare)))
            }
            Ok(None) => {
                self.ended = true;
                Ok(None)
            }
            Err(error) if is_from_below(&error) => {
                self.ended = true;
                Err(self.place.locate(error))
            }
            Err(_) => {
                self.ended = true;
                Ok(run(self.input.cut(usize::MAX, spare)))
            }
        }
    }

    /// Takes what was lent.
    fn advance(&mut self) -> Result<()> {
        if let Some(error) = self.behind.take() {
            self.ended = true;
            return Err(error);
        }
        if !self.ended {
            self.input.take(std::mem::take(&mut self.taken));
            let place = &mut self.place;
            place.first_record = place.first_record.saturating_add(std::mem::take(&mut self.count));
            place.offset = self.input.offset();
            place.number = self.next_block;
        }
        Ok(())
    }

    fn head(&mut self) -> Result<Option<Head>> {
        if self.place.offset >= self.end {
            return Ok(None);
        }
        let marker = self.header.sync_marker();
        match read_frame(&mut self.input, 0, &marker, self.most) {
            Err(error) if error.kind() == ErrorKind::Sync && self.place.offset == self.header.len() => {
                Err(match other_marker(&mut self.input, &marker, self.most)? {
                    Some(_) => header_marker(),
                    None => error,
                })
            }
            read => read,
        }
    }

    /// The block behind so many bytes of the window, if all of it is there and nothing is wrong with it.
    fn whole_block(&self, skip: usize) -> Option<Head> {
        if self.place.offset.saturating_add(skip as u64) >= self.end {
            return None;
        }
        let bytes = self.input.window().get(skip..)?;
        let head = Head::parse(bytes, self.most).ok()?;
        let found = bytes.get(head.length.checked_add(head.size)?..)?.first_chunk::<SYNC>()?;
        (*found == self.header.sync_marker()).then_some(head)
    }
}

impl<R: Read + Seek> Frames<R> {
    /// Leaves out the blocks that begin before `start`, and those that begin at `end` or behind it.
    pub(super) fn restrict(&mut self, start: u64, end: u64) -> Result<()> {
        self.end = end;
        if start <= self.header.len() {
            return Ok(());
        }
        // The block at `start` has its marker right before it.
        let from = start.saturating_sub(SYNC as u64).max(self.header.len() - SYNC as u64);
        let marker = self.header.sync_marker();
        match self.input.seek(from).and_then(|()| self.input.skip_past(&marker)) {
            Ok(found) => {
                self.ended = !found;
                Ok(())
            }
            Err(mut error) => {
                error.position_mut().file.clone_from(&self.place.file);
                Err(error)
            }
        }
    }
}

impl Frames<Empty> {
    /// Of no blocks; [`begin`](Self::begin) gives it some.
    pub(super) fn empty(header: Arc<Header>, most: u64) -> Self {
        Self::new(Input::new(empty(), 0), header, BlockPlace::default(), most)
    }

    /// Goes on with a run; gives back the memory of the one before.
    pub(super) fn begin(&mut self, run: Run) -> Vec<u8> {
        self.next_block = run.place.number;
        self.place = run.place;
        (self.taken, self.count, self.behind, self.ended) = (0, 0, None, false);
        self.input.load(run.piece)
    }
}

/// Reads the block that stands behind so many bytes of the window, without taking it. `None` at the end of the source.
pub(super) fn read_frame<R: Read>(
    input: &mut Input<R>,
    skip: usize,
    marker: &[u8; SYNC],
    most: u64,
) -> Result<Option<Head>> {
    let bytes = input.fill(skip.saturating_add(frame::MOST))?.get(skip..).unwrap_or_default();
    if bytes.is_empty() {
        return Ok(None);
    }
    let head = Head::parse(bytes, most)?;
    let bytes = input.fill(skip.saturating_add(head.whole()))?;
    let sync = skip.saturating_add(head.length).saturating_add(head.size);
    match bytes.get(sync..).and_then(<[u8]>::first_chunk) {
        None => Err(Error::new(
            ErrorKind::Truncated,
            format!("the file ends within a block of {} bytes", head.size),
        )
        .with_hint("the file is not complete; copy it again, or salvage what is there")),
        Some(found) if found != marker => {
            Err(Error::new(ErrorKind::Sync, "the file's sync marker does not stand behind the block")
                .with_hint("the file is damaged here; salvage reads what follows"))
        }
        Some(_) => Ok(Some(head)),
    }
}

/// Maximum number of bytes that are looked at to find out which marker is right.
const VOTE_BYTES: usize = 4 << 20;

/// The marker with which the first blocks of the window end, where two of them agree on another one than the header's:
/// then that is damaged. A header's marker that stands anywhere in the next bytes is right.
pub(super) fn other_marker<R: Read>(
    input: &mut Input<R>,
    marker: &[u8; SYNC],
    most: u64,
) -> Result<Option<[u8; SYNC]>> {
    let mut found = Vec::new();
    let mut skip = 0_usize;
    // One of them may be damaged itself.
    while found.len() < 3 && skip < VOTE_BYTES {
        let bytes = input.fill(skip.saturating_add(frame::MOST))?.get(skip..).unwrap_or_default();
        let Ok(head) = Head::parse(bytes, most) else { break };
        if head.count == 0 || !found.is_empty() && head.whole() > 4 * VOTE_BYTES {
            break;
        }
        skip = skip.saturating_add(head.whole());
        let end = input.fill(skip)?.get(..skip).and_then(<[u8]>::last_chunk::<SYNC>).copied();
        let Some(end) = end.filter(|end| end != marker) else { return Ok(None) };
        if found.contains(&end) {
            let bytes = input.fill(VOTE_BYTES)?;
            let is_right = bytes.windows(SYNC).any(|window| window == marker);
            return Ok((!is_right).then_some(end));
        }
        found.push(end);
    }
    Ok(None)
}

fn header_marker() -> Error {
    let what = "the sync marker in the file's header is damaged: the blocks end with another one";
    Error::new(ErrorKind::Sync, what).with_hint("the blocks may be whole; salvage reads them")
}

/// Whether the source failed, not what is in it.
pub(super) fn is_from_below(error: &Error) -> bool {
    !matches!(
        error.kind(),
        ErrorKind::Truncated | ErrorKind::Sync | ErrorKind::Block | ErrorKind::LimitExceeded
    )
}

//! Our own inflater: the window is the output itself, so that nothing is copied twice.
//!
//! zlib's interface keeps a window of its own, because its caller may take the output away; it fills it by copying the
//! end of each call's output. A reader of records has the last 32 KiB in its buffer anyway. With those in place, and
//! with what libdeflate does for whole buffers (one look-up for most symbols, 64 bits of input at a time, matches
//! copied in words), a stream inflates a fifth faster than with zlib-rs. All in safe code.

use super::super::stream::Step;
use super::table::{self, END, LITERAL, SPECIAL, TABLE, Table};
use super::{Corrupt, Inflate};

/// How far back a distance can reach.
pub(crate) const HISTORY: usize = 32 << 10;

const LITERALS: usize = 1 << 11;
const DISTANCES: usize = 1 << 9;
const PRECODES: usize = 1 << 7;

/// Input that the fast loop may look at in one turn: three refills, each of which moves on by seven bytes at most and
/// looks at eight.
const INPUT_MARGIN: usize = 32;
/// Output that it may write in one turn: three literals, a match of 258 bytes, and up to 16 bytes too many.
const OUTPUT_MARGIN: usize = 3 + 258 + 16;

/// Where in a stream the inflater stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before the three bits of a block's header.
    Block,
    /// Before the length of a stored block.
    StoredLength,
    /// Inside a stored block, so many bytes to go.
    Stored(usize),
    /// Before the three counts of a block with codes of its own.
    Counts,
    /// Reading the lengths of the codes for lengths; the next one's number.
    Precode(usize),
    /// Reading the lengths of the codes; the next one's number.
    Lengths(usize),
    /// Inside a block with codes.
    Symbols,
    /// Inside a match that did not fit the output.
    Copy {
        length: usize,
        distance: usize,
    },
    Done,
}

/// Why the slow path stopped.
enum Stop {
    NeedInput,
    OutputFull,
    Corrupt(&'static str),
}

/// An inflater for one raw deflate stream after the other.
#[derive(Debug)]
pub(crate) struct Windowed {
    state: State,
    /// Whether the block at hand is the last.
    last: bool,
    /// Bits that were taken from the input and not used; between symbols fewer than eight.
    bits: u64,
    count: u32,
    /// Bytes that came out of this stream, which a distance must not exceed.
    total: u64,
    literal_count: usize,
    distance_count: usize,
    precode_count: usize,
    lengths: [u8; 288 + 32 + 138],
    precode: Table<PRECODES>,
    literals: Table<LITERALS>,
    distances: Table<DISTANCES>,
}

impl Windowed {
    pub(crate) fn new() -> Self {
        Self {
            state: State::Block,
            last: false,
            bits: 0,
            count: 0,
            total: 0,
            literal_count: 0,
            distance_count: 0,
            precode_count: 0,
            lengths: [0; 288 + 32 + 138],
            precode: Table::new(),
            literals: Table::new(),
            distances: Table::new(),
        }
    }
}

impl Inflate for Windowed {
    fn inflate(&mut self, input: &[u8], out: &mut [u8], filled: usize) -> Result<Step, Corrupt> {
        let pos = filled.min(out.len());
        let mut run = Run { input, at: 0, out, pos, floor: 0 };
        // The first byte of this stream in `out`, if it is still there.
        run.floor = run.pos.saturating_sub(usize::try_from(self.total).unwrap_or(usize::MAX));
        let start = run.pos;
        let result = self.run(&mut run);
        let step = Step { consumed: run.at, produced: run.pos - start };
        self.total = self.total.saturating_add(step.produced as u64);
        match result {
            Ok(()) | Err(Stop::NeedInput | Stop::OutputFull) => Ok(step),
            Err(Stop::Corrupt(what)) => {
                Err(Corrupt::new(format!("the deflate stream is corrupt: {what}"), step))
            }
        }
    }

    fn is_done(&self) -> bool {
        self.state == State::Done
    }

    fn reset(&mut self) {
        self.state = State::Block;
        self.last = false;
        self.bits = 0;
        self.count = 0;
        self.total = 0;
    }
}

/// Input and output of one call.
struct Run<'a> {
    input: &'a [u8],
    at: usize,
    out: &'a mut [u8],
    pos: usize,
    /// Distances must not reach before this.
    floor: usize,
}

impl Windowed {
    fn run(&mut self, run: &mut Run<'_>) -> Result<(), Stop> {
        loop {
            match self.state {
                State::Block => self.block(run)?,
                State::StoredLength => {
                    // The rest of the byte is not used.
                    let skip = self.count % 8;
                    self.consume(skip);
                    let both = self.peek(run, 32)?;
                    let (length, check) = (both & 0xffff, both >> 16);
                    if length != !check & 0xffff {
                        return Err(Stop::Corrupt(
                            "the length of a stored block does not match its complement",
                        ));
                    }
                    self.consume(32);
                    self.state = State::Stored(length as usize);
                }
                State::Stored(left) => self.stored(run, left)?,
                State::Counts => {
                    let counts = self.peek(run, 14)?;
                    self.literal_count = (counts & 0x1f) as usize + 257;
                    self.distance_count = (counts >> 5 & 0x1f) as usize + 1;
                    self.precode_count = (counts >> 10) as usize + 4;
                    if self.literal_count > 286 || self.distance_count > 30 {
                        return Err(Stop::Corrupt("a block has too many codes"));
                    }
                    self.consume(14);
                    self.lengths.fill(0);
                    self.state = State::Precode(0);
                }
                State::Precode(index) => self.precode_length(run, index)?,
                State::Lengths(index) => self.code_lengths(run, index)?,
                State::Symbols => {
                    self.symbols(run)?;
                }
                State::Copy { length, distance } => self.copy(run, length, distance)?,
                State::Done => return Ok(()),
            }
        }
    }

    /// The next `n` bits, at most 32, without consuming them.
    #[inline]
    fn peek(&mut self, run: &mut Run<'_>, n: u32) -> Result<u64, Stop> {
        while self.count < n {
            self.take_byte(run)?;
        }
        Ok(self.bits & ((1 << n) - 1))
    }

    #[inline]
    fn take_byte(&mut self, run: &mut Run<'_>) -> Result<(), Stop> {
        let Some(&byte) = run.input.get(run.at) else { return Err(Stop::NeedInput) };
        run.at += 1;
        self.bits |= u64::from(byte) << self.count;
        self.count += 8;
        Ok(())
    }

    #[inline]
    fn consume(&mut self, n: u32) {
        self.bits >>= n;
        self.count -= n;
    }

    fn block(&mut self, run: &mut Run<'_>) -> Result<(), Stop> {
        let header = self.peek(run, 3)?;
        self.state = match header >> 1 {
            0 => State::StoredLength,
            1 => {
                self.lengths.fill(8);
                self.lengths[144..256].fill(9);
                self.lengths[256..280].fill(7);
                self.lengths[288..].fill(5);
                self.literal_count = 288;
                self.distance_count = 32;
                self.build_tables()?;
                State::Symbols
            }
            2 => State::Counts,
            _ => return Err(Stop::Corrupt("a block is of a type that does not exist")),
        };
        self.last = header & 1 == 1;
        self.consume(3);
        Ok(())
    }

    fn end_block(&mut self) {
        self.state = if self.last { State::Done } else { State::Block };
    }

    fn stored(&mut self, run: &mut Run<'_>, left: usize) -> Result<(), Stop> {
        // No whole byte is held back here: the length ended at one.
        let input = run.input.get(run.at..).unwrap_or_default();
        let out = run.out.get_mut(run.pos..).unwrap_or_default();
        let count = left.min(input.len()).min(out.len());
        if let (Some(place), Some(bytes)) = (out.get_mut(..count), input.get(..count)) {
            place.copy_from_slice(bytes);
        }
        let (no_input, no_output) = (input.len() == count, out.len() == count);
        run.at += count;
        run.pos += count;
        self.state = State::Stored(left - count);
        if left == count {
            self.end_block();
            Ok(())
        } else if no_input {
            Err(Stop::NeedInput)
        } else if no_output {
            Err(Stop::OutputFull)
        } else {
            Ok(())
        }
    }

    fn precode_length(&mut self, run: &mut Run<'_>, index: usize) -> Result<(), Stop> {
        /// The order in which they stand (RFC 1951, section 3.2.7).
        const ORDER: [u8; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
        if index < self.precode_count {
            let length = self.peek(run, 3)? as u8;
            if let Some(place) =
                ORDER.get(index).and_then(|&symbol| self.lengths.get_mut(usize::from(symbol)))
            {
                *place = length;
            }
            self.consume(3);
            self.state = State::Precode(index + 1);
            return Ok(());
        }
        if !self.precode.build(&self.lengths[..19], |symbol| (symbol as u32) << 16)
            // A single code is incomplete, which is in order for distances only.
            || self.precode.first.contains(&SPECIAL)
        {
            return Err(Stop::Corrupt("the codes of the code lengths make no sense"));
        }
        self.lengths.fill(0);
        self.state = State::Lengths(0);
        Ok(())
    }

    fn code_lengths(&mut self, run: &mut Run<'_>, mut index: usize) -> Result<(), Stop> {
        let all = self.literal_count + self.distance_count;
        while index < all {
            self.state = State::Lengths(index);
            let (entry, repeated) = loop {
                let entry = self.precode.find(self.bits);
                let extra = match table::base(entry) {
                    16 => 2,
                    17 => 3,
                    18 => 7,
                    _ => 0,
                };
                let needed = table::bits(entry) + extra;
                if needed <= self.count {
                    let repeated = (self.bits >> table::bits(entry) & ((1 << extra) - 1)) as usize;
                    self.consume(needed);
                    break (entry, repeated);
                }
                self.take_byte(run)?;
            };
            let (length, times) = match table::base(entry) {
                16 if index == 0 => return Err(Stop::Corrupt("a code length repeats one before the first")),
                16 => (self.lengths.get(index - 1).copied().unwrap_or(0), 3 + repeated),
                17 => (0, 3 + repeated),
                18 => (0, 11 + repeated),
                length => (length as u8, 1),
            };
            // The array is longer than the longest repetition at its last place.
            if let Some(places) = self.lengths.get_mut(index..index + times) {
                places.fill(length);
            }
            index += times;
        }
        if index > all {
            return Err(Stop::Corrupt("code lengths repeat beyond their end"));
        }
        // Distances have a place of their own, behind the largest number of literals.
        let (literals, distances) = (self.literal_count, self.distance_count);
        self.lengths.copy_within(literals..literals + distances, 288);
        self.build_tables()?;
        self.state = State::Symbols;
        Ok(())
    }

    fn build_tables(&mut self) -> Result<(), Stop> {
        let literals = self.lengths.get(..self.literal_count).unwrap_or_default();
        let distances = self.lengths.get(288..288 + self.distance_count).unwrap_or_default();
        if literals.get(256).is_none_or(|&length| length == 0) {
            return Err(Stop::Corrupt("a block has no code for its end"));
        }
        if !self.literals.build(literals, literal) {
            return Err(Stop::Corrupt("the codes of literals and lengths make no sense"));
        }
        if !self.distances.build(distances, distance) {
            return Err(Stop::Corrupt("the codes of distances make no sense"));
        }
        Ok(())
    }

    /// Decodes symbols until the block ends or something runs out.
    fn symbols(&mut self, run: &mut Run<'_>) -> Result<(), Stop> {
        loop {
            // The fast loop gives back whole bytes that it did not use, which must be this call's.
            if self.count < 8
                && run.input.len() - run.at >= INPUT_MARGIN
                && run.out.len() - run.pos >= OUTPUT_MARGIN
                && self.fast(run)?
            {
                self.end_block();
                return Ok(());
            }
            match self.one_symbol(run)? {
                State::Symbols => {}
                state => {
                    self.state = state;
                    if state == State::Done {
                        self.end_block();
                    }
                    return Ok(());
                }
            }
        }
    }

    /// One literal, one match, or the end of the block (`Done`), taking no byte of input that is not needed for it.
    fn one_symbol(&mut self, run: &mut Run<'_>) -> Result<State, Stop> {
        if run.pos >= run.out.len() {
            return Err(Stop::OutputFull);
        }
        loop {
            let entry = self.literals.find(self.bits);
            let used = table::bits(entry);
            if used > self.count {
                self.take_byte(run)?;
                continue;
            }
            if entry & LITERAL != 0 {
                if let Some(place) = run.out.get_mut(run.pos) {
                    *place = (entry >> 16) as u8;
                }
                run.pos += 1;
                self.consume(used);
                return Ok(State::Symbols);
            }
            if entry & SPECIAL != 0 {
                if entry & END != 0 {
                    self.consume(used);
                    return Ok(State::Done);
                }
                // Bits that are missing look like zeros, so this is certain only when all are there.
                if self.count < 15 {
                    self.take_byte(run)?;
                    continue;
                }
                return Err(Stop::Corrupt("a code stands for nothing"));
            }
            let length = base_and_extra(entry, self.bits);
            let next = self.bits >> used;
            let entry = self.distances.find(next);
            let used = used + table::bits(entry);
            if used > self.count {
                self.take_byte(run)?;
                continue;
            }
            if entry & SPECIAL != 0 {
                if self.count < used + 15 {
                    self.take_byte(run)?;
                    continue;
                }
                return Err(Stop::Corrupt("a code of a distance stands for nothing"));
            }
            let distance = base_and_extra(entry, next);
            if distance > run.pos - run.floor {
                return Err(Stop::Corrupt("a distance reaches before the start of the stream"));
            }
            self.consume(used);
            return Ok(State::Copy { length, distance });
        }
    }

    /// Copies a match, as far as the output goes.
    fn copy(&mut self, run: &mut Run<'_>, length: usize, distance: usize) -> Result<(), Stop> {
        let count = length.min(run.out.len() - run.pos);
        for at in run.pos..run.pos + count {
            run.out[at] = run.out[at - distance];
        }
        run.pos += count;
        if count < length {
            self.state = State::Copy { length: length - count, distance };
            return Err(Stop::OutputFull);
        }
        self.state = State::Symbols;
        Ok(())
    }

    /// Decodes symbols while there is plenty of input and of room. Returns whether the block has ended.
    fn fast(&mut self, run: &mut Run<'_>) -> Result<bool, Stop> {
        let input = run.input;
        let out = &mut *run.out;
        let (mut at, mut pos) = (run.at, run.pos);
        let (mut bits, mut count) = (self.bits, self.count);
        let first = &*self.literals.first;
        let mut result = Ok(false);
        let input_end = input.len() - INPUT_MARGIN;
        let output_end = out.len() - OUTPUT_MARGIN;

        // Fills `bits` up to 56 at least. Some of the bits above `count` are already right; setting them again does
        // no harm. The margin makes sure that there is input.
        macro_rules! refill {
            () => {
                if let Some(word) = input.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
                    bits |= u64::from_le_bytes(*word) << count;
                    at += (63 - count as usize) >> 3;
                    count |= 56;
                }
            };
        }
        macro_rules! consume {
            ($entry:expr) => {
                bits >>= table::bits($entry);
                count -= table::bits($entry);
            };
        }
        macro_rules! put {
            ($entry:expr) => {
                out[pos] = ($entry >> 16) as u8;
                pos += 1;
            };
        }

        // Each turn begins with `entry` looked up and not consumed, so that `break` and the end leave all in order.
        refill!();
        let mut entry = first[bits as usize & (LITERALS - 1)];
        while at <= input_end && pos <= output_end {
            if entry & LITERAL != 0 {
                consume!(entry);
                put!(entry);
                entry = first[bits as usize & (LITERALS - 1)];
                if entry & LITERAL != 0 {
                    consume!(entry);
                    put!(entry);
                    entry = first[bits as usize & (LITERALS - 1)];
                    if entry & LITERAL != 0 {
                        consume!(entry);
                        put!(entry);
                        refill!();
                        entry = first[bits as usize & (LITERALS - 1)];
                        continue;
                    }
                }
                // 34 bits are left, and a match can take 48.
                refill!();
            }
            if entry & SPECIAL != 0 {
                if entry & TABLE != 0 {
                    entry = self.literals.find_second(entry, bits >> table::bits(entry)) + table::bits(entry);
                    if entry & LITERAL != 0 {
                        consume!(entry);
                        put!(entry);
                        refill!();
                        entry = first[bits as usize & (LITERALS - 1)];
                        continue;
                    }
                }
                if entry & SPECIAL != 0 {
                    result = if entry & END != 0 {
                        consume!(entry);
                        Ok(true)
                    } else {
                        Err(Stop::Corrupt("a code stands for nothing"))
                    };
                    break;
                }
            }
            let length = base_and_extra(entry, bits);
            consume!(entry);
            let mut found = self.distances.first[bits as usize & (DISTANCES - 1)];
            if found & SPECIAL != 0 {
                if found & TABLE != 0 {
                    found =
                        self.distances.find_second(found, bits >> table::bits(found)) + table::bits(found);
                }
                if found & SPECIAL != 0 {
                    result = Err(Stop::Corrupt("a code of a distance stands for nothing"));
                    break;
                }
            }
            let distance = base_and_extra(found, bits);
            consume!(found);
            if distance > pos - run.floor {
                result = Err(Stop::Corrupt("a distance reaches before the start of the stream"));
                break;
            }
            // The next look-up waits for memory while the match is copied.
            refill!();
            entry = first[bits as usize & (LITERALS - 1)];
            copy_match(out, pos, length, distance);
            pos += length;
        }
        // Give whole bytes back.
        at -= (count / 8) as usize;
        count %= 8;
        self.bits = bits & ((1 << count) - 1);
        self.count = count;
        run.at = at;
        run.pos = pos;
        result
    }
}

/// Base and extra bits of an entry, whose code stands at the start of `bits`.
#[inline(always)]
fn base_and_extra(entry: u32, bits: u64) -> usize {
    let all = bits & ((1 << table::bits(entry)) - 1);
    table::base(entry) + (all >> (table::bits(entry) - table::extra(entry))) as usize
}

/// Copies a match in words, writing up to 16 bytes too many. The caller has made sure of the room, and that
/// `distance` is from 1 to `pos`.
#[inline(always)]
fn copy_match(out: &mut [u8], pos: usize, length: usize, distance: usize) {
    let from = pos - distance;
    if distance >= 16 {
        let mut done = 0;
        while done < length {
            copy_word::<16>(out, from + done, pos + done);
            done += 16;
        }
    } else if distance >= 8 {
        let mut done = 0;
        while done < length {
            copy_word::<8>(out, from + done, pos + done);
            done += 8;
        }
    } else if distance == 1 {
        let byte = out[from];
        if let Some(place) = out.get_mut(pos..pos + length) {
            place.fill(byte);
        }
    } else {
        // Each word makes `distance` bytes right.
        let mut done = 0;
        while done < length {
            copy_word::<8>(out, from + done, pos + done);
            done += distance;
        }
    }
}

#[inline(always)]
fn copy_word<const N: usize>(out: &mut [u8], from: usize, to: usize) {
    let mut word = [0; N];
    word.copy_from_slice(&out[from..from + N]);
    out[to..to + N].copy_from_slice(&word);
}

/// The entry of a literal, a length or the end of a block.
fn literal(symbol: usize) -> u32 {
    const BASES: [u16; 29] = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163,
        195, 227, 258,
    ];
    const EXTRAS: [u8; 29] =
        [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
    match symbol {
        0..256 => LITERAL | (symbol as u32) << 16,
        256 => SPECIAL | END,
        _ => entry(&BASES, &EXTRAS, symbol - 257),
    }
}

/// The entry of a distance.
fn distance(symbol: usize) -> u32 {
    const BASES: [u16; 30] = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049,
        3073, 4097, 6145, 8193, 12289, 16385, 24577,
    ];
    const EXTRAS: [u8; 30] =
        [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13];
    entry(&BASES, &EXTRAS, symbol)
}

/// Symbols beyond the tables exist in fixed codes and must not be used.
fn entry(bases: &[u16], extras: &[u8], symbol: usize) -> u32 {
    match (bases.get(symbol), extras.get(symbol)) {
        (Some(&base), Some(&extra)) => u32::from(base) << 16 | u32::from(extra) << 8 | u32::from(extra),
        _ => SPECIAL,
    }
}

//! gzip, entered again at the next member after a damage.
#![cfg(feature = "gzip")]

use std::io::Read;

use super::input::{Fill, Raw, Scratch};
use super::stream::Break;
use crate::compression::{Compression, StreamDecoder, has_gzip_magic, members};
use crate::{ErrorKind, Limits, Result};

/// The longest member that is kept while it is read, so that the search for the next one can begin at its start. The
/// Length of the longest member that is kept while it is read, so that the search for the next one can begin at its
/// start. The
const MOST_KEPT: usize = 4 << 20;

/// Bytes of a candidate that must inflate before it is taken for a member.
const TRIAL: usize = 16 << 10;

/// Reads members one by one.
#[derive(Debug, Default)]
pub(super) struct GzipInput {
    member: Option<Open>,
    /// Whether a whole member is before the next.
    is_after_member: bool,
    scratch: Scratch,
}

/// A member that is being read.
#[derive(Debug)]
struct Open {
    decoder: StreamDecoder,
    /// Bytes left of it by its header; `None` for members of other writers.
    left: Option<u64>,
    /// The last stored bytes that were used, of this member only.
    kept: Vec<u8>,
}

impl GzipInput {
    pub(super) fn fill<R: Read>(
        &mut self,
        raw: &mut Raw<R>,
        out: &mut Vec<u8>,
        limits: Limits,
    ) -> Result<Fill> {
        loop {
            let Some(member) = &mut self.member else {
                let start = raw.load(members::HEADER_LEN)?;
                if start.is_empty() {
                    return Ok(Fill::End);
                }
                let zeros = start.iter().take_while(|&&byte| byte == 0).count();
                if zeros > 0 {
                    raw.take(zeros);
                    continue;
                }
                if !has_gzip_magic(start) {
                    let is_after_member = self.is_after_member;
                    return self.search(raw, Vec::new(), is_after_member);
                }
                let left = members::parse_header(start).map(|member| member.stored_len);
                self.member =
                    Some(Open { decoder: StreamDecoder::one_member(limits), left, kept: Vec::new() });
                continue;
            };
            let most = member.left.map_or(usize::MAX, |left| usize::try_from(left).unwrap_or(usize::MAX));
            // In chunks, so that what was used can be kept.
            let chunk = raw.load(1)?.len().min(most).min(64 << 10);
            let before = raw.offset;
            let bytes = raw.load(1)?.get(..chunk).unwrap_or_default().to_vec();
            let result = self.scratch.inflate(&mut member.decoder, raw, chunk, out);
            let used = usize::try_from(raw.offset - before).unwrap_or(usize::MAX);
            member.kept.extend_from_slice(bytes.get(..used.min(bytes.len())).unwrap_or_default());
            if member.kept.len() > 2 * MOST_KEPT {
                member.kept.drain(..MOST_KEPT);
            }
            member.left = member.left.map(|left| left.saturating_sub(used as u64));
            let ended = result.is_ok() && member.decoder.is_between_members();
            if ended {
                (self.member, self.is_after_member) = (None, true);
            }
            match result {
                Ok(count) if count > 0 => return Ok(Fill::More),
                Ok(_) if ended => {}
                // The chunk gave nothing by itself.
                Ok(_) if used > 0 => {}
                Err(error) if error.is(ErrorKind::LimitExceeded) || error.kind().is_io() => {
                    return Err(error);
                }
                Ok(_) | Err(_) => {
                    let kept = self.member.take().map(|member| member.kept).unwrap_or_default();
                    return self.search(raw, kept, false);
                }
            }
        }
    }

    /// Finds the next member after the start of the damaged one, whose last bytes are `kept`, or after the bytes that
    /// follow a whole one.
    fn search<R: Read>(&mut self, raw: &mut Raw<R>, kept: Vec<u8>, is_after_member: bool) -> Result<Fill> {
        let noticed = raw.offset;
        self.is_after_member = false;
        // Put back what was used.
        raw.data.drain(..raw.taken);
        raw.data.splice(..0, kept.iter().copied());
        raw.taken = 0;
        raw.offset = raw.offset.saturating_sub(kept.len() as u64);
        raw.take(1);
        let mut is_end = false;
        loop {
            let bytes = raw.load(TRIAL)?;
            let have = bytes.len();
            if have == 0 {
                is_end = true;
                break;
            }
            let Some(at) = bytes.windows(3).position(has_gzip_magic) else {
                // Two bytes of a magic number may stand at the end; they are no member if nothing follows.
                raw.take(if have < TRIAL { have } else { have - 2 });
                continue;
            };
            raw.take(at);
            if begins_member(raw.load(TRIAL)?) {
                break;
            }
            raw.take(1);
        }
        // The next member may begin before the byte at which the damage was noticed.
        let (start, is_trailing) = (noticed.min(raw.offset), is_after_member && is_end);
        Ok(Fill::Break(Break { start, end: raw.offset, is_trailing }))
    }
}

/// Returns whether a member begins here: one with our subfield, or one that inflates for a while.
fn begins_member(bytes: &[u8]) -> bool {
    if members::parse_header(bytes).is_some() {
        return true;
    }
    let Ok(Some(mut decoder)) = StreamDecoder::new(Compression::Gzip, Limits::default()) else {
        return false;
    };
    let mut out = vec![0; 64 << 10];
    let mut used = 0;
    while let Some(rest) = bytes.get(used..TRIAL.min(bytes.len())).filter(|rest| !rest.is_empty()) {
        match decoder.decode(rest, &mut out, 0) {
            Ok(step) if step.consumed == 0 && step.produced == 0 => break,
            Ok(step) => used += step.consumed,
            Err(_) => return false,
        }
    }
    true
}

//! Estimated size of examples, before they are read.

use std::ops::Range;

use tfxio_core::Threading;

use super::plan::windows;
use crate::Result;
use crate::config::{LoaderConfig, Stride};
use crate::feed::Parse;
use crate::source::{Parts, RecordPosition};

/// Number of files whose first records are read.
const FILES: u32 = 8;
/// Assumed bytes of an example where nothing is known.
const UNKNOWN: u64 = 1 << 10;

/// Returns an estimate of the bytes of an example's tensors, by the first records of some files. Overlapping examples
/// count only what each adds.
///
/// It is the same for all hosts and any number of threads.
pub(super) fn example_bytes(
    config: &LoaderConfig,
    parts: &Parts,
    files: &Range<u32>,
    parse: &Parse,
    threading: &Threading,
) -> Result<u64> {
    let threading = threading.clone().threads(1);
    let count = files.end.saturating_sub(files.start);
    let looked_at = count.min(FILES);
    let (mut bytes, mut units) = (0usize, 0usize);
    for nth in 0..looked_at {
        let after = u64::from(nth) * u64::from(count) / u64::from(looked_at);
        let part = files.start.saturating_add(u32::try_from(after).unwrap_or(0));
        let mut reader = parts.part(part as usize)?.open(RecordPosition::default(), &threading)?;
        // What is wrong with a record is said when it is needed.
        let Ok(Some(raw)) = reader.read() else { continue };
        let (chunk, _) = parse(part, raw);
        bytes = bytes.saturating_add(chunk.memory());
        units = units.saturating_add(chunk.units());
    }
    let Some(of_unit) = bytes.checked_div(units) else { return Ok(UNKNOWN) };
    let (_, window, stride) = windows(&config.loader);
    let stride = match stride {
        Stride::Window => window.0,
        Stride::Range { min, .. } => min,
    };
    Ok((of_unit.saturating_mul(stride) as u64).max(1))
}

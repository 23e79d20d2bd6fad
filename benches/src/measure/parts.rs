//! Cutting work into parts, one a thread.

use std::ops::Range;
use std::thread;

use anyhow::{Result, anyhow};

use super::figure::Done;

/// `count` things in `parts` ranges of nearly equal length; as many ranges as parts.
pub(super) fn ranges(count: usize, parts: usize) -> Vec<Range<usize>> {
    let cut = |part: usize| (count as u128 * part as u128 / parts.max(1) as u128) as usize;
    (0..parts).map(|part| cut(part)..cut(part + 1)).collect()
}

/// Runs `work` on each part, in a thread each; a single part in this one.
pub(super) fn run<P: Send>(
    parts: impl IntoIterator<Item = P>,
    work: impl Fn(P) -> Result<Done> + Sync,
) -> Result<Done> {
    let mut parts: Vec<P> = parts.into_iter().collect();
    if parts.len() == 1 {
        return parts.pop().map_or_else(|| Ok(Done::default()), work);
    }
    let work = &work;
    thread::scope(|scope| {
        let threads: Vec<_> = parts.into_iter().map(|part| scope.spawn(move || work(part))).collect();
        let mut sum = Done::default();
        for thread in threads {
            sum = sum + thread.join().map_err(|_| anyhow!("a thread panicked"))??;
        }
        Ok(sum)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cover_everything_once() {
        assert_eq!(ranges(7, 3), [0..2, 2..4, 4..7]);
        assert_eq!(ranges(1, 2), [0..0, 0..1]);
        assert_eq!(ranges(5, 1).len(), 1);
    }

    #[test]
    fn an_error_of_one_thread_is_the_error_of_all() {
        let work =
            |part: u64| if part == 2 { Err(anyhow!("two")) } else { Ok(Done { records: part, bytes: 1 }) };
        assert_eq!(run([1, 3], work).unwrap(), Done { records: 4, bytes: 2 });
        assert_eq!(run([1, 2, 3], work).unwrap_err().to_string(), "two");
    }
}

//! Retries of requests.

use std::fmt;
use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

use object_store::Error as StoreError;
use tfxio_base::Count;

use super::fetch::{ignores_ranges, is_permanent};
use crate::{Error, Result};

/// Number and pauses of retries, for requests that fail in a way that may pass.
///
/// The pauses grow by half of themselves to twice themselves, at random, so that many readers do not come back all at
/// once. A request that makes progress, if only by a byte, starts counting anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retry {
    /// Maximum number of retries without any progress. Default: 8. 0 does not retry.
    pub max_retries: u32,
    /// First pause. Default: 100 ms.
    pub first_pause: Duration,
    /// Longest pause. Default: 15 s.
    pub longest_pause: Duration,
    /// Longest time without a byte, pauses included. Default: one minute.
    pub patience: Duration,
}

impl Retry {
    /// Sets [`Retry::max_retries`].
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.max_retries = retries;
        self
    }

    /// Sets [`Retry::first_pause`].
    pub fn first_pause(mut self, pause: Duration) -> Self {
        self.first_pause = pause;
        self
    }

    /// Sets [`Retry::longest_pause`].
    pub fn longest_pause(mut self, pause: Duration) -> Self {
        self.longest_pause = pause;
        self
    }

    /// Sets [`Retry::patience`].
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    fn pause(&self, attempt: u32) -> Duration {
        let full = self.first_pause.saturating_mul(1u32.checked_shl(attempt).unwrap_or(u32::MAX));
        let full = full.min(self.longest_pause);
        // A number from the standard library's own source of randomness: half to all of the pause.
        let random = RandomState::new().hash_one(attempt) % 512;
        full / 2 + full.saturating_mul(random as u32) / 1024
    }

    /// Waits for what a store does, as long as there is patience.
    pub(super) async fn within<T>(
        &self,
        tries: &Tries,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let left = self.patience.saturating_sub(tries.since.elapsed());
        match tokio::time::timeout(left, work).await {
            Ok(done) => done,
            Err(_) => Err(self.silent(None)),
        }
    }

    /// Waits until a request may be sent again, or returns the error if it may not.
    pub(super) async fn wait(
        &self,
        error: StoreError,
        tries: &mut Tries,
        describe: impl FnOnce(StoreError) -> Error,
    ) -> Result<()> {
        let retries = self.max_retries;
        if is_permanent(&error) || ignores_ranges(&error) || is_silent(&error) {
            return Err(describe(error));
        }
        if tries.attempt >= retries {
            let hint = format!("it went on failing after {}; try again later", Count::of(retries, "retry"));
            return Err(describe(error).help(hint));
        }
        let pause = self.pause(tries.attempt);
        if tries.since.elapsed().saturating_add(pause) >= self.patience {
            return Err(describe(self.silent(Some(error))));
        }
        tokio::time::sleep(pause).await;
        tries.attempt += 1;
        Ok(())
    }

    fn silent(&self, last: Option<StoreError>) -> StoreError {
        StoreError::Generic { store: "store", source: Box::new(Silent { patience: self.patience, last }) }
    }
}

/// Requests since the last that brought something.
#[derive(Debug)]
pub(super) struct Tries {
    attempt: u32,
    since: Instant,
}

impl Tries {
    pub(super) fn new() -> Self {
        Self { attempt: 0, since: Instant::now() }
    }

    /// Begins anew, since something came.
    pub(super) fn go_on(&mut self) {
        *self = Self::new();
    }

    /// Starts the patience anew, since the store has answered, even if only with an answer of before.
    pub(super) fn heard(&mut self) {
        self.since = Instant::now();
    }
}

/// A store from which nothing came for too long.
#[derive(Debug)]
pub(super) struct Silent {
    patience: Duration,
    /// Last error, if there was one.
    last: Option<StoreError>,
}

impl fmt::Display for Silent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.patience.as_secs_f64();
        write!(f, "no byte came for {seconds} second{}", if seconds == 1.0 { "" } else { "s" })
    }
}

impl std::error::Error for Silent {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.last.as_ref().map(|error| error as _)
    }
}

/// Returns whether nothing came for too long.
pub(super) fn is_silent(error: &StoreError) -> bool {
    silence(error).is_some()
}

/// Returns how long nothing came.
pub(super) fn silence(error: &StoreError) -> Option<&Silent> {
    let StoreError::Generic { source, .. } = error else { return None };
    source.downcast_ref()
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            max_retries: 8,
            first_pause: Duration::from_millis(100),
            longest_pause: Duration::from_secs(15),
            patience: Duration::from_secs(60),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_stay_in_their_bounds() {
        let retry = Retry::default();
        for attempt in 0..200 {
            let full = Duration::from_millis(100 << attempt.min(20)).min(Duration::from_secs(15));
            let pause = retry.pause(attempt);
            assert!(full / 2 <= pause && pause <= full, "{attempt}: {pause:?}");
        }
    }
}

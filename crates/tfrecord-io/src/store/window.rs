//! Number of bytes of an object that may be in flight at a time.

use std::time::Duration;

/// A round brought more if its rate is at least this number of fourths of the best one before it.
const MORE_FOURTHS: u128 = 5;
/// Rounds that bring no more before the window stops growing.
const FLAT_ROUNDS: u32 = 2;
/// After this number of rounds at rest, the window tries to grow again: the way may have become faster.
const REST_ROUNDS: u32 = 16;

/// The bytes that may be under way to one reader. It starts with a few requests, grows twofold as long as more bytes under
/// way bring more bytes a second, and rests at twice what the way holds (bytes a second times the latency); a server that
/// refuses halves it. A pure state machine: times are given, and no clock is asked.
///
/// A *round* is the time in which the bytes under way at its beginning arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Window {
    least: u64,
    most: u64,
    bytes: u64,
    /// Bytes that arrived so far.
    arrived: u64,
    round_began: Duration,
    arrived_before_round: u64,
    /// Best rate of a round, in bytes a second.
    best_rate: u128,
    /// Shortest time from a request to its first byte.
    latency: Option<Duration>,
    flat_rounds: u32,
}

/// A request that was answered. Times count from any one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) bytes: u64,
    pub(super) sent: Duration,
    /// From sending the request to its first byte.
    pub(super) latency: Duration,
    pub(super) at: Duration,
    /// Whether the server refused it at first because there were too many.
    pub(super) refused: bool,
}

impl Window {
    /// Begins with `first` bytes; never has less than `least` (one request) and more than `most`.
    pub(super) fn new(first: u64, least: u64, most: u64) -> Self {
        let most = most.max(least);
        Self {
            least,
            most,
            bytes: first.clamp(least, most),
            arrived: 0,
            round_began: Duration::ZERO,
            arrived_before_round: 0,
            best_rate: 0,
            latency: None,
            flat_rounds: 0,
        }
    }

    /// Returns the bytes that may be under way.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Notes an answer.
    pub(super) fn arrived(&mut self, arrival: &Arrival) {
        self.arrived = self.arrived.saturating_add(arrival.bytes);
        self.latency = Some(self.latency.map_or(arrival.latency, |least| least.min(arrival.latency)));
        // Requests that were sent before the round began belong to the one before.
        if arrival.sent < self.round_began || arrival.at <= self.round_began {
            return;
        }
        let time = (arrival.at - self.round_began).as_nanos().max(1);
        let bytes = u128::from(self.arrived - self.arrived_before_round);
        let rate = bytes * 1_000_000_000 / time;
        (self.round_began, self.arrived_before_round) = (arrival.at, self.arrived);
        if bytes.saturating_mul(2) < u128::from(self.bytes) {
            // Little was asked for: a look at a header shows nothing of the way.
            return;
        }
        let brought_more = rate * 4 >= self.best_rate * MORE_FOURTHS;
        self.best_rate = self.best_rate.max(rate);
        self.flat_rounds = if brought_more { 0 } else { self.flat_rounds + 1 };
        if self.flat_rounds < FLAT_ROUNDS {
            self.grow();
        } else if self.flat_rounds == FLAT_ROUNDS {
            self.rest();
        } else if self.flat_rounds >= REST_ROUNDS {
            // Once; it goes on only if that brings more.
            self.flat_rounds = FLAT_ROUNDS - 1;
            self.grow();
        }
    }

    /// Notes that the server refused a request because there are too many.
    pub(super) fn refused(&mut self) {
        self.bytes = (self.bytes / 2).max(self.least);
        self.flat_rounds = FLAT_ROUNDS + 1;
        self.best_rate /= 2;
    }

    fn grow(&mut self) {
        self.bytes = self.bytes.saturating_mul(2).min(self.most);
    }

    /// Takes as much as the way holds twice over.
    fn rest(&mut self) {
        let latency = self.latency.unwrap_or_default().as_nanos();
        let held = u64::try_from(self.best_rate * latency / 1_000_000_000).unwrap_or(u64::MAX);
        self.bytes = held.saturating_add(self.least).saturating_mul(2).clamp(self.least, self.most);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    const PART: u64 = 1 << 20;
    const MOST: u64 = 256 << 20;

    /// A way of this latency and rate, over which parts are requested as the window allows.
    struct Way {
        latency: Duration,
        bytes_a_second: u64,
        now: Duration,
        /// When the way has brought what was requested so far.
        free: Duration,
        under_way: VecDeque<(Duration, Duration)>,
    }

    impl Way {
        fn new(latency_ms: u64, bytes_a_second: u64) -> Self {
            let latency = Duration::from_millis(latency_ms);
            Self {
                latency,
                bytes_a_second,
                now: Duration::ZERO,
                free: Duration::ZERO,
                under_way: VecDeque::new(),
            }
        }

        /// Reads so much; returns bytes a second and the most bytes that were under way.
        fn read(&mut self, window: &mut Window, bytes: u64) -> (u64, u64) {
            let (began, mut left, mut most) = (self.now, bytes / PART, 0);
            while left > 0 || !self.under_way.is_empty() {
                while left > 0
                    && (self.under_way.is_empty()
                        || (self.under_way.len() as u64 + 1) * PART <= window.bytes())
                {
                    let takes = Duration::from_secs_f64(PART as f64 / self.bytes_a_second as f64);
                    self.free = self.free.max(self.now + self.latency) + takes;
                    self.under_way.push_back((self.now, self.free));
                    left -= 1;
                }
                most = most.max(self.under_way.len() as u64 * PART);
                let (sent, at) = self.under_way.pop_front().unwrap();
                self.now = at;
                window.arrived(&Arrival { bytes: PART, sent, latency: self.latency, at, refused: false });
            }
            ((bytes as f64 / (self.now - began).as_secs_f64()) as u64, most)
        }
    }

    #[test]
    fn the_way_is_filled_whatever_its_latency_and_rate() {
        for latency in [1, 16, 64, 250] {
            for megabytes in [5, 50, 500, 1000] {
                let rate = megabytes * 1_000_000;
                let mut way = Way::new(latency, rate);
                let mut window = Window::new(4 * PART, PART, MOST);
                way.read(&mut window, 512 * PART);
                let (reached, most) = way.read(&mut window, 8192 * PART);
                let held = rate * latency / 1000;
                let text = format!("{latency} ms, {megabytes} MB/s: {reached} B/s, {most} bytes under way");
                assert!(reached * 100 >= rate * 85, "{text}");
                // What waits on the way makes nothing faster.
                assert!(most <= held * 5 + 16 * PART, "{text}");
            }
        }
    }

    #[test]
    fn a_look_at_a_header_shows_nothing_of_the_way() {
        let mut window = Window::new(16 * PART, PART, MOST);
        let latency = Duration::from_millis(64);
        let sent = Duration::ZERO;
        window.arrived(&Arrival { bytes: PART / 4, sent, latency, at: latency, refused: false });
        assert_eq!(window.bytes(), 16 * PART);
    }

    #[test]
    fn it_keeps_its_bounds() {
        let mut way = Way::new(64, 1_000_000_000);
        let mut window = Window::new(4 * PART, PART, 8 * PART);
        let (_, most) = way.read(&mut window, 512 * PART);
        assert_eq!(most, 8 * PART);
        for _ in 0..100 {
            window.refused();
        }
        assert_eq!(window.bytes(), PART);
        assert_eq!(Window::new(0, PART, 0).bytes(), PART, "one request always");
    }

    #[test]
    fn a_server_that_refuses_is_asked_for_less_and_then_for_more_again() {
        let mut way = Way::new(64, 500_000_000);
        let mut window = Window::new(4 * PART, PART, MOST);
        way.read(&mut window, 512 * PART);
        let before = window.bytes();
        window.refused();
        assert_eq!(window.bytes(), before / 2);
        way.read(&mut window, 1024 * PART);
        assert!(window.bytes() > before / 2);
    }

    #[test]
    fn a_way_that_becomes_faster_is_filled_again() {
        let mut way = Way::new(64, 20_000_000);
        let mut window = Window::new(4 * PART, PART, MOST);
        way.read(&mut window, 256 * PART);
        way.bytes_a_second = 500_000_000;
        way.read(&mut window, 2048 * PART);
        let (reached, _) = way.read(&mut window, 1024 * PART);
        assert!(reached >= 400_000_000, "{reached}");
    }
}

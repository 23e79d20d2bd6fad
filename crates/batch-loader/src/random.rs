//! Streams of random numbers that stay the same on every machine and in every release.

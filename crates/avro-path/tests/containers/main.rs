//! Containers: files of other writers, damages, round trips, splits, threads.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is how a test fails")]

mod damage;
mod files;
mod made;
mod parts;
mod salvage;
mod writing;

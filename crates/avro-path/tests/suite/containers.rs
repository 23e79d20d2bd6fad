//! Containers: files of other writers, damages and claims that cannot be true, round trips, splits, threads.

mod claims;
mod concatenated;
mod damage;
mod decoder;
mod files;
mod heads;
mod keys;
mod parts;
mod reader;
mod salvage;
mod salvage_damage;
mod salvage_marker;
mod salvage_splits;
mod salvage_values;
mod test_data;
mod threads;
mod values;
mod writing;

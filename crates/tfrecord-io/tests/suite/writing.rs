//! Writers: what they write is read back, by us and by a plain gzip reader; files appear whole or not at all.

#[cfg(feature = "gzip")]
mod compressed;
mod contents;
#[cfg(feature = "gzip")]
mod defaults;
mod files;
mod shards;

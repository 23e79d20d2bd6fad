//! Reading a manifest.

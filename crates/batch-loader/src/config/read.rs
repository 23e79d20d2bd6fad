//! Reading a configuration.

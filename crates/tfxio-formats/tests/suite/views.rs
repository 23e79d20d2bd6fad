//! Views of data sets: rows that satisfy a condition, ranges, several as one, beside each other, and casts.

mod laws;
mod refused;

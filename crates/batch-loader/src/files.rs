//! The files of a data set.

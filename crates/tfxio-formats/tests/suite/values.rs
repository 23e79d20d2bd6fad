//! Columns that are scalars and text.

mod choosing;
mod contradicted;
mod formats;
mod laws;
mod reopened;
mod test_files;

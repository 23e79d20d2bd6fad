//! Statements over data sets, as programs run them.

mod as_text;
mod counting;
mod files;
mod filters;
mod hostile;
mod scan;
mod session;
mod shapes;
mod statements;

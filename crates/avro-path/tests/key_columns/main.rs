//! Columns of key expressions: the examples of the design and of the documentation, every rule, errors, and a plain
//! interpreter beside the program.

mod document;
mod errors;
mod interpreter;
mod oracle;
mod person;
mod render;
mod robustness;
mod rules;
mod tables;

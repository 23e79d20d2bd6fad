//! `measure`: how fast tfxio scans, decodes or encodes a file, as one line of JSON.

use std::process::ExitCode;

use benches::measure::{self, Options};
use clap::Parser;

fn main() -> ExitCode {
    match measure::measure(&Options::parse()).and_then(|figure| figure.to_json()) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("measure: {error:#}");
            ExitCode::FAILURE
        }
    }
}

//! The `tfxio` command: look into, load, index, convert and repair training data.

use std::process::ExitCode;

fn main() -> ExitCode {
    tfxio_cli::run(std::env::args_os(), &tfxio::formats())
}

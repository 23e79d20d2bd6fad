//! Standard output.

use std::io::{self, BufWriter, StdoutLock, Write};

use console::Term;

/// Standard output, locked and buffered; call [`finish`](Output::finish) at the end.
pub(crate) struct Output(BufWriter<StdoutLock<'static>>);

impl Output {
    pub(crate) fn new() -> Self {
        Self(BufWriter::new(io::stdout().lock()))
    }

    /// Writes what is buffered.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Characters that a line of standard output has room for.
pub(crate) fn width() -> usize {
    match Term::stdout().size_checked() {
        Some((_, columns)) if columns > 0 => usize::from(columns),
        // Not a terminal: what most terminals have room for.
        _ => 120,
    }
}

//! Standard output.

use std::io::{self, BufWriter, IsTerminal as _, StdoutLock, Write};

use console::Term;

use crate::table::Styled;
use crate::{escape, progress};

/// Standard output, locked and buffered; call [`finish`](Output::finish) at the end.
pub(crate) struct Output(BufWriter<Screen>);

impl Output {
    pub(crate) fn new() -> Self {
        let out = io::stdout();
        let is_terminal = out.is_terminal();
        Self(BufWriter::new(Screen { out: out.lock(), is_terminal }))
    }

    /// Writes the buffered output.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Standard output, beside which a bar may be on the same terminal.
struct Screen {
    out: StdoutLock<'static>,
    is_terminal: bool,
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_terminal {
            return self.out.write(bytes);
        }
        progress::suspend(bytes.ends_with(b"\n"), || {
            self.out.write_all(bytes).and_then(|()| self.out.flush())
        })?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Write for Output {
    /// Writes text, with what a terminal would act on escaped.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !escape::may_need_it(bytes) {
            return self.0.write(bytes);
        }
        self.0.write_all(escape::lines(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Styled for Output {
    fn styled(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.0, "{line}")
    }
}

/// Characters that a line of standard output has room for.
pub(crate) fn width() -> usize {
    // Not a terminal: what most terminals have room for.
    terminal_width().unwrap_or(120)
}

/// Returns the width of the terminal; `None` if standard output is not one.
pub(crate) fn terminal_width() -> Option<usize> {
    let (_, columns) = Term::stdout().size_checked()?;
    (columns > 0).then(|| usize::from(columns))
}

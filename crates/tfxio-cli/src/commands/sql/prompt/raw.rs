//! The terminal in the mode in which each key is read as it comes.

/// Keeps the terminal in this mode until it is dropped, so that nothing typed meanwhile is shown twice or ends the program.
#[derive(Debug)]
pub(super) struct Raw {
    #[cfg(unix)]
    before: Option<rustix::termios::Termios>,
}

#[cfg(unix)]
impl Raw {
    pub(super) fn new() -> Self {
        use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

        let before = tcgetattr(std::io::stdin()).ok();
        if let Some(before) = &before {
            let mut raw = before.clone();
            raw.make_raw();
            // Lines still end as they do for what the statements print.
            raw.output_modes = before.output_modes;
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Drain, &raw);
        }
        Self { before }
    }
}

#[cfg(unix)]
impl Drop for Raw {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ =
                rustix::termios::tcsetattr(std::io::stdin(), rustix::termios::OptionalActions::Drain, before);
        }
    }
}

#[cfg(not(unix))]
impl Raw {
    /// Does nothing: `console` sets the mode for each key.
    pub(super) fn new() -> Self {
        Self {}
    }
}

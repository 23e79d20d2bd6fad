//! Colour, where it helps and is wanted.

use std::io::{IsTerminal as _, stderr, stdout};

use clap::ValueEnum;
use console::Style;

/// Whether there is colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On terminals, unless NO_COLOR is set; elsewhere where CLICOLOR_FORCE is
    #[default]
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

impl Color {
    /// Decides for standard output and standard error.
    pub(crate) fn decide(self) {
        console::set_colors_enabled(self.is_on(stdout().is_terminal(), variable));
        console::set_colors_enabled_stderr(self.is_on(stderr().is_terminal(), variable));
    }

    /// Whether there is colour, by the variables of [no-color.org](https://no-color.org) and
    /// [bixense.com/clicolors](https://bixense.com/clicolors).
    fn is_on(self, is_terminal: bool, variable: impl Fn(&str) -> Option<String>) -> bool {
        let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty() && value != "0");
        let is_plain = || {
            variable("TERM").is_some_and(|term| term == "dumb")
                || variable("CLICOLOR").is_some_and(|value| value == "0")
        };
        match self {
            Self::Always => true,
            Self::Never => false,
            // Any value counts, 0 as well.
            Self::Auto if variable("NO_COLOR").is_some_and(|value| !value.is_empty()) => false,
            Self::Auto => is_set("CLICOLOR_FORCE") || is_terminal && !is_plain(),
        }
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// A title or the head of a table.
pub(crate) fn head(text: &str) -> String {
    Style::new().bold().apply_to(text).to_string()
}

/// Dims text that only guides the eye, such as rules and `null`.
pub(crate) fn faint(text: &str) -> String {
    Style::new().dim().apply_to(text).to_string()
}

/// The state of a file.
pub(crate) fn state(text: &str) -> String {
    let style = if text == "ok" { Style::new().green() } else { Style::new().red().bold() };
    style.apply_to(text).to_string()
}

/// A paragraph of standard error: the word with which it begins.
pub(crate) fn paragraph(text: &str) -> String {
    let style = Style::new().for_stderr().bold();
    for (word, style) in [("error:", style.clone().red()), ("note:", style.cyan())] {
        if let Some(rest) = text.strip_prefix(word) {
            return format!("{}{rest}", style.apply_to(word));
        }
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::Color;

    #[test]
    fn variables_decide() {
        let is_on = |color: Color, is_terminal, set: &[(&str, &str)]| {
            let variable =
                |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
            color.is_on(is_terminal, variable)
        };
        assert!(is_on(Color::Auto, true, &[]) && !is_on(Color::Auto, false, &[]));
        assert!(
            !is_on(Color::Auto, true, &[("NO_COLOR", "1")]) && is_on(Color::Auto, true, &[("NO_COLOR", "")])
        );
        assert!(is_on(Color::Auto, false, &[("CLICOLOR_FORCE", "1")]));
        assert!(!is_on(Color::Auto, false, &[("CLICOLOR_FORCE", "0")]));
        assert!(!is_on(Color::Auto, false, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
        assert!(
            !is_on(Color::Auto, true, &[("CLICOLOR", "0")]) && !is_on(Color::Auto, true, &[("TERM", "dumb")])
        );
        assert!(is_on(Color::Always, false, &[("NO_COLOR", "1")]) && !is_on(Color::Never, true, &[]));
    }
}

//! Arguments of a command: flags, options with a value, and what is left.

use std::fmt;

/// The words after the command's name.
pub struct Args {
    words: Vec<String>,
}

/// The command was called in a way that it does not know.
#[derive(Debug)]
pub struct Misused(String);

impl fmt::Display for Misused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misused {}

impl Args {
    /// Takes the words after the command's name.
    pub fn new(words: Vec<String>) -> Self {
        Self { words }
    }

    /// Takes the flag out of the words; true if it was there.
    pub fn flag(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word != name);
        self.words.len() != before
    }

    /// Takes `name VALUE` or `name=VALUE` out of the words.
    pub fn option(&mut self, name: &str) -> Result<Option<String>, Misused> {
        let with_equals = format!("{name}=");
        let Some(at) = self.words.iter().position(|word| word == name || word.starts_with(&with_equals))
        else {
            return Ok(None);
        };
        let word = self.words.remove(at);
        if let Some(value) = word.strip_prefix(&with_equals) {
            return Ok(Some(value.to_owned()));
        }
        if at < self.words.len() {
            Ok(Some(self.words.remove(at)))
        } else {
            Err(Misused(format!("{name} needs a value")))
        }
    }

    /// Ends the reading of arguments: anything left is a mistake.
    pub fn finish(self) -> Result<(), Misused> {
        match self.words.first() {
            None => Ok(()),
            Some(word) => Err(Misused(format!("unknown argument `{word}`"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(words: &[&str]) -> Args {
        Args::new(words.iter().map(|&word| word.to_owned()).collect())
    }

    #[test]
    fn takes_flags_and_options_in_any_order() {
        let mut args = args(&["--data", "d", "--check", "--python=p"]);
        assert!(args.flag("--check"));
        assert!(!args.flag("--check"));
        assert_eq!(args.option("--python").unwrap().as_deref(), Some("p"));
        assert_eq!(args.option("--data").unwrap().as_deref(), Some("d"));
        assert_eq!(args.option("--data").unwrap(), None);
        args.finish().unwrap();
    }

    #[test]
    fn says_what_is_wrong() {
        assert_eq!(args(&["--data"]).option("--data").unwrap_err().to_string(), "--data needs a value");
        assert_eq!(args(&["x"]).finish().unwrap_err().to_string(), "unknown argument `x`");
    }
}

//! Names and patterns of files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One name or pattern of files, or several.
pub trait Patterns {
    /// Returns the patterns, in order.
    fn patterns(self) -> Vec<Arc<str>>;
}

macro_rules! patterns {
    ($([$($generics:tt)*] $several:ty);*) => {
        $(impl<$($generics)*> Patterns for $several {
            fn patterns(self) -> Vec<Arc<str>> {
                self.iter().map(|pattern| pattern.as_ref().into()).collect()
            }
        })*
    };
    ($($one:ty),*) => {
        $(impl Patterns for $one {
            fn patterns(self) -> Vec<Arc<str>> {
                vec![Path::new(&self).to_string_lossy().into()]
            }
        })*
    };
}

patterns!(&str, String, &String, &Path, &PathBuf);
patterns!([P: AsRef<str>] &[P]; [P: AsRef<str>] Vec<P>; [P: AsRef<str>] &Vec<P>; [P: AsRef<str>, const N: usize] [P; N]);

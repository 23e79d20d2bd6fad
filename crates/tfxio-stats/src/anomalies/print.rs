//! Anomalies for people.

use std::fmt;

use super::{Anomalies, Anomaly};

impl fmt::Display for Anomaly {
    /// Writes `ERROR feature "a": …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = self.severity().name();
        let kind = self.kind();
        if self.path().is_empty() {
            write!(f, "{severity} data set: {} ({kind})", self.text())
        } else {
            write!(f, "{severity} feature \"{}\": {} ({kind})", self.path(), self.text())
        }
    }
}

impl fmt::Display for Anomalies {
    /// Writes a line for each anomaly, and one that counts them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_data_missing() {
            return writeln!(f, "no examples, so nothing was compared with the schema");
        }
        for anomaly in self.iter() {
            writeln!(f, "{anomaly}")?;
        }
        match self.len() {
            0 => writeln!(f, "no anomalies"),
            1 => writeln!(f, "1 anomaly"),
            count => writeln!(f, "{count} anomalies"),
        }
    }
}

//! Rows on their way out: a line each, or a line a column.

use std::collections::HashSet;
use std::io::Write as _;
use std::ops::Range;

use arrow_array::{Array as _, ArrayRef, RecordBatch};
use arrow_schema::FieldRef;
use tfxio::json::value;
use tfxio::{Batch, Origins};

use crate::args::Layout;
use crate::json::Object;
use crate::leaves::{self, Leaf};
use crate::output::{self, Output};
use crate::table::{Table, counted};
use crate::{Done, cell, width};

/// Rows of a table.
const CHUNK: usize = 4096;
/// Characters of a cell in a table.
const CELL: usize = 44;
/// Characters of a cell that has a line for itself, at most.
const LINE: usize = 90;

/// Rows on their way out.
pub(crate) struct PrintedRows<'a> {
    leaves: &'a [Leaf],
    layout: Layout,
    /// Whether there are several files, so that the number of a record does not identify it.
    files: bool,
    /// Characters of a cell that has a line for itself.
    line: usize,
    /// Values of the rows that are still to be written, in a short form and in a longer one, and what the rows are called.
    cells: Vec<(Vec<(String, String)>, String)>,
    pending: u64,
    shown: u64,
}

impl<'a> PrintedRows<'a> {
    pub(crate) fn new(leaves: &'a [Leaf], layout: Layout, files: bool) -> Self {
        let names = leaves.iter().map(|leaf| width::of(&leaf.name)).max().unwrap_or(0);
        let line = output::width().saturating_sub(names + 2).clamp(CELL, LINE);
        Self { leaves, layout, files, line, cells: Vec::new(), pending: 0, shown: 0 }
    }

    /// Returns the number of rows that were read.
    pub(crate) fn read(&self) -> u64 {
        self.shown.saturating_add(self.pending)
    }

    pub(crate) fn push(&mut self, batch: &Batch, rows: Range<usize>, out: &mut Output) -> Done {
        let columns = leaves::arrays(batch.columns(), self.leaves);
        for row in rows {
            match self.layout {
                Layout::Json => writeln!(out, "{}", json(self.leaves, batch.columns(), &columns, row))?,
                Layout::Table => {
                    let cells = |(field, column): &(FieldRef, ArrayRef)| {
                        (cell::text(field, column, row, CELL), cell::text(field, column, row, self.line))
                    };
                    let title = self.title(batch.origins(), row);
                    self.cells.push((columns.iter().map(cells).collect(), title));
                }
            }
            self.pending += 1;
            if self.pending == CHUNK as u64 {
                self.write(out)?;
            }
        }
        Ok(())
    }

    /// Returns what a row is called: the record that it was.
    fn title(&self, origins: &Origins, row: usize) -> String {
        match origins.get(row) {
            Some(origin) if self.files => format!("{}, record {}", origin.file, origin.record),
            Some(origin) => format!("record {}", origin.record),
            None => format!("row {}", self.read()),
        }
    }

    /// Writes a table with a line a row; where that is too wide, a line a column.
    fn write(&mut self, out: &mut Output) -> Done {
        let rows = std::mem::take(&mut self.cells);
        let (first, count) = (self.shown, std::mem::take(&mut self.pending));
        self.shown += count;
        if rows.is_empty() {
            return Ok(());
        }
        if self.leaves.is_empty() {
            writeln!(out, "{} without columns", counted(count, "record"))?;
            return Ok(());
        }
        if first > 0 {
            writeln!(out)?;
        }
        let table = |of: fn(&(String, String)) -> &String| {
            let mut table = Table::new(self.leaves.iter().map(|leaf| printable(&leaf.name)));
            rows.iter().for_each(|(row, _)| table.push(row.iter().map(of).cloned().collect()));
            table
        };
        let short = table(|(short, _)| short);
        if short.width() <= output::width() {
            short.write(out)?;
        } else {
            table(|(_, long)| long).write_long(out, rows.iter().map(|(_, title)| title))?;
        }
        Ok(())
    }

    /// Writes the remaining rows; with `says_none`, reports a table without rows. Returns the number of rows.
    pub(crate) fn finish(
        &mut self,
        mut out: Output,
        says_none: bool,
    ) -> Result<u64, crate::failure::Failure> {
        self.write(&mut out)?;
        if self.shown == 0 && self.layout == Layout::Table && says_none {
            writeln!(out, "0 records")?;
        }
        out.finish()?;
        Ok(self.shown)
    }
}

/// A row as an object, with an object in it for a column of which fields are shown.
pub(crate) fn json(
    leaves: &[Leaf],
    batch: &RecordBatch,
    columns: &[(FieldRef, ArrayRef)],
    row: usize,
) -> String {
    let mut line = String::new();
    let mut object = Object::new(&mut line);
    let mut written = HashSet::new();
    for (leaf, (field, column)) in leaves.iter().zip(columns) {
        let (Some(name), true) = (leaf.path.steps().first(), leaf.path.len() > 1) else {
            value::json_of(object.key(&leaf.name), field, column, row);
            continue;
        };
        if !written.insert(name) {
            continue;
        }
        let out = object.key(name);
        if batch.column_by_name(name).is_some_and(|fields| fields.is_null(row)) {
            out.push_str("null");
            continue;
        }
        let mut fields = Object::new(out);
        let of_column =
            leaves.iter().zip(columns).filter(|(leaf, _)| leaf.path.steps().first() == Some(name));
        for (leaf, (field, column)) in of_column.filter(|(leaf, _)| leaf.path.len() > 1) {
            value::json_of(fields.key(&leaf.path.suffix(1).to_string()), field, column, row);
        }
        fields.finish();
    }
    object.finish();
    line
}

/// The name of a column, which can be seen.
pub(crate) fn printable(name: &str) -> String {
    // Control characters are escaped in tables.
    if name.is_empty() { "\"\"".to_owned() } else { name.to_owned() }
}

//! Names of columns, and of what is in structs, as options have them.

use std::collections::HashMap;

use tfxio_core::ColumnPath;

/// Returns a path as an option has it: with dots between its steps. A dot or a backslash in a step has a backslash before it.
pub fn name(path: &ColumnPath) -> String {
    let mut name = String::new();
    for step in path.steps() {
        append(&mut name, step);
    }
    name
}

fn append(name: &mut String, step: &str) {
    if !name.is_empty() {
        name.push('.');
    }
    for character in step.chars() {
        if matches!(character, '.' | '\\') {
            name.push('\\');
        }
        name.push(character);
    }
}

/// Paths by the names that select them.
#[derive(Debug)]
pub(super) struct Names<'a> {
    paths: &'a [ColumnPath],
    /// Indices of the paths that begin with the steps of a name.
    by_name: HashMap<String, Vec<usize>>,
    /// Indices of the paths in a column, by its name as it is.
    by_column: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Names<'a> {
    pub(super) fn new(paths: &'a [ColumnPath]) -> Self {
        let (mut by_name, mut by_column) = (HashMap::<_, Vec<_>>::new(), HashMap::<_, Vec<_>>::new());
        for (index, path) in paths.iter().enumerate() {
            let mut name = String::new();
            for step in path.steps() {
                append(&mut name, step);
                by_name.entry(name.clone()).or_default().push(index);
            }
            if let Ok(column) = path.initial_step() {
                by_column.entry(column).or_default().push(index);
            }
        }
        Self { paths, by_name, by_column }
    }

    /// Returns the paths that a name selects: the one of this name, all within it, or, where the name is the literal name of a column, the
    /// paths of the column.
    pub(super) fn of(&self, name: &str) -> impl Iterator<Item = &'a ColumnPath> {
        let found = self.by_name.get(name).or_else(|| self.by_column.get(name));
        found.into_iter().flatten().filter_map(|index| self.paths.get(*index))
    }
}

#[cfg(test)]
mod tests {
    use tfxio_core::ColumnPath;

    use super::{Names, name};

    #[test]
    fn a_name_stands_for_one_path_whatever_its_steps_are() {
        let paths =
            [&["a", "b"][..], &["a.b"], &["a\\", "b"], &["a\\.b"], &["s", "x", "y"], &["s", "x", "z"]];
        let paths = paths.map(|steps| ColumnPath::new(steps.iter().copied()));
        let names = Names::new(&paths);
        for path in &paths {
            assert!(names.of(&name(path)).eq([path]), "{path:?}");
        }
        let found = |text: &str| names.of(text).map(name).collect::<Vec<_>>();
        assert_eq!(found("s"), ["s.x.y", "s.x.z"]);
        assert_eq!(found("s.x"), ["s.x.y", "s.x.z"]);
        assert_eq!(found("s.y"), [""; 0]);
        let one = [ColumnPath::from("k.l")];
        assert!(Names::new(&one).of("k.l").eq(&one));
    }
}

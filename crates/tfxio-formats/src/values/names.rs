//! Names of columns, and of what is in structs, as options have them.

use tfxio_core::ColumnPath;

/// Returns a path as an option has it: with dots between its steps. A dot or a backslash in a step has a backslash before it.
pub(super) fn name(path: &ColumnPath) -> String {
    let escape = |step: &str| step.replace('\\', "\\\\").replace('.', "\\.");
    path.steps().iter().map(|step| escape(step)).collect::<Vec<_>>().join(".")
}

/// Returns those of some paths that a name stands for: the one of this name, all within it, or, where the name is that of a column as
/// it is, those of the column.
pub(super) fn named<'a>(text: &str, paths: &'a [ColumnPath]) -> Vec<&'a ColumnPath> {
    let is_named = |path: &&ColumnPath| (1..=path.len()).any(|steps| name(&prefix(path, steps)) == text);
    let found = paths.iter().filter(is_named).collect::<Vec<_>>();
    if !found.is_empty() {
        return found;
    }
    paths.iter().filter(|path| path.initial_step().is_ok_and(|step| step == text)).collect()
}

fn prefix(path: &ColumnPath, steps: usize) -> ColumnPath {
    ColumnPath::new(path.steps().iter().take(steps).cloned())
}

#[cfg(test)]
mod tests {
    use tfxio_core::ColumnPath;

    use super::{name, named};

    #[test]
    fn a_name_stands_for_one_path_whatever_its_steps_are() {
        let paths =
            [&["a", "b"][..], &["a.b"], &["a\\", "b"], &["a\\.b"], &["s", "x", "y"], &["s", "x", "z"]];
        let paths = paths.map(|steps| ColumnPath::new(steps.iter().copied()));
        for path in &paths {
            assert_eq!(named(&name(path), &paths), [path], "{path:?}");
        }
        let found = |text: &str| named(text, &paths).into_iter().map(name).collect::<Vec<_>>();
        assert_eq!(found("s"), ["s.x.y", "s.x.z"]);
        assert_eq!(found("s.x"), ["s.x.y", "s.x.z"]);
        assert_eq!(found("s.y"), [""; 0]);
        assert_eq!(named("k.l", &[ColumnPath::from("k.l")]), [&ColumnPath::from("k.l")]);
    }
}

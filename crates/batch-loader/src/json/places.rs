//! Where the values of a configuration stood in its text.

use std::collections::HashMap;
use std::sync::Arc;

use super::node::Node;
use super::{Data, Place, Value};
use crate::Error;

/// The places of all values by their paths, and the file. Kept beside what was read from the text, so that errors found
/// later can say where they are. It is no part of what was read: all `Places` are equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places(Option<Arc<Text>>);

#[derive(Debug, Default)]
struct Text {
    file: Option<Arc<str>>,
    places: HashMap<String, Place>,
}

impl PartialEq for Places {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Places {
    pub(crate) fn of(root: &Value, file: Option<Arc<str>>) -> Self {
        let mut places = HashMap::new();
        let mut open = vec![Node::root(root)];
        while let Some(node) = open.pop() {
            match &node.value().data {
                Data::Array(_) => open.extend(node.items()),
                Data::Object(_) => open.extend(node.members()),
                _ => {}
            }
            places.insert(node.path().to_owned(), node.value().place);
        }
        Self(Some(Arc::new(Text { file, places })))
    }

    /// The error with the file, line and column of its path, as far as they are known.
    pub(crate) fn locate(&self, mut error: Error) -> Error {
        let Some(text) = &self.0 else { return error };
        let position = error.position();
        let Some(path) =
            position.json_path.clone().filter(|_| position.line.is_none() && position.file.is_none())
        else {
            return error;
        };
        // A value that is not there counts as standing where what it would be in stands.
        let ends = path.rmatch_indices(['.', '[']).map(|(end, _)| end);
        let mut parts = std::iter::once(path.len()).chain(ends).chain([0]).filter_map(|end| path.get(..end));
        if let Some(place) = parts.find_map(|part| text.places.get(part)) {
            error = place.mark(error);
        }
        match &text.file {
            Some(file) => error.in_file(Arc::clone(file)),
            None => error,
        }
    }
}

//! Values, and the positions in a JSON text that their parts were read from.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::node::Node;
use super::{Data, Place, Value};
use crate::Error;

/// A value, and where its parts stood in the JSON text that it was read from, so that errors found later have a file, a
/// line and a column. Dereferences to the value.
///
/// ```
/// use batch_loader::config::{LoaderConfig, Located};
///
/// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/loader");
/// let mut config = LoaderConfig::from_file(format!("{folder}/digits.json"))?;
/// config.epochs = Some(2);
/// let config: LoaderConfig = config.into_inner();
/// let without_positions = Located::from(config);
/// assert_eq!(without_positions.epochs, Some(2));
/// # Ok::<(), batch_loader::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Located<T> {
    value: T,
    text: Option<Arc<Text>>,
}

#[derive(Debug, Default)]
struct Text {
    file: Option<Arc<str>>,
    places: HashMap<String, Place>,
}

impl<T> Located<T> {
    /// Returns a value that was read from the tree of a text.
    pub(crate) fn new(value: T, root: &Value, file: Option<Arc<str>>) -> Self {
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
        Self { value, text: Some(Arc::new(Text { file, places })) }
    }

    /// Returns the value without the positions.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.value
    }

    /// Moves the positions of the items of a list to their new indexes; `kept` has the old indexes of the kept items,
    /// in order.
    pub(crate) fn move_places(&mut self, key: &str, kept: &[usize]) {
        let Some(text) = &self.text else { return };
        let mut places = HashMap::with_capacity(text.places.len());
        for (path, place) in &text.places {
            let item = path.strip_prefix(key).and_then(|rest| rest.strip_prefix('[')?.split_once(']'));
            let item = item.and_then(|(index, rest)| Some((index.parse::<usize>().ok()?, rest)));
            match item {
                None => _ = places.insert(path.clone(), *place),
                Some((index, rest)) => {
                    if let Ok(now) = kept.binary_search(&index) {
                        places.insert(format!("{key}[{now}]{rest}"), *place);
                    }
                }
            }
        }
        self.text = Some(Arc::new(Text { file: text.file.clone(), places }));
    }

    /// Completes the position of an error that has a path in the JSON ([`Position::json_path`](crate::Position::json_path))
    /// by file, line and column, as far as they are known.
    #[must_use]
    pub fn locate(&self, mut error: Error) -> Error {
        let Some(text) = &self.text else { return error };
        let position = error.position();
        let unlocated = position.line.is_none() && position.file.is_none();
        let Some(path) = position.json_path.clone().filter(|_| unlocated) else { return error };
        // A value that is absent counts as standing where its parent stands.
        let ends = path.rmatch_indices(['.', '[']).map(|(end, _)| end);
        let mut parts = std::iter::once(path.len()).chain(ends).chain([0]).filter_map(|end| path.get(..end));
        if let Some(place) = parts.find_map(|part| text.places.get(part)) {
            error = place.mark(error);
        }
        error.in_file_if_known(text.file.as_ref())
    }
}

impl<T> From<T> for Located<T> {
    fn from(value: T) -> Self {
        Self { value, text: None }
    }
}

impl<T> Deref for Located<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Located<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

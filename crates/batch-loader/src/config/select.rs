//! A configuration with some of its tensors only.

use std::sync::Arc;

use super::{DTypeOf, LoaderConfig, Located, Padding, ShapeOf};

impl Located<LoaderConfig> {
    /// Leaves out the features whose tensors are not named, with the settings of these tensors alone: their steps,
    /// defaults, truncation, normalisation and padding. Returns the names of the tensors that were left out.
    ///
    /// A feature that something else needs stays: one whose shape or dtype another tensor copies, or whose length
    /// decides about batches. Names that do not exist are reported when the loader is built.
    ///
    /// ```
    /// use batch_loader::config::LoaderConfig;
    ///
    /// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/loader");
    /// let mut config = LoaderConfig::from_file(format!("{folder}/digits.json"))?;
    /// let left_out = config.select(&["label".into()]);
    /// assert_eq!((config.tensor_names().len(), &*left_out[0]), (1, "image"));
    /// # Ok::<(), batch_loader::Error>(())
    /// ```
    pub fn select(&mut self, names: &[Arc<str>]) -> Vec<Arc<str>> {
        let needed = self.needed(names);
        let is_kept = |name: &Arc<str>| names.contains(name) || needed.contains(name);
        let all = self.tensor_names();
        self.keep("primary_features", |config| &mut config.primary_features, |of| is_kept(&of.to_name));
        self.keep("secondary_features", |config| &mut config.secondary_features, |of| is_kept(&of.to_name));
        self.keep("processing_steps", |config| &mut config.processing_steps, |of| is_kept(&of.tensor));
        self.keep("window_steps", |config| &mut config.window_steps, |of| is_kept(&of.tensor));
        self.keep("defaults", |config| &mut config.defaults, |of| is_kept(&of.tensor));
        self.keep("truncate", |config| &mut config.truncate, |of| is_kept(&of.tensor));
        self.keep("normalization", |config| &mut config.normalization, |of| is_kept(&of.tensor));
        if let Padding::List(list) = &mut self.padding {
            let kept = positions(list, |of| is_kept(&of.tensor));
            list.retain(|of| is_kept(&of.tensor));
            self.move_places("padding", &kept);
        }
        let left = self.tensor_names();
        all.into_iter().filter(|name| !left.contains(name)).collect()
    }

    /// Returns the names of the tensors that batches, and the tensors of these names, are made by.
    fn needed(&self, names: &[Arc<str>]) -> Vec<Arc<str>> {
        let buckets = self.bucket_by_length.iter().map(|buckets| &buckets.tensor);
        let measured = self.max_tokens.iter().flat_map(|budget| &budget.tensors);
        let made = self.secondary_features.iter().filter(|feature| names.contains(&feature.to_name));
        let copied = made.flat_map(|feature| {
            let shape = match &feature.shape {
                ShapeOf::Tensor(name) | ShapeOf::Steps(name, _) => Some(name),
                ShapeOf::Given(_) => None,
            };
            let dtype = match &feature.dtype {
                DTypeOf::Tensor(name) => Some(name),
                DTypeOf::Given(_) => None,
            };
            shape.into_iter().chain(dtype)
        });
        buckets.chain(measured).chain(copied).cloned().collect()
    }

    /// Keeps the items of a list for which `is_kept` holds, with their positions in the text.
    fn keep<T>(
        &mut self,
        key: &str,
        list: impl Fn(&mut LoaderConfig) -> &mut Vec<T>,
        is_kept: impl Fn(&T) -> bool,
    ) {
        let kept = positions(list(self), &is_kept);
        list(self).retain(is_kept);
        self.move_places(key, &kept);
    }
}

/// Returns where in a list those are that are kept.
fn positions<T>(list: &[T], is_kept: impl Fn(&T) -> bool) -> Vec<usize> {
    list.iter().enumerate().filter(|(_, item)| is_kept(item)).map(|(at, _)| at).collect()
}

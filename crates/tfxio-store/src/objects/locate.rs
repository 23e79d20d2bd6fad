//! Translation of a URL to the store and the object in it, and back.

use tfrecord_io::store::Listing;
use tfxio_core::Error;

use crate::url;

/// Location of a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Location {
    /// URL of the store's root, with a slash at its end.
    pub(super) root: String,
    /// Rest of the URL: the path of an object, or a pattern. Not encoded in any way.
    pub(super) key: String,
    /// Whether URLs of this store are encoded.
    encoded: bool,
}

impl Location {
    /// Returns the location in a store that is registered under a prefix, which ends with a slash, if the URL is below it.
    pub(super) fn below(prefix: &str, url: &str) -> Option<Self> {
        let key = match url.strip_prefix(prefix) {
            Some(key) => key,
            // The root itself.
            None if prefix.strip_suffix('/') == Some(url) => "",
            None => return None,
        };
        Some(Self { root: prefix.to_owned(), key: key.to_owned(), encoded: false })
    }

    /// Returns the location in a store that is known by the URL's scheme and host.
    pub(super) fn known(name: &str) -> Result<Self, Error> {
        let (scheme, rest) = url::split(name).ok_or_else(|| url::invalid(name, "this is not a URL"))?;
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        if host.is_empty() {
            let message = "the URL names no bucket and no host; write it as in s3://BUCKET/train.tfrecord";
            return Err(url::invalid(name, message));
        }
        let is_azure = scheme.eq_ignore_ascii_case("abfs") || scheme.eq_ignore_ascii_case("abfss");
        if url::has_user(name) && !is_azure {
            let message = "the URL has a user or a password, which are taken from the environment only; take them out of it";
            return Err(url::invalid(name, message));
        }
        if !url::is_web(scheme) {
            let root = format!("{}://{host}/", scheme.to_ascii_lowercase());
            return Ok(Self { root, key: path.to_owned(), encoded: false });
        }
        if let Some(end) = name.find(['?', '#']) {
            let message =
                "the URL has a query (?) or a fragment (#), which are not sent to stores; give the plain URL";
            // What follows may be a signature, which gives access.
            return Err(url::invalid(name.get(..=end).unwrap_or_default(), message));
        }
        let decoded = url::decode(path);
        let key = decoded
            .ok_or_else(|| url::invalid(name, "the URL has a % that encodes nothing; write it as %25"))?;
        Ok(Self { root: format!("{}://{host}/", scheme.to_ascii_lowercase()), key, encoded: true })
    }

    /// Returns the guaranteed order of listings of the store. Directory buckets of S3 (`…--x-s3`) guarantee none.
    pub(super) fn listing(&self, is_registered: bool) -> Listing {
        let is_sorted = self.root.starts_with("gs://")
            || (self.root.starts_with("s3://") && !self.root.ends_with("--x-s3/"));
        if is_sorted && !is_registered { Listing::Sorted } else { Listing::Any }
    }

    /// Moves the first part of the path, which is a bucket, to the root.
    #[cfg(feature = "cloud")]
    pub(super) fn with_bucket_in_root(mut self) -> Self {
        let key = std::mem::take(&mut self.key);
        let (bucket, key) = key.split_once('/').unwrap_or((&key, ""));
        self.root = self.url(bucket) + "/";
        self.key = key.to_owned();
        self
    }

    /// Returns the URL of an object in the same store.
    pub(super) fn url(&self, key: &str) -> String {
        let mut url = self.root.clone();
        for char in key.chars() {
            match char {
                '%' | '?' | '#' | ' ' if self.encoded => url.push_str(&format!("%{:02X}", u32::from(char))),
                char => url.push(char),
            }
        }
        url
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(url: &str) -> (String, String) {
        let location = Location::known(url).unwrap();
        assert_eq!(Location::known(&location.url(&location.key)).unwrap(), location, "there and back");
        (location.root, location.key)
    }

    #[test]
    fn buckets_and_keys() {
        let pair = |root: &str, key: &str| (root.to_owned(), key.to_owned());
        assert_eq!(known("s3://b/a/train@3.tfrecord"), pair("s3://b/", "a/train@3.tfrecord"));
        assert_eq!(known("S3://b/100%25 [?]"), pair("s3://b/", "100%25 [?]"));
        assert_eq!(known("gs://b"), pair("gs://b/", ""));
        assert_eq!(known("https://h:1/a%20b/c%25"), pair("https://h:1/", "a b/c%"));
    }

    #[test]
    fn what_cannot_be_a_location() {
        let error = |url| Location::known(url).unwrap_err().to_string();
        assert_eq!(
            error("s3:///a"),
            "s3:///a: the URL names no bucket and no host; write it as in s3://BUCKET/train.tfrecord"
        );
        assert_eq!(
            error("https://h/a?b=c"),
            "https://h/a?: the URL has a query (?) or a fragment (#), which are not sent to stores; give the plain URL"
        );
        assert_eq!(
            error("s3://key:secret@b/a"),
            "s3://***@b/a: the URL has a user or a password, which are taken from the environment only; take them out of it"
        );
        assert_eq!(error("http://h/%"), "http://h/%: the URL has a % that encodes nothing; write it as %25");
    }

    #[test]
    fn a_registered_prefix_ends_at_a_slash() {
        let location = Location::below("memory://a/", "memory://a/b%20/c").unwrap();
        assert_eq!((location.key.as_str(), location.url("x y").as_str()), ("b%20/c", "memory://a/x y"));
        assert_eq!(
            Location::below("memory://a/", "memory://a").map(|location| location.key).as_deref(),
            Some("")
        );
        assert_eq!(Location::below("memory://a/", "memory://ab/c"), None);
    }

    #[cfg(feature = "cloud")]
    #[test]
    fn a_bucket_in_the_path() {
        let location = Location::known("https://account.blob.core.windows.net/box%20/a/b").unwrap();
        let location = location.with_bucket_in_root();
        assert_eq!(location.root, "https://account.blob.core.windows.net/box%20/");
        assert_eq!(location.key, "a/b");
    }
}

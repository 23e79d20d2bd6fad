//! Names that are URLs.

use std::path::Path;

pub use tfxio_base::url::{decode, without_secrets as shown};
#[cfg(feature = "object-store")]
pub use tfxio_base::url::{has_user, is_signature, is_web};
use tfxio_core::{Error, ErrorKind, Position};

/// The scheme of a URL and what follows `://`. `None` for a path: also for one that exists though it looks like a
/// URL, and for `C://` on Windows.
pub fn split(name: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = name.split_once("://")?;
    let is_scheme =
        scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    (is_scheme && !Path::new(name).exists()).then_some((scheme, rest))
}

/// Returns whether the name of an input is a URL and not a path. A name of an existing file is a path.
///
/// ```
/// assert!(tfxio_store::is_url("s3://bucket/train@16.tfrecord"));
/// assert!(!tfxio_store::is_url("data/train@16.tfrecord"));
/// ```
#[must_use]
pub fn is_url(name: &str) -> bool {
    split(name).is_some()
}

/// The path that a `file://` URL names; `None` for other URLs and for paths.
pub fn file_path(name: &str) -> Option<Result<String, Error>> {
    let (scheme, rest) = split(name)?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let decoded = path.starts_with('/').then(|| decode(path)).flatten().ok_or_else(|| {
        let message = "this file URL names no file here; write three slashes before the path, as in \
                       file:///data/train.tfrecord, and % as %25, or give the path itself";
        invalid(name, message)
    });
    Some(decoded.map(|path| without_slash_before_drive(&path).to_owned()))
}

/// `C:/data` for `/C:/data`, where there are drives.
fn without_slash_before_drive(path: &str) -> &str {
    match path.as_bytes() {
        [b'/', letter, b':', ..] if cfg!(windows) && letter.is_ascii_alphabetic() => &path[1..],
        _ => path,
    }
}

/// Returns what comes before the query of a URL that is signed, up to its `?`.
#[cfg(feature = "object-store")]
fn signed(name: &str) -> Option<&str> {
    let (plain, query) = name.split_at_checked(name.find('?')? + 1)?;
    is_signature(query).then_some(plain)
}

/// Refuses a URL that is signed, whatever its scheme, before it gets into any message.
#[cfg(feature = "object-store")]
pub fn refuse_signature(name: &str) -> Result<(), Error> {
    let Some(plain) = signed(name) else { return Ok(()) };
    let message = "the URL has a signature in its query (?), which is not sent to stores; give the plain URL, and set up \
                   credentials in the environment";
    Err(invalid(plain, message))
}

/// Returns the error of a name that is not valid, without secrets that it may hold.
pub fn invalid(name: &str, message: &str) -> Error {
    let position = Position::new().file(&*shown(name));
    Error::new(ErrorKind::InvalidArgument, message).at(position)
}

/// Returns the error for a URL that a build without stores cannot read.
#[cfg(any(test, not(feature = "object-store")))]
pub fn refused(name: &str) -> Error {
    let message = "this is a URL, and this build reads local files only; build it with the feature `cloud`, which reads \
                   from object stores, or copy the file to a local disk";
    let position = Position::new().file(&*shown(name));
    Error::new(ErrorKind::Unsupported, message).at(position).remedied_by(tfxio_base::Remedy::ReadObjects)
}

/// Returns the error for an output that is a URL, which a build without stores cannot write.
#[cfg(any(test, not(feature = "object-store")))]
pub fn refused_output(name: &str) -> Error {
    let message = "the output is a URL, and this build writes local files only; build it with the feature `cloud`, which writes \
                   to object stores, or write to a local disk and copy the file to the store";
    let position = Position::new().file(&*shown(name));
    Error::new(ErrorKind::Unsupported, message).at(position).remedied_by(tfxio_base::Remedy::ReadObjects)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_refused_without_stores() {
        let error = refused("s3://mia:pass@bucket/train-*.tfrecord");
        assert_eq!(
            error.to_string(),
            "s3://***@bucket/train-*.tfrecord: this is a URL, and this build reads local files only; build it with the feature \
             `cloud`, which reads from object stores, or copy the file to a local disk"
        );
        let output = refused_output("gs://b/o.tfrecord");
        assert_eq!(
            output.to_string(),
            "gs://b/o.tfrecord: the output is a URL, and this build writes local files only; build it with the feature `cloud`, \
             which writes to object stores, or write to a local disk and copy the file to the store"
        );
        for error in [error, output] {
            assert_eq!(error.kind(), ErrorKind::Unsupported);
            assert_eq!(error.remedy(), Some(tfxio_base::Remedy::ReadObjects));
        }
    }

    #[test]
    fn what_a_url_is() {
        assert_eq!(split("s3://bucket/a b?*"), Some(("s3", "bucket/a b?*")));
        for path in ["a/b.tfrecord", "C://data", "a b://c", "://", "/data/a:b"] {
            assert_eq!(split(path), None, "{path}");
        }
    }

    #[test]
    fn signatures_are_not_repeated() {
        for query in ["sv=1&sig=SECRET", "X-Amz-Date=1&X-Amz-Signature=SECRET", "Signature=SECRET"] {
            for start in ["az://c/a", "s3://b/a", "https://h", "az:///a"] {
                let error = invalid(&format!("{start}?{query}"), "wrong");
                assert_eq!(error.to_string(), format!("{start}?: wrong"));
            }
        }
        assert_eq!(invalid("s3://b/a?b", "wrong").to_string(), "s3://b/a?b: wrong");
    }

    #[cfg(feature = "object-store")]
    #[test]
    fn signed_urls_are_refused() {
        let error = |url| refuse_signature(url).unwrap_err().to_string();
        let says = "the URL has a signature in its query (?), which is not sent to stores; give the plain URL, and set up \
                    credentials in the environment";
        assert_eq!(error("az://c/a?sv=1&sig=SECRET"), format!("az://c/a?: {says}"));
        assert_eq!(error("https://user:SECRET@h/a?Signature=SECRET"), format!("https://***@h/a?: {says}"));
        refuse_signature("s3://b/a?b").unwrap();
    }

    #[test]
    fn file_urls_are_paths() {
        let path = |url| file_path(url).and_then(Result::ok);
        assert_eq!(path("file:///data/a%20b@3.tfrecord").as_deref(), Some("/data/a b@3.tfrecord"));
        assert_eq!(path("FILE://localhost/data/%F0%9F%A6%80").as_deref(), Some("/data/🦀"));
        assert!(file_path("s3://bucket/a").is_none() && file_path("data/a").is_none());
        for url in
            ["file://host/a", "file://data", "file:///a%2", "file:///a%zz", "file:///a%+1", "file:///%ff"]
        {
            let error = file_path(url).and_then(Result::err).map(|error| error.to_string());
            assert!(error.is_some_and(|error| error.starts_with(&format!("{url}: this file URL"))), "{url}");
        }
    }
}

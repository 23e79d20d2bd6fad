//! Names that are URLs.

use std::borrow::Cow;
use std::path::Path;

use tfxio_core::{Error, ErrorKind, Position};

/// The scheme of a URL and what follows `://`. `None` for a path: also for one that exists though it looks like a
/// URL, and for `C://` on Windows.
pub(crate) fn split(name: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = name.split_once("://")?;
    let is_scheme =
        scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    (is_scheme && !Path::new(name).exists()).then_some((scheme, rest))
}

/// Whether the name of an input is a URL and no path. A name that exists as it stands is a path.
///
/// ```
/// assert!(tfxio_formats::is_url("s3://bucket/train@16.tfrecord"));
/// assert!(!tfxio_formats::is_url("data/train@16.tfrecord"));
/// ```
#[must_use]
pub fn is_url(name: &str) -> bool {
    split(name).is_some()
}

/// The path that a `file://` URL names; `None` for other URLs and for paths.
pub(crate) fn file_path(name: &str) -> Option<Result<String, Error>> {
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

/// Text in which `%20` and the like stand for bytes, as URLs have it. `None` where a `%` is not one of these, or the bytes
/// are not UTF-8.
pub(crate) fn decode(text: &str) -> Option<String> {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next()?.as_bytes().to_vec();
    for piece in pieces {
        let (digits, rest) = piece.split_at_checked(2)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

/// Parameters of a query that tell nobody anything.
const HARMLESS: [&str; 8] =
    ["generation", "versionid", "snapshot", "region", "format", "list-type", "prefix", "delimiter"];

/// Returns the name as messages may repeat it: a user and a password are stars, however they are written, and so are the values of
/// a query, but for those that are known to be harmless. A signature, which gives access, is cut off with all that is beside it.
pub(crate) fn shown(name: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = name.split_once("://") else { return name.into() };
    let after_user = after_user(rest, is_web(scheme));
    let whole = after_user.map_or(rest, |at| rest.get(at..).unwrap_or_default());
    let query = query(whole, is_web(scheme));
    if after_user.is_none() && query.is_none() {
        return name.into();
    }
    let mut shown = format!("{scheme}://");
    if after_user.is_some() {
        shown.push_str("***@");
    }
    match query {
        None => shown.push_str(whole),
        Some(at) => {
            let (plain, query) = whole.split_at_checked(at).unwrap_or_default();
            shown.push_str(plain);
            shown.push_str(&starred(query));
        }
    }
    shown.into()
}

/// Returns whether a URL has a user or a password.
#[cfg(feature = "object-store")]
pub(crate) fn has_user(name: &str) -> bool {
    name.split_once("://").is_some_and(|(scheme, rest)| after_user(rest, is_web(scheme)).is_some())
}

/// Returns whether URLs of a scheme are those of the web, in which `?` and `#` are not part of a name.
pub(crate) fn is_web(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

/// Returns where what follows a user and a password begins, after the `@`. Passwords are pasted as they are: with slashes,
/// question marks and more of `@`. The `@` before a number of shards is none of theirs.
fn after_user(rest: &str, is_web: bool) -> Option<usize> {
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let authority = rest.get(..end)?;
    let password = authority.rsplit_once(':').map(|(_, port)| port);
    let has_port =
        password.is_some_and(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
    let has_colon = password.is_some() || authority.to_ascii_lowercase().contains("%3a");
    // Of a host and a port on the web, what follows is a path.
    let may_go_on = has_colon && !(has_port && is_web);
    let is_of_user = |at: &usize| {
        let after = rest.get(at + 1..).unwrap_or_default();
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let is_shards =
            digits > 0 && matches!(after.as_bytes().get(digits), None | Some(b'.' | b'-' | b'/' | b'?'));
        *at < end || (!is_shards && (may_go_on || authority.contains('@')))
    };
    let signs = rest.match_indices('@').map(|(at, _)| at);
    // What is in a query is of the user only where no name of a host can have come before.
    let in_name = rest.find(['?', '#']).filter(|_| authority.contains('@') || has_port || !has_colon);
    signs.filter(|at| in_name.is_none_or(|query| *at < query)).rfind(is_of_user).map(|at| at + 1)
}

/// Returns where the query of a URL begins. Elsewhere than on the web a `?` may stand for any letter of a name, and is one where
/// what follows has no parameters.
fn query(rest: &str, is_web: bool) -> Option<usize> {
    if is_web {
        return rest.find(['?', '#']);
    }
    let at = rest.find('?')?;
    let mut parameters = rest.get(at + 1..)?.split('&');
    let is_parameter = |part: &str| part.split_once('=').is_some_and(|(name, _)| !name.contains('/'));
    parameters.any(is_parameter).then_some(at)
}

/// Returns a query, which begins with its sign, with stars for the values that are not harmless.
fn starred(query: &str) -> String {
    let (sign, parameters) = query.split_at_checked(1).unwrap_or_default();
    if is_signature(parameters) {
        return sign.to_owned();
    }
    let hidden = |part: &str| match part.split_once('=') {
        Some((name, value)) if is_harmless(name) => format!("{name}={value}"),
        Some((name, _)) => format!("{name}=***"),
        None if part.is_empty() => String::new(),
        None => "***".to_owned(),
    };
    let parts = parameters.split('&').map(hidden).collect::<Vec<_>>();
    format!("{sign}{}", parts.join("&"))
}

fn is_harmless(name: &str) -> bool {
    let name = decode(name).unwrap_or_default().to_ascii_lowercase();
    HARMLESS.contains(&name.as_str())
}

/// Returns whether one of the parameters is a signature: `sig` of Azure; `Signature`, `X-Amz-Signature` and `X-Goog-Signature` of
/// the others.
fn is_signature(parameters: &str) -> bool {
    let names =
        parameters.split(['&', ';', '?']).filter_map(|part| part.split_once('=')).map(|(name, _)| name);
    let mut names = names.map(|name| decode(name).unwrap_or_default().trim().to_ascii_lowercase());
    names.any(|name| name == "sig" || name.ends_with("signature"))
}

/// Returns what comes before the query of a URL that is signed, up to its `?`.
#[cfg(feature = "object-store")]
fn signed(name: &str) -> Option<&str> {
    let (plain, query) = name.split_at_checked(name.find('?')? + 1)?;
    is_signature(query).then_some(plain)
}

/// Refuses a URL that is signed, whatever its scheme, before it gets into any message.
#[cfg(feature = "object-store")]
pub(crate) fn refuse_signature(name: &str) -> Result<(), Error> {
    let Some(plain) = signed(name) else { return Ok(()) };
    let message = "the URL has a signature in its query (?), which is not sent to stores; give the plain URL, and set up \
                   credentials in the environment";
    Err(invalid(plain, message))
}

pub(crate) fn invalid(name: &str, message: &str) -> Error {
    let position = Position::new().file(&*shown(name));
    Error::new(ErrorKind::InvalidArgument, message).at(position)
}

/// Returns the error for a URL that a build without stores cannot read.
#[cfg(any(test, not(feature = "object-store")))]
pub(crate) fn refused(name: &str) -> Error {
    let message = "this is a URL, and this build reads local files only; build it with the feature `cloud`, which reads \
                   from object stores, or copy the file to a local disk";
    let position = Position::new().file(&*shown(name));
    Error::new(ErrorKind::Unsupported, message).at(position).remedied_by(tfxio_base::Remedy::ReadObjects)
}

/// Returns the error for an output that is a URL, which a build without stores cannot write.
#[cfg(any(test, not(feature = "object-store")))]
pub(crate) fn refused_output(name: &str) -> Error {
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
    fn secrets_are_not_shown() {
        for (name, expected) in [
            ("s3://b/train@16.tfrecord", "s3://b/train@16.tfrecord"),
            ("a@b://", "a@b://"),
            ("folder/mia:pass@host", "folder/mia:pass@host"),
            ("http://mia:pass@h/a@2.csv?b=1", "http://***@h/a@2.csv?b=***"),
            ("http://mia:p@ss@h", "http://***@h"),
            ("http://mia:pass@h/a?X-Amz-Signature=b@c", "http://***@h/a?"),
            ("https://h/a?sig=b", "https://h/a?"),
            // However a password is written.
            ("https://mia:pa/ss@h/x", "https://***@h/x"),
            ("https://mia:pa?ss@h/x", "https://***@h/x"),
            ("https://mia:pa#ss@h/x?token=b", "https://***@h/x?token=***"),
            ("https://mia:p@s/s@h/x", "https://***@h/x"),
            ("https://mia%3Apa/ss@h/x", "https://***@h/x"),
            ("https://mia:pa\\ss@h/x", "https://***@h/x"),
            ("HTTPS://token@h/x", "HTTPS://***@h/x"),
            ("s3://KEY:12/34@b/train@16.tfrecord", "s3://***@b/train@16.tfrecord"),
            ("s3://KEY:a/b+c=@b/x", "s3://***@b/x"),
            // What is none.
            ("https://h:80/a@b/c@2.csv", "https://h:80/a@b/c@2.csv"),
            ("https://h/a@b", "https://h/a@b"),
            ("https://h:80/a?mail=a@b", "https://h:80/a?mail=***"),
            ("s3://b/user@example.com/a-00001@3", "s3://b/user@example.com/a-00001@3"),
            ("memory://a/train@16", "memory://a/train@16"),
            // Parameters.
            ("https://h/a?token=b", "https://h/a?token=***"),
            ("https://h/a?access_token=b&versionId=3", "https://h/a?access_token=***&versionId=3"),
            (
                "https://h/a?X-Amz-Security-Token=b&X-Amz-Date=1",
                "https://h/a?X-Amz-Security-Token=***&X-Amz-Date=***",
            ),
            ("https://h/a?s%69g=b", "https://h/a?"),
            ("https://h/a?%56ersionid=b&secret", "https://h/a?%56ersionid=b&***"),
            ("https://h/a#access_token=b", "https://h/a#access_token=***"),
            ("az://c/a?st=b", "az://c/a?st=***"),
            ("s3://b/part-?.parquet", "s3://b/part-?.parquet"),
            ("s3://b/??/day=1/*.parquet", "s3://b/??/day=1/*.parquet"),
            ("https://é:ü@ö/x?ß=ä", "https://***@ö/x?ß=***"),
        ] {
            assert_eq!(shown(name), expected);
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

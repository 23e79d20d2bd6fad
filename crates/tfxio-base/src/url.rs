//! Names that are URLs: what of them may be repeated in messages.

use std::borrow::Cow;

/// Decodes the percent-encoding of a URL, such as `%20`. `None` if a `%` is not followed by two hexadecimal digits or the
/// bytes are not UTF-8.
#[must_use]
pub fn decode(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
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

/// Returns the name as messages may repeat it. A user and a password become stars, however they are written, and so do the
/// values of a query except for parameters known to be harmless. A signature, which gives access, is cut off with all that
/// is beside it. [`Position`](crate::Position) shows files so.
///
/// ```
/// use tfxio_base::url::without_secrets;
///
/// assert_eq!(without_secrets("https://mia:pa/ss@host/a?token=b"), "https://***@host/a?token=***");
/// assert_eq!(without_secrets("data/train@16.tfrecord"), "data/train@16.tfrecord");
/// ```
#[must_use]
pub fn without_secrets(name: &str) -> Cow<'_, str> {
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
#[must_use]
pub fn has_user(name: &str) -> bool {
    name.split_once("://").is_some_and(|(scheme, rest)| after_user(rest, is_web(scheme)).is_some())
}

/// Returns whether URLs of a scheme are web URLs, in which `?` and `#` are not part of a name.
#[must_use]
pub fn is_web(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

/// Returns where what follows a user and a password begins, after the `@`. Passwords are pasted as they are: with slashes,
/// question marks and more of `@`. The `@` before a number of shards does not end a user.
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
        let is_shards = digits > 0
            && match after.as_bytes().get(digits..).unwrap_or_default() {
                // An address has a number after the dot, and a name of a file its ending.
                [b'.', next, ..] => !next.is_ascii_digit(),
                [next, ..] => matches!(next, b'.' | b'-' | b'/' | b'?'),
                [] => true,
            };
        *at < end || (!is_shards && (may_go_on || authority.contains('@')))
    };
    let signs = rest.match_indices('@').map(|(at, _)| at);
    // What is in a query is of the user only where no name of a host can have come before.
    let in_name = rest.find(['?', '#']).filter(|_| authority.contains('@') || has_port || !has_colon);
    signs.filter(|at| in_name.is_none_or(|query| *at < query)).rfind(is_of_user).map(|at| at + 1)
}

/// Returns the offset of the query of a URL. On the web every `?` begins one; elsewhere a `?` may be a wildcard for any
/// letter of a name, and begins a query only if parameters follow.
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
#[must_use]
pub fn is_signature(parameters: &str) -> bool {
    let names =
        parameters.split(['&', ';', '?']).filter_map(|part| part.split_once('=')).map(|(name, _)| name);
    let mut names = names.map(|name| decode(name).unwrap_or_default().trim().to_ascii_lowercase());
    names.any(|name| name == "sig" || name.ends_with("signature"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("https://mia:pa/ss@127.0.0.1:1/x", "https://***@127.0.0.1:1/x"),
            ("https://mia:pa\\ss@h/x", "https://***@h/x"),
            ("HTTPS://token@h/x", "HTTPS://***@h/x"),
            ("s3://KEY:12/34@b/train@16.tfrecord", "s3://***@b/train@16.tfrecord"),
            ("s3://KEY:a/b+c=@b/x", "s3://***@b/x"),
            // URLs without a user.
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
            assert_eq!(without_secrets(name), expected);
        }
    }
}

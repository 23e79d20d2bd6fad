//! Stores that are found by their URLs, and set up from the environment.

use std::sync::Arc;

use ::url::Url;
use object_store::{ObjectStore, ObjectStoreScheme};
use tfxio_core::{Error, ErrorKind, Position};

use super::locate::Location;
use crate::tfrecord::url;

/// How the names of the variables begin that stores are set up from.
const VARIABLES: [&str; 3] = ["AWS_", "AZURE_", "GOOGLE_"];

/// Where a URL points to, and the URL of the store's root.
pub(super) fn location(name: &str) -> Result<(Location, Url), Error> {
    let location = Location::known(name)?;
    let parse = |url: &str| {
        Url::parse(url).map_err(|error| url::invalid(name, "the URL cannot be read; check it").because(error))
    };
    // What the store makes of a path shows whether a bucket is a part of it.
    let (_, path) = ObjectStoreScheme::parse(&parse(&format!("{}a/b", location.root))?).map_err(|error| {
        let message =
            "no stores of this kind are known; known are s3://, gs://, az://, abfs://, http:// and https://";
        let position = Position::new().file(name);
        Error::new(ErrorKind::Unsupported, message).at(position).because(error)
    })?;
    let location = if path.parts().count() == 1 { location.with_bucket_in_root() } else { location };
    let root = parse(&location.root)?;
    Ok((location, root))
}

/// Sets up the store with this root.
pub(super) fn open(
    name: &str,
    root: &Url,
    options: &[(String, String)],
) -> Result<Arc<dyn ObjectStore>, Error> {
    let environment = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| VARIABLES.iter().any(|start| name.starts_with(start)));
    // Who writes http:// means it.
    let plain = (root.scheme() == "http").then(|| ("allow_http".to_owned(), "true".to_owned()));
    let all = environment.chain(plain).chain(options.iter().cloned());
    let opened = object_store::parse_url_opts(root, all);
    opened.map(|(store, _)| Arc::from(store)).map_err(|error| {
        let message = "the store cannot be set up; check the URL and the variables of the environment that begin with AWS_, \
                       AZURE_ or GOOGLE_";
        url::invalid(name, message).because(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(url: &str) -> (String, String) {
        let (location, _) = location(url).unwrap();
        (location.root, location.key)
    }

    #[test]
    fn roots_of_all_kinds() {
        for (url, root, key) in [
            ("s3://b/d/train@3", "s3://b/", "d/train@3"),
            ("gs://b/*", "gs://b/", "*"),
            ("az://c/d", "az://c/", "d"),
            ("abfss://c@account.dfs.core.windows.net/d/e", "abfss://c@account.dfs.core.windows.net/", "d/e"),
            (
                "https://account.blob.core.windows.net/c/d/e",
                "https://account.blob.core.windows.net/c/",
                "d/e",
            ),
            ("https://s3.eu-west-1.amazonaws.com/b/d/e", "https://s3.eu-west-1.amazonaws.com/b/", "d/e"),
            ("https://b.s3.eu-west-1.amazonaws.com/d/e", "https://b.s3.eu-west-1.amazonaws.com/", "d/e"),
            ("http://localhost:9000/d/a%20b", "http://localhost:9000/", "d/a b"),
        ] {
            assert_eq!(found(url), (root.to_owned(), key.to_owned()), "{url}");
        }
    }

    #[test]
    fn stores_are_set_up_without_asking_anybody() {
        let options = [
            ("aws_region", "eu-west-1"),
            ("aws_skip_signature", "true"),
            ("google_skip_signature", "true"),
            ("azure_storage_account_name", "account"),
            ("azure_skip_signature", "true"),
        ];
        let options = options.map(|(name, value)| (name.to_owned(), value.to_owned()));
        for url in ["s3://b/a", "gs://b/a", "az://c/a", "http://localhost:1/a", "https://localhost/a"] {
            let (_, root) = location(url).unwrap();
            let store = open(url, &root, &options).unwrap();
            assert!(!store.to_string().is_empty(), "{url}");
        }
    }

    #[test]
    fn what_is_not_known_or_cannot_be_set_up() {
        let error = location("hdfs://name/a").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert_eq!(
            error.to_string(),
            "hdfs://name/a: no stores of this kind are known; known are s3://, gs://, az://, abfs://, http:// and https://"
        );
        let (_, root) = location("s3://b/a").unwrap();
        let options = [("aws_virtual_hosted_style_request".to_owned(), "perhaps".to_owned())];
        let error = open("s3://b/a", &root, &options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert_eq!(
            error.to_string(),
            "s3://b/a: the store cannot be set up; check the URL and the variables of the environment that begin with AWS_, \
             AZURE_ or GOOGLE_"
        );
    }
}

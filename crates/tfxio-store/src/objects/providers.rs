//! Stores that are found by their URLs, and set up from the environment.

use std::sync::Arc;

use ::url::{Position as Part, Url};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::HttpBuilder;
use object_store::{ClientConfigKey, ObjectStore, ObjectStoreScheme, RetryConfig};
use tfxio_core::{Error, ErrorKind, Position};

use super::locate::Location;
use crate::url;

/// Prefixes of the environment variables that stores are set up from.
const VARIABLES: [&str; 3] = ["AWS_", "AZURE_", "GOOGLE_"];

/// Returns the location of a URL, and the URL of the store's root.
pub(super) fn location(name: &str) -> Result<(Location, Url), Error> {
    let location = Location::known(name)?;
    let parse = |url: &str| {
        Url::parse(url).map_err(|error| url::invalid(name, "the URL cannot be read; check it").because(error))
    };
    // What the store makes of a path shows whether a bucket is a part of it.
    if ["hdfs://", "webhdfs://", "viewfs://"].iter().any(|scheme| location.root.starts_with(scheme)) {
        let message = "HDFS is not read: copy the files to a local disk (`hdfs dfs -get`), mount HDFS, or register a store of the \
                       program's own (`Stores::store`)";
        return Err(Error::new(ErrorKind::Unsupported, message).at(Position::new().file(name)));
    }
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

/// Refuses to write to a web server, where an object does not appear whole.
pub(super) fn refuse_web(name: &str, root: &Url) -> Result<(), Error> {
    if !matches!(ObjectStoreScheme::parse(root), Ok((ObjectStoreScheme::Http, _))) {
        return Ok(());
    }
    let message =
        "web servers are only read; write to a local disk, or to an object store (s3://, gs://, az://)";
    Err(Error::new(ErrorKind::Unsupported, message).at(Position::new().file(name)))
}

/// Sets up one kind of store; an option that it does not know, and another one does, is nothing to it.
macro_rules! build {
    ($builder:ty, $url:expr, $settings:expr, $retry:expr) => {{
        let builder = <$builder>::new().with_url($url).with_retry($retry);
        let builder =
            $settings.fold(builder, |builder, (key, value)| match key.to_ascii_lowercase().parse() {
                Ok(key) => builder.with_config(key, value),
                Err(_) => builder,
            });
        builder.build().map(|store| Arc::new(store) as Arc<dyn ObjectStore>)
    }};
}

/// Refuses an option that no kind of store knows: it would have no effect anywhere.
fn check(name: &str, options: &[(String, String)]) -> Result<(), Error> {
    let is_known = |key: &str| {
        let key = key.to_ascii_lowercase();
        key.parse::<AmazonS3ConfigKey>().is_ok()
            || key.parse::<GoogleConfigKey>().is_ok()
            || key.parse::<AzureConfigKey>().is_ok()
            || key.parse::<ClientConfigKey>().is_ok()
    };
    match options.iter().find(|(key, _)| !is_known(key)) {
        None => Ok(()),
        Some((key, _)) => {
            let message = format!("no store has an option {key:?}");
            let help = "give one of those that the crate object_store lists for S3, Google Cloud Storage, Azure and its client, such as \
                        aws_region";
            let position = Position::new().file(name);
            Err(Error::new(ErrorKind::InvalidArgument, message).help(help).at(position))
        }
    }
}

/// Sets up the store with this root.
pub(super) fn open(
    name: &str,
    root: &Url,
    options: &[(String, String)],
    retry: RetryConfig,
) -> Result<Arc<dyn ObjectStore>, Error> {
    check(name, options)?;
    let environment = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| VARIABLES.iter().any(|start| name.starts_with(start)));
    // Who writes http:// means it.
    let plain = (root.scheme() == "http").then(|| ("allow_http".to_owned(), "true".to_owned()));
    let all = environment.chain(plain).chain(options.iter().cloned());
    let opened = match ObjectStoreScheme::parse(root) {
        Ok((ObjectStoreScheme::AmazonS3, _)) => build!(AmazonS3Builder, root.as_str(), all, retry),
        Ok((ObjectStoreScheme::GoogleCloudStorage, _)) => {
            build!(GoogleCloudStorageBuilder, root.as_str(), all, retry)
        }
        Ok((ObjectStoreScheme::MicrosoftAzure, _)) => {
            build!(MicrosoftAzureBuilder, root.as_str(), all, retry)
        }
        Ok((ObjectStoreScheme::Http, _)) => build!(HttpBuilder, &root[..Part::BeforePath], all, retry),
        Ok((other, _)) => Err(object_store::Error::Generic {
            store: "URL",
            source: format!("no store is known for {other:?}").into(),
        }),
        Err(error) => Err(error.into()),
    };
    opened.map_err(|error| {
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
            let store = open(url, &root, &options, RetryConfig::default()).unwrap();
            assert!(!store.to_string().is_empty(), "{url}");
        }
    }

    #[test]
    fn what_is_not_known_or_cannot_be_set_up() {
        let error = location("hdfs://name/a").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert_eq!(
            error.to_string(),
            "hdfs://name/a: HDFS is not read: copy the files to a local disk (`hdfs dfs -get`), mount HDFS, or register a store of \
             the program's own (`Stores::store`)"
        );
        let error = location("ftp://name/a").unwrap_err();
        assert_eq!(
            error.to_string(),
            "ftp://name/a: no stores of this kind are known; known are s3://, gs://, az://, abfs://, http:// and https://"
        );
        let (_, root) = location("s3://b/a").unwrap();
        let options = [("aws_virtual_hosted_style_request".to_owned(), "perhaps".to_owned())];
        let error = open("s3://b/a", &root, &options, RetryConfig::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert_eq!(
            error.to_string(),
            "s3://b/a: the store cannot be set up; check the URL and the variables of the environment that begin with AWS_, \
             AZURE_ or GOOGLE_"
        );
    }
}

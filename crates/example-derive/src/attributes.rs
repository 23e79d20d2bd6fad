//! Attributes `#[example(…)]`.

use proc_macro2::Span;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{Attribute, Error, LitStr, Path, Result, Token};

use crate::case::Case;

/// The attributes of a struct.
#[derive(Default)]
pub(crate) struct OfStruct {
    pub(crate) case: Option<Case>,
    pub(crate) denies_unknown: bool,
    pub(crate) krate: Option<Path>,
}

impl OfStruct {
    pub(crate) fn parse(attributes: &[Attribute]) -> Result<Self> {
        let mut found = Self::default();
        each(attributes, |name, meta| match name {
            "rename_all" => once(&mut found.case, meta, case),
            "deny_unknown_features" => flag(&mut found.denies_unknown, meta),
            "crate" => once(&mut found.krate, meta, path),
            _ => Err(unknown(meta, "a struct", &["rename_all", "deny_unknown_features", "crate"])),
        })?;
        Ok(found)
    }
}

/// The attributes of a field.
#[derive(Default)]
pub(crate) struct OfField {
    pub(crate) rename: Option<String>,
    pub(crate) default: Option<DefaultValue>,
    pub(crate) is_skipped: bool,
    pub(crate) is_lossy: bool,
    pub(crate) is_flattened: bool,
    pub(crate) prefix: Option<String>,
    pub(crate) with: Option<Path>,
    pub(crate) is_steps: bool,
    /// Position of the first attribute in the source.
    pub(crate) span: Option<Span>,
}

/// Default of a field whose feature is absent.
pub(crate) enum DefaultValue {
    Default,
    Function(Path),
}

const OF_FIELD: [&str; 8] = ["rename", "default", "skip", "lossy", "flatten", "prefix", "with", "steps"];

impl OfField {
    pub(crate) fn parse(attributes: &[Attribute]) -> Result<Self> {
        let first = attributes.iter().find(|attribute| attribute.path().is_ident("example"));
        let mut found = Self { span: first.map(Spanned::span), ..Self::default() };
        each(attributes, |name, meta| match name {
            "rename" => once(&mut found.rename, meta, text),
            "default" => once(&mut found.default, meta, |meta| {
                if meta.input.peek(Token![=]) {
                    path(meta).map(DefaultValue::Function)
                } else {
                    Ok(DefaultValue::Default)
                }
            }),
            "skip" => flag(&mut found.is_skipped, meta),
            "lossy" => flag(&mut found.is_lossy, meta),
            "flatten" => flag(&mut found.is_flattened, meta),
            "prefix" => once(&mut found.prefix, meta, text),
            "with" => once(&mut found.with, meta, path),
            "steps" => flag(&mut found.is_steps, meta),
            _ => Err(unknown(meta, "a field", &OF_FIELD)),
        })?;
        found.check()?;
        Ok(found)
    }

    /// Refuses attributes of which one would have no effect.
    fn check(&self) -> Result<()> {
        let given = [
            ("rename", self.rename.is_some()),
            ("default", self.default.is_some()),
            ("lossy", self.is_lossy),
            ("flatten", self.is_flattened),
            ("prefix", self.prefix.is_some()),
            ("with", self.with.is_some()),
            ("steps", self.is_steps),
        ];
        let first_of = |excluded: &[&str]| {
            given.iter().find(|(name, is_given)| *is_given && excluded.contains(name)).map(|(name, _)| *name)
        };
        let conflict = if self.is_skipped {
            first_of(&OF_FIELD).map(|other| format!("`skip` leaves nothing for `{other}` to do"))
        } else if self.is_flattened {
            first_of(&["rename", "default", "lossy", "with", "steps"])
                .map(|other| format!("`flatten` is for a struct, whose features `{other}` does not concern"))
        } else if self.prefix.is_some() {
            Some("`prefix` needs `flatten`".to_owned())
        } else if self.is_steps {
            first_of(&["with"])
                .map(|_| "`steps` is for values of features, which `with` does not convert".to_owned())
        } else {
            None
        };
        conflict.map_or(Ok(()), |text| Err(Error::new(self.span.unwrap_or_else(Span::call_site), text)))
    }
}

/// Calls `read` with each name in `#[example(…)]`.
fn each(
    attributes: &[Attribute],
    mut read: impl FnMut(&str, &ParseNestedMeta<'_>) -> Result<()>,
) -> Result<()> {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("example")) {
        attribute.parse_nested_meta(|meta| {
            let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
            read(&name, &meta)
        })?;
    }
    Ok(())
}

fn once<T>(
    to: &mut Option<T>,
    meta: &ParseNestedMeta<'_>,
    read: impl FnOnce(&ParseNestedMeta<'_>) -> Result<T>,
) -> Result<()> {
    match to.replace(read(meta)?) {
        None => Ok(()),
        Some(_) => Err(meta.error("this is said twice")),
    }
}

fn flag(to: &mut bool, meta: &ParseNestedMeta<'_>) -> Result<()> {
    if std::mem::replace(to, true) { Err(meta.error("this is said twice")) } else { Ok(()) }
}

fn literal(meta: &ParseNestedMeta<'_>) -> Result<LitStr> {
    meta.value()?.parse()
}

fn text(meta: &ParseNestedMeta<'_>) -> Result<String> {
    Ok(literal(meta)?.value())
}

fn path(meta: &ParseNestedMeta<'_>) -> Result<Path> {
    literal(meta)?.parse_with(Path::parse_mod_style)
}

fn case(meta: &ParseNestedMeta<'_>) -> Result<Case> {
    let literal = literal(meta)?;
    let found = Case::ALL.iter().find(|(name, _)| *name == literal.value());
    found.map(|(_, case)| *case).ok_or_else(|| {
        let names = Case::ALL.map(|(name, _)| format!("{name:?}")).join(", ");
        Error::new(literal.span(), format!("{:?} is not a case; they are {names}", literal.value()))
    })
}

fn unknown(meta: &ParseNestedMeta<'_>, what: &str, known: &[&str]) -> Error {
    let names = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    meta.error(format!("this is not an attribute of {what}; they are {names}"))
}

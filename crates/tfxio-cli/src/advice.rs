//! What this program can do about damaged data.

use std::error::Error;

use tfxio::{avro_path, tfrecord_io};

/// What is damaged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Damage {
    /// Records of a file, or what holds them. The others can be had.
    Records,
    /// The part of an Avro file without which nothing of it can be read.
    Header,
    /// What an Avro record holds, not what holds the record.
    Content,
}

/// What to do about an error, in a sentence without its full stop; `None` if it is no error of damaged data.
pub(crate) fn of(error: &tfxio::Error) -> Option<String> {
    let damage = damage(error)?;
    let file = error.position().file.as_deref()?;
    let name = file;
    let (first, file) = if tfxio::is_url(file) { ("copy the file here, then ", "COPY") } else { ("", file) };
    Some(match damage {
        Damage::Records => format!("To keep the records that are whole: {first}tfxio repair {file} OUT"),
        Damage::Header => "Copy the file again: without its header, tfxio repair keeps nothing".to_owned(),
        Damage::Content => format!("To leave such records out: tfxio convert {name} OUT --on-error skip"),
    })
}

fn damage(error: &(dyn Error + 'static)) -> Option<Damage> {
    if let Some(error) = error.downcast_ref::<tfxio::Error>() {
        let found = error.detail().and_then(of_tfrecord).or_else(|| of_avro(error));
        found.or_else(|| damage(error.get_ref()?))
    } else {
        damage(error.source()?)
    }
}

fn of_tfrecord(kind: &tfrecord_io::Kind) -> Option<Damage> {
    use tfrecord_io::Kind;

    match kind {
        Kind::HeaderCrc | Kind::PayloadCrc | Kind::Truncated | Kind::Decompress => Some(Damage::Records),
        _ => None,
    }
}

fn of_avro(error: &tfxio::Error) -> Option<Damage> {
    use avro_path::Kind;

    let position = error.position();
    match error.detail::<Kind>()? {
        Kind::Header => Some(Damage::Header),
        Kind::Malformed | Kind::NotUtf8 | Kind::Truncated if position.record.is_some() => {
            Some(Damage::Content)
        }
        // A claim that no limit allows is most often none.
        Kind::Sync | Kind::Block | Kind::Decompress | Kind::Truncated | Kind::LimitExceeded
            if position.block.is_some() && position.record.is_none() =>
        {
            Some(Damage::Records)
        }
        _ => None,
    }
}

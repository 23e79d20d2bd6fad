//! Advice about damaged data.

use tfxio::Damage;

use crate::args::DASH;

/// Returns advice about an error, in a sentence without its full stop; `None` unless data are damaged.
pub(crate) fn of(error: &tfxio::Error) -> Option<String> {
    let damage = error.damage()?;
    let file = error.position().file.as_deref()?;
    match damage {
        Damage::Records if file == DASH => Some(
            "To keep the records that are whole, write it to a file first: tfxio repair FILE OUT".to_owned(),
        ),
        Damage::Header if file == DASH => {
            Some("Send it again: without its header, nothing can be kept".to_owned())
        }
        Damage::Records => Some(format!("To keep the records that are whole: tfxio repair {file} OUT")),
        Damage::Header => {
            Some("Copy the file again: without its header, tfxio repair keeps nothing".to_owned())
        }
        Damage::Content => {
            Some(format!("To leave such records out: tfxio convert {file} OUT --on-error skip"))
        }
        _ => None,
    }
}

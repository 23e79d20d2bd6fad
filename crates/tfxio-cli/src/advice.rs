//! What this program can do about damaged data.

use tfxio::Damage;

/// What to do about an error, in a sentence without its full stop; `None` if it is not an error of damaged data.
pub(crate) fn of(error: &tfxio::Error) -> Option<String> {
    let damage = error.damage()?;
    let file = error.position().file.as_deref()?;
    match damage {
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

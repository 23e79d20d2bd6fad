//! Messages of panics.

use std::any::Any;

/// Returns the message of a panic that was caught.
///
/// ```
/// let panic = std::panic::catch_unwind(|| panic!("no {}", 7)).unwrap_err();
/// assert_eq!(tfxio_base::panic_text(&*panic), "no 7");
/// ```
#[must_use]
pub fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

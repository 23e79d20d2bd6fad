//! Keys for damaged records.

use tfxio_core::SkipBudget;

use crate::config::OnError;
use crate::json::{Data, Keys, Node, Object};
use crate::{Kind, Result};

/// `on_error`, or its old spelling `on_corrupt`, and `error_budget`.
pub(super) fn on_error(object: &Object<'_>) -> Result<OnError> {
    let (new, old) = (object.get("on_error"), object.get("on_corrupt"));
    if let (Some(_), Some(old)) = (&new, &old) {
        let error = old.error(Kind::InvalidValue, "this stands beside \"on_error\"");
        return Err(error.help("leave it out: it is the old name of the same key"));
    }
    let words = [("fail", false), ("skip", true)];
    let skips = new.or(old).map_or(Ok(false), |node| node.word("way to treat damaged records", &words))?;
    match object.get("error_budget") {
        Some(node) if !skips => {
            let error = node.error(Kind::InvalidValue, "a budget is only for what is skipped");
            Err(error.help("leave it out, or give \"on_error\": \"skip\""))
        }
        Some(node) => budget(&node).map(OnError::Skip),
        None if skips => Ok(OnError::Skip(SkipBudget::default())),
        None => Ok(OnError::Fail),
    }
}

fn budget(node: &Node<'_>) -> Result<SkipBudget> {
    let object = node.object(Keys::new("budget", &[], &["ranges", "bytes", "share"]))?;
    let mut budget = SkipBudget::default();
    let count = |key| object.read(key, |node| node.integer_in(0..=u64::MAX));
    budget.ranges = count("ranges")?.unwrap_or(budget.ranges);
    budget.bytes = count("bytes")?.unwrap_or(budget.bytes);
    budget.share = object.read("share", share)?.unwrap_or(budget.share);
    Ok(budget)
}

fn share(node: &Node<'_>) -> Result<f64> {
    const WANTED: &str = "a number from 0 to 1";
    let share = match node.value().data {
        Data::Int(number) => number as f64,
        Data::Float(number) => number,
        _ => return Err(node.invalid_type(WANTED)),
    };
    if !(0.0..=1.0).contains(&share) {
        return Err(node.invalid_value("is out of range", format!("give {WANTED}")));
    }
    Ok(share)
}

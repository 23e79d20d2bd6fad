//! Losses of columns in text.

use arrow_schema::{DataType, Field};

/// Returns the losses of a column: the loss that `of` returns for the values of a field, or else the loss of such values in every text.
pub(crate) fn losses(column: &Field, of: &dyn Fn(&Field) -> Option<&'static str>) -> Vec<String> {
    let mut losses = Vec::new();
    add(column, of, &mut losses);
    losses
}

fn add(field: &Field, of: &dyn Fn(&Field) -> Option<&'static str>, losses: &mut Vec<String>) {
    let data_type = field.data_type();
    if let Some(what) = of(field).or_else(|| in_text(data_type)) {
        if losses.iter().all(|loss| loss != what) {
            losses.push(what.to_owned());
        }
        return;
    }
    match data_type {
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::RunEndEncoded(_, item) => add(item, of, losses),
        DataType::Dictionary(_, values) => {
            add(&field.clone().with_data_type(values.as_ref().clone()), of, losses);
        }
        DataType::Struct(fields) => fields.iter().for_each(|field| add(field, of, losses)),
        _ => {}
    }
}

fn in_text(values: &DataType) -> Option<&'static str> {
    match values {
        DataType::Timestamp(_, Some(zone)) if !matches!(&**zone, "UTC" | "Z" | "+00:00" | "Etc/UTC") => {
            Some("timestamps become texts in UTC, without their time zone")
        }
        _ => None,
    }
}

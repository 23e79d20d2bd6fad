//! What a column loses in text.

use arrow_schema::DataType;

/// Returns what a column loses: what `of` says of values of a type, or what those lose in every text.
pub(crate) fn losses(data_type: &DataType, of: &dyn Fn(&DataType) -> Option<&'static str>) -> Vec<String> {
    let mut losses = Vec::new();
    add(data_type, of, &mut losses);
    losses
}

fn add(data_type: &DataType, of: &dyn Fn(&DataType) -> Option<&'static str>, losses: &mut Vec<String>) {
    if let Some(what) = of(data_type).or_else(|| in_text(data_type)) {
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
        | DataType::RunEndEncoded(_, item) => add(item.data_type(), of, losses),
        DataType::Dictionary(_, values) => add(values, of, losses),
        DataType::Struct(fields) => fields.iter().for_each(|field| add(field.data_type(), of, losses)),
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

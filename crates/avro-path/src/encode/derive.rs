//! The Avro schema of an Arrow schema, as JSON.

use arrow_schema::{DataType, Field, FieldRef, Schema as ArrowSchema, TimeUnit};
use serde_json::Value;

use super::name::{Names, is_valid, valid_names};
use super::plain_type;
use crate::{Error, ErrorKind, Kind, Result};

/// Types in each other, which is more than the JSON of a schema can hold.
const NESTING: u32 = 127;

pub(super) fn derive(schema: &ArrowSchema, name: &str, namespace: &str) -> Result<String> {
    const PRIMITIVES: [&str; 8] = ["null", "boolean", "int", "long", "float", "double", "bytes", "string"];
    let wrong = |what: String| {
        Err(Error::new(ErrorKind::InvalidArgument, what)
            .help("use letters of ASCII, digits and _, no digit first"))
    };
    if !is_valid(name) || PRIMITIVES.contains(&name) {
        return wrong(format!("the name {name:?} is not valid in Avro"));
    }
    if !namespace.is_empty() && !namespace.split('.').all(is_valid) {
        return wrong(format!("the namespace {namespace:?} is not valid in Avro"));
    }
    let mut deriver = Deriver { out: String::new(), names: Names::default() };
    let fields = schema.fields().iter().collect::<Vec<_>>();
    deriver.record(name, namespace, &fields, NESTING)?;
    Ok(deriver.out)
}

struct Deriver {
    out: String,
    /// Names of records and fixed types of the whole schema.
    names: Names,
}

impl Deriver {
    fn record(&mut self, name: &str, namespace: &str, fields: &[&FieldRef], nesting: u32) -> Result<()> {
        let name = self.names.give(name);
        self.out += &format!(r#"{{"type":"record","name":"{name}""#);
        if !namespace.is_empty() {
            self.out += &format!(r#","namespace":"{namespace}""#);
        }
        self.out += r#","fields":["#;
        let valid = valid_names(fields.iter().map(|field| field.name().as_str()));
        for (at, (field, valid)) in fields.iter().zip(&valid).enumerate() {
            self.out += if at > 0 { r#",{"name":""# } else { r#"{"name":""# };
            self.out += valid;
            if valid != field.name() {
                self.out += &format!(r#"","arrow.name":{},"type":"#, Value::from(field.name().as_str()));
            } else {
                self.out += r#"","type":"#;
            }
            self.field(field, &format!("{name}_{valid}"), nesting)
                .map_err(|error| error.within(field.name()))?;
            if is_nullable(field) || *plain_type(field.data_type()) == DataType::Null {
                self.out += r#","default":null"#;
            }
            self.out.push('}');
        }
        self.out += "]}";
        Ok(())
    }

    /// Appends the type of a field, an item or an entry.
    fn field(&mut self, field: &Field, name: &str, nesting: u32) -> Result<()> {
        let Some(nesting) = nesting.checked_sub(1) else {
            let what = format!("more than {NESTING} types are in each other");
            return Err(Error::new(ErrorKind::LimitExceeded, what));
        };
        if !is_nullable(field) {
            return self.value(field, name, nesting);
        }
        self.out += r#"["null","#;
        self.value(field, name, nesting)?;
        self.out.push(']');
        Ok(())
    }

    fn value(&mut self, field: &Field, name: &str, nesting: u32) -> Result<()> {
        match plain_type(field.data_type()) {
            DataType::List(item)
            | DataType::LargeList(item)
            | DataType::FixedSizeList(item, _)
            | DataType::ListView(item)
            | DataType::LargeListView(item) => {
                self.out += r#"{"type":"array","items":"#;
                self.field(item, name, nesting).map_err(|error| error.within("[*]"))?;
                self.out.push('}');
            }
            DataType::Struct(fields) => {
                self.record(name, "", &fields.iter().collect::<Vec<_>>(), nesting)?;
            }
            DataType::Map(entries, _) => match entries.data_type() {
                DataType::Struct(fields) => match fields.as_ref() {
                    [key, value] if is_string(key.data_type()) => {
                        self.out += r#"{"type":"map","values":"#;
                        self.field(value, name, nesting).map_err(|error| error.within("[*]"))?;
                        self.out.push('}');
                    }
                    fields => {
                        self.out += r#"{"type":"array","items":"#;
                        self.record(name, "", &fields.iter().collect::<Vec<_>>(), nesting)
                            .map_err(|error| error.within("[*]"))?;
                        self.out.push('}');
                    }
                },
                _ => return Err(no_form(field.data_type())),
            },
            DataType::FixedSizeBinary(size) => {
                let logical = match field.extension_type_name() {
                    Some("arrow.uuid") if *size == 16 => Some("uuid"),
                    _ => None,
                };
                self.fixed(name, *size, logical);
            }
            DataType::Interval(_) => self.fixed(name, 12, Some("duration")),
            leaf => self.leaf(leaf)?,
        }
        Ok(())
    }

    fn fixed(&mut self, name: &str, size: i32, logical: Option<&str>) {
        let name = self.names.give(name);
        self.out += &format!(r#"{{"type":"fixed","name":"{name}","size":{size}"#);
        if let Some(logical) = logical {
            self.out += &format!(r#","logicalType":"{logical}""#);
        }
        self.out.push('}');
    }

    fn leaf(&mut self, data_type: &DataType) -> Result<()> {
        let decimal = |precision: u8, scale: i8| {
            if scale < 0 || i16::from(scale) > i16::from(precision) {
                let what = format!(
                    "the column has the type {data_type}, and Avro's decimals a scale from 0 to the precision"
                );
                return Err(Error::new(Kind::ValueMismatch, what).help("cast the column"));
            }
            Ok(format!(
                r#"{{"type":"bytes","logicalType":"decimal","precision":{precision},"scale":{scale}}}"#
            ))
        };
        let logical = |name: &str, logical: &str| format!(r#"{{"type":"{name}","logicalType":"{logical}"}}"#);
        let json = match data_type {
            DataType::Null => r#""null""#.to_owned(),
            DataType::Boolean => r#""boolean""#.to_owned(),
            DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::UInt8 | DataType::UInt16 => {
                r#""int""#.to_owned()
            }
            DataType::Int64 | DataType::UInt32 | DataType::UInt64 => r#""long""#.to_owned(),
            DataType::Float16 | DataType::Float32 => r#""float""#.to_owned(),
            DataType::Float64 => r#""double""#.to_owned(),
            string if is_string(string) => r#""string""#.to_owned(),
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView => r#""bytes""#.to_owned(),
            DataType::Decimal32(precision, scale)
            | DataType::Decimal64(precision, scale)
            | DataType::Decimal128(precision, scale)
            | DataType::Decimal256(precision, scale) => decimal(*precision, *scale)?,
            DataType::Date32 => logical("int", "date"),
            DataType::Date64 => logical("long", "local-timestamp-millis"),
            DataType::Time32(_) => logical("int", "time-millis"),
            DataType::Time64(TimeUnit::Microsecond) => logical("long", "time-micros"),
            DataType::Time64(_) | DataType::Duration(_) => {
                let shown = Value::from(data_type.to_string());
                format!(r#"{{"type":"long","arrow.type":{shown}}}"#)
            }
            DataType::Timestamp(unit, zone) => {
                let local = if zone.is_some() { "" } else { "local-" };
                let unit = match unit {
                    TimeUnit::Second | TimeUnit::Millisecond => "millis",
                    TimeUnit::Microsecond => "micros",
                    TimeUnit::Nanosecond => "nanos",
                };
                let named = format!("{local}timestamp-{unit}");
                match zone {
                    Some(zone) if !is_utc(zone) => {
                        let zone = Value::from(&**zone);
                        format!(r#"{{"type":"long","logicalType":"{named}","arrow.timezone":{zone}}}"#)
                    }
                    _ => logical("long", &named),
                }
            }
            other => return Err(no_form(other)),
        };
        self.out += &json;
        Ok(())
    }
}

/// Returns whether a time zone is UTC, which is what Avro's timestamps are in.
fn is_utc(zone: &str) -> bool {
    matches!(zone, "UTC" | "Etc/UTC" | "Z" | "+00:00" | "+0000")
}

fn no_form(data_type: &DataType) -> Error {
    let what = format!("the column has the type {data_type}, which has no form in Avro");
    Error::new(Kind::ValueMismatch, what).help("cast the column, or leave it out")
}

fn is_string(data_type: &DataType) -> bool {
    matches!(plain_type(data_type), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Returns whether the type is in a union with null, which null itself cannot be.
fn is_nullable(field: &Field) -> bool {
    let mut nullable = field.is_nullable();
    let mut data_type = field.data_type();
    loop {
        data_type = match data_type {
            DataType::Dictionary(_, values) => values,
            DataType::RunEndEncoded(_, values) => {
                nullable |= values.is_nullable();
                values.data_type()
            }
            DataType::Null => return false,
            _ => return nullable,
        };
    }
}

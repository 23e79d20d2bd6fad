//! Values in Thrift's compact protocol as trees, to change what is in footers and heads of pages.

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Bool(bool),
    /// A byte, and an integer with the code of its width.
    Byte(u8),
    Integer(u8, i64),
    Double([u8; 8]),
    Bytes(Vec<u8>),
    /// Elements, with the code of their kind.
    List(u8, Vec<Value>),
    Struct(Vec<(i64, Value)>),
}

impl Value {
    pub fn struct_at(bytes: &mut &[u8]) -> Self {
        parse(bytes, 12)
    }

    /// The value of a field.
    pub fn field(&mut self, number: i64) -> &mut Self {
        let Self::Struct(fields) = self else { panic!("{self:?} has no fields") };
        &mut fields.iter_mut().find(|(found, _)| *found == number).expect("the field").1
    }

    /// Sets a field, or leaves it out.
    pub fn set(&mut self, number: i64, value: Option<Value>) {
        let Self::Struct(fields) = self else { panic!("{self:?} has no fields") };
        fields.retain(|(found, _)| *found != number);
        if let Some(value) = value {
            let at = fields.partition_point(|(found, _)| *found < number);
            fields.insert(at, (number, value));
        }
    }

    pub fn items(&mut self) -> &mut Vec<Self> {
        let Self::List(_, items) = self else { panic!("{self:?} has no items") };
        items
    }

    pub fn number(&self) -> i64 {
        let Self::Integer(_, number) = self else { panic!("{self:?} is no integer") };
        *number
    }

    pub fn encoded(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }

    fn code(&self) -> u8 {
        match self {
            Self::Bool(true) => 1,
            Self::Bool(false) => 2,
            Self::Byte(_) => 3,
            Self::Integer(code, _) => *code,
            Self::Double(_) => 7,
            Self::Bytes(_) => 8,
            Self::List(..) => 9,
            Self::Struct(_) => 12,
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Bool(is_true) => out.push(if *is_true { 1 } else { 2 }),
            Self::Byte(byte) => out.push(*byte),
            Self::Integer(_, number) => unsigned((number << 1 ^ number >> 63) as u64, out),
            Self::Double(bytes) => out.extend(bytes),
            Self::Bytes(bytes) => {
                unsigned(bytes.len() as u64, out);
                out.extend(bytes);
            }
            Self::List(code, items) => {
                match items.len() {
                    0..15 => out.push((items.len() as u8) << 4 | code),
                    count => {
                        out.push(0xf0 | code);
                        unsigned(count as u64, out);
                    }
                }
                items.iter().for_each(|item| item.write(out));
            }
            Self::Struct(fields) => {
                let mut last = 0;
                for (number, value) in fields {
                    match number - last {
                        more @ 1..=15 => out.push((more as u8) << 4 | value.code()),
                        _ => {
                            out.push(value.code());
                            unsigned((number << 1) as u64, out);
                        }
                    }
                    last = *number;
                    if !matches!(value, Self::Bool(_)) {
                        value.write(out);
                    }
                }
                out.push(0);
            }
        }
    }
}

fn unsigned(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn byte(bytes: &mut &[u8]) -> u8 {
    let (first, rest) = bytes.split_first().expect("a byte");
    *bytes = rest;
    *first
}

fn take_unsigned(bytes: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let next = byte(bytes);
        number |= u64::from(next & 0x7f) << shift;
        shift += 7;
        if next < 0x80 {
            return number;
        }
    }
}

fn take_integer(bytes: &mut &[u8]) -> i64 {
    let number = take_unsigned(bytes);
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

fn parse(bytes: &mut &[u8], code: u8) -> Value {
    match code {
        1 | 2 => Value::Bool(byte(bytes) == 1),
        3 => Value::Byte(byte(bytes)),
        4..=6 => Value::Integer(code, take_integer(bytes)),
        7 => {
            let (double, rest) = bytes.split_first_chunk().expect("a double");
            *bytes = rest;
            Value::Double(*double)
        }
        8 => {
            let length = take_unsigned(bytes) as usize;
            let (found, rest) = bytes.split_at(length);
            *bytes = rest;
            Value::Bytes(found.to_vec())
        }
        9 => {
            let head = byte(bytes);
            let count = if head >> 4 == 15 { take_unsigned(bytes) } else { u64::from(head >> 4) };
            Value::List(head & 15, (0..count).map(|_| parse(bytes, head & 15)).collect())
        }
        12 => {
            let (mut fields, mut number) = (Vec::new(), 0);
            loop {
                let head = byte(bytes);
                if head == 0 {
                    return Value::Struct(fields);
                }
                number = if head >> 4 == 0 { take_integer(bytes) } else { number + i64::from(head >> 4) };
                let value = match head & 15 {
                    code @ 1..=2 => Value::Bool(code == 1),
                    code => parse(bytes, code),
                };
                fields.push((number, value));
            }
        }
        other => panic!("no kind {other}"),
    }
}

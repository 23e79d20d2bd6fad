//! Functions of DataFusion whose result length is an argument: the length is checked before it is allocated.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Int64Type, IntervalMonthDayNanoType};
use arrow_array::{Array as _, ArrayRef};
use arrow_schema::{DataType, FieldRef, IntervalUnit, TimeUnit};
use datafusion::arrow::compute;
use datafusion::common::ExprSchema;
use datafusion::config::ConfigOptions;
use datafusion::error::Result;
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::{
    ColumnarValue, Documentation, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature,
};
use tfxio_core::{Error, ErrorKind};

use crate::error::carried;

/// The functions that are bounded.
pub(super) const NAMES: [&str; 7] =
    ["array_repeat", "array_resize", "generate_series", "lpad", "range", "repeat", "rpad"];

/// Bytes that an item of a list takes beside its text.
const ITEM: u64 = 16;
const DAY: i128 = 86_400_000_000_000;

/// A function that refuses results of more than a number of bytes.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Bounded {
    function: ScalarUDF,
    bytes: u64,
}

impl Bounded {
    pub(super) fn new(function: ScalarUDF, bytes: u64) -> Self {
        Self { function, bytes }
    }

    fn inner(&self) -> &dyn ScalarUDFImpl {
        &**self.function.inner()
    }

    fn check(&self, args: &ScalarFunctionArgs) -> Result<()> {
        let bytes = needed(self.name(), args)?;
        if bytes <= self.bytes {
            return Ok(());
        }
        let what = format!(
            "{} would need {bytes} bytes for one batch of rows, and a function may take {}",
            self.name(),
            self.bytes
        );
        let help = "ask for less, or raise the memory of the session, on the command line --memory-bytes";
        Err(carried(Error::new(ErrorKind::LimitExceeded, what).help(help)))
    }
}

/// Returns the number of bytes that a result takes, or a little more; 0 where the function itself refuses its arguments.
fn needed(name: &str, args: &ScalarFunctionArgs) -> Result<u64> {
    let rows = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
    let rows = if rows { 1 } else { args.number_rows };
    let arrays = args.args.iter().map(|arg| arg.to_array(rows)).collect::<Result<Vec<_>>>()?;
    let sum = |each: &dyn Fn(usize) -> u64| (0..rows).map(each).fold(0, u64::saturating_add);
    Ok(match (name, arrays.as_slice()) {
        ("repeat", [text, count]) => {
            let (lengths, counts) = (lengths(text)?, numbers(count)?);
            sum(&|row| lengths(row).saturating_mul(counts(row)))
        }
        ("lpad" | "rpad", [_, count, fill @ ..]) => {
            let counts = numbers(count)?;
            // A character of the fill has as many bytes as all of it at most.
            let fill = fill.first().map(lengths).transpose()?;
            sum(&|row| counts(row).saturating_mul(fill.as_ref().map_or(1, |fill| fill(row).clamp(1, 4))))
        }
        ("array_repeat", [value, count]) => {
            let (sizes, counts) = (sizes(value)?, numbers(count)?);
            sum(&|row| counts(row).saturating_mul(sizes(row)))
        }
        ("array_resize", [_, count, fill @ ..]) => {
            let counts = numbers(count)?;
            let fill = fill.first().map(sizes).transpose()?;
            sum(&|row| counts(row).saturating_mul(fill.as_ref().map_or(ITEM, |fill| fill(row))))
        }
        ("range" | "generate_series", [end]) => {
            let ends = numbers(end)?;
            sum(&|row| ends(row).saturating_mul(ITEM))
        }
        ("range" | "generate_series", [start, end, step @ ..]) => {
            let (starts, ends) = (instants(start)?, instants(end)?);
            let steps = step.first().map(steps).transpose()?;
            let one = if is_time(start.data_type()) { DAY } else { 1 };
            sum(&|row| {
                let (from, to) = (starts(row), ends(row));
                let step = steps.as_ref().map_or(one, |steps| steps(row)).abs().max(1);
                let items = (to - from).abs() / step + 1;
                u64::try_from(items).unwrap_or(u64::MAX).saturating_mul(ITEM)
            })
        }
        _ => 0,
    })
}

/// Value of a row, computed on demand.
type Of<T> = Box<dyn Fn(usize) -> T>;

/// Returns the lengths of texts or bytes; 0 for nulls.
fn lengths(values: &ArrayRef) -> Result<Of<u64>> {
    let bytes = compute::cast(values, &DataType::LargeBinary)?;
    Ok(Box::new(move |row| {
        let bytes = bytes.as_binary::<i64>();
        if bytes.is_null(row) { 0 } else { bytes.value(row).len() as u64 }
    }))
}

/// Returns how much an item of a list takes that is made of each value.
fn sizes(values: &ArrayRef) -> Result<Of<u64>> {
    match values.data_type() {
        DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView => {
            let lengths = lengths(values)?;
            Ok(Box::new(move |row| lengths(row).saturating_add(ITEM)))
        }
        data_type if data_type.is_primitive() || data_type.is_null() => Ok(Box::new(|_| ITEM)),
        // As much as all of its rows, of which there is mostly one.
        _ => {
            let all =
                (values.to_data().get_slice_memory_size().unwrap_or(usize::MAX) as u64).saturating_add(ITEM);
            Ok(Box::new(move |_| all))
        }
    }
}

/// Returns the numbers of rows; 0 for nulls and for numbers that are not positive.
fn numbers(values: &ArrayRef) -> Result<Of<u64>> {
    let numbers = compute::cast(values, &DataType::Int64)?;
    Ok(Box::new(move |row| {
        let numbers = numbers.as_primitive::<Int64Type>();
        if numbers.is_null(row) { 0 } else { u64::try_from(numbers.value(row)).unwrap_or_default() }
    }))
}

fn is_time(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Date32 | DataType::Date64 | DataType::Timestamp(..))
}

/// Returns numbers as they are, and times as nanoseconds.
fn instants(values: &ArrayRef) -> Result<Of<i128>> {
    let unit = match values.data_type() {
        DataType::Date32 => DAY,
        DataType::Date64 | DataType::Timestamp(TimeUnit::Millisecond, _) => 1_000_000,
        DataType::Timestamp(TimeUnit::Second, _) => 1_000_000_000,
        DataType::Timestamp(TimeUnit::Microsecond, _) => 1000,
        _ => 1,
    };
    let numbers = match values.data_type() {
        DataType::Date32 => compute::cast(&compute::cast(values, &DataType::Int32)?, &DataType::Int64)?,
        _ => compute::cast(values, &DataType::Int64)?,
    };
    Ok(Box::new(move |row| {
        let numbers = numbers.as_primitive::<Int64Type>();
        if numbers.is_null(row) { 0 } else { i128::from(numbers.value(row)) * unit }
    }))
}

/// Returns steps as numbers, and intervals as nanoseconds.
fn steps(values: &ArrayRef) -> Result<Of<i128>> {
    if !matches!(values.data_type(), DataType::Interval(_)) {
        return instants(values);
    }
    let intervals = compute::cast(values, &DataType::Interval(IntervalUnit::MonthDayNano))?;
    Ok(Box::new(move |row| {
        let intervals = intervals.as_primitive::<IntervalMonthDayNanoType>();
        if intervals.is_null(row) {
            return 1;
        }
        let interval = intervals.value(row);
        let days = i128::from(interval.months) * 28 + i128::from(interval.days);
        days * DAY + i128::from(interval.nanoseconds)
    }))
}

/// All but the check is of the function itself.
impl ScalarUDFImpl for Bounded {
    fn name(&self) -> &str {
        self.inner().name()
    }

    fn aliases(&self) -> &[String] {
        self.inner().aliases()
    }

    fn signature(&self) -> &Signature {
        self.inner().signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.inner().return_type(types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        self.inner().return_field_from_args(args)
    }

    fn is_nullable(&self, args: &[Expr], schema: &dyn ExprSchema) -> bool {
        #[expect(deprecated, reason = "what the function itself says")]
        self.inner().is_nullable(args, schema)
    }

    fn is_strict(&self) -> bool {
        self.inner().is_strict()
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        self.check(&args)?;
        self.inner().invoke_with_args(args)
    }

    fn with_updated_config(&self, config: &ConfigOptions) -> Option<ScalarUDF> {
        let function = self.inner().with_updated_config(config)?;
        Some(ScalarUDF::new_from_impl(Self::new(function, self.bytes)))
    }

    fn simplify(&self, args: Vec<Expr>, info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        self.inner().simplify(args, info)
    }

    fn short_circuits(&self) -> bool {
        self.inner().short_circuits()
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.inner().coerce_types(types)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.inner().documentation()
    }
}

/// Returns a function that is bounded.
pub(super) fn bounded(function: &Arc<ScalarUDF>, bytes: u64) -> ScalarUDF {
    ScalarUDF::new_from_impl(Bounded::new(ScalarUDF::clone(function), bytes))
}

//! Functions of text over lists, structs and maps: DataFusion would take their text, such as `[1, 2]`, without a word.

use arrow_schema::{DataType, FieldRef};
use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
use datafusion::common::{DFSchema, Diagnostic};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::type_coercion::functions::{UDFCoercionExt, fields_with_udf};
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Expr, ExprSchemable as _, LogicalPlan, WindowFunctionDefinition};

/// Refuses a plan in which a function of text is given a list, a struct or a map that is not cast to text.
///
/// Works on plans before types are coerced: afterwards nobody can tell such a cast from one that was written.
pub(crate) fn check(plan: &LogicalPlan) -> Result<()> {
    plan.apply_with_subqueries(|node| {
        let schema = merge_schema(&node.inputs());
        node.apply_expressions(|expr| {
            expr.apply(|expr| {
                check_expr(expr, &schema)?;
                Ok(TreeNodeRecursion::Continue)
            })
        })
    })?;
    Ok(())
}

fn check_expr(expr: &Expr, schema: &DFSchema) -> Result<()> {
    match expr {
        Expr::ScalarFunction(call) => check_call(&*call.func, &call.args, schema),
        Expr::AggregateFunction(call) => check_call(&*call.func, &call.params.args, schema),
        Expr::WindowFunction(call) => match &call.fun {
            WindowFunctionDefinition::AggregateUDF(function) => {
                check_call(&**function, &call.params.args, schema)
            }
            WindowFunctionDefinition::WindowUDF(function) => {
                check_call(&**function, &call.params.args, schema)
            }
        },
        _ => Ok(()),
    }
}

fn check_call(function: &impl UDFCoercionExt, args: &[Expr], schema: &DFSchema) -> Result<()> {
    // What has no type, or fits no function, is an error of DataFusion.
    let given: Result<Vec<FieldRef>> = args.iter().map(|arg| Ok(arg.to_field(schema)?.1)).collect();
    let Ok(given) = given else { return Ok(()) };
    if given.iter().all(|field| Nested::of(field.data_type()).is_none()) {
        return Ok(());
    }
    let Ok(taken) = fields_with_udf(&given, function) else { return Ok(()) };
    for ((arg, given), taken) in args.iter().zip(&given).zip(&taken) {
        if let Some(nested) = Nested::of(given.data_type())
            && is_text(taken.data_type())
        {
            return Err(refused(function.name(), arg, nested));
        }
    }
    Ok(())
}

fn refused(function: &str, arg: &Expr, nested: Nested) -> DataFusionError {
    let (function, name) = (as_written(function), arg.human_display().to_string());
    let what = format!(
        "{function} takes text, and {name} is a {}: {}; where its text is meant, write cast({name} as text)",
        nested.name(),
        nested.instead(&name, function)
    );
    let span = arg.spans().and_then(|spans| spans.first());
    let error = DataFusionError::Plan(what.clone());
    if span.is_some() { error.with_diagnostic(Diagnostic::new_error(what, span)) } else { error }
}

/// Returns what a function is mostly called that has a longer name.
fn as_written(function: &str) -> &str {
    match function {
        "character_length" => "length",
        "btrim" => "trim",
        other => other,
    }
}

/// Replaces an error of planning about a function that does not take a list, a struct or a map by a message with an
/// alternative.
pub(crate) fn explained(error: DataFusionError) -> DataFusionError {
    match explanation(&error.strip_backtrace()) {
        Some(what) => DataFusionError::Plan(what),
        None => error,
    }
}

fn explanation(text: &str) -> Option<String> {
    let is_of_types = ["No function matches", "default cast for native type String"];
    if !is_of_types.iter().any(|part| text.contains(part)) {
        return None;
    }
    let (at, nested) = NAMES.iter().filter_map(|(name, nested)| Some((text.find(name)?, *nested))).min()?;
    let data_type = whole_type(text.get(at + 1..)?);
    let function = text.split_once("unction '").and_then(|(_, rest)| rest.split_once('\''));
    let function = function.map_or("the function", |(name, _)| as_written(name));
    let (of, instead) = (nested.name(), nested.instead("x", function));
    Some(format!("{function} does not take a {of}, and was given {data_type}: {instead}"))
}

/// Beginnings of type names in errors of DataFusion.
const NAMES: [(&str, Nested); 7] = [
    (" List(", Nested::List),
    (" LargeList(", Nested::List),
    (" FixedSizeList(", Nested::List),
    (" ListView(", Nested::List),
    (" LargeListView(", Nested::List),
    (" Struct(", Nested::Struct),
    (" Map(", Nested::Map),
];

/// Returns a type with all of its brackets from the beginning of a text.
fn whole_type(text: &str) -> &str {
    let mut open = 0_usize;
    for (at, char) in text.char_indices() {
        match char {
            '(' => open += 1,
            ')' if open <= 1 => return text.get(..=at).unwrap_or(text),
            ')' => open -= 1,
            _ => {}
        }
    }
    text
}

/// A type whose values have values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Nested {
    List,
    Struct,
    Map,
}

impl Nested {
    fn of(data_type: &DataType) -> Option<Self> {
        match data_type {
            DataType::List(_)
            | DataType::LargeList(_)
            | DataType::FixedSizeList(..)
            | DataType::ListView(_)
            | DataType::LargeListView(_) => Some(Self::List),
            DataType::Struct(_) => Some(Self::Struct),
            DataType::Map(..) => Some(Self::Map),
            DataType::Dictionary(_, values) => Self::of(values),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Struct => "struct",
            Self::Map => "map",
        }
    }

    /// Returns what may be meant instead.
    fn instead(self, name: &str, function: &str) -> String {
        match self {
            Self::List if function.starts_with("concat") => format!(
                "array_concat joins lists, array_to_string({name}, ',') is its values as one text, {name}[1] the first value"
            ),
            Self::List => format!(
                "array_length({name}) is the number of its values, {name}[1] the first, array_to_string({name}, ',') all as one text"
            ),
            Self::Struct => format!("{name}['FIELD'] is a field of it"),
            Self::Map => {
                format!("cardinality({name}) is the number of its entries, {name}['KEY'] the value of one")
            }
        }
    }
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

#[cfg(test)]
mod tests {
    use super::{explanation, whole_type};

    #[test]
    fn types_have_all_of_their_brackets() {
        for (text, expected) in [
            ("List(Int64), Utf8 to", "List(Int64)"),
            ("Struct(\"a\": List(Int64)), x", "Struct(\"a\": List(Int64))"),
            ("Map(", "Map("),
            ("", ""),
        ] {
            assert_eq!(whole_type(text), expected);
        }
    }

    #[test]
    fn other_errors_stay_as_they_are() {
        assert_eq!(explanation("No function matches the given name and argument types 'lower(Int64)'"), None);
        assert_eq!(explanation("there is no column List(Int64)"), None);
    }
}

//! Depth of statements and of their plans, which is bounded: whatever works on them recurses.

use std::collections::HashMap;
use std::ops::ControlFlow;

use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::sql::parser::{CopyToSource, Statement};
use datafusion::sql::sqlparser::ast::{Expr as SqlExpr, ObjectName, Query, SetExpr, Visit, Visitor};
use datafusion::sql::sqlparser::parser::ParserError;
use datafusion::sql::sqlparser::tokenizer::{Token, TokenWithSpan};
use tfxio_core::{Error, ErrorKind};

use crate::error::carried;

/// Levels of a statement that are run.
const LEVELS: usize = 3000;
/// Tables and queries that a statement reads from; a query in `with` counts each time it is read from. Planning takes
/// time quadratic in their number.
const TABLES: u64 = 2000;
/// Levels of a plan: joins of joins, unions of unions, and tables of `with` that read from each other.
const PLAN_LEVELS: usize = 3000;
/// Nodes of a plan, each as often as it is planned: a table of `with` is planned wherever it is read.
const PLAN_NODES: u64 = 20_000;
/// Words between two commas, which are at least as many as levels that the parser makes of them.
const WORDS: usize = 50_000;
/// Levels for which the stack of any thread is large enough, and words that make no more levels than that.
pub(crate) const FLAT: usize = 100;

/// Refuses a text of more than `WORDS` words without a comma, whose levels may not fit on a stack. Returns whether it has more
/// than are certainly few.
pub(super) fn check_words(tokens: &[TokenWithSpan]) -> Result<bool> {
    // Words since the last comma, of each bracket that is open.
    let (mut outer, mut here, mut is_long) = (Vec::new(), 0_usize, false);
    let mut below = 0_usize;
    for token in tokens {
        match &token.token {
            Token::Whitespace(_) => continue,
            Token::LParen | Token::LBracket | Token::LBrace => {
                outer.push(here);
                below = below.saturating_add(here);
                here = 0;
            }
            Token::RParen | Token::RBracket | Token::RBrace => {
                here = outer.pop().unwrap_or_default();
                below = below.saturating_sub(here);
                here = here.saturating_add(1);
            }
            Token::Comma => here = 0,
            Token::SemiColon => (here, below) = (0, 0),
            _ => here = here.saturating_add(1),
        }
        let words = below.saturating_add(here);
        is_long |= words > FLAT;
        if words > WORDS {
            let what = format!("the statement has more than {WORDS} words in a row without a comma");
            return Err(too_deep(what));
        }
    }
    Ok(is_long)
}

/// Returns how deep expressions and queries of a statement are nested in each other.
pub(super) fn of(statement: &Statement) -> usize {
    measured(statement).deepest
}

fn measured(statement: &Statement) -> Depth {
    let mut depth = Depth::default();
    let _ = match statement {
        Statement::Statement(statement) => statement.visit(&mut depth),
        Statement::CopyTo(copy) => match &copy.source {
            CopyToSource::Query(query) => query.visit(&mut depth),
            CopyToSource::Relation(_) => ControlFlow::Continue(()),
        },
        Statement::Explain(explain) => return measured(&explain.statement),
        _ => ControlFlow::Continue(()),
    };
    depth
}

/// Refuses a statement that is nested too deep.
pub(super) fn check(statement: &Statement) -> Result<()> {
    let Depth { deepest: levels, steps, .. } = measured(statement);
    if steps > TABLES {
        return Err(too_many(format!(
            "the statement reads from {steps} tables and queries, and at most {TABLES} are read"
        )));
    }
    if levels <= LEVELS {
        return Ok(());
    }
    Err(too_deep(format!("the statement is nested {levels} levels deep, and at most {LEVELS} are run")))
}

/// Replaces the parser's error about its recursion limit by an explanation.
pub(super) fn explained(error: DataFusionError) -> DataFusionError {
    let DataFusionError::SQL(inner, _) = &error else { return error };
    if !matches!(**inner, ParserError::RecursionLimitExceeded) {
        return error;
    }
    let what = "brackets, functions, queries, `not` or minus signs of the statement are nested more than 50 levels deep, the most \
                that are read";
    let help = "name inner queries in `with`, and leave out brackets that are not needed";
    carried(Error::new(ErrorKind::LimitExceeded, what).help(help))
}

fn too_deep(what: String) -> DataFusionError {
    let help = "add up long chains of operators in parts, write long lists as `in (…)`, or put the values in a file and join it";
    carried(Error::new(ErrorKind::LimitExceeded, what).help(help))
}

/// Returns the error of a statement or a plan that reads too often.
fn too_many(what: String) -> DataFusionError {
    let help = "a query of `with` is run wherever it is read from; write what is read several times to a file with `copy`";
    carried(Error::new(ErrorKind::LimitExceeded, what).help(help))
}

/// Returns the number of queries that unions and the like put together.
fn selects(body: &SetExpr) -> u64 {
    let (mut open, mut count) = (vec![body], 0);
    while let Some(body) = open.pop() {
        match body {
            SetExpr::SetOperation { left, right, .. } => open.extend([&**left, &**right]),
            _ => count += 1,
        }
    }
    count
}

/// Nesting of a statement.
#[derive(Debug, Default)]
struct Depth {
    here: usize,
    deepest: usize,
    /// Tables that are read; the tables of a query in `with` count each time it is read from.
    steps: u64,
    /// Queries that enclose the visited node.
    queries: Vec<Around>,
}

/// A query that encloses the visited node.
#[derive(Debug)]
struct Around {
    query: *const Query,
    steps: u64,
    /// Queries of its `with`, and their names.
    named: HashMap<*const Query, String>,
    /// Steps of the queries in `with` that were visited, by name.
    known: HashMap<String, u64>,
}

impl Depth {
    fn enter(&mut self) -> ControlFlow<()> {
        self.here += 1;
        self.deepest = self.deepest.max(self.here);
        ControlFlow::Continue(())
    }

    fn leave(&mut self) -> ControlFlow<()> {
        self.here = self.here.saturating_sub(1);
        ControlFlow::Continue(())
    }

    fn add(&mut self, steps: u64) {
        let sum = self.queries.last_mut().map_or(&mut self.steps, |around| &mut around.steps);
        *sum = sum.saturating_add(steps);
    }
}

impl Visitor for Depth {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let named = query.with.iter().flat_map(|with| &with.cte_tables);
        let named = named.map(|table| (&raw const *table.query, table.alias.name.value.to_lowercase()));
        let steps = selects(&query.body);
        let around = Around { query, steps, named: named.collect(), known: HashMap::new() };
        self.queries.push(around);
        self.enter()
    }

    fn post_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        if let Some(Around { query: of, steps, .. }) = self.queries.pop() {
            debug_assert!(std::ptr::eq(of, query), "queries end in the order in which they begin");
            match self.queries.last_mut() {
                Some(Around { named, known, .. }) if named.contains_key(&of) => {
                    known.extend(named.remove(&of).map(|name| (name, steps)));
                }
                _ => self.add(steps),
            }
        }
        self.leave()
    }

    fn pre_visit_relation(&mut self, name: &ObjectName) -> ControlFlow<()> {
        let name = match name.0.as_slice() {
            [part] => part.as_ident().map(|name| name.value.to_lowercase()),
            _ => None,
        };
        let known =
            name.and_then(|name| self.queries.iter().rev().find_map(|around| around.known.get(&name)));
        let steps = known.copied().unwrap_or(1);
        self.add(steps);
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, _: &SqlExpr) -> ControlFlow<()> {
        self.enter()
    }

    fn post_visit_expr(&mut self, _: &SqlExpr) -> ControlFlow<()> {
        self.leave()
    }
}

/// Levels and nodes of a plan.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    levels: usize,
    nodes: u64,
}

/// Refuses a plan that is too deep, or has too many nodes, for what works on it. Returns its levels.
pub(crate) fn check_plan(plan: &LogicalPlan) -> Result<usize> {
    let size = size(plan, &mut HashMap::new())?;
    let help =
        "read from fewer tables in one statement, or write what is read several times to a file with `copy`";
    if size.nodes > PLAN_NODES {
        let steps = size.nodes;
        return Err(too_many(format!(
            "the plan of the statement has {steps} steps, and at most {PLAN_NODES} are run"
        )));
    }
    if size.levels <= PLAN_LEVELS {
        return Ok(size.levels);
    }
    let what =
        format!("the plan of the statement has {} levels, and at most {PLAN_LEVELS} are run", size.levels);
    Err(carried(Error::new(ErrorKind::LimitExceeded, what).help(help)))
}

/// Returns the size of a plan, of which a part that is shared is looked at once.
fn size(plan: &LogicalPlan, known: &mut HashMap<*const LogicalPlan, Size>) -> Result<Size> {
    if let Some(known) = known.get(&std::ptr::from_ref(plan)) {
        return Ok(*known);
    }
    let mut all = Size::default();
    let mut add = |below: Size| {
        all.levels = all.levels.max(below.levels);
        all.nodes = all.nodes.saturating_add(below.nodes);
    };
    for input in plan.inputs() {
        add(size(input, known)?);
    }
    if let LogicalPlan::TableScan(scan) = plan
        && let Some(view) = scan.source.get_logical_plan()
    {
        add(size(&view, known)?);
    }
    plan.apply_expressions(|expression| {
        expression.apply(|expression| {
            let query = match expression {
                Expr::ScalarSubquery(query) => Some(query),
                Expr::InSubquery(within) => Some(&within.subquery),
                Expr::SetComparison(within) => Some(&within.subquery),
                Expr::Exists(exists) => Some(&exists.subquery),
                _ => None,
            };
            if let Some(query) = query {
                add(size(&query.subquery, known)?);
            }
            Ok(TreeNodeRecursion::Continue)
        })
    })?;
    let size = Size { levels: all.levels + 1, nodes: all.nodes.saturating_add(1) };
    known.insert(std::ptr::from_ref(plan), size);
    Ok(size)
}

//! `tfxio tail`: shows the last rows.

use tfxio::prelude::*;

use crate::args::Tail;
use crate::context::Context;
use crate::{Done, selection};

pub(crate) fn run(args: &Tail, context: &Context) -> Done {
    selection::show(&args.files, &args.shown, context, |selection| {
        selection.dataset.tail(args.rows, selection.request.clone())
    })
}

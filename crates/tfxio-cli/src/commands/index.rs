//! `tfxio index`: writes an index beside each file.

use crate::Done;
use crate::args::Index;
use crate::failure::Failure;

pub(crate) fn run(args: &Index) -> Done {
    Err(Failure::Usage(format!("index is not there yet: {:?}", args.files)))
}

//! `tfxio man`: the manual, a page a command.

use std::io::Write as _;

use clap::Command;
use clap_mangen::Man as Page;
use tfxio::tfxio_core::suggest;
use tfxio::{Error, Formats, OutputFile};

use crate::args::Man;
use crate::failure::Failure;
use crate::output::Output;
use crate::{Done, help, left_out};

pub(crate) fn run(args: &Man, formats: &Formats) -> Done {
    let mut program = help::command(formats).disable_help_subcommand(true);
    // Global flags become those of each command.
    program.build();
    if let Some(folder) = &args.output {
        let failed = |error| Error::io(error, "creating the folder").in_file(&*folder.to_string_lossy());
        std::fs::create_dir_all(folder).map_err(failed)?;
        for (name, page) in pages(&program)? {
            OutputFile::write(folder.join(format!("{name}.1")), &page)?;
        }
        return Ok(());
    }
    let name = args.command.as_ref().map_or("tfxio".to_owned(), |command| format!("tfxio-{command}"));
    let pages = pages(&program)?;
    let Some((_, page)) = pages.iter().find(|(known, _)| *known == name) else {
        let command = args.command.as_deref().unwrap_or_default();
        if let Some(tip) = left_out::command_tip(command, &program) {
            return Err(Failure::Usage(tip));
        }
        let commands = program.get_subcommands().map(Command::get_name).collect::<Vec<_>>();
        let hint = suggest::hint(command, commands.iter().copied(), "commands");
        return Err(Failure::Usage(format!("there is no command {command:?}; {hint}")));
    };
    let mut out = Output::new();
    out.write_all(page)?;
    Ok(out.finish()?)
}

/// Returns the pages of the program and its commands, with their names.
fn pages(program: &Command) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let mut pages = vec![("tfxio".to_owned(), page(program.clone())?)];
    for command in program.get_subcommands() {
        let name = format!("tfxio-{}", command.get_name());
        pages.push((name.clone(), page(command.clone().display_name(name))?));
    }
    Ok(pages)
}

fn page(command: Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    Page::new(command).render(&mut page)?;
    Ok(page)
}

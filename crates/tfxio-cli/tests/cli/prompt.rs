//! The prompt of `tfxio sql`, on a terminal that the program `script` makes.
#![cfg(target_os = "linux")]

use std::thread;
use std::time::Instant;

use crate::terminal::{PATIENCE, Terminal};

/// The end of statements that would take days.
const ENDLESS: &str = "from generate_series(1, 1000000000000000)";

/// Starts the prompt on a terminal that reports its cursor; `None` without `script`.
fn start(state: &std::path::Path, kind: &str) -> Option<Terminal> {
    Terminal::run(state, kind, true, &format!("exec '{}' sql --format csv", env!("CARGO_BIN_EXE_tfxio")))
}

#[test]
fn statements_are_typed_completed_and_kept() {
    let state = tempfile::tempdir().unwrap();
    let Some(mut terminal) = start(state.path(), "xterm") else { return };
    terminal.wait("tfxio> ");
    // Lines go on until the semicolon.
    terminal.press("select 40 + /* /* ; */\r");
    terminal.wait("   ... ");
    terminal.press("*/ 2 as answer;\r");
    terminal.wait("answer\r\n42\r\n");
    terminal.wait("tfxio> ");
    // What is given up is not run.
    terminal.press("select 'given up");
    terminal.wait("given up");
    terminal.press("\u{3}");
    terminal.wait("tfxio> ");
    terminal.press("SEL\t count(*) as n fr\t 'fixtures/digits/digits-00000\t';\r");
    terminal.wait("SELECT count(*) as n from 'fixtures/digits/digits-00000-of-00003.tfrecord");
    terminal.wait("n\r\n599\r\n");
    terminal.wait("tfxio> ");
    // Columns of files that were read are known.
    terminal.press("select max(lab\t) as m from 'fixtures/digits/digits@3.tfrecord';\r");
    terminal.wait("m\r\n9\r\n");
    terminal.wait("tfxio> ");
    // Several choices are shown, the first as the one that is chosen, and a mistake does not end the prompt.
    terminal.press("select la\t");
    terminal.wait(">LABEL");
    terminal.wait("last_value");
    terminal.press("ble;\r");
    terminal.wait("error: ");
    terminal.wait("tfxio> ");
    terminal.press("\u{4}");
    assert_eq!(terminal.end(), 0);

    let Some(mut terminal) = start(state.path(), "xterm") else { return };
    terminal.wait("tfxio> ");
    terminal.press("\u{1b}[A\u{1b}[A");
    terminal.wait("select max(label) as m");
    terminal.press("\r");
    terminal.wait("m\r\n9\r\n");
    terminal.wait("tfxio> ");
    // What is found is taken by Enter, and run by another.
    terminal.press("\u{12}as ans");
    terminal.wait("(search: as ans) ");
    terminal.wait("2 as answer;");
    terminal.press("\r\r");
    terminal.wait("answer\r\n42\r\n");
    terminal.wait("tfxio> ");
    terminal.press("quit\r");
    assert_eq!(terminal.end(), 0);
    let kept = std::fs::read_to_string(state.path().join("tfxio/sql_history")).unwrap();
    let first = "select 40 + /* /* ; */\\n*/ 2 as answer;\n";
    assert!(kept.starts_with(first) && kept.lines().count() == 6, "{kept}");
    assert!(kept.ends_with(first) && !kept.contains("given up"), "{kept}");
}

#[test]
fn a_statement_that_runs_is_cancelled() {
    let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let Some(mut terminal) = start(state.path(), "xterm") else { return };
    terminal.wait("tfxio> ");
    // Nothing has come of the second yet, of the third rows have, in any order.
    for statement in [
        format!("select 7 as began; select max(value % 7) {ENDLESS};"),
        format!("select value as began {ENDLESS};"),
    ] {
        terminal.press(&format!("{statement}\r"));
        terminal.wait("began\r\n");
        terminal.press("\u{3}");
        terminal.wait("error: interrupted\r\n");
        terminal.wait("tfxio> ");
    }
    let names = || std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let output = folder.path().join("all.csv").display().to_string();
    terminal.press(&format!("copy (select value {ENDLESS}) to '{output}';\r"));
    let deadline = Instant::now() + PATIENCE;
    while names().next().is_none() {
        assert!(Instant::now() < deadline, "nothing is written");
        thread::yield_now();
    }
    terminal.press("\u{3}");
    terminal.wait("\r\nerror: interrupted\r\n");
    assert_eq!(names().collect::<Vec<_>>(), [""; 0]);
    terminal.wait("tfxio> ");
    terminal.press("select 40 + 2 as answer;\r");
    terminal.wait("answer\r\n42\r\n");
    terminal.wait("tfxio> ");
    terminal.press("\u{4}");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_narrow_window_shows_what_is_typed() {
    let state = tempfile::tempdir().unwrap();
    let line = format!("stty columns 20 rows 6; '{}' sql --format csv", env!("CARGO_BIN_EXE_tfxio"));
    let Some(mut terminal) = Terminal::run(state.path(), "xterm", true, &line) else { return };
    terminal.wait("tfxio> ");
    terminal.press("select '日本 🦀🦀' as\r");
    terminal.wait("   ... ");
    terminal.press("crabs, length('🦀') as n;\r");
    terminal.wait("crabs,n\r\n日本 🦀🦀,1\r\n");
    terminal.wait("tfxio> ");
    // A text that is longer than the window, and its first character.
    terminal.press(&format!("select 1 as one{};\r", "\r,2".repeat(9)));
    terminal.wait(",2;");
    terminal.wait("tfxio> ");
    terminal.press("\u{1b}[A\u{1b}<x");
    // The cursor is between them.
    terminal.wait("x\u{1b}7select");
    terminal.press("\u{3}");
    terminal.wait("tfxio> ");
    terminal.press("\u{4}");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn a_terminal_that_cannot_be_drawn_on_has_a_prompt() {
    let state = tempfile::tempdir().unwrap();
    let Some(mut terminal) = start(state.path(), "dumb") else { return };
    terminal.wait("tfxio> ");
    terminal.press("select 40 +\n2 as answer;\n");
    terminal.wait("answer\r\n42\r\n");
    // What is given up is not run.
    terminal.wait("tfxio> ");
    terminal.press("select 'given up\n");
    terminal.wait("   ... ");
    terminal.press("and up\u{3}");
    terminal.wait("tfxio> ");
    terminal.press(&format!("select 7 as began; select max(value % 7) {ENDLESS};\n"));
    terminal.wait("began\r\n7\r\n");
    terminal.press("\u{3}");
    terminal.wait("\r\nerror: interrupted\r\n");
    terminal.wait("tfxio> ");
    // What the input ends within is run, as of a file.
    terminal.press("select 40 +\n3 as other\n\u{4}");
    terminal.wait("other\r\n43\r\n");
    assert_eq!(terminal.end(), 0);
    assert!(!state.path().join("tfxio").exists());
}

#[test]
fn a_terminal_that_does_not_say_where_its_cursor_is_has_a_prompt() {
    let state = tempfile::tempdir().unwrap();
    let line = format!("'{}' sql --format csv", env!("CARGO_BIN_EXE_tfxio"));
    let Some(mut terminal) = Terminal::run(state.path(), "xterm", false, &line) else { return };
    terminal.wait("note: no history and no completion: the terminal does not say where its cursor is");
    terminal.wait("tfxio> ");
    terminal.press("select 42 as answer;\n");
    terminal.wait("answer\r\n42\r\n");
    terminal.press("\u{4}");
    assert_eq!(terminal.end(), 0);
}

#[test]
fn prompts_are_not_in_a_file_of_answers() {
    let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let output = folder.path().join("answers.csv");
    let line = format!("'{}' sql --format csv > '{}'", env!("CARGO_BIN_EXE_tfxio"), output.display());
    let Some(mut terminal) = Terminal::run(state.path(), "xterm", true, &line) else { return };
    terminal.wait("tfxio> ");
    terminal.press("select 42 as answer;\n");
    terminal.wait("tfxio> ");
    terminal.press("\u{4}");
    assert_eq!(terminal.end(), 0);
    assert_eq!(std::fs::read_to_string(output).unwrap(), "answer\n42\n");
}

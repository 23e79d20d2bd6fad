//! Keys, and what they leave.

use super::*;

/// Presses the keys of a text, and returns what the last has done.
fn typed(editor: &mut Editor, text: &str) -> Step {
    let press = |character| editor.press(if character == '\n' { Key::Enter } else { Key::Char(character) });
    text.chars().map(press).last().unwrap()
}

fn shown(editor: &Editor) -> String {
    format!("{}|{}", editor.line.before(), editor.line.after())
}

#[test]
fn a_text_goes_on_until_its_semicolon() {
    let mut editor = Editor::default();
    assert_eq!(typed(&mut editor, "select ';'\n"), Step::Draw);
    assert_eq!(typed(&mut editor, "from x;"), Step::Draw);
    editor.press(Key::ArrowLeft);
    // Wherever the cursor is.
    assert_eq!(editor.press(Key::Enter), Step::Whole);
    assert_eq!(editor.line.text(), "select ';'\nfrom x;");
    assert_eq!(Editor::default().press(Key::Enter), Step::Whole);
    assert_eq!(typed(&mut Editor::default(), "quit\n"), Step::Whole);
}

#[test]
fn keys_of_control() {
    let mut editor = Editor::default();
    typed(&mut editor, "select 1");
    assert_eq!(editor.press(Key::CtrlC), Step::GivenUp);
    // Not the end, where there is something to delete.
    editor.press(Key::Home);
    assert_eq!(editor.press(Key::Char('\u{4}')), Step::Draw);
    assert_eq!(shown(&editor), "|elect 1");
    editor.press(Key::UnknownEscSeq(vec!['f']));
    editor.press(Key::Char('\u{b}'));
    assert_eq!(shown(&editor), "elect|");
    editor.press(Key::Backspace);
    editor.press(Key::Char('\u{17}'));
    assert_eq!(shown(&editor), "|");
    assert_eq!(editor.press(Key::Char('\u{4}')), Step::End);
    assert_eq!(editor.press(Key::Char('\u{c}')), Step::Clear);
    // Others do nothing.
    for key in [Key::Char('\u{1c}'), Key::PageUp, Key::Unknown, Key::UnknownEscSeq(vec!['[', '1', ';'])] {
        assert_eq!(editor.press(key), Step::Draw);
    }
    assert_eq!(shown(&editor), "|");
}

#[test]
fn up_and_down_go_through_lines_and_then_through_statements() {
    let mut editor = Editor::default();
    editor.history.add("select 1\nfrom x;");
    typed(&mut editor, "sel");
    editor.press(Key::ArrowUp);
    assert_eq!(shown(&editor), "select 1\nfrom x;|");
    editor.press(Key::ArrowUp);
    assert_eq!(shown(&editor), "select |1\nfrom x;");
    // There is none before it.
    editor.press(Key::ArrowUp);
    assert_eq!(shown(&editor), "select |1\nfrom x;");
    editor.press(Key::ArrowDown);
    editor.press(Key::ArrowDown);
    assert_eq!(shown(&editor), "sel|");
}

#[test]
fn tab_completes_what_is_sure_and_lists_what_is_not() {
    let mut editor = Editor::default();
    typed(&mut editor, "SEL");
    assert_eq!(editor.press(Key::Tab), Step::Draw);
    assert_eq!(shown(&editor), "SELECT|");
    typed(&mut editor, " dis");
    editor.press(Key::Tab);
    typed(&mut editor, " o");
    let choices = ["offset", "on", "or", "order", "outer"].map(str::to_owned).to_vec();
    assert_eq!(editor.press(Key::Tab), Step::Choices(choices));
    assert_eq!(shown(&editor), "SELECT distinct o|");
    typed(&mut editor, "rd");
    editor.press(Key::Tab);
    assert_eq!(shown(&editor), "SELECT distinct order|");
    // Nothing begins so.
    typed(&mut editor, " zz");
    assert_eq!(editor.press(Key::Tab), Step::Draw);
    assert_eq!(shown(&editor), "SELECT distinct order zz|");
}

#[test]
fn choices_stand_in_columns() {
    let list = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    assert_eq!(listed(&list(&["a", "bcd", "日"]), 12), "a    bcd\n日\n");
    assert_eq!(listed(&list(&["a", "b"]), 0), "a\nb\n");
    // What data call their columns is made harmless.
    assert_eq!(listed(&list(&["a\u{1b}[2J"]), 80), "a\\u001b[2J\n");
    let many = vec!["x".to_owned(); LISTED + 3];
    assert!(listed(&many, 80).ends_with("x\nand 3 more\n"));
}

//! A prompt with history and completion, by the line editor of `reedline`.

use std::borrow::Cow;

use reedline::{
    Color, ColumnarMenu, EditCommand, Emacs, FileBackedHistory, Highlighter, History as _, HistoryItem,
    KeyCode, KeyModifiers, MenuBuilder as _, PromptEditMode, PromptHistorySearch, Reedline, ReedlineEvent,
    ReedlineMenu, Signal, StyledText, ValidationResult, Validator, default_emacs_keybindings,
};
use tfxio::{Error, ErrorKind};

use super::complete::Words;
use super::history::{self, History};
use super::{PROMPTS, Prompt, text};
use crate::{Done, escape};

/// The name of the menu that Tab opens.
const MENU: &str = "choices";

/// Reads statements until the end of the input, and runs each.
pub(super) fn run(prompt: &Prompt<'_>) -> Done {
    let (mut history, statements) = History::load();
    let failed = |why| Error::new(ErrorKind::Io, "the prompt failed").because(why);
    let mut editor = editor(statements).map_err(|error| failed(std::io::Error::from(error)))?;
    loop {
        editor = editor.with_completer(Box::new(Words::new(prompt.engine)));
        let typed = match editor.read_line(&Shown).map_err(failed)? {
            Signal::Success(typed) => typed,
            Signal::CtrlD => return Ok(()),
            // What is typed is given up.
            _ => continue,
        };
        if text::is_farewell(&typed) {
            return Ok(());
        }
        if !typed.trim().is_empty() {
            history.add(&typed);
            prompt.run(&typed)?;
        }
    }
}

/// Returns an editor that knows earlier statements, oldest first.
fn editor(statements: Vec<String>) -> reedline::Result<Reedline> {
    let mut earlier = FileBackedHistory::new(2 * history::KEPT)?;
    for statement in statements {
        earlier.save(HistoryItem::from_command_line(statement))?;
    }
    let mut keys = default_emacs_keybindings();
    let choose = vec![ReedlineEvent::Menu(MENU.to_owned()), ReedlineEvent::MenuNext];
    keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, ReedlineEvent::UntilFound(choose));
    keys.add_binding(KeyModifiers::SHIFT, KeyCode::BackTab, ReedlineEvent::MenuPrevious);
    let to_start = ReedlineEvent::Edit(vec![EditCommand::CutFromLineStart]);
    keys.add_binding(KeyModifiers::CONTROL, KeyCode::Char('u'), to_start);
    let menu = ColumnarMenu::default().with_name(MENU).with_marker(PROMPTS[0]).with_word_chars("_./-");
    Ok(Reedline::create()
        .with_history(Box::new(earlier))
        .with_edit_mode(Box::new(Emacs::new(keys)))
        .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)))
        .with_quick_completions(true)
        .with_partial_completions(true)
        .with_validator(Box::new(Whole))
        .with_highlighter(Box::new(Harmless))
        .with_ansi_colors(console::colors_enabled_stderr())
        .use_bracketed_paste(true))
}

/// Prompt of the editor. All of it is the indicator: with an empty indicator, `reedline` 0.52 removes a row too many of
/// a text that fills the window.
struct Shown;

impl reedline::Prompt for Shown {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        "".into()
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        "".into()
    }

    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        PROMPTS[0].into()
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        PROMPTS[1].into()
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        format!("{}(search: {}) ", PROMPTS[0], escape::line(&search.term)).into()
    }

    fn get_prompt_color(&self) -> Color {
        Color::Default
    }

    fn get_prompt_multiline_color(&self) -> Color {
        Color::Default
    }

    fn get_indicator_color(&self) -> Color {
        Color::Default
    }
}

/// Begins another line of a text that is not whole.
struct Whole;

impl Validator for Whole {
    fn validate(&self, text: &str) -> ValidationResult {
        if text.trim().is_empty() || text::is_farewell(text) || text::is_complete(text) {
            ValidationResult::Complete
        } else {
            ValidationResult::Incomplete
        }
    }
}

/// Shows what a terminal would act on, which was pasted, as characters of as many bytes: the editor counts these.
struct Harmless;

impl Highlighter for Harmless {
    fn highlight(&self, text: &str, _: usize) -> StyledText {
        let shown = |character: char| match (character, character.len_utf8()) {
            ('\n', _) => '\n',
            ('\t', _) => ' ',
            _ if !escape::is_control(character) => character,
            (_, 1) => '?',
            (_, 2) => '\u{bf}',
            (_, 3) => '\u{fffd}',
            _ => '\u{1fbc4}',
        };
        let mut out = StyledText::new();
        out.push((Default::default(), text.chars().map(shown).collect()));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_act_on_is_not_shown() {
        let shown = |text: &str| Harmless.highlight(text, 0).raw_string();
        assert_eq!(shown("select\t'日本 🦀'\n"), "select '日本 🦀'\n");
        assert_eq!(shown("a\u{1b}[2J\u{9b}2J\u{202e}b"), "a?[2J\u{bf}2J\u{fffd}b");
        for character in ('\0'..=char::MAX).filter(|&character| character != '\n') {
            let text = shown(character.encode_utf8(&mut [0; 4]));
            assert!(text.len() == character.len_utf8() && !text.contains(escape::is_control));
        }
    }

    #[test]
    fn a_text_goes_on_until_its_semicolon() {
        for (text, is_whole) in
            [("", true), ("quit", true), ("select 1", false), ("select ';'\nfrom x;", true)]
        {
            let is_complete = matches!(Whole.validate(text), ValidationResult::Complete);
            assert_eq!(is_complete, is_whole, "{text:?}");
        }
    }
}

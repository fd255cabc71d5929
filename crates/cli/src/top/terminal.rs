// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq top` on a terminal: a screen that keys and the mouse change.

use super::failing::failure;
use super::input::{Inputs, is_gone};
use super::timing::Timing;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::streams::stdout_has_color;
use ::top::{POLL, Watch};
use live::{Input, Next, Screen};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{
    DisableMouseCapture, EnableMouseCapture, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers,
    MouseEventKind,
};
use ratatui::crossterm::execute;
use std::io::{IsTerminal, stdin, stdout};
use std::time::{Duration, Instant};

/// Whether there is a terminal to be drawn on.
pub fn is_there() -> bool {
    stdout().is_terminal() && stdin().is_terminal()
}

/// Shows the disks until the user leaves or closes the terminal, or the time is over; the terminal
/// is left as it was.
///
/// # Errors
/// If the terminal cannot be used, or there is nothing to be read any more.
pub fn show(watch: &mut Watch, timing: &Timing, interrupt: &Interrupt) -> Result<(), Failure> {
    let mut terminal = ratatui::try_init().map_err(Failure::run)?;
    let captured = execute!(stdout(), EnableMouseCapture).map_err(Failure::run);
    let inputs = captured.and_then(|()| Inputs::listen());
    let shown = match &inputs {
        Ok(inputs) => draw_all(&mut terminal, watch, timing, interrupt, inputs),
        Err(_) => Ok(()),
    };
    // A terminal that has gone away needs nothing to be put back, and nobody could be told.
    let _ = execute!(stdout(), DisableMouseCapture);
    // Only now, so that moves of the mouse that are under way do not go to the shell; and before
    // the shell's screen is back, so that what is typed there does.
    let shown = inputs.map(drop).and(shown);
    let _ = ratatui::try_restore();
    if is_gone() {
        // Its end would complain on stderr, which is the same terminal, and panic over that.
        std::mem::forget(terminal);
        return Ok(());
    }
    shown
}

fn draw_all(
    terminal: &mut DefaultTerminal,
    watch: &mut Watch,
    timing: &Timing,
    interrupt: &Interrupt,
    inputs: &Inputs,
) -> Result<(), Failure> {
    let mut screen = Screen::new(stdout_has_color());
    let start = Instant::now();
    let mut began = start;
    let mut is_stale = true;
    loop {
        let is_over = timing.length.is_some_and(|length| start.elapsed() >= length);
        if is_over || interrupt.requested() || is_gone() {
            return Ok(());
        }
        watch.poll().map_err(failure)?;
        if began.elapsed() >= timing.interval {
            began = Instant::now();
            screen.add(watch.snapshot().map_err(failure)?);
            is_stale = true;
        }
        if std::mem::take(&mut is_stale) {
            terminal.draw(|frame| screen.draw(frame)).map_err(Failure::run)?;
        }
        let mut wait = POLL;
        while let Some(event) = inputs.next(wait)? {
            wait = Duration::ZERO;
            is_stale = true;
            let next = match event {
                Event::Key(key) if is_interrupt(key) => Next::Quit,
                other => input_of(&other).map_or(Next::Draw, |input| screen.take(input)),
            };
            if next == Next::Quit {
                return Ok(());
            }
        }
    }
}

/// In the mode of single keys, Ctrl-C is a key.
fn is_interrupt(key: KeyEvent) -> bool {
    key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL)
}

fn input_of(event: &Event) -> Option<Input> {
    Some(match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => match key.code {
            KeyCode::Char(letter) => Input::Letter(letter),
            KeyCode::Enter => Input::Enter,
            KeyCode::Esc => Input::Escape,
            KeyCode::Backspace => Input::Backspace,
            KeyCode::Tab => Input::Tab,
            KeyCode::Down => Input::Move(1),
            KeyCode::Up => Input::Move(-1),
            KeyCode::PageDown => Input::Move(10),
            KeyCode::PageUp => Input::Move(-10),
            _ => return None,
        },
        Event::Mouse(mouse) => match mouse.kind {
            MouseEventKind::Down(_) => Input::Click(mouse.row),
            MouseEventKind::ScrollDown => Input::Move(1),
            MouseEventKind::ScrollUp => Input::Move(-1),
            _ => return None,
        },
        _ => return None,
    })
}

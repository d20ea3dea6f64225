//! Choosing an opponent from a list.

use arena_bots::strategy::Strategy;
use arena_core::rules::Variant;
use arena_core::text::shown;
use arena_play::player::human::HUMAN;
use arena_play::roster::{FoundBot, RosterSettings};

use super::plain::read_line;
use super::{Args, plays};
use crate::cli::Io;
#[cfg(feature = "tui")]
use crate::tui;

/// An opponent, and what it is.
struct OfferedOpponent {
    name: String,
    what: String,
}

/// What came of it.
pub(super) enum ChosenOpponent {
    /// The name of a bot, or [`HUMAN`].
    Name(String),
    /// The list was left.
    Cancelled,
    /// A signal came.
    #[cfg_attr(not(feature = "tui"), expect(dead_code, reason = "without a screen a signal ends the process"))]
    Killed,
}

/// Asks for an opponent.
pub(super) fn opponent(
    args: &Args,
    game: &Variant,
    settings: &RosterSettings,
    is_screen: bool,
    io: &Io,
) -> anyhow::Result<ChosenOpponent> {
    let choices = choices(args, game, settings)?;
    let width = choices.iter().map(|choice| choice.name.len()).max().unwrap_or(0);
    let lines = choices.iter().map(|choice| format!("{:<width$}  {}", choice.name, choice.what));
    let lines: Vec<String> = lines.collect();
    #[cfg(feature = "tui")]
    if is_screen {
        return choose_on_screen(game, &choices, lines, io);
    }
    let _ = is_screen;
    let list: Vec<String> = lines.iter().zip(1..).map(|(line, number)| format!("{number:>3}  {line}")).collect();
    io.print(&format!("who do you play {game} against?\n{}\nnumber or name:", list.join("\n")))?;
    let stdin = io.own_stdin();
    loop {
        let Some(line) = read_line(stdin.as_ref())? else { return Ok(ChosenOpponent::Cancelled) };
        let typed = line.trim();
        let by_number = typed.parse::<usize>().ok().and_then(|number| choices.get(number.checked_sub(1)?));
        let by_name = || choices.iter().find(|choice| choice.name == typed);
        match by_number.or_else(by_name) {
            Some(choice) => return Ok(ChosenOpponent::Name(choice.name.clone())),
            None if matches!(typed, "q" | "quit") => return Ok(ChosenOpponent::Cancelled),
            None => io.tell_error(&format!("`{}` is not in the list; type a number, a name, or quit", shown(typed))),
        }
    }
}

#[cfg(feature = "tui")]
fn choose_on_screen(
    game: &Variant,
    choices: &[OfferedOpponent],
    lines: Vec<String>,
    io: &Io,
) -> anyhow::Result<ChosenOpponent> {
    let mut choose = tui::Choose::new(format!("{game}: who do you play against?"), lines);
    if tui::run(&mut choose, super::screen::look(io), &tui::inbox())? == tui::ScreenEnd::Signal {
        return Ok(ChosenOpponent::Killed);
    }
    let chosen = choose.chosen().map(|index| choices[index].name.clone());
    Ok(chosen.map_or(ChosenOpponent::Cancelled, ChosenOpponent::Name))
}

/// All bots that play the game, those of the folder first, and a person.
fn choices(args: &Args, game: &Variant, settings: &RosterSettings) -> anyhow::Result<Vec<OfferedOpponent>> {
    let roster = args.bots.roster_with_builtins(settings, |_| true)?;
    let (builtins, own): (Vec<&FoundBot>, Vec<&FoundBot>) =
        roster.bots.iter().filter(|bot| plays(bot, game)).partition(|bot| builtin(bot).is_some());
    let mut choices: Vec<OfferedOpponent> = own
        .into_iter()
        .map(|bot| OfferedOpponent { name: bot.launch.name.clone(), what: shown(&bot.command) })
        .collect();
    choices.extend(builtins.into_iter().map(|bot| OfferedOpponent {
        name: bot.launch.name.clone(),
        what: builtin(bot).map_or_else(String::new, |strategy| format!("built-in: {}", strategy.summary)),
    }));
    choices.push(OfferedOpponent { name: HUMAN.to_owned(), what: "another person at this terminal".to_owned() });
    Ok(choices)
}

/// The strategy, if it is a built-in one without a manifest.
pub(super) fn builtin(bot: &FoundBot) -> Option<&'static Strategy> {
    Strategy::named(&bot.launch.name).ok().filter(|_| bot.path.as_os_str() == bot.launch.name.as_str())
}

//! Suggested commands: this one again, or `check` with the same flags.

use std::ffi::OsString;

use arena_core::rules::Variant;
use arena_core::text::shell_word;
use arena_play::roster::FoundBot;
use clap::Args as _;

use super::check;
use crate::cli::args::game::written;
use crate::cli::{BotsArgs, Exit, Io, contest};

/// This command line without `--fresh`, which would start over instead of resuming.
pub(crate) fn this_command(io: &Io) -> String {
    line(io.words().filter(|word| word != "--fresh"))
}

/// Prints how to start again after a signal during the check of the bots.
pub(crate) fn stopped_before_the_first_game(io: &Io) -> Exit {
    io.tell(&format!("stopped while checking the bots; start again with: {}", line(io.words())));
    Exit::Incomplete
}

/// `arena check BOT` with the game, time control, sandbox and limits of this command.
pub(crate) fn check_command(bot: &FoundBot, bots: &BotsArgs, game: &Variant, io: &Io) -> String {
    check_words(io.words(), bot_word(bot, bots), game)
}

/// The argument by which `check` finds the bot: its name, or its path if it is outside the bots folder.
fn bot_word(bot: &FoundBot, bots: &BotsArgs) -> OsString {
    let name = &bot.launch.name;
    if bot.path.starts_with(&bots.bots) || bots.extra.iter().any(|(extra, _)| extra == name) {
        return name.into();
    }
    match bot.path.parent() {
        Some(folder) if bot.untrusted => folder.into(),
        _ => bot.path.clone().into(),
    }
}

/// Copies the flags of `typed` that `check` also has, and names the game, since `check` tries all games by default.
fn check_words(typed: impl IntoIterator<Item = OsString>, bot: OsString, game: &Variant) -> String {
    let check = contest::with_flag(check::Args::augment_args(clap::Command::new("check")));
    let mut words = vec!["arena".into(), "check".into(), bot];
    let mut typed = typed.into_iter().take_while(|word| word != "--");
    let mut names_game = false;
    while let Some(word) = typed.next() {
        let text = word.to_string_lossy().into_owned();
        let flag = text.strip_prefix("--").map(|flag| flag.split('=').next().unwrap_or_default());
        let is_taken = |arg: &&clap::Arg| flag.is_some_and(|flag| flag != "json") && arg.get_long() == flag;
        let Some(taken) = check.get_arguments().find(is_taken) else { continue };
        names_game |= flag == Some("game");
        words.push(word);
        if taken.get_action().takes_values() && !text.contains('=') {
            words.extend(typed.next());
        }
    }
    if !names_game {
        words.extend(["--game".into(), written(game).into()]);
    }
    line(words)
}

/// The words quoted for a shell.
fn line(words: impl IntoIterator<Item = OsString>) -> String {
    words.into_iter().map(|word| shell_word(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_of_the_same_game_time_and_bounds() {
        let suggested = |typed: &str| {
            let game = Variant::named("connect4").unwrap();
            check_words(typed.split(' ').map(OsString::from), "x".into(), &game)
        };
        assert_eq!(suggested("arena tournament"), "arena check x --game connect4");
        assert_eq!(
            suggested("arena tournament --contest cup/arena.toml"),
            "arena check x --contest cup/arena.toml --game connect4"
        );
        assert_eq!(
            suggested(
                "arena match x y --game gomoku --rounds 5 -j 1 --bots=b --bot x=/a/b --strict --move-time 200ms --seed 1"
            ),
            "arena check x --game gomoku --bots=b --bot x=/a/b --move-time 200ms"
        );
        assert_eq!(
            suggested(
                "arena tournament --freeze-idle --json --opening-plies 2 --sandbox strict --limits=memory_mb=9 -- --time 1s"
            ),
            "arena check x --freeze-idle --opening-plies 2 --sandbox strict --limits=memory_mb=9 --game connect4"
        );
    }
}

//! Flags of other tournament programs (cutechess, fastchess, c-chess-cli) and of other commands, and what to write instead.

/// A flag without its dashes, and the cure.
const FLAGS: &[(&str, &str)] = &[
    ("games", "use --rounds N; each round is two games of every pair of bots, with seats swapped"),
    ("repeat", "not needed, since every opening is played twice, with seats swapped"),
    ("tc", "use --time 60+0.6: seconds for a game, and increment for each move"),
    ("st", "use --move-time 1s"),
    ("timemargin", "use --margin 10ms"),
    ("srand", "use --seed N"),
    ("engine", "use --bot NAME=PATH, or put the program into bots/"),
    ("each", "use --move-time, --time and --limits for all bots, or manifests in bots/ for some"),
    ("book", "use --openings FILE, one JSON list of moves per line"),
    ("maxmoves", "use --max-plies N"),
    ("pgnout", "not needed, since all games are in results/NAME/games.jsonl and games.csv"),
    ("recover", "not needed, since a bot is always restarted after a crash"),
];

/// Flags that set the tables of a tournament, which later commands keep, so that `standings` alone needs to have them.
const OF_TABLES: [&str; 5] = ["covariance", "draw-model", "family-wise", "nash", "prior-draws"];

/// A hint for the first word of a command line that is a flag for tables, if `command` does not have it.
pub(crate) fn table_hint<'a>(
    command: &str,
    words: impl IntoIterator<Item = &'a str>,
    is_ours: impl Fn(&str) -> bool,
) -> Option<String> {
    words.into_iter().take_while(|word| *word != "--").find_map(|word| {
        let name = word.strip_prefix("--")?.split('=').next()?;
        let is_elsewhere = OF_TABLES.contains(&name) && !is_ours(name);
        is_elsewhere.then(|| {
            format!(
                "`arena {command}` has no --{name}; set it with `arena standings TOURNAMENT --{name}`, and later commands \
                 keep it"
            )
        })
    })
}

/// A hint for the first word of a command line that is a flag of another program, or has one dash instead of two.
pub(crate) fn hint<'a>(words: impl IntoIterator<Item = &'a str>, is_ours: impl Fn(&str) -> bool) -> Option<String> {
    words.into_iter().take_while(|word| *word != "--").find_map(|word| {
        let flag = word.strip_prefix('-')?;
        let typed = word.split('=').next().unwrap_or_default();
        let name = typed.trim_start_matches('-');
        let known = FLAGS.iter().find(|(known, _)| *known == name);
        match known {
            Some((_, cure)) => Some(format!("there is no {typed}; {cure}")),
            None if !flag.starts_with('-') && name.len() > 1 && is_ours(name) => {
                Some(format!("there is no -{name}; write it with two dashes: --{name}"))
            }
            None => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<&str>) {
        let hint = hint(line.split(' '), |name| name == "rounds");
        assert_eq!(hint.as_deref(), expected, "{line}");
    }

    #[test]
    fn a_flag_of_another_program_names_ours() {
        check("arena tournament --srand 5", Some("there is no --srand; use --seed N"));
        check("arena tournament -st=1", Some("there is no -st; use --move-time 1s"));
        check("arena match a b -rounds 5", Some("there is no -rounds; write it with two dashes: --rounds"));
        for line in ["arena match a b -j 4", "arena match a b --rounds 5", "arena match a -- --games", "arena -x"] {
            check(line, None);
        }
    }

    #[test]
    fn a_flag_for_tables_names_the_command_that_has_it() {
        let program = crate::cli::whole_program();
        let has = |command: &str, flag: &str| {
            let command = program.find_subcommand(command).expect("a command");
            command.get_arguments().any(|arg| arg.get_long() == Some(flag))
        };
        for flag in OF_TABLES {
            assert!(has("standings", flag), "--{flag}");
            let others = ["tournament", "series", "merge", "match"].map(|command| has(command, flag));
            let decides = flag == "prior-draws";
            assert_eq!(others, [decides, decides, false, false], "--{flag}");
        }
        let hint = |line: &str| table_hint("merge", line.split(' '), |flag| has("merge", flag));
        assert_eq!(
            hint("merge cup --rank-by elo --nash=off").as_deref(),
            Some(
                "`arena merge` has no --nash; set it with `arena standings TOURNAMENT --nash`, and later commands keep it"
            )
        );
        assert_eq!(hint("merge cup --rank-by elo -- --nash"), None);
    }

    #[test]
    fn no_flag_of_ours_is_called_foreign() {
        let program = crate::cli::whole_program();
        for flag in program.get_subcommands().flat_map(clap::Command::get_arguments).filter_map(clap::Arg::get_long) {
            assert!(FLAGS.iter().all(|(foreign, _)| *foreign != flag), "--{flag}");
        }
    }

    #[test]
    #[cfg(all(feature = "nats", feature = "serve", feature = "tui"))]
    fn flags_in_messages_are_flags_of_commands() {
        let program = crate::cli::whole_program();
        let arguments = program.get_subcommands().flat_map(clap::Command::get_arguments);
        let known: Vec<&str> = arguments.filter_map(clap::Arg::get_long).collect();
        let advice = arena_core::record::Status::ALL.into_iter().flat_map(arena_wire::advice::all);
        let advice = advice.flat_map(|advice| [advice.what, advice.cure]).map(str::to_owned);
        let help = arena_core::format::Flag::all().into_iter().map(arena_core::format::Flag::help);
        for text in
            [include_str!("../../../crates/arena-sys/src/flags.rs").to_owned()].into_iter().chain(advice).chain(help)
        {
            for flag in text.split("--").skip(1) {
                let flag = flag.split(|c: char| !c.is_ascii_lowercase() && c != '-').next().unwrap_or_default();
                assert!(known.contains(&flag), "--{flag}: {text}");
            }
        }
    }
}

//! Flags of other tournament programs (cutechess, fastchess, c-chess-cli), and ours that do the same.

/// A flag without its dashes, and what to use instead.
const FLAGS: &[(&str, &str)] = &[
    ("games", "--rounds N; each round is two games of every pair of bots, with seats swapped"),
    ("repeat", "nothing; every opening is played twice, with seats swapped"),
    ("tc", "--time 60+0.6 for a game and each move, in seconds"),
    ("st", "--move-time 1s"),
    ("timemargin", "--margin 10ms"),
    ("srand", "--seed N"),
    ("engine", "--bot NAME=PATH, or put the program into bots/"),
    ("each", "--move-time, --time and --limits for all bots, or manifests in bots/ for some"),
    ("book", "--openings FILE, a JSON list of moves a line"),
    ("maxmoves", "--max-plies N"),
    ("pgnout", "nothing; all games are in results/NAME/games.jsonl and games.csv"),
    ("recover", "nothing; a bot is restarted after it crashed"),
];

/// Says which flag of ours to use for the first word of a command line that is one of another program's, or that has one
/// dash instead of two.
pub(super) fn hint<'a>(words: impl IntoIterator<Item = &'a str>, is_ours: impl Fn(&str) -> bool) -> Option<String> {
    words.into_iter().take_while(|word| *word != "--").find_map(|word| {
        let flag = word.strip_prefix('-')?;
        let name = flag.trim_start_matches('-').split('=').next().unwrap_or_default();
        let known = FLAGS.iter().find(|(known, _)| *known == name);
        match known {
            Some((_, ours)) => Some(format!("there is no --{name}; use {ours}")),
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
        check("arena tournament -st=1", Some("there is no --st; use --move-time 1s"));
        check("arena match a b -rounds 5", Some("there is no -rounds; write it with two dashes: --rounds"));
        for line in ["arena match a b -j 4", "arena match a b --rounds 5", "arena match a -- --games", "arena -x"] {
            check(line, None);
        }
    }

    #[test]
    fn no_flag_of_ours_is_called_foreign() {
        use clap::CommandFactory as _;
        let program = crate::cli::Cli::command();
        for flag in program.get_subcommands().flat_map(clap::Command::get_arguments).filter_map(clap::Arg::get_long) {
            assert!(FLAGS.iter().all(|(foreign, _)| *foreign != flag), "--{flag}");
        }
    }
}

//! Reads the counts of a match: as the program prints them, with signs, or bare with an order that was asked for. Pure.

use arena_core::stats::{MatchCounts, Tally};
use arena_core::text::shown;

/// Maximum count, so that sums do not overflow.
const COUNT_MAX: u64 = 1_000_000_000_000;

/// The result of each place of a bare triple.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "lower")]
pub(super) enum TripleOrder {
    Wdl,
    Wld,
    Dwl,
    Dlw,
    Lwd,
    Ldw,
}

impl TripleOrder {
    const fn tally(self, [x, y, z]: [u64; 3]) -> Tally {
        let [wins, draws, losses] = match self {
            Self::Wdl => [x, y, z],
            Self::Wld => [x, z, y],
            Self::Dwl => [y, x, z],
            Self::Dlw => [z, x, y],
            Self::Lwd => [y, z, x],
            Self::Ldw => [z, y, x],
        };
        Tally { wins, draws, losses }
    }
}

/// Counts that were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReadCounts {
    pub(super) counts: MatchCounts,
    /// Number of pairs with a win and a loss, if it was given.
    pub(super) split: Option<u64>,
}

impl ReadCounts {
    const fn games(Tally { wins, draws, losses }: Tally) -> Self {
        Self { counts: MatchCounts::Games([losses, draws, wins]), split: None }
    }
}

/// Reads counts given as one word or several.
///
/// # Errors
///
/// Returns what is wrong with them, and how they are written.
pub(super) fn parse(words: &[String], order: Option<TripleOrder>) -> Result<ReadCounts, String> {
    let joined = words.join(" ");
    let text = joined.trim();
    let labelled = if let Some(pairs) = text.strip_prefix("Pairs ") {
        Some(line_of_pairs(pairs))
    } else if let Some(score) = text.strip_prefix("Score of ") {
        // A bot's name has no colon followed by a space and a sign.
        let counts = score.rsplit_once(": +").map(|(_, counts)| format!("+{counts}"));
        Some(
            counts
                .map_or_else(|| Err("it has no counts; give the line `Pairs …` below it".to_owned()), |it| signed(&it)),
        )
    } else {
        text.contains(['+', '=']).then(|| signed(text))
    };
    match labelled {
        Some(read) => {
            let counts = read.map_err(|why| format!("`{}`: {why}", shown(text)))?;
            no_order(order)?;
            Ok(counts)
        }
        None => bare(text, order),
    }
}

fn no_order(order: Option<TripleOrder>) -> Result<(), String> {
    match order {
        Some(_) => Err("--order is for three bare counts; these say themselves what they are".to_owned()),
        None => Ok(()),
    }
}

/// `+77 =14 -85` in any order, perhaps with the rest of a line: `  [0.477] 176`.
fn signed(text: &str) -> Result<ReadCounts, String> {
    let (counts, rest) = text.split_once('[').unwrap_or((text, ""));
    let mut found = [None; 3];
    let spaced =
        ['+', '=', '-'].iter().fold(counts.replace(',', " "), |it, sign| it.replace(*sign, &format!(" {sign}")));
    for word in spaced.split_whitespace() {
        let place = ['+', '=', '-'].iter().position(|sign| word.starts_with(*sign));
        let place = place.ok_or_else(|| format!("`{word}` has no sign; +77 =14 -85 are wins, draws and losses"))?;
        if found[place].replace(count(&word[1..])?).is_some() {
            return Err(format!("{} are given twice", ["wins (+)", "draws (=)", "losses (-)"][place]));
        }
    }
    let [Some(wins), Some(draws), Some(losses)] = found else {
        return Err("wins (+), draws (=) and losses (-) are all needed, as in +77 =14 -85".to_owned());
    };
    let tally = Tally { wins, draws, losses };
    if let Some(total) = rest.split_whitespace().last().and_then(|total| total.parse::<u64>().ok())
        && total != tally.games()
    {
        return Err(format!("its counts are of {} games, and it says {total}", tally.games()));
    }
    Ok(ReadCounts::games(tally))
}

/// `LL 19, LD 6, DD 2, WL 41, WD 4, WW 16, pair ratio 0.80`, or with `DD or WL 43`.
fn line_of_pairs(text: &str) -> Result<ReadCounts, String> {
    const KEYS: [&str; 7] = ["LL", "LD", "DD or WL", "DD", "WL", "WD", "WW"];
    let mut found = [None; KEYS.len()];
    for part in text.split(',').map(str::trim).filter(|part| !part.starts_with("pair ratio")) {
        let (key, number) = part.rsplit_once(' ').unwrap_or((part, ""));
        let place = KEYS.iter().position(|known| *known == key.trim());
        let place = place.ok_or_else(|| format!("`{}` is no kind of pair", shown(part)))?;
        if found[place].replace(count(number)?).is_some() {
            return Err(format!("{key} is given twice"));
        }
    }
    let ([Some(ll), Some(ld), tied, dd, wl, Some(wd), Some(ww)], all) = (found, "LL, LD, DD, WL, WD and WW are needed")
    else {
        return Err("LL, LD, DD, WL, WD and WW are needed".to_owned());
    };
    let (tied, split) = match (tied, dd, wl) {
        (Some(tied), None, None) => (tied, None),
        (None, Some(dd), Some(wl)) => (dd + wl, Some(wl)),
        _ => return Err(all.to_owned()),
    };
    Ok(ReadCounts { counts: MatchCounts::Pairs([ll, ld, tied, wd, ww]), split })
}

/// Five counts of pairs, or three of games in this order.
fn bare(text: &str, order: Option<TripleOrder>) -> Result<ReadCounts, String> {
    let words: Vec<&str> = text.split([',', ' ']).filter(|word| !word.is_empty() && *word != "-").collect();
    let numbers = match words[..] {
        // `77-14-85` of a table.
        [word] => word.split('-').map(count).collect::<Result<Vec<u64>, String>>(),
        _ => words.iter().map(|word| count(word)).collect(),
    };
    let form = "five counts of pairs are LL,LD,DD,WD,WW, and games are \"+77 =14 -85\" (wins, draws, losses)";
    match numbers.as_deref() {
        Ok(&[ll, ld, dd, wd, ww]) => {
            no_order(order)?;
            Ok(ReadCounts { counts: MatchCounts::Pairs([ll, ld, dd, wd, ww]), split: None })
        }
        Ok(&[x, y, z]) => match order {
            Some(order) => Ok(ReadCounts::games(order.tally([x, y, z]))),
            None => Err(format!(
                "`{}` does not say which are wins, draws and losses; write \"+WINS =DRAWS -LOSSES\", or say it: --order wdl, \
                 ldw, wld …",
                shown(text)
            )),
        },
        Err(why) => Err(format!("`{}`: {why}; {form}", shown(text))),
        Ok(_) => Err(format!("`{}` is neither; {form}", shown(text))),
    }
}

fn count(text: &str) -> Result<u64, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let count = text.parse().ok().filter(|count| is_number && *count <= COUNT_MAX);
    count.ok_or_else(|| format!("`{}` is not a count up to {COUNT_MAX}", shown(text)))
}

#[cfg(test)]
mod tests {
    use arena_store::report::{MatchFigures, score_line};
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str, order: Option<TripleOrder>) -> Result<ReadCounts, String> {
        // One quoted word, and what a shell makes of it without quotes.
        let words: Vec<String> = text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
        let [quoted, split] = [parse(&[text.to_owned()], order), parse(&words, order)];
        assert_eq!(quoted.is_ok(), split.is_ok(), "{text}");
        assert!(quoted.is_err() || quoted == split, "{text}");
        quoted
    }

    fn games(wins: u64, draws: u64, losses: u64) -> ReadCounts {
        ReadCounts::games(Tally { wins, draws, losses })
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_as_it_was_meant(
            name in "[a-z:+ =\\-\\[\\]0-9]{1,12}",
            tally in [0..=COUNT_MAX, 0..=COUNT_MAX, 0..=COUNT_MAX],
            pairs in [0..=COUNT_MAX, 0..=COUNT_MAX, 0..=COUNT_MAX / 2, 0..=COUNT_MAX, 0..=COUNT_MAX],
            split in proptest::option::of(0.0..=1.0),
        ) {
            let [wins, draws, losses] = tally;
            let tally = Tally { wins, draws, losses };
            let line = score_line([&name, "its opponent"], Some(tally), tally.score(), tally.games());
            prop_assert_eq!(parse(&[line], None), Ok(ReadCounts::games(tally)));
            prop_assert_eq!(read(&tally.to_string(), None), Ok(ReadCounts::games(tally)));
            let counts = MatchCounts::Pairs(pairs);
            let split = split.map(|share: f64| (pairs[2] as f64 * share) as u64);
            let lines = MatchFigures { counts, split, duel: counts.duel() }.lines();
            let line = lines.iter().find(|line| line.starts_with("Pairs ")).expect("a line of pairs");
            prop_assert_eq!(read(line, None), Ok(ReadCounts { counts, split }));
            let bare: Vec<String> = pairs.iter().map(u64::to_string).collect();
            prop_assert_eq!(read(&bare.join(","), None), Ok(ReadCounts { counts, split: None }));
        }

        #[test]
        fn no_text_panics(words in proptest::collection::vec("\\PC{0,12}|[-+=]?[0-9]{0,25}", 0..6)) {
            let _ = parse(&words, None);
            let _ = parse(&words, Some(TripleOrder::Wdl));
        }
    }

    #[test]
    fn a_triple_is_signed_or_has_an_order() {
        for text in ["+77 =14 -85", "=14 -85 +77", "+77,=14,-85", "+77=14-85", "+77 =14 -85  [0.477] 176"] {
            assert_eq!(read(text, None), Ok(games(77, 14, 85)), "{text}");
        }
        for (order, expected) in [
            (TripleOrder::Wdl, games(1, 2, 3)),
            (TripleOrder::Wld, games(1, 3, 2)),
            (TripleOrder::Dwl, games(2, 1, 3)),
            (TripleOrder::Dlw, games(3, 1, 2)),
            (TripleOrder::Lwd, games(2, 3, 1)),
            (TripleOrder::Ldw, games(3, 2, 1)),
        ] {
            for text in ["1,2,3", "1 2 3", "1-2-3", "1 - 2 - 3"] {
                assert_eq!(read(text, Some(order)), Ok(expected), "{text} {order:?}");
                assert!(read(text, None).unwrap_err().contains("which are wins, draws and losses"), "{text}");
            }
        }
    }

    #[test]
    fn no_sign_is_overlooked() {
        for text in ["1,2,-3", "1 2 -3", "-3 1 2", "-3,1,2", "1--2-3", "-1-2-3"] {
            assert!(read(text, Some(TripleOrder::Wdl)).is_err(), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_the_cause() {
        for (text, order, why) in [
            ("+77 =14", None, "`+77 =14`: wins (+), draws (=) and losses (-) are all needed, as in +77 =14 -85"),
            ("+1 =2 -3 +4", None, "`+1 =2 -3 +4`: wins (+) are given twice"),
            ("1 =2 -3", None, "`1 =2 -3`: `1` has no sign; +77 =14 -85 are wins, draws and losses"),
            ("+1 =2 -3 [0.5] 7", None, "`+1 =2 -3 [0.5] 7`: its counts are of 6 games, and it says 7"),
            (
                "+1 =2 -3",
                Some(TripleOrder::Wdl),
                "--order is for three bare counts; these say themselves what they are",
            ),
            (
                "-1",
                None,
                "`-1`: `` is not a count up to 1000000000000; five counts of pairs are LL,LD,DD,WD,WW, and games are \"+77 =14 -85\" (wins, draws, losses)",
            ),
            (
                "1,2,3,4,5",
                Some(TripleOrder::Wdl),
                "--order is for three bare counts; these say themselves what they are",
            ),
            (
                "Pairs LL 1, LD 2, DD 3, WD 4, WW 5",
                None,
                "`Pairs LL 1, LD 2, DD 3, WD 4, WW 5`: LL, LD, DD, WL, WD and WW are needed",
            ),
        ] {
            assert_eq!(parse(&[text.to_owned()], order), Err(why.to_owned()));
        }
    }
}

//! The matches of a competition for a drawing: the bracket of an elimination, and the rounds of a Swiss.

use arena_core::format::knockout::stage_name;
use arena_core::format::{Sheet, ShownMatch};
use arena_core::text::cut;

/// Columns of a reason in words.
const WORDS_COLUMNS: usize = 24;

/// An elimination, from its first stage to the final.
#[derive(Debug)]
pub struct Bracket<'a> {
    /// The name and the matches of each stage, from the top; each has half as many as the one before it.
    pub stages: Vec<(String, Vec<BracketMatch<'a>>)>,
    /// The match for third place.
    pub third: Option<BracketMatch<'a>>,
}

/// A place for a match in a bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BracketMatch<'a> {
    /// The bots that are known so far, the upper one first.
    pub bots: [Option<usize>; 2],
    /// The match, once its stage has begun.
    pub found: Option<&'a ShownMatch>,
}

/// A row for each bot, with a cell for each round.
#[derive(Debug)]
pub struct RoundTable<'a> {
    /// The bots in the order of the standings.
    pub bots: Vec<usize>,
    /// For each of them, its part in each round, if it had one.
    pub cells: Vec<Vec<Option<RoundCell<'a>>>>,
}

/// A bot's part in a match of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundCell<'a> {
    /// The match.
    pub found: &'a ShownMatch,
    /// Which of its bots this is.
    pub side: usize,
    /// The place of the opponent in the standings, from 1; none for a bye.
    pub opponent: Option<usize>,
    /// Twice the points of the bot after this round.
    pub total: u32,
}

impl BracketMatch<'_> {
    /// The bot that goes on.
    #[must_use]
    pub fn winner(&self) -> Option<usize> {
        self.found?.winner
    }

    /// Whether a bot goes on without an opponent.
    #[must_use]
    pub fn is_bye(&self) -> bool {
        self.found.is_some_and(|found| found.bots[1].is_none())
    }
}

impl<'a> Bracket<'a> {
    /// The bracket of an elimination; `None` for other formats.
    #[must_use]
    pub fn of(sheet: &'a Sheet) -> Option<Self> {
        let first = sheet.first_round.as_ref()?.matches.len();
        let count = first.checked_next_power_of_two()?.ilog2() + 1;
        let known = |found: &'a ShownMatch| BracketMatch { bots: found.bots, found: Some(found) };
        let (third, main): (Vec<_>, Vec<_>) = sheet.matches.iter().partition(|found| found.kind == "third");
        let mut stages: Vec<(String, Vec<BracketMatch<'a>>)> = Vec::new();
        for stage in 1..=count {
            let mut matches: Vec<_> =
                main.iter().filter(|found| found.round == stage).map(|found| known(found)).collect();
            if let (true, Some((_, before))) = (matches.is_empty(), stages.last()) {
                let bots = |two: &[BracketMatch<'_>]| [0, 1].map(|side| two.get(side)?.winner());
                matches = before.chunks(2).map(|two| BracketMatch { bots: bots(two), found: None }).collect();
            }
            stages.push((stage_name(count - stage), matches));
        }
        Some(Self { stages, third: third.first().map(|found| known(found)) })
    }

    /// The bot that won the last match.
    #[must_use]
    pub fn champion(&self) -> Option<usize> {
        self.stages.last()?.1.first()?.winner()
    }
}

impl<'a> RoundTable<'a> {
    /// The rounds, with the bots in this order.
    #[must_use]
    pub fn of(sheet: &'a Sheet, bots: Vec<usize>) -> Self {
        let mut place = vec![0; bots.len()];
        (1..).zip(&bots).for_each(|(number, bot)| place[*bot] = number);
        let rounds = sheet.matches.iter().map(|found| found.round as usize).max().unwrap_or(0);
        let mut cells = vec![vec![None; rounds]; bots.len()];
        let mut totals = vec![0; bots.len()];
        for found in &sheet.matches {
            for side in 0..2 {
                let Some(bot) = found.bots[side] else { continue };
                totals[bot] += found.half_points[side];
                let opponent = found.bots[1 - side].map(|other| place[other]);
                cells[place[bot] - 1][found.round as usize - 1] =
                    Some(RoundCell { found, side, opponent, total: totals[bot] });
            }
        }
        Self { bots, cells }
    }
}

/// A match in a line, the winner first: `Semifinal: mcts 3–1 minimax`.
#[must_use]
pub fn match_line(found: &ShownMatch, name: impl Fn(usize) -> String) -> String {
    let stage = capital(&found.stage);
    let [Some(a), Some(b)] = found.bots else {
        return format!("{stage}: {} has a bye", found.bots[0].map(name).unwrap_or_default());
    };
    if !found.is_over {
        return format!("{stage}: {} against {}, open", name(a), name(b));
    }
    let is_second = found.winner == Some(b);
    let ([a, b], [x, y]) = if is_second { ([b, a], [1, 0]) } else { ([a, b], [0, 1]) };
    let [x, y] = [x, y].map(|side| points(found.half_points[side]));
    let how = decided_by(found.how).map(|how| format!(", {how}")).unwrap_or_default();
    format!("{stage}: {} {x}–{y} {}{how}", name(a), name(b))
}

/// By what a match was decided, if not by the points of its pairs alone.
#[must_use]
pub fn decided_by(how: &str) -> Option<String> {
    let words = match how {
        "" | "points" | "bye" => return None,
        "tiebreak" => "after more pairs",
        "seed" => "by the better seed",
        "withdrawn" => "by withdrawal",
        other => other,
    };
    Some(cut(words, WORDS_COLUMNS))
}

/// Halves of points: `3` or `2½`.
#[must_use]
pub fn points(halves: u32) -> String {
    match (halves / 2, halves % 2) {
        (whole, 0) => whole.to_string(),
        (0, _) => "½".to_owned(),
        (whole, _) => format!("{whole}½"),
    }
}

/// With a capital letter.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

//! How a tournament stands that its format decides: who won it, and before that only what its results so far say. A match counts
//! once it is over, and a round once all of its matches are: those who played first are not ahead of the others.

use std::cmp::Ordering;

use arena_core::event::Tournament;
use arena_core::format::{Format, Sheet, ShownMatch, TableLayout};
use arena_core::text::counted;
use arena_show::views::{Bracket, BracketMatch, Ranking, decided_by, points};

use crate::report::cells::first_of;

/// Bots that a sentence names.
const NAMED_MAX: usize = 3;

/// A tournament of which the format determines the ranks.
pub(super) struct Competition<'a> {
    ranking: &'a Ranking,
    sheet: &'a Sheet,
    /// What the format is called.
    title: &'static str,
    /// Whether no game is missing.
    is_complete: bool,
    /// The stages of an elimination.
    bracket: Option<Bracket<'a>>,
}

/// The rounds that are over, and the one that is played.
struct Rounds {
    /// Number of rounds of which all matches are over.
    over: u32,
    /// The round after them, if it has begun: its number, its matches that are over, and all of them.
    now: Option<(u32, usize, usize)>,
    /// Twice the points of each bot after the rounds that are over.
    half_points: Vec<u32>,
}

impl<'a> Competition<'a> {
    /// `None` where ratings determine the ranks.
    pub(super) fn of(ranking: &'a Ranking, event: &Tournament, is_complete: bool) -> Option<Self> {
        let sheet = ranking.sheet.as_ref().filter(|sheet| !sheet.ranks.is_empty())?;
        let title = Format::named(&event.format).map_or("tournament", |format| format.title);
        Some(Self { ranking, sheet, title, is_complete, bracket: Bracket::of(sheet) })
    }

    /// The bots that have won it; several if they are equal in everything, and none before that is certain.
    pub(super) fn winners(&self) -> Vec<usize> {
        if let Some(bracket) = &self.bracket {
            return bracket.champion().into_iter().collect();
        }
        if self.is_complete { self.first() } else { Vec::new() }
    }

    /// The bots that have the most points of all after the rounds that are over, or the best rank so far.
    pub(super) fn ahead(&self) -> Vec<usize> {
        match self.rounds() {
            _ if self.bracket.is_some() => Vec::new(),
            Some(rounds) if rounds.over == 0 => Vec::new(),
            Some(rounds) => {
                let most = rounds.half_points.iter().max();
                self.order().filter(|bot| rounds.half_points.get(*bot) == most).collect()
            }
            None => self.first(),
        }
    }

    /// How it stands, in a sentence.
    pub(super) fn sentence(&self) -> Option<String> {
        let winners = self.winners();
        if !winners.is_empty() {
            return Some(self.won(&winners));
        }
        match (&self.bracket, self.rounds()) {
            (Some(bracket), _) => self.elimination(bracket),
            (None, Some(rounds)) => Some(self.after_rounds(&rounds)),
            (None, None) => {
                let ahead = self.first();
                let verb = if ahead.len() == 1 { "is" } else { "are" };
                Some(format!(
                    "{} {verb} ahead in the {}{}.",
                    self.names(&ahead),
                    self.title,
                    self.cell(*ahead.first()?)
                ))
            }
        }
    }

    fn won(&self, winners: &[usize]) -> String {
        let (names, title) = (self.names(winners), self.title);
        if winners.len() > 1 {
            return format!("{names} share the first place of the {title}{}.", self.cell(winners[0]));
        }
        let bot = winners[0];
        let how = match (&self.bracket, self.rounds()) {
            (Some(bracket), _) => {
                let mut all =
                    bracket.stages.iter().rev().flat_map(|(_, matches)| matches).filter_map(|place| place.found);
                let last = all.find(|found| found.bots.contains(&Some(bot)) && found.bots[1].is_some());
                last.map_or_else(String::new, |last| self.against(bot, last))
            }
            (None, Some(rounds)) => {
                let own = rounds.half_points.get(bot);
                let is_level = rounds.half_points.iter().filter(|other| Some(*other) >= own).count() > 1;
                format!("{}{}", self.cell(bot), if is_level { ", by tie-breaks" } else { "" })
            }
            (None, None) => self.cell(bot),
        };
        format!("{names} won the {title}{how}.")
    }

    /// How a bot did in a match, and by what it was decided: `: 2–0 against mcts in the final`.
    fn against(&self, bot: usize, found: &ShownMatch) -> String {
        let own = usize::from(found.bots[1] == Some(bot));
        let [own, other] = [own, 1 - own];
        let name = found.bots[other].map_or_else(String::new, |other| self.ranking.name(other));
        let how = decided_by(found.how).map_or_else(String::new, |how| format!(", {how}"));
        let [x, y] = [own, other].map(|side| points(found.half_points[side]));
        format!(": {x}–{y} against {name} in the {}{how}", found.stage)
    }

    /// The stage that is played.
    fn elimination(&self, bracket: &Bracket<'_>) -> Option<String> {
        let is_begun = |matches: &[BracketMatch<'_>]| matches.iter().any(|place| place.found.is_some());
        let (stage, matches) = bracket.stages.iter().rev().find(|(_, matches)| is_begun(matches))?;
        let played: Vec<&ShownMatch> =
            matches.iter().filter_map(|place| place.found).filter(|found| found.bots[1].is_some()).collect();
        if let [last] = played[..]
            && matches.len() == 1
        {
            return self.last_match(last);
        }
        let over = played.iter().filter(|found| found.is_over).count();
        let may_win = |bot: &usize| self.sheet.ranks.get(*bot).is_some_and(|[best, _]| *best == 1);
        let left: Vec<usize> =
            self.order().filter(may_win).filter(|bot| !self.ranking.withdrawn.contains(bot)).collect();
        let (names, over) = (self.names(&left), are_over(over, played.len(), &format!("the {stage}")));
        Some(format!("{over}; {names} can still win the {}.", self.title))
    }

    /// The match that decides it.
    fn last_match(&self, found: &ShownMatch) -> Option<String> {
        let [Some(a), Some(b)] = found.bots else { return None };
        let ([x, y], stage) = (found.half_points, format!("the {} of the {}", found.stage, self.title));
        let [a, b] = [a, b].map(|bot| self.ranking.name(bot));
        // A pair has two points.
        let after = format!("after {}", counted((x + y) as usize / 4, "pair"));
        let leads = |a: &str, x: u32, b: &str, y: u32| {
            format!("{a} leads {}–{} against {b} in {stage}, {after}.", points(x), points(y))
        };
        Some(match x.cmp(&y) {
            Ordering::Equal if x == 0 => format!("{a} and {b} play {stage}."),
            Ordering::Equal => format!("{a} and {b} are level in {stage}: {}–{} {after}.", points(x), points(y)),
            Ordering::Greater => leads(&a, x, &b, y),
            Ordering::Less => leads(&b, y, &a, x),
        })
    }

    /// Who has the most points after the rounds that are over, and the round that is played.
    fn after_rounds(&self, rounds: &Rounds) -> String {
        let title = self.title;
        let now = |of: &str| {
            rounds.now.map_or_else(String::new, |(round, over, all)| are_over(over, all, &format!("round {round}{of}")))
        };
        let ahead = self.ahead();
        let Some(first) = ahead.first() else { return format!("{}.", now(&format!(" of the {title}"))) };
        let (verb, each) = if ahead.len() == 1 { ("leads", "") } else { ("lead", " each") };
        let score = in_points(rounds.half_points[*first]);
        let next = rounds.now.map_or_else(String::new, |_| format!("; {}", now("")));
        format!("{} {verb} the {title} with {score}{each} after round {}{next}.", self.names(&ahead), rounds.over)
    }

    /// The rounds of a format with matches in which all bots play on.
    fn rounds(&self) -> Option<Rounds> {
        self.sheet.table.filter(|table| table.layout == TableLayout::Rounds)?;
        let mut half_points = vec![0; self.sheet.ranks.len()];
        let (mut over, mut now) = (0, None);
        for matches in self.sheet.matches.chunk_by(|one, other| one.round == other.round) {
            let played = || matches.iter().filter(|found| found.bots[1].is_some());
            let done = played().filter(|found| found.is_over).count();
            if done < played().count() {
                now = Some((matches[0].round, done, played().count()));
                break;
            }
            over = matches[0].round;
            for found in matches {
                for (bot, own) in found.bots.into_iter().zip(found.half_points) {
                    bot.and_then(|bot| half_points.get_mut(bot)).into_iter().for_each(|sum| *sum += own);
                }
            }
        }
        Some(Rounds { over, now, half_points })
    }

    /// What the format shows of a bot: `: 4½ points`.
    fn cell(&self, bot: usize) -> String {
        if let Some(rounds) = self.rounds() {
            return format!(": {}", in_points(rounds.half_points.get(bot).copied().unwrap_or_default()));
        }
        let shown = self.ranking.shown_column().filter(|_| self.bracket.is_none());
        shown.map_or_else(String::new, |(title, cells)| {
            format!(": {} {}", cells.get(bot).map_or("", String::as_str), title.to_lowercase())
        })
    }

    /// The bots in the order of the standings.
    fn order(&self) -> impl Iterator<Item = usize> {
        self.ranking.analysis.standings.iter().map(|row| row.bot)
    }

    /// The bots of the best rank so far.
    fn first(&self) -> Vec<usize> {
        let best = self.sheet.ranks.iter().min();
        self.order().filter(|bot| self.sheet.ranks.get(*bot) == best).collect()
    }

    fn names(&self, bots: &[usize]) -> String {
        first_of(bots.iter().map(|bot| self.ranking.name(*bot)), NAMED_MAX, " and")
    }
}

/// `2 of 4 matches of round 3 are over`.
fn are_over(over: usize, all: usize, round: &str) -> String {
    let (noun, verb) = (if all == 1 { "match" } else { "matches" }, if over == 1 { "is" } else { "are" });
    format!("{over} of {all} {noun} of {round} {verb} over")
}

/// `4½ points`.
fn in_points(halves: u32) -> String {
    format!("{} {}", points(halves), if halves == 2 { "point" } else { "points" })
}

//! The headline of a tournament: what was played, who is first and how sure that is, and which games are worth seeing. In
//! one place, since the terminal, the report and the live page begin with it.

use arena_core::event::{GameId, Tournament};
use arena_core::schedule::{Brief, Planned};
use arena_core::stats::{Standing, Tally};
use arena_core::text::{counted, grouped, shown, signed};
use arena_show::views::{Ranking, whole_percent};

use super::competition::Competition;
use crate::report::cells::{elo_with_margin, first_of, percent, wins_draws_losses};
use crate::report::facts::upset::{Expectations, Upset};
use crate::report::words::faults::{FaultRow, fault_rows};
use crate::report::words::sprt::TestResult;
use crate::report::words::verdict::sentence;
use crate::report::{Conducts, Results};

/// Bots that a sentence names.
const NAMED_MAX: usize = 3;
/// Bots that the sentence on the best names.
const BEST_MAX: usize = 12;
/// Opponents that the sentence on a challenger names.
const OPPONENTS_MAX: usize = 8;
/// Bots that the line on the leaders names.
const LEADERS: usize = 3;
/// Changes of who was ahead that make a game worth seeing.
const TURNS: usize = 2;

/// What people want to know first.
#[derive(Debug)]
pub(crate) struct Headline {
    /// `connect4 round-robin · 12 bots · 1,584 games · finished 2026-11-28 14:38 UTC, 84 s`.
    pub(crate) facts: String,
    /// What the test of a match shows.
    pub(crate) verdict: Option<String>,
    /// Who is first, and who comes next.
    pub(crate) sentences: Vec<String>,
    /// How many games faults decided.
    pub(crate) faults: Option<String>,
    /// At most three games.
    pub(crate) games: Vec<NotableGame>,
}

/// A game worth seeing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotableGame {
    pub(crate) id: GameId,
    /// What is special about it: `random beat mcts, expected score 3.1%`.
    pub(crate) what: String,
}

impl Headline {
    pub(crate) fn of(results: &Results<'_>, conducts: &Conducts) -> Self {
        let sentences = first_places(&results.ranking, results.event(), results.progress.is_complete());
        let games = worth_seeing(results, conducts);
        let verdict = TestResult::of(results).and_then(|test| test.words).map(|words| sentence(&words));
        Self { facts: facts(results, conducts), verdict, sentences, faults: faults(results), games }
    }
}

fn facts(results: &Results<'_>, conducts: &Conducts) -> String {
    let (event, counts) = (results.event(), results.progress);
    let games = match counts.scheduled - counts.played {
        0 => counted(counts.played, "game"),
        _ => format!("{} of {}", grouped(counts.played as u64), counted(counts.scheduled, "game")),
    };
    let mut all =
        vec![format!("{} {}", shown(&event.label), shown(&event.format)), counted(event.bots.len(), "bot"), games];
    all.extend(conducts.span().filter(|_| results.with_times).map(|(end, seconds)| {
        let verb = if counts.is_complete() { "finished" } else { "last move" };
        let taken = if seconds < 60.0 { format!("{seconds:.1} s") } else { arena_sys::time::long_duration(seconds) };
        format!("{verb} {end} UTC, {taken}")
    }));
    all.join(" · ")
}

/// Who leads and how sure that is, for pages that have a sentence or two on each tournament; nothing before the first game.
pub(crate) fn leading(results: &Results<'_>) -> Vec<String> {
    let ranking = &results.ranking;
    let sentences = first_places(ranking, results.event(), results.progress.is_complete());
    // After these comes who is next.
    let on_leaders = ranking.challengers.len().max(1) + usize::from(best_sentence(ranking).is_some());
    let verdict = TestResult::of(results).and_then(|test| test.words).map(|words| sentence(&words));
    verdict.into_iter().chain(sentences.into_iter().take(on_leaders)).chain(surety(results)).collect()
}

/// How sure the result of the only two bots is, where neither a test nor a format says it.
pub(crate) fn surety(results: &Results<'_>) -> Option<String> {
    let ranking = &results.ranking;
    let compared = ranking.compared();
    let &[leader, other] = &compared[..] else { return None };
    let is_said = TestResult::of(results).is_some()
        || !ranking.challengers.is_empty()
        || best_sentence(ranking).is_some()
        || Competition::of(ranking, results.event(), results.progress.is_complete()).is_some();
    let is_equal = ranking.games() == 0 || equals(ranking, &compared) > 1;
    (!is_said && !is_equal).then(|| lead(ranking, leader, &[other]))
}

/// Who is first, and who comes next; nothing before the first game. `is_complete`: no game is missing.
pub fn first_places(ranking: &Ranking, event: &Tournament, is_complete: bool) -> Vec<String> {
    if ranking.games() == 0 {
        return Vec::new();
    }
    let best = best_sentence(ranking);
    if !ranking.challengers.is_empty() {
        return ranking.challengers.iter().filter_map(|bot| challenger(ranking, *bot)).chain(best).collect();
    }
    if let Some(competition) = Competition::of(ranking, event, is_complete) {
        return competition.sentence().into_iter().chain(best).collect();
    }
    match ranking.compared()[..] {
        [] | [_] => Vec::new(),
        [a, b] => duel(ranking, [a, b]).into_iter().chain(best).collect(),
        [leader, ..] => {
            let compared = ranking.compared();
            let (first, others) = compared.split_at(equals(ranking, &compared));
            let said = match first {
                [_] if best.is_none() => lead(ranking, leader, others),
                [_] => format!("{} is first.", with_elo(ranking, leader)),
                _ => format!("{} share the first place.", named(first.iter().map(|bot| with_elo(ranking, *bot)))),
            };
            [Some(said), best, next(ranking, others)].into_iter().flatten().collect()
        }
    }
}

/// Who is first in three words, `mcts leads` or at the end `mcts won`; `None` where nobody is alone, and before the first game.
#[must_use]
pub fn short_headline(ranking: &Ranking, event: &Tournament, is_complete: bool) -> Option<String> {
    if ranking.games() == 0 {
        return None;
    }
    let (bots, verb) = if let Some(competition) = Competition::of(ranking, event, is_complete) {
        match competition.winners() {
            winners if winners.is_empty() => (competition.ahead(), "leads"),
            winners => (winners, "won"),
        }
    } else {
        let compared = ranking.compared();
        let first = equals(ranking, &compared);
        (compared[..first].to_vec(), if is_complete { "is first" } else { "leads" })
    };
    let [bot] = bots[..] else { return None };
    Some(format!("{} {verb}", ranking.name(bot)))
}

/// The number of the first ones of these bots that have the same rank.
fn equals(ranking: &Ranking, bots: &[usize]) -> usize {
    let rank = |bot: &usize| ranking.analysis.standings.iter().find(|row| row.bot == *bot).map(|row| row.rank);
    bots.iter().take_while(|bot| rank(bot) == bots.first().and_then(rank)).count()
}

/// `a, b, c and 2 more`.
fn named(names: impl ExactSizeIterator<Item = String>) -> String {
    first_of(names, NAMED_MAX, " and")
}

/// Which bots may be the best, if all are compared together.
#[must_use]
pub fn best_sentence(ranking: &Ranking) -> Option<String> {
    let bots = ranking.best()?;
    let names = bots.iter().map(|bot| ranking.name(*bot));
    let who = match bots.len() {
        1 => format!("Only {} can be the best", ranking.name(bots[0])),
        all if all == ranking.compared().len() => "The best may be any of them".to_owned(),
        _ => format!("The best may be any of {}", first_of(names, BEST_MAX, " and")),
    };
    Some(format!("{who}, at 95 %{}.", ranking.together()))
}

/// The score of a challenger, against all and against each.
fn challenger(ranking: &Ranking, bot: usize) -> Option<String> {
    let standing = ranking.analysis.standings.iter().find(|row| row.bot == bot)?;
    let total = standing.games.total();
    let met = meetings(ranking, bot);
    let each = met.iter().map(|(other, tally)| format!("{} {}", ranking.name(*other), percent(tally.score())));
    let others: Vec<usize> = ranking.compared().into_iter().filter(|bot| !ranking.challengers.contains(bot)).collect();
    let elo = ranking.analysis.ratings.against_mean(bot, &others);
    let elo = elo.map_or_else(String::new, |elo| format!(", {} against their mean", crate::report::with_margin(&elo)));
    Some(format!(
        "{} scored {} of {} against {}{elo}: {}.",
        ranking.name(bot),
        percent(total.score()),
        counted(total.games() as usize, "game"),
        counted(met.len(), "bot"),
        first_of(each, OPPONENTS_MAX, ", and"),
    ))
}

/// The results of a bot against each that it met, in the order of the standings.
fn meetings(ranking: &Ranking, bot: usize) -> Vec<(usize, Tally)> {
    let own = ranking.meetings(usize::MAX).find(|(known, _)| *known == bot);
    own.map_or_else(Vec::new, |(_, cells)| met(ranking, &cells))
}

/// The bots of a row of [`Ranking::meetings`] that were met.
pub(crate) fn met(ranking: &Ranking, cells: &[Option<Tally>]) -> Vec<(usize, Tally)> {
    let standings = ranking.analysis.standings.iter().zip(cells);
    standings.filter_map(|(row, cell)| Some((row.bot, (*cell)?))).collect()
}

/// The result of the only two bots.
fn duel(ranking: &Ranking, [a, b]: [usize; 2]) -> Option<String> {
    let (_, total) = meetings(ranking, a).into_iter().find(|(other, _)| *other == b)?;
    let [a, b] = [a, b].map(|bot| ranking.name(bot));
    Some(format!("{a} scored {} against {b}: {}.", percent(total.score()), wins_draws_losses(total)))
}

/// Who is first, and from whom that bot is not separated.
fn lead(ranking: &Ranking, leader: usize, others: &[usize]) -> String {
    let open: Vec<usize> = others.iter().copied().filter(|other| !ranking.differ(leader, *other)).collect();
    let sure = match open.len() {
        0 => "stronger than every other bot".to_owned(),
        all if all == others.len() => "not yet separated from any other bot".to_owned(),
        _ => format!("not separated from {}", first_of(open.iter().map(|bot| ranking.name(*bot)), NAMED_MAX, " and")),
    };
    format!("{} is first, {sure} at 95 %{}.", with_elo(ranking, leader), ranking.together())
}

/// The next two bots, or one.
fn next(ranking: &Ranking, others: &[usize]) -> Option<String> {
    let names: Vec<String> = others.iter().take(2).map(|bot| with_elo(ranking, *bot)).collect();
    (!names.is_empty()).then(|| format!("Next: {}.", names.join(", then ")))
}

/// `mcts (+305.1 ± 40.2)`; without a rating that nothing ties to those of the others.
fn with_elo(ranking: &Ranking, bot: usize) -> String {
    let ratings = &ranking.analysis.ratings;
    let elo = ratings.of(bot).map(|rating| rating.elo);
    match elo.filter(|elo| ratings.groups() < 2 && (elo.lo.is_finite() || elo.hi.is_finite())) {
        Some(elo) => format!("{} ({})", ranking.name(bot), elo_with_margin(Some(&elo))),
        None => ranking.name(bot),
    }
}

/// How many games faults decided, and whose they were above all.
fn faults(results: &Results<'_>) -> Option<String> {
    let rows = fault_rows(results);
    let lost = |rows: &[FaultRow]| rows.iter().map(|row| row.games[1]).sum::<u64>();
    let total = lost(&rows);
    let by_bot = rows.chunk_by(|a, b| a.bot == b.bot).map(|own| (own[0].bot, lost(own)));
    let (bot, most) = by_bot.max_by_key(|(_, lost)| *lost).filter(|_| total > 0)?;
    let name = results.ranking.name(bot);
    let whose = if most == total { format!("by {name}") } else { format!("{most} of them by {name}") };
    let games = counted(total as usize, "game");
    Some(format!("{games} {} lost by faults, {whose}.", if total == 1 { "was" } else { "were" }))
}

/// The greatest upset, the longest game, and the one in which the lead changed most often, each once.
fn worth_seeing(results: &Results<'_>, conducts: &Conducts) -> Vec<NotableGame> {
    let name = |bot: usize| results.ranking.name(bot);
    let versus = |[a, b]: [usize; 2]| format!("{} against {}", name(a), name(b));
    let longest = conducts
        .longest
        .filter(|(plies, ..)| *plies > conducts.shortest)
        .map(|(plies, bots, id)| NotableGame { id, what: format!("{}, the longest: {plies} plies", versus(bots)) });
    let turns = conducts.turns.filter(|(turns, ..)| *turns >= TURNS).map(|(turns, bots, id)| NotableGame {
        id,
        what: format!("{}: both saw the lead change {turns} times", versus(bots)),
    });
    let mut all: Vec<NotableGame> = Vec::new();
    for game in [upset(results), turns, longest].into_iter().flatten() {
        if all.iter().all(|known| known.id != game.id) {
            all.push(game);
        }
    }
    all
}

/// The greatest upset.
fn upset(results: &Results<'_>) -> Option<NotableGame> {
    let expectations = Expectations::of(&results.ranking);
    let upset = |(game, brief): (Planned, Brief)| Some((expectations.upset(game.bots, &brief)?, brief.id));
    let upsets = results.schedule.played().filter_map(upset);
    let (Upset { bots: [winner, loser], expected }, id) =
        upsets.min_by(|(x, _), (y, _)| x.expected.total_cmp(&y.expected))?;
    let [winner, loser] = [winner, loser].map(|bot| results.ranking.name(bot));
    Some(NotableGame { id, what: format!("{winner} beat {loser}, expected score {}", percent(Some(expected))) })
}

/// Who leads, and how well that is known, in one line; `None` before the first game.
#[must_use]
pub fn leaders(ranking: &Ranking) -> Option<String> {
    let leader = |(place, standing): (usize, &Standing)| {
        let rating = ranking.analysis.ratings.of(standing.bot).map(|rating| rating.elo);
        let margin = rating.map(|elo| elo.half_width()).filter(|margin| margin.is_finite());
        // Where results choose opponents, equal scores are no equal strengths. Without a margin nothing ties a rating down.
        let value = match rating.filter(|_| ranking.sheet.is_some() && margin.is_some()) {
            Some(elo) => signed(elo.elo),
            None => format!("{} %", whole_percent(standing.games.total().score()?)),
        };
        let unit = if place == 0 { " Elo" } else { "" };
        let margin = margin.map_or_else(String::new, |margin| format!(" (±{margin:.0}{unit})"));
        Some(format!("{} {value}{margin}", ranking.name(standing.bot)))
    };
    let leaders: Vec<String> = ranking.analysis.standings.iter().take(LEADERS).enumerate().filter_map(leader).collect();
    let games = counted(ranking.games() as usize, "game");
    (!leaders.is_empty()).then(|| format!("after {games}: {}", leaders.join(", ")))
}

//! What the author of a bot is told after a night: as text, as a page, and the inputs on which it failed.
//!
//! It is for the author alone, who has the folder of the bot and neither the results nor the other bots. So it has nothing of the
//! organiser, such as paths and the names of machines, nothing that another bot wrote, no seed of the tournament, from which
//! the seeds and the secrets of its games follow, and no command that needs the results.

mod change;
mod document;
mod games;
mod html;
mod names;
mod private;
mod seen;
#[cfg(test)]
mod tests;
mod text;
mod time;

use std::collections::BTreeMap;
use std::time::Duration;

use arena_core::event::{EarlierVersion, LeftOut};
use arena_core::rules::Variant;
use arena_core::stats::Tally;
use arena_core::text::{counted, escaped, printable, shown};
use arena_show::views::{RankedBot, Table, capital};

use super::cells::{elo_with_margin, percent, wins_draws_losses};
use super::text::headline::met;
use super::words::faults::{FaultRow, fault_rows};
use super::{Results, format_text};
use change::{Changes, minute};
use document::{Block, Chapter, Document};
use games::{LostGame, lost_games};
use private::PrivateTexts;
use time::{Nearest, nearest};

pub use change::Before;
pub use names::text_names;
/// Most inputs of a bot.
pub const FEEDBACK_INPUTS_MAX: usize = games::GAMES_MAX;

/// What feedback needs besides the results.
#[derive(Debug, Clone, Default)]
pub struct FeedbackOptions<'a> {
    /// The results at the end of the last feedback, if there was one.
    pub before: Option<Before<'a>>,
    /// Texts that must not reach an author: paths of the organiser's folders.
    pub private: Vec<String>,
    /// What the check says of a bot, by its name: as `arena check` writes it, in lines.
    pub checks: BTreeMap<String, String>,
    /// Time to start, which a bot is told in its first message.
    pub startup: Duration,
}

/// What the author of one bot is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotFeedback {
    /// The name of the bot.
    pub name: String,
    /// The text.
    pub text: String,
    /// The same as a page.
    pub html: String,
    /// The lines that were sent to the bot in the games that it lost by faults, in the order in which they are named.
    pub inputs: Vec<String>,
}

/// What the authors of all bots of a tournament are told, those that were left out last. `stem` gives the name of the file of an
/// input: that of the bot's files, to which the number of the input and `.input` are added.
///
/// # Errors
///
/// Returns an error if the journal cannot be read.
pub fn feedback(
    results: &Results<'_>,
    options: &FeedbackOptions<'_>,
    stem: impl Fn(&str) -> String,
) -> anyhow::Result<Vec<BotFeedback>> {
    let authors = Authors::of(results, options)?;
    let mut all = Vec::new();
    let rows = results.ranking.bots().zip(results.ranking.meetings(usize::MAX));
    for (row, (_, cells)) in rows {
        let mut inputs = Vec::new();
        let name = results.name(row.bot);
        let opponents = opponents(results, row.bot, &cells);
        let document = authors.bot(&row, opponents, &stem(name), &mut inputs)?;
        all.push(authors.finish(name, document, &inputs));
    }
    for bot in &results.event().left_out {
        if results.event().bots.iter().all(|entry| entry.id.name != bot.name) {
            all.push(authors.finish(&bot.name, authors.left_out(bot), &[]));
        }
    }
    Ok(all)
}

/// What is computed for all bots together.
struct Authors<'a> {
    results: &'a Results<'a>,
    options: &'a FeedbackOptions<'a>,
    private: PrivateTexts,
    changes: Option<Changes>,
    lost: Vec<Vec<LostGame>>,
    nearest: Vec<Option<Nearest>>,
    faults: Vec<FaultRow>,
    variant: Option<Variant>,
}

impl<'a> Authors<'a> {
    fn of(results: &'a Results<'_>, options: &'a FeedbackOptions<'_>) -> anyhow::Result<Self> {
        let before = options.before.as_ref();
        Ok(Self {
            results,
            options,
            private: PrivateTexts::new(options.private.iter().cloned()),
            changes: before.map(|before| Changes::of(results, before)),
            lost: lost_games(results, before),
            nearest: if results.with_times { nearest(results)? } else { Vec::new() },
            faults: fault_rows(results),
            variant: results.event().variant().ok(),
        })
    }

    fn finish(&self, name: &str, document: Document, inputs: &[String]) -> BotFeedback {
        let document = document.without(&self.private);
        let inputs = inputs.iter().map(|input| self.private.leave_out(input)).collect();
        BotFeedback { name: name.to_owned(), text: text::text(&document), html: html::page(&document), inputs }
    }

    /// Text of the bot itself, or about its files.
    fn own(&self, text: &str) -> String {
        self.private.leave_out_paths(text)
    }

    fn bot(
        &self,
        row: &RankedBot<'_>,
        opponents: Option<Table>,
        stem: &str,
        inputs: &mut Vec<String>,
    ) -> anyhow::Result<Document> {
        let results = self.results;
        let event = results.event();
        let games = results.progress.played;
        let facts = format!(
            "{}, {}, {}; {}, {}.",
            shown(&event.label),
            format_text(event),
            event.clock,
            counted(event.bots.len(), "bot"),
            counted(games, "game")
        );
        let mut lead = vec![self.standing(row), facts];
        lead.extend(results.ranking.options_in_words());
        let mut chapters = self.status(row.bot);
        chapters.push(Chapter::new("Since the last feedback", self.since(row.bot)));
        if let Some(table) = opponents {
            let about = "Expected is the score by the ratings, which are of all games of all bots.".to_owned();
            chapters.push(Chapter::new(
                "Opponents",
                vec![Block::Table("Score against each opponent", table), Block::Text(about)],
            ));
        }
        let faults = self.faults(row.bot);
        if !faults.is_empty() {
            chapters.push(Chapter::new("Faults in all games", faults));
        }
        chapters.push(Chapter::new("Lost games worth seeing", self.games(row.bot, stem, inputs)?));
        chapters.extend(self.time(row.bot)?);
        chapters.push(self.check(results.name(row.bot)));
        let title = format!("{} in {}", row.name, shown(self.results.heading()));
        Ok(Document { title, lead, chapters })
    }

    /// Rank, rating and score, in a sentence.
    fn standing(&self, row: &RankedBot<'_>) -> String {
        let ranking = &self.results.ranking;
        let bots = ranking.analysis.standings.len();
        let elo = row.elo().map_or_else(
            || "no rating yet".to_owned(),
            |elo| format!("{} Elo ({})", elo_with_margin(Some(&elo)), ranking.zero()),
        );
        let total = row.total;
        let [score, games] = [percent(total.score()), counted(total.games() as usize, "game")];
        let record = wins_draws_losses(total);
        let [best, worst] = row.ranks();
        let rank = if best < worst { format!("Rank {best} to {worst}") } else { format!("Rank {best}") };
        format!("{rank} of {bots}, {elo}. {score} of the points in {games} ({record}: wins, draws, losses).")
    }

    /// What the organiser's arena did with the bot, if anything is unusual.
    fn status(&self, bot: usize) -> Vec<Chapter> {
        let event = self.results.event();
        let name = self.results.name(bot);
        let earlier = event.earlier.iter().filter(|earlier| earlier.name == name).map(EarlierVersion::sentence);
        let withdrawn = self.results.withdrawn().filter(|(withdrawn, _)| *withdrawn == name);
        let withdrawn = withdrawn.map(|(_, why)| format!("It was {}.", why.trim_end_matches('.')));
        let left_out =
            event.left_out.iter().filter(|bot| bot.name == name).map(|bot| format!("It was left out: {}", bot.cause));
        let all: Vec<Block> =
            earlier.chain(withdrawn).chain(left_out).map(|text| Block::Text(self.own(&escaped(&text)))).collect();
        if all.is_empty() { Vec::new() } else { vec![Chapter::new("State", all)] }
    }

    fn since(&self, bot: usize) -> Vec<Block> {
        let (Some(before), Some(changes)) = (&self.options.before, &self.changes) else {
            return vec![Block::Text("This is the first feedback, so there is nothing to compare with.".to_owned())];
        };
        let (mut all, mut new) = (0, 0);
        for (game, brief) in self.results.schedule.played() {
            if game.bots.contains(&bot) {
                all += 1;
                new += usize::from(brief.bytes > 0 && before.is_new(&brief));
            }
        }
        let until = if self.results.with_times && !before.until.is_empty() {
            format!(", which had games until {}", minute(before.until))
        } else {
            String::new()
        };
        let games = format!("{new} of {} are new since the last feedback{until}.", counted(all, "game"));
        let own = changes.by_bot.get(bot).filter(|text| !text.is_empty()).cloned();
        [games].into_iter().chain(own).chain(changes.of_all.iter().cloned()).map(Block::Text).collect()
    }

    /// Each kind of fault: how often, what happened first, and what to do.
    fn faults(&self, bot: usize) -> Vec<Block> {
        let mut blocks = Vec::new();
        for row in self.faults.iter().filter(|row| row.bot == bot) {
            let [games, lost] = row.games;
            let games = counted(games as usize, "game");
            blocks.push(Block::Heading(format!("{}: {games}, {lost} lost", capital(&row.status.words()))));
            if !row.happened.is_empty() {
                blocks.push(Block::Text(format!("First: {}", self.own(&row.happened))));
            }
            blocks.extend(
                row.advice.as_ref().map(|advice| Block::Text(format!("{}: {}.", capital(advice.what), advice.cure))),
            );
        }
        blocks
    }

    fn time(&self, bot: usize) -> anyhow::Result<Option<Chapter>> {
        if !self.results.with_times {
            return Ok(None);
        }
        let times = &self.results.conducts()?.bots[bot].times;
        let facts = time::facts(times.summary(), self.results.event(), self.nearest.get(bot).copied().flatten());
        Ok(facts.map(|facts| Chapter::new("Time", vec![Block::Facts(facts)])))
    }

    fn check(&self, name: &str) -> Chapter {
        let mut blocks = Vec::new();
        if let Some(said) = self.options.checks.get(name) {
            blocks.push(Block::Lines(said.lines().map(|line| self.own(&printable(line))).collect()));
        }
        blocks.push(Block::Text(
            "With the arena installed, `arena check .` in the folder of the bot plays test games with it, and names each mistake \
             with its cure."
                .to_owned(),
        ));
        Chapter::new("Check", blocks)
    }

    /// What the author of a bot is told that did not take part.
    fn left_out(&self, bot: &LeftOut) -> Document {
        // What is no bot is called by its path.
        let name = shown(bot.name.rsplit('/').next().unwrap_or_default());
        let why = if bot.declined { "it declined the game" } else { "it could not" };
        let said = self.own(&shown(&bot.cause));
        let lead = vec![format!("It did not take part, because {why}: {said}")];
        let title = format!("{name} in {}", shown(self.results.heading()));
        Document { title, lead, chapters: vec![self.check(&bot.name)] }
    }
}

/// The score against each opponent and what was expected; `None` if there is none.
fn opponents(results: &Results<'_>, bot: usize, cells: &[Option<Tally>]) -> Option<Table> {
    let ranking = &results.ranking;
    let met = met(ranking, cells);
    if met.is_empty() {
        return None;
    }
    let mut table = Table::new().names("Opponent").column("Games").column("W-D-L").column("Score").column("Expected");
    for (other, tally) in met {
        let expected = ranking.analysis.ratings.expected(bot, other);
        table.row(vec![
            ranking.name(other),
            tally.games().to_string(),
            wins_draws_losses(tally),
            percent(tally.score()),
            percent(expected),
        ]);
    }
    Some(table)
}

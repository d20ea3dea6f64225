//! Lost games as their authors see them: the position where each turned, or the fault and the input that repeats it.

use anyhow::Context as _;
use arena_core::event::bot_seeds;
use arena_core::record::{Record, Status};
use arena_core::text::{printable, shown};
use arena_show::views::Story;
use arena_wire::protocol::protocol_of;
use arena_wire::transcript::{TranscriptOptions, transcript};

use super::Authors;
use super::document::Block;
use super::games::{LostGame, moves_around, turn, worth_seeing};
use crate::report::cells::percent;

/// Lines of a bot's stderr that are shown.
const STDERR_LINES: usize = 10;
/// Begins the line of a rebuilt input that has the fault, with the evidence of the arena.
const FAULT_LINE: &str = r#"{"type":"x_fault""#;
/// Why a game cannot be played again.
const WITHOUT_RULES: &str = "the rules of the game are not there, or the record does not follow them";
/// Between the parts of a heading.
const SEPARATOR: &str = ", ";

impl Authors<'_> {
    /// The chapter on lost games. Inputs of faults are added to `inputs`.
    pub(super) fn games(&self, bot: usize, stem: &str, inputs: &mut Vec<String>) -> anyhow::Result<Vec<Block>> {
        let lost = &self.lost[bot];
        if lost.is_empty() {
            let since = if self.options.before.is_some() { " since the last feedback" } else { "" };
            return Ok(vec![Block::Text(format!("It lost no game{since}."))]);
        }
        let mut blocks = Vec::new();
        for game in worth_seeing(lost) {
            self.game(&game, stem, inputs, &mut blocks)?;
        }
        Ok(blocks)
    }

    /// A lost game: against whom and why, and where it turned, or the fault.
    fn game(
        &self,
        game: &LostGame,
        stem: &str,
        inputs: &mut Vec<String>,
        blocks: &mut Vec<Block>,
    ) -> anyhow::Result<()> {
        let results = self.results;
        let record = results.record(&game.planned, &game.brief)?;
        let opponent = results.ranking.name(game.opponent());
        let mut parts = vec![
            format!("Game {} against {opponent}", game.brief.id.short()),
            match results.ranking.seat_names {
                Some(names) => names[game.seat.index()].to_owned(),
                None => format!("{} seat", ["first", "second"][game.seat.index()]),
            },
            format!("lost: {}", shown(&record.reason_in_words())),
        ];
        parts.extend(game.expected.map(|expected| format!("expected score {}", percent(Some(expected)))));
        blocks.push(Block::Heading(parts.join(SEPARATOR)));
        if game.status().is_fault() {
            self.fault(game, &record, stem, inputs, blocks);
        }
        let story = self.variant.clone().and_then(|variant| Story::new(record.clone(), variant).ok());
        let Some(story) = story else {
            blocks.push(Block::Text(format!("Its positions cannot be shown: {WITHOUT_RULES}.")));
            return Ok(());
        };
        if game.status().is_fault() {
            let end = story.record.moves.len();
            if end > 0 {
                blocks.push(Block::Text(format!(
                    "Moves: {}. The position at the fault:",
                    printable(&moves_around(&story, end))
                )));
                blocks.extend(story.pictures.last().cloned().map(Block::Position));
            }
            return Ok(());
        }
        let marks = results.analyses()?.marks(&story.record);
        let story = story.with_marks(marks);
        let Some(turn) = turn(&story, game.seat) else { return Ok(()) };
        let moves = printable(&moves_around(&story, turn.at)).into_owned();
        let bar = if story.record.opening.is_empty() { "" } else { " The bar ends the opening." };
        blocks.push(Block::Text(printable(&turn.why).into_owned()));
        blocks.push(Block::Text(format!("Moves: {moves}.{bar} Before move {}, at the arrow:", turn.at + 1)));
        blocks.extend(story.pictures.get(turn.at).cloned().map(Block::Position));
        Ok(())
    }

    /// How a game was lost by a fault, and how to see it again.
    fn fault(&self, game: &LostGame, record: &Record, stem: &str, inputs: &mut Vec<String>, blocks: &mut Vec<Block>) {
        let evidence = record.evidence[game.seat.index()].as_ref();
        if let Some(evidence) = evidence {
            let happened = self.own(&evidence.sentence(game.status()));
            if !happened.is_empty() {
                blocks.push(Block::Text(format!("What happened: {happened}.")));
            }
            let received = evidence.last_received.iter().map(|line| format!("last line from it: {}", shown(line)));
            let lines: Vec<String> =
                received.chain(evidence.stderr_lines(shown, STDERR_LINES)).map(|line| self.own(&line)).collect();
            if !lines.is_empty() {
                blocks.push(Block::Lines(lines));
            }
        }
        // What it was sent does not show that it took time from others.
        if game.status() == Status::Interference {
            return;
        }
        let input = self.input(game, record);
        blocks.push(Block::Text(match input {
            Ok(input) => {
                inputs.push(input);
                let file = format!("{stem}.{}.input", inputs.len());
                format!("All that it was sent in this game is in {file}. To play it again without the arena, where ./bot starts it: ./bot < {file}")
            }
            Err(_) => format!("What it was sent cannot be rebuilt: {WITHOUT_RULES}."),
        }));
    }

    /// The lines that the bot was sent, without what the arena noted about the fault.
    fn input(&self, game: &LostGame, record: &Record) -> anyhow::Result<String> {
        let event = self.results.event();
        let entry = event.bots.get(game.planned.bots[game.seat.index()]).context("the bot of a game")?;
        let seed = bot_seeds(event.seed, &record.id)[game.seat.index()];
        let speaks = entry.speaks.as_ref();
        let options =
            TranscriptOptions { speaks, seed, startup: self.options.startup, command: None, both_ways: false };
        let text = transcript(record, game.seat, &options)?;
        if !protocol_of(speaks).takes_remarks {
            return Ok(text);
        }
        Ok(text.split_inclusive('\n').filter(|line| !line.starts_with(FAULT_LINE)).collect())
    }
}

//! `arena replay`: recorded games, listed, and one of them step by step.

#[cfg(feature = "tui")]
mod on_screen;

use std::collections::HashSet;

use anyhow::bail;
use arena_core::event::bot_seeds;
use arena_core::record::Record;
use arena_core::rules::{Seat, Variant};
use arena_core::speech::Speech;
use arena_core::text::{counted, json, shell_word, shown};
use arena_play::player::process::STARTUP_DEFAULT;
use arena_run::session::Archive;
use arena_show::views::Story;
use arena_store::journal;
use arena_store::report::{Filter, ListColumns, filter_word};
use arena_sys::flags::NAME;
use arena_sys::results_folder::Place;
use arena_wire::transcript::{TranscriptOptions, request, transcript};

use super::standings::open;
#[cfg(feature = "tui")]
use crate::cli::args::game::recall_quietly;
use crate::cli::args::game::{RulesArgs, recall, warn_of_missing_boards};
use crate::cli::run::play;
use crate::cli::{Exit, Io, ResultsArgs, whole};

/// Bytes of a list that are printed at once.
const PRINTED_BYTES: usize = 1 << 16;

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags are bools")]
pub(crate) struct Args {
    /// Id of a game, or the beginning of it [default: list the games]
    id: Option<String>,
    /// Name or folder of the tournament [default: all of them]
    #[arg(long)]
    name: Option<String>,
    /// List only games of this bot, or of bots whose names contain this; give it twice for games of two bots
    #[arg(long, value_name = "NAME", conflicts_with = "id")]
    bot: Vec<String>,
    /// List only games that the bot of --bot lost
    #[arg(long, requires = "bot", conflicts_with = "id")]
    lost: bool,
    /// List only games that ended for this reason, such as line or timeout
    #[arg(long, value_name = "WORD", conflicts_with = "id")]
    reason: Option<String>,
    /// List only games in which this bot gave the result away, and after which plies, as far as `arena analyze` knows
    #[arg(long, value_name = "NAME", conflicts_with = "id")]
    gave: Option<String>,
    /// List only the games of this pair
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=u32::MAX), conflicts_with = "id")]
    pair: Option<u32>,
    /// List only the last N of these games
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=u32::MAX), conflicts_with = "id")]
    last: Option<u32>,
    /// Start after PLY moves
    #[arg(long, value_name = "PLY", requires = "id", conflicts_with_all = ["request", "wire", "json"])]
    from: Option<usize>,
    /// Play on from there, in the seat on move, against the other bot of the game
    #[arg(long, requires = "id", conflicts_with_all = ["all", "request", "wire", "json"])]
    play: bool,
    /// Print lines instead of a screen, as when the output is not a terminal
    #[arg(long)]
    plain: bool,
    /// Print all positions at once; the same as --plain
    #[arg(long, requires = "id")]
    all: bool,
    /// Print the request for the move after PLY moves, as the bot got it, with other ids
    #[arg(long, value_name = "PLY", requires = "id", conflicts_with_all = ["all", "plain", "wire", "json"])]
    request: Option<usize>,
    /// Print what the bot in this seat was sent, and its replies; a JSON bot takes this as input
    #[arg(long, value_name = "SEAT", requires = "id", conflicts_with_all = ["all", "plain", "json"])]
    wire: Option<SeatArg>,
    /// Print the game as JSON, as it is in the journal
    #[arg(long, requires = "id", conflicts_with_all = ["all", "plain"])]
    json: bool,
    #[command(flatten)]
    pub(crate) rules: RulesArgs,
    #[command(flatten)]
    results: ResultsArgs,
}

/// A seat, by its name or number.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum SeatArg {
    /// Moves first
    #[value(alias = "0")]
    First,
    /// Moves second
    #[value(alias = "1")]
    Second,
}

impl From<SeatArg> for Seat {
    fn from(seat: SeatArg) -> Self {
        match seat {
            SeatArg::First => Self::First,
            SeatArg::Second => Self::Second,
        }
    }
}

/// A game that was found.
struct FoundGame {
    record: Record,
    /// The seed of its tournament.
    seed: Option<u64>,
    /// How its bots are spoken to, by seat.
    speaks: [Option<Speech>; 2],
    /// The folder of its tournament.
    place: Place,
}

impl Args {
    /// Whether a screen is shown, and not lines printed.
    #[cfg(feature = "tui")]
    fn is_on_screen(&self, io: &Io) -> bool {
        !self.plain && !self.all && io.can_show_screens()
    }

    /// Refuses flags for one game. clap waives `requires = "id"` where a flag of the list excludes an id.
    fn refuse_without_id(&self) -> anyhow::Result<()> {
        let typed = [
            (self.json, "--json"),
            (self.from.is_some(), "--from"),
            (self.play, "--play"),
            (self.all, "--all"),
            (self.request.is_some(), "--request"),
            (self.wire.is_some(), "--wire"),
        ];
        match typed.into_iter().find_map(|(is_typed, flag)| is_typed.then_some(flag)) {
            Some("--json") => bail!(
                "--json prints one game, by its id: `arena replay ID --json`; games.csv in the results folder lists all games"
            ),
            Some(flag) => bail!("{flag} is for one game: `arena replay ID {flag}`"),
            None => Ok(()),
        }
    }

    /// The flags as a filter.
    fn filter(&self) -> String {
        let mut words: Vec<String> = self.bot.iter().map(|bot| filter_word("bot", bot)).collect();
        words.extend(self.lost.then(|| "lost".to_owned()));
        words.extend(self.reason.as_ref().map(|reason| filter_word("reason", reason)));
        words.extend(self.gave.as_ref().map(|bot| filter_word("gave", bot)));
        words.extend(self.pair.map(|pair| format!("pair:{pair}")));
        words.extend(self.last.map(|last| format!("last:{last}")));
        words.join(" ")
    }
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    args.rules.load(io)?;
    match &args.id {
        None => {
            args.refuse_without_id()?;
            list(args, io)
        }
        Some(id) => {
            let found = find(args, id, io)?;
            if let Err(why) = recall(&open(&found.place)?, &found.record.game, io) {
                if args.play || args.request.is_some() || args.wire.is_some() {
                    bail!(why);
                }
                warn_of_missing_boards(&why, io);
            }
            game(args, found, io)
        }
    }
}

fn list(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let archive = Archive::new(args.results.tournaments(args.name.as_deref(), io)?);
    let filter = args.filter();
    #[cfg(feature = "tui")]
    if args.is_on_screen(io) {
        for folder in archive.places().iter().filter_map(|place| place.open().ok()) {
            recall_quietly(&folder, io);
        }
        return on_screen::list(archive, &filter, io);
    }
    let list = archive.list()?;
    let parsed = Filter::parse(&filter, &list)?;
    let games = parsed.apply(&list);
    if games.is_empty() {
        io.print(&match filter.as_str() {
            "" => "there are no games yet".to_owned(),
            _ => format!("no game matches {filter}; there are {}", counted(list.rows.len(), "game")),
        })?;
        return Ok(Exit::Done);
    }
    // Nothing is cut where programs read it.
    let columns = ListColumns::new(&list, &games, parsed.gave(), io.on_stdout().width);
    let mut text = columns.head() + "\n";
    for game in games {
        columns.write(&list.rows[game as usize], &mut text);
        text.push('\n');
        if text.len() > PRINTED_BYTES {
            io.print_data(&text)?;
            text.clear();
        }
    }
    if !text.is_empty() {
        io.print_data(&text)?;
    }
    Ok(Exit::Done)
}

fn game(args: &Args, found: FoundGame, io: &Io) -> anyhow::Result<Exit> {
    let FoundGame { record, seed, speaks, place } = found;
    if let Some(ply) = args.request {
        io.print_data(&request(&record, ply, speaks.each_ref().map(Option::as_ref))?)?;
        return Ok(Exit::Done);
    }
    if let Some(seat) = args.wire.map(Seat::from) {
        // The record has neither the bot's seed nor its time to start.
        let seed = bot_seeds(seed.unwrap_or_default(), &record.id)[seat.index()];
        let speaks = speaks[seat.index()].as_ref();
        let options = TranscriptOptions { speaks, seed, startup: STARTUP_DEFAULT, command: None, both_ways: true };
        io.print_data(&transcript(&record, seat, &options)?)?;
        return Ok(Exit::Done);
    }
    if args.json {
        io.print_data(&json(&serde_json::to_string(&record)?))?;
        return Ok(Exit::Done);
    }
    let (ply, plies) = (args.from.unwrap_or_default(), record.moves.len());
    if ply > plies {
        bail!("--from {ply}: the game has {}", counted(plies, "move"));
    }
    if args.play {
        return play::go_on(&record, ply, &args.results.results, args.plain, io);
    }
    let variant = Variant::from_json(&record.game, &record.params)?;
    let mut archive = Archive::new(vec![place]);
    let marks = archive.marks(0, &record)?;
    for warning in archive.analysis_warnings() {
        io.warn(&warning);
    }
    let story = Story::new(record, variant)?.with_marks(marks);
    #[cfg(feature = "tui")]
    if args.is_on_screen(io) {
        return on_screen::game(archive, story, &speaks, ply, io);
    }
    let _ = speaks;
    io.print(&story.paragraphs()[ply..].join("\n\n"))?;
    Ok(Exit::Done)
}

/// The game whose id begins with `id`.
fn find(args: &Args, id: &str, io: &Io) -> anyhow::Result<FoundGame> {
    let places = args.results.tournaments(args.name.as_deref(), io)?;
    let mut found = Vec::new();
    let mut ids = HashSet::new();
    for place in &places {
        let journal::FoundRecord { record, ids: some, is_repeated, seed, speakers } = journal::find(&open(place)?, id)?;
        ids.extend(some);
        found.extend(record.map(|record| {
            let speaks = speakers.of(&record);
            (FoundGame { record, seed, speaks, place: place.clone() }, is_repeated)
        }));
    }
    if ids.len() > 1 {
        bail!("`{}` matches {} games; give more of the id", shown(id), ids.len());
    }
    if found.len() > 1 {
        let command = |(other, _): &(FoundGame, bool)| {
            let dir = other.place.path();
            format!("\n  arena replay {} {NAME} {}", shell_word(id), shell_word(&dir.to_string_lossy()))
        };
        let commands: String = found.iter().map(command).collect();
        bail!("{} tournaments have game `{}`; choose one:{commands}", found.len(), shown(id));
    }
    let Some((first, is_repeated)) = found.pop() else {
        let place = if args.name.is_some() { places[0].path() } else { args.results.results.clone() };
        bail!("no game `{}` in {}; ids are in games.csv", shown(id), place.display());
    };
    if is_repeated {
        io.tell(&format!(
            "{} has several records of this game; the first one counts (`arena verify` lists them)",
            first.place.path().join(journal::FILE_NAME).display()
        ));
    }
    Ok(first)
}

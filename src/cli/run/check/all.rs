//! `arena check --all`: the score cards of all bots of the folder, as a table, and as a text for the author of each.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arena_core::clock::TimeControl;
use arena_core::rules::Variant;
use arena_core::text::{counted, shown, wrap};
use arena_play::check::{BuildError, Tests, score_card};
use arena_play::player::process::Launch;
use arena_play::roster::{FoundBot, Roster};
use arena_run::session::{Overwriting, Runtime, closed_programs, refused};
use arena_store::report::text_names;
use arena_sys::results_folder::{Durability, Place, ResultsFolder};
use serde_json::{Value, json};

use super::building::build_all;
use super::{
    Args, CheckMark, INDENT, WIDTH_MAX, as_json, head, in_parallel, is_ok, print_verdict, row, tests, verdict, width,
};
use crate::cli::args::shared::{RESULTS_DEFAULT, whole};
use crate::cli::run::remembered::remember;
use crate::cli::{Exit, Io};

const OUT: &str = "--out";

#[derive(Debug, clap::Args)]
pub(super) struct AllArgs {
    /// Bots to check at a time [default: the number of processors]
    #[arg(short = 'j', long, value_name = "N", requires = "all", value_parser = whole(1..=1_000_u16))]
    concurrency: Option<u16>,
    /// Write a text for the author of each bot into this folder: what was found, and what to do about it
    #[arg(long, value_name = "DIR", requires = "all")]
    out: Option<PathBuf>,
    /// Overwrite files of --out that this command has not written
    #[arg(long, requires = "out")]
    force: bool,
}

impl AllArgs {
    pub(super) fn with_texts(folder: Option<&Path>) -> Self {
        Self { concurrency: None, out: folder.map(Path::to_owned), force: false }
    }
}

/// What the check says of a bot or submission.
struct Card {
    name: String,
    /// Where it lies, or its name: of submissions that are no usable bots, whose names are none of ours.
    left_out: Option<String>,
    /// Whether it passed; `None` if it plays none of the games.
    good: Option<bool>,
    /// In a line.
    line: String,
    /// In full.
    text: String,
    json: Value,
}

impl Card {
    /// That of a bot, by the rows of its score card; `warnings` are what its author should know besides.
    fn new(found: &FoundBot, marks: &[CheckMark], name_width: usize, warnings: &[String]) -> Self {
        let mut text = wrap(&head(found), WIDTH_MAX, INDENT) + "\n";
        for mark in marks {
            let _ = writeln!(text, "{}", row(mark, name_width, WIDTH_MAX));
        }
        text.push_str(&self::warnings(warnings));
        let failed: Vec<&CheckMark> = marks.iter().filter(|mark| mark.good == Some(false)).collect();
        let line = match failed.as_slice() {
            [] => marks
                .iter()
                .find(|mark| mark.what == "slowest reply")
                .map_or_else(String::new, |mark| format!("slowest reply {}", mark.found)),
            [first, rest @ ..] => {
                let more = if rest.is_empty() { String::new() } else { format!(" (and {} more)", rest.len()) };
                format!("{}: {}{more}", first.what, first.found)
            }
        };
        let (name, good) = (found.launch.name.clone(), Some(is_ok(marks)));
        Self { name, left_out: None, good, line, text, json: as_json(found, marks) }
    }

    /// That of a bot that plays none of the games.
    fn of_other_games(found: &FoundBot, why: String) -> Self {
        let json = json!({ "bot": found.launch.name, "command": found.command, "ok": null, "cause": why });
        let text = format!("{}\n{why}\n", head(found));
        Self { name: found.launch.name.clone(), left_out: None, good: None, line: why, text, json }
    }

    /// That of a submission that cannot be used.
    fn of_left_out(name: String, cause: &str) -> Self {
        let json = json!({ "bot": name, "command": null, "ok": false, "cause": cause });
        let text = format!("{}\n", wrap(&format!("{name} cannot be used: {cause}"), WIDTH_MAX, INDENT));
        let line = format!("cannot be used: {cause}");
        Self { left_out: Some(name.clone()), name, good: Some(false), line, text, json }
    }

    /// That of a bot whose build failed.
    fn of_unbuilt(found: &FoundBot, error: &BuildError) -> Self {
        let BuildError { cause, output, .. } = error;
        let last = output.last().map_or_else(String::new, |line| format!(": {line}"));
        let card = Self::of_left_out(found.launch.name.clone(), &format!("{cause}{last}"));
        let mut text = format!("{}\n", wrap(&format!("{} is not built: {cause}", card.name), WIDTH_MAX, INDENT));
        for line in output {
            let _ = writeln!(text, "{:INDENT$}{line}", "");
        }
        text.push_str(&warnings(&refused([found])));
        Self { left_out: Some(found.path.to_string_lossy().into_owned()), text, ..card }
    }

    /// What its text is named after.
    fn identity(&self) -> (&str, Option<&str>) {
        (&self.name, self.left_out.as_deref())
    }

    fn print(&self, name_width: usize, width: usize, io: &Io) -> anyhow::Result<()> {
        let row = format!("{:<4}  {:<name_width$}  ", verdict(self.good), self.name);
        print_verdict(self.good, wrap(&format!("{row}{}", self.line), width, row.len()).trim_end(), io)
    }
}

/// The folder of a `bot.toml`, or any other path of a bot itself.
fn place(path: &Path) -> &Path {
    path.parent().filter(|_| path.ends_with("bot.toml")).unwrap_or(path)
}

/// What its author should know besides, in lines.
fn warnings(warnings: &[String]) -> String {
    warnings.iter().map(|warning| wrap(&format!("warning: {warning}"), WIDTH_MAX, INDENT) + "\n").collect()
}

/// Checks all bots for the games asked for, or for all that they claim.
pub(super) fn run(args: &Args, asked: &[Variant], clock: TimeControl, io: &Io) -> anyhow::Result<Exit> {
    let processors = std::thread::available_parallelism().map_or(1, Into::into);
    let concurrency = args.of_all.concurrency.map_or(processors, usize::from);
    let mut roster = args.how.roster(io)?;
    let (mut left_out, mut unbuilt_places) = (Vec::new(), HashSet::new());
    if args.build {
        let Some(failed) = build_all(&roster.bots, args.how.bots_folder(), concurrency, io)? else {
            return Ok(Exit::Killed);
        };
        let before = std::mem::take(&mut roster.bots);
        // What was built is part of what the bots are. A failed build may have changed the manifest, or removed it.
        roster = args.how.roster(io)?;
        roster.bots.retain(|found| !failed.contains_key(&found.path));
        let unbuilt = before.iter().filter_map(|found| Some((found, failed.get(&found.path)?)));
        left_out = unbuilt.map(|(found, error)| Card::of_unbuilt(found, error)).collect();
        unbuilt_places = failed.keys().map(|path| shown(&place(path).to_string_lossy())).collect();
    }
    roster.break_missing();
    let others = roster.left_out().filter(|(path, _)| !unbuilt_places.contains(path));
    left_out.extend(others.map(|(name, cause)| Card::of_left_out(name, &cause)));
    let folder = args.of_all.out.as_ref().map(|dir| out_folder(args, dir, &roster, &left_out)).transpose()?;
    let scratch = args.how.prepare(roster.bots.iter_mut().collect(), clock.charge, io)?;
    let to_check: Vec<ToCheck<'_>> = roster
        .bots
        .iter()
        .map(|found| ToCheck::new(args, found, scratch.launch(found), asked, clock, io))
        .collect::<anyhow::Result<_>>()?;
    let name_width = to_check.iter().map(|it| it.found.launch.name.len());
    let name_width = name_width.chain(left_out.iter().map(|card| card.name.len())).max().unwrap_or(0);
    let mut runtime = Runtime::start()?;
    let handle = runtime.tokio.handle().clone();
    let (stop, width) = (AtomicBool::new(false), width(io));
    let shown = Mutex::new(InOrder::default());
    let check_all = || {
        in_parallel(concurrency, to_check.len(), &|index| {
            let card = to_check[index].check(&handle);
            // Bots are killed after a signal: what they do then means nothing.
            if !stop.load(Ordering::Relaxed) {
                shown.lock().unwrap_or_else(PoisonError::into_inner).add(index, card, &|card| {
                    if args.json { Ok(()) } else { card.print(name_width, width, io) }
                });
            }
        });
    };
    if runtime.unless_stopped(&stop, check_all, || {})?.is_none() {
        return Ok(Exit::Killed);
    }
    let mut cards = shown.into_inner().unwrap_or_else(PoisonError::into_inner).finish()?;
    for card in left_out {
        if !args.json {
            card.print(name_width, width, io)?;
        }
        cards.push(card);
    }
    let count = |good| cards.iter().filter(|card| card.good == good).count();
    let (passed, others, failed) = (count(Some(true)), count(None), count(Some(false)));
    if let Some(folder) = &folder {
        write_texts(folder, &cards)?;
    }
    if args.json {
        let bots: Vec<&Value> = cards.iter().map(|card| &card.json).collect();
        io.print_json(&json!({ "ok": failed == 0, "bots": bots }))?;
    } else {
        let texts = args.of_all.out.as_ref().map_or_else(String::new, |dir| format!("; texts: {}", dir.display()));
        let others = if others == 0 { String::new() } else { format!(", {others} play other games") };
        io.print(&format!("{passed} of {} passed{others}{texts}", counted(cards.len(), "bot")))?;
    }
    Ok(if failed == 0 { Exit::Done } else { Exit::BotTrouble })
}

/// A bot, and what to test of it, or why nothing.
struct ToCheck<'a> {
    found: &'a FoundBot,
    launch: Arc<Launch>,
    tests: Result<Tests, String>,
    warnings: Vec<String>,
}

impl<'a> ToCheck<'a> {
    fn new(
        args: &Args,
        found: &'a FoundBot,
        launch: Launch,
        asked: &[Variant],
        clock: TimeControl,
        io: &Io,
    ) -> anyhow::Result<Self> {
        let playable: Vec<Variant> = asked.iter().filter(|game| found.plays(game)).cloned().collect();
        let tests = match asked {
            [first, ..] if playable.is_empty() => Err(found
                .cannot_play(first)
                .unwrap_or_else(|| format!("its manifest does not name {first} among its games"))),
            _ => Ok(tests(args, found, &playable, clock, io)?),
        };
        let warnings = [refused([found]), closed_programs(&[found])].concat();
        Ok(Self { found, launch: Arc::new(launch), tests, warnings })
    }

    fn check(&self, handle: &tokio::runtime::Handle) -> Card {
        match &self.tests {
            Err(why) => Card::of_other_games(self.found, why.clone()),
            Ok(tests) => {
                let mut marks = Vec::new();
                score_card(&self.launch, tests, handle, &mut |mark| marks.push(mark));
                Card::new(self.found, &marks, tests.name_width(), &self.warnings)
            }
        }
    }
}

/// Cards that become known in any order, and are printed in that of the bots.
#[derive(Default)]
struct InOrder {
    cards: Vec<Option<Card>>,
    printed: usize,
    failed: Option<anyhow::Error>,
}

impl InOrder {
    fn add(&mut self, index: usize, card: Card, print: &dyn Fn(&Card) -> anyhow::Result<()>) {
        if self.cards.len() <= index {
            self.cards.resize_with(index + 1, || None);
        }
        self.cards[index] = Some(card);
        while let Some(Some(card)) = self.cards.get(self.printed) {
            self.printed += 1;
            if self.failed.is_none() {
                self.failed = print(card).err();
            }
        }
    }

    /// All cards, or the first error of printing them.
    fn finish(self) -> anyhow::Result<Vec<Card>> {
        self.failed.map_or_else(|| Ok(self.cards.into_iter().flatten().collect()), Err)
    }
}

/// The folder of texts, if all of them may be written.
fn out_folder(args: &Args, dir: &Path, roster: &Roster, left_out: &[Card]) -> anyhow::Result<ResultsFolder> {
    let place = Place::at(dir);
    let overwriting = Overwriting {
        inputs: Vec::new(),
        bots: args.how.bots_folder().to_owned(),
        results: RESULTS_DEFAULT.into(),
        home: place.open_if_there()?,
        is_forced: args.of_all.force,
    };
    let bots = roster.bots.iter().map(|found| (found.launch.name.as_str(), None));
    let names = text_names(bots.chain(left_out.iter().map(Card::identity)));
    overwriting.check_all(OUT, dir, names.iter().map(String::as_str))?;
    place.create(OUT)
}

/// Writes a text for each card.
fn write_texts(folder: &ResultsFolder, cards: &[Card]) -> anyhow::Result<()> {
    let names = text_names(cards.iter().map(Card::identity));
    for (name, card) in names.iter().zip(cards) {
        folder.replace(name, Durability::Flushed, |out| Ok(out.write_all(card.text.as_bytes())?))?;
    }
    remember(folder, OUT, &names.iter().map(|name| folder.path_of(name)).collect::<Vec<_>>())
}

//! Bots that may have something in common: how often two of them make the same move where both had the choice, and whose files
//! are those of another's former version.

use std::hash::{DefaultHasher, Hasher as _};

use anyhow::Context as _;
use arena_core::event::{GameId, Tournament};
use arena_core::record::Record;
use arena_core::rules::{Legal, State, Variant, step};
use arena_core::schedule::Scheduler;
use arena_core::stats::{Agreement, Choice, Choices, POSITIONS_MIN, usual_agreement};
use arena_core::text::{counted, grouped, shown};
use arena_show::views::Table;
use serde_json::{Value, json};

use super::history::days;
use super::page::{TextPage, Tone};
use crate::journal::Reader;
use crate::report::facts::versions::{NamedVersion, Versions};

/// Pairs that are listed.
const PAIRS_SHOWN: usize = 10;

/// What the bots of a tournament have in common.
#[derive(Debug)]
pub struct Similarity {
    names: Vec<String>,
    /// Every two bots that share positions, the most alike first.
    pairs: Vec<SimilarPair>,
    /// What two of the bots usually agree on, and what nine in ten pairs agree on at most.
    usual: Option<[f64; 2]>,
    /// Sentences on bots whose files another one has or had.
    identical: Vec<String>,
}

#[derive(Debug)]
struct SimilarPair {
    agreement: Agreement,
    /// Whether they agree on more than nine in ten pairs do, beyond doubt.
    stands_out: bool,
    /// Games of the one and the other in which they moved alike.
    games: Vec<[GameId; 2]>,
}

impl Similarity {
    /// Compares the bots of a tournament by the games that count. `game` is its game.
    ///
    /// # Errors
    ///
    /// Returns an error if the journal cannot be read, or a game in it cannot be replayed.
    pub fn of(schedule: &Scheduler, journal: &Reader, game: &Variant) -> anyhow::Result<Self> {
        let names = schedule.event().bots.iter().map(|entry| entry.id.name.clone()).collect();
        let mut choices = Choices::default();
        let mut ids = Vec::new();
        for (planned, brief) in schedule.played().filter(|(_, brief)| brief.bytes > 0) {
            let record = journal.record(&brief)?;
            let place = [planned.opening as u32, ids.len() as u32];
            add_choices(&mut choices, game, &record, planned.bots.map(|bot| bot as u32), place)
                .with_context(|| format!("replaying game {}; `arena verify` lists all damage", record.id))?;
            ids.push(brief.id);
        }
        let agreements = choices.agreements();
        let usual = usual_agreement(&agreements);
        let stands_out =
            |it: &Agreement| it.positions >= POSITIONS_MIN && usual.is_some_and(|[_, most]| it.interval[0] > most);
        let mut pairs: Vec<SimilarPair> = agreements
            .into_iter()
            .map(|agreement| SimilarPair { stands_out: stands_out(&agreement), agreement, games: Vec::new() })
            .collect();
        pairs.sort_by(|a, b| b.agreement.interval[0].total_cmp(&a.agreement.interval[0]));
        for (number, pair) in pairs.iter_mut().enumerate() {
            if number < PAIRS_SHOWN || pair.stands_out {
                let games = choices.most_alike(pair.agreement.bots);
                pair.games = games.into_iter().map(|both| both.map(|game| ids[game as usize])).collect();
            }
        }
        let identical = identical(schedule.event(), &Versions::read(journal.folder(), Some(schedule.event()))?);
        Ok(Self { names, pairs, usual, identical })
    }

    fn name(&self, bot: u32) -> String {
        self.names.get(bot as usize).map_or_else(String::new, |name| shown(name))
    }

    /// For a terminal.
    #[must_use]
    pub fn page(&self) -> TextPage {
        let mut page = TextPage::default();
        let pairings = counted(self.pairs.len(), "pairing");
        let bots = counted(self.names.len(), "bot");
        let usual = match self.usual {
            Some([median, most]) => {
                format!("half of them agree on at most {median:.2} of the moves, nine in ten on at most {most:.2}")
            }
            None => "there are too few to say what unrelated bots agree on".to_owned(),
        };
        page.line(Tone::Plain, format!("{bots}, {pairings} with positions in common that left a choice: {usual}"));
        page.lines(self.identical.iter().cloned());
        if self.pairs.is_empty() {
            return page;
        }
        page.gap();
        let mut table = Table::new().names("Bots").column("Agree").column("95 %").column("Positions");
        let is_shown = |(number, pair): &(usize, &SimilarPair)| *number < PAIRS_SHOWN || pair.stands_out;
        let shown: Vec<&SimilarPair> = self.pairs.iter().enumerate().filter(is_shown).map(|(_, pair)| pair).collect();
        for SimilarPair {
            agreement: Agreement { bots: [a, b], positions, share, interval: [lo, hi] },
            stands_out,
            ..
        } in &shown
        {
            let mark = if *stands_out { " *" } else { "" };
            let bots = format!("{}, {}{mark}", self.name(*a), self.name(*b));
            table.row(vec![bots, format!("{share:.2}"), format!("{lo:.2}–{hi:.2}"), grouped(u64::from(*positions))]);
        }
        page.table(table, "the output as JSON");
        page.gap();
        let marked: Vec<&&SimilarPair> = shown.iter().filter(|pair| pair.stands_out).collect();
        if marked.is_empty() {
            page.line(Tone::Plain, "No two bots agree on more than nine in ten pairings do, beyond doubt.");
        } else {
            let than = "* more than nine in ten pairings, beyond doubt. That may have many causes, such as the same textbook; look at these games:";
            page.line(Tone::Plain, than);
        }
        for pair in marked {
            let [a, b] = pair.agreement.bots.map(|bot| self.name(bot));
            for games in &pair.games {
                let [of_a, of_b] = games.map(GameId::short);
                page.line(Tone::Plain, format!("  {a}: arena replay {of_a}   {b}: arena replay {of_b}"));
            }
        }
        page
    }

    /// All pairs as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let round = |share: f64| (share * 1e4).round() / 1e4;
        let pair = |pair: &SimilarPair| {
            let Agreement { bots, positions, share, interval } = pair.agreement;
            json!({
                "bots": bots.map(|bot| self.name(bot)),
                "agree": round(share),
                "agree_lo": round(interval[0]),
                "agree_hi": round(interval[1]),
                "positions": positions,
                "stands_out": pair.stands_out,
                "games": pair.games.iter().map(|both| both.map(|game| game.to_string())).collect::<Vec<_>>(),
            })
        };
        json!({
            "median": self.usual.map(|[median, _]| round(median)),
            "nine_in_ten": self.usual.map(|[_, most]| round(most)),
            "identical": self.identical,
            "pairs": self.pairs.iter().map(pair).collect::<Vec<_>>(),
        })
    }
}

/// Adds what the bots of a game chose where they had a choice; `place` is its opening and its number.
fn add_choices(
    choices: &mut Choices,
    game: &Variant,
    record: &Record,
    bots: [u32; 2],
    [opening, number]: [u32; 2],
) -> anyhow::Result<()> {
    let mut state = game.start(record.seed)?;
    for (ply, played) in record.moves.iter().enumerate() {
        let is_chosen = ply >= record.opening.len() && (state.legal_count() > 1 || state.legal() != Legal::Listed);
        if is_chosen {
            let bot = bots[state.to_move().index()];
            let choice = Choice { bot, played: hash(&played.to_string()), opening, game: number };
            choices.add(position(state.as_ref()), choice);
        }
        step(state.as_mut(), played)?;
    }
    Ok(())
}

/// What the bot to move sees, as a number.
fn position(state: &dyn State) -> u64 {
    let seat = state.to_move();
    let mut view = Vec::new();
    state.write_view(seat, &mut view);
    hash(&(seat.index(), view))
}

fn hash(value: &impl std::hash::Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Bots of the tournament whose files another bot has, or had.
fn identical(event: &Tournament, versions: &Versions) -> Vec<String> {
    let mut said = Vec::new();
    for (number, bot) in event.bots.iter().enumerate() {
        let (name, fingerprint) = (shown(&bot.id.name), &bot.id.fingerprint);
        let copies = event.bots[..number].iter().filter(|other| other.id.fingerprint == *fingerprint);
        said.extend(copies.map(|other| format!("{name} is identical to {}", shown(&other.id.name))));
        let Some(version) = versions.with_fingerprint(fingerprint) else { continue };
        for former in &version.names {
            let now = event.bots.iter().find(|other| other.id.name == former.name);
            if now.is_some_and(|other| other.id.fingerprint != *fingerprint) {
                let NamedVersion { name: other, first, last, games } = former;
                let days = days(first, last);
                let games = counted(*games as usize, "game");
                said.push(format!("{name} is identical to a former version of {} ({days}, {games})", shown(other)));
            }
        }
    }
    said
}

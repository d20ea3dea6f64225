//! What each machine made of its games: time losses, and outcomes unlike those of the others.

use std::collections::{BTreeMap, HashMap};

use arena_core::record::{PlayedOn, Record, Status};
use arena_core::rules::Seat;
use arena_core::schedule::{Brief, Planned};
use arena_core::stats::{MachinePair, Residual, residuals};
use arena_core::text::shown;
use arena_show::views::Table;

use crate::report::Results;

/// The games of one machine that count.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MachineRow {
    /// Host name; empty if the records have none.
    pub host: String,
    /// What kind of machine it is, by its last game that says so.
    pub machine: Option<PlayedOn>,
    /// Games that it played.
    pub games: u64,
    /// Games that a bot lost by timeout.
    pub timeouts: u64,
    /// Those of them in which the machine gave the bot no processor.
    pub starved: u64,
    /// How its outcomes differ from those of the same pairings elsewhere; `None` with too few games to say.
    pub residual: Option<Residual>,
}

/// A game of a pair whose other game is still to come.
struct Half {
    /// Which machine, by number.
    machine: u32,
    first_bot: usize,
    moves: u64,
    /// Twice the points of the first bot.
    points: u8,
}

/// A row for each machine that played games, by host name. Reads all games once.
///
/// # Errors
///
/// Returns an error if the journal cannot be read.
pub fn machines(results: &Results<'_>) -> anyhow::Result<Vec<MachineRow>> {
    let mut rows: Vec<MachineRow> = Vec::new();
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    let mut halves: HashMap<u32, Half> = HashMap::new();
    let mut pairs = Vec::new();
    for (game, brief) in results.schedule.played().filter(|(_, brief)| brief.is_rated()) {
        let record = results.record(&game, &brief)?;
        let number = *numbers.entry(record.host.clone()).or_insert_with(|| {
            rows.push(MachineRow { host: record.host.clone(), ..MachineRow::default() });
            rows.len() as u32 - 1
        });
        pairs.extend(pair_with(&mut halves, &game, &brief, number));
        rows[number as usize].add(record);
    }
    for (row, residual) in rows.iter_mut().zip(residuals(pairs, numbers.len())) {
        row.residual = residual;
    }
    rows.sort_by(|a, b| a.host.cmp(&b.host));
    Ok(rows)
}

/// The pair that this game completes, if one machine played both of its games.
fn pair_with(halves: &mut HashMap<u32, Half>, game: &Planned, brief: &Brief, machine: u32) -> Option<MachinePair> {
    let points = match brief.result.winner() {
        Some(Seat::First) => 2,
        Some(Seat::Second) => 0,
        None => 1,
    };
    let [first_bot, second_bot] = game.bots;
    let half = Half { machine, first_bot, moves: brief.moves, points };
    let Some(other) = halves.remove(&game.pair) else {
        halves.insert(game.pair, half);
        return None;
    };
    if other.machine != machine || other.first_bot != second_bot {
        return None;
    }
    // `low` is the game in which the bot with the lower number moved first.
    let (low, high) = if half.first_bot < other.first_bot { (half, other) } else { (other, half) };
    Some(MachinePair {
        bots: [low.first_bot as u32, high.first_bot as u32],
        moves: [low.moves, high.moves],
        lot: brief.id.bits(),
        machine,
        half_points: low.points + 2 - high.points,
    })
}

impl MachineRow {
    fn add(&mut self, record: Record) {
        self.games += 1;
        self.timeouts += u64::from(record.statuses.contains(&Status::Timeout));
        self.starved += u64::from(Seat::BOTH.into_iter().any(|seat| record.is_starved_timeout(seat)));
        self.machine = record.machine.or_else(|| self.machine.take());
    }
}

/// The rows as a table, with a header. A residual is shown as the probability that chance explains it.
#[must_use]
pub fn machines_text(rows: &[MachineRow]) -> String {
    let head =
        Table::new().names("machine").names("class").names("CPU").column("slots").column("speed").column("games");
    let mut table = head.column("time losses").column("of them starved").column("residual p");
    for row in rows {
        let machine = row.machine.as_ref();
        let text = |of: fn(&PlayedOn) -> String| machine.map(of).unwrap_or_default();
        table.row(vec![
            shown(&row.host),
            text(|machine| shown(&machine.class)),
            text(|machine| shown(&machine.cpu)),
            text(|machine| machine.slots.to_string()),
            text(|machine| machine.calibration.map(|speed| speed.busy.to_string()).unwrap_or_default()),
            row.games.to_string(),
            row.timeouts.to_string(),
            row.starved.to_string(),
            row.residual.map_or_else(|| "-".to_owned(), |residual| probability(residual.p)),
        ]);
    }
    table.text(None, "")
}

/// A probability with four decimals, or its order of magnitude: `0.0123`, `3e-9`.
fn probability(p: f64) -> String {
    if p == 0.0 || p >= 0.001 { format!("{p:.4}") } else { format!("{p:.0e}") }
}

#[cfg(test)]
mod tests {
    use arena_core::event::Tournament;
    use arena_core::record::{Calibration, GameResult};
    use arena_core::rules::Move;

    use super::*;
    use crate::fixture;
    use crate::report::ResultsOptions;
    use crate::report::stored::Stored;

    /// 240 pairs of two bots, each whole on one of two machines. The first bot wins both games of every other pair, and one
    /// of the others; on `slow` it wins all by timeout, where `is_slow`.
    fn played(is_slow: bool) -> Vec<MachineRow> {
        let event = Tournament { rounds: 240, ..fixture::event(&["a", "b"]) };
        let records = (0..).zip(fixture::schedule(&event)).map(|(place, game)| {
            let host = if game.pair % 3 == 0 { "slow" } else { "fast" };
            let mut record = fixture::record(&event, &game, GameResult::of(Some(Seat::First)), place as u64);
            // No two games are alike.
            record.moves.push(Move::Int(place));
            if host == "slow" && is_slow {
                let loser = if game.bots[0] == 1 { Seat::First } else { Seat::Second };
                fixture::fault(&mut record, loser, Status::Timeout, "");
            } else if game.pair % 2 == 0 && game.bots[0] == 1 {
                record.result = GameResult::of(Some(Seat::Second));
            }
            record.host = host.to_owned();
            record.machine = Some(PlayedOn {
                class: "x86_64-linux-v3".to_owned(),
                cpu: "\u{1b}[31mfast".to_owned(),
                slots: 2,
                calibration: (host == "fast").then_some(Calibration { alone: 60_000, busy: 55_000 }),
            });
            record
        });
        let stored = Stored::each(&event, records);
        machines(&Results::new(&stored.scheduler, &stored.reader, ResultsOptions::default()).unwrap()).unwrap()
    }

    #[test]
    fn a_machine_on_which_one_bot_loses_by_time_stands_out() {
        let [fast, slow] = played(true).try_into().expect("two machines");
        assert_eq!((fast.host.as_str(), fast.games, fast.timeouts), ("fast", 320, 0));
        assert_eq!((slow.host.as_str(), slow.games, slow.timeouts, slow.starved), ("slow", 160, 160, 0));
        assert!(slow.residual.expect("enough pairs").p < 1e-6, "{slow:?}");
    }

    #[test]
    fn machines_that_play_alike_do_not() {
        let rows = played(false);
        assert!(rows.iter().all(|row| row.timeouts == 0 && row.residual.is_some_and(|residual| residual.p > 0.01)));
    }

    #[test]
    fn the_table_shows_foreign_text_escaped() {
        let mut rows = played(true);
        rows[1].residual = None;
        insta::assert_snapshot!(machines_text(&rows), @r"
        machine  class            CPU             slots  speed  games  time losses  of them starved  residual p
        fast     x86_64-linux-v3  \u{1b}[31mfast      2  55000    320            0                0       1e-14
        slow     x86_64-linux-v3  \u{1b}[31mfast      2           160          160                0           -
        ");
    }

    #[test]
    fn probabilities_are_short() {
        let shown = [0.5, 0.001, 0.000_999, 3.4e-12, 0.0].map(probability);
        assert_eq!(shown, ["0.5000", "0.0010", "1e-3", "3e-12", "0.0000"]);
    }
}

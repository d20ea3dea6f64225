//! A format for tests, added as any other: this file, and a line in `FORMATS`. It has words of each kind. `tests/library` adds
//! the same file to the application from outside.

use crate::format::flags::{Flag, FlagKind, ROUNDS};
use crate::format::{
    Due, Field, Format, FormatColumn, FormatKind, KnownPair, MatchTable, Over, Pair, Settled, Sheet, ShownMatch,
    Stepwise, TableLayout,
};

/// The winner of the last pair plays the next bot, for as many pairs as there are rounds times bots.
pub(crate) const KING_OF_THE_HILL: Format = Format {
    title: "King of the Hill",
    flags: &[&ROUNDS, &REIGN],
    rounds: (&ROUNDS, 7),
    columns: COLUMNS,
    sheet: Some(sheet),
    ..Format::new(
        "king-of-the-hill",
        FormatKind::Stepwise {
            start: |field| Box::new(Hill { field: field.clone(), added: 0, king: 0, reign: 0 }),
            openings: |rounds, _| rounds,
            known: None,
        },
        |field| format!("{} rounds", field.rounds),
    )
};

pub(crate) static REIGN: Flag = Flag {
    option: Some("reign"),
    ..Flag::new("reign", FlagKind::Number(1, 99), 20, "Pairs after which a king of a {formats} retires")
};

const COLUMNS: &[FormatColumn] = &[
    FormatColumn { name: "challenges", means: "pairs against the king", title: None },
    FormatColumn { name: "crowns", means: "pairs that it won", title: Some("Crowns") },
];

fn sheet(field: &Field, pairs: &[KnownPair]) -> Sheet {
    let mut counts = [vec![0; field.bots], vec![0; field.bots]];
    let mut matches = Vec::new();
    for (number, (pair, settled)) in pairs.iter().enumerate() {
        counts[0][pair.bots[1]] += 1;
        let half_points = settled.map_or([0; 2], |settled| settled.half_points().map(u32::from));
        let winner = settled.map(|_| pair.bots[usize::from(half_points[1] > half_points[0])]);
        if let Some(bot) = winner {
            counts[1][bot] += 1;
        }
        matches.push(ShownMatch {
            round: pair.round,
            kind: "duel",
            stage: format!("duel {}", pair.round),
            bots: pair.bots.map(Some),
            half_points,
            pairs: 1,
            is_over: winner.is_some(),
            winner,
            how: if winner.is_some() { "points" } else { "" },
            floats: [None; 2],
            first_pair: Some(number),
        });
    }
    let rank = |bot: &usize| 1 + counts[1].iter().filter(|crowns| **crowns > counts[1][*bot]).count();
    Sheet {
        ranks: (0..field.bots).map(|bot| [rank(&bot); 2]).collect(),
        columns: COLUMNS.iter().zip(counts.map(|counts| counts.iter().map(usize::to_string).collect())).collect(),
        matches,
        table: Some(MatchTable { heading: "The duels (* stays):", layout: TableLayout::Matches }),
        first_round: None,
        caveat: Some("A king rules by luck too."),
    }
}

#[derive(Debug)]
struct Hill {
    field: Field,
    added: usize,
    king: usize,
    /// Pairs of the king.
    reign: u64,
}

impl Stepwise for Hill {
    fn add(&mut self, pairs: &[Pair]) {
        self.added += pairs.len();
    }

    fn settle(&mut self, settled: &Settled) {
        let [champion, rival] = settled.half_points();
        let king = settled.pair.bots[usize::from(rival > champion)];
        self.reign = if king == self.king { self.reign + 1 } else { 1 };
        self.king = king;
        if self.field.options.number(&REIGN).is_some_and(|pairs| self.reign >= pairs) {
            (self.king, self.reign) = ((king + 1) % self.field.bots, 0);
        }
    }

    fn withdraw(&mut self, _bot: usize) {}

    fn waits_for(&self) -> usize {
        self.added
    }

    fn due(&self) -> Due {
        let Field { bots, rounds, .. } = self.field;
        if bots < 2 || self.added == rounds as usize * bots {
            return Due::Over(Over::Complete);
        }
        let rival = (self.king + 1 + self.added % (bots - 1)) % bots;
        let number = self.added as u32;
        Due::Pairs(vec![Pair { round: number + 1, opening: number, bots: [self.king, rival] }])
    }
}

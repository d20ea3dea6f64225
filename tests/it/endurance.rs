//! Ten thousand games with two hostile bots among six. Takes a minute, so it has a command of its own in `.ci/run`.

use std::collections::HashMap;
use std::fs;
use std::time::Duration;

use arena::record::{Record, Status};

use crate::procfs::{children, open_files, status_kb};
use crate::support::{ASKED, Dir, until};

const HONEST: [(&str, &str); 4] =
    [("random", "random"), ("greedy", "greedy"), ("minimax", "minimax depth=2"), ("mcts", "mcts playouts=50")];
/// Leaves a daemon and files behind, floods stderr, crashes.
const CRASHES: &str = r#"setsid sleep 1000 &
for i in 1 2 3 4 5; do echo x > "$TMPDIR/file$i"; done
head -c 100000 /dev/zero | tr '\0' e >&2
exit 3"#;
/// Starts more processes and floods stdout.
const FLOODS: &str = r#"for i in 1 2 3 4 5 6 7 8; do sleep 1000 & done
yes '{"type":"move","id":1,"move":[0,0]}'"#;
const PLAY: &str =
    "tournament --game tictactoe --rounds 334 --move-time 30s --no-check --strikes off --quiet -j 2 --oversubscribe";
const GAMES: usize = 10_020;
const LONG: Duration = Duration::from_secs(600);
/// What the referee may hold more at the end than after the first thousand games: a few words a game, and what it takes to
/// write a report of 10,000 games, the most that a report has.
const GROWTH_KB_MAX: u64 = 16_000;
const HIGH_WATER_KB_MAX: u64 = 64_000;

#[test]
#[ignore = "takes a minute; .ci/run has a command for it"]
fn ten_thousand_games_with_two_hostile_bots_leak_nothing() {
    let honest = Dir::new();
    let dir = Dir::new();
    for (name, strategy) in HONEST {
        honest.builtin(name, strategy);
        dir.builtin(name, strategy);
    }
    dir.script("bots/crashes", &format!("{ASKED}\n{CRASHES}"));
    dir.script("bots/floods", &format!("{ASKED}\n{FLOODS}"));
    let mut running = dir.start(PLAY);
    let pid = running.pid();
    let (mut early, mut late) = (Resources::default(), Resources::default());
    // By then every bot has been started and every table written.
    until(LONG, "a tenth of the games is played", || {
        early.raise(Resources::by(pid));
        dir.journal_lines("tictactoe") >= GAMES / 10
    });
    until(LONG, "the tournament ends", || {
        late.raise(Resources::by(pid));
        running.has_ended()
    });
    let ended = running.wait(LONG);
    assert_eq!(ended.status, Some(0), "{ended}");
    assert!(late.resident_kb <= early.resident_kb + GROWTH_KB_MAX, "{early:?}, then {late:?}");
    assert!(late.high_water_kb <= HIGH_WATER_KB_MAX, "{late:?}");
    // Guards of six bots in each of two slots, and the one that is being replaced.
    assert!(late.children <= 14 && late.files <= early.files + 8, "{early:?}, then {late:?}");
    assert!(dir.processes().is_empty(), "{:?}", dir.processes());
    assert_eq!(fs::read_dir(dir.path("tmp")).expect("a folder").count(), 0);

    let games = dir.journal("tictactoe").games;
    assert_eq!(games.len(), GAMES);
    for game in &games {
        let hostile = |seat: usize| ["crashes", "floods"].contains(&game.bots[seat].name.as_str());
        assert!(game.counts(), "{game:?}");
        assert!((0..2).all(|seat| hostile(seat) || game.statuses[seat] == Status::Ok), "{game:?}");
    }
    honest.process_ends(0, PLAY);
    let among: HashMap<&str, &Record> = games.iter().map(|game| (game.id.as_str(), game)).collect();
    for alone in honest.journal("tictactoe").games {
        let same = among.get(alone.id.as_str()).expect("the same game");
        assert_eq!((&same.moves, same.result), (&alone.moves, alone.result));
    }
}

/// The resources of the referee.
#[derive(Debug, Clone, Copy, Default)]
struct Resources {
    resident_kb: u64,
    high_water_kb: u64,
    files: usize,
    children: usize,
}

impl Resources {
    fn by(pid: u32) -> Self {
        Self {
            resident_kb: status_kb(pid, "VmRSS").unwrap_or_default(),
            high_water_kb: status_kb(pid, "VmHWM").unwrap_or_default(),
            files: open_files(pid),
            children: children(pid).len(),
        }
    }

    fn raise(&mut self, seen: Self) {
        self.resident_kb = self.resident_kb.max(seen.resident_kb);
        self.high_water_kb = self.high_water_kb.max(seen.high_water_kb);
        self.files = self.files.max(seen.files);
        self.children = self.children.max(seen.children);
    }
}

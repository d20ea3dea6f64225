//! Tournaments of players that are objects of this program.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use arena::clock::{Taken, TimeControl};
use arena::event::StrikeLimits;
use arena::guard::SandboxMode;
use arena::observer::{RunEnding, RunEvent};
use arena::player::{Aftermath, Failure, Player};
use arena::record::{GameResult, Record, Status};
use arena::referee::{Answer, GameEnd, GameStart, Question, Reply};
use arena::roster::{FoundBot, Roster, RosterSettings as BotSettings};
use arena::schedule::Policy;
use arena::session::{MatchEvaluation, Session, SessionError, SessionSettings};
use arena::stats::{AnalysisOptions, Sprt, SprtModel, SprtVerdict};
use arena::strategy::STRATEGIES;

use crate::faults::now;
use crate::support::{Contents, Dir};

/// What a player does instead of a sample move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quirk {
    None,
    Resigns,
    PanicsAtStart,
    PanicsInMove,
    PanicsAtEnd,
    PanicsInDrop,
    IsSlow,
    TalksTooMuch,
}

struct Quirky(Quirk);

impl Player for Quirky {
    fn new_game(&mut self, _: &GameStart<'_>) -> Result<(), Failure> {
        assert_ne!(self.0, Quirk::PanicsAtStart, "no book");
        Ok(())
    }

    fn ask(&mut self, question: Question<'_>) -> Answer {
        assert!(self.0 != Quirk::PanicsInMove, "no\nidea");
        let mut reply = Reply::from(question.sample_move.clone());
        match self.0 {
            Quirk::Resigns => return Answer::Resign,
            Quirk::IsSlow => {
                let begun = now();
                while begun.elapsed() < 2 * question.time.deadline() {}
            }
            Quirk::TalksTooMuch => reply.comment = Some("x".repeat(1 << 20)),
            _ => {}
        }
        Answer::Move(reply, Taken::default())
    }

    fn game_over(&mut self, _: &GameEnd<'_>) -> Aftermath {
        assert!(self.0 != Quirk::PanicsAtEnd, "what now");
        Aftermath::default()
    }
}

impl Drop for Quirky {
    fn drop(&mut self) {
        assert!(self.0 != Quirk::PanicsInDrop || std::thread::panicking(), "not yet");
    }
}

fn bot(name: &str, quirk: Quirk) -> FoundBot {
    FoundBot::in_process(name, "1", move || Box::new(Quirky(quirk))).expect("a name")
}

fn settings(results: &Path) -> SessionSettings {
    let clock = TimeControl::per_move(Duration::from_secs(60));
    let (results, seed) = (results.to_owned(), Some(1));
    SessionSettings {
        results,
        seed,
        clock,
        rounds: 2,
        concurrency: 2,
        ..SessionSettings::new("tictactoe".parse().expect("a game"), "cup")
    }
}

/// Plays a tournament, writes its tables, and returns how it ended, with the games played now.
fn play<P: Policy>(
    settings: SessionSettings,
    bots: Vec<FoundBot>,
    policy: impl Fn() -> P,
) -> (RunEnding, Vec<Arc<Record>>, P, Session) {
    let mut games = Vec::new();
    let mut watch = |event: &RunEvent| {
        if let RunEvent::GameEnded { record, .. } = event {
            games.push(Arc::clone(record));
        }
    };
    let opened = Session::open(settings, bots, &Roster::default(), policy, &mut watch).expect("it can be opened");
    let (mut session, mut policy) = opened.expect("no signal");
    let options = AnalysisOptions::default();
    let ending = session.play(&mut policy, &mut watch, &options).expect("written");
    session.write_tables(&session.results(&options).expect("a journal")).expect("written");
    (ending, games, policy, session)
}

#[test]
fn a_tournament_without_processes_has_all_files_and_plays_nothing_twice() {
    let dir = tempfile::tempdir().expect("a folder");
    let bots = |version| {
        let changed = FoundBot::in_process("c", version, || Box::new(Quirky(Quirk::None))).expect("a name");
        vec![bot("a", Quirk::None), bot("b", Quirk::Resigns), changed]
    };
    let (ending, games, ..) = play(settings(dir.path()), bots("1"), || ());
    assert_eq!((ending, games.len()), (RunEnding::Complete, 12));
    assert!(
        games.iter().all(|game| game.statuses.iter().all(|status| matches!(status, Status::Ok | Status::Resigned)))
    );
    for file in ["games.jsonl", "games.csv", "standings.csv", "crosstable.csv", "bots.csv", "report.html"] {
        assert!(dir.path().join("cup").join(file).exists(), "{file}");
    }
    let table = std::fs::read_to_string(dir.path().join("cup/bots.csv")).expect("a table");
    assert!(table.contains("in process: 1"), "{table}");
    assert_eq!(play(settings(dir.path()), bots("1"), || ()).1.len(), 0);
    assert_eq!(play(settings(dir.path()), bots("2"), || ()).1.len(), 8, "those of the changed one");
}

#[test]
fn a_panic_loses_the_game_and_nothing_else() {
    for (quirk, status, says) in [
        (Quirk::PanicsAtStart, Status::StartupFailed, "no book"),
        (Quirk::PanicsInMove, Status::Crashed, r"it panicked: no\nidea"),
        (Quirk::IsSlow, Status::Timeout, ""),
    ] {
        let dir = tempfile::tempdir().expect("a folder");
        let clock = TimeControl::per_move(Duration::from_millis(if quirk == Quirk::IsSlow { 1 } else { 60_000 }));
        // Whether the last game begins before the third failed start is counted is a matter of time.
        let strikes = Some(StrikeLimits::OFF);
        let settings = SessionSettings { clock, strikes, ..settings(dir.path()) };
        let (ending, games, ..) = play(settings, vec![bot("good", Quirk::Resigns), bot("odd", quirk)], || ());
        assert_eq!((ending, games.len()), (RunEnding::Complete, 4), "{quirk:?}");
        for game in games.iter().filter(|game| game.statuses.iter().all(|status| *status != Status::Resigned)) {
            let odd = game.bots.iter().position(|bot| bot.name == "odd").expect("a seat");
            assert_eq!((game.statuses[odd], game.statuses[1 - odd]), (status, Status::Ok), "{game:?}");
            let message = &game.evidence[odd].as_ref().expect("evidence").message;
            assert!(message.contains(says), "{message}");
        }
    }
}

#[test]
fn odd_ends_and_long_remarks_change_no_result() {
    let dir = tempfile::tempdir().expect("a folder");
    let quirks = [Quirk::PanicsAtEnd, Quirk::PanicsInDrop, Quirk::TalksTooMuch];
    let bots = quirks.into_iter().enumerate().map(|(number, quirk)| bot(&format!("bot-{number}"), quirk)).collect();
    let (ending, games, ..) = play(settings(dir.path()), bots, || ());
    assert_eq!((ending, games.len()), (RunEnding::Complete, 12));
    assert!(games.iter().all(|game| game.statuses == [Status::Ok; 2] && game.result != GameResult::Void), "{games:?}");
    let comments = games.iter().flat_map(|game| &game.played).filter_map(|played| played.comment.as_ref());
    assert!(comments.clone().count() > 0 && comments.clone().all(|comment| comment.len() < 10_000));
    let logs = ["bot-0", "bot-2"].map(|bot| dir.path().join(format!("cup/bots/{bot}.log")));
    let logs = logs.map(|log| std::fs::read_to_string(log).expect("a log"));
    assert!(logs[0].contains("referee: after the game it panicked: what now"), "{}", logs[0]);
    assert!(logs[1].contains("comment of 1048576 characters cut"), "{}", logs[1]);
}

#[test]
fn a_match_ends_with_its_test_and_running_games_are_abandoned() {
    let dir = tempfile::tempdir().expect("a folder");
    let sprt = Some(Sprt::new(SprtModel::Normalized, [0.0, 300.0], 0.05, 0.05).expect("a test"));
    let settings = SessionSettings { sprt, rounds: 1_000, ..settings(dir.path()) };
    let (ending, games, trial, _) =
        play(settings, vec![bot("a", Quirk::None), bot("b", Quirk::Resigns)], || MatchEvaluation::new(sprt));
    assert_eq!((ending, trial.verdict), (RunEnding::Enough, SprtVerdict::H1));
    assert!(games.len() < 200, "{}", games.len());
}

#[test]
fn every_slot_has_players_of_its_own_and_keeps_them() {
    let dir = tempfile::tempdir().expect("a folder");
    let made = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&made);
    let counted = FoundBot::in_process("counted", "1", move || {
        count.fetch_add(1, Ordering::Relaxed);
        Box::new(Quirky(Quirk::None))
    });
    let settings = SessionSettings { rounds: 20, ..settings(dir.path()) };
    play(settings, vec![counted.expect("a name"), bot("other", Quirk::None)], || ());
    assert!((1..=2).contains(&made.load(Ordering::Relaxed)), "{made:?}");
}

#[test]
fn it_meets_a_process() {
    let dir = tempfile::tempdir().expect("a folder");
    let of_bots = BotSettings { guard: crate::support::guard(), sandbox: SandboxMode::Off, ..BotSettings::default() };
    let random = STRATEGIES.iter().find(|strategy| strategy.name == "random").expect("a strategy");
    let process = Roster::builtin(random, &of_bots).expect("a bot");
    let (ending, games, ..) = play(settings(dir.path()), vec![process, bot("here", Quirk::None)], || ());
    assert_eq!((ending, games.len()), (RunEnding::Complete, 4));
    assert!(games.iter().all(|game| game.statuses == [Status::Ok; 2]), "{games:?}");
}

/// What tests of commands rely on (`commands`).
#[test]
fn built_in_bots_play_here_as_their_processes_do() {
    let played = |game: &str, in_process: bool| {
        let dir = Dir::with_bots(&["codebreaker", "greedy", "marbles-solver", "mcts playouts=20", "random"]);
        dir.builtin("minimax", "minimax depth=2");
        dir.builtin("perfect", "perfect nodes=2000");
        let words = format!(
            "tournament --game {game} --rounds 2 --seed 7 --move-time 60s --quiet --no-check --no-times --name t"
        );
        let ended = if in_process { dir.arena_ends(0, &words) } else { dir.process_ends(0, &words) };
        let Contents { event, mut games, .. } = dir.journal("t");
        games.sort_by(|a, b| a.id.cmp(&b.id));
        let games: Vec<String> = games
            .iter()
            .map(|game| {
                let said: Vec<_> = game.played.iter().map(|played| (&played.eval, &played.comment)).collect();
                let Record { id, seed, moves, result, reason, statuses, .. } = game;
                format!("{id} {seed} {moves:?} {result:?} {reason} {statuses:?} {said:?}")
            })
            .collect();
        let table = |name: &str| dir.read(&format!("results/t/{name}.csv"));
        (ended.to_string(), event, games, ["standings", "crosstable", "head_to_head"].map(table))
    };
    for game in ["connect4:cols=5", "tictactoe", "marbles", "mastermind:pegs=2"] {
        let here = played(game, true);
        assert!(here.2.len() >= 4, "{game}: {}", here.0);
        assert_eq!(here, played(game, false), "{game}");
    }
}

#[test]
fn names_are_valid_and_distinct() {
    let dir = tempfile::tempdir().expect("a folder");
    let same = vec![bot("a", Quirk::None), bot("b", Quirk::None), bot("A", Quirk::None)];
    let opened = Session::open(settings(dir.path()), same, &Roster::default(), || (), &mut |_: &RunEvent| {});
    let Err(error) = opened.map(drop) else { panic!("two bots have one name") };
    assert!(matches!(&error, SessionError::SameName(name) if name == "A"), "{error}");
    assert_eq!(error.to_string(), "two bots are called `A` (names ignore case)");
    assert!(FoundBot::in_process("../a", "1", || Box::new(Quirky(Quirk::None))).is_err());
}

//! Test games between strategies in memory: which one is stronger, and whether equal seeds give equal games.

use std::time::Duration;

use arena_core::rng::Rng;
use arena_core::rules::{self, Move, Seat, State, Variant};

use super::{Choice, Engine, Query, STRATEGIES, SearchDeadline, Strategy};

/// A position, with the arguments for an engine that is to move in it.
pub(super) struct TestPosition {
    variant: Variant,
    pub(super) state: Box<dyn State>,
}

impl TestPosition {
    /// Returns the position of `game` after `moves`, separated by spaces.
    #[track_caller]
    pub(super) fn after(game: &str, moves: &str) -> Self {
        let variant: Variant = game.parse().unwrap();
        let mut state = variant.start(0).unwrap();
        let moves: Vec<Move> = moves.split_whitespace().map(|text| serde_json::from_str(text).unwrap()).collect();
        rules::play(&mut *state, &moves).unwrap();
        Self { variant, state }
    }

    /// Copies `state`, a position of `game`.
    pub(super) fn of(state: &dyn State, game: &str) -> Self {
        Self { variant: game.parse().unwrap(), state: state.boxed_clone() }
    }

    /// Returns the choice of a new engine of `strategy` in this position.
    #[track_caller]
    pub(super) fn choice(&self, strategy: &str, options: &[&str], seed: u64) -> Choice {
        self.ask(&mut *engine(strategy, options, &self.variant, seed))
    }

    /// Returns the choice of `engine` in this position without a time limit, which must be legal.
    #[track_caller]
    pub(super) fn ask(&self, engine: &mut dyn Engine) -> Choice {
        self.ask_within(engine, &SearchDeadline::within(Duration::from_secs(3_600)))
    }

    #[track_caller]
    fn ask_within(&self, engine: &mut dyn Engine, deadline: &SearchDeadline) -> Choice {
        let (seat, count) = (self.state.to_move(), self.state.legal_count());
        let legal = (count <= arena_core::referee::LEGAL_MOVES_MAX).then(|| self.state.legal_moves());
        let (view, sample_move) = (self.state.view(seat), self.state.nth_legal(count / 2));
        let query = Query { seat, view: &view, legal_moves: legal.as_deref(), sample_move: &sample_move };
        let choice = engine.choose(&query, deadline).unwrap();
        assert!(self.state.is_legal(&choice.played), "{choice:?}");
        assert!(choice.eval.is_none_or(|eval| (-1.0..=1.0).contains(&eval)), "{choice:?}");
        choice
    }
}

fn engine(strategy: &str, options: &[&str], variant: &Variant, seed: u64) -> Box<dyn Engine> {
    let strategy = Strategy::named(strategy).unwrap();
    assert!((strategy.plays)(variant), "{} does not play {variant}", strategy.name);
    (strategy.build)(variant, &strategy.options_from_text(options).unwrap(), seed)
}

/// Plays a game after `opening` random moves; returns its moves and the winner.
fn play(game: &str, seats: [(&str, &[&str]); 2], opening: u64, seed: u64) -> (Vec<Move>, Option<Seat>) {
    let mut rng = Rng::new(seed);
    let mut table = TestPosition::after(game, "");
    let mut moves = Vec::new();
    let mut engines = seats.map(|(strategy, options)| engine(strategy, options, &table.variant, seed));
    loop {
        if let Some(outcome) = table.state.outcome() {
            return (moves, outcome.winner);
        }
        let played = if (moves.len() as u64) < opening {
            table.state.nth_legal(rng.below(table.state.legal_count()))
        } else {
            table.ask(&mut *engines[table.state.to_move().index()]).played
        };
        table.state.apply(&played).unwrap();
        moves.push(played);
    }
}

/// Plays 20 pairs of games; returns the half points of `stronger`.
fn half_points(game: &str, stronger: (&str, &[&str]), weaker: (&str, &[&str])) -> u32 {
    let points = |winner: Option<Seat>, seat| winner.map_or(1, |winner| if winner == seat { 2 } else { 0 });
    (0..20)
        .map(|seed| {
            points(play(game, [stronger, weaker], 2, seed).1, Seat::First)
                + points(play(game, [weaker, stronger], 2, seed).1, Seat::Second)
        })
        .sum()
}

#[track_caller]
fn check_stronger(game: &str, stronger: &str, weaker: &str, percent_min: u32) {
    // The default of minimax takes long without optimisation.
    let options: &[&str] = if stronger == "minimax" { &["nodes=5000"] } else { &[] };
    let percent = half_points(game, (stronger, options), (weaker, &[])) * 100 / 80;
    assert!(percent >= percent_min, "{stronger} made {percent} % against {weaker} on {game}");
}

#[test]
fn each_strategy_beats_the_simpler_ones_on_connect4() {
    check_stronger("connect4", "greedy", "random", 90);
    check_stronger("connect4", "minimax", "greedy", 90);
    check_stronger("connect4", "mcts", "greedy", 90);
}

#[test]
fn the_order_holds_for_other_games() {
    check_stronger("mnk:rows=6,cols=6,k=4", "minimax", "greedy", 65);
    check_stronger("marbles", "greedy", "random", 80);
    check_stronger("marbles", "marbles-solver", "random", 90);
    check_stronger("marbles:rule=fibonacci", "marbles-solver", "mcts", 75);
}

#[test]
fn the_same_seed_gives_the_same_game() {
    let table = [
        ("connect4", "greedy", "mcts"),
        ("mnk", "random", "minimax"),
        ("marbles", "mcts", "random"),
        ("mastermind", "codebreaker", "random"),
    ];
    for (game, first, second) in table {
        let seats: [(&str, &[&str]); 2] = [(first, &[]), (second, &[])];
        assert_eq!(play(game, seats, 0, 5), play(game, seats, 0, 5), "{game}");
    }
}

/// Games with many legal moves; together they cover every strategy.
const LARGE: &[&str] = &[
    "connect4:rows=32,cols=32",
    "mnk:rows=32,cols=32,k=5",
    "marbles:heap=1000000,first_max=999999",
    "mastermind:pegs=8,colors=12",
];

#[test]
fn a_deadline_in_the_past_still_gives_a_legal_move() {
    for (strategy, game) in STRATEGIES.iter().flat_map(|strategy| LARGE.iter().map(move |game| (strategy, game))) {
        let table = TestPosition::after(game, "");
        if (strategy.plays)(&table.variant) {
            let mut engine = engine(strategy.name, &[], &table.variant, 0);
            table.ask_within(&mut *engine, &SearchDeadline::within(Duration::ZERO));
        }
    }
}

#[test]
fn unlimited_work_ends_at_the_deadline() {
    for (strategy, option) in [("minimax", "depth=0"), ("mcts", "playouts=0")] {
        let table = TestPosition::after("connect4", "3 3");
        let mut engine = engine(strategy, &[option], &table.variant, 0);
        table.ask_within(&mut *engine, &SearchDeadline::within(Duration::from_millis(40)));
    }
}

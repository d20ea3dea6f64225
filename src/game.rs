//! One game: a referee and two players joined.

use crate::event::bot_seed;
use crate::player::{Aftermath, NotReady, Player};
use crate::protocol::NewGame;
use crate::referee::{Fault, Next, Referee, Setup};
use crate::rules::Seat;

/// Plays a game to its end and returns the referee with its verdict, and what each player left behind.
///
/// # Errors
///
/// Returns which move of the opening is not legal, with a message.
pub fn play(
    game_id: &str,
    setup: &Setup<'_>,
    players: [&mut dyn Player; 2],
) -> Result<(Referee, [Aftermath; 2]), String> {
    let mut referee = Referee::new(setup)?;
    let [first, second] = players;
    let ready = [
        first.new_game(new_game(game_id, setup, Seat::First)),
        second.new_game(new_game(game_id, setup, Seat::Second)),
    ];
    begin(&mut referee, ready);
    loop {
        let answer = match referee.next() {
            Next::Ask { seat: Seat::First, request, limit } => first.ask(request, limit),
            Next::Ask { seat: Seat::Second, request, limit } => second.ask(request, limit),
            Next::Done => break,
        };
        referee.answer(answer);
    }
    let [evidence_first, evidence_second] = referee.evidence_mut();
    if let Some(evidence) = evidence_first {
        first.at_fault(evidence);
    }
    if let Some(evidence) = evidence_second {
        second.at_fault(evidence);
    }
    let aftermath =
        [first.game_over(referee.game_over(Seat::First)), second.game_over(referee.game_over(Seat::Second))];
    Ok((referee, aftermath))
}

/// Judges how the players got ready: one fault loses, two are nobody's loss, and a failure of ours is void.
fn begin(referee: &mut Referee, ready: [Result<(), NotReady>; 2]) {
    let mut faults: [Option<Fault>; 2] = [None, None];
    for (fault, ready) in faults.iter_mut().zip(ready) {
        match ready {
            Ok(()) => {}
            Err(NotReady::Fault(own)) => *fault = Some(own),
            Err(NotReady::Void(why)) => return referee.void(why),
        }
    }
    match faults {
        [None, None] => {}
        [Some(fault), None] => referee.fault(Seat::First, fault),
        [None, Some(fault)] => referee.fault(Seat::Second, fault),
        [Some(first), Some(second)] => referee.void_by_both([first, second]),
    }
}

/// What the player in `seat` is told of a game before it begins; its id is for whoever sends it.
pub(crate) fn new_game(game_id: &str, setup: &Setup<'_>, seat: Seat) -> NewGame {
    NewGame {
        id: 0,
        game_id: game_id.to_owned(),
        game: setup.variant.rules.name().to_owned(),
        rules_version: setup.variant.rules.version(),
        params: setup.variant.params.iter().map(|(name, value)| (name.to_owned(), value.into())).collect(),
        seat: seat.index() as u8,
        seed: bot_seed(game_id, seat),
        clock: setup.clock.for_bot(),
    }
}

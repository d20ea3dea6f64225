//! The bot's side of the protocol: one engine per game, until the referee sends `quit`.

use std::io::{self, BufRead, Write};
use std::time::Duration;

use arena_core::rules::{self, Params, Rules, Seat, Variant, VariantError};
use arena_wire::protocol::{self, FromBot, HelloReply, MoveReply, MoveRequest, NewGame, ToBot};

use super::{Engine, Query, SearchDeadline, Strategy};

/// Plays `strategy` with `options` until `quit` or the end of `input`.
///
/// # Errors
///
/// Returns an error if the pipes fail, if a message is malformed, or if the strategy cannot play a requested game. The
/// text is meant for the bot's log.
pub fn serve(strategy: &Strategy, options: &Params, input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut engine = None;
    for line in input.lines() {
        let reply = match ToBot::decode(&line?).map_err(io::Error::from)? {
            Some(ToBot::Hello(_)) => hello(strategy),
            Some(ToBot::NewGame(game)) => {
                engine = Some(build(strategy, options, &game)?);
                FromBot::Ready { id: game.id as i64 }
            }
            Some(ToBot::MoveRequest(request)) => {
                let engine = engine.as_deref_mut().ok_or_else(|| invalid("move_request before any new_game"))?;
                choose(engine, &request)?
            }
            Some(ToBot::GameOver(_)) => {
                engine = None;
                continue;
            }
            Some(ToBot::Quit { .. }) => return Ok(()),
            None => continue,
        };
        let mut bytes = serde_json::to_vec(&reply)?;
        bytes.push(b'\n');
        output.write_all(&bytes)?;
        output.flush()?;
    }
    Ok(())
}

fn hello(strategy: &Strategy) -> FromBot {
    let plays = |name: &str| Variant::named(name).is_ok_and(|variant| (strategy.plays)(&variant));
    FromBot::Hello(HelloReply {
        protocol: i64::from(protocol::VERSION),
        name: Some(strategy.name.to_owned()),
        version: Some(strategy.version.to_string()),
        authors: None,
        // One that plays unknown games plays all.
        games: strategy
            .build_unknown
            .is_none()
            .then(|| rules::all().map(Rules::label).filter(|name| plays(name)).map(str::to_owned).collect()),
    })
}

fn build(strategy: &Strategy, options: &Params, game: &NewGame) -> io::Result<Box<dyn Engine>> {
    let variant = match (Variant::from_json(&game.game, &game.params), strategy.build_unknown) {
        (Ok(variant), _) => variant,
        (Err(VariantError::UnknownGame(_)), Some(build)) => return Ok(build(game.seed)),
        (Err(error), _) => return Err(invalid(&error.to_string())),
    };
    if !(strategy.plays)(&variant) {
        return Err(invalid(&format!("strategy `{}` cannot play {variant}", strategy.name)));
    }
    Ok((strategy.build)(&variant, options, game.seed))
}

fn choose(engine: &mut dyn Engine, request: &MoveRequest) -> io::Result<FromBot> {
    let deadline = SearchDeadline::within(Duration::from_millis(request.clock.deadline_ms));
    let query = Query {
        seat: if request.seat == 0 { Seat::First } else { Seat::Second },
        view: &request.state,
        legal_moves: request.legal_moves.as_deref(),
        sample_move: &request.sample_move,
    };
    let choice = engine.choose(&query, &deadline)?;
    Ok(FromBot::Move(MoveReply {
        id: request.id as i64,
        played: choice.played,
        eval: choice.eval,
        comment: choice.comment,
        debug: None,
    }))
}

fn invalid(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn talk(strategy: &str, lines: &[&str]) -> (io::Result<()>, String) {
        let strategy = Strategy::named(strategy).unwrap();
        let mut output = Vec::new();
        let options = Params::defaults(strategy.options);
        let result = serve(strategy, &options, lines.join("\n").as_bytes(), &mut output);
        (result, String::from_utf8(output).unwrap())
    }

    const HELLO: &str = r#"{"type":"hello","protocol":1,"arena":"0.1.0","max_line_bytes":65536,"startup_ms":10000}"#;
    const GAME: &str = r#"{"type":"new_game","id":9007199254740991,"game_id":"a","game":"mnk","rules_version":1,"params":{"rows":3,"cols":3,"k":3},"seat":0,"seed":"18446744073709551615","clock":{}}"#;
    const REQUEST: &str = r#"{"type":"move_request","id":12,"ply":4,"seat":0,"state":{"moves":[[0,0],[1,0],[0,1],[1,1]]},"sample_move":[2,2],"clock":{"deadline_ms":1000}}"#;

    #[test]
    fn requests_are_answered_line_by_line() {
        let lines = [HELLO, GAME, REQUEST, r#"{"type":"x_later","reason":7}"#, r#"{"type":"quit"}"#, REQUEST];
        let (result, output) = talk("greedy", &lines);
        result.unwrap();
        insta::assert_snapshot!(output, @r#"
        {"type":"hello","protocol":1,"name":"greedy","version":"1","games":["connect4","mnk","marbles"]}
        {"type":"ready","id":9007199254740991}
        {"type":"move","id":12,"move":[0,2]}
        "#);
    }

    #[test]
    fn an_unsupported_game_ends_it_with_an_explanation() {
        let (result, output) = talk("codebreaker", &[HELLO, GAME, REQUEST]);
        assert_eq!(result.unwrap_err().to_string(), "strategy `codebreaker` cannot play mnk");
        assert_eq!(output.lines().count(), 1);
    }

    #[test]
    fn a_request_without_a_game_ends_it_with_an_explanation() {
        let (result, _) = talk(
            "random",
            &[HELLO, GAME, r#"{"type":"game_over","outcome":"win","reason":"line","moves":[]}"#, REQUEST],
        );
        assert_eq!(result.unwrap_err().to_string(), "move_request before any new_game");
    }
}

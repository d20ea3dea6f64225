//! A tournament between two external bots with a custom observer: `cargo run --example two_bots -- path/to/one
//! path/to/two`.

#![expect(clippy::print_stdout, reason = "examples print")]

use std::path::Path;

use arena::guard::serve_if_asked;
use arena::observer::RunEvent;
use arena::roster::{Roster, RosterSettings as BotSettings};
use arena::session::{Session, SessionSettings};

fn main() -> anyhow::Result<()> {
    let guard = serve_if_asked();
    let bot_settings = BotSettings { guard, ..BotSettings::default() };
    let mut bots = Vec::new();
    for (name, path) in ["one", "two"].into_iter().zip(std::env::args().skip(1)) {
        bots.push(Roster::only(name, Path::new(&path), &bot_settings)?);
    }
    let results = std::env::temp_dir().join(format!("two-bots-{}", std::process::id()));
    let settings = SessionSettings {
        rounds: 2,
        results: results.clone(),
        ..SessionSettings::new("tictactoe".parse()?, "example")
    };
    let mut watch = |event: &RunEvent| match event {
        RunEvent::LeftOut { bot, .. } => println!("{} does not work: {}", bot.name, bot.cause),
        RunEvent::GameEnded { record, .. } => {
            println!("{} against {}: {} by {}", record.bots[0].name, record.bots[1].name, record.result, record.reason);
        }
        _ => {}
    };
    let opened = Session::open(settings, bots, &Roster::default(), || (), &mut watch)?;
    let Some((mut session, mut policy)) = opened else { return Ok(()) };
    let options = arena::stats::AnalysisOptions::default();
    let ending = session.play(&mut policy, &mut watch, &options)?;
    for row in &session.results(&options)?.ranking().analysis.standings {
        let total = row.games.total();
        let (name, points) = (&session.event().bots[row.bot].id.name, total.wins as f64 + total.draws as f64 / 2.0);
        println!("{name}: {points} points");
    }
    println!("{ending:?}");
    Ok(std::fs::remove_dir_all(results)?)
}

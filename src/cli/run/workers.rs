//! `arena workers`: lists the workers of a broker, and what they play.

use std::fmt::Write as _;

use arena_cluster::cluster::census::workers;
use arena_cluster::cluster::wire::PresenceMessage;
use arena_core::text::{counted, shown};

use crate::cli::args::nats::NatsArgs;
use crate::cli::{Exit, Io};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    nats: NatsArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let (workers, warnings) = workers(&args.nats.access())?;
    for warning in warnings {
        io.warn(&warning);
    }
    if args.json {
        io.print_json(&workers)?;
    } else if workers.is_empty() {
        io.tell("no worker is there; start one with `arena worker --nats URL`");
    } else {
        io.print(&text(&workers))?;
    }
    Ok(Exit::Done)
}

fn batches(count: usize) -> String {
    if count == 1 { "1 batch".to_owned() } else { format!("{count} batches") }
}

/// One line for each worker.
fn text(workers: &[PresenceMessage]) -> String {
    let head = ["Worker", "Class", "Slots", "Free", "Games", "Plays"].map(str::to_owned);
    let mut rows = vec![head];
    for worker in workers {
        let plays = match &worker.tournament {
            Some(name) => {
                let (games, done) =
                    worker.batches.iter().fold((0, 0), |(games, done), batch| (games + batch.games, done + batch.done));
                format!("{}: {done} of {} of {}", shown(name), counted(games, "game"), batches(worker.batches.len()))
            }
            None => "nothing".to_owned(),
        };
        let numbers = [worker.slots as u64, worker.free as u64, worker.games].map(|number| number.to_string());
        let [slots, free, games] = numbers;
        rows.push([shown(&worker.worker), shown(&worker.class), slots, free, games, plays]);
    }
    let widths: [usize; 6] =
        std::array::from_fn(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0));
    let mut text = String::new();
    for [worker, class, slots, free, games, plays] in &rows {
        let _ = writeln!(
            text,
            "{worker:<a$}  {class:<b$}  {slots:>c$}  {free:>d$}  {games:>e$}  {plays}",
            a = widths[0],
            b = widths[1],
            c = widths[2],
            d = widths[3],
            e = widths[4]
        );
    }
    let slots: usize = workers.iter().map(|worker| worker.slots).sum();
    let _ = write!(text, "{}, {}", counted(workers.len(), "worker"), counted(slots, "slot"));
    text
}

//! Who plays whom in a tournament, in a few words.

use crate::event::{Event, ROUNDS_MAX};
use crate::format::{Format, swiss};
use crate::text::{counted, shown};

/// The format with its size: `swiss, 5 rounds of 1 pair`.
#[must_use]
pub fn plan_text(event: &Event) -> String {
    let pairs = counted(event.rounds as usize, "pair");
    let options = &event.format_options;
    let format = shown(&event.format);
    match event.format.as_str() {
        "swiss" => {
            let planned = Format::named("swiss").map_or(0, |format| swiss::planned(&event.seating(format).field));
            format!("{format}, {} of {pairs}", counted(planned as usize, "round"))
        }
        "knockout" => format!("{format}, {pairs} a match"),
        "ladder" => match (options.until, options.pairs_per_bot) {
            (Some(until), _) => format!("{format} until {until}"),
            (None, Some(pairs)) if pairs < ROUNDS_MAX => {
                format!("{format}, {} for each bot", counted(pairs as usize, "pair"))
            }
            _ => format,
        },
        "gauntlet" => {
            let challengers: Vec<String> = options.challengers.iter().map(|name| shown(name)).collect();
            format!("{format} of {}, {}", challengers.join(", "), counted(event.rounds as usize, "round"))
        }
        _ => format!("{format}, {}", counted(event.rounds as usize, "round")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Options, Until};
    use crate::report::fixture;

    #[test]
    fn every_format_says_its_size() {
        let text = |format: &str, rounds, format_options| {
            let format = format.to_owned();
            plan_text(&Event { format, format_options, rounds, ..fixture::event(&["a", "b", "c", "d", "e", "f"]) })
        };
        let until = Some(Until::Margin(20.0));
        let plans = [
            text("round-robin", 1, Options::default()),
            text("gauntlet", 50, Options { challengers: vec!["b".to_owned()], ..Options::default() }),
            text("ladder", 1_000, Options { pairs_per_bot: Some(9), ..Options::default() }),
            text("ladder", 1_000, Options { until, ..Options::default() }),
            text("ladder", 1_000, Options { pairs_per_bot: Some(ROUNDS_MAX), ..Options::default() }),
            text("knockout", 3, Options::default()),
            text("swiss", 1, Options::default()),
            text("swiss", 2, Options { swiss_rounds: Some(5), ..Options::default() }),
        ];
        insta::assert_snapshot!(plans.join("\n"), @r"
        round-robin, 1 round
        gauntlet of b, 50 rounds
        ladder, 9 pairs for each bot
        ladder until ±20
        ladder
        knockout, 3 pairs a match
        swiss, 3 rounds of 1 pair
        swiss, 5 rounds of 2 pairs
        ");
    }
}

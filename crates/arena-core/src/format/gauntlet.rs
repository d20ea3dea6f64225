//! Gauntlet: challengers against all others.

use super::flags::{Flag, FlagKind, ROUNDS};
use super::round_robin::rounds;
use super::{Field, Format, FormatKind, FormatOptions, Rejection, RoundPart};
use crate::suggest::did_you_mean;
use crate::text::shown;

/// The challengers meet every other bot once a round, and not each other: opponent by opponent, so that wherever a run is
/// cut, each challenger has met the same opponents, give or take one.
pub(super) const GAUNTLET: Format = Format {
    flags: &[&ROUNDS, &CHALLENGER],
    has_challengers: true,
    accepts,
    seats,
    ..Format::new("gauntlet", FormatKind::Fixed { pairings, pairing, turn }, |field| {
        format!("{} for {}", rounds(field), field.options.names(&CHALLENGER).join(", "))
    })
};

static CHALLENGER: Flag = Flag {
    option: Some("challengers"),
    ..Flag::new("challenger", FlagKind::Bots, 4, "Bot that meets all others in a gauntlet")
};

/// Rejects challengers that are not among the bots.
fn accepts(options: &FormatOptions, _: &FormatOptions, bots: &[&str]) -> Result<(), Rejection> {
    let (challengers, known) = (options.names(&CHALLENGER), bots.join(", "));
    if challengers.is_empty() {
        let why = format!("a gauntlet needs a {CHALLENGER}, which meets all other bots; the bots are: {known}");
        return Err(Rejection(why));
    }
    let Some(unknown) = challengers.iter().find(|name| !bots.contains(&name.as_str())) else { return Ok(()) };
    Err(Rejection(format!(
        "{CHALLENGER}: there is no bot named `{}`{} that plays this game; the bots are: {known}",
        shown(unknown),
        did_you_mean(unknown, bots.iter().copied())
    )))
}

/// Rejects a gauntlet without one of its challengers, or without opponents.
fn seats(options: &FormatOptions, bots: &[&str]) -> Result<(), Rejection> {
    let challengers = options.names(&CHALLENGER);
    if let Some(gone) = challengers.iter().find(|name| !bots.contains(&name.as_str())) {
        let why = format!("the challenger `{}` does not play, so there is no gauntlet", shown(gone));
        return Err(Rejection(why));
    }
    if bots.iter().all(|bot| challengers.iter().any(|name| name == bot)) {
        return Err(Rejection("a gauntlet needs a bot that is no challenger".to_owned()));
    }
    Ok(())
}

fn pairings(field: &Field) -> usize {
    let challengers = field.challengers.len();
    challengers * field.bots.saturating_sub(challengers)
}

fn pairing(field: &Field, number: usize) -> [usize; 2] {
    let challengers = &field.challengers;
    // The opponent with this number, counted without the challengers.
    let opponent =
        challengers.iter().fold(number / challengers.len(), |bot, challenger| bot + usize::from(*challenger <= bot));
    [challengers[number % challengers.len()], opponent]
}

/// All challengers have met the same opponents.
fn turn(field: &Field) -> RoundPart {
    RoundPart { pairs: field.challengers.len().max(1), is_level: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(bots: usize, challengers: &[usize]) -> Vec<[usize; 2]> {
        let field = Field { bots, challengers: challengers.to_vec(), ..Field::default() };
        (0..pairings(&field)).map(|number| pairing(&field, number)).collect()
    }

    #[test]
    fn challengers_meet_all_others_and_not_each_other() {
        assert_eq!(round(4, &[2]), [[2, 0], [2, 1], [2, 3]]);
        assert_eq!(round(4, &[1, 3]), [[1, 0], [3, 0], [1, 2], [3, 2]]);
        assert_eq!(round(5, &[0, 1, 2]), [[0, 3], [1, 3], [2, 3], [0, 4], [1, 4], [2, 4]]);
        assert_eq!(round(2, &[0, 1]), [[0; 2]; 0]);
        assert_eq!(round(0, &[]), [[0; 2]; 0]);
    }
}

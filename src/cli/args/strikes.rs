//! The value of `--strikes`.

use std::num::NonZeroU32;

use arena_core::event::StrikeLimits;
use arena_core::text::shown;

use super::key_values::key_values;

/// The word that disables a limit.
const OFF: &str = "off";

/// Reads `starts=3,games=10`, each a number or `off`; these are the defaults. `off` alone disables both.
pub(crate) fn parse_strikes(text: &str) -> Result<StrikeLimits, String> {
    if text.trim() == OFF {
        return Ok(StrikeLimits::OFF);
    }
    let [starts, games] = key_values(text, ["starts", "games"])?;
    let default = StrikeLimits::default();
    Ok(StrikeLimits {
        starts: starts.map_or(Ok(default.starts), |value| limit("starts", value))?,
        games: games.map_or(Ok(default.games), |value| limit("games", value))?,
    })
}

fn limit(key: &str, value: &str) -> Result<Option<NonZeroU32>, String> {
    if value == OFF {
        return Ok(None);
    }
    let limit = value.parse().map(Some);
    limit.map_err(|_| format!("{key}: `{}` is neither a whole number from 1 to {} nor `{OFF}`", shown(value), u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(starts: u32, games: u32) -> StrikeLimits {
        StrikeLimits { starts: NonZeroU32::new(starts), games: NonZeroU32::new(games) }
    }

    #[test]
    fn omitted_keys_have_their_defaults() {
        for (text, expected) in [
            ("starts=3,games=10", StrikeLimits::default()),
            ("", limits(3, 10)),
            ("games=20", limits(3, 20)),
            ("starts=1", limits(1, 10)),
            ("games=off", limits(3, 0)),
            (" games=off , starts=5", limits(5, 0)),
            ("off", limits(0, 0)),
            ("starts=off,games=off", StrikeLimits::OFF),
        ] {
            assert_eq!(parse_strikes(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_mistake_is_named() {
        for (text, why) in [
            ("games=0", "games: `0` is neither a whole number from 1 to 4294967295 nor `off`"),
            ("starts=two", "starts: `two` is neither a whole number from 1 to 4294967295 nor `off`"),
            ("games=", "games: `` is neither a whole number from 1 to 4294967295 nor `off`"),
            ("10", "`10` is not key=value; known keys: starts, games"),
            ("off,games=3", "`off` is not key=value; known keys: starts, games"),
            ("start=3", "no key named `start` (did you mean `starts`?); known: starts, games"),
            ("games=3,games=4", "`games` is given twice"),
        ] {
            assert_eq!(parse_strikes(text), Err(why.to_owned()), "{text}");
        }
    }
}

//! The bots of a tournament as its format sees them.

use super::Tournament;
use crate::format::flags::{FlagKind, SEEDING};
use crate::format::{Field, Format, FormatKind};
use crate::rng::derive_seed;

/// Label of [`Field::keys`] among what is derived from the seed.
const KEYS: &str = "ladder";

/// The inputs of a format, and which bot of the tournament each of its indices is.
#[derive(Debug, Clone)]
pub(crate) struct Seating {
    pub(crate) field: Field,
    /// By index in the field.
    bots: Vec<usize>,
    /// By index in [`Tournament::bots`].
    indices: Vec<usize>,
}

impl Seating {
    /// The bot of the tournament with this index in the field.
    pub(crate) fn bot(&self, index: usize) -> usize {
        self.bots.get(index).copied().unwrap_or(index)
    }

    /// The index in the field of a bot of the tournament.
    pub(crate) fn index(&self, bot: usize) -> usize {
        self.indices.get(bot).copied().unwrap_or(bot)
    }
}

impl Tournament {
    /// How much its format plays, in words: `5 rounds of 1 pair`; `None` if this arena does not know the format.
    #[must_use]
    pub fn size(&self) -> Option<String> {
        Format::named(&self.format).map(|format| (format.size)(&self.seating(format).field))
    }

    /// A part of it that ends before the next one begins, and its games, such as `("the final", 6)`.
    #[must_use]
    pub fn bottleneck(&self) -> Option<(&'static str, usize)> {
        let format = Format::named(&self.format)?;
        format.bottleneck.map(|of| of(&self.seating(format).field))
    }

    /// Whether its format keeps the bots with which it began.
    #[must_use]
    pub fn keeps_field(&self) -> bool {
        Format::named(&self.format).is_some_and(Format::keeps_field)
    }

    /// The bots as the format sees them: those of a fixed format in order of the roster, those of a stepwise one in order of
    /// their seeding.
    pub(crate) fn seating(&self, format: &Format) -> Seating {
        let named = |bot: &usize| {
            let mut named = self.format_options.iter().filter(|(flag, _)| flag.kind == FlagKind::Bots);
            named.any(|(flag, _)| self.format_options.names(flag).contains(&self.bots[*bot].id.name))
        };
        let challengers = (0..self.bots.len()).filter(named);
        let mut field = Field {
            bots: self.bots.len(),
            rounds: self.rounds,
            openings: self.openings.len(),
            seed: self.seed,
            keys: Vec::new(),
            challengers: challengers.collect(),
            withdrawn: Vec::new(),
            unlinked: self.schedule_version < 4,
            options: self.format_options.clone(),
        };
        let bots =
            if matches!(format.kind, FormatKind::Stepwise { .. }) { self.in_seeding_order() } else { Vec::new() };
        let key = |bot: &usize| derive_seed(self.seed, KEYS, &[self.bots[*bot].id.identity().as_bytes()]);
        field.keys = bots.iter().map(key).collect();
        let mut indices = vec![0; bots.len()];
        for (index, bot) in bots.iter().enumerate() {
            indices[*bot] = index;
        }
        Seating { field, bots, indices }
    }

    /// The bots in order of their seeding, the best first: those named in the options, then the others by a draw that names do not
    /// enter.
    fn in_seeding_order(&self) -> Vec<usize> {
        let seeding = self.format_options.names(&SEEDING);
        let order = |bot: &usize| {
            let id = &self.bots[*bot].id;
            let named = seeding.iter().position(|name| *name == id.name).unwrap_or(seeding.len());
            (named, derive_seed(self.seed, "seeding", &[id.identity().as_bytes()]), *bot)
        };
        let mut bots: Vec<usize> = (0..self.bots.len()).collect();
        bots.sort_by_cached_key(order);
        bots
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Entry;
    use crate::fixture;
    use crate::format::Setting;
    use crate::format::toy::KING_OF_THE_HILL;

    fn order(event: &Tournament) -> Vec<&str> {
        let seating = event.seating(&KING_OF_THE_HILL);
        assert!((0..event.bots.len()).all(|bot| seating.bot(seating.index(bot)) == bot));
        (0..event.bots.len()).map(|index| event.bots[seating.bot(index)].id.fingerprint.as_str()).collect()
    }

    #[test]
    fn bots_are_drawn_whatever_their_names() {
        let mut event = fixture::event(&[""; 5]);
        event.bots = ["a", "b", "c", "d", "e"].map(|name| Entry::new(name, &format!("print of {name}"), "")).into();
        let drawn = order(&event).join(", ");
        event.bots.reverse();
        event.bots.iter_mut().zip(["v", "w", "x", "y", "z"]).for_each(|(bot, name)| name.clone_into(&mut bot.id.name));
        assert_eq!(order(&event).join(", "), drawn);
        let others = (0..20).filter(|seed| order(&Tournament { seed: *seed, ..event.clone() }).join(", ") != drawn);
        assert!(others.count() >= 15);
    }

    #[test]
    fn named_bots_come_first() {
        let mut event = fixture::event(&[""; 4]);
        event.bots = ["a", "b", "c", "d"].map(|name| Entry::new(name, name, "")).into();
        event.format_options.set(&SEEDING, Setting::Names(["d", "gone", "b"].map(str::to_owned).into()));
        assert_eq!(order(&event)[..2], ["d", "b"]);
        assert_eq!(event.seating(Format::usual()).bot(3), 3, "a fixed format keeps the roster's order");
    }
}

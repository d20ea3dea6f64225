//! What a viewer can see of a sitting.

use std::time::Duration;

use arena_core::rules::{Move, Picture, Seat, State, Viewer};
use arena_core::text::shown;
use arena_show::views::Story;

use super::{Hint, Participant, Phase, PlayedPly, Sitting, SittingSetup, Thoughts, plain};

impl Sitting {
    /// What is played, and by whom.
    #[must_use]
    pub const fn setup(&self) -> &SittingSetup {
        &self.setup
    }

    /// What the game is waiting for.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// The number of the game that runs, or ran last: [news](super::SittingNews) of others are old.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// The position.
    #[must_use]
    pub fn state(&self) -> &dyn State {
        self.state.as_ref()
    }

    /// All moves.
    #[must_use]
    pub fn plies(&self) -> &[PlayedPly] {
        &self.plies
    }

    /// The moves that the game began with.
    #[must_use]
    pub const fn opening(&self) -> usize {
        self.opening
    }

    /// One of the legal moves, from the middle of their list, to show how moves are typed; none at the end.
    #[must_use]
    pub fn example(&self) -> Option<Move> {
        let count = self.state.legal_count();
        (count > 0).then(|| self.state.nth_legal(count / 2))
    }

    /// The seat on move.
    #[must_use]
    pub fn to_move(&self) -> Seat {
        self.state.to_move()
    }

    /// Who is to make the next move, as the person at the terminal is told.
    #[must_use]
    pub fn whose_move(&self) -> String {
        match self.only_person() {
            Some(_) => "your move".to_owned(),
            None => format!("{} to move", self.name(self.to_move())),
        }
    }

    /// The hint that was asked for, or why there is none.
    #[must_use]
    pub fn hint_text(&self) -> Option<String> {
        let name = self.setup.hints.as_deref().unwrap_or_default();
        Some(match self.hint()? {
            Ok(Hint { played, eval }) => {
                let eval = eval.map_or_else(String::new, |eval| format!(" ({eval:+.2})"));
                format!("hint by {name}: {}{eval}", plain(played))
            }
            Err(why) => format!("no hint: {why}"),
        })
    }

    /// Who is in a seat.
    #[must_use]
    pub fn at(&self, seat: Seat) -> &Participant {
        &self.setup.participants[self.seats[seat.index()]]
    }

    pub(super) fn mover(&self) -> &Participant {
        self.at(self.to_move())
    }

    /// What the bot in a seat has written.
    #[must_use]
    pub fn thoughts(&self, seat: Seat) -> &Thoughts {
        &self.thoughts[self.seats[seat.index()]]
    }

    /// Takes the lines that the bot in a seat has written to stderr; entries of `info` lines stay.
    #[must_use]
    pub fn take_stderr(&mut self, seat: Seat) -> Vec<String> {
        self.thoughts[self.seats[seat.index()]].stderr.drain(..).collect()
    }

    /// The number of persons.
    #[must_use]
    pub fn persons(&self) -> usize {
        self.setup.participants.iter().filter(|participant| participant.is_person).count()
    }

    /// The seat of the person, if there is one only.
    #[must_use]
    pub fn only_person(&self) -> Option<Seat> {
        let mut persons = Seat::BOTH.into_iter().filter(|seat| self.at(*seat).is_person);
        persons.next().filter(|_| persons.next().is_none())
    }

    /// `you (X)` or `minimax (O)`.
    #[must_use]
    pub fn name(&self, seat: Seat) -> String {
        let name = if self.only_person() == Some(seat) { "you" } else { &shown(&self.at(seat).name) };
        format!("{name} ({})", self.setup.variant.rules.side(seat))
    }

    /// Whether both seats see everything, so that moves can be taken back.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.setup.variant.rules.open_information
    }

    /// Who looks.
    fn viewer(&self) -> Viewer {
        if self.is_open() || self.persons() == 0 || self.phase == Phase::Over {
            return Viewer::All;
        }
        // Two people at one terminal look at the board of the one on move.
        Viewer::Seat(self.only_person().unwrap_or_else(|| self.to_move()))
    }

    /// Whether the one who looks may see the moves and thoughts of `seat`.
    #[must_use]
    pub fn may_see(&self, seat: Seat) -> bool {
        match self.viewer() {
            Viewer::Seat(own) => own == seat,
            Viewer::All | Viewer::Audience => true,
        }
    }

    /// The position as the one who looks may see it.
    #[must_use]
    pub fn picture(&self) -> Picture {
        self.state.picture(self.viewer())
    }

    /// The last hint for this position, or why there is none.
    #[must_use]
    pub const fn hint(&self) -> Option<&Result<Hint, String>> {
        self.hint.as_ref()
    }

    /// Whether a hint was asked for and has not come.
    #[must_use]
    pub const fn is_asking_hint(&self) -> bool {
        self.is_asking_hint
    }

    /// Whether bots wait before each move.
    #[must_use]
    pub const fn is_paused(&self) -> bool {
        self.setup.is_paused
    }

    /// The time that the person on move has for this move, if persons have a clock.
    #[must_use]
    pub const fn limit(&self) -> Option<Duration> {
        self.limit
    }

    /// The game once it is over.
    #[must_use]
    pub const fn ending(&self) -> Option<&Story> {
        self.ending.as_ref()
    }

    /// The command that shows the game that has ended, or why it could not be saved; `None` if no move was made in it.
    #[must_use]
    pub fn saved(&self) -> Option<&Result<String, String>> {
        self.saved.as_ref().filter(|(game, _)| *game == self.number).map(|(_, saved)| saved)
    }

    /// As [`Sitting::saved`], for the last game in which a move was made.
    #[must_use]
    pub fn last_saved(&self) -> Option<&Result<String, String>> {
        self.saved.as_ref().map(|(_, saved)| saved)
    }
}

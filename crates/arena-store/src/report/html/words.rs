//! The words of the page, explained.

use maud::{Markup, html};

const WORDS: [(&str, &str); 16] = [
    (
        "Elo",
        "Strength on a scale where 100 more means an expected score of 64 %, and 200 more one of 76 %. Only differences count.",
    ),
    ("± 95 %", "The margin of a rating: about 95 of 100 such intervals contain the true value."),
    (
        "> or <",
        "A rating that is unbounded on one side: the bot never lost, or never took, a point against that side of the table.",
    ),
    ("Rank range", "All ranks that the ratings allow at 95 %. Bots whose ranges overlap are not separated."),
    ("W-D-L", "Wins, draws and losses."),
    ("Score", "Points by games: a win is 1, a draw ½."),
    (
        "LOS",
        "Likelihood of superiority: the probability that a bot is stronger than another. 50 % says nothing, 97.5 % is significant.",
    ),
    ("Opening", "The first moves of a game, chosen by the arena so that games differ."),
    ("Pair", "The two games of one opening with seats swapped."),
    ("Round", "One pair for every two bots."),
    ("First, second", "The seats: who moves first and who moves second."),
    ("Fault", "An error of a bot: a timeout, an illegal move, a crash. It loses the game."),
    ("Void", "A game that failed because of the machine or the arena. It does not count and is played again."),
    ("Withdrawn", "A bot that is no longer started after too many failures. Its other games are lost, but not rated."),
    ("Group", "Bots connected by games. Ratings of different groups cannot be compared."),
    (
        "SPRT, LLR",
        "A sequential test: it stops when the log-likelihood ratio reaches a bound, the upper one for H1, the lower one for H0.",
    ),
];

/// A list of all words.
pub(super) fn content() -> Markup {
    html! {
        dl class="words" {
            @for (word, meaning) in WORDS { dt { (word) } dd { (meaning) } }
        }
    }
}

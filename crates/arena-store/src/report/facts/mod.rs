//! What the games of a tournament say, computed and not yet in words: no file here makes text for people.
//!
//! | file | facts |
//! |---|---|
//! | `counts`, `ranking` | games by state; the games that count, and the ranking from them |
//! | `conduct`, `times`, `by_ply` | how each bot behaved; percentiles of its times, also by ply |
//! | `settling`, `upset`, `favourite` | how ratings settled; unexpected winners; the chance to win an elimination |
//! | `analysed` | the games against best play |
//! | `versions` | the versions of a bot in a journal |

pub(super) mod analysed;
pub(super) mod by_ply;
pub(super) mod conduct;
pub(super) mod counts;
pub(super) mod favourite;
pub(super) mod ranking;
pub(super) mod settling;
pub(super) mod times;
pub(super) mod upset;
pub(super) mod versions;

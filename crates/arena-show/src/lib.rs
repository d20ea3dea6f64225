//! What people look at, and the events of a run with those who follow them.
//!
//! | module | purpose | must not know |
//! |---|---|---|
//! | [`views`] | rankings, tables, plots, stories and pictures of games, as data | files, terminals, pages |
//! | [`web`] | self-contained pages, their scripts and the data of their games | tournaments, files, connections |
//! | [`observer`] | the events of a run, and their consumers | how they are shown |

#[cfg(test)]
#[path = "../../arena-core/src/fixture.rs"]
mod fixture;
pub mod observer;
pub mod views;
pub mod web;

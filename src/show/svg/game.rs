//! A game: what both movers thought of it, and how long each move took.

use maud::{Markup, html};

use super::scale::{Kind, Scale, number, time};
use super::{Plot, at, colour, label, polyline};
use crate::rules::Seat;
use crate::show::Story;

const WIDTH: f64 = 760.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = WIDTH - 12.0;
/// Top and bottom of the evaluations, then of the times.
const EVALS: [f64; 2] = [56.0, 176.0];
const TIMES: [f64; 2] = [212.0, 312.0];
const HEIGHT: f64 = 352.0;

/// The evaluations of both movers, seen from the first seat, and the time of each move. `ply` draws a line at that ply.
#[must_use]
pub fn game_plot(story: &Story, ply: Option<usize>) -> Plot {
    let plies: Vec<_> = story.plies().collect();
    let x = Scale::new(Kind::Linear, [0.5, plies.len().max(1) as f64 + 0.5], [LEFT, RIGHT]);
    let measured =
        || (1_u32..).zip(&plies).filter_map(|(number, ply)| Some((f64::from(number), ply.mover, ply.measured?)));
    let evals: Vec<_> = measured()
        .filter_map(|(number, mover, played)| {
            let eval = played.eval_of_first(mover).filter(|eval| eval.is_finite())?;
            Some((number, mover, eval.clamp(-1.0, 1.0)))
        })
        .collect();
    let times: Vec<_> = measured().map(|(number, mover, played)| (number, mover, played.us as f64)).collect();
    let opening = story.record.opening.len().min(plies.len());
    let now = ply.map(|ply| at(x.at(ply as f64)));
    let body = html! {
        (key(story))
        @if opening > 0 {
            @let end = x.at(opening as f64 + 0.5);
            path class="anchor" d={ "M" (at(end)) " " (at(EVALS[0])) "V" (at(TIMES[1])) } {}
            text class="dim" x=(at(end + 5.0)) y=(at(TIMES[0] - 10.0)) { "end of the opening" }
        }
        (eval_lines(&evals, &x))
        (time_bars(&times, &x))
        @for tick in x.ticks(12).into_iter().filter(|tick| tick.fract() == 0.0) {
            text class="dim" x=(at(x.at(tick))) y=(at(TIMES[1] + 17.0)) text-anchor="middle" { (number(tick)) }
        }
        text class="dim" x=(at(f64::midpoint(LEFT, RIGHT))) y=(at(TIMES[1] + 35.0)) text-anchor="middle" { "Ply" }
        @if let Some(now) = now { path class="axis" d={ "M" (now) " " (at(EVALS[0])) "V" (at(TIMES[1])) } {} }
    };
    let description = format!(
        "{}. Above: evaluations of both players, from −1 to +1, seen from the first seat. Below: time per move, logarithmic.",
        story.ending().first().map_or("", String::as_str)
    );
    let [first, second] = Seat::BOTH.map(|seat| label::short(&story.player(seat)));
    Plot {
        title: format!("{first} against {second}, {}", story.variant),
        description,
        width: WIDTH,
        height: HEIGHT,
        body,
    }
}

/// Whose colour is whose.
fn key(story: &Story) -> Markup {
    let names = Seat::BOTH.map(|seat| label::short(&story.player(seat)));
    let second = LEFT + 44.0 + label::width(&names[0]);
    html! {
        @for (seat, x) in Seat::BOTH.into_iter().zip([LEFT, second]) {
            g class=(class(seat)) {
                path class="line" d={ "M" (at(x)) " 12h18" } {}
                circle class="solid" cx=(at(x + 9.0)) cy="12" r="3" {}
                text x=(at(x + 24.0)) y="16" { (names[seat.index()]) }
            }
        }
    }
}

/// The second seat is dashed as well.
fn class(seat: Seat) -> String {
    let dashed = if seat == Seat::Second { " dash" } else { "" };
    format!("{}{dashed}", colour(seat.index()))
}

fn eval_lines(evals: &[(f64, Seat, f64)], x: &Scale) -> Markup {
    let y = Scale::new(Kind::Linear, [-1.0, 1.0], [EVALS[1], EVALS[0]]);
    html! {
        text class="dim" x="0" y=(at(EVALS[0] - 12.0)) { "Evaluation" }
        @for (value, name) in [(1.0, "+1"), (0.0, "0"), (-1.0, "−1")] {
            path class="grid" d={ "M" (at(LEFT)) " " (at(y.at(value))) "H" (at(RIGHT)) } {}
            text class="dim" x=(at(LEFT - 8.0)) y=(at(y.at(value) + 4.0)) text-anchor="end" { (name) }
        }
        @if evals.is_empty() {
            text class="dim" x=(at(LEFT + 8.0)) y=(at(y.at(0.0) - 8.0)) { "The bots sent no evaluations." }
        }
        @for seat in Seat::BOTH {
            @let points: Vec<_> = evals.iter().filter(|(_, of, _)| *of == seat).map(|(ply, _, eval)| [x.at(*ply), y.at(*eval)]).collect();
            @if !points.is_empty() {
                g class=(class(seat)) {
                    path class="line" d=(polyline(points.iter().copied())) {}
                    @for [x, y] in &points { circle class="solid" cx=(at(*x)) cy=(at(*y)) r="2.5" {} }
                }
            }
        }
    }
}

fn time_bars(times: &[(f64, Seat, f64)], x: &Scale) -> Markup {
    let y = Scale::new(Kind::Log, times.iter().map(|(_, _, us)| *us), [TIMES[1], TIMES[0]]);
    let wide = ((x.at(2.0) - x.at(1.0)) * 0.7).clamp(0.5, 26.0);
    html! {
        text class="dim" x="0" y=(at(TIMES[0] - 12.0)) { "Time" }
        @for tick in y.ticks(5) {
            path class="grid" d={ "M" (at(LEFT)) " " (at(y.at(tick))) "H" (at(RIGHT)) } {}
            text class="dim" x=(at(LEFT - 8.0)) y=(at(y.at(tick) + 4.0)) text-anchor="end" { (time(tick)) }
        }
        @for seat in Seat::BOTH {
            g class=(class(seat)) {
                @for (ply, _, us) in times.iter().filter(|(_, of, _)| *of == seat) {
                    @let top = y.at(*us);
                    rect class="solid" x=(at(x.at(*ply) - wide / 2.0)) y=(at(top)) width=(at(wide)) height=(at((TIMES[1] - top).max(1.0))) {}
                }
            }
        }
        path class="axis" d={ "M" (at(LEFT)) " " (at(TIMES[1])) "H" (at(RIGHT)) } {}
    }
}

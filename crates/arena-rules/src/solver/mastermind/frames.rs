//! Renamings of pegs and colours.
//!
//! Renaming the pegs and the colours of all guesses and of the code changes no answer. So of all renamings of some guesses, only the
//! lexicographically smallest sequence is looked at. It can be found guess by guess: the renamings that make the first guess
//! smallest, of these the ones that make the second guess smallest, and so on. Colours in no guess yet are all alike.
//!
//! If the guesses are the smallest already, the renamings left are their symmetries: of the next guesses that these turn into each
//! other, all are equally good, and the smallest stands for them.

/// Maximum number of pegs.
pub(super) const PEGS_MAX: usize = 8;
/// Maximum number of colours.
pub(super) const COLORS_MAX: usize = 12;
/// The colours of the pegs of a code; those that it does not have are 0.
pub(super) type Pegs = [u8; PEGS_MAX];

/// With more pegs, their order is kept: 720 orders are enough.
const REORDERED_PEGS_MAX: usize = 6;
const NOT_YET: u8 = u8::MAX;

/// The renamings that make some guesses smallest; there is at least one.
#[derive(Debug, Clone)]
pub(super) struct Frames {
    pegs: usize,
    colors: usize,
    renamings: Vec<Frame>,
}

#[derive(Debug, Clone, Copy)]
struct Frame {
    /// The peg that comes to each place.
    from: Pegs,
    /// The new name of each colour. Names are given in the order in which they are needed.
    to: [u8; COLORS_MAX],
    /// Colours that have a name.
    named: u8,
}

impl Frame {
    /// The renamed guess. Colours without a name get the next ones in the order of the places, which makes it smallest.
    fn image(&mut self, pegs: usize, guess: Pegs) -> Pegs {
        let mut image = [0; PEGS_MAX];
        for (place, from) in image[..pegs].iter_mut().zip(self.from) {
            let name = &mut self.to[usize::from(guess[usize::from(from)])];
            if *name == NOT_YET {
                *name = self.named;
                self.named += 1;
            }
            *place = *name;
        }
        image
    }
}

impl Frames {
    /// All renamings.
    pub(super) fn new(pegs: usize, colors: usize) -> Self {
        let mut orders = vec![std::array::from_fn(|peg| peg as u8)];
        for last in 1..if pegs <= REORDERED_PEGS_MAX { pegs } else { 0 } {
            // The last peg comes to each place.
            let swapped = |order: &Pegs| {
                let order = *order;
                (0..=last).map(move |place| {
                    let mut order: Pegs = order;
                    order.swap(place, last);
                    order
                })
            };
            orders = orders.iter().flat_map(swapped).collect();
        }
        let frame = |from| Frame { from, to: [NOT_YET; COLORS_MAX], named: 0 };
        Self { pegs, colors, renamings: orders.into_iter().map(frame).collect() }
    }

    /// Renames the next guess, and keeps the renamings that make it smallest.
    pub(super) fn add(&mut self, guess: Pegs) -> Pegs {
        let mut smallest = [u8::MAX; PEGS_MAX];
        for frame in &mut self.renamings {
            smallest = smallest.min(frame.image(self.pegs, guess));
        }
        // By now all its colours have names.
        self.renamings.retain_mut(|frame| frame.image(self.pegs, guess) == smallest);
        smallest
    }

    /// Number of renamings.
    pub(super) fn len(&self) -> usize {
        self.renamings.len()
    }

    /// Whether no two guesses are renamings of each other.
    pub(super) fn is_trivial(&self) -> bool {
        self.renamings.len() == 1 && self.named() + 1 >= self.colors
    }

    fn named(&self) -> usize {
        self.renamings.first().map_or(0, |frame| usize::from(frame.named))
    }

    /// Whether no renaming makes the guess smaller.
    pub(super) fn is_smallest(&self, guess: Pegs) -> bool {
        self.renamings.iter().all(|frame| { *frame }.image(self.pegs, guess) >= guess)
    }

    /// The first guess whose new colours are named in order, and then the next one after each.
    pub(super) fn next(&self, guess: Option<Pegs>) -> Option<Pegs> {
        let Some(mut guess) = guess else { return Some([0; PEGS_MAX]) };
        for place in (0..self.pegs).rev() {
            let named = guess[..place].iter().map(|color| usize::from(*color) + 1).fold(self.named(), usize::max);
            if usize::from(guess[place]) < named.min(self.colors - 1) {
                guess[place] += 1;
                return Some(guess);
            }
            guess[place] = 0;
        }
        None
    }

    /// A guess with its name before the renaming, the smallest if there are several. It need not be one that was renamed.
    pub(super) fn back(&self, guess: Pegs) -> Pegs {
        let back = |renaming: &Frame| {
            // Colours without a name come after the others, in order.
            let mut colors: [u8; COLORS_MAX] = std::array::from_fn(|color| color as u8);
            colors[..self.colors].sort_by_key(|color| renaming.to[usize::from(*color)]);
            let mut back = [0; PEGS_MAX];
            for (place, from) in guess[..self.pegs].iter().zip(renaming.from) {
                back[usize::from(from)] = colors[usize::from(*place)];
            }
            back
        };
        self.renamings.iter().map(back).min().unwrap_or(guess)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn some(pegs: usize, colors: usize, rng: &mut Rng) -> Pegs {
        std::array::from_fn(|peg| if peg < pegs { rng.below(colors as u64) as u8 } else { 0 })
    }

    #[test]
    fn renamed_guesses_have_the_same_smallest_form_and_a_way_back() {
        let mut rng = Rng::new(1);
        for (pegs, colors) in [(4, 6), (4, 6), (3, 9), (5, 4), (1, 2), (6, 12)] {
            for guesses in 0..5 {
                let guesses: Vec<Pegs> = (0..guesses).map(|_| some(pegs, colors, &mut rng)).collect();
                let (mut order, mut names): (Vec<_>, Vec<_>) = ((0..pegs).collect(), (0..colors as u8).collect());
                rng.shuffle(&mut order);
                rng.shuffle(&mut names);
                let rename = |guess: &Pegs| {
                    let place = |place: usize| order.get(place).map_or(0, |from| names[usize::from(guess[*from])]);
                    std::array::from_fn(place)
                };
                let (mut frames, mut other) = (Frames::new(pegs, colors), Frames::new(pegs, colors));
                let smallest: Vec<Pegs> = guesses.iter().map(|guess| frames.add(*guess)).collect();
                let renamed: Vec<Pegs> = guesses.iter().map(|guess| other.add(rename(guess))).collect();
                assert_eq!(smallest, renamed);
                assert!(smallest <= guesses);
                let back: Vec<Pegs> = smallest.iter().map(|guess| frames.back(*guess)).collect();
                assert_eq!(back, guesses);
                // The smallest form is its own.
                let mut own = Frames::new(pegs, colors);
                assert!(smallest.iter().all(|guess| own.is_smallest(*guess) && own.add(*guess) == *guess));
            }
        }
    }

    #[test]
    fn first_guesses_of_four_pegs_are_the_partitions_of_four() {
        let frames = Frames::new(4, 6);
        assert_eq!(frames.len(), 24);
        let guesses = std::iter::successors(frames.next(None), |guess| frames.next(Some(*guess)));
        let smallest: Vec<Vec<u8>> =
            guesses.filter(|guess| frames.is_smallest(*guess)).map(|guess| guess[..4].to_vec()).collect();
        assert_eq!(smallest, [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 3]]);
    }

    #[test]
    fn the_guesses_left_without_symmetries_are_all_codes() {
        let mut frames = Frames::new(3, 4);
        for guess in [[0, 1, 1], [0, 2, 3], [0, 1, 2]] {
            frames.add([guess[0], guess[1], guess[2], 0, 0, 0, 0, 0]);
        }
        assert!(frames.is_trivial());
        assert_eq!(std::iter::successors(frames.next(None), |guess| frames.next(Some(*guess))).count(), 64);
    }
}

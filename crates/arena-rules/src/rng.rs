//! Seeds and random streams.
//!
//! Both are part of recorded results, so their algorithms never change: BLAKE3 derives seeds, and `ChaCha8` (a
//! documented, portable stream) generates numbers.
//!
//! # Examples
//!
//! ```
//! use arena_rules::rng::{Rng, derive_seed};
//!
//! let seed = derive_seed(1, "openings", &[b"connect4"]);
//! let mut rng = Rng::new(seed);
//! let drawn: Vec<u64> = (0..100).map(|_| rng.below(6)).collect();
//! assert!(drawn.iter().all(|number| *number < 6));
//! assert_eq!(drawn[0], Rng::new(seed).below(6), "the seed determines it");
//! ```

use std::sync::LazyLock;

use chacha20::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng};

/// Derives a seed for one purpose from a parent seed and labelled parts; different parts give unrelated seeds.
#[must_use]
pub fn derive_seed(parent: u64, purpose: &str, parts: &[&[u8]]) -> u64 {
    /// The key is the same for all seeds, and derived only once.
    static KEYED: LazyLock<blake3::Hasher> = LazyLock::new(|| blake3::Hasher::new_derive_key("arena 2026 seeds"));
    let mut hasher = KEYED.clone();
    hasher.update(&parent.to_le_bytes());
    for part in std::iter::once(&purpose.as_bytes()).chain(parts) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(first)
}

/// A reproducible random number generator.
#[derive(Debug)]
pub struct Rng(ChaCha8Rng);

impl Rng {
    /// Creates the generator for `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Self(ChaCha8Rng::from_seed(key))
    }

    /// Returns a uniform number below `bound`, without bias (Lemire, "Fast random integer generation in an interval",
    /// 2019).
    ///
    /// # Panics
    ///
    /// Panics if `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "there is no number below 0");
        let threshold = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.0.next_u64()) * u128::from(bound);
            if product as u64 >= threshold {
                return (product >> 64) as u64;
            }
        }
    }

    /// Returns a standard normal number (Box and Muller, "A note on the generation of random normal deviates", 1958).
    pub fn normal(&mut self) -> f64 {
        const STEPS: u64 = 1 << 53;
        let [radius, angle] = [0; 2].map(|_| (self.below(STEPS) + 1) as f64 / STEPS as f64);
        (-2.0 * libm::log(radius)).sqrt() * libm::cos(std::f64::consts::TAU * angle)
    }

    /// Shuffles `items` (Fisher–Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

/// 64-bit seeds as decimal strings: JSON numbers are not exact beyond 2^53 everywhere.
pub mod decimal {
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes a seed.
    ///
    /// # Errors
    ///
    /// Those of `serializer`.
    pub fn serialize<S: Serializer>(seed: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(seed)
    }

    /// Reads a seed.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is no decimal number of 64 bits.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|_| serde::de::Error::custom(format!("`{text}` is not a decimal 64-bit seed")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_never_change() {
        let mut rng = Rng::new(1);
        let drawn: Vec<u64> = (0..6).map(|_| rng.below(1000)).collect();
        insta::assert_snapshot!(format!("{drawn:?} {}", derive_seed(1, "game", &[b"a", b"bc"])), @"[381, 294, 798, 916, 855, 139] 4765445132775558371");
    }

    #[test]
    fn parts_are_not_simply_concatenated() {
        assert_ne!(derive_seed(1, "x", &[b"ab", b"c"]), derive_seed(1, "x", &[b"a", b"bc"]));
    }

    #[test]
    fn normal_numbers_have_mean_zero_and_variance_one() {
        let mut rng = Rng::new(3);
        let drawn: Vec<f64> = (0..20_000).map(|_| rng.normal()).collect();
        let moment = |power| drawn.iter().map(|number| number.powi(power)).sum::<f64>() / 20_000.0;
        assert!(moment(1).abs() < 0.02 && (moment(2) - 1.0).abs() < 0.03 && (moment(4) - 3.0).abs() < 0.2);
        let mut rng = Rng::new(1);
        insta::assert_snapshot!(format!("{:?}", [rng.normal(), rng.normal()]), @"
        [-0.38671128634494933, 0.5802850840980233]
        ");
    }

    #[test]
    fn every_number_below_the_bound_is_drawn() {
        let mut rng = Rng::new(7);
        let mut seen = [0_u32; 5];
        (0..1000).for_each(|_| seen[rng.below(5) as usize] += 1);
        assert!(seen.iter().all(|count| (150..250).contains(count)), "{seen:?}");
    }
}

//! The parameters that games and strategies declare, as a list.

use arena_core::rules::{Param, Params};

/// A line for each parameter, with its default.
pub(crate) fn parameters(declared: &'static [Param]) -> String {
    let defaults = Params::defaults(declared);
    let lines = declared.iter().zip(defaults.iter()).map(|(param, (_, default))| {
        format!("    {:<12} {}; {} (default {default})\n", param.name, param.help, param.expected())
    });
    lines.collect()
}

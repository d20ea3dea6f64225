//! Flags for playing a part of a tournament, and the number of this part among the tasks of a scheduler of jobs.

use anyhow::{anyhow, bail};
use arena_core::event::{Shard, ShardError};
use arena_core::format;
use arena_core::format::flags::either;
use arena_run::session::ShardPart;

use crate::cli::whole;

/// Which part of the tournament is played here.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Many machines")]
pub(crate) struct ShardArgs {
    /// Play one of N equal parts, 0/N to N-1/N, or auto/N for the index of this task of a job array; `arena merge` puts them
    /// together (docs/cluster.md)
    #[arg(
        long,
        value_name = "I/N",
        value_parser = parse,
        conflicts_with_all = ["duration", "by", "until", "drop", "json", "plan"]
    )]
    shard: Option<AskedShard>,
    #[arg(long, help = round_help(), value_name = "N", requires = "shard", allow_negative_numbers = true, value_parser = whole(1..=u32::MAX))]
    round: Option<u32>,
    /// Check the bots and write down what is to be played, for --shard, but play nothing
    #[arg(long, conflicts_with_all = ["duration", "by", "until", "json"])]
    pub(crate) plan: bool,
}

fn round_help() -> String {
    let stepwise = format::all().filter(|format| format.is_stepwise());
    format!("Round of a {} to play with --shard", either(stepwise.map(|format| format.title)))
}

#[derive(Debug, Clone, Copy)]
enum AskedShard {
    This(Shard),
    /// The one with the index of this task.
    Auto(u32),
}

/// Variables in which schedulers of jobs tell a task its index in an array, and what the first one is.
const INDICES: [(&str, u32); 7] = [
    ("SLURM_ARRAY_TASK_ID", 0),
    // Kubernetes.
    ("JOB_COMPLETION_INDEX", 0),
    // HyperQueue.
    ("HQ_TASK_ID", 0),
    ("PBS_ARRAY_INDEX", 0),
    // Torque.
    ("PBS_ARRAYID", 0),
    ("AWS_BATCH_JOB_ARRAY_INDEX", 0),
    // Grid Engine, whose arrays begin at 1.
    ("SGE_TASK_ID", 1),
];

impl ShardArgs {
    /// Whether one of the flags was given.
    pub(crate) const fn is_given(&self) -> bool {
        self.shard.is_some() || self.plan
    }

    /// The part to be played, if it is not all.
    pub(crate) fn share(&self) -> anyhow::Result<Option<ShardPart>> {
        let shard = match self.shard {
            None => return Ok(None),
            Some(AskedShard::This(shard)) => shard,
            Some(AskedShard::Auto(count)) => of_task(count, |name| std::env::var(name).ok())?,
        };
        Ok(Some(ShardPart { shard, round: self.round }))
    }
}

fn parse(text: &str) -> Result<AskedShard, ShardError> {
    let Some(count) = text.strip_prefix("auto/") else { return text.parse().map(AskedShard::This) };
    let count = count.parse().map_err(|_| ShardError::NotAShard)?;
    Shard::new(0, count).map(|_| AskedShard::Auto(count))
}

/// The shard with the index of this task.
fn of_task(count: u32, variable: impl Fn(&str) -> Option<String>) -> anyhow::Result<Shard> {
    // Grid Engine says "undefined" outside of an array.
    let set = |(name, first): &(&'static str, u32)| {
        Some((*name, *first, variable(name).filter(|value| !value.is_empty() && value != "undefined")?))
    };
    let set: Vec<_> = INDICES.iter().filter_map(set).collect();
    let (name, first, value) = match set.as_slice() {
        [] => {
            let names: Vec<&str> = INDICES.iter().map(|(name, _)| *name).collect();
            bail!(
                "--shard auto/{count}: this is no task of a job array: none of {} is set; give the index, such as --shard \
                 0/{count}",
                names.join(", ")
            )
        }
        [only] => only,
        [(one, ..), (other, ..), ..] => {
            bail!(
                "--shard auto/{count}: both {one} and {other} are set; give the index, such as --shard ${other}/{count}"
            )
        }
    };
    let shown = arena_core::text::shown(value);
    let index: u32 = value.parse().map_err(|_| anyhow!("--shard auto/{count}: {name}={shown} is not an index"))?;
    let shard = index.checked_sub(*first).and_then(|index| Shard::new(index, count).ok());
    let (last, begin) = (count - 1 + first, first);
    shard.ok_or_else(|| {
        anyhow!("--shard auto/{count}: {name}={shown}; the array must have the indices {begin} to {last}, as in `{begin}-{last}`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(count: u32, set: &[(&str, &str)]) -> Result<String, String> {
        let variable = |name: &str| set.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).to_owned());
        of_task(count, variable).map(|shard| shard.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_task_is_the_shard_of_its_index() {
        for (name, first) in INDICES {
            assert_eq!(of(8, &[(name, &(5 + first).to_string())]), Ok("5/8".to_owned()), "{name}");
            let beyond = of(8, &[(name, &(8 + first).to_string())]).unwrap_err();
            assert!(beyond.contains(&format!("{name}={}; the array", 8 + first)), "{beyond}");
        }
        assert_eq!(of(8, &[("SLURM_ARRAY_TASK_ID", "7"), ("SGE_TASK_ID", "undefined")]), Ok("7/8".to_owned()));
    }

    #[test]
    fn what_says_no_index_is_refused_by_name() {
        insta::assert_snapshot!(of(8, &[("SGE_TASK_ID", "0")]).unwrap_err(), @"--shard auto/8: SGE_TASK_ID=0; the array must have the indices 1 to 8, as in `1-8`");
        insta::assert_snapshot!(of(8, &[("HQ_TASK_ID", "two")]).unwrap_err(), @"--shard auto/8: HQ_TASK_ID=two is not an index");
        insta::assert_snapshot!(of(8, &[("SLURM_ARRAY_TASK_ID", "1"), ("HQ_TASK_ID", "2")]).unwrap_err(), @"--shard auto/8: both SLURM_ARRAY_TASK_ID and HQ_TASK_ID are set; give the index, such as --shard $HQ_TASK_ID/8");
        insta::assert_snapshot!(of(2, &[]).unwrap_err(), @"--shard auto/2: this is no task of a job array: none of SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX, HQ_TASK_ID, PBS_ARRAY_INDEX, PBS_ARRAYID, AWS_BATCH_JOB_ARRAY_INDEX, SGE_TASK_ID is set; give the index, such as --shard 0/2");
    }

    #[test]
    fn auto_needs_a_number_of_shards() {
        for text in ["auto/", "auto/0", "auto", "auto/x", "auto/100001"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(matches!(parse("auto/3"), Ok(AskedShard::Auto(3))));
    }
}

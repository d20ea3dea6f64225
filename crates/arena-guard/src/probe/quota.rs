//! The quota of processor time that a cgroup sets for this process. The kernel stops everything in the group for the rest of
//! a period once it is used up, so times are uneven although processors are idle. Pure, but for [`in_force`].

use std::fmt;

/// A quota of processor time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Quota {
    /// Microseconds of processor time in a period.
    allowed_us: u64,
    /// Microseconds of a period, more than 0.
    period_us: u64,
    /// The file that sets it.
    file: String,
}

impl Quota {
    fn processors(&self) -> f64 {
        self.allowed_us as f64 / self.period_us as f64
    }
}

impl fmt::Display for Quota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { allowed_us, period_us, file } = self;
        let file = arena_core::text::shown(file);
        write!(f, "a cgroup quota of {:.2} CPUs ({allowed_us} µs in {period_us} µs, {file})", self.processors())
    }
}

/// The smallest quota that is in force for this process.
pub(super) fn in_force() -> Option<Quota> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    smallest(&read("/proc/self/cgroup")?, &read("/proc/self/mountinfo")?, read)
}

/// The smallest quota of the cgroups in `/proc/self/cgroup` and of those above them, which are mounted as in
/// `/proc/self/mountinfo`. `read` returns the text of a file, if it is there.
fn smallest(cgroups: &str, mounts: &str, read: impl Fn(&str) -> Option<String>) -> Option<Quota> {
    let mut found: Option<Quota> = None;
    for folder in folders(cgroups, mounts) {
        let (at, is_v2) = folder;
        let quota = if is_v2 { v2(&at, &read) } else { v1(&at, &read) };
        if let Some(quota) = quota
            && found.as_ref().is_none_or(|known| quota.processors() < known.processors())
        {
            found = Some(quota);
        }
    }
    found
}

/// The folders of our cgroups for processor time and of those above them, and whether each is of version 2.
fn folders(cgroups: &str, mounts: &str) -> Vec<(String, bool)> {
    let mut all = Vec::new();
    // `ID:CONTROLLERS:PATH`, and `0::PATH` for version 2.
    for line in cgroups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let is_v2 = controllers.is_empty();
        if !is_v2 && !controllers.split(',').any(|controller| controller == "cpu") {
            continue;
        }
        let Some((top, below)) = mounts.lines().find_map(|mount| place(mount, path, is_v2)) else { continue };
        let mut at = format!("{top}{}", below.trim_end_matches('/'));
        while at.len() > top.len() {
            all.push((at.clone(), is_v2));
            at.truncate(at.rfind('/').unwrap_or(0).max(top.len()));
        }
        all.push((top, is_v2));
    }
    all
}

/// Where a mount shows the hierarchy with `path`: the mount point, and the path below it.
fn place(mount: &str, path: &str, is_v2: bool) -> Option<(String, String)> {
    let (mount, kind) = mount.split_once(" - ")?;
    let mut kind = kind.split(' ');
    let (name, options) = (kind.next()?, kind.nth(1).unwrap_or_default());
    let is_of_cpu = || name == "cgroup" && options.split(',').any(|option| option == "cpu");
    if !(if is_v2 { name == "cgroup2" } else { is_of_cpu() }) {
        return None;
    }
    let mut words = mount.split(' ').skip(3);
    let (root, at) = (words.next()?, words.next()?);
    // Outside of what is mounted, only the top is visible, as in a container.
    let below =
        path.strip_prefix(root.trim_end_matches('/')).filter(|below| below.is_empty() || below.starts_with('/'));
    Some((
        at.trim_end_matches('/').to_owned(),
        below.filter(|below| !below.starts_with("/..")).unwrap_or("").to_owned(),
    ))
}

/// `cpu.max`: `QUOTA PERIOD`, where `max` is none.
fn v2(at: &str, read: &impl Fn(&str) -> Option<String>) -> Option<Quota> {
    let file = format!("{at}/cpu.max");
    let text = read(&file)?;
    let mut words = text.split_whitespace();
    quota(words.next()?, words.next()?, file)
}

/// `cpu.cfs_quota_us`, where `-1` is none, and `cpu.cfs_period_us`.
fn v1(at: &str, read: &impl Fn(&str) -> Option<String>) -> Option<Quota> {
    let file = format!("{at}/cpu.cfs_quota_us");
    let (allowed_us, period_us) = (read(&file)?, read(&format!("{at}/cpu.cfs_period_us"))?);
    quota(allowed_us.trim(), period_us.trim(), file)
}

fn quota(allowed_us: &str, period_us: &str, file: String) -> Option<Quota> {
    let (allowed_us, period_us) = (allowed_us.parse().ok()?, period_us.parse().ok()?);
    (period_us > 0).then_some(Quota { allowed_us, period_us, file })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const V2: &str = "30 26 0:27 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
    const V1: &str = "33 26 0:30 / /sys/fs/cgroup/cpu,cpuacct rw shared:8 - cgroup cgroup rw,cpu,cpuacct\n\
                      34 26 0:31 / /sys/fs/cgroup/memory rw shared:8 - cgroup cgroup rw,memory\n";

    /// The smallest quota with these files, as it is shown.
    fn shown(cgroups: &str, mounts: &str, files: &[(&str, &str)]) -> Option<String> {
        let read = |path: &str| files.iter().find(|(file, _)| *file == path).map(|(_, text)| (*text).to_owned());
        smallest(cgroups, mounts, read).map(|quota| quota.to_string())
    }

    #[test]
    fn the_smallest_quota_of_a_group_and_those_above_it_counts() {
        let files = [
            ("/sys/fs/cgroup/cpu.max", "max 100000\n"),
            ("/sys/fs/cgroup/a/cpu.max", "50000 100000\n"),
            ("/sys/fs/cgroup/a/b/cpu.max", "200000 100000\n"),
        ];
        let expected = "a cgroup quota of 0.50 CPUs (50000 µs in 100000 µs, /sys/fs/cgroup/a/cpu.max)";
        assert_eq!(shown("0::/a/b\n", V2, &files).as_deref(), Some(expected));
        assert_eq!(shown("0::/c\n", V2, &files), None);
        // In a container its own group is the top one.
        let files = [("/sys/fs/cgroup/cpu.max", "150000 100000")];
        let expected = "a cgroup quota of 1.50 CPUs (150000 µs in 100000 µs, /sys/fs/cgroup/cpu.max)";
        for path in ["0::/\n", "0::/../x\n"] {
            assert_eq!(shown(path, V2, &files).as_deref(), Some(expected), "{path}");
        }
    }

    #[test]
    fn version_1_has_two_files() {
        let cgroups = "5:memory:/docker/1\n4:cpu,cpuacct:/docker/1\n0::/docker/1\n";
        let files = [
            ("/sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_quota_us", "25000\n"),
            ("/sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_period_us", "50000\n"),
            ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"),
            ("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
        ];
        let file = "/sys/fs/cgroup/cpu,cpuacct/docker/1/cpu.cfs_quota_us";
        let expected = format!("a cgroup quota of 0.50 CPUs (25000 µs in 50000 µs, {file})");
        assert_eq!(shown(cgroups, V1, &files), Some(expected));
    }

    proptest! {
        #[test]
        fn no_text_panics(cgroups in "\\PC{0,60}", mounts in "\\PC{0,80}", text in "\\PC{0,20}|[0-9 ]{0,12}") {
            for cgroups in [&cgroups, "0::/a", "1:cpu:/a"] {
                for mounts in [&mounts, V2, V1] {
                    let _ = smallest(cgroups, mounts, |_| Some(text.clone()));
                }
            }
        }
    }
}

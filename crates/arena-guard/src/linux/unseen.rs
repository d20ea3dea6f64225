//! What a bot holds that no folder shows and no process counts as its own: files without a name, memory shared between its
//! processes, page tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::kernel;
use super::tree::Stat;

/// The unit in which the kernel counts the size of files.
pub(super) const BLOCK_BYTES: u64 = 512;
/// Maximum number of mappings, more than any bot needs: each costs us something.
const MAPPINGS_MAX: usize = 300_000;
/// Kernel memory of a mapping: `vm_area_struct`, `anon_vma` and its share of a `maple_node`, by `/proc/slabinfo` of Linux 6.18.
const MAPPING_BYTES: u64 = 320;
/// Kernel memory that links a mapping to one of the processes from which it was inherited (`anon_vma_chain`), and to itself.
const LINK_BYTES: u64 = 64;

/// Mapped memory and files that have no name (any more): the extent of each mapping, by inode number. How much of it is in
/// memory is not known. Device numbers are not used, since the kernel does not report them consistently.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Mapped {
    /// Shared memory. It stays allocated while any process maps it.
    memory: BTreeMap<u64, u64>,
    /// Memory files, and deleted files of the scratch folder.
    files: BTreeMap<u64, u64>,
    /// Size of the page tables.
    tables_kb: u64,
    /// Kernel memory of the mappings themselves.
    mappings_bytes: u64,
    /// Maximum number of descriptors.
    descriptors: u64,
    /// The most private writable address space of one process.
    pub(super) reserved_kb: u64,
    /// Processes that may not be inspected.
    pub(super) closed: BTreeSet<i32>,
    /// There were more than [`MAPPINGS_MAX`] mappings.
    pub(super) too_many: bool,
}

impl Mapped {
    /// Reads all mappings; `all` has parents before children.
    pub(super) fn of(all: &[(i32, Stat)], scratch: &Path) -> Self {
        let mut mapped = Self::default();
        let mut left = MAPPINGS_MAX;
        let depths = depths(all);
        for (pid, stat) in all.iter().filter(|(_, stat)| !stat.is_dead()) {
            let left_before = left;
            let looked = File::open(format!("/proc/{}/maps", stat.thread)).and_then(|maps| {
                for line in BufReader::new(maps).split(b'\n').take(left + 1) {
                    left = left.saturating_sub(1);
                    mapped.add(&line?, scratch);
                }
                Ok(())
            });
            // A process that has ended meanwhile may be inspected, and has no mappings.
            if looked.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied) {
                mapped.closed.insert(*pid);
            }
            mapped.add_mappings((left_before - left) as u64, depths.get(pid).copied().unwrap_or(1));
            mapped.add_status(&fs::read_to_string(format!("/proc/{}/status", stat.thread)).unwrap_or_default());
        }
        mapped.too_many = left == 0;
        mapped
    }

    fn add_status(&mut self, status: &str) {
        let number = |name| kernel::number(status, name).unwrap_or(0);
        self.tables_kb = self.tables_kb.saturating_add(number("VmPTE:"));
        self.descriptors = self.descriptors.saturating_add(number("FDSize:"));
        self.reserved_kb = self.reserved_kb.max(number("VmData:"));
    }

    /// Adds the mappings of a process that is at this depth of forks.
    fn add_mappings(&mut self, mappings: u64, depth: u64) {
        let each = LINK_BYTES.saturating_mul(depth).saturating_add(MAPPING_BYTES);
        self.mappings_bytes = self.mappings_bytes.saturating_add(mappings.saturating_mul(each));
    }

    /// Kernel memory that counts as memory of no process, in KiB: page tables and mappings.
    pub(super) fn kernel_kb(&self) -> u64 {
        self.tables_kb.saturating_add(self.mappings_bytes / 1024)
    }

    /// Maximum content of all pipes and sockets.
    pub(super) fn most_queued_kb(&self, per_descriptor_kb: Option<u64>) -> u64 {
        per_descriptor_kb.map_or(u64::MAX, |kb| kb.saturating_mul(self.descriptors))
    }

    /// Adds a line such as `7f2c-7f3c rw-s 00001000 00:01 4711    /dev/zero (deleted)`.
    fn add(&mut self, line: &[u8], scratch: &Path) {
        /// Names of shared memory without a file: anonymous, in huge pages, System V.
        const MEMORY: [&str; 3] = ["/dev/zero", "/anon_hugepage", "/SYSV"];
        let Some(line) = line.strip_suffix(b" (deleted)").and_then(|line| std::str::from_utf8(line).ok()) else {
            return;
        };
        let mut words = line.split_ascii_whitespace();
        let [Some(range), Some(mode), Some(offset), Some(_device), Some(inode), Some(name)] =
            [(); 6].map(|()| words.next())
        else {
            return;
        };
        let number = |text| u64::from_str_radix(text, 16).ok();
        let reach = range
            .split_once('-')
            .and_then(|(from, to)| Some(number(to)?.saturating_sub(number(from)?).saturating_add(number(offset)?)));
        let (Some(reach), Ok(inode)) = (reach, inode.parse()) else { return };
        let kind = if MEMORY.iter().any(|memory| name.starts_with(memory)) && mode.ends_with('s') {
            &mut self.memory
        } else if name.starts_with("/memfd:") || Path::new(name).starts_with(scratch) {
            &mut self.files
        } else {
            return;
        };
        let known = kind.entry(inode).or_default();
        *known = reach.max(*known);
    }

    /// The memory in KiB.
    pub(super) fn memory_kb(&self) -> u64 {
        kernel::sum(self.memory.values().map(|bytes| bytes / 1024))
    }

    /// Bytes of the files, except those whose inode numbers are `known`.
    pub(super) fn file_bytes(&self, known: &BTreeSet<u64>) -> u64 {
        kernel::sum(self.files.iter().filter(|(inode, _)| !known.contains(inode)).map(|(_, bytes)| *bytes))
    }
}

/// The depth of each process in the tree of forks: 1 for the bot, which comes first. The parent of an orphan is unknown; it is
/// assumed to descend from all others.
fn depths(all: &[(i32, Stat)]) -> BTreeMap<i32, u64> {
    let mut depths = BTreeMap::new();
    for (index, (pid, stat)) in all.iter().enumerate() {
        let orphan = if index == 0 { 1 } else { all.len() as u64 };
        let depth = depths.get(&stat.parent).map_or(orphan, |parent| parent + 1);
        depths.insert(*pid, depth);
    }
    depths
}

/// Bytes of the files without a name that the processes hold open, and their inode numbers.
pub(super) fn open_files(all: &[(i32, Stat)]) -> (u64, BTreeSet<u64>) {
    let (mut blocks, mut seen) = (0_u64, BTreeSet::new());
    for (_, stat) in all {
        let open = fs::read_dir(format!("/proc/{}/fd", stat.thread)).into_iter().flatten().flatten();
        let files = open.filter_map(|entry| fs::metadata(entry.path()).ok());
        for file in files.filter(|file| file.is_file() && file.nlink() == 0) {
            if seen.insert((file.dev(), file.ino())) {
                blocks = blocks.saturating_add(file.blocks());
            }
        }
    }
    (blocks.saturating_mul(BLOCK_BYTES), seen.into_iter().map(|(_, inode)| inode).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_tables_and_descriptors_are_read_from_what_the_kernel_tells() {
        let mut mapped = Mapped::default();
        mapped.add_status("Name:\tVmPTE: 5 kB\nFDSize:\t64\nVmPTE:\t      48 kB\nThreads:\t1\n");
        mapped.add_status("FDSize:\t256\nVmPTE:\t 1000 kB\nVmData:\t 9 kB\n");
        // That of a process that has ended says neither.
        mapped.add_status("Name:\tgone\nFDSize:\t0\n");
        mapped.add_status("");
        assert_eq!(mapped, Mapped { tables_kb: 1048, descriptors: 320, reserved_kb: 9, ..Mapped::default() });
        assert_eq!(mapped.most_queued_kb(Some(2)), 640);
        assert_eq!(mapped.most_queued_kb(None), u64::MAX);
    }

    #[test]
    fn mappings_of_a_chain_of_forks_count_for_each_ancestor() {
        let me = Stat::of(std::process::id().cast_signed()).unwrap();
        let process = |pid, parent| (pid, Stat { parent, ..me });
        let all = [process(10, 1), process(11, 10), process(12, 11), process(13, 10), process(14, 1), process(15, 14)];
        assert_eq!(depths(&all).into_values().collect::<Vec<_>>(), [1, 2, 3, 2, 6, 7]);
        assert_eq!(depths(&[]), BTreeMap::new());
        let mut mapped = Mapped::default();
        // 60 processes, each forked by the last one, with 5,000 mappings each.
        (1..=60).for_each(|depth| mapped.add_mappings(5_000, depth));
        let links = 5_000 * 60 * 61 / 2;
        assert_eq!(mapped.mappings_bytes, 300_000 * MAPPING_BYTES + links * LINK_BYTES);
        mapped.add_mappings(u64::MAX, u64::MAX);
        assert_eq!(mapped.kernel_kb(), u64::MAX / 1024);
    }

    #[test]
    fn files_without_a_name_are_distinguished() {
        let mut mapped = Mapped::default();
        for line in [
            // A terabyte, and a piece of the end of another one.
            "10000000000-20000000000 rw-s 00000000 00:01 1 /dev/zero (deleted)",
            "7f0000000000-7f0000001000 ---s 00fff000 00:01 2                          /dev/zero (deleted)",
            "7f0000001000-7f0000002000 ---s 00000000 00:01 2                          /dev/zero (deleted)",
            "7f0000000000-7f0000001000 rw-p 00000000 00:01 3 /dev/zero (deleted)",
            "7f0000000000-7f0000200000 rw-s 00000000 00:0f 4 /anon_hugepage (deleted)",
            "7f0000000000-7f0000001000 r--p 00000000 00:01 5 /memfd:x y (deleted)",
            "7f0000000000-7f0000001000 r--p 00001000 08:01 6 /tmp/scratch/a b (deleted)",
            "7f0000000000-7f0000001000 r-xp 00000000 08:01 7 /usr/lib/libc.so.6 (deleted)",
            "7f0000000000-7f0000001000 rw-s 00000000 08:01 8 /tmp/scratch/book",
            "7f0000000000-7f0000001000 rw-p 00000000 00:00 0",
            "nonsense (deleted)",
            "x-y rw-s 0 00:01 9 /dev/zero (deleted)",
            "",
        ] {
            mapped.add(line.as_bytes(), Path::new("/tmp/scratch"));
        }
        assert_eq!(mapped.memory, BTreeMap::from([(1, 1 << 40), (2, 1 << 24), (4, 2 << 20)]));
        assert_eq!(mapped.files, BTreeMap::from([(5, 4096), (6, 8192)]));
        assert_eq!(mapped.memory_kb(), (1 << 30) + (1 << 14) + (2 << 10));
        assert_eq!(mapped.file_bytes(&BTreeSet::from([6, 1])), 4096);
    }
}

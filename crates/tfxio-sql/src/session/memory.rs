//! The memory of a session.

use std::fs;

/// Returns three quarters of the memory that the process may take: the least of the machine's memory, the limit of its
/// control group, and the limit of its address space. `None` where the system reports none of them.
pub(super) fn of_process() -> Option<usize> {
    let bounds = [machine(), group(), addresses()].into_iter().flatten();
    let bytes = bounds.min()? / 4 * 3;
    usize::try_from(bytes).ok().filter(|bytes| *bytes > 0)
}

fn machine() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib = line.split_whitespace().next()?.parse::<u64>().ok()?;
    kib.checked_mul(1024)
}

fn group() -> Option<u64> {
    let files = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    files.iter().filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok()).min()
}

fn addresses() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/limits").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_has_some_memory() {
        assert!(super::of_process().is_some_and(|bytes| bytes > 1 << 20));
    }
}

//! Entropy of the system, for new seeds and names.

/// Returns an unpredictable number from the operating system's generator.
///
/// # Panics
///
/// Panics if the system has no generator; every Linux since 3.17 has one.
#[must_use]
pub fn unpredictable() -> u64 {
    let mut bytes = [0; 8];
    entropy(&mut bytes).expect("the system has a generator of random numbers");
    u64::from_ne_bytes(bytes)
}

/// Requests this short are never cut short, nor interrupted by a signal (getrandom(2)).
#[cfg(target_os = "linux")]
fn entropy(bytes: &mut [u8; 8]) -> std::io::Result<()> {
    rustix::rand::getrandom(bytes, rustix::rand::GetRandomFlags::empty())?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn entropy(bytes: &mut [u8; 8]) -> std::io::Result<()> {
    std::io::Read::read_exact(&mut std::fs::File::open("/dev/urandom")?, bytes)
}

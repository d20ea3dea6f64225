//! The CPU as `/proc/cpuinfo` describes it: its class, and its model. Pure.

/// Longest model that is kept, in characters.
const MODEL_MAX: usize = 48;

/// The flags that each micro-architecture level of x86-64 adds, from the second on, as Linux spells them (System V ABI,
/// AMD64 supplement, section 3.1.1: `pni` is SSE3, `cx16` CMPXCHG16B, `abm` LZCNT, `xsave` OSXSAVE).
const LEVELS: [&[&str]; 3] = [
    &["cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"],
    &["abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave"],
    &["avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"],
];

/// Target and, on x86-64 where the system reports its flags, the level of the CPU: `x86_64-linux-v3`.
pub(super) fn class(arch: &str, os: &str, cpuinfo: &str) -> String {
    match value(cpuinfo, "flags").filter(|_| arch == "x86_64") {
        Some(flags) => format!("{arch}-{os}-v{}", level(flags)),
        None => format!("{arch}-{os}"),
    }
}

/// The micro-architecture level of a CPU with these flags.
fn level(flags: &str) -> usize {
    let has = |wanted: &str| flags.split_whitespace().any(|flag| flag == wanted);
    1 + LEVELS.iter().take_while(|added| added.iter().all(|flag| has(flag))).count()
}

/// The model without marks of trade, in printable characters and cut; empty if it is unknown.
pub(super) fn model(cpuinfo: &str) -> String {
    let name = ["model name", "Model", "cpu"].iter().find_map(|key| value(cpuinfo, key)).unwrap_or_default();
    let name = ["(R)", "(r)", "(TM)", "(tm)"].iter().fold(name.to_owned(), |name, mark| name.replace(mark, ""));
    let is_kept = |word: &&str| !matches!(*word, "CPU" | "Processor" | "processor");
    let name = name.split_whitespace().filter(is_kept).collect::<Vec<_>>().join(" ");
    let printable = name.chars().map(|c| if c.is_control() { '?' } else { c });
    printable.take(MODEL_MAX).collect::<String>().trim_end().to_owned()
}

/// The first value of a key. Processors of one system are alike, or differ in speed only.
fn value<'a>(cpuinfo: &'a str, key: &str) -> Option<&'a str> {
    let values = cpuinfo.lines().filter_map(|line| line.split_once(':'));
    values.into_iter().find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const V2: &str = "fpu cx8 cmov mmx fxsr sse sse2 syscall lm cx16 lahf_lm popcnt pni ssse3 sse4_1 sse4_2";
    const V3: &str = "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave";
    const V4: &str = "avx512f avx512bw avx512cd avx512dq avx512vl";

    fn cpuinfo(flags: &str) -> String {
        format!(
            "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) CPU @ 2.20GHz\nflags\t\t: {flags}\n\n\
             processor\t: 1\nmodel name\t: other\nflags\t\t:\n"
        )
    }

    #[track_caller]
    fn check(flags: &str, expected: &str) {
        assert_eq!(class("x86_64", "linux", &cpuinfo(flags)), expected, "{flags}");
    }

    #[test]
    fn a_level_needs_all_flags_of_it_and_of_those_below() {
        check("", "x86_64-linux-v1");
        check("fpu cmov sse2", "x86_64-linux-v1");
        check(V2, "x86_64-linux-v2");
        check(&format!("{V2} {V3}"), "x86_64-linux-v3");
        check(&format!("{V2} {V3} {V4}"), "x86_64-linux-v4");
        check(&format!("{V2} {V3} {V4}").replace("movbe", ""), "x86_64-linux-v2");
        check(&format!("{V3} {V4}"), "x86_64-linux-v1");
        // A longer name is another flag.
        check(&V2.replace("popcnt", "popcnt2"), "x86_64-linux-v1");
    }

    #[test]
    fn other_targets_have_no_level() {
        assert_eq!(class("x86_64", "linux", ""), "x86_64-linux");
        assert_eq!(class("aarch64", "linux", "processor\t: 0\nFeatures\t: fp asimd\n"), "aarch64-linux");
        assert_eq!(class("aarch64", "macos", ""), "aarch64-macos");
    }

    #[test]
    fn models_are_short_and_plain() {
        assert_eq!(model(&cpuinfo("")), "Intel Xeon @ 2.20GHz");
        for (text, expected) in [
            ("model name : AMD EPYC 7B13", "AMD EPYC 7B13"),
            ("model name\t: AMD Ryzen 9  7950X   16-Core Processor", "AMD Ryzen 9 7950X 16-Core"),
            ("Model\t\t: Raspberry Pi 5 Model B Rev 1.0", "Raspberry Pi 5 Model B Rev 1.0"),
            ("processor\t: 0\ncpu\t\t: POWER9, altivec supported", "POWER9, altivec supported"),
            ("model name : \u{1b}[31mred", "?[31mred"),
            ("", ""),
            ("no colon", ""),
        ] {
            assert_eq!(model(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_gives_a_class_of_one_word_and_a_short_model(text in "(flags|model name)?:?\\PC{0,80}(\n\\PC{0,80})?") {
            let class = class("x86_64", "linux", &text);
            prop_assert!(class.starts_with("x86_64-linux") && !class.contains(char::is_whitespace));
            let model = model(&text);
            prop_assert!(model.chars().count() <= MODEL_MAX && !model.contains(char::is_control));
            prop_assert_eq!(model.trim(), &model);
        }
    }
}

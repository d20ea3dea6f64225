//! Workers play what their coordinator has prepared and nothing else.

use std::os::unix::fs::MetadataExt;

use arena_core::event::{Entry, Tournament};
use arena_core::rules::Variant;
use arena_guard::{SandboxMode, remove_folder};

use super::*;

const SEED: &str = "SUAAVWRZG6M5FA5VRRGWSCIHKTOJC7EWNIT4JV3FTOIPO4OBFR5WA7X5TE";
const GOLDEN: &str = include_str!("../../../../../tests/data/event-manifest.jsonl");

fn event() -> Tournament {
    let mut event = Tournament::new("golden", &Variant::named("tictactoe").unwrap());
    (event.seed, event.schedule_version) = (7, 2);
    event.bots = vec![Entry::new("x", "0123456789abcdef", "sh x"), Entry::new("random", "fedcba9876543210", "builtin")];
    event
}

fn manifest() -> EventManifest {
    let limits = "memory_mb=512,cpu_s=off".parse().unwrap();
    let settings = RosterSettings { sandbox: SandboxMode::Strict, limits, ..RosterSettings::default() };
    let sources = vec![BotSource::Package("0".repeat(64)), BotSource::Builtin("random".to_owned())];
    EventManifest::new(&event(), sources, None, &settings).unwrap()
}

fn key() -> SecretKey {
    SecretKey::from_seed(SEED).unwrap()
}

/// Machines of other versions read this format. If it changes, so must its version.
#[test]
fn the_format_is_that_of_the_golden_file() {
    let signed = manifest().sign(&key()).unwrap();
    assert_eq!(String::from_utf8(signed).unwrap(), GOLDEN.trim_end());
    let read = EventManifest::open(GOLDEN.trim_end().as_bytes(), &[key().public()]).unwrap();
    assert_eq!((read.bytes(), read.id()), (manifest().bytes(), manifest().id()));
    assert_eq!(read.id(), "35cafb35d882423d");
    assert_eq!((read.bots(), read.settings()), (manifest().bots(), manifest().settings()));
    let settings = read.settings().with_guard(GuardProgram::default());
    assert_eq!(&BotSettings::of(&settings), read.settings());
}

#[test]
fn only_what_a_trusted_key_has_signed_is_opened() {
    let [ours, theirs] = [key(), SecretKey::from_seed(&nkeys::KeyPair::new_user().seed().unwrap()).unwrap()];
    let (plain, signed) = (manifest().bytes().to_vec(), manifest().sign(&ours).unwrap());
    let open = |bytes: &[u8], trusted: &[PublicKey]| EventManifest::open(bytes, trusted).map(|read| read.id());
    let id = manifest().id();
    assert_eq!(open(&plain, &[]), Ok(id.clone()));
    assert_eq!(open(&signed, &[]), Ok(id.clone()));
    assert_eq!(open(&signed, &[theirs.public(), ours.public()]), Ok(id));

    let trusted = vec![theirs.public()];
    assert_eq!(open(&plain, &trusted), Err(ManifestError::Unsigned { trusted: trusted.clone() }));
    let untrusted = open(&signed, &trusted).unwrap_err();
    let [ours, theirs] = [ours.public().to_string(), theirs.public().to_string()];
    assert_eq!(untrusted, ManifestError::Untrusted { key: ours.clone(), trusted });
    let told = untrusted.to_string();
    assert!(told.contains(&ours) && told.contains(&theirs), "{told}");

    // The line of one event with the signature of another.
    let other = String::from_utf8(signed.clone()).unwrap().replace("\"seed\":\"7\"", "\"seed\":\"8\"");
    assert_ne!(other.as_bytes(), signed);
    for trusted in [vec![], vec![key().public()]] {
        let altered = open(other.as_bytes(), &trusted).unwrap_err();
        assert_eq!(altered, ManifestError::Altered { key: ours.clone() });
        assert!(altered.to_string().contains(&ours));
    }
    // The bytes alone, signed for another purpose.
    let login = nkeys::KeyPair::from_seed(SEED).unwrap().sign(&plain).unwrap();
    let login = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, login);
    let text = format!("{}\n{{\"key\":\"{ours}\",\"signature\":\"{login}\"}}", String::from_utf8(plain).unwrap());
    assert_eq!(open(text.as_bytes(), &[]), Err(ManifestError::Altered { key: ours }));
}

#[test]
fn no_bit_of_a_signed_manifest_can_be_changed() {
    let signed = manifest().sign(&key()).unwrap();
    for at in 0..signed.len() {
        let mut bytes = signed.clone();
        bytes[at] ^= 1 << (at % 8);
        assert!(EventManifest::open(&bytes, &[key().public()]).is_err(), "byte {at}");
        assert!(EventManifest::open(&signed[..at], &[key().public()]).is_err(), "cut at {at}");
    }
}

#[test]
fn a_manifest_that_does_not_fit_together_is_refused() {
    let text = String::from_utf8(manifest().bytes().to_vec()).unwrap();
    let zeros = "0".repeat(64);
    for (from, to, told) in [
        ("{\"version\":1,", "{\"version\":2,\"new\":1,", "has version 2, and this arena reads 1"),
        ("{\"version\":1,", "{\"version\":1,\"new\":1,", "unknown field `new`"),
        ("{\"version\":1,", "{\"version\":1,\"\\u001b[31m\":1,", "unknown field `\\u{1b}[31m`"),
        ("{\"version\":1,", "[\"version\":1,", "cannot be read"),
        (zeros.as_str(), "../../x", "the package of the bot `x` is not a hash"),
        (
            "\"settings\":",
            "\"rules\":\"x\",\"settings\":",
            "it has a program of rules, or its event has one, but not both",
        ),
        (
            "{\"name\":\"x\",\"fingerprint\":\"0",
            "{\"name\":\"x\",\"fingerprint\":\"1",
            "`x` is not the one of its event",
        ),
        ("\"sandbox\":\"strict\"", "\"sandbox\":\"none\"", "unknown variant `none`"),
        ("\"memory_mb\":512", "\"memory\":512", "no limit named `memory`"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        let refused = EventManifest::open(changed.as_bytes(), &[]).unwrap_err().to_string();
        assert!(refused.contains(told), "{refused}");
    }
    assert!(EventManifest::new(&event(), Vec::new(), None, &RosterSettings::default()).is_err());
}

#[test]
fn an_event_is_prepared_once_and_loaded_anywhere() {
    let [here, there] = [(); 2].map(|()| Place::new());
    here.script("bots/x/run");
    here.file("bots/x/bot.toml", "command = [\"./run\"]\nlimits = { memory_mb = 4096 }");
    here.file("bots/x.toml", "limits = { memory_mb = 2048 }");
    let random = Roster::builtin(arena_bots::strategy::Strategy::named("random").unwrap(), &here.settings()).unwrap();
    let found = [random, here.bot("bots/x")];
    let mut event = event();
    for (entry, found) in event.bots.iter_mut().zip([&found[1], &found[0]]) {
        entry.id.fingerprint.clone_from(&found.fingerprint);
    }
    let prepared = prepare(&event, &found, &here.settings(), &here.store()).unwrap();
    let [package] = prepared.packages.as_slice() else { panic!("{:?}", prepared.packages.len()) };
    let manifest = EventManifest::open(&prepared.manifest.sign(&key()).unwrap(), &[key().public()]).unwrap();
    let store = there.store();
    let settings = manifest.settings().with_guard(there.settings().guard);
    assert!(manifest.bots()[0].load(&store, &settings).is_err(), "it was not received");
    store.put(&package.hash, &package.bytes).unwrap();
    for (bot, entry) in manifest.bots().iter().zip(&event.bots) {
        let loaded = bot.load(&store, &settings).unwrap();
        assert_eq!((&loaded.launch.name, &loaded.fingerprint), (&entry.id.name, &entry.id.fingerprint));
    }

    // With a file that was changed in the store, it is not the bot of the event.
    let file = store.load(&package.hash, "x", &settings).unwrap().launch.program;
    fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).unwrap();
    fs::write(&file, "#!/bin/sh\n# Something else.\n").unwrap();
    let refused = manifest.bots()[0].load(&store, &settings).unwrap_err().to_string();
    assert!(refused.contains("its package was changed in") && refused.contains(&package.hash), "{refused}");
    remove_folder(&store.folder(&package.hash).unwrap(), None).unwrap();
    store.put(&package.hash, &package.bytes).unwrap();
    assert!(manifest.bots()[0].load(&store, &settings).is_ok());
    // Nor with other limits.
    let settings = RosterSettings { freeze_idle: true, ..settings };
    let refused = manifest.bots()[1].load(&store, &settings).unwrap_err().to_string();
    assert!(refused.contains("use one version of arena"), "{refused}");

    here.file("bots/x/more", "");
    let changed = [here.bot("bots/x"), found[0].clone()];
    let refused = prepare(&event, &changed, &here.settings(), &here.store()).unwrap_err().to_string();
    assert!(refused.contains("the bot `x` was changed since the event began"), "{refused}");
    let refused = prepare(&event, &found[..1], &here.settings(), &here.store()).unwrap_err().to_string();
    assert!(refused.contains("the bot `x` of the event is not there"), "{refused}");
}

#[test]
fn a_key_is_made_once_and_is_secret() {
    let place = Place::new();
    let path = place.path("key");
    let made = SecretKey::read_or_create(&path).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    let again = SecretKey::read_or_create(&path).unwrap();
    assert_eq!(again.public(), made.public());
    let seed = fs::read_to_string(&path).unwrap();
    assert!(seed.starts_with("SU") && !format!("{made:?}").contains(seed.trim()));
    assert_eq!(made.public().to_string().parse(), Ok(made.public()));
    let secret = seed.trim().parse::<PublicKey>().unwrap_err().to_string();
    assert!(secret.contains("this is a seed") && !secret.contains(seed.trim()), "{secret}");
    assert!("UABC".parse::<PublicKey>().unwrap_err().to_string().contains("`UABC` is not a public key"));

    for mode in [0o640, 0o604, 0o610, 0o666] {
        fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        let refused = format!("{:#}", SecretKey::read_or_create(&path).unwrap_err());
        assert!(refused.contains(&format!("others may read it (mode {mode:o})")), "{refused}");
    }
    fs::set_permissions(&path, PermissionsExt::from_mode(0o400)).unwrap();
    assert!(SecretKey::read_or_create(&path).is_ok());
    fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    let account = nkeys::KeyPair::new_account().seed().unwrap();
    for text in ["", "SUABC", account.as_str(), &seed[1..]] {
        fs::write(&path, text).unwrap();
        let refused = format!("{:#}", SecretKey::read_or_create(&path).unwrap_err());
        assert!(refused.contains("it is not the seed of a user's key") && refused.contains("key file"), "{refused}");
        assert!(!refused.contains(text.trim()) || text.is_empty(), "{refused}");
    }
}

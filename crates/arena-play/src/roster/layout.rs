//! The layout of a bot that is copied with all of its files, so that the copy has the same fingerprint: which part lies
//! where, and which of them is the bot.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, bail};
use arena_bots::strategy::Strategy;
use arena_core::text::shown;
use arena_guard::{is_installed, open_foreign};
use serde::{Deserialize, Serialize};

use super::parts::{BotPart, PartKind, climb};
use super::{FoundBot, Roster, RosterSettings};

/// The folder of the bot's files in its copy.
pub const FILES: &str = "files";
/// The file that says which of them is the bot.
pub const INDEX: &str = "package.json";
/// Version of the format of copies.
const VERSION: u32 = 1;
/// Where a bot lies in its copy, unless it has files above its own folder, whose names then count.
const BOTS: &str = "bots";

/// Which of a copy's files is the bot. Paths are relative to [`FILES`].
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CopyIndex {
    version: u32,
    /// The bot: a file, a manifest or a folder.
    bot: PathBuf,
    /// The bots folder, if a manifest in it grants the bot its permissions.
    bots: Option<PathBuf>,
}

impl CopyIndex {
    /// Checks what was read from elsewhere.
    fn check(&self) -> anyhow::Result<()> {
        if self.version != VERSION {
            bail!(
                "it has format {}, and this arena reads {VERSION}; use one version of arena on all machines",
                self.version
            );
        }
        let plain = |path: &PathBuf| path.components().all(|part| matches!(part, Component::Normal(_)));
        if !plain(&self.bot) || !self.bots.iter().all(plain) {
            bail!("its index names a path outside of it");
        }
        Ok(())
    }
}

/// One entry of a copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A file with the content of the one at this path.
    File(PathBuf),
    /// A folder.
    Folder,
    /// A link with its target.
    Link(PathBuf),
}

/// The contents of a copy.
#[derive(Debug)]
pub struct CopyLayout {
    pub(crate) index: CopyIndex,
    /// Everything below [`FILES`], with all folders, each before its contents.
    pub items: BTreeMap<PathBuf, Item>,
}

impl CopyLayout {
    /// The content of [`INDEX`].
    ///
    /// # Errors
    ///
    /// Returns an error if a path is not UTF-8.
    pub fn index(&self) -> anyhow::Result<Vec<u8>> {
        serde_json::to_vec(&self.index).context("a path is not UTF-8; rename it")
    }

    /// Lays out everything that is needed to load `found` elsewhere.
    ///
    /// # Errors
    ///
    /// Returns an error if it is built in, or needs something that a copy cannot have.
    pub fn of(found: &FoundBot) -> anyhow::Result<Self> {
        if let Some(strategy) = builtin(found) {
            bail!("it has no file; it is built in, so its name, `{}`, is enough", strategy.name);
        }
        let home = &found.launch.dir;
        if let Some(path) = found.absolute.iter().find(|path| found.untrusted || path.starts_with(home)) {
            let path = shown(&path.to_string_lossy());
            bail!(
                "its manifest names `{path}` by an absolute path, which leads elsewhere on other machines; name it \
                   relative to the manifest"
            );
        }
        let mut parts = found.parts()?;
        // What lies elsewhere is on the machines that share it; the fingerprint shows whether they do.
        parts.retain(|part| !part.name.is_absolute());
        let folder = match &found.granted_by {
            // The manifest beside a folder has its name.
            Some(beside) => beside.file_stem().unwrap_or_default(),
            None => "bot".as_ref(),
        };
        let here = if found.untrusted { Path::new(BOTS).join(folder) } else { place(home, &parts)? };
        let mut items = Items { here: here.clone(), items: BTreeMap::new() };
        // A file that is a link in a folder of the bot stays a link.
        parts.sort_by_key(|part| part.kind == PartKind::File);
        for part in parts {
            let item = match part.kind {
                PartKind::File => Item::File(part.path.clone()),
                PartKind::Folder => Item::Folder,
                PartKind::Link(target) => Item::Link(target),
                PartKind::Other => {
                    let path = shown(&part.path.to_string_lossy());
                    bail!("`{path}` is neither a file nor a folder nor a link; remove it");
                }
            };
            items.add(&part.name, item, part.path)?;
        }
        let bot = if found.untrusted {
            if let Some(beside) = &found.granted_by {
                let name = Path::new("..").join(beside.file_name().unwrap_or_default());
                items.add(&name, Item::File(beside.clone()), beside.clone())?;
            }
            here.clone()
        } else {
            for folder in found.own.iter().filter(|own| own.is_dir()) {
                if let Ok(name) = folder.strip_prefix(home) {
                    items.add(name, Item::Folder, folder.clone())?;
                }
            }
            let name = found.path.file_name().context("it has no file")?;
            items.add(name.as_ref(), Item::File(found.path.clone()), found.path.clone())?;
            here.join(name)
        };
        items.check_links()?;
        let bots = found.granted_by.is_some().then(|| if found.untrusted { PathBuf::from(BOTS) } else { here });
        let items = items.items.into_iter().map(|(path, (item, _))| (path, item)).collect();
        Ok(Self { index: CopyIndex { version: VERSION, bot, bots }, items })
    }
}

/// Loads the bot of the copy in `folder` under the name `name`. The bots folder of `settings` is ignored. It is for the caller
/// to compare the fingerprint.
///
/// # Errors
///
/// Returns an error if there is no copy, or if its bot cannot be used on this machine.
pub fn load_copy(folder: &Path, name: &str, settings: &RosterSettings) -> anyhow::Result<FoundBot> {
    let index = index(&folder.join(INDEX))?;
    let files = folder.join(FILES);
    let settings = RosterSettings { bots: index.bots.map(|bots| files.join(bots)), ..settings.clone() };
    Roster::only(name, &files.join(index.bot), &settings)
}

/// Where in the copy in `folder` the manifest is that was copied.
///
/// # Errors
///
/// Returns an error if there is no copy.
pub fn manifest_of_copy(folder: &Path) -> anyhow::Result<PathBuf> {
    Ok(folder.join(FILES).join(index(&folder.join(INDEX))?.bot))
}

fn index(path: &Path) -> anyhow::Result<CopyIndex> {
    const BYTES_MAX: u64 = 1 << 20;
    let mut bytes = Vec::new();
    open_foreign(path).and_then(|file| file.take(BYTES_MAX).read_to_end(&mut bytes)).context("it is not here")?;
    let index: CopyIndex = serde_json::from_slice(&bytes).context("its index cannot be read")?;
    index.check()?;
    Ok(index)
}

/// The strategy of a bot that has no file of its own: its path is the name of the strategy.
#[must_use]
pub fn builtin(found: &FoundBot) -> Option<&'static Strategy> {
    let is_without = found.own.is_empty() && found.path.extension().is_none();
    found.path.to_str().filter(|_| is_without).and_then(|name| Strategy::named(name).ok())
}

/// Where the folder `home` of a bot lies in its copy. If some of its files are above it, the copy has the folders in
/// between by their names.
fn place(home: &Path, parts: &[BotPart]) -> anyhow::Result<PathBuf> {
    let above = parts.iter().map(|part| climb(&part.name)).max().unwrap_or(0);
    if above == 0 {
        return Ok(PathBuf::from(BOTS));
    }
    let home = home.canonicalize().with_context(|| format!("finding {}", home.display()))?;
    let names: Vec<Component<'_>> = home.components().filter(|part| matches!(part, Component::Normal(_))).collect();
    let first = names.len().checked_sub(above).context("a path in its manifest leads above `/`; remove some `..`")?;
    Ok(names[first..].iter().collect())
}

/// The contents of a copy under construction, each with the path it was made from, empty for a folder on the way to
/// another part.
struct Items {
    /// What names are relative to.
    here: PathBuf,
    items: BTreeMap<PathBuf, (Item, PathBuf)>,
}

impl Items {
    /// Adds the part called `name`, with the folders that the name passes through.
    fn add(&mut self, name: &Path, item: Item, source: PathBuf) -> anyhow::Result<()> {
        let mut location = self.here.clone();
        for part in name.components() {
            match part {
                Component::ParentDir => {
                    self.put(location.clone(), Item::Folder, PathBuf::new())?;
                    location.pop();
                }
                Component::Normal(name) => location.push(name),
                _ => {}
            }
        }
        if location.as_os_str().is_empty() { Ok(()) } else { self.put(location, item, source) }
    }

    fn put(&mut self, location: PathBuf, item: Item, source: PathBuf) -> anyhow::Result<()> {
        let folders = location.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        for folder in folders.map(Path::to_owned).collect::<Vec<_>>() {
            let (above, _) = self.items.entry(folder.clone()).or_insert((Item::Folder, PathBuf::new()));
            if *above != Item::Folder {
                bail!("{}", twice(&folder));
            }
        }
        match self.items.get(&location) {
            Some((known, _)) if (*known == Item::Folder) != (item == Item::Folder) => bail!("{}", twice(&location)),
            // A file or link that is named twice, or a folder that was added for its contents.
            Some((known, from)) if *known != Item::Folder || !from.as_os_str().is_empty() => {}
            _ => {
                self.items.insert(location, (item, source));
            }
        }
        Ok(())
    }

    /// Checks that all links lead to files of the copy or to installed ones.
    fn check_links(&self) -> anyhow::Result<()> {
        let links = self.items.iter().filter_map(|(location, (item, source))| match item {
            Item::Link(target) => Some((location, target, source)),
            _ => None,
        });
        let mut links = links.peekable();
        if links.peek().is_none() {
            return Ok(());
        }
        let real = |(item, source): &(Item, PathBuf)| match item {
            Item::Link(_) => None,
            _ => source.canonicalize().ok(),
        };
        let packed: BTreeSet<PathBuf> = self.items.values().filter_map(real).collect();
        for (location, target, source) in links {
            check_link(location, target)?;
            if let Ok(real) = source.canonicalize()
                && !packed.contains(&real)
                && !is_installed(&real)
            {
                bail!("{}, which is none of the bot's files; add it to them", link_to(location, target));
            }
        }
        Ok(())
    }
}

fn twice(location: &Path) -> String {
    let location = shown(&location.to_string_lossy());
    format!("`{location}` is named as a folder and is a link or a file, too; name what it leads to")
}

fn link_to(location: &Path, target: &Path) -> String {
    let [location, target] = [location, target].map(|path| shown(&path.to_string_lossy()));
    format!("`{location}` is a link to `{target}`")
}

/// Rejects a link at `location` that may lead out of the copy, unless its absolute target is installed on this machine.
/// In a relative target, `..` may only come first: behind another link it would lead anywhere.
///
/// # Errors
///
/// Returns an error that names the link.
pub fn check_link(location: &Path, target: &Path) -> anyhow::Result<()> {
    let refused = |why: &str| Err(anyhow::anyhow!("{}, {why}", link_to(location, target)));
    if target.is_absolute() {
        let is_there = target.canonicalize().is_ok_and(|real| is_installed(&real));
        return if is_there { Ok(()) } else { refused("which is not installed on this machine; install it") };
    }
    let parts = || target.components().filter(|part| *part != Component::CurDir);
    let up = parts().take_while(|part| *part == Component::ParentDir).count();
    if parts().skip(up).any(|part| !matches!(part, Component::Normal(_))) {
        return refused("which has `..` in the middle; write it without");
    }
    if up >= location.components().count() {
        return refused("which is outside of the bot's files");
    }
    Ok(())
}

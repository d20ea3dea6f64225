//! `arena open`: writes the page of all tournaments, and says where it or a report is, or serves all of them.

use std::path::Path;

use anyhow::bail;
use arena_run::session::{index_entries, write_index};
use arena_store::report::{INDEX_FILE, REPORT_FILE};

#[cfg(feature = "serve")]
use crate::cli::run::serve;
use crate::cli::{Exit, Io, ResultsArgs};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name or folder of a tournament or series, whose report it is [default: the page of all tournaments]
    #[arg(value_name = "TOURNAMENT")]
    what: Option<String>,
    /// Serve the page, the reports and their tables to browsers until Ctrl-C [default: 127.0.0.1 and a free port]
    #[cfg(feature = "serve")]
    #[arg(
        long,
        value_name = "ADDR:PORT",
        num_args = 0..=1,
        default_missing_value = serve::ADDRESS_USUAL,
        value_parser = serve::parse_address,
        conflicts_with = "what"
    )]
    serve: Option<std::net::SocketAddr>,
    #[command(flatten)]
    results: ResultsArgs,
}

pub(crate) fn run(args: &Args, io: &Io) -> anyhow::Result<Exit> {
    let results = &args.results.results;
    #[cfg(feature = "serve")]
    if let Some(address) = args.serve {
        return serve::serve_results(results, address, io);
    }
    let page = if let Some(name) = &args.what {
        let path = match args.results.series(Path::new(name)) {
            Some(folder) => folder.path().to_owned(),
            None => args.results.tournament(Some(name), io)?.path(),
        };
        let page = path.join(REPORT_FILE);
        if !page.is_file() {
            bail!("{} has no report yet; `arena standings {name}` writes it", path.display());
        }
        page
    } else {
        let mut passed_over = None;
        let mut pass_over = |path: &Path, error| {
            io.warn(&format!("{} is passed over: {error:#}", path.display()));
            passed_over.get_or_insert_with(|| path.to_owned());
        };
        let entries = index_entries(results, true, &mut pass_over)?;
        if let Some(path) = passed_over.filter(|_| entries.is_empty()) {
            let path = path.display();
            bail!(
                "no tournament in {} can be shown; `arena standings {path}` makes its tables anew",
                results.display()
            );
        }
        if entries.is_empty() {
            bail!("no results in {}; run `arena tournament` first", results.display());
        }
        let page = results.join(INDEX_FILE);
        if !write_index(results, entries)? {
            bail!("{} is not of the arena, so it is not overwritten: move it away", page.display());
        }
        page
    };
    io.print(&format!("{}\n", page.display()))?;
    Ok(Exit::Done)
}

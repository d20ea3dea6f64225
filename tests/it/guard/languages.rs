//! Bots in the usual languages run unchanged in a sandbox, where their tools are installed.

use std::path::{Path, PathBuf};

use arena::guard::{self, Request, SandboxMode};

use super::{PATIENCE, start};

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

/// Runs the bot under both sandboxes; it answers a line with a line.
#[track_caller]
fn check(file: &str, source: &str, mode: u32, command: impl Fn(&Path) -> Vec<String>) {
    use std::os::unix::fs::PermissionsExt;
    guard::use_program(Path::new(env!("CARGO_BIN_EXE_arena")));
    let root = tempfile::tempdir().unwrap();
    let bots = root.path().join("bots");
    std::fs::create_dir(&bots).unwrap();
    let path = bots.join(file);
    std::fs::write(&path, source).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
    let words = command(&path);
    for sandbox in [SandboxMode::Auto, SandboxMode::Strict] {
        let scratch = root.path().join(format!("scratch-{sandbox}"));
        let program = PathBuf::from(&words[0]);
        let mut request = Request::new(&program, &bots, &scratch);
        request.args = words[1..].iter().map(Into::into).collect();
        request.sandbox = sandbox;
        request.readable = guard::readable(
            &program,
            std::slice::from_ref(&path),
            request.env("PATH"),
            false,
            std::slice::from_ref(&bots),
        );
        let mut bot = match start(&request) {
            Ok(bot) => bot,
            Err(failed) if sandbox == SandboxMode::Strict && failed.is_ours() => continue,
            Err(failed) => panic!("{file} under {sandbox}: {failed}"),
        };
        bot.say("hello");
        let answer = bot.line();
        bot.stdin = None;
        let exited = bot.bot.wait_exited(PATIENCE).cloned();
        let mut stderr = String::new();
        std::io::Read::read_to_string(&mut std::fs::File::from(bot.stderr), &mut stderr).unwrap();
        assert_eq!(answer, "got hello", "{file} under {sandbox}: {exited:?} {stderr}");
        assert_eq!(exited.unwrap().code, Some(0), "{file} under {sandbox}: {stderr}");
    }
}

fn itself(path: &Path) -> Vec<String> {
    vec![path.to_str().unwrap().to_owned()]
}

#[test]
fn python() {
    if !is_installed("python3") {
        return;
    }
    let source = "#!/usr/bin/env python3
import json, random, tempfile, threading, subprocess, collections, sys, time, os, multiprocessing
with tempfile.TemporaryFile() as file:
    file.write(b'x')
threads = [threading.Thread(target=lambda: None) for _ in range(20)]
[thread.start() for thread in threads]; [thread.join() for thread in threads]
assert subprocess.run(['echo', 'hi'], capture_output=True).stdout == b'hi\\n'
for duplex in [True, False]:
    ours, theirs = multiprocessing.Pipe(duplex)
    worker = multiprocessing.get_context('fork').Process(target=lambda: theirs.send('hi'))
    worker.start()
    assert ours.recv() == 'hi' and worker.join() is None
for _ in range(300):
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
print('got', sys.stdin.readline().strip())
";
    check("bot.py", source, 0o755, itself);
}

#[test]
fn node() {
    if !is_installed("node") {
        return;
    }
    let source = "#!/usr/bin/env node
const rl = require('readline').createInterface({input: process.stdin});
const {Worker} = require('worker_threads');
new Worker('', {eval: true});
const {execFileSync, spawn} = require('child_process');
if (execFileSync('echo', ['hi']).toString() !== 'hi\\n') process.exit(9);
spawn('true');
rl.on('line', line => console.log('got ' + line));
";
    check("bot.js", source, 0o755, itself);
}

#[test]
fn java() {
    if !is_installed("java") || !is_installed("javac") {
        return;
    }
    let source = "public class Bot { public static void main(String[] a) throws Exception {
        Thread t = new Thread(() -> {}); t.start(); t.join();
        if (new ProcessBuilder(\"true\").start().waitFor() != 0) System.exit(9);
        System.out.println(\"got \" + new java.io.BufferedReader(new java.io.InputStreamReader(System.in)).readLine()); } }
";
    check("Bot.java", source, 0o644, |path| vec!["java".to_owned(), path.to_str().unwrap().to_owned()]);
}

#[test]
fn shell() {
    let source = "#!/bin/sh
set -e
read word
ls / | sort > $TMPDIR/list
mkdir -p $TMPDIR/a/b; cp $0 $TMPDIR/a/copy; mv $TMPDIR/a/copy $TMPDIR/a/b
if chmod 700 $TMPDIR/a/b/copy 2> /dev/null; then exit 9; fi
echo got $word
";
    check("bot.sh", source, 0o755, itself);
}

#[test]
fn c() {
    check_c("#include <stdio.h>\nint main() { char w[99]; scanf(\"%98s\", w); printf(\"got %s\\n\", w); }\n");
}

/// A signal whose handler does not restart calls (`SA_RESTART`), as shells have one for the end of a child.
#[test]
fn a_fork_is_not_interrupted_by_the_end_of_a_child() {
    check_c(
        "#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static void ended(int signal) { (void)signal; }
int main() {
    char w[99];
    scanf(\"%98s\", w);
    struct sigaction action = {.sa_handler = ended};
    sigaction(SIGCHLD, &action, 0);
    for (int i = 0; i < 2000; i++) {
        pid_t child = fork();
        if (child == 0) _exit(0);
        if (child < 0) { perror(\"fork\"); return 9; }
        while (waitpid(-1, 0, WNOHANG) > 0);
    }
    printf(\"got %s\\n\", w);
}
",
    );
}

fn check_c(text: &str) {
    if !is_installed("cc") {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let source = root.path().join("bot.c");
    std::fs::write(&source, text).unwrap();
    let built = std::process::Command::new("cc").arg("-o").args([&root.path().join("bot"), &source]).status().unwrap();
    assert!(built.success());
    check("bot", "", 0o755, |path| {
        std::fs::copy(root.path().join("bot"), path).unwrap();
        itself(path)
    });
}

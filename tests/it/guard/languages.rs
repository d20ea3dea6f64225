//! Bots in the usual languages run unchanged in a sandbox, where their tools are installed.

use std::path::{Path, PathBuf};

use arena::guard::{self, Request, SandboxMode};

use super::{PATIENCE, start};
use crate::support::is_installed;

/// Runs the bot under both sandboxes; it answers a line with a line.
#[track_caller]
fn check(file: &str, source: &str, mode: u32, command: impl Fn(&Path) -> Vec<String>) {
    use std::os::unix::fs::PermissionsExt;
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
        let may_lock = sandbox == SandboxMode::Strict || super::shm::is_possible();
        let locks = if may_lock { "locks" } else { "" };
        request.args = words[1..].iter().map(Into::into).chain([locks.into()]).collect();
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
    if !is_installed("python3", "Python") {
        return;
    }
    let source = "#!/usr/bin/env python3
import asyncio, collections, json, multiprocessing, os, random, socket, subprocess, sys, tempfile, threading, time
with tempfile.TemporaryFile() as file:
    file.write(b'x')
# Each reserves 8 MiB for its stack.
all_here = threading.Barrier(200)
threads = [threading.Thread(target=all_here.wait, daemon=True) for _ in range(200)]
[thread.start() for thread in threads]; [thread.join() for thread in threads]
assert subprocess.run(['echo', 'hi'], capture_output=True).stdout == b'hi\\n'
engine = subprocess.Popen(['sh', '-c', 'read x; echo $x'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          start_new_session=True)
assert engine.communicate(b'word\\n')[0] == b'word\\n' and engine.returncode == 0
one, other = socket.socketpair()
one.sendall(b'pair'); assert other.recv(4) == b'pair'

async def ask():
    child = await asyncio.create_subprocess_exec('sh', '-c', 'echo asked', stdout=subprocess.PIPE)
    assert (await child.communicate())[0] == b'asked\\n'
    assert await asyncio.get_running_loop().run_in_executor(None, lambda: 7) == 7
asyncio.run(ask())
assert os.cpu_count() >= 1 and os.sysconf('SC_PHYS_PAGES') > 0 and 'MemTotal' in open('/proc/meminfo').read()

def square(number, answer):
    answer.send(number * number)
def in_pool(number):
    return number * number
context = multiprocessing.get_context('fork')
inbox, answer = context.Pipe()
child = context.Process(target=square, args=(7, answer))
child.start(); child.join()
assert inbox.recv() == 49
# Its locks are files in /dev/shm.
if 'locks' in sys.argv:
    with context.Pool(2) as pool:
        assert pool.map(in_pool, [1, 2, 3]) == [1, 4, 9]
    queue, lock = context.Queue(), context.Lock()
    with lock:
        child = context.Process(target=queue.put, args=(7,))
        child.start()
        assert queue.get() == 7
        child.join()
    from multiprocessing.shared_memory import SharedMemory
    memory = SharedMemory(create=True, size=100)
    memory.buf[0] = 7
    memory.close(); memory.unlink()
print('got', sys.stdin.readline().strip())
";
    check("bot.py", source, 0o755, itself);
}

#[test]
fn node() {
    if !is_installed("node", "Node") {
        return;
    }
    let source = "#!/usr/bin/env node
const rl = require('readline').createInterface({input: process.stdin});
const {Worker} = require('worker_threads');
const {execFileSync, fork, spawn} = require('child_process');
const assert = require('assert');
const os = require('os');
assert(os.cpus().length > 0 && os.totalmem() > 0 && process.memoryUsage().rss > 0);
assert.equal(execFileSync('echo', ['hi']).toString(), 'hi\\n');
const memories = [1, 2, 3, 4].map(() => new WebAssembly.Memory({initial: 1, maximum: 65536}));
assert.equal(memories[3].buffer.byteLength, 65536);
const heard = new Promise((resolve, reject) => {
  const worker = new Worker(`require('worker_threads').parentPort.on('message', m => process.exit(m))`, {eval: true});
  worker.on('exit', code => code === 7 ? resolve() : reject(code));
  worker.postMessage(7);
});
const told = new Promise((resolve, reject) => {
  const child = spawn('sh', ['-c', 'read x; echo $x'], {detached: true, stdio: ['pipe', 'pipe', 'inherit']});
  child.stdout.on('data', text => text.toString() === 'word\\n' ? resolve() : reject(text));
  child.stdin.end('word\\n');
});
rl.on('line', line => Promise.all([heard, told]).then(() => { console.log('got ' + line); rl.close(); }));
";
    check("bot.js", source, 0o755, itself);
}

#[test]
fn java() {
    if !is_installed("java", "Java") || !is_installed("javac", "Java") {
        return;
    }
    let source = "public class Bot { public static void main(String[] a) throws Exception {
        for (int i = 0; i < 200; i++) {
            Thread idle = new Thread(() -> { try { Thread.sleep(1000000); } catch (InterruptedException e) { } });
            idle.setDaemon(true); idle.start();
        }
        for (int i = 0; i < 2000; i++) if (new byte[1 << 20].length == 0) System.exit(7);
        Thread t = new Thread(() -> {}); t.setPriority(Thread.MIN_PRIORITY); t.start(); t.join();
        var pool = java.util.concurrent.Executors.newFixedThreadPool(4);
        if (pool.submit(() -> 7).get() != 7 || Runtime.getRuntime().availableProcessors() < 1) System.exit(8);
        pool.shutdown();
        Process p = new ProcessBuilder(\"echo\", \"hi\").start();
        if (!new String(p.getInputStream().readAllBytes()).equals(\"hi\\n\") || p.waitFor() != 0) System.exit(9);
        System.out.println(\"got \" + new java.io.BufferedReader(new java.io.InputStreamReader(System.in)).readLine()); } }
";
    check("Bot.java", source, 0o644, |path| vec!["java".to_owned(), path.to_str().unwrap().to_owned()]);
}

#[test]
fn go() {
    if !is_installed("go", "Go") {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let source = root.path().join("bot.go");
    std::fs::write(
        &source,
        "package main
import (\"bufio\"; \"fmt\"; \"os\"; \"os/exec\"; \"runtime\")
func main() {
    done := make(chan int)
    for i := 0; i < 100; i++ { go func() { runtime.Gosched(); done <- 1 }() }
    for i := 0; i < 100; i++ { <-done }
    for i := 0; i < 200; i++ { go func() { runtime.LockOSThread(); done <- 1; select {} }() }
    for i := 0; i < 200; i++ { <-done }
    for i := 0; i < 2000; i++ { if len(make([]byte, 1 << 20)) == 0 { os.Exit(8) } }
    runtime.GC()
    if out, err := exec.Command(\"echo\", \"hi\").Output(); err != nil || string(out) != \"hi\\n\" { os.Exit(9) }
    line, _ := bufio.NewReader(os.Stdin).ReadString('\\n')
    fmt.Print(\"got \" + line)
}
",
    )
    .unwrap();
    let bot = root.path().join("bot");
    let built = std::process::Command::new("go")
        .env("GOCACHE", root.path().join("cache"))
        .args([Path::new("build"), Path::new("-o"), &bot, &source])
        .status()
        .unwrap();
    assert!(built.success());
    check("bot", "", 0o755, |path| {
        crate::support::copy_program(&bot, path);
        itself(path)
    });
}

#[test]
fn shell() {
    let source = "#!/bin/sh
set -e
read word
ls / | sort > $TMPDIR/list
mkdir -p $TMPDIR/a/b; cp $0 $TMPDIR/a/copy; mv $TMPDIR/a/copy $TMPDIR/a/b
if chmod 700 $TMPDIR/a/b/copy 2> /dev/null; then exit 9; fi
test \"$(setsid sh -c 'echo session')\" = session
test \"$(nice -n 5 echo nice 2> /dev/null)\" = nice
echo got $word
";
    check("bot.sh", source, 0o755, itself);
}

#[test]
fn c() {
    check_c("#include <stdio.h>\nint main() { char w[99]; scanf(\"%98s\", w); printf(\"got %s\\n\", w); }\n");
}

#[test]
fn openmp() {
    check_c(
        "#include <omp.h>
#include <stdio.h>
int main() {
    char w[99];
    int threads = 0;
    omp_set_num_threads(200);
    #pragma omp parallel reduction(+:threads)
    threads += 1;
    if (threads != 200) return 9;
    scanf(\"%98s\", w);
    printf(\"got %s\\n\", w);
}
",
    );
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
    for (int i = 0, children = 0; i < 2000; i++) {
        pid_t child = fork();
        if (child == 0) _exit(0);
        if (child < 0) { perror(\"fork\"); return 9; }
        children++;
        // However late they get a processor, there are never too many.
        while (children > 0 && waitpid(-1, 0, children < 8 ? WNOHANG : 0) > 0) children--;
    }
    printf(\"got %s\\n\", w);
}
",
    );
}

fn check_c(text: &str) {
    if !is_installed("cc", "C") {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let source = root.path().join("bot.c");
    std::fs::write(&source, text).unwrap();
    let built = std::process::Command::new("cc")
        .args(["-fopenmp", "-o"])
        .args([&root.path().join("bot"), &source])
        .status()
        .unwrap();
    assert!(built.success());
    check("bot", "", 0o755, |path| {
        std::fs::copy(root.path().join("bot"), path).unwrap();
        itself(path)
    });
}

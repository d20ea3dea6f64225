//! A gate of a CI server: a match with a job summary and JUnit XML.

use crate::support::Dir;

const PATIENT: &str = "--game tictactoe --move-time 30s --oversubscribe --no-times --quiet -j 1";

#[test]
fn a_match_for_a_ci_server() {
    let dir = Dir::with_bots(&["greedy", "random"]);
    let files = "--markdown job.md --junit junit.xml";
    dir.process_ends(4, &format!("match random greedy --not-weaker-than 50 {files} {PATIENT}"));
    insta::assert_snapshot!(dir.read("job.md"), @"
    ### random is weaker than greedy.

    |  |  |
    | --- | --- |
    | Test | H0 accepted: elo0 -50, elo1 0, logistic |
    | LLR | -3.07 (-2.94, 2.94) |
    | Elo of the difference | -462.5 ± 141.6 (95 %), LOS 0.0 % |
    | Games | 46: +0 =6 -40, score 6.5% |
    | Pairs | LL 17, LD 6, DD 0, WL 0, WD 0, WW 0, pair ratio 0.00 |
    | Faults | none |

    - tictactoe, 30000 ms a move, seed 1
    - A test stops when the results look best: the Elo after it is biased in the direction of the verdict.
    ");
    insta::assert_snapshot!(dir.read("junit.xml"), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites>
    <testsuite name="arena tictactoe-random-vs-greedy" tests="3" failures="1" errors="0" skipped="0">
    <testcase classname="arena.tictactoe-random-vs-greedy" name="verdict"><failure message="random is weaker than greedy">random is weaker than greedy
    SPRT logistic, elo0 -50, elo1 0: LLR -3.07 (-2.94, 2.94), H0 accepted.</failure></testcase>
    <testcase classname="arena.tictactoe-random-vs-greedy" name="bot greedy"><system-out>93.5% of 46 games (40-6-0), +231.3 ± 70.8 Elo</system-out></testcase>
    <testcase classname="arena.tictactoe-random-vs-greedy" name="bot random"><system-out>6.5% of 46 games (0-6-40), -231.3 ± 70.8 Elo</system-out></testcase>
    </testsuite>
    </testsuites>
    "#);
    let outcome = |code: i32, command: &str| {
        dir.process_ends(code, &format!("{command} {files} --force {PATIENT}"));
        let (markdown, xml) = (dir.read("job.md"), dir.read("junit.xml"));
        let case = xml.lines().find(|line| line.starts_with("<testcase")).expect("a case").to_owned();
        (markdown.lines().next().unwrap_or_default().to_owned(), case)
    };
    let (title, case) = outcome(0, "match greedy random --sprt elo0=0,elo1=150");
    assert_eq!(title, "### greedy is stronger than random.");
    assert!(!case.contains("<failure") && case.contains("name=\"verdict\"><system-out>greedy is stronger than random"));
    let (title, case) = outcome(5, "match greedy random --sprt elo0=0,elo1=1 --rounds 2");
    assert!(title.starts_with("### It is not shown that greedy is stronger than random, nor that "), "{title}");
    assert!(case.contains("<skipped message=\"inconclusive; it is not shown that greedy"), "{case}");
    let (title, case) = outcome(0, "match greedy random --rounds 3");
    assert!(title.starts_with("### greedy scored "), "{title}");
    assert!(case.contains("name=\"games\"></testcase>"), "{case}");
}

#[test]
fn a_bot_with_faults_is_a_failed_case() {
    let dir = Dir::with_bots(&["random"]);
    dir.script("bots/ends", "exit 3");
    dir.process_ends(0, &format!("tournament --rounds 1 --no-check --junit junit.xml {PATIENT}"));
    insta::assert_snapshot!(dir.read("junit.xml"), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites>
    <testsuite name="arena tictactoe" tests="3" failures="1" errors="0" skipped="0">
    <testcase classname="arena.tictactoe" name="games"></testcase>
    <testcase classname="arena.tictactoe" name="bot random"><system-out>100.0% of 2 games (2-0-0), &gt;-220.5 Elo</system-out></testcase>
    <testcase classname="arena.tictactoe" name="bot ends"><failure message="games with faults: 2 startup_failed">0.0% of 2 games (0-0-2), &lt;+220.5 Elo
    2 games with startup_failed; it exited with status 3 before it said hello; it stops with an exception or is killed by a signal: read the end of its stderr, then run it by hand on the same input; if that works, the sandbox may be blocking a file it needs: try `arena check BOT --sandbox off`</failure></testcase>
    </testsuite>
    </testsuites>
    "#);
    // What is left out is an error.
    dir.process_ends(1, &format!("tournament --rounds 1 --fresh --junit junit.xml {PATIENT}"));
    let ended = dir.process_ends(2, &format!("tournament --rounds 1 --fresh --builtins --junit junit.xml {PATIENT}"));
    assert!(dir.read("junit.xml").contains("name=\"bot ends\"><error message=\"left out: "), "{ended}");
}

// The live page: frames of the server become text and boards. A frame holds all there is to know, so a missed frame
// does not matter. While the page is hidden nothing is drawn.

const RETRY_MS = 10_000;
const SPEAK_MS = 30_000;
const TICK_MS = 200;
// A bot that has thought this long is marked: with faster ones the mark would flicker.
const THINKS_MS = 500;
const NAME_SHORT = 8;

const byId = (id) => document.getElementById(id);
const newest = {};
let boot = null;
let stream = null;
let isOver = false;
let spoken = 0;
let goneSince = null;
// When the newest state came.
let arrived = 0;
let name = "";
// Ranks by name, as of the newest standings.
let ranked = new Map();

// Sets the text of a node if it has changed: a node that stays the same costs nothing.
function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Makes `parent` have `count` children, and returns them.
function children(parent, count, make) {
  while (parent.children.length > count) parent.lastElementChild.remove();
  while (parent.children.length < count) parent.append(make());
  return [...parent.children];
}

function connect() {
  stream = new EventSource("/events/page");
  for (const kind of ["hello", "standings", "matches", "pictures", "state", "over"]) {
    stream.addEventListener(kind, (event) => take(kind, JSON.parse(event.data)));
  }
  stream.addEventListener("open", () => {
    goneSince = null;
    document.body.classList.remove("gone");
    say(byId("link"), "Live");
  });
  stream.addEventListener("error", () => {
    if (isOver) return;
    goneSince ??= new Date().toLocaleTimeString("en-GB");
    document.body.classList.add("gone");
    say(byId("link"), `Connection lost at ${goneSince}; trying again …`);
    // After an answer other than a stream, such as “too many viewers”, a browser does not try again by itself.
    if (stream.readyState === EventSource.CLOSED) setTimeout(connect, RETRY_MS * (1 + Math.random()));
  });
}

function take(kind, frame) {
  if (kind === "hello") {
    if (boot !== null && boot !== frame.boot) return location.reload();
    boot = frame.boot;
  }
  newest[kind] = frame;
  if (kind === "state") arrived = performance.now();
  if (kind === "over") {
    isOver = true;
    stream.close();
    offerReport(frame);
  }
  schedule();
}

let scheduled = false;
function schedule() {
  if (scheduled || document.hidden) return;
  scheduled = true;
  requestAnimationFrame(() => {
    scheduled = false;
    draw();
  });
}
document.addEventListener("visibilitychange", schedule);

const drawn = {};
function draw() {
  for (const [kind, show] of [["hello", hello], ["standings", standings], ["matches", matches], ["state", state]]) {
    if (newest[kind] && drawn[kind] !== newest[kind]) {
      drawn[kind] = newest[kind];
      show(newest[kind]);
    }
  }
}

function hello({ name: called, game, format, bots, size, clock, paced, version }) {
  name = called;
  say(byId("follow").options[0], paced ? "the first board" : "the longest game");
  const parts = [game, format, bots === null ? null : counted(bots, "bot"), size];
  say(byId("definition"), [...parts, clock, `arena ${version}`].filter((part) => part !== null).join(" · "));
}

function seconds(value) {
  if (value === null) return "–";
  const whole = Math.round(value);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}

function state(frame) {
  say(byId("phase"), frame.phase);
  const progress = byId("progress");
  // Where only results tell how many games there are, there is no bar before the end.
  const all = frame.over ? Math.max(frame.done, 1) : frame.expected;
  put(progress, { class: all === null ? "hidden" : null, max: String(Math.max(all ?? 1, 1)), value: String(Math.min(frame.done, all ?? 0)) });
  const number = (value, unit) =>
    value === null ? "–" : `${value.toLocaleString("en", { maximumFractionDigits: 1 })}${unit}`;
  const about = frame.fixed ? "" : "about ";
  const faults = Object.entries(frame.faults).map(([kind, count]) => `${count} ${kind.replace("_", " ")}`);
  const figures = [
    ["Games", frame.expected === null || (frame.over && !frame.fixed) ? number(frame.done, "") : `${number(frame.done, "")} of ${about}${number(frame.expected, "")}`],
    ["Rate", number(frame.rate, " games/s")],
    ["Elapsed", seconds(frame.elapsed)],
    ["Left", frame.over ? seconds(0) : frame.expected === null ? "until it is decided" : frame.left === null ? "–" : about + seconds(frame.left)],
    ["Mean length", number(frame.mean_plies, " plies")],
    ["Thinking time a game", number(frame.mean_ms, " ms")],
    ["Faults", faults.length === 0 ? "none" : faults.join(", ")],
  ];
  if (frame.void > 0) figures.push(["Void", counted(frame.void, "game")]);
  const nodes = children(byId("figures"), figures.length, () => element("div", {}, element("dt"), element("dd")));
  figures.forEach(([name, value], index) => {
    say(nodes[index].firstElementChild, name);
    say(nodes[index].lastElementChild, value);
  });
  say(byId("test"), frame.test ?? "");
  const share = all > 0 && !frame.over ? `${Math.floor((100 * Math.min(frame.done, all)) / all)} %` : number(frame.done, " games");
  document.title = [frame.over ? "over" : share, newest.standings?.short, name].filter(Boolean).join(" · ");
  workers(frame.workers);
  boards(frame);
  last(frame.last);
  if (performance.now() - spoken > SPEAK_MS) {
    spoken = performance.now();
    announce(`${frame.phase}, ${figures[0][1]} games`);
  }
}

function elo(value) {
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;
}

// A rating with both ends of its interval, or the one that there is.
function ratingText(rating) {
  if (rating === null) return "";
  const [value, low, high] = rating;
  if (value !== null) return elo(value);
  return low !== null ? `>${elo(low)}` : high !== null ? `<${elo(high)}` : "?";
}

function standings({ bots, games, headline, connected, rows, left_out: leftOut }) {
  say(byId("headline"), headline);
  const lines = children(byId("standings"), rows.length, () =>
    element("tr", {}, element("td"), element("th", { scope: "row" }), ...Array.from({ length: 6 }, () => element("td"))));
  const before = ranked;
  ranked = new Map(rows.map(([rank, bot]) => [bot, rank]));
  offerFollowing([...ranked.keys()]);
  rows.forEach(([rank, bot, played, points, wins, draws, losses, rating, faults, withdrawn, [best, worst]], index) => {
    const interval = rating === null || rating[0] === null ? "" : `${elo(rating[1])} … ${elo(rating[2])}`;
    const cells = [
      best < worst ? `${best}–${worst}` : String(best), withdrawn ? `${bot} (withdrawn)` : bot, ratingText(rating), interval,
      String(played), String(points), `${wins}–${draws}–${losses}`, String(faults),
    ];
    cells.forEach((text, cell) => say(lines[index].children[cell], text));
    const moved = (before.get(bot) ?? rank) - rank;
    if (moved !== 0) {
      const arrow = element("span", { class: "moved" }, ` ${moved > 0 ? "▲" : "▼"}${Math.abs(moved)}`);
      lines[index].firstElementChild.append(arrow);
    }
    put(lines[index].children[1], { title: bot });
  });
  const shown = leftOut > 0 ? `The first ${rows.length} of ${counted(bots, "bot")}; standings.csv has all. ` : "";
  const ranges = rows.some((row) => row[10][0] < row[10][1]) ? " A range of ranks: all that the games allow." : "";
  say(byId("standings-note"), `${shown}After ${counted(games, "game")}; updated every few seconds.${ranges}${connected ? "" : " Elo: once games compare all bots."}`);
}

// The drawing has its own size and scrolls; its colours follow the system, as those of the page do.
function matches({ svg, text }) {
  put(byId("matches"), { class: null });
  byId("drawing").replaceChildren(drawImage({ svg, text }));
}

function workers(fleet) {
  if (!fleet) return;
  put(byId("fleet"), { class: "" });
  const lines = children(byId("workers"), fleet.rows.length, () =>
    element("tr", {}, element("th", { scope: "row" }), ...Array.from({ length: 5 }, () => element("td"))));
  fleet.rows.forEach(([name, kind, slots, busy, games, has, done], index) => {
    const now = has > 0 ? `${done} of ${counted(has, "game")}` : "nothing";
    [name, kind, String(slots), String(busy), String(games), now].forEach((text, cell) => say(lines[index].children[cell], text));
  });
  const more = fleet.count - fleet.rows.length;
  say(byId("workers-note"), `${counted(fleet.count, "worker")}, ${counted(fleet.slots, "slot")}${more > 0 ? `; ${more} are not listed` : ""}.`);
}

// Cells of a frame come three to a character.
function unpacked(picture) {
  if (picture?.kind !== "board") return picture;
  const { packed, rows, cols, ...rest } = picture;
  let cells = "";
  for (const char of packed) {
    const number = char.charCodeAt(0) - 65;
    cells += ".01"[Math.floor(number / 9)] + ".01"[Math.floor(number / 3) % 3] + ".01"[number % 3];
  }
  return { ...rest, rows, cols, cells: cells.slice(0, rows * cols) };
}

// The bot whose games are shown large; without one the longest game is.
function offerFollowing(bots) {
  const choice = byId("follow");
  put(byId("following"), { class: null });
  const known = new Set([...choice.options].map((option) => option.value));
  choice.append(...bots.filter((bot) => !known.has(bot)).map((bot) => element("option", { value: bot }, bot)));
}

// The board that is shown large, until its game is over.
let large = null;

function chooseLarge(all) {
  const followed = byId("follow").value;
  // The board that is slowed down for an audience is shown to it.
  if (followed === "" && newest.hello.paced && all.length > 0) {
    large = all[0].id;
    return 0;
  }
  const plays = (board) => followed === "" || board.bots.includes(followed);
  const runs = (board) => !board.ended && plays(board);
  const current = all.findIndex((board) => board.id === large && plays(board));
  if (current >= 0 && (runs(all[current]) || !all.some(runs))) return current;
  const candidates = all.filter(runs).length > 0 ? all.filter(runs) : all.filter(plays);
  const longest = candidates.toSorted((a, b) => b.ply - a.ply)[0] ?? all[0];
  large = longest?.id ?? null;
  return all.indexOf(longest);
}

const shownBoards = [];

function boards({ boards: all, slots, workers: fleet }) {
  const nodes = children(byId("boards"), all.length, () =>
    element("li", {}, element("p"), element("div", { class: "bar" }), element("p"), element("div", { class: "board" }),
      element("p", { class: "said" }), element("p", { class: "now" })));
  shownBoards.length = Math.min(shownBoards.length, all.length);
  const chosen = chooseLarge(all);
  const images = new Map(newest.pictures?.boards);
  all.forEach((board, index) => {
    put(nodes[index], { class: index === chosen ? "large" : null });
    const [, bar, , place, said, now] = nodes[index].children;
    const label = board.bots.join(" – ");
    plates(board, nodes[index], index === chosen);
    const passed = board.passed > 0 ? `; ${counted(board.passed, "game")} passed before` : "";
    say(now, `${board.ended ? ending(board) : isOver ? "stopped" : "playing"}, ply ${board.ply}${passed}`);
    const comment = board.said ? `${board.bots[board.said[0]]}: “${board.said[1]}”` : "";
    say(said, comment);
    put(said, { title: comment || null });
    const before = shownBoards[index];
    const svg = images.get(board.id);
    const picture = svg === undefined ? unpacked(board.picture) : { ...board.picture, svg };
    const drawing = JSON.stringify(picture);
    const value = `${board.eval} ${board.id}`;
    if (before?.value !== value) bar.replaceChildren(...(board.eval === null ? [] : [evalBar(board.eval, board.bots)]));
    const drawn = before?.drawing === drawing ? before : drawBoardAt(place, before, picture, label);
    shownBoards[index] = { ...drawn, drawing, value };
  });
  const notShown = slots - all.length;
  const more = notShown > 0 ? ` ${counted(notShown, "other game")} running.` : "";
  const none = all.length === 0 ? (fleet ? "Workers play the games; their boards are not shown." : "No game is running.") : "A board stays for two seconds after its game.";
  say(byId("boards-note"), none + (all.length > 0 ? more : ""));
}

// The plates of a board; on the large one with the time left, counted down since the frame came. On a small one half a number
// would mislead, and the bar below has it too.
function plates({ bots, picture, evals, left, mover, spent }, node, isLarge) {
  const passed = spent + performance.now() - arrived;
  bots.forEach((bot, seat) => {
    const thinks = seat === mover && passed >= THINKS_MS;
    const time = left && isLarge ? timeLeft(left[seat] - (seat === mover ? passed : 0)) : "";
    const plate = node.children[2 * seat];
    put(plate, { class: `plate seat${seat}${thinks ? " thinks" : ""}` });
    const value = isLarge || bot.length <= NAME_SHORT ? evalText(evals[seat]) : "";
    drawPlate(plate, bot, [picture?.marks?.[seat] ?? newest.hello.seats?.[seat], value, time]);
  });
}

function timeLeft(ms) {
  const tenths = Math.ceil(Math.max(0, ms) / 100);
  if (tenths < 100) return `${(tenths / 10).toFixed(1)} s`;
  const whole = Math.ceil(tenths / 10);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

// The clocks stand still once nothing is known of them any more.
setInterval(() => {
  if (isOver || goneSince || document.hidden) return;
  const index = drawn.state?.boards.findIndex((board) => board.id === large) ?? -1;
  if (index >= 0) plates(drawn.state.boards[index], byId("boards").children[index], true);
}, TICK_MS);

// How a game ended, as `1-0 line`; the result of one that was discarded is not known.
function ending({ ended, bots }) {
  const [result, ...reason] = ended.split(" ");
  const how = { "1-0": `${bots[0]} won`, "0-1": `${bots[1]} won`, "1/2-1/2": "draw" }[result];
  return how ? `${how}: ${reason.join(" ")}` : ended;
}

// Draws a picture. On a board of the same size only cells that have changed are drawn.
function drawBoardAt(place, before, picture, label) {
  const size = picture?.kind === "board" ? `${picture.rows}×${picture.cols}` : null;
  if (picture?.svg && before?.img?.isConnected) {
    put(before.img, { src: IMAGE + encodeURIComponent(picture.svg), alt: picture.text });
    return before;
  }
  if (picture?.svg) {
    const img = drawImage(picture);
    place.replaceChildren(img);
    return { size: null, img };
  }
  if (!picture || size === null) {
    place.replaceChildren(picture?.kind === "guesses" ? guessCounts(picture) : picture ? drawPicture(picture, label) : "");
    return { size: null };
  }
  const { rows, cols, cells, marks, last, line } = picture;
  let nodes = before?.nodes;
  let svg = before?.svg;
  if (before?.size !== size) {
    nodes = Array.from(cells, (_, cell) => {
      const [x, y] = [(cell % cols) * CELL, Math.floor(cell / cols) * CELL];
      return { box: drawing("rect", { x: x + 1, y: y + 1, width: CELL - 2, height: CELL - 2, rx: 4 }), mark: null, x, y, text: "" };
    });
    svg = image(cols * CELL, rows * CELL, label, ...nodes.map((node) => node.box));
    place.replaceChildren(svg);
  }
  say(svg.firstElementChild, `${label}: ${[...cells].filter((cell) => cell !== ".").length} marks`);
  const won = new Set(line);
  nodes.forEach((node, cell) => {
    const text = `${cells[cell]}${cell === last ? "l" : ""}${won.has(cell) ? "w" : ""}`;
    if (text === node.text) return;
    put(node.box, { class: `cell${cell === last ? " last" : ""}${won.has(cell) ? " won" : ""}` });
    if (text[0] !== node.text[0]) {
      node.mark?.remove();
      node.mark = null;
      if (cells[cell] !== ".") {
        node.mark = drawMark(Number(cells[cell]), marks[cells[cell]], node.x + CELL / 2, node.y + CELL / 2);
        svg.append(node.mark);
      }
    }
    node.text = text;
  });
  return { size, nodes, svg };
}

// Guesses of a running game are secret: only how many there are is not.
function guessCounts({ rows, pegs: count, colors, code }) {
  const made = (seat) => rows.filter((row) => row.seat === seat).length;
  const lines = [`${count} pegs, ${colors} colours`, `first: ${counted(made(0), "guess", "guesses")}`,
    `second: ${counted(made(1), "guess", "guesses")}`];
  return element("div", { class: "heap" }, ...lines.map((text) => element("p", {}, text)),
    ...(code ? [element("p", {}, "code ", pegs(code))] : []));
}

function last(results) {
  // A result must not move away from under a click.
  if (byId("last").matches(":hover, :focus-within")) return;
  const nodes = children(byId("last"), results.length, () => {
    const open = button("", () => openGame(open.dataset.id, Infinity), { class: "open" });
    return element("li", {}, open, element("span", { class: "how" }));
  });
  results.forEach(({ id, bots, result, reason, plies, upset }, index) => {
    const [open, how] = nodes[index].children;
    open.dataset.id = id;
    say(open, `${bots[0]} ${result.replace("1/2-1/2", "½–½").replace("-", "–")} ${bots[1]}`);
    say(how, ` ${reason}, ${plies} plies${upset ? ", an upset" : ""}`);
  });
}

// A finished game, to step through, and the one that was asked for last.
const player = new Player(null, byId("games"), (by) => {
  const ids = [...byId("last").querySelectorAll("button")].map((open) => open.dataset.id);
  const next = ids[ids.indexOf(wanted) + by];
  if (next) openGame(next, Infinity);
});
player.controls.append(button("Close", closeGame));
let wanted = null;

// Opens a game at a ply.
async function openGame(id, ply) {
  player.stop();
  wanted = id;
  const block = await fetchGame(id).catch(() => null);
  // Another game may have been asked for, or this one closed, while it was fetched.
  if (wanted !== id) return;
  if (!block) return announce("this game is no longer available");
  player.block = block;
  put(byId("games"), { class: null });
  await player.open(0, ply);
  player.title.focus();
}

// A block with this game alone, all of it unpacked.
async function fetchGame(id) {
  const response = await fetch(`/game/${encodeURIComponent(id)}`);
  const block = response.ok ? await readBlock(await response.text()) : null;
  await block?.parts;
  return block;
}

function closeGame() {
  player.stop();
  wanted = null;
  put(byId("games"), { class: "hidden" });
  showAddress(location.pathname);
}

function openAddress() {
  const { id, ply } = askedGame();
  if (id && id === wanted) player.go(ply);
  else if (id) openGame(id, ply);
}
addEventListener("hashchange", openAddress);

// The server ends with the tournament, so the report is fetched while it is there, and can be saved from this page.
async function offerReport({ ending, report, path }) {
  say(byId("link"), `Over: ${ending}. This page shows the last state.`);
  announce("the tournament is over");
  if (!report) return;
  const place = element("li", {}, `The report is in ${path}`);
  byId("files").prepend(place);
  const response = await fetch("/report.html").catch(() => null);
  if (!response?.ok) return;
  const link = element("a", {}, "report.html");
  link.href = URL.createObjectURL(await response.blob());
  link.download = "report.html";
  place.replaceChildren(link, ` – to be saved; it is in ${path}`);
}

connect();
openAddress();

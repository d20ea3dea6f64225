// Connects the list, the player, the keys and the tables of the report.

const KEYS = [
  ["/", "filter"], ["j k", "next, previous game"], ["[ ]", "previous, next pair"], ["← →", "back, forward one ply"],
  ["g G", "first, last position"], ["space", "play or pause"], ["?", "these keys"],
];

async function startGames() {
  const section = document.getElementById("games");
  const data = document.getElementById("games-data");
  if (!section || !data) return;
  const place = element("div", { class: "games" });
  section.append(place);
  let block;
  try {
    block = await readBlock(data.textContent);
  } catch {
    place.append(element("p", {}, "This browser cannot unpack the games; games.csv has them, and arena replay shows them."));
    return;
  }
  const table = document.getElementById("games-static");
  if (table) put(table, { class: "hidden" });
  const list = new GameList(block, place);
  const player = new Player(block, place, (by) => open(list.neighbour(by)));
  const open = (game, ply = 0, focus = false) => {
    if (game === null) return;
    list.select(game);
    player.open(game, ply).then(() => {
      const { top } = player.title.getBoundingClientRect();
      if (focus || top < 0 || top > innerHeight / 2) player.node.scrollIntoView({ block: "start" });
      if (focus) player.title.focus({ preventScroll: true });
    });
  };
  const openAddress = () => {
    const { id, ply } = askedGame();
    const game = id ? block.ids.findIndex((known) => known.startsWith(id)) : -1;
    if (game >= 0) open(game, ply, true);
    else if (id) announce(`game ${id} is not in this page`);
  };
  addEventListener("hashchange", openAddress);
  linkCells(block, list);
  linkGames(block);
  addReference(block);
  addKeys(list, player, open);
  openAddress();
  showFirst(block, list, player);
  root.dataset.ready = String(Math.round(performance.now()));
}

// Without a game in the address the first one that the page recommends is shown, at its end and without taking the focus.
function showFirst(block, list, player) {
  if (askedGame().id) return;
  const id = document.querySelector("header a[href^='#game-']")?.hash.slice("#game-".length) ?? block.ids[0];
  const game = block.ids.indexOf(id);
  if (game < 0) return;
  list.current = game;
  list.draw();
  // Which moves what is below: the part that the address names, to which the browser has gone.
  player.open(game, Infinity, false).then(() => document.getElementById(location.hash.slice(1))?.scrollIntoView({ behavior: "instant" }));
}

// A cell of the matrix opens the games of its two bots.
function linkCells(block, list) {
  let card = null;
  list.filter.addEventListener("input", () => card?.remove());
  const showGames = (a, b) => {
    list.setFilter(`${botWord(block.bots[a])} ${botWord(block.bots[b])}`);
    card?.remove();
    card = pairCard(block, a, b);
    list.status.before(card);
    list.filter.scrollIntoView({ block: "center" });
    list.filter.focus({ preventScroll: true });
    announce(list.status.textContent);
  };
  for (const cell of document.querySelectorAll("tr[data-a] td[class^=s]")) {
    const row = cell.parentNode;
    const [a, b] = [Number(row.dataset.a), Number(row.closest("table").tHead.rows[0].cells[cell.cellIndex].dataset.b)];
    put(cell, { "data-pair": `${a} ${b}` });
    if (a === b || !(a in block.bots) || !(b in block.bots) || cell.textContent.trim() === "") continue;
    const label = `${cell.textContent.trim()} %: games of ${block.bots[a]} against ${block.bots[b]}`;
    const press = button("", () => showGames(a, b), { class: "open", "aria-label": label, title: label });
    press.append(...cell.childNodes);
    cell.append(press);
  }
  // A match that is drawn leads to the games without scripts too.
  for (const link of document.querySelectorAll("a[data-a][data-b]")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      showGames(Number(link.dataset.a), Number(link.dataset.b));
    });
  }
}

// Games that the page names become links, if they are in it.
function linkGames(block) {
  for (const node of document.querySelectorAll("[data-game]")) {
    const id = block.ids.find((known) => known.startsWith(node.dataset.game));
    if (id) node.replaceChildren(element("a", { href: gameLink(id) }, node.textContent));
  }
}

// The listed games of two bots by seat.
function pairCard(block, a, b) {
  const seats = [[a, b], [b, a]].map(([first, second]) => {
    const count = [0, 0, 0, 0];
    block.first.forEach((bot, game) => {
      if (bot === first && block.second[game] === second) count[block.result[game]] += 1;
    });
    return count;
  });
  const row = (who, [won, drawn, lost]) => {
    const score = referenceCell([won, drawn, lost]);
    return element("tr", {}, element("th", { scope: "row" }, who), score);
  };
  const [[w, l, d], [l2, w2, d2]] = seats;
  return element("table", { id: "pair" }, element("caption", {}, `${block.bots[a]} against ${block.bots[b]}`),
    element("tbody", {}, row(`${block.bots[a]} first`, [w, d, l]), row(`${block.bots[b]} first`, [w2, d2, l2]),
      row("Both seats", [w + w2, d + d2, l + l2])));
}

// One matrix at a time, and what the cell that is pointed at says.
function startMatrices() {
  const place = document.querySelector(".matrices");
  if (!place) return;
  const parts = [...place.children];
  const show = (shown) => parts.forEach((part, index) => {
    put(part, { class: index === shown ? null : "other" });
    put(tabs[index], { "aria-current": index === shown ? "true" : null });
  });
  const tabs = parts.map((part, index) => button(part.querySelector("h3").textContent, () => show(index)));
  const words = element("span", { class: "pointed note" }, "Point at a cell to read it.");
  place.before(element("p", { class: "controls" }, ...tabs, words));
  show(0);
  const read = ({ target }) => {
    const cell = target.closest("tbody td");
    const column = cell?.closest("table").tHead.rows[0].cells[cell.cellIndex]?.title;
    if (!column || cell.textContent.trim() === "") return;
    words.textContent = `${cell.parentNode.querySelector("th").textContent} against ${column}: ${cell.textContent.trim()} %`;
  };
  place.addEventListener("pointerover", read);
  place.addEventListener("focusin", read);
}

// One bot is chosen, and each row of the standings shows the result against it.
function addReference(block) {
  const rows = [...document.querySelectorAll("tr[data-bot]")];
  const table = rows[0]?.closest("table");
  if (!table || block.pairings.length === 0) return;
  const own = rows.filter((row) => row.closest("table") === table);
  const scores = new Map();
  for (const [a, b, wins, draws, losses] of block.pairings) {
    scores.set(`${a} ${b}`, [wins, draws, losses]);
    scores.set(`${b} ${a}`, [losses, draws, wins]);
  }
  const choice = element("select", { id: "reference" }, element("option", { value: "" }, "no bot"));
  for (const row of own) choice.append(element("option", { value: row.dataset.bot }, block.bots[row.dataset.bot] ?? ""));
  let header = null;
  choice.addEventListener("change", () => {
    header?.remove();
    header = null;
    own.forEach((row) => row.querySelector("td.reference")?.remove());
    const name = block.bots[choice.value];
    if (choice.value === "" || name === undefined) return;
    header = element("th", { scope: "col", "data-sort": "number", class: "reference" }, `Against ${name}`);
    table.tHead.rows[0].cells[1].after(header);
    for (const row of own) row.cells[1].after(referenceCell(scores.get(`${row.dataset.bot} ${choice.value}`)));
    makeSortable(header, sortRows);
    announce(`results against ${name} shown after the names`);
  });
  const label = element("p", { class: "controls" }, element("label", { for: "reference" }, "Show results against"), choice);
  (table.closest(".scroll") ?? table).before(label);
}

// `12–3–5 (68 %)`, wins, draws and losses; sorts by the score.
function referenceCell(score) {
  const games = score ? score[0] + score[1] + score[2] : 0;
  if (games === 0) return element("td", { class: "reference", "data-value": "" }, "–");
  const share = (score[0] + score[1] / 2) / games;
  const text = `${score.join("–")} (${Math.round(share * 100)} %)`;
  return element("td", { class: "reference", "data-value": String(share) }, text);
}

// Single keys can be turned off: speech input would press them by accident (WCAG 2.1.4).
function addKeys(list, player, open) {
  const enabled = element("input", { type: "checkbox", checked: true, id: "keys-on" });
  const rows = KEYS.map(([key, what]) => element("tr", {}, element("th", { scope: "row" }, element("kbd", {}, key)), element("td", {}, what)));
  const dialog = element("dialog", { id: "keys", "aria-labelledby": "keys-title" },
    element("h3", { id: "keys-title" }, "Keys"), element("table", {}, element("tbody", {}, ...rows)),
    element("p", {}, enabled, " ", element("label", { for: "keys-on" }, "Keys work in the whole page")),
    button("Close", () => dialog.close()));
  document.body.append(dialog);
  document.querySelector(".tools").append(button("⌨ Keys", () => dialog.showModal()));
  const acts = {
    "/": () => list.filter.focus(),
    j: () => open(list.neighbour(1)),
    k: () => open(list.neighbour(-1)),
    "]": () => open(list.neighbourPair(1)),
    "[": () => open(list.neighbourPair(-1)),
    ArrowLeft: () => player.go(player.ply - 1),
    ArrowRight: () => player.go(player.ply + 1),
    g: () => player.go(0),
    G: () => player.go(Infinity),
    " ": () => player.toggle(),
    "?": () => dialog.showModal(),
  };
  // What else uses these keys: fields, buttons and links by space, regions that scroll by arrows.
  const takesKeys = "input, select, textarea, button, a, summary, dialog";
  addEventListener("keydown", (event) => {
    const act = acts[event.key];
    if (!act || !enabled.checked || event.ctrlKey || event.altKey || event.metaKey || dialog.open) return;
    const moves = event.key.length > 1;
    const busy = event.key === " " ? takesKeys : "input, select, textarea";
    if (event.target.closest?.(busy) || (moves && event.target.closest?.(".scroll"))) return;
    // A game must be open for its keys; else the page scrolls as ever.
    if ((moves || event.key === " ") && !player.story) return;
    event.preventDefault();
    act();
  });
}

startMatrices();
startGames();

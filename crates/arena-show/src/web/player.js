// The player: a game's positions, plies, plots and ending.

const PLAY_MS = 700;

class Player {
  // `step` opens the next game, or the previous one for −1.
  constructor(block, place, step) {
    this.block = block;
    this.story = null;
    this.ply = 0;
    this.timer = null;
    this.title = element("h3", { tabindex: "-1", id: "game-title" });
    this.plates = [0, 1].map((seat) => element("p", { class: `plate seat${seat}` }));
    this.bar = element("div");
    this.board = element("div", { class: "board" });
    this.now = element("p", { class: "now" });
    this.text = element("pre", { id: "position", tabindex: "0", role: "region", "aria-label": "Position as text" });
    this.slider = element("input", { type: "range", min: "0", value: "0", "aria-label": "Ply" });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.play = button("▶ Play", () => this.toggle(), { id: "play" });
    this.controls = element("div", { class: "controls" },
      button("|◀", () => this.go(0), { "aria-label": "First position" }),
      button("◀", () => this.go(this.ply - 1), { "aria-label": "Back one ply" }),
      this.play,
      button("▶", () => this.go(this.ply + 1), { "aria-label": "Forward one ply" }),
      button("▶|", () => this.go(Infinity), { "aria-label": "Last position" }),
      this.slider, button("↑", () => step(-1), { "aria-label": "Previous game" }),
      button("↓", () => step(1), { "aria-label": "Next game" }));
    this.plies = element("tbody");
    const names = ["Ply", "Move", "Time", "Eval", "Comment"].map((name) =>
      element("th", { scope: "col", class: ["Ply", "Time", "Eval"].includes(name) ? "num" : null }, name));
    this.table = element("div", { class: "scroll plies", role: "region", "aria-label": "Plies", tabindex: "0" },
      element("table", {}, element("caption", { class: "visually-hidden" }, "Plies"),
        element("thead", {}, element("tr", {}, ...names)), this.plies));
    this.plots = element("div", { class: "plots" });
    this.ending = element("pre", { class: "ending" });
    this.command = element("code", { id: "command" });
    this.link = element("a", {}, "Link to this ply");
    this.copy = button("Copy", () => this.copyCommand());
    this.node = element("article", { id: "player", "aria-labelledby": "game-title" }, this.title, this.controls,
      element("div", { class: "columns" },
        element("div", {}, this.plates[0], this.bar, this.plates[1], this.board, this.now,
          element("details", {}, element("summary", {}, "Position as text"), this.text)),
        element("div", {}, this.table, this.plots, this.ending,
          element("p", {}, this.link, ". In a terminal: ", this.command, " ", this.copy))));
    put(this.node, { class: "hidden" });
    place.append(this.node);
  }

  // Opens a game at a ply, which is cut to those there are. The address says so, unless nothing was asked for.
  async open(game, ply, isAsked = true) {
    this.stop();
    const { block } = this;
    this.wanted = game;
    const story = await readGame(block, game).catch(() => withoutPositions(block, game));
    // By now another game may have been requested.
    if (this.wanted !== game) return;
    this.story = story;
    const [first, second] = [block.bots[block.first[game]], block.bots[block.second[game]]];
    this.names = [first, second];
    const id = block.ids[game];
    this.title.textContent = `${first} against ${second}: ${block.results[block.result[game]]}, ${block.words[block.reason[game]]}`;
    this.command.textContent = `arena replay ${id} ${block.select}`;
    this.ending.textContent = story.ending || this.plainEnding(game);
    put(this.slider, { max: String(story.plies.length) });
    this.drawPlies(id);
    this.drawn = [evalPlot(block, story, block.opening[game]), timePlot(block, story)].filter((plot) => plot !== null);
    this.plots.replaceChildren(...this.drawn.map((plot) => plot.node));
    put(this.node, { class: null });
    this.go(ply, false, isAsked);
  }

  plainEnding(game) {
    const { block } = this;
    const reason = block.words[block.reason[game]];
    const winner = block.result[game];
    if (winner < 2) return `${this.names[winner]} (${block.sides[winner]}) wins: ${reason}`;
    return winner === 2 ? `draw: ${reason}` : `void: ${reason}`;
  }

  drawPlies(id) {
    const rows = this.story.plies.map((ply, index) => {
      const move = element("a", { href: gameLink(id, index + 1) }, `${this.block.sides[ply.seat] ?? ""} ${ply.move ?? "?"}`);
      const time = ply.isOpening ? "opening" : stepText(this.block, ply.step);
      return element("tr", { class: `seat${ply.seat}` }, element("td", { class: "num" }, String(index + 1)),
        element("td", {}, move), element("td", { class: "num" }, time),
        element("td", { class: "num" }, evalText(ply.eval)), element("td", {}, [ply.said, ply.comment].filter(Boolean).join("; ")));
    });
    this.plies.replaceChildren(...rows);
  }

  // Shows the position after `ply` plies.
  go(ply, aloud = true, isAsked = true) {
    const { story } = this;
    if (!story) return;
    this.ply = clamp(ply, 0, story.plies.length);
    const text = this.plyText();
    const picture = story.pictures?.[this.ply];
    this.now.textContent = text;
    if (picture) {
      this.board.replaceChildren(drawPicture(picture, text));
      this.text.textContent = pictureText(picture);
    } else {
      this.board.replaceChildren(element("p", {}, "The positions of this game are not in this page; the command shows them."));
      this.text.textContent = "";
    }
    this.drawPlates();
    put(this.link, { href: gameLink(this.block.ids[story.game], this.ply) });
    this.slider.value = String(this.ply);
    put(this.slider, { "aria-valuetext": text });
    this.drawn.forEach((plot) => plot.show(this.ply));
    this.markPly();
    if (isAsked) showAddress(gameLink(this.block.ids[story.game], this.ply));
    if (this.ply === story.plies.length) this.stop();
    if (aloud) announce(text);
  }

  // Each bot with the time and the evaluation of its last move, and a bar of who is ahead by the last evaluation.
  drawPlates() {
    const past = this.story.plies.slice(0, this.ply);
    this.plates.forEach((plate, seat) => {
      const own = past.findLast((ply) => ply.seat === seat && !ply.isOpening);
      drawPlate(plate, this.names[seat], [this.block.sides[seat], own ? stepText(this.block, own.step) : "", evalText(own?.eval)]);
    });
    const known = past.findLast((ply) => ply.eval !== undefined);
    this.bar.replaceChildren(...(known ? [evalBar(known.seat === 0 ? known.eval : -known.eval, this.names)] : []));
  }

  plyText() {
    const { story, ply } = this;
    const count = story.plies.length;
    if (ply === 0) return `start, ${counted(count, "ply", "plies")} to come`;
    const { seat, move, step, comment, said, isOpening, eval: value } = story.plies[ply - 1];
    const mover = seat === null ? "" : `${this.names[seat]} (${this.block.sides[seat]}) `;
    const parts = [`ply ${ply} of ${count}: ${mover}plays ${move ?? "?"}`];
    if (isOpening) parts.push("opening");
    if (step >= 0) parts.push(stepText(this.block, step));
    if (value !== undefined) parts.push(`evaluation ${evalText(value)}`);
    if (said) parts.push(said);
    if (comment) parts.push(`“${comment}”`);
    return parts.join(", ");
  }

  // Marks the row of the current ply, and scrolls its table, not the page.
  markPly() {
    for (const row of this.plies.rows) put(row, { "aria-current": row.rowIndex === this.ply ? "true" : null });
    const row = this.plies.rows[this.ply - 1];
    this.table.scrollTop = row ? row.offsetTop - this.table.clientHeight / 2 : 0;
  }

  toggle() {
    if (this.timer !== null) this.stop();
    else if (this.story) {
      if (this.ply === this.story.plies.length) this.go(0);
      this.timer = setInterval(() => this.go(this.ply + 1), PLAY_MS);
      this.play.textContent = "⏸ Pause";
    }
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.play.textContent = "▶ Play";
  }

  // Without access to the clipboard, the command is selected.
  async copyCommand() {
    try {
      await navigator.clipboard.writeText(this.command.textContent);
      announce("command copied");
    } catch {
      getSelection().selectAllChildren(this.command);
      announce("command selected");
    }
  }
}

// A bot's name, and what is known of it.
function drawPlate(plate, name, parts) {
  const text = ` ${parts.filter(Boolean).join(" · ")}`;
  if (plate.textContent !== name + text) plate.replaceChildren(element("strong", {}, name), text);
}

// The share of the first bot is on the left.
function evalBar(value, [first, second]) {
  const share = 150 * (1 + clamp(value, -1, 1));
  const label = `${first} ${evalText(value)} against ${second}`;
  return put(image(300, 8, label, drawing("rect", { class: "seat1 dot", width: 300, height: 8 }),
    drawing("rect", { class: "seat0 dot", width: share, height: 8 })), { class: "eval-bar" });
}

// A game of which nothing but its row can be read.
function withoutPositions(block, game) {
  return { game, plies: untold(block, game, false), pictures: null, ending: "" };
}

function evalText(value) {
  if (value === undefined || value === null) return "";
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
}

// Makes the address that of the position, without a new entry in the history for each ply.
function showAddress(fragment) {
  try {
    history.replaceState(null, "", fragment);
  } catch {
    // Some browsers refuse it for files; the page works without.
  }
}

// A time, as the upper end of its step.
function stepText(block, step) {
  if (step === undefined || step < 0) return "";
  if (step >= block.scale.length) return `> ${microseconds(block.scale.at(-1))}`;
  return `≤ ${microseconds(block.scale[step])}`;
}

function microseconds(us) {
  if (us < 1000) return `${us} µs`;
  return us < 1_000_000 ? `${us / 1000} ms` : `${us / 1_000_000} s`;
}

function gameLink(game, ply = null) {
  return `#game=${game}${ply === null ? "" : `&ply=${ply}`}`;
}

// The game and the ply that the address tells. Tables link to rows `game-ID`, which are there without scripts.
function askedGame() {
  const asked = new URLSearchParams(location.hash.slice(1).replace(/^game-/u, "game="));
  return { id: asked.get("game"), ply: Number(asked.get("ply") ?? 0) || 0 };
}

// The list of games: filter, order, pages.

const PAGE = 50;
// Words of a game's row, from its index.
const LIST_COLUMNS = [
  { name: "Game", sort: "text", key: (block, game) => game, text: (block, game) => block.ids[game].slice(0, 8) },
  { name: "First", sort: "text", key: (block, game) => block.bots[block.first[game]] },
  { name: "Second", sort: "text", key: (block, game) => block.bots[block.second[game]] },
  { name: "Result", sort: "text", key: (block, game) => block.results[block.result[game]] },
  { name: "Reason", sort: "text", key: (block, game) => block.words[block.reason[game]] },
  { name: "Plies", sort: "number", key: (block, game) => block.plies[game] },
  { name: "Round", sort: "number", key: (block, game) => block.round[game] },
  { name: "Pair", sort: "number", key: (block, game) => block.pair[game] },
  {
    name: "Slowest move",
    sort: "number",
    key: (block, game) => block.slowest[game],
    text: (block, game) => stepText(block, block.slowest[game] - 1),
  },
];

// Only where a game is analysed.
const DECIDED_COLUMN = {
  name: "Decided at ply",
  sort: "number",
  key: (block, game) => block.analysis.decided[game],
  text: (block, game) => (block.analysis.decided[game] || "") && block.analysis.decided[game] - 1,
};

function columnsOf(block) {
  return block.analysis ? [...LIST_COLUMNS, DECIDED_COLUMN] : LIST_COLUMNS;
}

// The seats by the names that a program of rules has for them.
function headOf({ name }, { sides }) {
  const seat = ["First", "Second"].indexOf(name);
  const isNamed = !["X", "first"].includes(sides[0]);
  return seat >= 0 && isNamed ? sides[seat][0].toUpperCase() + sides[seat].slice(1) : name;
}

function alignment(column) {
  return column.sort === "number" ? "num" : null;
}

class GameList {
  constructor(block, place) {
    this.block = block;
    this.order = block.ids.map((_, game) => game);
    this.shown = this.order;
    this.page = 0;
    this.current = null;
    this.filter = element("input", {
      id: "filter", type: "search", autocomplete: "off", spellcheck: "false", "aria-describedby": "filter-words",
    });
    this.filter.addEventListener("input", () => this.applyFilter());
    this.status = element("p", { id: "list-status", role: "status" });
    this.body = element("tbody");
    const columns = columnsOf(block);
    const headers = columns.map((column) =>
      element("th", { scope: "col", "data-sort": column.sort, class: alignment(column) }, headOf(column, block)));
    headers.forEach((header, index) => makeSortable(header, (_, direction) => this.sort(columns[index], direction)));
    const table = element("table", { class: "list" }, element("caption", { class: "visually-hidden" }, "Games"),
      element("thead", {}, element("tr", {}, ...headers)), this.body);
    this.back = button("← Previous", () => this.turn(-1));
    this.next = button("Next →", () => this.turn(1));
    this.pages = element("span", { id: "page" });
    place.append(element("div", {},
      element("div", { class: "controls" }, element("label", { for: "filter" }, "Filter games"), this.filter),
      element("details", {}, element("summary", {}, "Words of the filter"),
        element("p", { id: "filter-words", class: "hint" }, `All words must hold: ${FILTER_WORDS}. Example: bot:greedy lost reason:timeout`)),
      this.status,
      element("div", { class: "scroll list", role: "region", "aria-label": "List of games", tabindex: "0" }, table),
      element("div", { class: "controls" }, this.back, this.pages, this.next)));
    this.draw();
  }

  // Shows the games that `text` describes.
  setFilter(text) {
    this.filter.value = text;
    this.applyFilter();
  }

  applyFilter() {
    try {
      const games = filtered(this.block, this.filter.value);
      this.shown = this.order.filter((game) => games.has(game));
      this.problem = null;
    } catch (error) {
      this.problem = error.message;
    }
    this.page = 0;
    this.draw();
  }

  sort({ key, sort }, direction) {
    const sign = direction === "ascending" ? 1 : -1;
    const keys = this.block.ids.map((_, game) => key(this.block, game));
    const numbers = sort === "number" || typeof keys[0] === "number";
    const by = numbers ? (a, b) => a - b : (a, b) => COLLATOR.compare(a, b);
    // Equal games stay in the order of the schedule.
    const ordered = (a, b) => sign * by(keys[a], keys[b]) || a - b;
    this.order = this.order.toSorted(ordered);
    this.shown = this.shown.toSorted(ordered);
    this.page = 0;
    this.draw();
  }

  turn(by) {
    this.page = clamp(this.page + by, 0, this.lastPage());
    this.draw();
    announce(this.pages.textContent);
  }

  lastPage() {
    return Math.max(0, Math.ceil(this.shown.length / PAGE) - 1);
  }

  // Marks a game, and turns to its page if it is among those shown.
  select(game) {
    this.current = game;
    const place = this.shown.indexOf(game);
    if (place >= 0) this.page = Math.floor(place / PAGE);
    this.draw();
  }

  // The game `by` rows further, or null.
  neighbour(by) {
    const place = this.shown.indexOf(this.current);
    if (place < 0) return this.shown[0] ?? null;
    return this.shown[place + by] ?? null;
  }

  // The first game of the next or previous pair in the list, or null.
  neighbourPair(by) {
    const { shown, block } = this;
    const pairAt = (place) => block.pair[shown[place]];
    let place = shown.indexOf(this.current);
    if (place < 0) return shown[0] ?? null;
    const own = pairAt(place);
    while (place in shown && pairAt(place) === own) place += by;
    while (place - 1 in shown && pairAt(place - 1) === pairAt(place)) place -= 1;
    return shown[place] ?? null;
  }

  draw() {
    const { block, shown, page } = this;
    const all = block.ids.length;
    const few = shown.length === all ? counted(all, "game") : `${shown.length.toLocaleString("en")} of ${counted(all, "game")}`;
    this.status.textContent = this.problem ?? few;
    this.pages.textContent = `page ${page + 1} of ${this.lastPage() + 1}`;
    put(this.back, { disabled: page === 0 });
    put(this.next, { disabled: page === this.lastPage() });
    const rows = shown.slice(page * PAGE, (page + 1) * PAGE).map((game) => {
      const cells = columnsOf(block).map((column, index) => {
        const text = String((column.text ?? column.key)(block, game));
        if (index > 0) return element("td", { class: alignment(column), title: text.length > 12 ? text : null }, text);
        const link = element("a", { href: gameLink(block.ids[game]), title: block.ids[game] }, text);
        return element("th", { scope: "row" }, link);
      });
      return element("tr", { "aria-current": game === this.current ? "true" : null }, ...cells);
    });
    this.body.replaceChildren(...rows);
  }
}

// `localeCompare` makes a collator for each call.
const COLLATOR = new Intl.Collator("en", { numeric: true });

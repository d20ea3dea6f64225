// Draws a position of any game, and writes it as text: the same text as the terminal's.

const MARKS = "XO";

function pictureText(picture) {
  switch (picture.kind) {
    case "board":
      return boardText(picture);
    case "heap":
      return heapText(picture);
    case "guesses":
      return guessesText(picture);
    default:
      return picture.text;
  }
}

function boardText({ rows, cols, cells, marks, last, gravity }) {
  const width = String(cols - 1).length + 1;
  const margin = gravity ? 0 : String(rows - 1).length;
  const mark = (cell) => (cells[cell] === "." ? "." : marks[cells[cell]]);
  const small = (cell) => mark(cell).toLowerCase();
  const numbers = Array.from({ length: cols }, (_, column) => String(column).padStart(width));
  const lines = [" ".repeat(margin) + numbers.join("")];
  for (let row = 0; row < rows; row++) {
    const line = numbers.map((_, column) => {
      const cell = row * cols + column;
      return (cell === last ? small(cell) : mark(cell)).padStart(width);
    });
    lines.push((gravity ? "" : String(row).padStart(margin)) + line.join(""));
  }
  if (last !== null) {
    const [row, column] = [Math.floor(last / cols), last % cols];
    const place = gravity ? `column ${column}` : `[${row},${column}]`;
    lines.push(`last move: ${place}, shown as ${small(last)}`);
  }
  return lines.join("\n");
}

function heapText({ left, take: [least, most], last }) {
  const takes = most === 0 ? "nothing left to take" : least === most ? `take ${least}` : `take ${least} to ${most}`;
  return `heap: ${left} (${takes})${last === null ? "" : `\nlast move: ${last} taken`}`;
}

function guessesText({ rows, code }) {
  const lines = [];
  for (const [seat, title] of ["first", "second"].entries()) {
    lines.push(title);
    let number = 0;
    rows.forEach((row, index) => {
      if (row.seat !== seat) return;
      number += 1;
      if (!row.pegs) return;
      const mark = index + 1 === rows.length ? "  <- last move" : "";
      lines.push(`${String(number).padStart(4)}  [${row.pegs}]  exact ${row.exact}, color ${row.color}${mark}`);
    });
  }
  if (code) lines.push(`code  [${code}]`);
  return lines.join("\n");
}

// The position as an element; its text is beside it, so it is one image to a screen reader.
function drawPicture(picture, label) {
  switch (picture.kind) {
    case "board":
      return drawBoard(picture, label);
    case "heap":
      return drawHeap(picture, label);
    case "guesses":
      return drawGuesses(picture);
    default:
      return picture.svg ? drawImage(picture) : element("pre", {}, picture.text);
  }
}

// The image of a program. It is foreign, and in an `img` it can run and load nothing. If it is not an image, the text stays.
function drawImage({ svg, text }) {
  const node = element("img", { src: IMAGE + encodeURIComponent(svg), alt: text, class: "picture" });
  node.addEventListener("error", () => node.replaceWith(element("pre", {}, text)));
  return node;
}

const CELL = 40;

function image(width, height, label, ...children) {
  const box = { viewBox: `0 0 ${width} ${height}`, role: "img", class: "picture" };
  return drawing("svg", box, drawing("title", {}, label), ...children);
}

function drawBoard({ rows, cols, cells, marks, last, line, gravity }, label) {
  const left = gravity ? 0 : 24;
  const top = 24;
  const inLine = new Set(line);
  const parts = [];
  for (let column = 0; column < cols; column++) {
    parts.push(coordinate(column, left + (column + 0.5) * CELL, top - 8));
  }
  for (let row = 0; row < rows; row++) {
    if (!gravity) parts.push(coordinate(row, left / 2, top + row * CELL + CELL / 2 + 5));
    for (let column = 0; column < cols; column++) {
      const cell = row * cols + column;
      const [x, y] = [left + column * CELL, top + row * CELL];
      const state = `cell${cell === last ? " last" : ""}${inLine.has(cell) ? " won" : ""}`;
      parts.push(drawing("rect", { x: x + 1, y: y + 1, width: CELL - 2, height: CELL - 2, rx: 4, class: state }));
      if (cells[cell] !== ".") parts.push(drawMark(Number(cells[cell]), marks[cells[cell]], x + CELL / 2, y + CELL / 2));
    }
  }
  return image(left + cols * CELL, top + rows * CELL, label, ...parts);
}

function coordinate(number, x, y) {
  return drawing("text", { x, y, "text-anchor": "middle", class: "coordinate" }, String(number));
}

// A cross or a ring, as the mark says: seats differ by shape and not by colour alone.
function drawMark(seat, mark, x, y) {
  const size = CELL * 0.27;
  const cls = `mark seat${seat}`;
  if (mark === MARKS[1]) return drawing("circle", { cx: x, cy: y, r: size, class: cls });
  const cross = `M${x - size} ${y - size}L${x + size} ${y + size}M${x + size} ${y - size}L${x - size} ${y + size}`;
  return drawing("path", { d: cross, class: cls });
}

// Marbles left are full, those just taken are rings. Large heaps are text alone.
function drawHeap(heap, label) {
  const taken = heap.last ?? 0;
  const all = heap.left + taken;
  const text = element("p", { class: "heap" }, heapText(heap));
  if (all > 400) return text;
  const width = Math.min(all, 16);
  const marbles = Array.from({ length: all }, (_, index) => {
    const [cx, cy] = [(index % width) * 24 + 12, Math.floor(index / width) * 24 + 12];
    return drawing("circle", { cx, cy, r: 9, class: index < heap.left ? "marble" : "marble taken" });
  });
  const height = Math.max(1, Math.ceil(all / width)) * 24;
  const heapImage = image(Math.max(width * 24, 24), height, label, ...marbles);
  return element("div", {}, put(heapImage, { class: "marbles", width: Math.max(width * 24, 24) }), text);
}

function drawGuesses({ rows, code }) {
  const tables = ["First seat", "Second seat"].map((title, seat) => {
    const own = rows.map((row, index) => [row, index]).filter(([row]) => row.seat === seat && row.pegs);
    const body = own.map(([row, index], number) =>
      element("tr", { class: index + 1 === rows.length ? "last" : null },
        element("th", { scope: "row" }, String(number + 1)), element("td", {}, pegs(row.pegs)),
        element("td", {}, String(row.exact)), element("td", {}, String(row.color))));
    const names = ["#", "Guess", "Exact", "Colour"].map((name) => element("th", { scope: "col" }, name));
    return element("table", { class: "guesses" }, element("caption", {}, title),
      element("thead", {}, element("tr", {}, ...names)), element("tbody", {}, ...body));
  });
  const revealed = code ? [element("p", {}, "Code ", pegs(code))] : [];
  return element("div", { class: "sides" }, ...tables, ...revealed);
}

// Colours help, numbers tell.
function pegs(colors) {
  return element("span", { class: "pegs" }, ...colors.map((color) => element("span", { class: `peg peg${color % 8}` }, String(color))));
}

// Tables that sort, and the switch of the theme: what a page has besides its games.

// The value by which a cell sorts; null if it is empty, which sorts last in either direction.
function sortValue(cell, kind) {
  const text = (cell?.dataset.value ?? cell?.textContent ?? "").trim();
  if (kind !== "number") return text === "" ? null : text;
  const number = Number.parseFloat(text.replaceAll(",", "").replace("−", "-").replace(/^[<>]/, ""));
  return Number.isNaN(number) ? null : number;
}

function compare(a, b, kind) {
  return kind === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
}

// The direction after a press: numbers begin with the largest, ranks with the best.
function nextDirection(header) {
  const first = header.dataset.sort === "number" ? "descending" : "ascending";
  const other = first === "ascending" ? "descending" : "ascending";
  return header.getAttribute("aria-sort") === first ? other : first;
}

function markSorted(header, direction) {
  for (const other of header.parentNode.children) put(other, { "aria-sort": null });
  put(header, { "aria-sort": direction });
}

function sortRows(header, direction) {
  const table = header.closest("table");
  const column = [...header.parentNode.children].indexOf(header);
  const body = table.tBodies[0];
  const sign = direction === "ascending" ? 1 : -1;
  const rows = [...body.rows].map((row) => [sortValue(row.cells[column], header.dataset.sort), row]);
  rows.sort(([a], [b]) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * compare(a, b, header.dataset.sort);
  });
  body.append(...rows.map(([, row]) => row));
}

// Makes a header a button that calls `sort` with the new direction.
function makeSortable(header, sort) {
  const label = header.textContent.trim();
  const press = button("", () => {
    const direction = nextDirection(header);
    markSorted(header, direction);
    sort(header, direction);
    announce(`sorted by ${label}, ${direction}`);
  }, { class: "sort" });
  press.append(...header.childNodes);
  header.append(press);
}

for (const header of document.querySelectorAll("table.sortable th[data-sort]")) makeSortable(header, sortRows);

// The theme follows the system until the switch is pressed. Nothing is stored: pages from files have no storage to rely on.
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

function isDark() {
  return root.classList.contains("dark") || (systemIsDark.matches && !root.classList.contains("light"));
}

function themeSwitch() {
  const press = button("", () => {
    const dark = !isDark();
    root.classList.toggle("dark", dark);
    root.classList.toggle("light", !dark);
    label();
    announce(`${dark ? "dark" : "light"} theme`);
  }, { id: "theme" });
  const label = () => (press.textContent = isDark() ? "☀ Light theme" : "◐ Dark theme");
  systemIsDark.addEventListener("change", label);
  label();
  return press;
}

// What may be opened is closed, so that the page is short; in print it is open.
function foldAll(open) {
  for (const fold of document.querySelectorAll("main details")) fold.open = open;
}
foldAll(false);
// The part of a bot that the address names is opened.
function openFold() {
  const fold = document.getElementById(location.hash.slice(1));
  if (fold?.tagName !== "DETAILS") return;
  fold.open = true;
  fold.scrollIntoView();
}
addEventListener("hashchange", openFold);
openFold();
addEventListener("beforeprint", () => foldAll(true));
addEventListener("afterprint", () => foldAll(false));

const tools = element("div", { class: "tools" }, themeSwitch(), button("Print", () => print(), { id: "print" }));
(document.querySelector("header") ?? document.body).append(tools);

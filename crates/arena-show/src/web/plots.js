// The plots of a game: evaluations and times by ply. The table of plies has the same figures.

const PLOT = { width: 320, height: 84, left: 34, right: 10, top: 8, bottom: 6 };

class GamePlot {
  constructor(story, title, labels, parts) {
    this.plies = Math.max(1, story.plies.length);
    this.line = drawing("line", { class: "now", y1: PLOT.top, y2: PLOT.height - PLOT.bottom });
    const texts = labels.map(([text, share]) => drawing("text", { x: 2, y: plotY(share) + 4, class: "coordinate" }, text));
    const grid = labels.map(([, share]) => {
      const y = plotY(share);
      return drawing("line", { class: "grid", x1: PLOT.left, x2: PLOT.width - PLOT.right, y1: y, y2: y });
    });
    const picture = image(PLOT.width, PLOT.height, title, ...texts, ...grid, ...parts, this.line);
    put(picture, { class: null });
    this.node = element("figure", { class: "plot" }, element("figcaption", {}, title), picture);
  }

  show(ply) {
    const x = plotX(ply, this.plies);
    put(this.line, { x1: x, x2: x });
  }
}

function plotX(ply, plies) {
  return PLOT.left + (ply / plies) * (PLOT.width - PLOT.left - PLOT.right);
}

function plotY(share) {
  return PLOT.top + share * (PLOT.height - PLOT.top - PLOT.bottom);
}

// Both seats' evaluations, seen from the first seat, and the results with best play, if they are known; null if there is
// neither.
function evalPlot({ sides }, story, opening) {
  const count = story.plies.length;
  const parts = [0, 1].flatMap((seat) => {
    const points = story.plies.flatMap((ply, index) => {
      if (ply.seat !== seat || ply.eval === undefined) return [];
      const own = seat === 0 ? ply.eval : -ply.eval;
      return [[plotX(index + 1, count), plotY((1 - own) / 2)]];
    });
    if (points.length === 0) return [];
    const dots = points.map(([cx, cy]) => drawing("circle", { cx, cy, r: 1.8, class: `dot seat${seat}` }));
    return [drawing("polyline", { points: points.join(" "), class: `curve seat${seat}` }), ...dots];
  });
  const truth = truthLine(story, opening);
  if (truth) parts.unshift(truth);
  if (parts.length === 0) return null;
  const besides = truth ? ", best play thick" : "";
  return new GamePlot(story, `Evaluation seen from the first seat: ${sides[0]} solid, ${sides[1]} dashed${besides}`,
    [["+1", 0], ["0", 0.5], ["−1", 1]], parts);
}

// A line of the results with best play, which changes where a move gives one away; null if none is known.
function truthLine({ marks, plies }, opening) {
  const height = { W: 0, D: 0.5, L: 1 };
  let before = "?";
  const path = [...(marks?.results ?? "")].map((result, index) => {
    const [x, isKnown] = [plotX(opening + index, plies.length), result in height];
    const step = isKnown ? `${before in height ? "H" : "M"}${x}${before in height ? "V" : " "}${plotY(height[result])}` : "";
    before = result;
    return step;
  });
  return path.join("") === "" ? null : drawing("path", { d: path.join(""), class: "curve truth" });
}

// A bar for the time of each ply, on the scale of the page; null if there are none.
function timePlot(block, story) {
  const count = story.plies.length;
  const steps = block.scale.length;
  const width = clamp(((PLOT.width - PLOT.left - PLOT.right) / count) * 0.7, 1, 24);
  const parts = story.plies.flatMap((ply, index) => {
    if (ply.step === undefined || ply.step < 0) return [];
    const y = plotY(1 - (ply.step + 1) / (steps + 1));
    const x = plotX(index + 1, count) - width / 2;
    return [drawing("rect", { x, y, width, height: plotY(1) - y, class: `time-bar seat${ply.seat}` })];
  });
  if (parts.length === 0) return null;
  const labels = [["1 s", 1 - 16 / 20], ["1 ms", 1 - 7 / 20]];
  return new GamePlot(story, "Time of each move, logarithmic scale", labels, parts);
}

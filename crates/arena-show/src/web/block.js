// Reads the block of games. Its format is described in src/web/games/mod.rs.

async function inflate(base64) {
  return inflated(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
}

async function inflated(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Reads integers and texts one after the other.
class Bytes {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.at = at;
  }

  // Products, since shifts are of 32 bits.
  number() {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * factor;
      if (byte < 128 || byte === undefined) return value;
      factor *= 128;
    }
  }

  signed() {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  option() {
    const value = this.number();
    return value === 0 ? null : value - 1;
  }

  list(read = () => this.number()) {
    return Array.from({ length: this.number() }, read);
  }

  text() {
    const length = this.number();
    this.at += length;
    return UTF8.decode(this.bytes.subarray(this.at - length, this.at));
  }
}

const UTF8 = new TextDecoder();
const COLUMNS = [
  "first", "second", "round", "pair", "result", "reason", "firstStatus", "secondStatus", "plies", "opening", "slowest",
  "start", "has",
];
const [HAS_PLIES, HAS_TIMES, HAS_EVALS, HAS_TEXTS, HAS_IMAGES] = [1, 2, 4, 8, 16];

// The list of games at once; positions are unpacked while it is looked at.
async function readBlock(text) {
  const lines = text.trim().split("\n");
  const bytes = new Bytes(await inflate(lines[0]));
  const block = { sides: ["X", "O"], alternate: true, ...JSON.parse(bytes.text()), lines };
  block.ids = bytes.list(() => bytes.text());
  for (const name of COLUMNS) block[name] = block.ids.map(() => bytes.number());
  block.parts = unpackParts(block);
  // Who opens a game hears of it.
  block.parts.catch(() => {});
  return block;
}

// The streams of positions, times, evaluations, texts and images, and where each game begins in them.
async function unpackParts(block) {
  const [plies, times, evals, texts, images] = await Promise.all(block.lines.slice(1).map(inflate));
  block.lines = null;
  const at = { plies: [], times: [], evals: [], texts: [], images: [] };
  const places = { plies: 0, times: 0, evals: 0 };
  const reader = new Bytes(texts);
  const [positions, packed] = [new Bytes(plies), new Bytes(images)];
  block.has.forEach((has, game) => {
    const own = block.plies[game] - block.opening[game];
    if (has & HAS_PLIES) at.plies[game] = skipped(positions);
    if (has & HAS_IMAGES) at.images[game] = skipped(packed);
    if (has & HAS_TIMES) {
      at.times[game] = places.times;
      places.times += own;
    }
    if (has & HAS_EVALS) {
      at.evals[game] = places.evals;
      places.evals += own;
    }
    if (has & HAS_TEXTS) {
      at.texts[game] = reader.at;
      for (let comments = reader.number(); comments > 0; comments--) {
        reader.number();
        skipped(reader);
      }
      skipped(reader);
      if (isAnalysed(block, game)) readMarks(reader);
    }
  });
  return { plies, times, evals, texts, images, at };
}

// Skips a text or other bytes after their length; returns where they begin and end.
function skipped(reader) {
  const length = reader.number();
  reader.at += length;
  return [reader.at - length, reader.at];
}

// All of a game: its pictures (null if they are not in the page) and for each ply its move, step of time, evaluation and
// comment.
async function readGame(block, game) {
  const parts = await block.parts;
  const has = block.has[game];
  const opening = block.opening[game];
  const plies = untold(block, game, has & HAS_PLIES);
  plies.slice(0, opening).forEach((ply) => (ply.isOpening = true));
  const own = plies.slice(opening);
  if (has & HAS_TIMES) own.forEach((ply, index) => (ply.step = parts.times[parts.at.times[game] + index] - 1));
  if (has & HAS_EVALS) {
    own.forEach((ply, index) => {
      const byte = parts.evals[parts.at.evals[game] + index];
      if (byte > 0) ply.eval = (byte - 128) / 127;
    });
  }
  let ending = "";
  let marks = null;
  if (has & HAS_TEXTS) {
    const reader = new Bytes(parts.texts, parts.at.texts[game]);
    for (let comments = reader.number(); comments > 0; comments--) {
      const ply = plies[reader.number() - 1] ?? {};
      ply.comment = reader.text();
    }
    ending = reader.text();
    if (isAnalysed(block, game)) {
      marks = readMarks(reader);
      marks.said.forEach(([ply, said]) => ((plies[ply - 1] ?? {}).said = said));
    }
  }
  const pictures = has & HAS_PLIES ? readPictures(block, game, parts, plies) : null;
  if (pictures && has & HAS_IMAGES) {
    const images = new Bytes(await inflated(parts.images.subarray(...parts.at.images[game])));
    pictures.forEach((picture, ply) => (pictures[ply] = { ...picture, svg: images.text() }));
  }
  return { game, plies, pictures, ending, marks };
}

function isAnalysed(block, game) {
  return ((block.analysis?.gave[game] ?? 0) & 4) > 0;
}

// What an analysis says of a game: the results with best play, and remarks on moves.
function readMarks(reader) {
  const results = reader.text();
  return { results, said: reader.list(() => [reader.number(), reader.text()]) };
}

// The plies of a game, of which nothing but the mover is known; null where not even that is.
function untold(block, game, hasPlies) {
  const isKnown = block.alternate || hasPlies;
  return Array.from({ length: block.plies[game] }, (_, index) => ({ seat: isKnown ? index % 2 : null }));
}

// Applies the operations of a game, and notes the move that each tells.
function readPictures(block, game, parts, plies) {
  const [begin, end] = parts.at.plies[game];
  const bytes = new Bytes(parts.plies, begin);
  const pictures = [block.starts[block.start[game]]];
  let move = null;
  const push = (picture, told) => {
    const ply = plies[pictures.length - 1];
    if (ply) ply.move = move ?? told ?? "?";
    move = null;
    pictures.push(picture);
  };
  while (bytes.at < end) {
    const before = pictures[pictures.length - 1];
    switch (bytes.number()) {
      case 0:
        for (let count = bytes.number(); count > 0; count--) {
          const cell = bytes.number();
          const { seat } = plies[pictures.length - 1];
          const picture = withCells(pictures[pictures.length - 1], [[cell, seat]], cell, []);
          push(picture, moveAt(picture, cell));
        }
        break;
      case 1: {
        const changed = bytes.list(() => [bytes.number(), bytes.option()]);
        const last = bytes.option();
        const picture = withCells(before, changed, last, bytes.list());
        push(picture, last === null ? null : moveAt(picture, last));
        break;
      }
      case 2: {
        const [left, least, most] = [bytes.signed(), bytes.signed(), bytes.signed()];
        const last = bytes.number() === 1 ? bytes.signed() : null;
        push({ ...before, left, take: [least, most], last }, last === null ? null : String(last));
        break;
      }
      case 3: {
        const added = bytes.list(() => readGuess(bytes));
        const length = bytes.option();
        const code = length === null ? null : Array.from({ length }, () => bytes.number());
        const told = added.length === 1 && added[0].pegs ? `[${added[0].pegs}]` : null;
        push({ ...before, rows: [...before.rows, ...added], code }, told);
        break;
      }
      case 4:
        push(JSON.parse(bytes.text()), null);
        break;
      case 5:
        move = bytes.text();
        break;
      case 6:
        bytes.list().forEach((seat, index) => (plies[index].seat = seat));
        break;
      default:
        throw new Error("the data of a game cannot be read");
    }
  }
  return pictures;
}

function readGuess(bytes) {
  const guess = { seat: bytes.number() };
  if (bytes.number() === 1) {
    guess.pegs = bytes.list();
    guess.exact = bytes.number();
    guess.color = bytes.number();
  }
  return guess;
}

// A board with some cells changed; owners are 0, 1 or null.
function withCells(board, changed, last, line) {
  const cells = [...board.cells];
  for (const [cell, owner] of changed) cells[cell] = owner === null ? "." : String(owner);
  return { ...board, cells, last, line };
}

function moveAt(board, cell) {
  const [row, column] = [Math.floor(cell / board.cols), cell % board.cols];
  return board.gravity ? String(column) : `[${row},${column}]`;
}

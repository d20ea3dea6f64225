// The language of the filter: words that must all hold, as in `arena replay`.

const FILTER_WORDS = "bot:NAME (first:, second:) lost won draw void fault gave:NAME reason:WORD round:N pair:N last:N, or part of an id";

// Words, where a value may be quoted: bot:"two words".
function filterWords(text) {
  const words = text.matchAll(/([a-z]+:)?(?:"((?:[^"\\]|\\.)*)"|(\S+))/giu);
  return [...words].map(([, key, quoted, plain]) => ({
    key: key?.slice(0, -1).toLowerCase() ?? "",
    value: quoted === undefined ? plain : quoted.replaceAll(/\\(.)/gu, "$1"),
  }));
}

// A name as a word of the filter.
function botWord(name) {
  return /^[\w.+-]+$/u.test(name) ? `bot:${name}` : `bot:"${name.replaceAll(/["\\]/gu, "\\$&")}"`;
}

// The bots that a word means: the one of that name, else all whose name contains it.
function botsCalled(block, value) {
  const exact = block.bots.indexOf(value);
  if (exact >= 0) return new Set([exact]);
  const part = value.toLowerCase();
  return new Set([...block.bots.keys()].filter((bot) => block.bots[bot].toLowerCase().includes(part)));
}

// The games that a text describes, or throws an error that says what is wrong with it.
function filtered(block, text) {
  const words = filterWords(text);
  const named = words.find(({ key }) => ["bot", "first", "second"].includes(key));
  const subject = named ? botsCalled(block, named.value) : null;
  const tests = words.filter(({ key }) => key !== "last").map((word) => wordTest(block, word, subject));
  const games = [...block.ids.keys()].filter((game) => tests.every((test) => test(game)));
  const last = words.find(({ key }) => key === "last");
  return new Set(last ? games.slice(games.length - Math.min(games.length, numberOf(last))) : games);
}

function numberOf({ key, value }) {
  if (!/^\d+$/u.test(value)) throw new Error(`${key}: takes a number, not “${value}”`);
  return Number(value);
}

// A test of games for one word. `subject` are the bots that “lost” and “won” speak of.
function wordTest(block, word, subject) {
  const { key, value } = word;
  const text = value.toLowerCase();
  const isFault = (status) => !["ok", "resigned"].includes(block.statuses[status]);
  const ended = (result) => (game) => block.result[game] === result;
  const seats = (game) => [block.first[game], block.second[game]];
  const decided = (side) => {
    if (subject === null) throw new Error(`“${text}” needs a bot: bot:NAME ${text}`);
    // Results 0 and 1 are the seat that won.
    return (game) => block.result[game] < 2 && subject.has(seats(game)[side ^ block.result[game]]);
  };
  const having = (names) => new Set([...names.keys()].filter((index) => names[index].toLowerCase().includes(text)));
  // Both as files have them and in words.
  const reasonsHaving = () => new Set([...having(block.reasons), ...having(block.words)]);
  switch (key) {
    case "bot": {
      const bots = botsCalled(block, value);
      return (game) => seats(game).some((bot) => bots.has(bot));
    }
    case "first":
    case "second": {
      const bots = botsCalled(block, value);
      return (game) => bots.has(block[key][game]);
    }
    case "gave": {
      const bots = botsCalled(block, value);
      return (game) => seats(game).some((bot, seat) => ((block.analysis?.gave[game] ?? 0) & (1 << seat)) > 0 && bots.has(bot));
    }
    case "reason": {
      const [reasons, statuses] = [reasonsHaving(), having(block.statuses)];
      return (game) =>
        reasons.has(block.reason[game]) || statuses.has(block.firstStatus[game]) || statuses.has(block.secondStatus[game]);
    }
    case "round":
    case "pair": {
      const number = numberOf(word);
      return (game) => block[key][game] === number;
    }
    case "":
      break;
    default:
      throw new Error(`no word “${key}:”; there are ${FILTER_WORDS}`);
  }
  switch (text) {
    case "won":
      return decided(0);
    case "lost":
      return decided(1);
    case "draw":
      return ended(2);
    case "void":
      return ended(3);
    case "fault":
      return (game) => isFault(block.firstStatus[game]) || isFault(block.secondStatus[game]);
    default: {
      const [bots, reasons] = [having(block.bots), reasonsHaving()];
      return (game) =>
        seats(game).some((bot) => bots.has(bot)) || reasons.has(block.reason[game]) || block.ids[game].startsWith(text);
    }
  }
}

#!/usr/bin/env node
// A complete arena bot. It plays every game; make it play well by changing `choose`.
"use strict";

// Your idea goes here: return one of `legalMoves`.
//   state       everything that you may see of the position; its fields depend on the game
//               (connect4 and mnk: `board`, an array of rows with "." "X" "O", and `moves`)
//   legalMoves  every legal move, or undefined when there are more than 1,000
//   sampleMove  one legal move, always present
function choose(state, legalMoves, sampleMove) {
  if (legalMoves === undefined) return sampleMove;
  return legalMoves[Math.floor(random() * legalMoves.length)];
}

// Math.random cannot be seeded; drawing from the game's seed makes your games repeatable (mulberry32, public domain).
let randomState = 0;
function random() {
  randomState = (randomState + 0x6d2b79f5) | 0;
  let mixed = Math.imul(randomState ^ (randomState >>> 15), 1 | randomState);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

// The reply to one message of the referee, or undefined if no reply is due.
function answer(message) {
  switch (message.type) {
    case "hello":
      return { type: "hello", protocol: 1, name: "javascript starter" };
    case "new_game":
      // A 64-bit number as text: too large for a JavaScript number.
      randomState = Number(BigInt.asIntN(32, BigInt(message.seed)));
      return { type: "ready", id: message.id };
    case "move_request":
      return { type: "move", id: message.id, move: choose(message.state, message.legal_moves, message.sample_move) };
    default:
      return undefined; // "game_over", and types of later protocol versions
  }
}

// One JSON object per line. Use console.error to debug: stdout belongs to the protocol.
const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "quit") process.exit(0);
  const reply = answer(message);
  if (reply !== undefined) process.stdout.write(JSON.stringify(reply) + "\n");
});

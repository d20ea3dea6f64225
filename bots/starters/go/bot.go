// A complete arena bot: it plays random legal moves in every game.
//
//	go build -o bot bot.go
//
// To play better, read the position from State and return a move of your own in choose.
package main

import (
	"encoding/json"
	"math/rand"
	"os"
	"strconv"
)

// message is any message of the referee; fields that it does not have stay empty.
type message struct {
	Type       string            `json:"type"`
	ID         uint64            `json:"id"`
	Seed       string            `json:"seed"`
	State      json.RawMessage   `json:"state"`
	LegalMoves []json.RawMessage `json:"legal_moves"`
	SampleMove json.RawMessage   `json:"sample_move"`
}

// choose is where your idea goes. A move stays JSON, since its form depends on the game.
func choose(request message, random *rand.Rand) json.RawMessage {
	if len(request.LegalMoves) == 0 { // there are more than 1,000
		return request.SampleMove
	}
	return request.LegalMoves[random.Intn(len(request.LegalMoves))]
}

func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout) // the encoder writes each line at once
	random := rand.New(rand.NewSource(0))
	for {
		var m message
		if in.Decode(&m) != nil {
			return // the end of the input
		}
		switch m.Type {
		case "hello":
			out.Encode(map[string]any{"type": "hello", "protocol": 1, "name": "go starter"})
		case "new_game":
			seed, _ := strconv.ParseUint(m.Seed, 10, 64)
			random = rand.New(rand.NewSource(int64(seed))) // the same seed, the same moves
			out.Encode(map[string]any{"type": "ready", "id": m.ID})
		case "move_request":
			out.Encode(map[string]any{"type": "move", "id": m.ID, "move": choose(m, random)})
		case "quit":
			return
		} // else: game_over, or a type of a later protocol version; no answer
	}
}

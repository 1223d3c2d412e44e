package protocol

import (
	"fmt"
	"slices"
	"strings"
)

// Name says how a commit becomes durable (--commit-protocol). A data directory keeps the one it was made with.
type Name string

// The protocols.
const (
	OneLog     Name = "onelog"
	TwoPCEager Name = "2pc-eager"
	TwoPC      Name = "2pc"
	Engine     Name = "engine"
)

// Names are all of them, the default first.
var Names = []Name{OneLog, TwoPCEager, TwoPC, Engine}

// Parse reads a value of --commit-protocol.
func Parse(text string) (Name, error) {
	if n := Name(text); slices.Contains(Names, n) {
		return n, nil
	}
	return "", fmt.Errorf("%q is no commit protocol (%s)", text, list())
}

func list() string {
	var all []string
	for _, n := range Names {
		all = append(all, string(n))
	}
	return strings.Join(all, ", ")
}

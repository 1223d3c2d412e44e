package corpus

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind is what a parser says of a text.
type Kind byte

// The kinds.
const (
	// Accepted: read to its end. An error that a server then has is none of its syntax.
	Accepted Kind = iota
	// Refused: syntax error, 1064.
	Refused
	// Stopped: another error before the end of the text, with the rest unread (undeclared variable, unknown character set ...).
	Stopped
)

func (k Kind) String() string { return [...]string{"accepted", "refused", "stopped"}[k] }

// Verdict is what the server says of a statement.
type Verdict struct {
	Kind Kind
	// Number and Message are those of the error, 0 if there is none. An accepted statement may have one, of a table that does not exist, say.
	Number  uint16
	Message string
	// Columns are type, character set, length, flags and decimals of each column of the result, as far as preparing tells; and the number of parameters.
	Columns string
}

// Outcome is what two texts that mean the same have in common: error, columns, parameters.
func (v *Verdict) Outcome() string {
	if v.Number != 0 {
		return fmt.Sprintf("%d %s", v.Number, v.Message)
	}
	return v.Columns
}

// Place is what the message of an error 1064 tells.
type Place struct {
	What string // "" in nearly all: "You have an error in your SQL syntax ..."
	Near string // the text from there
	Line int
}

const (
	plain      = "You have an error in your SQL syntax"
	beforeNear = " near '"
	beforeLine = "' at line "
)

// placeOf reads such a message; ok is false for others.
func placeOf(message string) (p Place, ok bool) {
	what, rest, found := strings.Cut(message, beforeNear)
	i := strings.LastIndex(rest, beforeLine)
	if !found || i < 0 {
		return p, false
	}
	line, err := strconv.Atoi(rest[i+len(beforeLine):])
	if strings.HasPrefix(what, plain) {
		what = ""
	}
	return Place{What: what, Near: rest[:i], Line: line}, err == nil
}

// word groups errors: the first word at the place, or what they say.
func (p *Place) word() string {
	if p.What != "" {
		return p.What
	}
	return firstWord(p.Near)
}

// Judged is a statement with what the server says of it.
type Judged struct {
	Statement
	Verdict
}

// split takes a text of several statements apart at the semicolon behind which the server expected the end.
func (j *Judged) split() (first, rest string, ok bool) {
	place, ok := placeOf(j.Message)
	if !ok || j.Kind != Refused {
		return "", "", false
	}
	near, _ := strings.CutSuffix(place.Near, "...")
	if near == "" {
		return "", "", false
	}
	for i := 0; i < len(j.Text); i++ {
		if j.Text[i] != ';' {
			continue
		}
		rest = skipBlank(j.Text[i+1:])
		if strings.HasPrefix(rest, near) {
			return j.Text[:i], rest, true
		}
	}
	return "", "", false
}

// skipBlank goes to the first token of a text.
func skipBlank(s string) string {
	for {
		s = strings.TrimLeft(s, " \t\r\n\v\f")
		end := ""
		switch {
		case strings.HasPrefix(s, "#"), strings.HasPrefix(s, "-- "):
			end = "\n"
		case strings.HasPrefix(s, "/*") && !strings.HasPrefix(s, "/*!") && !strings.HasPrefix(s, "/*M!"):
			end = "*/"
		default:
			return s
		}
		_, s, _ = strings.Cut(s, end)
	}
}

package corpus

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// Parser reads one statement, under the parts of sql_mode that change how a text is read and in a character set, and prints what it has
// read as SQL that means the same under each of these modes except NO_BACKSLASH_ESCAPES. The tree is made of pointers, structs, slices and
// values; where its nodes stand in the text is in fields whose type is called Span. The error is a *mysqlerr.Error.
type Parser func(sql, mode, charset string) (tree any, printed string, err error)

// Cause is what a parser does otherwise than the server.
type Cause string

// The causes.
const (
	TooStrict Cause = "the server accepts, the parser refuses"
	TooLoose  Cause = "the server refuses with 1064, the parser accepts"
	OtherText Cause = "both refuse, with other texts behind near"
	OtherLine Cause = "both refuse, with other lines"
	NotMySQL  Cause = "the server refuses with 1064, the parser otherwise"
	NotAgain  Cause = "the parser refuses what it printed"
	Changed   Cause = "what was printed is printed otherwise when it is read again"
	OtherTree Cause = "what was printed is read as another tree"
	Panicked  Cause = "the parser panics"
	// Refuted is found by CheckPrinted, Bound and Miscounted by CheckValues, Redefined by CheckTables.
	Refuted    Cause = "the server answers otherwise to what was printed"
	Bound      Cause = "the server computes something else with the parentheses that the tree has"
	Miscounted Cause = "the server computes something else from what was printed"
	Redefined  Cause = "the server makes another table of what was printed"
)

// causes are in the order of a report.
var causes = []Cause{Panicked, TooStrict, TooLoose, NotMySQL, OtherText, OtherLine, NotAgain, Changed, OtherTree, Refuted, Bound, Miscounted, Redefined}

// Difference is one statement that a parser does not treat as the server does.
type Difference struct {
	Cause Cause
	*Judged
	// Group puts differences of one cause together that have, in all likelihood, one reason.
	Group string
	// Detail is what the parser said, or printed.
	Detail string
}

// Findings are what a parser does with the statements.
type Findings struct {
	Accepted int // by the server
	Refused  int // by the server with 1064
	Stopped  map[uint16]*Stops
	Oracle   int // under sql_mode ORACLE, not judged
	Agreed   int // accepted by both

	Differences []Difference
	// Printed are the texts that the parser made of what both accept, in the order of Statements.
	Printed    []string
	Statements []*Judged
	trees      []any
}

// Stops are statements at which the server's parser stopped with an error other than 1064. Nobody is judged by them.
type Stops struct {
	Same     int // the parser gives the same number
	Refused  int // it gives another error
	Accepted int // it reads on, and finds nothing wrong
	Example  *Judged
}

// Judge asks a parser what the server was asked.
func Judge(list []Judged, parse Parser) *Findings {
	f := &Findings{Stopped: map[uint16]*Stops{}}
	for i := range list {
		j := &list[i]
		if strings.Contains(j.Mode, "ORACLE") {
			f.Oracle++
			continue
		}
		f.one(j, parse)
	}
	return f
}

// one judges one statement.
func (f *Findings) one(j *Judged, parse Parser) {
	tree, printed, err := guarded(parse, j.Text, j.Mode, j.Charset)
	if p := (panicked{}); errors.As(err, &p) {
		f.differs(Panicked, j, p.place, err.Error())
	}
	switch j.Kind {
	case Accepted:
		f.Accepted++
		if err != nil {
			f.differs(TooStrict, j, nearOf(err), err.Error())
			return
		}
		f.Agreed++
		f.Printed, f.Statements, f.trees = append(f.Printed, printed), append(f.Statements, j), append(f.trees, tree)
		f.again(j, tree, printed, parse)
	case Refused:
		f.Refused++
		f.refused(j, printed, err)
	case Stopped:
		f.stopped(j, err)
	}
}

// again has the parser read what it printed. It prints so that the modes do not matter, except for one.
func (f *Findings) again(j *Judged, tree any, printed string, parse Parser) {
	for _, mode := range slices.Compact([]string{printedMode(j.Mode), ""}) {
		other, again, err := guarded(parse, printed, mode, j.Charset)
		switch {
		case err != nil:
			f.differs(NotAgain, j, nearOf(err), fmt.Sprintf("%s\n%v", printed, err))
			return
		case again != printed:
			f.differs(Changed, j, "", printed+"\n"+again)
			return
		}
		if d := difference(tree, other); d != "" {
			at, _, _ := strings.Cut(d, ":")
			f.differs(OtherTree, j, at[strings.LastIndexByte(at, '/')+1:], printed+"\n"+d)
			return
		}
	}
}

// printedMode is the mode under which what a parser printed is read: strings have backslashes.
func printedMode(mode string) string { return (parseModes(mode) &^ noBackslashEscapes).String() }

// refused judges a statement that the server refuses with 1064.
func (f *Findings) refused(j *Judged, printed string, err error) {
	want, _ := placeOf(j.Message)
	var e *mysqlerr.Error
	switch {
	case err == nil:
		f.differs(TooLoose, j, want.word(), printed)
		return
	case !errors.As(err, &e) || e.Number != syntaxError:
		f.differs(NotMySQL, j, want.word(), err.Error())
		return
	}
	got, ok := placeOf(e.Message)
	switch {
	case !ok || got.What != want.What || !sameNear(j, got.Near, want.Near):
		f.differs(OtherText, j, want.word(), fmt.Sprintf("%s %q, wanted %s %q", got.What, got.Near, want.What, want.Near))
	case got.Line != want.Line:
		f.differs(OtherLine, j, "", fmt.Sprintf("%d, wanted %d", got.Line, want.Line))
	}
}

// sameNear compares what two messages show of a text. The server's is in UTF-8, whatever the text is in, so that texts in other character
// sets are compared as far as they are ASCII.
func sameNear(j *Judged, got, want string) bool {
	if got == want || j.Charset == utf8Charset {
		return got == want
	}
	n := min(asciiUpTo(got), asciiUpTo(want))
	return got[:n] == want[:n]
}

// asciiUpTo is how long the ASCII at the beginning of a text is. A question mark stands for a character that could not be written.
func asciiUpTo(s string) int {
	for i := range len(s) {
		if s[i] >= 0x80 || s[i] == '?' {
			return i
		}
	}
	return len(s)
}

func (f *Findings) stopped(j *Judged, err error) {
	s := f.Stopped[j.Number]
	if s == nil {
		s = &Stops{Example: j}
		f.Stopped[j.Number] = s
	}
	var e *mysqlerr.Error
	switch {
	case err == nil:
		s.Accepted++
	case errors.As(err, &e) && e.Number == j.Number:
		s.Same++
	default:
		s.Refused++
	}
	if len(j.Text) < len(s.Example.Text) {
		s.Example = j
	}
}

func (f *Findings) differs(c Cause, j *Judged, at, detail string) {
	group := firstWords(j.Text)
	if at != "" {
		group += " … " + at
	}
	f.Differences = append(f.Differences, Difference{Cause: c, Judged: j, Group: group, Detail: detail})
}

// Count is how many differences have a cause.
func (f *Findings) Count(c Cause) int {
	n := 0
	for i := range f.Differences {
		if f.Differences[i].Cause == c {
			n++
		}
	}
	return n
}

// nearOf is the first word at which a parser stopped.
func nearOf(err error) string {
	var e *mysqlerr.Error
	if !errors.As(err, &e) {
		return ""
	}
	if place, ok := placeOf(e.Message); ok && e.Number == syntaxError {
		return place.word()
	}
	return fmt.Sprintf("error %d", e.Number)
}

package parse

import (
	"regexp"
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/dialect"
)

// EngineOption is the last ENGINE of a CREATE TABLE or ALTER TABLE, "" without one. Of several, the last one counts.
func EngineOption(text string, mode dialect.Mode) string {
	list := engineOptions(dialect.Tokens(text, mode, 0))
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1].value.Text
}

// WithEngines replaces the values of ENGINE in a CREATE TABLE or ALTER TABLE by others, where name has one.
func WithEngines(text string, mode dialect.Mode, name func(string) string) string {
	e := dialect.Editor{SQL: text}
	for _, o := range engineOptions(dialect.Tokens(text, mode, 0)) {
		if other := name(o.value.Text); other != "" {
			e.Replace(o.value, other)
		}
	}
	return e.Done()
}

// withoutEngines takes ENGINE out of the options of an ALTER TABLE's clause; "" is left of one that has no others.
func withoutEngines(clause string, mode dialect.Mode) string {
	toks := dialect.Tokens(clause, mode, 0)
	if len(toks) == 0 || alterWords[strings.ToUpper(toks[0].Text)] {
		return clause
	}
	return strings.TrimSpace(removeEngines(clause, enginesIn(toks)))
}

// withoutSelectEngines takes ENGINE out of a CREATE TABLE ... SELECT without a list of columns, in which the parser knows no
// options.
func withoutSelectEngines(text string, mode dialect.Mode) string {
	toks := dialect.Tokens(text, mode, 0)
	if at := afterTableName(toks); at >= len(toks) || !toks[0].Is("CREATE") || !definesTable(toks) || toks[at].Is("(") {
		return text
	}
	return removeEngines(text, engineOptions(toks))
}

// withPlainEngines replaces the values of ENGINE that the parser does not take, which are texts that no engine is called by, by a name
// that it takes; see EngineOption.
func withPlainEngines(text string, toks []dialect.Token) string {
	e := dialect.Editor{SQL: text}
	for _, o := range engineOptions(toks) {
		if o.value.Kind == dialect.String && o.value.Text != "" && !plainName.MatchString(o.value.Text) {
			e.Replace(o.value, "unknown")
		}
	}
	return e.Done()
}

var plainName = regexp.MustCompile(`^\w+$`)

func removeEngines(text string, list []engineOption) string {
	e := dialect.Editor{SQL: text}
	for _, o := range list {
		e.Remove(dialect.Token{Start: o.word.Start, End: o.value.End})
	}
	return e.Done()
}

// engineOption is ENGINE and its value.
type engineOption struct{ word, value dialect.Token }

// engineOptions are those of a CREATE TABLE or ALTER TABLE, in its order.
func engineOptions(toks []dialect.Token) []engineOption {
	if len(toks) < 3 || !toks[0].Is("CREATE") && !toks[0].Is("ALTER") || !definesTable(toks) {
		return nil
	}
	if toks[0].Is("CREATE") {
		return createdEngines(toks)
	}
	var out []engineOption
	for _, clause := range clausesOf(toks) {
		if len(clause) > 0 && !alterWords[strings.ToUpper(clause[0].Text)] {
			out = append(out, enginesIn(clause)...)
		}
	}
	return out
}

// alterEngineWithin reports whether a statement inside of others is an ALTER TABLE with ENGINE, which the syntax tree does not
// have: only texts do, and statements of routines have none of their own.
func alterEngineWithin(toks []dialect.Token) bool {
	for i, t := range toks {
		if i == 0 || !t.Is("ALTER") {
			continue
		}
		rest := toks[i:]
		if end := slices.IndexFunc(rest, func(t dialect.Token) bool { return t.Is(";") }); end >= 0 {
			rest = rest[:end]
		}
		if len(engineOptions(rest)) > 0 {
			return true
		}
	}
	return false
}

// alterWords begin the clauses of ALTER TABLE that are no table options.
var alterWords = map[string]bool{
	"ADD": true, "DROP": true, "MODIFY": true, "CHANGE": true, "ALTER": true, "RENAME": true, "ORDER": true, "CONVERT": true,
	"PARTITION": true, "REMOVE": true, "COALESCE": true, "REORGANIZE": true, "EXCHANGE": true, "ANALYZE": true, "CHECK": true,
	"OPTIMIZE": true, "REBUILD": true, "REPAIR": true, "TRUNCATE": true, "DISCARD": true, "IMPORT": true,
}

// clausesOf are those of an ALTER TABLE: what stands between commas outside of parentheses, after the name of the table.
func clausesOf(toks []dialect.Token) [][]dialect.Token {
	at := afterTableName(toks)
	var out [][]dialect.Token
	depth, start := 0, at
	for ; at < len(toks); at++ {
		switch t := toks[at]; {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case t.Is(",") && depth == 0:
			out = append(out, toks[start:at])
			start = at + 1
		}
	}
	return append(out, toks[min(start, len(toks)):])
}

// createdEngines are those of a CREATE TABLE: its options follow the columns, and end where partitions or a query begin.
func createdEngines(toks []dialect.Token) []engineOption {
	from := afterTableName(toks)
	depth := 0
	for at := from; at < len(toks); at++ {
		switch t := toks[at]; {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case depth == 0 && t.Kind == dialect.Word && afterOptions[strings.ToUpper(t.Text)]:
			return enginesIn(toks[from:at])
		}
	}
	return enginesIn(toks[min(from, len(toks)):])
}

// afterOptions end the options of a CREATE TABLE.
var afterOptions = map[string]bool{
	"PARTITION": true, "SELECT": true, "AS": true, "IGNORE": true, "REPLACE": true, "WITH": true, "VALUES": true, "LIKE": true,
}

// afterTableName is where the name of the table in a CREATE TABLE or ALTER TABLE ends.
func afterTableName(toks []dialect.Token) int {
	at := 0
	for at < len(toks) && !toks[at].Is("TABLE") {
		at++
	}
	at++
	for at < len(toks) && (toks[at].Is("IF") || toks[at].Is("NOT") || toks[at].Is("EXISTS")) {
		at++
	}
	at++ // the name, or that of its database
	if at+1 < len(toks) && toks[at].Is(".") {
		at += 2
	}
	switch {
	case at < len(toks) && toks[at].Is("NOWAIT"):
		at++
	case at < len(toks) && toks[at].Is("WAIT"):
		at += 2
	}
	return at
}

// enginesIn are those among options.
func enginesIn(toks []dialect.Token) []engineOption {
	var out []engineOption
	depth := 0
	for i, t := range toks {
		switch {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		}
		if depth != 0 || t.Kind != dialect.Word || !t.Is("ENGINE") || i > 0 && toks[i-1].Is("=") {
			continue
		}
		value := i + 1
		if value < len(toks) && toks[value].Is("=") {
			value++
		}
		if value < len(toks) && toks[value].Kind != dialect.Punct {
			out = append(out, engineOption{t, toks[value]})
		}
	}
	return out
}

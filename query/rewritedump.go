package query

import (
	"encoding/hex"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Words of dumps and of MariaDB's grammar that go-mysql-server's parser does not take. Each is rewritten
// into what means the same here.

// rewriteDump changes the token at i of a statement if it is one of those; true if it has.
func rewriteDump(e *editor, toks []token, i int, mode lexMode) bool {
	t := toks[i]
	at := func(n int, word string) bool { return i+n >= 0 && i+n < len(toks) && toks[i+n].is(word) }
	switch {
	case t.kind == tokWord && beyondASCII(t.text) && t.text[0] != '@':
		e.replace(t, quoteName(t.text)) // an identifier; the parser knows letters of ASCII
	case t.kind == tokWord && beyondASCII(t.text) && t.text[0] == '@' && !strings.HasPrefix(t.text, "@@"):
		e.replace(t, "@"+quoteName(t.text[1:]))
	case (t.kind == tokString || t.kind == tokIdent) && isOptionValue(toks, i):
		e.replace(t, t.text) // ENGINE='InnoDB'
	case toks[0].is("LOAD") && i == 2 && (t.is("LOW_PRIORITY") || t.is("CONCURRENT")):
		e.remove(t) // of a lock that there is not
	case t.kind == tokWord && at(-1, "BY") && (at(-2, "TERMINATED") || at(-2, "ENCLOSED") || at(-2, "ESCAPED") || at(-2, "STARTING")):
		if text, ok := hexText(t.text, mode); ok {
			e.replace(t, text)
		}
	case t.is("BINARY") && toks[0].is("SET") && at(-1, "="):
		e.replace(t, "'binary'")
	case t.is("IGNORE") && toks[0].is("DELETE") && i < 4, t.is("QUICK") && toks[0].is("DELETE") && i < 4,
		t.is("LOW_PRIORITY") && toks[0].is("DELETE") && i < 4:
		e.remove(t) // what would be a warning is an error
	case t.is("PARTITION") && at(1, "BY") && toks[0].is("CREATE") && depthAt(toks, i) == 0:
		// A table without partitions answers alike; the log has it without them as well.
		e.remove(token{start: t.start, end: len(e.sql)})
	default:
		return false
	}
	return true
}

// hexText is a string literal for a hexadecimal one such as 0x2c, which separators may be.
func hexText(word string, mode lexMode) (string, bool) {
	if len(word) < 3 || !strings.EqualFold(word[:2], "0x") {
		return "", false
	}
	digits := word[2:]
	if len(digits)%2 == 1 {
		digits = "0" + digits
	}
	bytes, err := hex.DecodeString(digits)
	if err != nil {
		return "", false
	}
	if mode.noBackslashEscapes {
		return "'" + strings.ReplaceAll(string(bytes), "'", "''") + "'", true
	}
	return quoteString(string(bytes)), true
}

func beyondASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return true
		}
	}
	return false
}

// isOptionValue reports whether the token is the quoted value of a table option that takes a name.
func isOptionValue(toks []token, i int) bool {
	if !toks[0].is("CREATE") && !toks[0].is("ALTER") {
		return false
	}
	for _, r := range toks[i].text {
		if r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	if toks[i].text == "" || depthAt(toks, i) != 0 {
		return false
	}
	i--
	if i > 0 && toks[i].is("=") {
		i--
	}
	return i > 0 && (toks[i].is("ENGINE") || toks[i].is("CHARSET") || toks[i].is("COLLATE") || toks[i].is("SET") && toks[i-1].is("CHARACTER"))
}

// depthAt is the number of parentheses that are open before a token.
func depthAt(toks []token, i int) (depth int) {
	for _, t := range toks[:i] {
		if t.is("(") {
			depth++
		} else if t.is(")") {
			depth--
		}
	}
	return depth
}

// useStoredCharset takes a CHARACTER SET away from INTO OUTFILE, which go-mysql-server refuses, if the text is
// written like that anyway.
func useStoredCharset(ast sqlparser.Statement) {
	var into *sqlparser.Into
	switch n := ast.(type) {
	case *sqlparser.Select:
		into = n.Into
	case *sqlparser.SetOp:
		into = n.Into
	}
	if into != nil && sameAsStored(into.Charset) {
		into.Charset = ""
	}
}

// sameAsStored reports whether text in a character set has the bytes that it has here.
func sameAsStored(charset string) bool {
	switch strings.ToLower(charset) {
	case "utf8mb4", "utf8", "utf8mb3", "binary":
		return true
	}
	return false
}

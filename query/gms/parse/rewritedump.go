package parse

import (
	"encoding/hex"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect"
)

// Words of dumps and of MariaDB's grammar that go-mysql-server's parser does not take. Each is rewritten
// into what means the same here.

// rewriteDump changes the token at i of a statement if it is one of those; true if it has.
func rewriteDump(e *dialect.Editor, toks []dialect.Token, i int, mode dialect.Mode) bool {
	t := toks[i]
	at := func(n int, word string) bool { return i+n >= 0 && i+n < len(toks) && toks[i+n].Is(word) }
	switch {
	case t.Kind == dialect.Word && beyondASCII(t.Text) && t.Text[0] != '@':
		e.Replace(t, dialect.QuoteName(t.Text)) // an identifier; the parser knows letters of ASCII
	case t.Kind == dialect.Word && beyondASCII(t.Text) && t.Text[0] == '@' && !strings.HasPrefix(t.Text, "@@"):
		e.Replace(t, "@"+dialect.QuoteName(t.Text[1:]))
	case (t.Kind == dialect.String || t.Kind == dialect.Quoted) && isOptionValue(toks, i):
		e.Replace(t, t.Text) // ENGINE='InnoDB'
	case toks[0].Is("LOAD") && i == 2 && (t.Is("LOW_PRIORITY") || t.Is("CONCURRENT")):
		e.Remove(t) // of a lock that there is not
	case t.Kind == dialect.Word && at(-1, "BY") && (at(-2, "TERMINATED") || at(-2, "ENCLOSED") || at(-2, "ESCAPED") || at(-2, "STARTING")):
		if text, ok := hexText(t.Text, mode); ok {
			e.Replace(t, text)
		}
	case t.Is("BINARY") && toks[0].Is("SET") && at(-1, "="):
		e.Replace(t, "'binary'")
	case t.Is("IGNORE") && toks[0].Is("DELETE") && i < 4, t.Is("QUICK") && toks[0].Is("DELETE") && i < 4,
		t.Is("LOW_PRIORITY") && toks[0].Is("DELETE") && i < 4:
		e.Remove(t) // what would be a warning is an error
	default:
		return false
	}
	return true
}

// hexText is a string literal for a hexadecimal one such as 0x2c, which separators may be.
func hexText(word string, mode dialect.Mode) (string, bool) {
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
	if mode.NoBackslashEscapes {
		return "'" + strings.ReplaceAll(string(bytes), "'", "''") + "'", true
	}
	return dialect.QuoteString(string(bytes)), true
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
func isOptionValue(toks []dialect.Token, i int) bool {
	if !toks[0].Is("CREATE") && !toks[0].Is("ALTER") {
		return false
	}
	for _, r := range toks[i].Text {
		if r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	if toks[i].Text == "" || depthAt(toks, i) != 0 {
		return false
	}
	i--
	if i > 0 && toks[i].Is("=") {
		i--
	}
	return i > 0 && (toks[i].Is("ENGINE") || toks[i].Is("CHARSET") || toks[i].Is("COLLATE") || toks[i].Is("SET") && toks[i-1].Is("CHARACTER"))
}

// depthAt is the number of parentheses that are open before a token.
func depthAt(toks []dialect.Token, i int) (depth int) {
	for _, t := range toks[:i] {
		if t.Is("(") {
			depth++
		} else if t.Is(")") {
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

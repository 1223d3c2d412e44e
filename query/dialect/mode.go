package dialect

import "github.com/duramendb/duramen/query/dialect/lex"

// Lex is the mode as package lex takes it.
func (m Mode) Lex() (out lex.Mode) {
	for _, f := range [...]struct {
		on   bool
		mode lex.Mode
	}{
		{m.AnsiQuotes, lex.AnsiQuotes}, {m.PipesAsConcat, lex.PipesAsConcat}, {m.NoBackslashEscapes, lex.NoBackslashEscapes},
		{m.IgnoreSpace, lex.IgnoreSpace}, {m.HighNotPrecedence, lex.HighNotPrecedence}, {m.Brackets, lex.Brackets}, {m.Oracle, lex.Oracle},
	} {
		if f.on {
			out |= f.mode
		}
	}
	return out
}

package corpus

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// lexModes are the modes as the lexer has them.
var lexModes = map[modes]lex.Mode{
	ansiQuotes: lex.AnsiQuotes, highNotPrecedence: lex.HighNotPrecedence, ignoreSpace: lex.IgnoreSpace,
	mssql: lex.Brackets, noBackslashEscapes: lex.NoBackslashEscapes, pipesAsConcat: lex.PipesAsConcat,
}

// grammarParser is our grammar.
func grammarParser(sql, mode, charset string) (any, string, error) {
	o := grammar.Options{Wide: wideOf(charset)}
	set := parseModes(mode)
	for m, l := range lexModes {
		if set&m != 0 {
			o.Mode |= l
		}
	}
	s, next, err := grammar.Parse(sql, o)
	if err != nil {
		return nil, "", err
	}
	// Only one statement can be prepared.
	if rest := skipBlank(sql[next:]); rest != "" {
		line := 1 + strings.Count(sql[:len(sql)-len(rest)], "\n")
		return nil, "", mysqlerr.New(mysqlerr.Parse, mysqlerr.SyntaxErrorText, rest[:min(len(rest), 80)], line)
	}
	return s, string(tree.Print(nil, s, o.Wide)), nil
}

package parse

import (
	"regexp"
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// temporalWord finds, fast, texts that may have a literal like DATE'2026-01-02' or {d '2026-01-02'}.
var temporalWord = regexp.MustCompile(`(?i)(\b(date|time|timestamp)\s*['"])|(\{\s*(d|t|ts)\s*['"])`)

// temporalLiterals writes literals of times as CASTs: go-mysql-server's parser takes them for texts. Columns keep their names.
func temporalLiterals(text *source.Text) (plain string, changed bool, err error) {
	if !temporalWord.MatchString(text.SQL) {
		return "", false, nil
	}
	st, _, err := text.Statement()
	if err != nil {
		return "", false, nil //nolint:nilerr // the parser tells
	}
	var root tree.Node
	routine := false
	switch n := st.(type) {
	case tree.Query:
		root = n
	case *tree.Insert, *tree.Update, *tree.Delete, *tree.Explain:
		root = n
	case *tree.CreateTable:
		if n.Query != nil {
			root = n.Query
		}
	case *tree.View:
		root = n.Query
	case *tree.CreateRoutine, *tree.CreateTrigger, *tree.Event:
		root, routine = n, true
	}
	if root == nil {
		return "", false, nil
	}
	type edit struct {
		tree.Span
		text string
	}
	var edits []edit
	tree.Walk(root, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.SelectItem:
			if n.Alias == nil && hasTemporal(n.X) {
				edits = append(edits, edit{tree.Span{Start: n.End, End: n.End}, " AS " + dialect.QuoteName(n.Written(text.SQL))})
			}
		case *tree.TemporalLit:
			cast, ok := n.Cast()
			switch {
			case routine:
				err = mysqlerr.NotYet("a literal like DATE'2026-01-02' in a routine; CAST")
			case !ok:
				err = mysqlerr.NotYet("a literal like DATE'2026-01-02' that is not written so, in a statement of several tables; CAST")
			}
			edits = append(edits, edit{n.Span, cast})
		}
		return err == nil
	})
	if err != nil || len(edits) == 0 {
		return "", false, err
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return int(a.Start - b.Start) })
	var out strings.Builder
	done := int32(0)
	for _, e := range edits {
		out.WriteString(text.SQL[done:e.Start])
		out.WriteString(e.text)
		done = e.End
	}
	out.WriteString(text.SQL[done:])
	return out.String(), true, nil
}

// hasTemporal reports whether an expression has such a literal.
func hasTemporal(x tree.Expr) (found bool) {
	tree.Walk(x, func(n tree.Node) bool {
		_, is := n.(*tree.TemporalLit)
		found = found || is
		return !found
	})
	return found
}

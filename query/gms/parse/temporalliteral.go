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

// hexWord finds, fast, texts that may have a literal like 0x41.
var hexWord = regexp.MustCompile(`(?i)\b0x[0-9a-f]`)

// hexMost is how many bytes a literal has at most that counts as a number.
const hexMost = 8

// comparedHex refuses a literal like 0x41 that is compared: beside numbers it is one, and go-mysql-server takes it for a text.
func comparedHex(text *source.Text) (err error) {
	if !hexWord.MatchString(text.SQL) {
		return nil
	}
	st, _, failed := text.Statement()
	if failed != nil {
		return nil // the parser tells
	}
	look := func(list ...tree.Expr) {
		for _, x := range list {
			if n, ok := x.(*tree.BytesLit); ok && n.Number && n.Charset == "" && len(n.Value) <= hexMost && text.SQL[n.Start] == '0' && text.SQL[n.Start+1]|0x20 == 'x' {
				err = mysqlerr.NotYet("a literal like 0x41 that is compared, in a statement of several tables; write x'41' for a text, or the number")
			}
		}
	}
	tree.Walk(st, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Binary:
			if n.Op >= tree.OpEqual && n.Op <= tree.OpGreaterEqual {
				look(n.Left, n.Right)
			}
		case *tree.In:
			look(n.X)
			look(n.List...)
		case *tree.Between:
			look(n.X, n.Low, n.High)
		}
		return err == nil
	})
	return err
}

// temporalWord finds, fast, texts that may have a literal like DATE'2026-01-02' or {d '2026-01-02'}.
var temporalWord = regexp.MustCompile(`(?i)(\b(date|time|timestamp)\s*['"])|(\{\s*(d|t|ts)\s*['"])`)

// temporalLiterals writes literals of times as CASTs: go-mysql-server's parser takes them for texts. Columns keep their names.
func temporalLiterals(text *source.Text) (plain string, changed bool, err error) {
	if !temporalWord.MatchString(text.SQL) {
		return "", false, nil
	}
	st, _, err := text.Statement()
	if err != nil {
		return "", false, nil // the parser tells
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

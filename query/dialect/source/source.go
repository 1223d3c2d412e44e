// Package source is the text of statements on its way through the server. Whoever wants to know what MariaDB's grammar makes of the first
// one asks the text, which reads it once.
package source

import (
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/facts"
	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// Memory counts what trees take, in bytes.
type Memory interface {
	// Hold counts n bytes more. Its error refuses them.
	Hold(n int64) error
	// Release takes back what Hold counted.
	Release(n int64)
}

// Text is the text of one statement, or of several. It belongs to one goroutine.
type Text struct {
	SQL  string
	Mode dialect.Mode // under which it is read

	memory Memory
	held   int64
	read   bool
	rows   facts.Rows
	left   tree.LeftOut
	tree   tree.Statement
	next   int
	err    error
}

// New is a text. The memory of its tree is counted until Drop; a nil Memory counts nothing.
func New(sql string, mode dialect.Mode, memory Memory) *Text {
	return &Text{SQL: sql, Mode: mode, memory: memory}
}

// Statement is the first statement as the grammar reads it, or the error that it has for it; next is where the text behind it begins, in bytes.
// The rows behind VALUES of an INSERT are left out where the text is long, one of more than LongBytes.
func (t *Text) Statement() (st tree.Statement, next int, err error) {
	if !t.read {
		t.read = true
		o := grammar.Options{Mode: t.Mode.Lex()}
		if len(t.SQL) > LongBytes {
			o.Row = t.row
		}
		if t.memory != nil {
			o.Hold = t.Hold
		}
		t.tree, t.next, t.err = grammar.Parse(t.SQL, o)
	}
	return t.tree, t.next, t.err
}

// row looks at a row that the tree leaves out.
func (t *Text) row(n *tree.Row) (kept bool) {
	t.left.Add(n)
	return t.rows.Add(n)
}

// LeftOut tells what rows Statement has left out.
func (t *Text) LeftOut() tree.LeftOut { return t.left }

// Rows reads the text once more, and calls each with the rows that Statement leaves out, one by one, until it has an error. Of the rows only each keeps
// something.
func (t *Text) Rows(each func(*tree.Row) error) error {
	again := New(t.SQL, t.Mode, t.memory)
	defer again.Drop()
	var failed error
	o := grammar.Options{Mode: t.Mode.Lex(), Row: func(n *tree.Row) bool {
		if failed == nil {
			failed = each(n)
		}
		return false
	}}
	if t.memory != nil {
		o.Hold = again.Hold
	}
	if _, _, err := grammar.Parse(t.SQL, o); err != nil && failed == nil {
		failed = err
	}
	return failed
}

// boundBytes is what binding makes of a tree for each byte of it, at most.
const boundBytes = 3

// HoldBound counts what is made of the tree when it is bound, unless the text is short. Whoever binds the tree calls it before.
func (t *Text) HoldBound() error {
	if len(t.SQL) <= LongBytes {
		return nil
	}
	return t.Hold(boundBytes * t.held)
}

// Hold counts n bytes more that what is made of the text takes, until Drop.
func (t *Text) Hold(n int64) error {
	if t.memory == nil {
		return nil
	}
	err := t.memory.Hold(n)
	t.held += n // refused or not: a session counts what it refuses until it is released
	return err
}

// LongBytes is how long a text is at most that is not long, in bytes.
const LongBytes = 64 << 10

// tokenBytes is what lists of the tokens of a long text take at most for each byte of it.
const tokenBytes = 128

// HoldTokens counts what a list of all tokens of the text may take, unless it is short. Whoever makes such a list calls it before.
func (t *Text) HoldTokens() error {
	if len(t.SQL) <= LongBytes {
		return nil
	}
	return t.Hold(int64(len(t.SQL)) * tokenBytes)
}

// Facts are those of the first statement, the rows that Statement leaves out included.
func (t *Text) Facts() (*facts.Facts, error) {
	st, _, err := t.Statement()
	if err != nil {
		return nil, err
	}
	return t.rows.Of(st), nil
}

// Drop gives back the memory that is held, of which nobody uses anything any more. After that Statement has no tree.
func (t *Text) Drop() {
	if t.held > 0 {
		t.memory.Release(t.held)
	}
	t.tree, t.rows, t.left, t.held = nil, facts.Rows{}, tree.LeftOut{}, 0
}

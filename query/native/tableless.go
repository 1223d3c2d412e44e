package native

import (
	"errors"
	"strings"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/status"
	"github.com/duramendb/duramen/query/sysvar"
)

// Statements without tables that sessions send all the time (SELECT 1, SELECT @@version_comment, SET autocommit = 0) are kept by all of their text, as those that
// are prepared: there are few of them, and their literals count for what their columns are.

// wholeMost is how long such a text is at most, in bytes.
const wholeMost = 1024

// findWhole is what is kept of a text by all of it; nil if there is nothing.
func (s Session) findWhole(text string) *entry {
	const lower = 'a' - 'A'
	if text == "" || len(text) > wholeMost || text[0]|lower != 's' { // SELECT or SET
		return nil
	}
	e := s.Programs.findPrepared(s.wholeKey(text))
	if e != nil && !e.used.Load() {
		e.used.Store(true)
	}
	return e
}

func (s Session) wholeKey(text string) programKey {
	return programKey{shape: text, prepared: true, db: s.DB(), mode: s.LexMode}
}

// keepWhole is how a statement is kept by all of its text, with what is read from now on; nil if it is not. byShape is how it would be kept by its shape.
func (s Session) keepWhole(n tree.Statement, text string, byShape *keeping) *keeping {
	if !s.direct() || len(text) > wholeMost || !tableless(n) {
		return nil
	}
	if byShape == nil {
		s.Server.Status.Direct(status.MissFirst) // of others it was counted when their shape was not found
	}
	k := &keeping{key: s.wholeKey(text), catalog: s.catalog(), noted: s.Vars.Note()}
	_ = s.Vars.Str("native_sql") // it was looked at
	return k
}

// tableless reports whether a statement is a SELECT without tables, or a SET.
func tableless(n tree.Statement) bool {
	switch n := n.(type) {
	case *tree.Select:
		return len(n.From) == 0
	case *tree.Set:
		return true
	}
	return false
}

// source is the table that the statement is about first; nil if there is none.
func (st *Statement) source() *plan.Source {
	if st.plan == nil {
		return nil
	}
	return st.plan.Source
}

// systemReading is a system variable that an expression reads: its value is part of what the statement was bound to.
type systemReading struct {
	def    *sysvar.Def
	global bool
	part   string // of the variable; empty: the plain name
	value  any
}

// read is the value of the variable now.
func (r *systemReading) read(s Session) any {
	if r.part != "" {
		v, _ := s.Vars.Globals().Part(r.def, r.part) // NULL without it
		return v
	}
	if r.global {
		return s.Vars.Globals().Value(r.def)
	}
	return s.Vars.Value(r.def)
}

// reading notes which system variables the expressions read, and what they were.
func (b *binding) reading(n *tree.SystemVariable) (bind.System, error) {
	return b.system(n, func(r systemReading) {
		b.systems = append(b.systems, r)
		if r.part == "" {
			return
		}
		var warning *mysqlerr.Error
		if _, err := b.Vars.Globals().Part(r.def, r.part); errors.As(err, &warning) {
			for range 2 { // as often as MariaDB asks for the value
				b.frame.Diag.Warnf(warning.Number, "%s", warning.Message)
			}
		}
	})
}

// sameSystem reports whether the system variables of expressions are as they were. Unlike those that binding itself reads, they may change without the session
// setting them.
func (p *program) sameSystem(s Session) bool {
	for i := range p.systems {
		if r := &p.systems[i]; r.read(s) != r.value {
			return false
		}
	}
	return true
}

// ofSession are functions without arguments that say what the session is like when they run.
var ofSession = map[string]bool{
	"DATABASE": true, "SCHEMA": true, "VERSION": true, "CONNECTION_ID": true, "USER": true, "SESSION_USER": true, "SYSTEM_USER": true, "CURRENT_USER": true,
	"CURRENT_ROLE": true, "FOUND_ROWS": true, "ROW_COUNT": true, "LAST_INSERT_ID": true,
}

// passingTableless is why nothing is kept of a statement without tables; "" if it may be.
func (b *binding) passingTableless(st *Statement, n tree.Statement) (why string) {
	p := st.plan
	switch {
	case !tableless(n) || p != nil && p.Source != nil:
		return "no table"
	case st.assigned != nil, st.into != nil, st.file != nil, b.outer != nil, len(b.frame.Diag.Conditions) > 0, b.frame.Asked.Clock:
		return "what it does beside its values"
	case p != nil && (p.Group != nil || p.Outer != nil || p.Virtual != nil || p.Matches != nil || len(p.Items) == 0):
		return "a group"
	}
	for i := range st.values {
		if v := &st.values[i]; v.system != nil && (v.global || len(privilege.Variable(v.name, false)) > 0) {
			return "a variable that is not everybody's to set"
		}
	}
	tree.Walk(n, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Select:
			if n.Into != nil || n.Windows != nil || n.GroupBy != nil {
				why = "a clause"
			}
		case *tree.SelectItem, *tree.Limit, *tree.Set, *tree.SetVariable, *tree.SetUserVariable, *tree.Ident, *tree.ColumnRef, *tree.Placeholder,
			*tree.NullLit, *tree.BoolLit, *tree.NumberLit, *tree.TextLit, *tree.BytesLit, *tree.Binary, *tree.Chain, *tree.Unary, *tree.Is:
		case *tree.SystemVariable:
			if d, ok := sysvar.Lookup(n.Name.Text); !ok || setByStatement[d.Name] {
				why = "a variable that statements set"
			}
		case *tree.Call:
			if !ofSession[strings.ToUpper(n.Name.Text)] || len(n.Args) > 0 || n.DB.Text != "" || n.Package.Text != "" {
				why = "a function"
			}
		default:
			why = "a clause"
		}
		return why == ""
	})
	return why
}

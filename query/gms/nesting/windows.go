package nesting

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// Errors of named windows, MariaDB's ER_WRONG_WINDOW_SPEC_NAME and those after it.
const (
	errNoSuchWindow    = 4009
	errWindowTwice     = 4010
	errWindowPartition = 4011
	errWindowOrder     = 4012
	errWindowFrame     = 4013
)

// windows puts the definitions of named windows in place of their names. go-mysql-server does not know names that are
// not defined, and gives OVER name the frame of a window without ORDER BY.
func (g *grammar) windows() error {
	for _, sel := range g.windowed {
		if err := resolveWindows(sel); err != nil {
			return err
		}
	}
	for _, f := range g.overNames {
		if !f.Over.NameRef.IsEmpty() {
			return noSuchWindow(f.Over.NameRef)
		}
		if err := overWindow((*sqlparser.WindowDef)(f.Over), f.Name.Lowered()); err != nil {
			return err
		}
	}
	return nil
}

func noSuchWindow(name sqlparser.ColIdent) error {
	return mysqlerr.Newf(errNoSuchWindow, "Window specification with name '%s' is not defined", name)
}

// resolveWindows does so in one SELECT; those in it have windows of their own.
func resolveWindows(sel *sqlparser.Select) error {
	defs := map[string]*sqlparser.WindowDef{}
	for _, w := range sel.Window {
		if err := inherit(w, defs, false); err != nil {
			return err
		}
		if defs[w.Name.Lowered()] != nil {
			return mysqlerr.Newf(errWindowTwice, "Multiple window specifications with the same name '%s'", w.Name)
		}
		defs[w.Name.Lowered()] = w
	}
	return sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.Subquery:
			return false, nil
		case *sqlparser.FuncExpr:
			if n.Over != nil {
				return true, inherit((*sqlparser.WindowDef)(n.Over), defs, isName(n.Over))
			}
		}
		return true, nil
	}, sel.SelectExprs, sel.OrderBy)
}

// isName reports whether a window is nothing but a name.
func isName(w *sqlparser.Over) bool {
	return len(w.PartitionBy) == 0 && len(w.OrderBy) == 0 && w.Frame == nil
}

// inherit gives a window what the one has that it names, which is to be among defs: those before it. A
// window that is nothing but the name of another one may have its frame, too.
func inherit(w *sqlparser.WindowDef, defs map[string]*sqlparser.WindowDef, bare bool) error {
	if w.NameRef.IsEmpty() {
		return nil
	}
	from := defs[w.NameRef.Lowered()]
	switch {
	case from == nil:
		return noSuchWindow(w.NameRef)
	case len(w.PartitionBy) > 0:
		return mysqlerr.Newf(errWindowPartition, "Window specification referencing another one '%s' cannot contain partition list", w.NameRef)
	case len(w.OrderBy) > 0 && len(from.OrderBy) > 0:
		return mysqlerr.Newf(errWindowOrder, "Referenced window specification '%s' already contains order list", w.NameRef)
	case from.Frame != nil && !bare:
		return mysqlerr.Newf(errWindowFrame, "Referenced window specification '%s' cannot contain window frame", w.NameRef)
	}
	w.PartitionBy, w.NameRef = from.PartitionBy, sqlparser.ColIdent{}
	if len(w.OrderBy) == 0 {
		w.OrderBy = from.OrderBy
	}
	if bare {
		w.Frame = from.Frame
	}
	return nil
}

package nesting

import (
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// grammar finds what the parser takes and MariaDB's does not, where go-mysql-server would panic or
// answer something else. It sees every node once, parents first.
type grammar struct {
	// placed are the DEFAULTs that stand where a value is assigned, and the INTERVALs that stand where
	// something is added to a time.
	placed map[sqlparser.Expr]bool
	// body: the walk is in a routine, trigger or event. Nothing follows one, so that it is never taken back.
	body bool
	// windowed are the SELECTs with named windows, overNames the functions over them: see windows.
	windowed  []*sqlparser.Select
	overNames []*sqlparser.FuncExpr
	// outside are the expressions that are no part of a query: see aggregates.
	outside []sqlparser.Expr
}

// distinctTakers are the functions that take DISTINCT.
var distinctTakers = map[string]bool{"count": true, "sum": true, "avg": true, "min": true, "max": true, "json_arrayagg": true}

// oneArgument are aggregates that MariaDB's grammar gives exactly one argument.
var oneArgument = map[string]bool{
	"sum": true, "avg": true, "min": true, "max": true, "bit_and": true, "bit_or": true, "bit_xor": true,
	"std": true, "stddev": true, "stddev_pop": true, "stddev_samp": true, "var_pop": true, "var_samp": true, "variance": true,
}

// errNotAllowedHere is MariaDB's ER_NOT_ALLOWED_IN_THIS_CONTEXT.
const errNotAllowedHere = 4172

func (g *grammar) check(node any) error {
	g.rowless(node)
	switch n := node.(type) {
	case *sqlparser.Insert:
		return g.insert(n)
	case *sqlparser.AssignmentExpr:
		return g.assign(n.Name, n.Expr)
	case *sqlparser.SetVarExpr:
		if n.Scope == sqlparser.SetScope_User && n.Name != nil && noName(n.Name.Name.String()) {
			return misplaced("@")
		}
		if d, ok := n.Expr.(*sqlparser.Default); ok && d.ColName == "" && n.Scope != sqlparser.SetScope_User {
			if g.body { // a variable of the body, NEW.column, or a system variable
				return mysqlerr.New(mysqlerr.NotSupportedYet, "SET to DEFAULT in a body")
			}
			g.place(d)
		}
	case *sqlparser.ValuesStatement:
		for _, row := range n.Rows {
			for _, e := range row {
				if _, ok := e.(*sqlparser.Default); ok {
					return mysqlerr.Newf(errNotAllowedHere, "'%s' is not allowed in this context", "default")
				}
			}
		}
	case *sqlparser.Default:
		switch {
		case g.placed[n]:
		case n.ColName != "":
			return mysqlerr.New(mysqlerr.NotSupportedYet, "DEFAULT(column) other than in an assignment to this column")
		default:
			return misplaced("DEFAULT")
		}
	case *sqlparser.ColName:
		return variable(n)
	case *sqlparser.FuncExpr:
		if err := g.timeShift(n); err != nil {
			return err
		}
		if n.Over != nil && !n.Over.NameRef.IsEmpty() {
			g.overNames = append(g.overNames, n)
		}
		return call(n)
	case *sqlparser.BinaryExpr:
		g.sum(n)
	case *sqlparser.IntervalExpr:
		if !g.placed[n] {
			return misplaced("INTERVAL")
		}
	case *sqlparser.Select:
		for _, w := range n.Window {
			onePartition(w)
		}
		if len(n.Window) > 0 {
			g.windowed = append(g.windowed, n)
		}
	case *sqlparser.DDL:
		return g.definition(n)
	case *sqlparser.ShowFilter:
		likeNothing(n)
	case *sqlparser.ConvertExpr:
		if n.Type != nil && strings.EqualFold(n.Type.Type, "year") {
			return misplaced("YEAR")
		}
	case *sqlparser.GroupConcatExpr:
		for _, e := range n.Exprs {
			if _, ok := e.(*sqlparser.StarExpr); ok {
				return misplaced("*")
			}
		}
	case *sqlparser.SetOp:
		if l, r := width(n.Left), width(n.Right); l > 0 && r > 0 && l != r {
			return mysqlerr.New(mysqlerr.WrongNumberOfColumnsInSelect)
		}
	}
	return nil
}

// misplaced is the error of a word that must not stand where it does.
func misplaced(near string) error {
	return mysqlerr.New(mysqlerr.Parse, mysqlerr.SyntaxErrorText, near, 1)
}

func (g *grammar) place(e sqlparser.Expr) {
	if g.placed == nil {
		g.placed = map[sqlparser.Expr]bool{}
	}
	g.placed[e] = true
}

// assign looks at the assignment of a DEFAULT to a column. go-mysql-server takes DEFAULT(x) for the default
// of the column that is assigned to, whatever x is.
func (g *grammar) assign(to *sqlparser.ColName, e sqlparser.Expr) error {
	if d, ok := e.(*sqlparser.Default); ok && (d.ColName == "" || to != nil && strings.EqualFold(bare(d.ColName), to.Name.String())) {
		g.place(d)
	}
	return nil
}

// insert looks at the DEFAULTs of an INSERT or REPLACE.
func (g *grammar) insert(n *sqlparser.Insert) error {
	for _, a := range n.OnDup {
		if _, ok := a.Expr.(*sqlparser.Default); ok {
			return mysqlerr.New(mysqlerr.NotSupportedYet, "DEFAULT in ON DUPLICATE KEY UPDATE")
		}
	}
	var rows sqlparser.Values
	switch r := n.Rows.(type) {
	case sqlparser.Values:
		rows = r
	case *sqlparser.AliasedValues:
		rows = r.Values
		// go-mysql-server gives each column of the table one of these names.
		if names := len(r.Columns); names > 0 && names != len(n.Columns) {
			if len(n.Columns) > 0 || len(rows) > 0 && names != len(rows[0]) {
				return mysqlerr.New(mysqlerr.WrongValueCountOnRow, 1)
			}
			return mysqlerr.New(mysqlerr.NotSupportedYet, "names for the columns of a row of VALUES without a list of the table's columns")
		}
	}
	for at, row := range rows {
		// go-mysql-server looks at rows of no value as if DEFAULT were given for each column.
		if len(n.Columns) > 0 && len(row) != len(n.Columns) || len(row) != len(rows[0]) {
			return mysqlerr.New(mysqlerr.WrongValueCountOnRow, at+1)
		}
		for i, e := range row {
			d, ok := e.(*sqlparser.Default)
			if ok && (d.ColName == "" || i < len(n.Columns) && strings.EqualFold(bare(d.ColName), n.Columns[i].String())) {
				g.place(d)
			}
		}
	}
	return nil
}

// bare is the name of a column without quotes; those with a qualifier stay as they are.
func bare(name string) string { return strings.Trim(name, "`") }

func word(n *sqlparser.ColName) string {
	if n == nil {
		return ""
	}
	if q := n.Qualifier.Name.String(); q != "" {
		return q
	}
	return n.Name.String()
}

// variable looks at the name of a variable: it must not be empty, nor a quote that does not end.
func variable(n *sqlparser.ColName) error {
	if !strings.HasPrefix(word(n), "@") {
		return nil
	}
	for _, part := range []string{word(n), n.Name.String()} {
		for _, name := range strings.Split(part, ".") {
			if name == "@" { // the parser takes @'x' for a variable without a name, and its name for an alias
				return mysqlerr.New(mysqlerr.NotSupportedYet, "a user variable with its name in quotes other than backquotes")
			}
			if noName(strings.TrimLeft(name, "@")) {
				return misplaced(name)
			}
		}
	}
	return nil
}

// noName reports whether the name of a variable is none.
func noName(name string) bool {
	switch name {
	case "", "`", "``", "'", "''", `"`, `""`:
		return true
	}
	return false
}

// call looks at the arguments of a function.
func call(n *sqlparser.FuncExpr) error {
	if !n.Qualifier.IsEmpty() {
		return nil
	}
	name := n.Name.Lowered()
	if n.Distinct && !distinctTakers[name] {
		return misplaced("DISTINCT")
	}
	for _, e := range n.Exprs {
		if star, ok := e.(*sqlparser.StarExpr); ok && (name != "count" || n.Distinct || len(n.Exprs) > 1 || !star.TableName.IsEmpty()) {
			return misplaced("*")
		}
	}
	if (oneArgument[name] || name == "count" && !n.Distinct) && len(n.Exprs) != 1 {
		return misplaced(",")
	}
	if err := arguments(n, name); err != nil || n.Over == nil {
		return err
	}
	if n.Distinct {
		return mysqlerr.New(mysqlerr.NotSupportedYet, strings.ToUpper(name)+"(DISTINCT) aggregate as window function")
	}
	if name == "ntile" {
		if err := ntile(n); err != nil {
			return err
		}
	}
	if !n.Over.NameRef.IsEmpty() {
		return nil // see windows
	}
	return overWindow((*sqlparser.WindowDef)(n.Over), name)
}

// ntile wants the argument of NTILE to be a whole number of at least one: go-mysql-server evaluates it
// before it has a row.
func ntile(n *sqlparser.FuncExpr) error {
	if len(n.Exprs) != 1 {
		return misplaced(",")
	}
	bad := mysqlerr.New(mysqlerr.InvalidNtileArgument)
	if e, ok := n.Exprs[0].(*sqlparser.AliasedExpr); ok {
		switch v := e.Expr.(type) {
		case *sqlparser.NullVal:
			return bad
		case *sqlparser.SQLVal:
			switch v.Type {
			case sqlparser.ValArg:
				return nil
			case sqlparser.IntVal:
				if i, err := strconv.ParseInt(string(v.Val), 10, 64); err != nil || i < 1 {
					return bad
				}
				return nil
			}
		}
	}
	return mysqlerr.New(mysqlerr.NotSupportedYet, "NTILE() of what is no whole number")
}

// width is the number of columns of a query; 0 if its text does not tell.
func width(s sqlparser.SelectStatement) int {
	for {
		switch n := s.(type) {
		case *sqlparser.Select:
			for _, e := range n.SelectExprs {
				if _, ok := e.(*sqlparser.StarExpr); ok {
					return 0
				}
			}
			return len(n.SelectExprs)
		case *sqlparser.SetOp:
			s = n.Left
		case *sqlparser.ParenSelect:
			s = n.Select
		default:
			return 0
		}
	}
}

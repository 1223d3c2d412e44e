package own

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// replaced is the value of CREATE OR REPLACE {TABLE | DATABASE | INDEX | PROCEDURE | TRIGGER | EVENT}.
func (t text) replaced(s tree.Statement) (dialect.Statement, error) {
	st := dialect.CreateOrReplace{}
	var replace, conditional bool
	var name *tree.TableName
	switch n := s.(type) {
	case *tree.CreateTable:
		st.What, st.Temporary, replace, conditional, name = "TABLE", n.Temporary, n.OrReplace, n.IfNotExists, n.Name
	case *tree.CreateDatabase:
		st.What, replace, conditional, name = "DATABASE", n.OrReplace, n.IfNotExists, &tree.TableName{Name: n.Name}
	case *tree.CreateIndex:
		st.What, st.Index, replace, conditional, name = "INDEX", n.Name.Text, n.OrReplace, n.IfNotExists, n.Table
	case *tree.CreateRoutine:
		if n.Kind != tree.Procedure {
			return nil, nil
		}
		st.What, replace, conditional, name = "PROCEDURE", n.OrReplace, n.IfNotExists, n.Name
	case *tree.CreateTrigger:
		st.What, replace, conditional, name = "TRIGGER", n.OrReplace, n.IfNotExists, n.Name
	case *tree.Event:
		st.What, replace, conditional, name = "EVENT", n.OrReplace, n.IfNotExists, n.Name
	}
	switch {
	case !replace:
		return nil, nil
	case conditional:
		return nil, mysqlerr.New(mysqlerr.WrongUsage, "OR REPLACE", "IF NOT EXISTS")
	}
	if err := checkTable(name); err != nil {
		return nil, err
	}
	st.Name = tableName(name)
	st.Text = t.at(s.Place())
	st.Create = "CREATE " + t.afterOrReplace(st.Text)
	return st, nil
}

// dropped is the value of DROP FUNCTION and DROP PROCEDURE.
func (t text) dropped(s tree.Statement) (dialect.Statement, error) {
	n, ok := s.(*tree.Drop)
	if !ok || n.What != "FUNCTION" && n.What != "PROCEDURE" {
		return nil, nil
	}
	return dialect.DropRoutine{Kind: dialect.Routine(n.What), IfExists: n.IfExists, Name: tableName(n.Names[0])}, nil
}

// afterOrReplace is what stands behind CREATE OR REPLACE.
func (t text) afterOrReplace(statement string) string {
	lx := lex.New(statement, 0, nil)
	lx.Next()
	lx.Next()
	return strings.TrimLeft(statement[lx.Next().End:], " \t\n\v\f\r")
}

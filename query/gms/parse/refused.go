package parse

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// refuse is the error of a statement whose meaning would be lost: the parser takes
// it, and nothing here does what it says.
func refuse(text string, mode dialect.Mode, ast sqlparser.Statement) error {
	if err := refuseInTree(ast); err != nil {
		return err
	}
	if err := refuseInMode(mode, ast); err != nil {
		return err
	}
	switch n := ast.(type) {
	case *sqlparser.Set:
		if err := refuseScopes(n); err != nil {
			return err
		}
		return refuseScheduler(n)
	case *sqlparser.Explain, *sqlparser.Show:
		return refuseMySQLs(text, ast, dialect.Tokens(text, mode, 3))
	case *sqlparser.DDL, *sqlparser.AlterTable:
		toks := dialect.Tokens(text, mode, 0)
		if err := refuseMySQLs(text, ast, toks); err != nil {
			return err
		}
		if ddl, ok := n.(*sqlparser.DDL); ok && len(Bodies(ddl)) > 0 && alterEngineWithin(toks) {
			return mysqlerr.NotYet("ALTER TABLE ... ENGINE in a routine")
		}
		for _, engine := range engineOptions(toks) {
			if engine.value.Is("DEFAULT") { // a word of MariaDB's grammar, not of the parser's
				return dialect.SyntaxError(text, engine.value.Start)
			}
		}
		return refuseInDefinition(toks)
	}
	return nil
}

// refuseInMode refuses what binds otherwise in the session's sql_mode than in go-mysql-server's grammar.
func refuseInMode(mode dialect.Mode, ast sqlparser.Statement) error {
	if !mode.Oracle && !mode.HighNotPrecedence {
		return nil
	}
	return sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		switch n := n.(type) {
		case *sqlparser.NotExpr:
			if mode.HighNotPrecedence {
				return false, mysqlerr.NotYet("NOT in sql_mode HIGH_NOT_PRECEDENCE, in a statement of several tables; put it in parentheses and switch the mode off")
			}
		case *sqlparser.SetOp:
			for _, side := range []sqlparser.SelectStatement{n.Left, n.Right} {
				if inner, ok := side.(*sqlparser.SetOp); ok && mode.Oracle && strings.HasPrefix(n.Type, "intersect") != strings.HasPrefix(inner.Type, "intersect") {
					return false, mysqlerr.NotYet("INTERSECT beside other set operations in sql_mode ORACLE; use derived tables")
				}
			}
		}
		return true, nil
	}, ast)
}

// refuseInTree looks for clauses that the syntax tree shows.
func refuseInTree(ast sqlparser.Statement) error {
	var err error
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if err == nil { // those beside a node that is refused are met, too
			err = refuseNode(n)
		}
		return err == nil, nil
	}, ast)
	return err
}

// refuseNode is refuseInTree for one node.
func refuseNode(n sqlparser.SQLNode) (err error) {
	switch n := n.(type) {
	case *sqlparser.DDL:
		if n.TableSpec != nil && n.TableSpec.PartitionOpt != nil { // one in a routine: of others it was taken out
			err = mysqlerr.NotYet("PARTITION BY in routines")
		}
		for _, body := range Bodies(n) {
			if err == nil {
				err = refuseInTree(body)
			}
			if err == nil {
				err = refuseDynamic(n, body)
			}
			if err == nil {
				err = refuseJoinedStars(body)
			}
		}
	case *sqlparser.AliasedTableExpr:
		if q, ok := n.Expr.(*sqlparser.Subquery); ok {
			err = refuseBits(q.Select)
		}
		if len(n.Partitions) > 0 {
			err = mysqlerr.NotYet("PARTITION (...) of a table")
		}
		if n.AsOf != nil {
			err = mysqlerr.NotYet("FOR SYSTEM_TIME")
		}
	case *sqlparser.Select:
		err = refuseLookalikes(n)
	case *sqlparser.Subquery:
		if q, ok := n.Select.(*sqlparser.Select); ok {
			err = refuseAggregates(q.Where)
		}
	case *sqlparser.GroupConcatExpr:
		err = refuseGroupConcat(n)
	case *sqlparser.Insert:
		switch {
		case len(n.Partitions) > 0:
			err = mysqlerr.NotYet("PARTITION (...) of a table")
		case n.Ignore != "" && len(n.Returning) > 0: // its rows are lost, or taken for others
			err = mysqlerr.NotYet("INSERT IGNORE ... RETURNING")
		}
	case *sqlparser.Delete:
		if err = refuseOwnSubquery(n); len(n.Partitions) > 0 {
			err = mysqlerr.NotYet("PARTITION (...) of a table")
		}
	case *sqlparser.Update:
		err = refuseAssigned(n)
	case *sqlparser.Load:
		if len(n.Partition) > 0 {
			err = mysqlerr.NotYet("PARTITION (...) of a table")
		}
	case *sqlparser.FuncExpr:
		if name := strings.ToLower(n.Name.String()); n.Over != nil && !overRight[name] {
			err = mysqlerr.NotYet(strings.ToUpper(name) + "() OVER")
		}
		if db := n.Qualifier.String(); db != "" { // go-mysql-server would take it for a function of its own
			err = mysqlerr.New(mysqlerr.SPDoesNotExist, "FUNCTION", db+"."+n.Name.String())
		}
	case *sqlparser.AlterTable:
		if len(n.PartitionSpecs) > 0 { // of others it was taken out
			err = mysqlerr.NotYet("ALTER TABLE ... PARTITION in a routine")
		}
	case *sqlparser.Declare:
		// They miss errors, catch those of other blocks, or loop for ever.
		if n.Handler != nil {
			err = mysqlerr.NotYet("DECLARE ... HANDLER")
		}
	}
	return err
}

// refuseLookalikes refuses two functions over windows that differ in the case of letters of a literal: go-mysql-server takes them for one.
func refuseLookalikes(n *sqlparser.Select) (err error) {
	literals := map[string]string{} // of functions, by their texts in lower case
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch node := node.(type) {
		case *sqlparser.Subquery:
			return false, nil
		case *sqlparser.FuncExpr:
			if node.Over == nil {
				break
			}
			text, own := strings.ToLower(sqlparser.String(node)), literalsOf(node)
			if other, met := literals[text]; met && other != own {
				err = mysqlerr.NotYet("functions OVER that differ in the case of letters of a literal; use a derived table")
			}
			literals[text] = own
		}
		return err == nil, nil
	}, n.SelectExprs, n.OrderBy)
	return err
}

// literalsOf are the literals of an expression.
func literalsOf(n sqlparser.SQLNode) string {
	var all strings.Builder
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if v, ok := node.(*sqlparser.SQLVal); ok {
			all.WriteString(sqlparser.String(v) + " ")
		}
		return true, nil
	}, n)
	return all.String()
}

// overRight are the window functions that go-mysql-server computes as MariaDB does.
var overRight = map[string]bool{
	"row_number": true, "rank": true, "dense_rank": true, "percent_rank": true, "ntile": true, "lag": true, "lead": true, "first_value": true, "last_value": true,
	"sum": true, "count": true, "min": true, "max": true, "avg": true, "std": true, "stddev": true, "stddev_pop": true, "stddev_samp": true,
	"variance": true, "var_pop": true, "var_samp": true,
}

// Bodies are the statements of a routine, trigger or event, which a walk over its
// definition leaves out.
func Bodies(n *sqlparser.DDL) []sqlparser.Statement {
	var out []sqlparser.Statement
	if n.ProcedureSpec != nil && n.ProcedureSpec.Body != nil {
		out = append(out, n.ProcedureSpec.Body)
	}
	if n.TriggerSpec != nil && n.TriggerSpec.Body != nil {
		out = append(out, n.TriggerSpec.Body)
	}
	if n.EventSpec != nil && n.EventSpec.Body != nil {
		out = append(out, n.EventSpec.Body)
	}
	return out
}

// refuseScopes refuses what go-mysql-server would set something else for.
func refuseScopes(n *sqlparser.Set) error {
	global := false
	for _, e := range n.Exprs {
		switch {
		case !e.Name.Qualifier.IsEmpty(): // it would be left out
			return mysqlerr.NotYet("A part of a variable beside such values")
		case e.Scope == sqlparser.SetScope_Global:
			global = true
		case global && e.Scope == sqlparser.SetScope_None: // GLOBAL counts for it, too
			return mysqlerr.NotYet("A variable without GLOBAL behind one with it, beside such values")
		}
	}
	return nil
}

// refuseScheduler refuses to switch the event scheduler on: there is none.
func refuseScheduler(n *sqlparser.Set) error {
	for _, e := range n.Exprs {
		name := strings.ToLower(e.Name.String())
		if name != "event_scheduler" && !strings.HasSuffix(name, ".event_scheduler") {
			continue
		}
		switch strings.ToLower(strings.Trim(sqlparser.String(e.Expr), "'`\"")) {
		case "off", "0", "false", "disabled", "default":
		default:
			return mysqlerr.NotYet("event_scheduler=ON")
		}
	}
	return nil
}

// refuseInDefinition looks at the words of CREATE TABLE and ALTER TABLE.
func refuseInDefinition(toks []dialect.Token) error {
	if len(toks) < 3 || !toks[0].Is("CREATE") && !toks[0].Is("ALTER") || !definesTable(toks) {
		return nil
	}
	alter := toks[0].Is("ALTER")
	at := func(i int) dialect.Token {
		if i >= 0 && i < len(toks) {
			return toks[i]
		}
		return dialect.Token{}
	}
	for i, t := range toks {
		if t.Kind != dialect.Word {
			continue
		}
		value := at(i + 1)
		if value.Is("=") {
			value = at(i + 2)
		}
		option := at(i-1).Is(")") || at(i-1).Is(",") || at(i+1).Is("=") || alter
		switch strings.ToUpper(t.Text) {
		case "SYSTEM":
			if value.Is("VERSIONING") {
				return mysqlerr.NotYet("SYSTEM VERSIONING")
			}
		case "PERIOD":
			if value.Is("FOR") {
				return mysqlerr.NotYet("PERIOD FOR")
			}
		case "INVISIBLE":
			if at(i-1).Kind != dialect.Punct || at(i-1).Is(")") {
				return mysqlerr.NotYet("INVISIBLE")
			}
		case "ENCRYPTED":
			if option && (strings.EqualFold(value.Text, "YES") || value.Text == "1") {
				return mysqlerr.NotYet("ENCRYPTED=YES")
			}
		case "DISCARD", "IMPORT":
			if alter && value.Is("TABLESPACE") {
				return mysqlerr.NotYet(strings.ToUpper(t.Text) + " TABLESPACE")
			}
		case "DATA", "INDEX":
			if value.Is("DIRECTORY") && at(i+2).Is("=") || value.Is("DIRECTORY") && at(i+2).Kind == dialect.String {
				return mysqlerr.NotYet(strings.ToUpper(t.Text) + " DIRECTORY")
			}
		case "PARTITION", "PARTITIONING":
			if alter && !at(i-1).Is(".") {
				return mysqlerr.NotYet("ALTER TABLE ... PARTITION")
			}
		}
	}
	return nil
}

// definesTable reports whether words begin a CREATE TABLE or ALTER TABLE.
func definesTable(toks []dialect.Token) bool {
	for _, t := range toks[1:min(len(toks), 7)] {
		switch {
		case t.Is("TABLE"):
			return true
		case t.Is("OR"), t.Is("REPLACE"), t.Is("TEMPORARY"), t.Is("ONLINE"), t.Is("IGNORE"):
		default:
			return false
		}
	}
	return false
}

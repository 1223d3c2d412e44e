package parse

import (
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect"
)

// What the parser does not take of ALTER TABLE, and what replicas must not get.

// alterConditions are the IF [NOT] EXISTS of an ALTER TABLE that the parser does not take.
type alterConditions struct {
	table   bool   // ALTER TABLE IF EXISTS
	clauses []bool // those with IF EXISTS or IF NOT EXISTS
}

// apply puts the conditions into the syntax tree; false if there are none.
func (a *alterConditions) apply(ast sqlparser.Statement) bool {
	alter, ok := ast.(*sqlparser.AlterTable)
	if a == nil || !ok || len(alter.Statements) != len(a.clauses) {
		return false
	}
	alter.Auth.Extra = a
	for i, d := range alter.Statements {
		if a.clauses[i] {
			d.IfExists, d.IfNotExists = true, true
		}
	}
	return true
}

// IfTable reports whether an ALTER TABLE does nothing without an error if there is no such table.
func IfTable(ast *sqlparser.AlterTable) bool {
	a, ok := ast.Auth.Extra.(*alterConditions)
	return ok && a.table
}

// rewriteAlter takes out of an ALTER TABLE what the parser does not know: conditions, lists of
// columns in parentheses, and ORDER BY, which has no meaning for tables ordered by their keys.
func rewriteAlter(text *string, mode dialect.Mode) *alterConditions {
	c := &dialect.Parser{Tokens: dialect.Tokens(*text, mode, 0), Pos: 1, SQL: *text}
	c.Accept("ONLINE")
	c.Accept("IGNORE")
	if !c.Accept("TABLE") {
		return nil
	}
	a := &alterConditions{}
	from := c.Peek().Start
	a.table = c.Accept("IF", "EXISTS")
	name := c.Peek().Start
	if _, _, ok := c.TableName(); !ok || c.End() {
		return nil
	}
	head := (*text)[:from] + (*text)[name:c.Peek().Start]
	var out []string
	for _, clause := range splitClauses(*text, c.Tokens[c.Pos:]) {
		toks := dialect.Tokens(clause, mode, 2)
		if len(toks) == 2 && toks[0].Is("ORDER") && toks[1].Is("BY") {
			break // to the end of the statement
		}
		if clause = withoutEngines(clause, mode); clause == "" { // see EngineOption
			continue
		}
		clause, conditional := alterClause(clause, mode)
		for _, one := range columnList(clause, mode) {
			out, a.clauses = append(out, one), append(a.clauses, conditional)
		}
	}
	if len(out) == 0 {
		out, a.clauses = []string{"FORCE"}, []bool{false}
	}
	*text = head + strings.Join(out, ", ")
	return a
}

// splitClauses splits at the commas outside parentheses.
func splitClauses(sql string, toks []dialect.Token) []string {
	var out []string
	depth, start := 0, toks[0].Start
	for _, t := range toks {
		switch {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case t.Is(",") && depth == 0:
			out = append(out, sql[start:t.Start])
			start = t.End
		}
	}
	return append(out, sql[start:])
}

// alterClause takes IF [NOT] EXISTS out of a clause.
func alterClause(clause string, mode dialect.Mode) (text string, conditional bool) {
	c := &dialect.Parser{Tokens: dialect.Tokens(clause, mode, 12), SQL: clause}
	if !c.AcceptAny("ADD", "DROP", "MODIFY", "CHANGE", "ALTER", "RENAME") {
		return clause, false
	}
	for c.AcceptAny("UNIQUE", "FULLTEXT", "SPATIAL", "FOREIGN", "PRIMARY", "INDEX", "KEY", "COLUMN", "CONSTRAINT") {
	}
	from := c.Peek().Start
	if !c.Accept("IF", "NOT", "EXISTS") && !c.Accept("IF", "EXISTS") {
		return clause, false
	}
	return clause[:from] + clause[c.Peek().Start:], true
}

// columnList makes ADD COLUMN (a INT, b INT) one clause for each column.
func columnList(clause string, mode dialect.Mode) []string {
	c := dialect.NewParser(clause, mode)
	if !c.Accept("ADD") {
		return []string{clause}
	}
	c.Accept("COLUMN")
	if !c.Accept("(") {
		return []string{clause}
	}
	inner := c.Tokens[c.Pos:]
	last := len(inner) - 1
	if last < 1 || !inner[last].Is(")") {
		return []string{clause}
	}
	list := splitClauses(clause[:inner[last].Start], inner[:last])
	for i := range list {
		list[i] = "ADD COLUMN " + strings.TrimSpace(list[i])
	}
	return list
}

// WithoutAlgorithm takes ALGORITHM= and LOCK= out of an ALTER TABLE. They ask how the server does it,
// and a replica would refuse the statement if it cannot do it so.
func WithoutAlgorithm(text string, mode dialect.Mode) string {
	c := dialect.NewParser(text, mode)
	if !c.Accept("ALTER") {
		return text
	}
	c.Accept("ONLINE")
	c.Accept("IGNORE")
	if !c.Accept("TABLE") {
		return text
	}
	c.Accept("IF", "EXISTS")
	if _, _, ok := c.TableName(); !ok || c.End() {
		return text
	}
	head := text[:c.Peek().Start]
	clauses := splitClauses(text, c.Tokens[c.Pos:])
	kept := slices.DeleteFunc(slices.Clone(clauses), func(clause string) bool {
		first := dialect.Tokens(clause, mode, 1)
		return len(first) > 0 && (first[0].Is("ALGORITHM") || first[0].Is("LOCK"))
	})
	if len(kept) == len(clauses) || len(kept) == 0 {
		return text
	}
	return head + strings.TrimLeft(strings.Join(kept, ","), " ")
}

package parse

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval/function"
	"github.com/duramendb/duramen/query/floattext"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// clauseOf is where an expression of a definition stands, as errors call it.
type clauseOf struct {
	name string // DEFAULT ...
	of   string // the column, or the constraint
	// lasting says that the value is kept, or looked at once only, so that it may not depend on the session or the time.
	lasting bool
}

func (c clauseOf) refuse(what string) error {
	return mysqlerr.New(mysqlerr.FieldNotDeterministic, what, c.name, c.of)
}

// expressions looks at the expressions of a column, or of a constraint, and puts those in parentheses that the other parser wants there. table has them, and
// elements are what is defined with them.
func (r *collating) expressions(table *tree.TableName, elements []tree.Element) error {
	constraints := 0
	indexed := map[string]bool{}
	for _, e := range elements {
		if k, ok := e.(*tree.Key); ok {
			for _, part := range k.Parts {
				indexed[strings.ToLower(part.Column.Text)] = true
			}
		}
	}
	for _, e := range elements {
		switch e := e.(type) {
		case *tree.Column:
			if err := r.columnExpressions(table, e, indexed[strings.ToLower(e.Name.Text)]); err != nil {
				return err
			}
		case *tree.Check:
			name := e.Constraint.Text
			if constraints++; name == "" {
				name = "CONSTRAINT_" + strconv.Itoa(constraints)
			}
			if err := allowed(table, e.Expr, clauseOf{"CHECK", name, true}); err != nil {
				return err
			}
		}
	}
	return nil
}

// columnExpressions is expressions for a column; indexed says that a key of its own names it.
func (r *collating) columnExpressions(table *tree.TableName, col *tree.Column, indexed bool) error {
	name := col.Name.Text
	if col.Default != nil {
		if err := allowed(table, col.Default, clauseOf{"DEFAULT", name, false}); err != nil {
			return err
		}
		if col.Type != nil && textKinds[col.Type.Name] && ofFloat(col.Default) {
			return mysqlerr.NotYet("a number like 1e20 as the DEFAULT of column " + name + ", a text; write it as a text")
		}
	}
	if col.Generated != nil {
		kept := col.Generation == tree.Stored || col.Unique || col.Primary || indexed
		if err := allowed(table, col.Generated, clauseOf{"GENERATED ALWAYS AS", name, kept}); err != nil {
			return err
		}
	}
	if col.Check != nil {
		if err := allowed(table, col.Check, clauseOf{"CHECK", name, true}); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(r.edits, func(e edit) bool { return e.Span == col.Span }) { // which has parentheses around all of them
		return nil
	}
	switch {
	case r.ownTime(col):
	case col.Default != nil && (enclosed(col.Default) || otherTime(col)):
		r.enclose(col.Default)
	}
	if col.Generated != nil && enclosed(col.Generated) {
		r.enclose(col.Generated)
	}
	return nil
}

func (r *collating) newDefault(table *tree.TableName, a *tree.AlterColumn) error {
	if err := allowed(table, a.Default, clauseOf{"DEFAULT", a.Name.Text, false}); err != nil {
		return err
	}
	// A literal of bytes is a text or a number, as the column is.
	if lit, bytes := a.Default.(*tree.BytesLit); bytes && r.d != nil && (r.sql[lit.Start]|0x20 == 'b' || !r.d.Blob(table.DB.Text, table.Name.Text, a.Name.Text)) {
		return mysqlerr.NotYet("a literal of bytes in SET DEFAULT; write MODIFY with the whole column")
	}
	if ofFloat(a.Default) && r.d != nil && r.d.Blob(table.DB.Text, table.Name.Text, a.Name.Text) {
		return mysqlerr.NotYet("a number like 1e20 as the DEFAULT of column " + a.Name.Text + ", a text; write it as a text")
	}
	if enclosed(a.Default) {
		r.enclose(a.Default)
	}
	return nil
}

// textKinds are the types that have room for long texts and bytes.
var textKinds = words("TINYTEXT TEXT MEDIUMTEXT LONGTEXT TINYBLOB BLOB MEDIUMBLOB LONGBLOB")

// ofFloat reports whether a constant is a number like 1e20, of which the other parser makes a text with all its digits, as MariaDB does not.
func ofFloat(x tree.Expr) bool {
	if sign, ok := x.(*tree.Unary); ok && (sign.Op == tree.OpNegate || sign.Op == tree.OpPositive) {
		x = sign.X
	}
	n, ok := x.(*tree.NumberLit)
	if !ok || n.Kind != tree.FloatNumber {
		return false
	}
	f, err := strconv.ParseFloat(n.Text, 64)
	return err != nil || strconv.FormatFloat(f, 'f', -1, 64) != string(floattext.Append(nil, f, false))
}

// enclosed reports whether the other parser takes an expression only in parentheses of its own.
func enclosed(x tree.Expr) bool {
	switch x := x.(type) {
	case *tree.ColumnRef, *tree.Chain, *tree.Is, *tree.In, *tree.Between, *tree.Like:
		return true
	case *tree.Unary:
		return x.Op == tree.OpNot
	case *tree.Binary:
		return x.Op == tree.OpXor || x.Op >= tree.OpEqual && x.Op <= tree.OpSoundsLike
	}
	return false
}

// otherTime reports whether a DEFAULT is the current time, and the column no DATETIME or TIMESTAMP with as many decimals.
func otherTime(col *tree.Column) bool {
	call, ok := col.Default.(*tree.Call)
	if !ok || col.Type == nil || strings.ToUpper(cmp.Or(otherNames[call.Name.Text], call.Name.Text)) != "CURRENT_TIMESTAMP" {
		return false
	}
	decimals := "0"
	if len(call.Args) > 0 {
		decimals = tree.String(call.Args[0])
	}
	return col.Type.Name != "DATETIME" && col.Type.Name != "TIMESTAMP" || number(col.Type.Length) != number(decimals)
}

// enclose puts two pairs of parentheses around an expression: the clause's own, which DEFAULT may lack, and the expression's.
func (r *collating) enclose(x tree.Expr) {
	at := x.Place()
	text := r.sql[at.Start:at.End]
	if ref, ok := x.(*tree.ColumnRef); ok {
		text = tree.String(&tree.ColumnRef{Name: ref.Name}) // of this table, see allowed
	}
	r.replace(at, "(("+text+"))")
}

// allowed is MariaDB's error about an expression of a definition.
func allowed(table *tree.TableName, x tree.Expr, clause clauseOf) error {
	var worst finding
	tree.Walk(x, func(n tree.Node) bool {
		found, below := findingOf(n, table)
		if found.class > worst.class || found.class == worst.class && found.end < worst.end {
			worst = found // of equal ones the one that ends first, as arguments do before their function
		}
		return below
	})
	switch {
	case worst.class == isQuery && clause.name == "CHECK":
		return mysqlerr.New(mysqlerr.SubqueriesNotSupported, "CHECK")
	case worst.class >= isNever, worst.class >= isRandom && clause.name != "DEFAULT", worst.class >= isVariable && clause.lasting:
		return clause.refuse(worst.name)
	case worst.class == isVariable:
		return mysqlerr.NotYet("a variable in the definition of a column")
	}
	return nil
}

// references is the error about a column that an expression of a new table names: there is none, or it has no value yet.
func references(n *tree.CreateTable) error {
	places := map[string]int{}
	columns := []*tree.Column{}
	for _, e := range n.Elements {
		if col, ok := e.(*tree.Column); ok {
			places[strings.ToLower(col.Name.Text)] = len(columns)
			columns = append(columns, col)
		}
	}
	check := func(x tree.Expr, clause clauseOf, at int) (err error) {
		if x == nil {
			return nil
		}
		tree.Walk(x, func(node tree.Node) bool {
			ref, ok := node.(*tree.ColumnRef)
			if !ok || err != nil {
				return err == nil
			}
			to, there := places[strings.ToLower(ref.Name.Text)]
			switch {
			case !there:
				err = mysqlerr.New(mysqlerr.BadField, ref.Name.Text, clause.name)
			case at >= 0 && to >= at && computed(columns[to]), clause.name == "DEFAULT" && columns[to].Generated != nil: // which is computed after all defaults
				err = mysqlerr.New(mysqlerr.RefersToUninitField, clause.of, columns[to].Name.Text)
			case columns[to].AutoIncrement && clause.name != "GENERATED ALWAYS AS" || columns[to].AutoIncrement && clause.lasting:
				clause.of = columns[to].Name.Text
				err = clause.refuse("AUTO_INCREMENT")
			}
			return err == nil
		})
		return err
	}
	for at, col := range columns {
		name := col.Name.Text
		err := check(col.Generated, clauseOf{"GENERATED ALWAYS AS", name, col.Generation == tree.Stored}, at)
		if err == nil {
			err = check(col.Default, clauseOf{"DEFAULT", name, false}, at)
		}
		if err == nil {
			err = check(col.Check, clauseOf{"CHECK", name, true}, -1)
		}
		if err != nil {
			return err
		}
	}
	for _, e := range n.Elements {
		if constraint, ok := e.(*tree.Check); ok {
			if err := check(constraint.Expr, clauseOf{"CHECK", constraint.Constraint.Text, true}, -1); err != nil {
				return err
			}
		}
	}
	return nil
}

// computed reports whether a column has its value only when the row is made: not by a constant.
func computed(col *tree.Column) bool {
	if col.Generated != nil {
		return true
	}
	if col.Default == nil {
		return false
	}
	varies := false
	tree.Walk(col.Default, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.ColumnRef, *tree.UserVariable, *tree.AssignVariable, *tree.SystemVariable:
			varies = true
		case *tree.Call:
			varies = varies || calledFinding(n).class != isFine
		}
		return !varies
	})
	return varies
}

// finding is what an expression has that a clause may not allow.
type finding struct {
	class findingClass
	name  string // as errors call it
	end   int32
}

// findingClass says which clauses do not allow it, from those that allow most.
type findingClass uint8

const (
	isFine     findingClass = iota
	isVariable              // depends on variables
	isVarying               // on the session, the time or chance
	isRandom                // so, and is a DEFAULT only
	isNever
	isQuery
)

// varying are functions whose value depends on the session, the time or chance, with the number of arguments from which on it does not.
var varying = map[string]int{
	"CONNECTION_ID": 1, "CURDATE": 1, "CURRENT_ROLE": 1, "CURTIME": 2, "CURRENT_TIMESTAMP": 2, "CURRENT_USER": 1, "DATABASE": 1, "DATE_FORMAT": 3,
	"DAYNAME": 2, "FROM_UNIXTIME": 4, "MONTHNAME": 2, "NATURAL_SORT_KEY": 2, "RAND": 2, "USER": 1, "SYSDATE": 2, "SYS_GUID": 1, "TO_CHAR": 3,
	"UNIX_TIMESTAMP": 1, "UTC_DATE": 1, "UTC_TIME": 2, "UTC_TIMESTAMP": 2, "UUID": 1, "UUID_SHORT": 1, "VERSION": 1, "WEEK": 2,
}

// never are functions that no definition may have, beside aggregate ones.
var never = map[string]bool{
	"BENCHMARK": true, "FOUND_ROWS": true, "GET_LOCK": true, "IS_FREE_LOCK": true, "IS_USED_LOCK": true, "LAST_INSERT_ID": true, "LOAD_FILE": true,
	"MASTER_GTID_WAIT": true, "MASTER_POS_WAIT": true, "NAME_CONST": true, "RELEASE_ALL_LOCKS": true, "RELEASE_LOCK": true, "ROWNUM": true,
	"ROW_COUNT": true, "SLEEP": true,
}

// otherNames are the names that functions have in errors, where they have several.
var otherNames = map[string]string{
	"CURRENT_DATE": "CURDATE", "CURRENT_TIME": "CURTIME", "NOW": "CURRENT_TIMESTAMP", "LOCALTIME": "CURRENT_TIMESTAMP",
	"LOCALTIMESTAMP": "CURRENT_TIMESTAMP", "SCHEMA": "DATABASE", "SCHEMAS": "DATABASE", "SESSION_USER": "USER", "SYSTEM_USER": "USER",
	"STDDEV": "STD", "STDDEV_POP": "STD", "VAR_POP": "VARIANCE",
}

// findingOf is what is to be said of one node, and whether those below it are to be looked at.
func findingOf(n tree.Node, table *tree.TableName) (found finding, below bool) {
	end := n.Place().End
	switch n := n.(type) {
	case *tree.Subquery, *tree.Exists, *tree.Quantified:
		return finding{isQuery, "select ...", end}, false
	case *tree.In:
		if n.Query != nil {
			return finding{isQuery, "select ...", end}, false
		}
	case *tree.Aggregate:
		name := strings.ToUpper(n.Name)
		return finding{isNever, strings.ToLower(cmp.Or(otherNames[name], name)) + "()", end}, true
	case *tree.Match:
		return finding{isNever, "match ... against()", end}, true
	case *tree.UserVariable:
		return finding{isVariable, "@" + n.Name, end}, true
	case *tree.AssignVariable:
		return finding{isVariable, "@" + n.Name, end}, true
	case *tree.SystemVariable:
		return finding{isVariable, "@@" + n.Name.Text, end}, true
	case *tree.ColumnRef:
		if n.Table.Text != "" && (!strings.EqualFold(n.Table.Text, table.Name.Text) || n.DB.Text != "" && table.DB.Text != "" && n.DB.Text != table.DB.Text) {
			return finding{isNever, strings.TrimPrefix(n.DB.Text+"."+n.Table.Text+"."+n.Name.Text, "."), end}, true
		}
	case *tree.Call:
		return calledFinding(n), true
	}
	return finding{}, true
}

func calledFinding(n *tree.Call) finding {
	name := strings.ToUpper(n.Name.Text)
	if other := otherNames[name]; other != "" {
		name = other
	}
	shown := strings.ToLower(name) + "()"
	_, known := function.Find(name)
	switch most, ok := varying[name]; {
	case n.DB.Text != "":
		return finding{isNever, "`" + n.DB.Text + "`.`" + n.Name.Text + "`()", n.End}
	case ok && len(n.Args) < most:
		return finding{isVarying, shown, n.End}
	case name == "RANDOM_BYTES":
		return finding{isRandom, shown, n.End}
	case never[name]:
		return finding{isNever, shown, n.End}
	case !known && !n.Keyword && !function.IsAbsent(name) && otherNames[strings.ToUpper(n.Name.Text)] == "":
		return finding{isNever, "`" + n.Name.Text + "`()", n.End}
	}
	return finding{}
}

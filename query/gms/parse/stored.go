package parse

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Functions that expressions of a definition cannot call: those that no such expression can, those that only a default can, and those that only a default or
// a VIRTUAL column without an index can, since their values change while the row stays.
var (
	neverStored = words(`BENCHMARK FOUND_ROWS GET_LOCK IS_FREE_LOCK IS_USED_LOCK LAST_INSERT_ID LOAD_FILE MASTER_GTID_WAIT MASTER_POS_WAIT NAME_CONST
		RELEASE_ALL_LOCKS RELEASE_LOCK ROWNUM ROW_COUNT SLEEP`)
	storedDefault = words(`RANDOM_BYTES`)
	neverKept     = words(`CONNECTION_ID CURRENT_DATE CURRENT_ROLE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER DATABASE DAYNAME FROM_UNIXTIME MONTHNAME
		NATURAL_SORT_KEY RAND SYSDATE SYS_GUID USER UTC_DATE UTC_TIME UTC_TIMESTAMP UUID UUID_SHORT VERSION`)
	// keptNames are those whose errors say another name.
	keptNames = map[string]string{"CURRENT_DATE": "curdate", "CURRENT_TIME": "curtime"}
)

func words(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

// storedExpr is an expression of a definition: its clause, as errors name it, and the column or constraint that it is of. One that is kept has to have
// the same value whenever it is computed.
type storedExpr struct {
	expr       tree.Expr
	clause, of string
	kept       bool
}

// check looks for what such an expression cannot have in it.
func (s storedExpr) check(table string) (err error) {
	refuse := func(what string) {
		if err == nil {
			err = mysqlerr.New(mysqlerr.FieldNotDeterministic, what, s.clause, s.of)
		}
	}
	tree.Walk(s.expr, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Subquery, *tree.Exists, *tree.Select, *tree.SetOperation:
			if refuse("select ..."); s.clause == "CHECK" {
				err = mysqlerr.New(mysqlerr.NoSubqueriesInCheck)
			}
		case *tree.Aggregate:
			refuse(strings.ToLower(n.Name) + "()")
		case *tree.Match:
			refuse("match ... against()")
		case *tree.UserVariable:
			if s.kept {
				refuse("@" + n.Name)
			}
		case *tree.SystemVariable:
			if s.kept {
				refuse("@@" + n.Name.Text)
			}
		case *tree.Call:
			if s.refused(n) {
				name := keptNames[strings.ToUpper(n.Name.Text)]
				if name == "" {
					name = strings.ToLower(n.Name.Text)
				}
				refuse(name + "()")
			}
		case *tree.ColumnRef:
			if n.Table.Text != "" && !strings.EqualFold(n.Table.Text, table) {
				refuse(n.Table.Text + "." + n.Name.Text)
			}
		}
		return err == nil
	})
	return err
}

func (s storedExpr) refused(n *tree.Call) bool {
	name := strings.ToUpper(n.Name.Text)
	switch {
	case n.DB.Text != "" || n.Package.Text != "":
		return false
	case neverStored[name], storedDefault[name] && s.clause != "DEFAULT":
		return true
	case !s.kept:
		return false
	case neverKept[name]:
		return true
	}
	return name == "UNIX_TIMESTAMP" && len(n.Args) == 0 || name == "WEEK" && len(n.Args) == 1 || name == "DATE_FORMAT" && len(n.Args) == 2
}

// storedOf are the expressions of a column. indexed says that a key names it.
func storedOf(col *tree.Column, indexed bool) (all []storedExpr) {
	if col.Generated != nil {
		all = append(all, storedExpr{col.Generated, "GENERATED ALWAYS AS", col.Name.Text, indexed || col.Generation == tree.Stored || col.Unique || col.Primary})
	}
	if col.Default != nil {
		all = append(all, storedExpr{col.Default, "DEFAULT", col.Name.Text, false})
	}
	if col.Check != nil {
		all = append(all, storedExpr{col.Check, "CHECK", col.Name.Text, true})
	}
	return all
}

// checkStored looks at the expressions of elements. All of a CREATE TABLE's columns are among them (whole), so that what they name is known.
func checkStored(table string, elements []tree.Element, whole bool) error {
	indexed := map[string]bool{}
	var columns []*tree.Column
	for _, e := range elements {
		switch e := e.(type) {
		case *tree.Column:
			columns = append(columns, e)
		case *tree.Key:
			for _, part := range e.Parts {
				indexed[strings.ToLower(part.Column.Text)] = true
			}
		}
	}
	for _, e := range elements {
		var all []storedExpr
		switch e := e.(type) {
		case *tree.Column:
			all = storedOf(e, indexed[strings.ToLower(e.Name.Text)])
		case *tree.Check:
			name := e.Constraint.Text
			if name == "" {
				name = "CONSTRAINT_1"
			}
			all = append(all, storedExpr{e.Expr, "CHECK", name, true})
		}
		for _, s := range all {
			if err := s.check(table); err != nil {
				return err
			}
		}
	}
	if !whole {
		return nil
	}
	for i, col := range columns {
		if err := checkOrder(columns, i, col); err != nil {
			return err
		}
	}
	return nil
}

// checkOrder refuses expressions of a column that name what is computed after it, or the value of AUTO_INCREMENT, which is known after all of them.
func checkOrder(columns []*tree.Column, at int, col *tree.Column) (err error) {
	if col.Generated == nil && col.Default == nil {
		return nil
	}
	e, clause := col.Default, "DEFAULT"
	if col.Generated != nil {
		e, clause = col.Generated, "GENERATED ALWAYS AS"
	}
	tree.Walk(e, func(n tree.Node) bool {
		ref, ok := n.(*tree.ColumnRef)
		if !ok || err != nil {
			return err == nil
		}
		i := slices.IndexFunc(columns, func(c *tree.Column) bool { return strings.EqualFold(c.Name.Text, ref.Name.Text) })
		if i < 0 {
			return true
		}
		other := columns[i]
		computed := other.Generated != nil && (col.Generated == nil || i >= at)
		if col.Generated == nil && i >= at && other.Default != nil {
			computed = computed || names(other.Default)
		}
		switch {
		case computed:
			err = mysqlerr.New(mysqlerr.RefersToUninitField, col.Name.Text, other.Name.Text)
		case other.AutoIncrement && col.Generation != tree.Virtual:
			err = mysqlerr.New(mysqlerr.FieldNotDeterministic, "AUTO_INCREMENT", clause, other.Name.Text)
		}
		return err == nil
	})
	return err
}

// names reports whether an expression names a column.
func names(e tree.Expr) (found bool) {
	tree.Walk(e, func(n tree.Node) bool {
		if _, ok := n.(*tree.ColumnRef); ok {
			found = true
		}
		return !found
	})
	return found
}

// definedBy are the elements that an action of ALTER TABLE defines.
func definedBy(a tree.Action) []tree.Element {
	switch a := a.(type) {
	case *tree.AddColumns:
		return a.Elements
	case *tree.AddElement:
		return []tree.Element{a.Element}
	case *tree.ChangeColumn:
		return []tree.Element{a.Column}
	case *tree.AlterColumn:
		return []tree.Element{&tree.Column{Name: a.Name, Default: a.Default}}
	}
	return nil
}

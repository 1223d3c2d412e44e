package alter

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/nesting"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// columnsIn lists the columns that an expression of a definition names, in lower case and sorted.
func columnsIn(expr string) []string {
	if expr == "" {
		return nil
	}
	ast, err := nesting.ParseText("SELECT " + expr)
	if err != nil {
		return nil
	}
	var names []string
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if c, ok := n.(*sqlparser.ColName); ok {
			names = append(names, c.Name.Lowered())
		}
		return true, nil
	}, ast)
	slices.Sort(names)
	return slices.Compact(names)
}

// renameIn replaces the name of a column in an expression.
func renameIn(expr, from, to string) string {
	toks := dialect.Tokens(expr, dialect.Mode{}, 0)
	e := dialect.Editor{SQL: expr}
	for i, t := range toks {
		name := t.IsName()
		call := i+1 < len(toks) && toks[i+1].Is("(") && t.Kind == dialect.Word
		qualifier := i+1 < len(toks) && toks[i+1].Is(".")
		if name && !call && !qualifier && strings.EqualFold(t.Text, from) {
			e.Replace(t, dialect.QuoteName(to))
		}
	}
	return e.Done()
}

// renameInExpressions makes expressions name a column that was renamed by its new name;
// go-mysql-server leaves some of them as they were.
func (r *run) renameInExpressions(from, to string) error {
	t := r.table()
	stale := func(expr string) bool { return slices.Contains(columnsIn(expr), strings.ToLower(from)) }
	def := t.Definition()
	if ColumnAt(def, from) >= 0 {
		return nil // only letters of another case
	}
	columns, checks := slices.Clone(def.Columns), slices.Clone(def.Checks)
	changed := false
	for i := range columns {
		c := &columns[i]
		if stale(c.Generated) {
			c.Generated, changed = renameIn(c.Generated, from, to), true
		}
		if c.HasDefault && !c.DefaultLiteral && stale(c.Default) {
			c.Default, changed = renameIn(c.Default, from, to), true
		}
	}
	for i := range checks {
		if stale(checks[i].Expression) {
			checks[i].Expression, changed = renameIn(checks[i].Expression, from, to), true
		}
	}
	if !changed {
		return nil
	}
	return t.SetExpressions(r.c, columns, checks)
}

// checkDropped refuses to drop columns that something else needs: expressions of columns and checks
// that stay, and foreign keys. A check of nothing but dropped columns goes with them.
func (a *alteration) checkDropped() error {
	gone := map[string]bool{}
	for _, at := range a.dropped {
		gone[strings.ToLower(a.old.Columns[at].Name)] = true
	}
	if len(gone) == 0 {
		return nil
	}
	lost := func(expr, where string) error {
		for _, name := range columnsIn(expr) {
			if gone[name] && a.named(name) {
				return notAsMeant("column " + name + ", which an expression names, is dropped and there again")
			}
			if gone[name] {
				return mysqlerr.New(mysqlerr.BadField, name, where)
			}
		}
		return nil
	}
	for _, c := range a.columns {
		if c.from < 0 || c.clause != nil {
			continue
		}
		was := &a.old.Columns[c.from]
		if err := lost(was.Generated, "GENERATED ALWAYS AS"); err != nil {
			return err
		}
		if was.HasDefault && !was.DefaultLiteral {
			if err := lost(was.Default, "DEFAULT"); err != nil {
				return err
			}
		}
	}
	var stay []string
	for _, name := range a.checks {
		i := slices.IndexFunc(a.old.Checks, func(c catalog.CheckDef) bool { return c.Name == name })
		of := columnsIn(a.old.Checks[i].Expression)
		if len(of) > 0 && !slices.ContainsFunc(of, func(column string) bool { return !gone[column] }) {
			if a.old.Checks[i].Column == "" { // a column's own is dropped with it
				a.lostChecks = append(a.lostChecks, name)
			}
			continue
		}
		if err := lost(a.old.Checks[i].Expression, "CHECK"); err != nil {
			return err
		}
		stay = append(stay, name)
	}
	a.checks = stay
	for _, d := range a.addedConstraints {
		fk, ok := d.TableSpec.Constraints[0].Details.(*sqlparser.ForeignKeyDefinition)
		if !ok {
			continue
		}
		for _, c := range fk.Source {
			if gone[c.Lowered()] && !a.named(c.String()) {
				return mysqlerr.New(mysqlerr.KeyColumnDoesNotExist, c.String())
			}
		}
	}
	return nil
}

// varies are the functions whose value is not known before a row is written.
var varies = regexp.MustCompile(`(?i)\b(now|current_timestamp|localtime|localtimestamp|sysdate|curdate|current_date|curtime|current_time|utc_[a-z]+|` +
	`unix_timestamp|uuid|uuid_short|rand|user|current_user|session_user|system_user|database|schema|connection_id|last_insert_id|version)\b`)

// checkDefaults refuses a default that needs a column which gets its own value only later, by MariaDB's rules.
func checkDefaults(def *catalog.TableDef) error {
	computed := func(c *catalog.ColumnDef) bool {
		return c.HasDefault && !c.DefaultLiteral && (len(columnsIn(c.Default)) > 0 || varies.MatchString(c.Default))
	}
	for i := range def.Columns {
		c := &def.Columns[i]
		if !c.HasDefault || c.DefaultLiteral {
			continue
		}
		for _, name := range columnsIn(c.Default) {
			at := ColumnAt(def, name)
			if at < 0 {
				continue
			}
			if needs := &def.Columns[at]; needs.Generated != "" || at >= i && computed(needs) {
				return mysqlerr.New(mysqlerr.RefersToUninitField, c.Name, needs.Name)
			}
		}
	}
	return nil
}

// redefined reports whether a column, by its old name, is declared anew: the CHECK that was declared with
// it goes then.
func (a *alteration) redefined(column string) bool {
	return column != "" && slices.ContainsFunc(a.columns, func(c *alteredColumn) bool {
		return c.from >= 0 && c.clause != nil && strings.EqualFold(a.old.Columns[c.from].Name, column)
	})
}

// checkExpressions sees to it that expressions name the columns that they named before, by their new names.
func (a *alteration) checkExpressions(got *catalog.TableDef) error {
	same := func(was, now, what string) error {
		var want []string
		for _, name := range columnsIn(was) {
			if at := ColumnAt(a.old, name); at >= 0 {
				if to, stays := a.nameNow(at); stays {
					name = strings.ToLower(to)
				}
			}
			want = append(want, name)
		}
		slices.Sort(want)
		if !slices.Equal(want, columnsIn(now)) {
			return notAsMeant("columns in the expression of " + what)
		}
		return nil
	}
	for i, c := range a.columns {
		if c.clause != nil || c.from < 0 {
			continue
		}
		if err := same(a.old.Columns[c.from].Generated, got.Columns[i].Generated, got.Columns[i].Name); err != nil {
			return err
		}
	}
	for _, name := range a.checks {
		was := slices.IndexFunc(a.old.Checks, func(c catalog.CheckDef) bool { return strings.EqualFold(c.Name, name) })
		now := slices.IndexFunc(got.Checks, func(c catalog.CheckDef) bool { return strings.EqualFold(c.Name, name) })
		if now < 0 {
			return notAsMeant("check " + name)
		}
		if err := same(a.old.Checks[was].Expression, got.Checks[now].Expression, name); err != nil {
			return err
		}
	}
	return nil
}

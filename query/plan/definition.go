package plan

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/operator"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/charset"
)

// Rules are what the definition of a table computes of a row that is to be stored. Their expressions read that row alone, as the first one of
// a frame of their own, whose Env is theirs.
type Rules struct {
	Env *types.Env
	// Generated are the generated columns, in an order in which each reads only those before it.
	Generated []Generated
	// Late says that some of them are.
	Late bool
	// Checks are the CHECK constraints: first those of columns, in the columns' order, then those of the table.
	Checks []Check
}

// Generated is a generated column.
type Generated struct {
	Column int // ordinal
	X      *eval.Expr
	// Assign makes the column's value of X's; nil if that is the column's value already.
	Assign *assign.Assigner
	// Late says that it reads what a row gets last: its AUTO_INCREMENT value, or the time of its change.
	Late bool
}

// Check is a CHECK constraint.
type Check struct {
	// Fails reports whether the row is not allowed. A condition that is NULL allows it.
	Fails Condition
	// Text is the message of error 4025, or of the one that Number has if it is not 0.
	Text   string
	Number uint16
}

// definition binds the expressions that a table's definition has.
type definition struct {
	b     *bind.Binder
	scope scope
}

// newDefinition is the binder of a table's expressions for a statement: they mean the same in all sessions, but for sql_mode and what functions
// ask of the session. Their literals are in the character set of the table (TABLE_SHARE::init_from_binary_frm_image in MariaDB's sql/table.cc).
//
// source is which of the frame's rows they read, used gets the columns that they do.
func newDefinition(b *bind.Binder, src *Source, source int, used map[int]bool) (*definition, error) {
	env := *b.Env
	env.Mode &^= types.EmptyStringIsNull | types.Oracle
	env.Client, _ = charset.SetByName("utf8mb4")
	var ok bool
	if env.Connection, ok = charset.ByName(src.Table.Def.Collation); !ok {
		return nil, bind.Refusal("the collation of the table")
	}
	scratch := b.Scratch.Beside(&env)
	scratch.Diag, scratch.Asked = &types.Diagnostics{Most: 1}, b.Scratch.Asked
	own := *src
	own.Alias, own.View = src.Table.Def.Name, nil // as messages call it
	d := &definition{scope: scope{src: &own, source: source, used: used}}
	d.b = &bind.Binder{Builder: b.Under(&env, scratch), Refused: b.Refused, Column: d.scope.column}
	return d, nil
}

// expr binds an expression as the catalog keeps it.
func (d *definition) expr(text string) (*eval.Expr, error) {
	n, _, err := grammar.Parse("SELECT "+text, grammar.Options{})
	if err != nil {
		return nil, bind.Refusal("an expression of the table's definition")
	}
	sel, ok := n.(*tree.Select)
	if !ok || len(sel.Items) != 1 || len(sel.From) > 0 {
		return nil, bind.Refusal("an expression of the table's definition")
	}
	x, err := d.b.Expr(sel.Items[0].X)
	switch {
	case err != nil:
		return nil, bind.Refusal("an expression of the table's definition")
	case len(d.b.Scratch.Diag.Conditions) > 0:
		return nil, bind.Refusal("a constant with a warning")
	}
	return x, nil
}

// rules binds what the definition of a statement's table computes of rows that are to be stored; nil if there is nothing.
func rules(b *bind.Binder, src *Source) (*Rules, error) {
	def := src.Table.Def
	checked := !src.Unchecked && (len(def.Checks) > 0 || hasJSON(src.Table))
	generated := slices.ContainsFunc(def.Columns, func(c catalog.ColumnDef) bool { return c.Generated != "" })
	viewed := src.View != nil && len(src.View.Checks) > 0
	if !checked && !generated && !viewed {
		return nil, nil //nolint:nilnil // see above
	}
	d, err := newDefinition(b, src, 0, map[int]bool{})
	if err != nil {
		return nil, err
	}
	r := &Rules{Env: d.b.Env}
	if err := d.generated(r); err != nil {
		return r, err
	}
	if checked {
		if err := d.checks(r); err != nil {
			return r, err
		}
	}
	if viewed {
		return r, d.viewChecks(r, src.View)
	}
	return r, nil
}

// GeneratedColumns binds the generated columns of a table, for rows that are there; nil if it has none.
func GeneratedColumns(b *bind.Binder, t *relation.Table) (*Rules, error) {
	return rules(b, &Source{Table: t, Alias: t.Def.Name, Unchecked: true})
}

// generated binds the generated columns. They are computed anew whatever changes, as MariaDB does.
func (d *definition) generated(r *Rules) error {
	t := d.scope.src.Table
	late := map[int]bool{}
	for i := range t.Columns {
		if t.Columns[i].Def.Generated == "" {
			continue
		}
		g, err := d.column(i)
		if err != nil {
			return err
		}
		for at := range d.scope.used {
			c := t.Columns[at].Def
			g.Late = g.Late || late[at] || c.AutoIncrement || c.OnUpdate != ""
			if c.AutoIncrement && !t.Columns[i].Virtual() {
				return bind.Refusal("a stored column that reads the AUTO_INCREMENT column") // which MariaDB does not have
			}
		}
		late[i], r.Late = g.Late, r.Late || g.Late
		r.Generated = append(r.Generated, g)
	}
	return nil
}

// column binds a generated column. What it reads is noted in the scope.
func (d *definition) column(at int) (Generated, error) {
	t := d.scope.src.Table
	col := &t.Columns[at]
	if col.Unknown != "" {
		return Generated{}, bind.Refusal(col.Unknown)
	}
	d.scope.used = map[int]bool{}
	x, err := d.expr(col.Def.Generated)
	if err != nil {
		return Generated{}, err
	}
	for read := range d.scope.used {
		if t.Columns[read].Def.Generated != "" && read >= at {
			return Generated{}, bind.Refusal("a generated column that reads a later one")
		}
	}
	c := &compiler{b: d.b, scope: d.scope}
	set := Set{Column: at, X: x, Reads: d.scope.used}
	err = c.assigner(&set)
	return Generated{Column: at, X: set.X, Assign: set.Assign}, err
}

func hasJSON(t *relation.Table) bool {
	for i := range t.Columns {
		if t.Columns[i].Type.JSON {
			return true
		}
	}
	return false
}

// checks binds the CHECK constraints.
func (d *definition) checks(r *Rules) error {
	t := d.scope.src.Table
	d.scope.used = map[int]bool{}
	for i := range t.Columns {
		own := false
		for k := range t.Def.Checks {
			if c := &t.Def.Checks[k]; c.Column != "" && t.ColumnByName(c.Column) == i {
				own = true
				if err := d.check(r, c); err != nil {
					return err
				}
			}
		}
		if t.Columns[i].Type.JSON && !own { // which declares JSON_VALID(column) with it
			name := t.Columns[i].Def.Name
			valid := &catalog.CheckDef{Enforced: true, Column: name, Expression: "JSON_VALID(`" + doubled(name) + "`)"}
			if err := d.check(r, valid); err != nil {
				return err
			}
		}
	}
	for k := range t.Def.Checks {
		if c := &t.Def.Checks[k]; c.Column == "" {
			if err := d.check(r, c); err != nil {
				return err
			}
		}
	}
	for i := range r.Generated {
		if d.scope.used[r.Generated[i].Column] && r.Generated[i].Late {
			return bind.Refusal("a constraint of a column that is known last")
		}
	}
	if t.AutoIncrement >= 0 && d.scope.used[t.AutoIncrement] {
		return bind.Refusal("a constraint of the AUTO_INCREMENT column") // whose value is not known yet
	}
	return nil
}

func (d *definition) check(r *Rules, c *catalog.CheckDef) error {
	if !c.Enforced {
		return nil
	}
	x, err := d.expr(c.Expression)
	if err != nil {
		return err
	}
	isFalse, err := operator.IsTruth(&d.b.Builder, x, false)
	if err != nil {
		return err
	}
	name := c.Name
	if c.Column != "" {
		name = d.scope.src.Table.Def.Name + "." + c.Column
	}
	def := d.scope.src.Table.Def
	text := mysqlerr.New(mysqlerr.ConstraintFailed, doubled(name), doubled(def.DB), doubled(def.Name)).Message
	r.Checks = append(r.Checks, Check{Fails: operator.Holds(&d.b.Builder, isFalse), Text: text})
	return nil
}

// doubled is a name as it stands between backticks.
func doubled(name string) string { return strings.ReplaceAll(name, "`", "``") }

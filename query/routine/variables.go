package routine

import (
	"bytes"
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/charset"
)

func (r *run) declareVariables(d *tree.DeclareVariables, sc *scope) error {
	t, err := typeOf(d.Type, r.database)
	if err != nil {
		return err
	}
	value, from := types.Value{Null: true}, types.NullType()
	if d.Default != nil {
		if value, from, err = r.value(d.Default, sc); err != nil {
			return err
		}
	}
	var made []*variable
	for _, name := range d.Names {
		v := &variable{name: name.Text, t: t}
		if err := r.assign(v, value, from); err != nil {
			return err
		}
		made = append(made, v)
	}
	for _, v := range made {
		sc.declare(v)
	}
	return nil
}

// assign gives a variable a value of a type.
func (r *run) assign(v *variable, value types.Value, from types.Type) error {
	mode, c, err := r.host.Assigning(r.ctx)
	if err != nil {
		return err
	}
	a, err := assign.New(mode, &assign.Column{Type: v.t, Name: v.name}, assign.Source{Type: from})
	switch {
	case err != nil:
		return err
	case a.Mismatch != nil:
		return a.Mismatch
	}
	stored, ok := a.Assign(c, value)
	r.host.Note(c.Diag)
	if !ok {
		return c.Diag.Failed()
	}
	stored.Text = bytes.Clone(stored.Text)
	if v.t.Kind == types.Char && !v.t.Binary() {
		stored.Text = withoutPadding(v.t.Collation.Set(), stored.Text)
	}
	v.value = stored
	return nil
}

// withoutPadding is a CHAR as it is read.
func withoutPadding(set *charset.Set, text []byte) []byte {
	space := append(make([]byte, set.MinLen()-1, set.MinLen()), ' ')
	if strings.HasSuffix(set.Name(), "le") {
		slices.Reverse(space)
	}
	for bytes.HasSuffix(text, space) {
		text = text[:len(text)-len(space)]
	}
	return text
}

// textOf is a value as text.
func (r *run) textOf(v types.Value, t types.Type) (string, error) {
	set, _ := charset.SetByName("utf8mb4")
	text := &variable{t: types.StringType(longest, set.Default(), charset.Implicit, false)}
	text.t.Nullable = true
	err := r.assign(text, v, t)
	return string(text.value.Text), err
}

// longest is the length of a text that is cut only by others.
const longest = 1 << 20

// value computes an expression.
func (r *run) value(x tree.Expr, sc *scope) (types.Value, types.Type, error) {
	bare, err := substitute(x, sc, r.proc.Text)
	if err != nil {
		return types.Value{}, types.Type{}, err
	}
	values, kinds, ok, err := r.host.Values(r.ctx, []tree.Expr{bare})
	if err != nil {
		return types.Value{}, types.Type{}, err
	}
	if ok {
		return values[0], kinds[0], nil
	}
	rows := &captured{hold: r.Memory.Keep}
	defer rows.release()
	if err := r.quietly(Text{"SELECT " + tree.String(bare), true}, rows); err != nil {
		return types.Value{}, types.Type{}, err
	}
	if len(rows.rows) != 1 || len(rows.rows[0]) != 1 {
		return types.Value{}, types.Type{}, mysqlerr.New(mysqlerr.OperandColumns, 1)
	}
	return rows.rows[0][0], rows.kinds[0], nil
}

// set is SET of variables: those of the procedure, and any others, one after the other.
func (r *run) set(n *tree.Set, sc *scope) error {
	scoped := n.Scoped()
	for i, item := range n.Items {
		if own, ok := item.(*tree.SetVariable); ok && !own.System && own.Base.Text == "" && own.Scope == 0 && own.Value != nil {
			if v := sc.variable(own.Name.Text); v != nil {
				value, from, err := r.value(own.Value, sc)
				if err != nil {
					return err
				}
				if err := r.assign(v, value, hybrid(own.Value, from)); err != nil {
					return err
				}
				continue
			}
		}
		one := tree.Set{Span: n.Span, Items: []tree.SetItem{scoped[i]}}
		if len(n.Items) > 1 {
			one.Span = tree.Span{} // the text has all of them
		}
		if err := r.simple(&one, sc); err != nil {
			return err
		}
	}
	return nil
}

// hybrid is the type of a value as what is written says it: 0x41 is a number where one is wanted.
func hybrid(x tree.Expr, t types.Type) types.Type {
	if lit, ok := x.(*tree.BytesLit); ok && lit.Number {
		t.Hybrid = true
	}
	return t
}

package routine

import (
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// diagnostics is GET DIAGNOSTICS. In a handler the first condition is the one that it handles.
func (r *run) diagnostics(n *tree.Diagnostics, sc *scope) error {
	conditions := r.conditions()
	var of *mysqlerr.Error
	if n.Number != nil {
		v, _, err := r.value(n.Number, sc)
		switch {
		case err != nil:
			return err
		case v.Null || v.Int < 1 || v.Int > int64(len(conditions)):
			return mysqlerr.New(mysqlerr.DAInvalidConditionNumber)
		}
		of = conditions[v.Int-1]
	}
	for _, item := range n.Items {
		v, t, err := r.information(item.Name, of, len(conditions))
		if err != nil {
			return err
		}
		if item.Session {
			err = r.setUser(item.Target.Text, v, t)
		} else if to := sc.variable(item.Target.Text); to != nil {
			err = r.assign(to, v, t)
		} else {
			err = mysqlerr.New(mysqlerr.SPUndeclaredVar, item.Target.Text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// conditions are those of the last statement.
func (r *run) conditions() (out []*mysqlerr.Error) {
	if n := len(r.handled); n > 0 {
		out = append(out, r.handled[n-1])
	}
	for _, w := range r.Warnings.All() {
		if len(r.handled) > 0 && w.Level == "Error" {
			continue
		}
		out = append(out, &mysqlerr.Error{Number: w.Number, State: mysqlerr.State(w.Number), Message: w.Message})
	}
	return out
}

// information is an item about a condition, or, of nil, about the statement, which has so many conditions.
func (r *run) information(name string, of *mysqlerr.Error, count int) (types.Value, types.Type, error) {
	text := ""
	switch {
	case of == nil && name == "NUMBER":
		return types.Value{Int: int64(count)}, types.BigintType(20, true), nil
	case of == nil && name == "ROW_COUNT":
		return types.Value{Int: r.host.RowCount()}, types.BigintType(20, false), nil
	case of == nil:
		return types.Value{}, types.Type{}, mysqlerr.NotYet("GET DIAGNOSTICS of " + name)
	case name == "MYSQL_ERRNO":
		return types.Value{Int: int64(of.Number)}, types.BigintType(20, true), nil
	case name == "MESSAGE_TEXT":
		text = of.Message
	case name == "RETURNED_SQLSTATE":
		text = of.State
	}
	set, _ := charset.SetByName("utf8mb3")
	return types.Value{Text: []byte(text)}, types.StringType(uint64(len(text)), set.Default(), charset.Coercible, set.IsASCII([]byte(text))), nil
}

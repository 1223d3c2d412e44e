package native

import (
	"context"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/result/typed"
	"github.com/duramendb/duramen/query/status"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// explain binds the statement of an EXPLAIN, which is not run; error 1235 says that the EXPLAIN is the fallback's.
func (b *binding) explain(n *tree.Explain, text string) (st *Statement, err error) {
	if n.Analyze || n.Option != "" || n.Format != "" {
		return nil, bind.Refusal("this form of EXPLAIN")
	}
	b.frame.Asked = &eval.Asked{Params: make([]bool, len(b.binder.Params))}
	switch of := n.Statement.(type) {
	case *tree.Select:
		if of.Into != nil || len(of.From) == 0 {
			return nil, bind.Refusal("EXPLAIN of a SELECT without a table or with INTO")
		}
		st, err = b.bind(of, text)
	case *tree.Update, *tree.Delete:
		st, err = b.write(of, text)
	case *tree.Insert:
		if of.Query != nil {
			return nil, bind.Refusal("EXPLAIN of INSERT ... SELECT")
		}
		st, err = b.write(of, text)
	default:
		return nil, bind.Refusal("EXPLAIN of this statement")
	}
	if err != nil {
		return nil, err
	}
	st.kind, st.explained = status.None, "direct"
	if why := b.general(st, n.Statement); why != "" {
		st.explained = "general: " + why
	} else if !b.direct() {
		st.explained = "general: duramen_direct_path=OFF"
	}
	b.frame.Asked = nil
	return st, nil
}

// explainColumns are those of EXPLAIN.
func explainColumns(results *charset.Set) (out []result.Column) {
	utf8, _ := charset.SetByName("utf8mb3")
	text := func(name string, chars uint64, nullable bool) {
		t := types.StringType(chars, utf8.Default(), charset.Coercible, true)
		t.Nullable = nullable
		out = append(out, typed.Column(name, t, results))
	}
	id := types.BigintType(3, false)
	out = append(out, typed.Column("id", id.OrNull(), results))
	text("select_type", 19, false)
	text("table", 64, true)
	text("type", 10, true)
	text("possible_keys", 4096, true)
	text("key", 64, true)
	text("key_len", 4096, true)
	text("ref", 2048, true)
	text("rows", 64, true)
	text("Extra", 255, false)
	return out
}

// runExplain answers an EXPLAIN.
func (st *Statement) runExplain(ctx context.Context, sink result.Sink, more bool) error {
	s := st.session
	return st.over(ctx, func(ctx context.Context) error {
		defer s.EndIdle()
		if err := st.confine(); err != nil {
			return err
		}
		e, err := st.explainPlan(ctx)
		s.EndIdle()
		if err != nil {
			return err
		}
		columns := explainColumns(st.frame.Env.Results)
		if err := sink.Columns(columns); err != nil {
			return err
		}
		row := result.NewValues(columns)
		text := func(at int, what string) {
			if what != "" {
				row.Set(at, result.Text([]byte(what)))
			}
		}
		row.Set(0, result.Signed(1))
		kind := "SIMPLE"
		if st.insert != nil {
			kind = "INSERT"
		}
		if e.Type != "" {
			text(2, st.plan.Source.Alias)
			text(3, e.Type)
			st.explainKeys(text, e)
			if e.Rows >= 0 {
				text(8, strconv.Itoa(e.Rows))
			}
		}
		text(1, kind)
		row.Set(9, result.Text([]byte(strings.Join(append(e.Extra, st.explained), "; "))))
		if err := sink.Row(row); err != nil {
			return err
		}
		return sink.EndRows(s.EndStatus(more))
	})
}

// explainKeys are the columns about keys.
func (st *Statement) explainKeys(text func(at int, what string), e plan.Explained) {
	name := func(at int) string {
		if at < 0 {
			return "PRIMARY"
		}
		return st.plan.Source.Table.Indexes[at].Def.Name
	}
	var possible []string
	for _, at := range e.Possible {
		possible = append(possible, name(at))
	}
	text(4, strings.Join(possible, ","))
	if e.Key != plan.None {
		text(5, name(e.Key))
	}
	if e.KeyLen > 0 {
		text(6, strconv.Itoa(e.KeyLen))
	}
	text(7, strings.TrimPrefix(strings.Repeat(",const", e.Fixed), ","))
}

// explainPlan is how the table of the statement is read.
func (st *Statement) explainPlan(ctx context.Context) (e plan.Explained, err error) {
	if st.insert != nil {
		return plan.Explained{Type: "ALL", Key: plan.None, Rows: -1}, nil // as MariaDB has it
	}
	for _, holds := range st.plan.Once {
		ok := holds(st.frame)
		if err := st.frame.Diag.Failed(); err != nil {
			return e, err
		}
		if !ok {
			return plan.Explained{Key: plan.None, Rows: -1, Extra: []string{"Impossible WHERE"}}, nil
		}
	}
	e = st.plan.Explain()
	if src := st.plan.Source; e.All && st.temporary[src] == nil {
		n, err := st.session.Rest.Estimate(ctx, src.Table.Table)
		if err != nil {
			return e, err
		}
		e.Rows = int(max(n, 1)) // as MariaDB shows an empty table
	}
	return e, nil
}

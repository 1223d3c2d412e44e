package routine

import (
	"context"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// forLoop is FOR over numbers or over the rows of a query.
func (r *run) forLoop(n *tree.For, sc *scope) (*jump, error) {
	if n.Query != nil {
		return r.forRows(n, sc)
	}
	if n.To == nil {
		return nil, mysqlerr.NotYet("FOR over a cursor; FOR x IN (SELECT ...)")
	}
	sc = inner(sc)
	v := &variable{name: n.Variable.Text, t: types.BigintType(20, false)}
	v.t.Nullable = true
	bound := &variable{name: "", t: v.t}
	for to, x := range map[*variable]tree.Expr{v: n.From, bound: n.To} {
		value, t, err := r.value(x, sc)
		if err != nil {
			return nil, err
		}
		if err := r.assign(to, value, t); err != nil {
			return nil, err
		}
	}
	step := int64(1)
	if n.Reverse {
		step = -1
		v.value, bound.value = bound.value, v.value
	}
	sc.declare(v)
	for !v.value.Null && !bound.value.Null && (v.value.Int-bound.value.Int)*step <= 0 {
		if j, done, err := r.turn(n, sc); err != nil || done {
			return j, err
		}
		v.value.Int += step
	}
	return nil, nil
}

// turn runs the body once; done says that the loop ends, with a jump or none.
func (r *run) turn(n *tree.For, sc *scope) (j *jump, done bool, err error) {
	if r.ctx.Err() != nil {
		return nil, true, unhandled{context.Cause(r.ctx)}
	}
	j, err = r.body(n.Body, sc)
	switch {
	case err != nil || j == nil:
		return nil, err != nil, err
	case j.leaves != nil || !isLabel(n.Label, j.label):
		return j, true, nil
	}
	return nil, !j.iterate, nil
}

func (r *run) forRows(n *tree.For, sc *scope) (*jump, error) {
	rows, err := r.query(n.Query, sc, 0)
	if err != nil {
		return nil, err
	}
	defer rows.release()
	for _, row := range rows.rows {
		of := inner(sc)
		for i, value := range row {
			t := rows.kindOf(i, value)
			of.declare(&variable{name: n.Variable.Text + "." + rows.columns[i].Name, t: t, value: value})
		}
		if j, done, err := r.turn(n, of); err != nil || done {
			return j, err
		}
	}
	return nil, nil
}

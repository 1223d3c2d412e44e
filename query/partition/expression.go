package partition

import (
	"strings"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/temporal"
)

// binder binds the expressions of a PARTITION BY: they mean the same in all sessions.
type binder struct {
	*bind.Binder
	table *relation.Table
	used  map[int]bool   // the columns that are read
	short bool           // columns print themselves by their names alone
	zone  *temporal.Zone // of the session that writes a definition, in which its constants are computed
}

const packetMost = 1 << 24 // max_allowed_packet of expressions whose results are numbers

// newFrame is a frame for a partitioning expression, which depends on no session.
func newFrame(env *types.Env) *eval.Frame {
	return &eval.Frame{Env: env, Diag: &types.Diagnostics{Most: 1}, MaxPacket: packetMost, Zone: temporal.UTC, Names: temporal.English}
}

func newBinder(t *relation.Table) (*binder, error) {
	utf8, _ := charset.SetByName("utf8mb4")
	coll, ok := charset.ByName(t.Def.Collation)
	if !ok {
		return nil, bind.Refusal("the collation of the table")
	}
	env := &types.Env{Mode: types.ModeNamed("ERROR_FOR_DIVISION_BY_ZERO"), DivIncrement: 4, Names: "en_US", ConcatMax: packetMost, Client: utf8, Connection: coll, Results: utf8, Server: coll, Database: coll}
	b := &binder{zone: temporal.UTC, table: t, used: map[int]bool{}}
	b.Binder = &bind.Binder{Builder: eval.Builder{Env: env, Scratch: newFrame(env)}, Column: b.column}
	return b, nil
}

// inZone has constants computed in a time zone.
func (b *binder) inZone(zone *temporal.Zone) { b.zone, b.Scratch.Zone = zone, zone }

// newFrame is a frame in which constants of a definition are computed.
func (b *binder) newFrame() *eval.Frame {
	f := newFrame(b.Env)
	f.Zone = b.zone
	return f
}

// column is the node of a column of the table.
func (b *binder) column(n *tree.ColumnRef) (*eval.Expr, error) {
	at := b.table.Find(n.Name.Text)
	if at < 0 || n.Table.Text != "" && !strings.EqualFold(n.Table.Text, b.table.Def.Name) {
		return nil, mysqlerr.New(mysqlerr.BadField, n.Name.Text, "PARTITION BY")
	}
	if err := b.readable(at); err != nil {
		return nil, err
	}
	b.used[at] = true
	name := "`" + strings.ReplaceAll(b.table.Columns[at].Def.Name, "`", "``") + "`"
	if !b.short {
		name = "`" + b.table.Def.DB + "`.`" + b.table.Def.Name + "`." + name
	}
	return b.table.Expr(0, at, name).Printed(func(dst []byte) []byte { return append(dst, name...) }), nil
}

// readable refuses columns of which a row's image does not say enough.
func (b *binder) readable(at int) error {
	c := &b.table.Columns[at]
	if c.Unknown != "" {
		return bind.Refusal(c.Unknown)
	}
	if c.Virtual() {
		return bind.Refusal("PARTITION BY a VIRTUAL column")
	}
	return nil
}

// function binds what HASH, RANGE and LIST are of: a whole number. what is PARTITION or SUBPARTITION, for the message.
func (b *binder) function(n tree.Expr, what string) (*eval.Expr, error) {
	if !timely(b.table, n) {
		return nil, mysqlerr.New(mysqlerr.PartitionWrongExpr)
	}
	if !moments(b.table, n) {
		return nil, mysqlerr.New(mysqlerr.PartitionWrongExpr)
	}
	weeks(n)
	x, err := b.Expr(n)
	if err != nil {
		return nil, err
	}
	if len(b.used) == 0 {
		return nil, mysqlerr.New(mysqlerr.PartitionWrongExpr)
	}
	for at := range b.used {
		if b.table.Columns[at].Type.Kind.Blob() {
			return nil, mysqlerr.New(mysqlerr.PartitionBlob)
		}
	}
	if _, at, column := x.Column(); column && !x.Type.Kind.Integer() && x.Type.Kind != types.Bit && x.Type.Kind != types.Year {
		return nil, mysqlerr.New(mysqlerr.PartitionFieldType, b.table.Columns[at].Def.Name)
	}
	if x.Type.Class() != types.ClassInt {
		return nil, mysqlerr.New(mysqlerr.PartitionFuncNotAllowed, what)
	}
	return x, nil
}

// weeks gives YEARWEEK the argument that it has if it is left out, which is shown.
func weeks(n tree.Expr) {
	tree.Walk(n, func(n tree.Node) bool {
		if c, ok := n.(*tree.Call); ok && strings.EqualFold(c.Name.Text, "YEARWEEK") && len(c.Args) == 1 {
			c.Args = append(c.Args, &tree.NumberLit{Text: "0"})
		}
		return true
	})
}

// The kinds of columns that functions of dates and times may be of, so that nothing is converted by the settings of a session.
var (
	dates  = map[types.Kind]bool{types.Date: true, types.Datetime: true}
	times  = map[types.Kind]bool{types.Time: true, types.Datetime: true}
	stamps = map[types.Kind]bool{types.Timestamp: true}
)

var takes = func() map[string]map[types.Kind]bool {
	m := map[string]map[types.Kind]bool{"UNIX_TIMESTAMP": stamps}
	for name := range strings.FieldsSeq(`DATEDIFF DAY DAYOFMONTH DAYOFWEEK DAYOFYEAR MONTH QUARTER TO_DAYS TO_SECONDS WEEKDAY YEAR YEARWEEK`) {
		m[name] = dates
	}
	for name := range strings.FieldsSeq(`HOUR MICROSECOND MINUTE SECOND TIME_TO_SEC`) {
		m[name] = times
	}
	return m
}()

// timely reports whether functions of dates and times have columns of such types.
func timely(t *relation.Table, n tree.Expr) bool {
	ok := true
	of := func(x tree.Expr, kinds ...map[types.Kind]bool) {
		c, column := x.(*tree.ColumnRef)
		if !column {
			ok = false
			return
		}
		at, found := t.Find(c.Name.Text), false
		for _, k := range kinds {
			found = found || at >= 0 && k[t.Columns[at].Type.Kind]
		}
		ok = ok && (found || at < 0) // one that is not there is another error
	}
	tree.Walk(n, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Call:
			name := strings.ToUpper(n.Name.Text)
			kinds := takes[name]
			for i, a := range n.Args {
				if kinds != nil && (i == 0 || name == "DATEDIFF") {
					of(a, kinds)
				}
			}
		case *tree.Extract:
			switch unit := n.Unit.String(); {
			case unit == "WEEK":
				ok = false
			case strings.HasPrefix(unit, "DAY_"):
				of(n.X, map[types.Kind]bool{types.Datetime: true})
			case strings.HasPrefix(unit, "HOUR") || strings.HasPrefix(unit, "MINUTE") || strings.HasPrefix(unit, "SECOND") || unit == "MICROSECOND":
				of(n.X, times)
			default:
				of(n.X, dates)
			}
		}
		return ok
	})
	return ok
}

// moments reports whether no TIMESTAMP is read but as the argument of UNIX_TIMESTAMP: as a local time it would depend on the session's time zone. One that is
// all of the expression is another error.
func moments(t *relation.Table, n tree.Expr) bool {
	ok := true
	tree.Walk(n, func(node tree.Node) bool {
		switch c := node.(type) {
		case *tree.Call:
			if strings.EqualFold(c.Name.Text, "UNIX_TIMESTAMP") {
				return false
			}
		case *tree.ColumnRef:
			at := t.Find(c.Name.Text)
			ok = ok && (node == tree.Node(n) || at < 0 || t.Columns[at].Type.Kind != types.Timestamp)
		}
		return ok
	})
	return ok
}

// constant computes a value of RANGE or LIST, which is a whole number or NULL.
func (b *binder) constant(n tree.Expr, partition string) (v types.Value, unsigned bool, err error) {
	c := *b.Binder
	c.Column = nil
	tree.Walk(n, func(n tree.Node) bool {
		if ref, ok := n.(*tree.ColumnRef); ok && err == nil {
			err = mysqlerr.New(mysqlerr.BadField, ref.Name.Text, "PARTITION BY")
		}
		return err == nil
	})
	if err != nil {
		return v, false, err
	}
	if _, bytes := n.(*tree.BytesLit); bytes {
		return v, false, mysqlerr.New(mysqlerr.ValuesIsNotIntType, partition)
	}
	x, err := c.Expr(n)
	if err != nil {
		return v, false, err
	}
	if x.Null() {
		return types.Value{Null: true}, false, nil
	}
	if x.Type.Class() != types.ClassInt || !x.Is(eval.Constant) {
		return v, false, mysqlerr.New(mysqlerr.ValuesIsNotIntType, partition)
	}
	f := b.newFrame()
	v = x.Compute(f)
	if err := f.Diag.Failed(); err != nil {
		return v, false, err
	}
	return v, x.Type.Unsigned, nil
}

package computed

import (
	"errors"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/gms/compare"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// Settled decides who computes an expression of a node of a bound plan.
func (e *Expr) Settled(ctx *sql.Context, in *column.Arguments) (sql.Expression, error) {
	if e.own != nil {
		return e, nil
	}
	if e.source.condition && known(ctx, in, e.theirs) && !e.wide(in) {
		return e.theirs, nil
	}
	if e.source.truth && gmstypes.IsInteger(e.theirs.Type(ctx)) {
		return e.theirs, nil
	}
	own, err := e.bound(ctx, in)
	if err != nil {
		return nil, err
	}
	if own == nil {
		return e.theirs, nil
	}
	out := *e
	out.own = own
	return &out, nil
}

// wide reports whether a comparison is of texts in one of the character sets of several bytes that are no UTF-8: a part of a column that an index has of
// them is not found by go-mysql-server.
func (e *Expr) wide(in *column.Arguments) bool {
	for _, arg := range e.args {
		if k, ok := in.Of(arg); ok && k.Type.Class() == types.ClassText && k.Type.Collation != nil {
			if set := k.Type.Collation.Set(); set.MaxLen() > 1 && !strings.HasPrefix(set.Name(), "utf8") {
				return true
			}
		}
	}
	return false
}

// known reports whether go-mysql-server finds the rows of a condition by an index or by their keys, as MariaDB would compare them.
func known(ctx *sql.Context, in *column.Arguments, e sql.Expression) bool {
	switch e := e.(type) {
	case *expression.Like:
		return in.Stored(e.LeftChild) && gmstypes.IsTextOnly(e.LeftChild.Type(ctx))
	case *expression.Between:
		return compare.Sure(ctx, e.Val, e.Lower) && compare.Sure(ctx, e.Val, e.Upper)
	case *expression.InTuple:
		list, ok := e.RightChild.(expression.Tuple)
		if !ok {
			return true
		}
		for _, x := range list {
			if !compare.Sure(ctx, e.LeftChild, x) {
				return false
			}
		}
		return true
	case *expression.Not:
		return known(ctx, in, e.Child)
	case *expression.And:
		return known(ctx, in, e.LeftChild) && known(ctx, in, e.RightChild)
	case expression.Comparer:
		return compare.Sure(ctx, e.Left(), e.Right())
	case sql.FunctionExpression: // REGEXP
		return false
	}
	return true
}

// bound is the expression by SQL of our own; nil for one that it does not understand.
func (e *Expr) bound(ctx *sql.Context, in *column.Arguments) (*program, error) {
	s, ok := ctx.Session.(Session)
	if !ok {
		return nil, nil //nolint:nilnil // see above
	}
	shared, f, err := s.Evaluation(ctx)
	if err != nil {
		return nil, understood(err)
	}
	p := &program{leaves: make([]leaf, len(e.args)), frame: f}
	nodes, bits := make([]*eval.Expr, len(e.args)), false
	for i, arg := range e.args {
		known, ok := in.Of(arg)
		if _, field := arg.(*expression.GetField); field && known.Quotient {
			return nil, mysqlerr.NotYet("an expression of a view's or derived table's quotient of DECIMALs, in a statement of several tables; CAST the quotient")
		}
		if known.Type.Kind == types.Bit && !in.Stored(arg) && gmstypes.IsText(e.theirs.Type(ctx)) {
			return nil, mysqlerr.NotYet("a text made of what is computed of a BIT, in a statement of several tables; add 0 to it")
		}
		reads := p.leaves[i].reads(ctx, arg, known)
		if known.Type.Kind == types.Bit && in.Stored(arg) && e.source.number(argumentName(i)) {
			reads, bits = true, true
		}
		if !ok || !reads || e.source.json && condition(ctx, arg, known) {
			return nil, nil //nolint:nilnil // see above
		}
		nodes[i] = node(arg, i, p.leaves[i].t)
	}
	b := *shared
	b.Column = func(n *tree.ColumnRef) (*eval.Expr, error) {
		at, err := strconv.Atoi(n.Name.Text[1:])
		if err != nil {
			return nil, err
		}
		return nodes[at], nil
	}
	f.Diag.Reset(0)
	if p.x, err = b.Expr(e.source.x); err != nil {
		f.Diag.Reset(0)
		if bits { // which go-mysql-server compares with texts as bytes
			return nil, err
		}
		return nil, understood(err)
	}
	f.Diag.Reset(0)
	shared.Builder = b.Builder // which counts the places in the frame's memory: those of other expressions are others
	if p.x.Is(eval.Volatile) {
		return nil, nil //nolint:nilnil // see above
	}
	if p.gms, err = Type(p.x.Type); err != nil {
		return nil, understood(err)
	}
	if p.x.Is(eval.Bool) && p.x.Type.Class() == types.ClassInt { // by which go-mysql-server's functions of JSON know a condition
		p.gms = gmstypes.Boolean
	}
	return p, nil
}

// condition reports whether go-mysql-server yields the value of a condition, which functions of JSON write as true or false, or as a number, by the plan.
func condition(ctx *sql.Context, e sql.Expression, known column.Known) bool {
	return gmstypes.IsBoolean(e.Type(ctx)) || known.Type.Kind == types.Int && known.Type.Length == 1
}

// understood is an error that is no refusal: what SQL of our own does not do is left to go-mysql-server.
func understood(err error) error {
	var e *mysqlerr.Error
	if errors.As(err, &e) && (e.Number == mysqlerr.NotSupportedYet || e.Number == mysqlerr.SPDoesNotExist) {
		return nil
	}
	return err
}

// node is what go-mysql-server yields, as an operand.
func node(arg sql.Expression, at int, t types.Type) *eval.Expr {
	x := eval.NewKept(eval.NewValue(t, types.Value{}), at)
	x.Props = 0
	name := arg.String()
	if f, ok := arg.(*expression.GetField); ok && f.Table() != "" {
		name = dialect.QuoteName(f.Table()) + "." + dialect.QuoteName(f.Name())
		if f.Database() != "" {
			name = dialect.QuoteName(f.Database()) + "." + name
		}
	}
	return x.Printed(func(dst []byte) []byte { return append(dst, name...) })
}

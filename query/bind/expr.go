package bind

import (
	"errors"
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/function"
	"github.com/duramendb/duramen/query/eval/function/date"
	"github.com/duramendb/duramen/query/eval/function/text"
	"github.com/duramendb/duramen/query/eval/operator"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// depthMax is how deep expressions may be nested. The grammar's own bound is of the same order.
const depthMax = 2000

// Binder binds the expressions of one statement.
type Binder struct {
	eval.Builder
	// Params are the types of the statement's placeholders.
	Params []types.Type
	// Lifted are literals that are parameters, by their place among Params.
	Lifted map[tree.Expr]int
	// Column resolves a name; nil where there are no columns.
	Column func(*tree.ColumnRef) (*eval.Expr, error)

	// Value resolves VALUE(column); nil where there is nothing to be inserted.
	Value func(*tree.ColumnRef) (*eval.Expr, error)

	// Default resolves DEFAULT(column); nil where there are no columns, or none of a table that has defaults.
	Default func(*tree.ColumnRef) (*eval.Expr, error)

	// Match binds MATCH ... AGAINST; nil where there is no table that could have it.
	Match func(*tree.Match) (*eval.Expr, error)

	// System is what a system variable is; nil where there may be none.
	System func(*tree.SystemVariable) (System, error)

	// Aggregates are where aggregate functions are put; nil where they are not allowed.
	Aggregates *Aggregates

	// Refused are functions, by their names in upper case, that this statement leaves to the fallback; nil for none.
	Refused func(name string) bool

	// Apart is the error about a call, by a name that is no keyword there, of a function that has none elsewhere; nil for nothing.
	Apart func(name string) error

	// Unknown is the error about a call of a function that there is none of; nil where the fallback has its own.
	Unknown func(*tree.Call) error

	// Numbered says that rows are numbered as they are accepted, for ROWNUM.
	Numbered bool

	// Assigned are the user variables that the statement sets, by their names in lower case; nil where it may set none.
	Assigned   map[string]bool
	collations map[string]*charset.Collation // of those whose assignment is bound
	// Loaded are those that LOAD DATA gives the fields of each line, by their names in lower case, with the type of these.
	Loaded map[string]types.Type
	// Early makes of a user variable that the statement sets what is read beside aggregate functions; nil where it is read as any other.
	Early func(*eval.Expr) (*eval.Expr, error)

	depth int
}

// Refusal is what is not done natively: error 1235. The statement is the fallback's.
func Refusal(what string) error { return mysqlerr.NotYet(what) }

// Expr binds an expression that is one value.
func (b *Binder) Expr(n tree.Expr) (*eval.Expr, error) {
	if b.depth++; b.depth > depthMax {
		return nil, mysqlerr.New(mysqlerr.StackOverrunNeedMore, depthMax)
	}
	defer func() { b.depth-- }()
	switch n := n.(type) {
	case *tree.NullLit, *tree.BoolLit, *tree.NumberLit, *tree.TextLit, *tree.BytesLit:
		return b.literal(n)
	case *tree.TemporalLit:
		return date.Literal(&b.Builder, n)
	case *tree.Placeholder:
		return b.parameter(n)
	case *tree.ColumnRef:
		if b.Column == nil {
			return nil, mysqlerr.New(mysqlerr.BadField, n.Name.Text, "SELECT")
		}
		return b.Column(n)
	case *tree.ValueOf:
		if b.Value != nil {
			return b.Value(n.Column)
		}
		if b.Column != nil {
			return b.noValue(n.Column)
		}
	case *tree.DefaultOf:
		if b.Default != nil {
			return b.Default(n.Column)
		}
	case *tree.UserVariable:
		return b.userVariable(n)
	case *tree.AssignVariable:
		return b.assignment(n)
	case *tree.SystemVariable:
		return b.systemVariable(n)
	case *tree.Call:
		return b.call(n)
	case *tree.Cast:
		return b.with1(n.X, func(x *eval.Expr) (*eval.Expr, error) { return operator.Cast(&b.Builder, x, n.Type) })
	case *tree.CaseExpr:
		return b.caseOf(n)
	case *tree.Aggregate:
		return b.aggregate(n)
	case *tree.Row:
		return b.row(n)
	}
	if x, err, ok := b.operation(n); ok {
		return x, err
	}
	if x, err, ok := b.special(n); ok {
		return x, err
	}
	return nil, Refusal(tree.String(n))
}

// operation binds operators; ok is false for what is none.
func (b *Binder) operation(n tree.Expr) (x *eval.Expr, err error, ok bool) {
	switch n := n.(type) {
	case *tree.Binary:
		x, err = b.binary(n)
	case *tree.Chain:
		x, err = b.withAll(n.Operands, func(xs []*eval.Expr) (*eval.Expr, error) { return operator.Chain(&b.Builder, n.Op, xs) })
	case *tree.Unary:
		if n.Op == tree.OpPositive { // a plus is nothing
			x, err = b.Expr(n.X)
			break
		}
		if n.Op == tree.OpBitNot && rowIn(n.X) {
			return nil, b.illegalRow([]tree.Expr{n.X}, operator.Name(n.Op)), true
		}
		x, err = b.with1(n.X, func(x *eval.Expr) (*eval.Expr, error) { return operator.Unary(&b.Builder, n.Op, x) })
	case *tree.Is:
		x, err = b.negated(n.Not, func() (*eval.Expr, error) {
			return b.with1(n.X, func(x *eval.Expr) (*eval.Expr, error) {
				if truth, ok := n.What.(*tree.BoolLit); ok {
					return operator.IsTruth(&b.Builder, x, truth.Value)
				}
				return operator.IsNull(&b.Builder, x)
			})
		})
	case *tree.In:
		x, err = b.in(n)
	case *tree.Between:
		x, err = b.negated(n.Not, func() (*eval.Expr, error) {
			return b.withAll([]tree.Expr{n.X, n.Low, n.High}, func(xs []*eval.Expr) (*eval.Expr, error) {
				return operator.Between(&b.Builder, xs[0], xs[1], xs[2])
			})
		})
	case *tree.Like:
		x, err = b.negated(n.Not, func() (*eval.Expr, error) { return b.like(n) })
	case *tree.Collate:
		x, err = b.with1(n.X, func(x *eval.Expr) (*eval.Expr, error) { return text.Collate(&b.Builder, x, n.Collation) })
	case *tree.AddInterval:
		x, err = b.withAll([]tree.Expr{n.X, n.Value}, func(xs []*eval.Expr) (*eval.Expr, error) {
			return date.AddInterval(&b.Builder, xs[0], n.Minus, xs[1], n.Unit)
		})
	default:
		return nil, nil, false
	}
	return x, err, true
}

// special binds functions that have a syntax of their own; ok is false for what is none.
func (b *Binder) special(n tree.Expr) (x *eval.Expr, err error, ok bool) {
	switch n := n.(type) {
	case *tree.ConvertUsing:
		x, err = b.with1(n.X, func(x *eval.Expr) (*eval.Expr, error) { return text.ConvertUsing(&b.Builder, x, n.Charset) })
	case *tree.Extract:
		if rowIn(n.X) {
			return nil, b.illegalRow([]tree.Expr{n.X}, "extract("+strings.ToLower(n.Unit.String())+")"), true
		}
		x, err = b.with1(n.X, func(x *eval.Expr) (*eval.Expr, error) { return date.Extract(&b.Builder, n.Unit, x) })
	case *tree.TimestampDiff:
		if rowIn(n.From, n.To) {
			return nil, b.illegalRow([]tree.Expr{n.From, n.To}, "timestampdiff"), true
		}
		x, err = b.withAll([]tree.Expr{n.From, n.To}, func(xs []*eval.Expr) (*eval.Expr, error) {
			return date.TimestampDiff(&b.Builder, n.Unit, xs[0], xs[1])
		})
	case *tree.GetFormat:
		x, err = b.with1(n.X, func(x *eval.Expr) (*eval.Expr, error) { return date.GetFormat(&b.Builder, n.Type, x) })
	case *tree.Trim:
		x, err = b.trim(n)
	case *tree.CharOf:
		x, err = b.withAll(n.Args, func(xs []*eval.Expr) (*eval.Expr, error) { return text.CharOf(&b.Builder, xs, n.Charset) })
	case *tree.Match:
		if b.Match == nil {
			return nil, nil, false
		}
		x, err = b.Match(n)
	case *tree.WeightString:
		x, err = b.with1(n.X, func(x *eval.Expr) (*eval.Expr, error) { return text.WeightString(&b.Builder, x, n) })
	default:
		return nil, nil, false
	}
	return x, err, true
}

func (b *Binder) with1(n tree.Expr, f func(*eval.Expr) (*eval.Expr, error)) (*eval.Expr, error) {
	x, err := b.Expr(n)
	if err != nil {
		return nil, err
	}
	return f(x)
}

func (b *Binder) withAll(ns []tree.Expr, f func([]*eval.Expr) (*eval.Expr, error)) (*eval.Expr, error) {
	xs, err := b.exprs(ns)
	if err != nil {
		return nil, err
	}
	return f(xs)
}

func (b *Binder) exprs(ns []tree.Expr) ([]*eval.Expr, error) {
	xs := make([]*eval.Expr, len(ns))
	for i, n := range ns {
		x, err := b.Expr(n)
		if err != nil {
			return nil, err
		}
		xs[i] = x
	}
	return xs, nil
}

// negated binds what may have a NOT in it.
func (b *Binder) negated(not bool, f func() (*eval.Expr, error)) (*eval.Expr, error) {
	x, err := f()
	if err != nil || !not {
		return x, err
	}
	return operator.Not(&b.Builder, x)
}

func (b *Binder) binary(n *tree.Binary) (*eval.Expr, error) {
	if rowIn(n.Left, n.Right) {
		return b.binaryRows(n)
	}
	return b.withAll([]tree.Expr{n.Left, n.Right}, func(xs []*eval.Expr) (*eval.Expr, error) {
		switch n.Op {
		case tree.OpRegexp:
			return text.Regexp(&b.Builder, xs[0], xs[1])
		case tree.OpNotRegexp:
			x, err := text.Regexp(&b.Builder, xs[0], xs[1])
			if err != nil {
				return nil, err
			}
			return operator.Not(&b.Builder, x)
		case tree.OpSoundsLike:
			return text.SoundsLike(&b.Builder, xs[0], xs[1])
		}
		return operator.Binary(&b.Builder, n.Op, xs[0], xs[1])
	})
}

func (b *Binder) in(n *tree.In) (*eval.Expr, error) {
	if n.Query != nil {
		return nil, Refusal("a subquery")
	}
	return b.negated(n.Not, func() (*eval.Expr, error) {
		if rowIn(append([]tree.Expr{n.X}, n.List...)...) {
			return b.inRows(n)
		}
		return b.with1(n.X, func(x *eval.Expr) (*eval.Expr, error) {
			return b.withAll(n.List, func(list []*eval.Expr) (*eval.Expr, error) { return operator.In(&b.Builder, x, list) })
		})
	})
}

func (b *Binder) like(n *tree.Like) (*eval.Expr, error) {
	return b.withAll([]tree.Expr{n.X, n.Pattern}, func(xs []*eval.Expr) (*eval.Expr, error) {
		var escape *eval.Expr
		if n.Escape != nil {
			var err error
			if escape, err = b.Expr(n.Escape); err != nil {
				return nil, err
			}
		}
		return text.Like(&b.Builder, xs[0], xs[1], escape)
	})
}

func (b *Binder) trim(n *tree.Trim) (*eval.Expr, error) {
	return b.with1(n.X, func(x *eval.Expr) (*eval.Expr, error) {
		var chars *eval.Expr
		if n.Chars != nil {
			var err error
			if chars, err = b.Expr(n.Chars); err != nil {
				return nil, err
			}
		}
		if b.Env.Mode.Has(types.Oracle) {
			return text.TrimOracle(&b.Builder, n.Side, chars, x)
		}
		return text.Trim(&b.Builder, n.Side, chars, x)
	})
}

func (b *Binder) caseOf(n *tree.CaseExpr) (*eval.Expr, error) {
	var x, otherwise *eval.Expr
	var err error
	if n.X != nil {
		if x, err = b.Expr(n.X); err != nil {
			return nil, err
		}
	}
	whens := make([]operator.When, len(n.Whens))
	for i, w := range n.Whens {
		if whens[i].If, err = b.Expr(w.If); err != nil {
			return nil, err
		}
		if whens[i].Then, err = b.Expr(w.Then); err != nil {
			return nil, err
		}
	}
	if n.Else != nil {
		if otherwise, err = b.Expr(n.Else); err != nil {
			return nil, err
		}
	}
	return operator.Case(&b.Builder, x, whens, otherwise)
}

// Nobodys reports whether no function of MariaDB has a name.
func Nobodys(name string) bool {
	upper := strings.ToUpper(name)
	_, ok := function.Find(upper)
	return !ok && !function.IsAbsent(upper)
}

// Counts is error 1582 if a function does not take so many arguments. It says nothing of functions that are not known.
func Counts(name string, args int, mode types.Mode) error {
	if def, ok := functionIn(mode, strings.ToUpper(name)); ok && def.Counts(args) != nil {
		return mysqlerr.New(mysqlerr.WrongParamcountToNativeFct, name)
	}
	return nil
}

// note notes a function whose value may be another one of the same arguments, or that does something.
func (b *Binder) note(def *eval.Def, x *eval.Expr, args []*eval.Expr) {
	asked := b.Scratch.Asked
	if asked == nil || x == nil {
		return
	}
	own := x.Props & (eval.Volatile | eval.Moving | eval.Session)
	for _, arg := range args {
		own &^= arg.Props // that one was noted where it comes from
	}
	if def.Framed {
		own &^= eval.Session
	}
	if own != 0 {
		asked.Function = def.Name
	}
}

func (b *Binder) call(n *tree.Call) (*eval.Expr, error) {
	name := strings.ToUpper(n.Name.Text)
	def, ok := functionIn(b.modeOf(n), name)
	if b.Apart != nil && !n.Keyword && n.DB.Text == "" && n.Package.Text == "" {
		if err := b.Apart(n.Name.Text); err != nil {
			return nil, err
		}
	}
	if b.Unknown != nil && n.Package.Text == "" && (n.DB.Text != "" && !nativeSchemas[n.DB.Text] || !ok && !function.IsAbsent(name)) {
		return nil, b.Unknown(n)
	}
	if !ok || n.DB.Text != "" && !nativeSchemas[n.DB.Text] || n.Package.Text != "" || b.Refused != nil && b.Refused(name) || name == "ROWNUM" && !b.Numbered {
		return nil, Refusal("function " + n.Name.Text)
	}
	if rowIn(n.Args...) {
		if b.Scratch.Asked != nil {
			b.Scratch.Asked.Function = def.Name
		}
		return b.callWithRows(def, n.Args)
	}
	return b.withAll(n.Args, func(xs []*eval.Expr) (*eval.Expr, error) {
		if !n.Keyword || def.Name == "COALESCE" {
			for _, x := range xs {
				x.Call("") // arguments of functions that are no keywords are called as they are written
			}
		}
		x, err := def.Call(&b.Builder, xs)
		b.note(def, x, xs)
		var e *mysqlerr.Error
		if !n.Keyword && errors.As(err, &e) && e.Number == mysqlerr.WrongParamcountToNativeFct {
			err = mysqlerr.New(e.Number, n.Name.Text) // as it is written
		}
		return x, err
	})
}

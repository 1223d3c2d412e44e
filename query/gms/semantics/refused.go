package semantics

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// refused is the error of an expression that go-mysql-server would compute to another value than MariaDB.
func refused(ctx *sql.Context, r replacer, e sql.Expression) error {
	switch e := e.(type) {
	case *expression.Literal:
		if s, ok := e.Value().(string); ok && s == "" && emptyIsNull(ctx) {
			return mysqlerr.NotYet("'' in sql_mode EMPTY_STRING_IS_NULL, in a statement of several tables; write NULL")
		}
		return nil
	case *expression.GetField:
		if s, ok := e.Type(ctx).(sql.StringType); ok && s.Type() == sqltypes.Char && padsChars(ctx) {
			return mysqlerr.NotYet("a CHAR column in sql_mode PAD_CHAR_TO_FULL_LENGTH, in a statement of several tables; use RPAD without that mode")
		}
		return nil
	case *expression.Interval:
		if !e.Child.Resolved() {
			return nil
		}
		t := e.Child.Type(ctx)
		if _, isLiteral := e.Child.(*expression.Literal); types.IsDecimal(t) || types.IsFloat(t) || types.IsText(t) && !isLiteral || isTemporal(t) {
			return mysqlerr.NotYet("INTERVAL of a value that is no integer, in a statement of several tables; CAST it")
		}
		return nil
	}
	_, divides := e.(*expression.Div)
	f, ok := e.(sql.FunctionExpression)
	if !ok && !divides {
		return nil
	}
	if (divides || slices.Contains([]string{"avg", "std", "stddev", "stddev_pop", "stddev_samp", "variance", "var_pop", "var_samp"}, strings.ToLower(f.FunctionName()))) &&
		otherDivisionDigits(ctx) {
		return mysqlerr.NotYet("div_precision_increment other than 4 in a statement of several tables; ROUND, or CAST to DECIMAL, at the default")
	}
	if !ok {
		return nil
	}
	switch name := strings.ToLower(f.FunctionName()); name {
	case "sum", "avg", "std", "stddev", "stddev_pop", "stddev_samp", "variance", "var_pop", "var_samp":
		for _, c := range f.Children()[:1] { // those behind it are the window's
			if !c.Resolved() {
				continue
			}
			if isTemporal(c.Type(ctx)) {
				return mysqlerr.NotYet(strings.ToUpper(name) + "() of dates and times, in a statement of several tables; CAST them to a number")
			}
			if digits, known := r.declared(c); known && types.IsFloat(c.Type(ctx)) && digits < notFixed {
				return mysqlerr.NotYet(strings.ToUpper(name) + "() of a column with declared digits like FLOAT(7,2), in a statement of several tables; CAST it to DECIMAL")
			}
		}
	case "bitand", "bitor", "bitxor":
		if c := f.Children(); len(c) > 0 && c[0].Resolved() {
			if t := c[0].Type(ctx); t != types.Null && !types.IsInteger(t) && !types.IsBit(t) && !types.IsYear(t) {
				return mysqlerr.NotYet("BIT_AND, BIT_OR or BIT_XOR of a value that is no integer, in a statement of several tables; CAST it AS SIGNED")
			}
		}
	case "from_unixtime":
		if c := f.Children(); len(c) == 1 && c[0].Resolved() && !types.IsInteger(c[0].Type(ctx)) && c[0].Type(ctx) != types.Null {
			return mysqlerr.NotYet("FROM_UNIXTIME() of a value that is no integer, in a statement of several tables; CAST it")
		}
	case "soundex":
		return mysqlerr.NotYet("SOUNDEX() in a statement of several tables")
	case "coercibility":
		return mysqlerr.NotYet("COERCIBILITY() in a statement of several tables")
	}
	return nil
}

func padsChars(ctx *sql.Context) bool {
	s := function.SessionOf(ctx)
	return s != nil && strings.Contains(s.SysVars().Str("sql_mode"), "PAD_CHAR_TO_FULL_LENGTH")
}

func emptyIsNull(ctx *sql.Context) bool {
	s := function.SessionOf(ctx)
	return s != nil && strings.Contains(s.SysVars().Str("sql_mode"), "EMPTY_STRING_IS_NULL")
}

// otherDivisionDigits reports whether the session wants other digits of quotients than go-mysql-server makes.
func otherDivisionDigits(ctx *sql.Context) bool {
	s := function.SessionOf(ctx)
	return s != nil && s.SysVars().Uint("div_precision_increment") != 4
}

// refuseOuterAggregates refuses aggregate functions of columns of the query around a subquery: they are that query's, and go-mysql-server computes them in the
// subquery.
func refuseOuterAggregates(ctx *sql.Context, q *plan.Subquery) error {
	outer := q.Correlated()
	if outer.Empty() {
		return nil
	}
	var err error
	transform.Inspect(q.Query, func(n sql.Node) bool {
		g, ok := n.(*plan.GroupBy)
		if !ok {
			return err == nil
		}
		for _, e := range g.SelectDeps {
			sql.Inspect(ctx, e, func(ctx *sql.Context, e sql.Expression) bool {
				if a, ok := e.(sql.Aggregation); ok && onlyOuter(ctx, a, outer) {
					err = mysqlerr.NotYet("an aggregate function in a subquery over columns of the query around it; compute it in a derived table")
				}
				return err == nil
			})
		}
		return err == nil
	})
	return err
}

// onlyOuter reports whether an expression reads columns, and all of them are outer ones.
func onlyOuter(ctx *sql.Context, e sql.Expression, outer sql.ColSet) bool {
	some, all := false, true
	sql.Inspect(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
		if f, ok := e.(*expression.GetField); ok {
			some, all = true, all && outer.Contains(f.Id())
		}
		return all
	})
	return some && all
}

// refuseLimitedExists refuses EXISTS of a query with a LIMIT that may leave no row, which go-mysql-server takes away.
func refuseLimitedExists(e *plan.ExistsSubquery) error {
	n := e.Query.Query
	for {
		switch q := n.(type) {
		case *plan.Offset:
			return mysqlerr.NotYet("EXISTS (... OFFSET n); compare COUNT(*)")
		case *plan.Limit:
			if l, ok := q.Limit.(*expression.Literal); !ok || l.String() == "0" {
				return mysqlerr.NotYet("EXISTS (... LIMIT 0)")
			}
			n = q.Child
		case *plan.Project, *plan.Sort, *plan.Distinct, *plan.TopN:
			n = q.Children()[0]
		default:
			return nil
		}
	}
}

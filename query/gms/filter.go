package gms

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/nesting"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// WhereFilter is the WHERE of a SHOW statement over rows with these columns.
func WhereFilter(where string, names []string) (func(row []any) (bool, error), error) {
	text := "select 1 from dual where " + where
	ast, err := nesting.ParseText(text)
	if err != nil {
		return nil, parse.SyntaxError(err, text)
	}
	expr := ast.(*sqlparser.Select).Where.Expr
	return func(row []any) (bool, error) {
		v, err := evalFilter(expr, names, row)
		return v == "1", err
	}, nil
}

// evalFilter evaluates the WHERE of a SHOW statement on one row; truth is "1".
// It knows columns, literals, comparisons, LIKE, IN and the logical operators.
func evalFilter(e sqlparser.Expr, names []string, row []any) (string, error) {
	truth := func(b bool, err error) (string, error) {
		if b {
			return "1", err
		}
		return "0", err
	}
	both := func(l, r sqlparser.Expr) (string, string, error) {
		a, err := evalFilter(l, names, row)
		if err != nil {
			return "", "", err
		}
		b, err := evalFilter(r, names, row)
		return a, b, err
	}
	switch e := e.(type) {
	case *sqlparser.ColName:
		for i, n := range names {
			if strings.EqualFold(n, e.Name.String()) {
				if row[i] == nil {
					return "", nil
				}
				return fmt.Sprint(row[i]), nil
			}
		}
		return "", mysqlerr.New(mysqlerr.BadField, e.Name.String(), "where clause")
	case *sqlparser.SQLVal:
		return string(e.Val), nil
	case *sqlparser.ParenExpr:
		return evalFilter(e.Expr, names, row)
	case *sqlparser.AndExpr:
		a, b, err := both(e.Left, e.Right)
		return truth(a == "1" && b == "1", err)
	case *sqlparser.OrExpr:
		a, b, err := both(e.Left, e.Right)
		return truth(a == "1" || b == "1", err)
	case *sqlparser.NotExpr:
		a, err := evalFilter(e.Expr, names, row)
		return truth(a != "1", err)
	case *sqlparser.ComparisonExpr:
		if list, ok := e.Right.(sqlparser.ValTuple); ok {
			return truth(inList(e, list, names, row))
		}
		a, b, err := both(e.Left, e.Right)
		if err != nil {
			return "", err
		}
		like := e.Operator == sqlparser.LikeStr || e.Operator == sqlparser.NotLikeStr
		if !like && (isNumber(e.Left) || isNumber(e.Right)) {
			a, b = leadingNumber(a), leadingNumber(b)
		}
		return truth(compareFilter(e.Operator, a, b))
	}
	return "", mysqlerr.New(mysqlerr.NotSupportedYet, "this expression in SHOW ... WHERE")
}

func inList(e *sqlparser.ComparisonExpr, list sqlparser.ValTuple, names []string, row []any) (bool, error) {
	a, err := evalFilter(e.Left, names, row)
	if err != nil {
		return false, err
	}
	found := false
	for _, item := range list {
		b, err := evalFilter(item, names, row)
		if err != nil {
			return false, err
		}
		found = found || strings.EqualFold(a, b)
	}
	return found == (e.Operator == sqlparser.InStr), nil
}

func isNumber(e sqlparser.Expr) bool {
	v, ok := e.(*sqlparser.SQLVal)
	return ok && (v.Type == sqlparser.IntVal || v.Type == sqlparser.FloatVal)
}

var numberPrefix = regexp.MustCompile(`^[ \t\n\v\f\r]*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)`)

// leadingNumber is what a text counts as beside a number.
func leadingNumber(text string) string {
	if m := numberPrefix.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return "0"
}

func compareFilter(op, a, b string) (bool, error) {
	order := strings.Compare(strings.ToLower(a), strings.ToLower(b))
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX == nil && errY == nil {
		order = 0
		if x < y {
			order = -1
		} else if x > y {
			order = 1
		}
	}
	switch op {
	case sqlparser.EqualStr, sqlparser.NullSafeEqualStr:
		return order == 0, nil
	case sqlparser.NotEqualStr:
		return order != 0, nil
	case sqlparser.LessThanStr:
		return order < 0, nil
	case sqlparser.LessEqualStr:
		return order <= 0, nil
	case sqlparser.GreaterThanStr:
		return order > 0, nil
	case sqlparser.GreaterEqualStr:
		return order >= 0, nil
	case sqlparser.LikeStr:
		return dialect.Like(a, b), nil
	case sqlparser.NotLikeStr:
		return !dialect.Like(a, b), nil
	}
	return false, mysqlerr.New(mysqlerr.NotSupportedYet, "operator "+op+" in SHOW ... WHERE")
}

package operator

import (
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
)

// Functions are those of the package that are called by name.
var Functions = []eval.Def{
	{Name: "IF", Min: 3, Max: 3, Bind: ifThen},
	{Name: "IFNULL", Min: 2, Max: 2, Bind: coalesce("ifnull")},
	{Name: "NVL", Min: 2, Max: 2, Bind: coalesce("nvl")},
	{Name: "NVL2", Min: 3, Max: 3, Bind: nvl2},
	{Name: "DECODE_ORACLE", Min: 3, Max: -1, Bind: decode},
	{Name: "NULLIF", Min: 2, Max: 2, Bind: nullIf},
	{Name: "COALESCE", Min: 1, Max: -1, Bind: coalesce("coalesce")},
	{Name: "LAST_VALUE", Min: 1, Max: -1, Bind: lastValue},
	{Name: "LEAST", Min: 2, Max: -1, Bind: extreme("least", -1)},
	{Name: "GREATEST", Min: 2, Max: -1, Bind: extreme("greatest", 1)},
	{Name: "INTERVAL", Min: 2, Max: -1, Bind: interval},
	{Name: "ISNULL", Min: 1, Max: 1, Bind: func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) { return IsNull(b, args[0]) }},
	{Name: "MOD", Min: 2, Max: 2, Bind: func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		return arithmetic(b, tree.OpModulo, args[0], args[1])
	}},
}
